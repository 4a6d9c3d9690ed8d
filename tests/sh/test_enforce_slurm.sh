#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Limits that follow the balances of the bank, on a real Slurm with slurmdbd: an account over its allotment cannot start, what
# runs ends well, a grant lets what waits start, others do not notice, and what was set before comes back. And that what was
# charged is what Slurm has counted. See docs/enforcement.md.
#
# Jobs that are looked at run until the test lets them go, however slow the machine is. timeout: 1800
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

it 'a real Slurm comes up'
slurm_need || finish
check slurm_up
[ "${status:?}" -eq 0 ] || finish

conf() { # LINE...: more of [enforce rowan]
    { printf '[cluster rowan]\nscheduler = slurm\nslurm_conf = %s\nsince = %s\n' "$SLURM_CONF" "$(date -d -2days +%F)" &&
        printf '[enforce rowan]\ndriver = slurm\nmax_share = 100\ntolerance = 0\n' && printf '%s\n' "$@"; } >stint.conf
}
bank() { stint bank --config "$TMP/stint.conf" "$@"; }
pull() { stint pull --config "$TMP/stint.conf"; }
# A check, as cron would do it.
enforce() { pull >/dev/null && bank enforce --apply --format csv --no-header; }
limit_of() { sacctmgr -nP show assoc where account="$1" user= format="$2"; }
told() { # ID...: slurmdbd knows that they have ended
    for told_job; do slurm_recorded "$told_job" COMPLETED || return 1; done
}
empty() { # ACCOUNT: of all that it has left
    bank allotments "$1" --format csv --no-header | awk -F, '$10 > 0 { print $1, $10 }' >left &&
        while read -r number amount; do
            bank adjust "$1" "$amount" --less --allotment "$number" --note 'for the test' || return 1
        done <left
}
waits_for() { [ "$(squeue -h -j "$1" -o '%T %r')" = "PENDING $2" ]; }

# --- hold -----------------------------------------------------------------------------------------------

accounts() {
    sacctmgr -i -Q add qos high UsageFactor=2.0 && sacctmgr -i -Q add qos low UsageFactor=0.5 &&
        slurm_account chem games,man qos=normal,high,low && slurm_account bio news qos=normal,high,low &&
        sacctmgr -i -Q modify account chem set GrpTRESRunMins=billing=100000,cpu=50000 GrpTRESMins=cpu=777777
}
it 'two accounts, one of which has a limit of its own'
check accounts
conf 'mode = hold'
check stint rate add slurm --how recorded
check stint rate add high --how recorded --qos high --factor 2
check stint rate add low --how recorded --qos low --factor 0.5
check bank open chem --from 2020-01-01
check bank open bio --from 2020-01-01
check bank grant chem 0.0001 --from 2020-01-01
check bank grant bio 1000 --from 2020-01-01

it 'an account goes over its allotment while a job of it runs'
first=$(slurm_submit games -A chem -t 5 --wrap 'sleep 2')
runs=$(slurm_submit games -A chem -t 60 --wrap "until [ -e '$BED/go' ]; do sleep 0.2; done")
check bed_until $BED_LONG slurm_state "$runs" RUNNING
check bed_until $BED_LONG told "$first"
before=$(limit_of chem GrpTRESRunMins,GrpTRESMins)
check enforce
expect_out_has 'rowan,chem,account,chem,,hold,set,100000,0,0,done,'

it 'its next job waits, the one that runs does so, and another account does not notice'
waits=$(slurm_submit games -A chem -t 5 --wrap 'sleep 1')
other=$(slurm_submit news -A bio -t 5 --wrap 'sleep 1')
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingRunMinutes
check bed_until $BED_LONG told "$other"
check slurm_state "$runs" RUNNING
check waits_for "$waits" AssocGrpBillingRunMinutes

it 'the job that runs ends well'
: >"$BED/go"
check bed_until $BED_LONG told "$runs"
check waits_for "$waits" AssocGrpBillingRunMinutes

it 'a second check changes nothing'
check enforce
expect_no_out

it 'limits lie beside what the bank shows'
check bank limits chem --format csv --no-header
expect_equal 'stopped' "$(cut -d, -f 11 "$OUT")"

it 'a grant lets the job that waits start with the next check'
check bank grant chem 1000 --from 2020-01-01
check enforce
expect_out_has 'rowan,chem,account,chem,,hold,restore,0,100000,100000,done,'
check bed_until $BED_LONG told "$waits"
expect_equal "$before" "$(limit_of chem GrpTRESRunMins,GrpTRESMins)"

