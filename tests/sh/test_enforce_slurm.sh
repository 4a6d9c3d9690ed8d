#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Limits that follow the balances of the bank, on a real Slurm with slurmdbd: an account over its allotment cannot start, what
# runs ends well, a grant lets what waits start, others do not notice, and what was set before comes back. And that what was
# charged is what Slurm has counted. See docs/enforcement.md.
#
# Jobs that are looked at run until the test lets them go, however slow the machine is. What takes its time in Slurm (the
# controller looks for jobs to end twice a minute) goes on while other things are tried.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

it 'a real Slurm comes up'
slurm_need || finish
# A second of one cpu there is 1000 of billing: what takes hours elsewhere is seen at once.
SLURM_MORE='PartitionName=dear Nodes=g[1-2] MaxTime=1-0 TRESBillingWeights="CPU=1000"'
check slurm_up
[ "${status:?}" -eq 0 ] || finish

conf() { # LINE...: more of [enforce rowan]
    { printf '[cluster rowan]\nscheduler = slurm\nslurm_conf = %s\nsince = %s\n' "$SLURM_CONF" "$(date -d -2days +%F)" &&
        printf '[enforce rowan]\ndriver = slurm\nmax_share = 100\nmax_accounts = 50\ntolerance = 0\n' && printf '%s\n' "$@"; } >stint.conf
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
until_go() { echo "until [ -e '$BED/$1' ]; do sleep 0.2; done"; } # what a job does that ends when the test says so

# --- accounts, and jobs of every kind in two of them ----------------------------------------------------

accounts() {
    sacctmgr -i -Q add qos high UsageFactor=2.0 && sacctmgr -i -Q add qos low UsageFactor=0.5 &&
        sacctmgr -i -Q add account chem,bio,phys,geo,ends,a0,a1,a2,a3,a4,a5,a6,a7,a8,a9 &&
        sacctmgr -i -Q add user games,man,news,lp account=chem,bio,phys,geo,ends qos=normal,high,low &&
        sacctmgr -i -Q modify account chem set GrpTRESRunMins=billing=100000,cpu=50000 GrpTRESMins=cpu=777777
}
it 'accounts, one of which has a limit of its own'
check accounts
check stint rate add slurm --how recorded
check stint rate add high --how recorded --qos high --factor 2
check stint rate add low --how recorded --qos low --factor 0.5
grants() { # ACCOUNT SU...
    while [ $# -gt 1 ]; do
        stint bank open "$1" --from 2020-01-01 && stint bank grant "$1" "$2" --from 2020-01-01 || return 1
        shift 2
    done
}
check grants chem 3 bio 1000 phys 1000 geo 1000
before=$(limit_of chem GrpTRESRunMins,GrpTRESMins)

# They go on until they are looked at, below.
some_of_each() {
    slurm_submit games -A phys --array=1-6%3 -n1 --mem=300 --wrap 'sleep 1' &&
        slurm_submit games -A phys -N3 -n12 --wrap 'srun -n6 sleep 1' &&
        slurm_submit man -A phys -p gpu --gres=gpu:a100:1 -n2 --wrap 'srun sleep 2' &&
        slurm_submit news -A geo -p gpu -N2 --gpus-per-node=2 --wrap 'srun sleep 1' &&
        slurm_submit news -A geo --qos=high -n2 --wrap 'sleep 2' &&
        slurm_submit lp -A geo --qos=low -n8 --wrap 'sleep 2' &&
        slurm_submit lp -A geo --wrap 'exit 3'
}
it 'jobs of every kind are submitted'
check some_of_each
again=$(slurm_submit games -A phys -t 600 --requeue -n4 --wrap 'sleep 36000')
stopped=$(slurm_submit lp -A geo -t 600 -n4 --wrap "$(until_go resumed)")
check bed_until $BED_LONG slurm_state "$again" RUNNING
check bed_until $BED_LONG slurm_state "$stopped" RUNNING
check until_true past $(($(date +%s) + 1))
check scontrol requeue "$again"
check scontrol suspend "$stopped"

# --- limit ----------------------------------------------------------------------------------------------

# billing minutes of a job: of one cpu, as long as its time limit
it 'with limits, what fits into the balance starts, and what does not waits'
conf 'mode = limit'
check enforce
room=$(bank limits chem --format csv --no-header | cut -d, -f 8)
expect_equal 1 "$(echo "$room" | awk '{ print ($1 > 2.9 && $1 <= 3) }')"
runs=$(slurm_submit games -A chem -t 60 --wrap "$(until_go limited)")
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

it 'without balance nothing starts, and what runs ends well'
check empty chem
check enforce
waits=$(slurm_submit games -A chem -t 1 --wrap 'sleep 1')
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingMinutes
check slurm_state "$runs" RUNNING
: >"$BED/limited"
check bed_until $BED_LONG told "$runs"
check waits_for "$waits" AssocGrpBillingMinutes
check scancel "$waits"

# --- what was charged is what Slurm has counted ---------------------------------------------------------

it 'jobs of every kind end'
check scontrol resume "$stopped"
: >"$BED/resumed"
check bed_until $BED_LONG slurm_recorded "$again" PENDING
check scancel "$again"
check slurm_wait
check slurm_told
# the controller counts once a minute, and when a job ends
counted() { [ "$(sshare -nP -A phys,geo -o TRESRunMins | grep -vc 'billing=0,')" -eq 0 ]; }
check bed_until $BED_LONG counted
check pull

# Each run may be off by a second at each end, times its billing: Slurm counts by its own clock. And Slurm counts the time in
# which a job was suspended, which the bank does not charge.
it 'what was charged is what Slurm has counted, by account and user'
sshare -anP -o Account,User,RawUsage | tr -d ' ' | awk -F'|' '$1 ~ /^(phys|geo)$/ && $2 != "" && $3 > 0 { print $1 "," $2 "," $3 }' | sort >theirs
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
expect_equal 'geo,lp geo,news phys,games phys,man' "$(cut -d, -f 1-2 theirs | xargs)"
expect_equal "$(cut -d, -f 1-2 theirs)" "$(cut -d, -f 1-2 ours)"
paste -d, theirs ours slack | awk -F, '{ d = $3 - $6 - $10; if (d < 0) d = -d; print (d <= $9 ? "agree" : "differ: " $0) }' | sort -u >verdict
expect_equal agree "$(cat verdict)"
paste -d' ' theirs ours slack | sed 's/^/# /'

# --- usage that decays or is reset, and a Slurm without `safe` ------------------------------------------

drift_is_small() { bank limits chem --format csv --no-header | cut -d, -f 10 | awk '{ print ($1 < 0.5 && $1 > -0.5) }'; }
used() { sshare -nP -A chem -o RawUsage | head -n 1 | tr -d ' '; }
it 'usage that decays moves the limit, and not what may be started'
check bank grant chem 500 --from 2020-01-01
check enforce
large=$(slurm_submit games -A chem -p dear -t 1 -n16 --wrap 'sleep 2')
check bed_until $BED_LONG told "$large"
check enforce
was=$(used)
expect_exit 0 test "$was" -gt 15000
expect_equal 1 "$(drift_is_small)"
# The controller lets usage decay once a minute, and when it starts, by the time since it last did.
sed -i 's/^PriorityDecayHalfLife=.*/PriorityDecayHalfLife=1/; s/^\(AccountingStorageEnforce=.*\),safe/\1/' "$SLURM_CONF"
check slurm_restart slurmctld
decayed() { [ "$(used)" -lt $((was - was / 100)) ]; }
check bed_until $BED_LONG decayed
check pull
conf 'mode = limit' 'ends_running = yes'
check enforce
expect_out_has 'rowan,chem,account,chem,,limit,set,'
sed -i 's/^PriorityDecayHalfLife=.*/PriorityDecayHalfLife=0/' "$SLURM_CONF"
check scontrol reconfigure
check enforce
expect_equal 1 "$(drift_is_small)"

it 'and so does usage that is reset'
check sacctmgr -i modify account chem set RawUsage=0
check bed_until $BED_LONG test "$(used)" -eq 0
check enforce
expect_out_has 'rowan,chem,account,chem,,limit,set,'
expect_equal 1 "$(drift_is_small)"

it "without 'safe' limits are not set, unless the site says that they may end jobs"
conf 'mode = limit'
expect_exit 1 bank enforce --apply
expect_err_has 'Slurm ends running jobs when a limit is reached'
it 'but what was set before can be restored'
check bank release chem --apply --format csv --no-header
expect_out_has 'rowan,chem,account,chem,,limit,restore,'
expect_equal "$before" "$(limit_of chem GrpTRESRunMins,GrpTRESMins)"

# Room for a second of the job that runs, which is looked at in the end.
it "without 'safe' a job that runs is ended by Slurm where the site wants that"
check grants ends 5
conf 'mode = limit' 'ends_running = yes' 'never = chem, bio, phys, geo'
ended=$(slurm_submit games -A ends -p dear -t 60 -n16 --wrap 'sleep 36000')
check bed_until $BED_LONG slurm_state "$ended" RUNNING
check enforce
expect_out_has 'rowan,ends,account,ends,,limit,set,'
# From here on it is the site's own, in which stint has no part: an account that is never touched is released.
keeps=$(limit_of ends GrpTRESMins | sed 's/.*billing=\([0-9]*\).*/\1/')
check bank release ends --apply
check sacctmgr -i -Q modify account ends set GrpTRESMins=billing="$keeps"

# --- hold -----------------------------------------------------------------------------------------------

it 'an account goes over its allotment while a job of it runs'
conf 'mode = hold' 'never = ends'
check empty chem
runs=$(slurm_submit games -A chem -t 60 --wrap "$(until_go held)")
check bed_until $BED_LONG slurm_state "$runs" RUNNING
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
: >"$BED/held"
check bed_until $BED_LONG told "$runs"
check waits_for "$waits" AssocGrpBillingRunMinutes

it 'a second check changes nothing'
check enforce
expect_equal '' "$(grep -v ',left alone,' "$OUT")"

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
expect_equal 'billing=0,cpu=50000,pages=100002,vmem=1|cpu=777777' "$(limit_of chem GrpTRESRunMins,GrpTRESMins | sed 's/cpu=50000,billing=0/billing=0,cpu=50000/')"
check bank release chem --apply
expect_equal "$before" "$(limit_of chem GrpTRESRunMins,GrpTRESMins)"

# --- refuse ---------------------------------------------------------------------------------------------

it 'refused, a job that waits may start, and none is submitted'
conf 'mode = refuse' 'never = ends'
waits=$(slurm_submit games -A chem -t 5 --begin=now+1hour --wrap 'sleep 1')
check enforce
expect_equal 0 "$(limit_of chem GrpSubmitJobs)"
expect_exit 1 slurm_submit games -A chem -t 5 --wrap 'sleep 1'
expect_err_has AssocGrpSubmitJobsLimit
check scontrol update jobid="$waits" starttime=now
check bed_until $BED_LONG told "$waits"

it 'another mode takes back what the one before has set'
conf 'mode = hold' 'never = ends'
check enforce
expect_equal '' "$(limit_of chem GrpSubmitJobs)"
expect_out_has 'rowan,chem,account,chem,,refuse,restore,0,,,done,'
check bank release chem --apply

# --- slurmdbd dies --------------------------------------------------------------------------------------

it 'without slurmdbd nobody is held, and the next check holds'
conf 'mode = hold' 'timeout = 30' 'never = ends'
check slurm_kill slurmdbd
expect_exit 1 bank enforce --apply
expect_err_has 'rowan: '
check slurm_start slurmdbd
check enforce
expect_out_has 'rowan,chem,account,chem,,hold,set,100000,0,0,done,'

# The fifth change of ten finds it dead.
it 'slurmdbd dies half way through a plan of ten: what was done is recorded, the rest is said, the next run completes'
mkdir half
for program in sshare scontrol; do ln -s "$(command -v $program)" half/$program; done
cat >half/sacctmgr <<SCRIPT
#!/bin/sh
case " \$* " in
*' modify '*)
    echo "\$*" >>'$TMP/changes'
    [ \$(wc -l <'$TMP/changes') -ne 5 ] || kill -KILL "\$(cat '$BED/pid/slurmdbd')"
    ;;
esac
exec '$(command -v sacctmgr)' "\$@"
SCRIPT
chmod 755 half/sacctmgr
for n in 0 1 2 3 4 5 6 7 8 9; do stint bank open a$n --from 2020-01-01 >/dev/null; done
steps() { grep -v ',left alone,' "$OUT" | cut -d, -f 11 | sort | uniq -c | xargs; }
held() { for n in 0 1 2 3 4 5 6 7 8 9; do limit_of a$n GrpTRESRunMins; done | grep -c 'billing=0'; }
conf 'mode = hold' 'timeout = 30' 'never = ends' "bin = $TMP/half"
expect_exit 1 bank enforce --apply --format csv --no-header
expect_equal '4 done 2 failed 4 not tried' "$(steps)"
check slurm_kill slurmdbd # what is left of it
check slurm_start slurmdbd
expect_equal 4 "$(held)"
conf 'mode = hold' 'never = ends'
check bank enforce --apply --format csv --no-header
expect_equal '6 done' "$(steps)"
expect_equal 10 "$(held)"

# --- in the end -----------------------------------------------------------------------------------------

it "without 'safe', the job over the limit was ended, and no other"
check bed_until $BED_LONG slurm_recorded "$ended" TIMEOUT

it 'release takes every limit away, and leaves the other resource'
check bank release --apply
expect_equal "$before" "$(limit_of chem GrpTRESRunMins,GrpTRESMins)"
expect_equal "billing=$keeps" "$(limit_of ends GrpTRESMins)"
expect_equal 0 "$(held)"

# --- a user who draws on an account of their own ------------------------------------------------------------

it 'a user without balance is stopped in every account, others of these are not, and the account is left alone'
check stint bank open person --from 2020-01-01 --draw user:lp
conf 'mode = hold' 'never = ends, a*'
check enforce
expect_out_has 'rowan,person,user,lp,geo,hold,set,,0,0,done,'
expect_equal 4 "$(grep -c '^rowan,person,user,lp,.*,done,' "$OUT")"
waits=$(slurm_submit lp -A geo -t 5 --wrap 'sleep 1')
other=$(slurm_submit news -A geo -t 5 --wrap 'sleep 1')
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingRunMinutes
check bed_until $BED_LONG told "$other"
check waits_for "$waits" AssocGrpBillingRunMinutes
check bank limits geo --format csv --no-header
expect_out_has "left alone,\"user 'lp' in it draws on another account or on none"
check bank release person --apply
check bed_until $BED_LONG told "$waits"

finish