it 'release restores what was set before, and other resources were never touched'
check empty chem
check enforce
expect_equal 'billing=0,cpu=50000|cpu=777777' "$(limit_of chem GrpTRESRunMins,GrpTRESMins | sed 's/cpu=50000,billing=0/billing=0,cpu=50000/')"
check bank release chem --apply
expect_equal "$before" "$(limit_of chem GrpTRESRunMins,GrpTRESMins)"

# --- refuse ---------------------------------------------------------------------------------------------

it 'refused, a job that waits may start, and none is submitted'
conf 'mode = refuse'
rm "$BED/go"
waits=$(slurm_submit games -A chem -t 5 --begin=now+1hour --wrap 'sleep 1')
check enforce
expect_equal 0 "$(limit_of chem GrpSubmitJobs)"
expect_exit 1 slurm_submit games -A chem -t 5 --wrap 'sleep 1'
expect_err_has AssocGrpSubmitJobsLimit
check scontrol update jobid="$waits" starttime=now
check bed_until $BED_LONG told "$waits"

it 'another mode takes back what the one before has set'
conf 'mode = hold'
check enforce
expect_equal '' "$(limit_of chem GrpSubmitJobs)"
expect_out_has 'rowan,chem,account,chem,,refuse,restore,0,,,done,'
check bank release --apply

# --- limit ----------------------------------------------------------------------------------------------

# billing minutes of a job: of one cpu, as long as its time limit
it 'with limits, what fits into the balance starts, and what does not waits'
conf 'mode = limit'
check bank grant chem 3 --from 2020-01-01
check enforce
room=$(bank limits chem --format csv --no-header | cut -d, -f 8)
expect_equal 1 "$(echo "$room" | awk '{ print ($1 > 2.9 && $1 <= 3) }')"
runs=$(slurm_submit games -A chem -t 60 --wrap "until [ -e '$BED/go' ]; do sleep 0.2; done")
check bed_until $BED_LONG slurm_state "$runs" RUNNING
fits=$(slurm_submit games -A chem -t 60 --wrap 'sleep 1')
check bed_until $BED_LONG told "$fits"
waits=$(slurm_submit games -A chem -t 150 --wrap 'sleep 1')
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingMinutes

it 'a limit stays as it is while jobs run and end: what moves is on both sides'
limit=$(limit_of chem GrpTRESMins)
check enforce
expect_equal 1 "$(echo "$limit $(limit_of chem GrpTRESMins)" | sed 's/[^0-9 ]*billing=\([0-9]*\)[^ ]*/\1/g' | awk '{ d = $1 - $2; print (d <= 2 && d >= -2) }')"
check slurm_state "$runs" RUNNING
check waits_for "$waits" AssocGrpBillingMinutes

it 'a grant lets it start with the next check'
check bank grant chem 2 --from 2020-01-01
check enforce
check bed_until $BED_LONG told "$waits"
: >"$BED/go"
check bed_until $BED_LONG told "$runs"

it 'without balance nothing starts, and what runs ends well'
rm "$BED/go"
runs=$(slurm_submit games -A chem -t 60 --wrap "until [ -e '$BED/go' ]; do sleep 0.2; done")
check bed_until $BED_LONG slurm_state "$runs" RUNNING
check pull
check empty chem
check enforce
waits=$(slurm_submit games -A chem -t 1 --wrap 'sleep 1')
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingMinutes
check slurm_state "$runs" RUNNING
: >"$BED/go"
check bed_until $BED_LONG told "$runs"
check waits_for "$waits" AssocGrpBillingMinutes
check scancel "$waits"

it 'usage that decays moves the limit, and not what may be started'
check bank grant chem 50 --from 2020-01-01
check enforce
large=$(slurm_submit games -A chem -t 1 -N3 -n48 --wrap 'sleep 10')
check bed_until $BED_LONG told "$large"
check enforce
used() { sshare -nP -A chem -o RawUsage | head -n 1 | tr -d ' '; }
was=$(used)
sed -i 's/^PriorityDecayHalfLife=.*/PriorityDecayHalfLife=1/' "$SLURM_CONF"
check scontrol reconfigure
decayed() { [ "$(used)" -lt $((was - was / 4)) ]; }
check bed_until $BED_LONG decayed
check enforce
expect_out_has 'rowan,chem,account,chem,,limit,set,'
check bank limits chem --format csv --no-header
expect_equal 1 "$(cut -d, -f 10 "$OUT" | awk '{ print ($1 < 0.5 && $1 > -0.5) }')"
sed -i 's/^PriorityDecayHalfLife=.*/PriorityDecayHalfLife=0/' "$SLURM_CONF"
check scontrol reconfigure

it 'release takes the limit away, and leaves the other resource'
check bank release --apply
expect_equal "$before" "$(limit_of chem GrpTRESRunMins,GrpTRESMins)"

# --- what was charged is what Slurm has counted ---------------------------------------------------------

# A fresh count: from here on usage and charges are of the same jobs, in accounts of their own.
# shellcheck disable=SC2016
jobs_of_all_kinds() {
    rm -f "$BED/go"
    slurm_account phys games,man qos=normal,high,low && slurm_account geo news,lp qos=normal,high,low || return 1
    slurm_submit games -A phys --array=1-6%3 -n1 --mem=300 --wrap 'sleep 1'
    slurm_submit games -A phys -N3 -n12 --wrap 'srun -n6 sleep 1'
    slurm_submit man -A phys -p gpu --gres=gpu:a100:1 -n2 --wrap 'srun sleep 2'
    slurm_submit news -A geo -p gpu -N2 --gpus-per-node=2 --wrap 'srun sleep 1'
    slurm_submit news -A geo --qos=high -n2 --wrap 'sleep 2'
    slurm_submit lp -A geo --qos=low -n8 --wrap 'sleep 2'
    slurm_submit lp -A geo --wrap 'exit 3'
    again=$(slurm_submit games -A phys -t 600 --requeue -n4 --wrap 'sleep 36000')
    stopped=$(slurm_submit lp -A geo -t 600 -n4 --wrap "until [ -e '$BED/go' ]; do sleep 0.2; done")
    bed_until $BED_LONG slurm_state "$again" RUNNING && bed_until $BED_LONG slurm_state "$stopped" RUNNING &&
        until_true past $(($(date +%s) + 1)) && scontrol requeue "$again" && scontrol suspend "$stopped" &&
        bed_until $BED_LONG slurm_recorded "$again" PENDING && scancel "$again" &&
        until_true past $(($(date +%s) + 3)) && scontrol resume "$stopped" && : >"$BED/go"
}
it 'jobs of every kind run'
check stint bank open phys --from 2020-01-01
check stint bank open geo --from 2020-01-01
check jobs_of_all_kinds
check slurm_wait
check slurm_told
# the controller counts once a minute, and when a job ends
counted() { [ "$(sshare -nP -A phys,geo -o TRESRunMins | grep -vc 'billing=0,')" -eq 0 ]; }
check bed_until $BED_LONG counted
check pull

# Each run may be off by a second at each end, times its billing: Slurm counts by its own clock. And Slurm counts the time in
# which a job was suspended, which the bank does not charge.
it 'what was charged is what Slurm has counted, by account and user'
sshare -anP -o Account,User,RawUsage | tr -d ' ' | awk -F'|' '$1 ~ /^(phys|geo)$/ && $2 != "" { print $1 "," $2 "," $3 }' | sort >theirs
for account in phys geo; do
    bank statement $account --format csv --no-header |
        awk -F, -v account=$account '$1 == "charge" { printf "%s,%s,%.0f\n", account, $3, -$4 * 3600 }'
done | sort >ours
sacct -aXDnP -A phys,geo -o Account,User,QOS,Suspended,AllocTRES | awk -F'|' '
    match($5, /billing=[0-9]+/) {
        billing = substr($5, RSTART + 8, RLENGTH - 8) * ($3 == "high" ? 2 : $3 == "low" ? 0.5 : 1)
        split($4, part, ":")
        slack[$1 "," $2] += 2 * billing
        suspended[$1 "," $2] += billing * (part[1] * 3600 + part[2] * 60 + part[3])
    }
    END { for (k in slack) print k "," slack[k] "," suspended[k] }' | sort >slack
expect_equal "$(cut -d, -f 1-2 theirs)" "$(cut -d, -f 1-2 ours)"
paste -d, theirs ours slack | awk -F, '{ d = $3 - $6 - $10; if (d < 0) d = -d; print (d <= $9 ? "agree" : "differ: " $0) }' | sort -u >verdict
expect_equal agree "$(cat verdict)"
paste -d' ' theirs ours slack | sed 's/^/# /'

# --- slurmdbd dies --------------------------------------------------------------------------------------

it 'without slurmdbd nobody is held, and the next check holds'
conf 'mode = hold' 'timeout = 5'
check empty chem
check pull
check slurm_kill slurmdbd
expect_exit 1 bank enforce --apply
expect_err_has 'rowan: '
check slurm_start slurmdbd
check enforce
expect_out_has ',done,'
check bank release --apply

finish
