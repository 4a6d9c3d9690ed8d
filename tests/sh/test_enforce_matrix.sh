#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Faults and holds on a real Slurm: for each fault, an account is held, the fault happens, and the account is released once it has balance. Before and after,
# what the bank shows and what Slurm enforces are compared; and a job that waits starts. The table at the end says how long it took from the change of
# the balance to the hold and to the release, as seen from Slurm.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

it 'a real Slurm comes up'
slurm_need || finish
check slurm_up
[ "${status:?}" -eq 0 ] || finish

conf() { # LINE...: more of [enforce rowan]
    { printf '[cluster rowan]\nscheduler = slurm\nslurm_conf = %s\nsince = %s\n' "$SLURM_CONF" "$(date -d -2days +%F)" &&
        printf '[enforce rowan]\ndriver = slurm\nmax_share = 100\n' && printf '%s\n' "$@"; } >stint.conf
}
bank() { stint bank --config "$TMP/stint.conf" "$@"; }
pull() { stint pull --config "$TMP/stint.conf"; }
enforce() { bank enforce --apply --format csv --no-header; }
limit_of() { sacctmgr -nP show assoc where account="$1" user= format="${2:-GrpTRESRunMins}"; }
verdict() { bank limits "$1" --format csv --no-header | cut -d, -f 11; }
waits_for() { [ "$(squeue -h -j "$1" -o '%T %r')" = "PENDING $2" ]; }
told() { slurm_recorded "$1" COMPLETED; }
now() { date +%s.%N; }
none_of() { [ -z "$(squeue -h -A "$1" -o %i)" ]; }
took() { awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.1f", to - from }'; }

accounts='plain dbd hangs killed two again tree restored'
make() {
    for name in $accounts; do
        sacctmgr -i -Q add account "$name" && sacctmgr -i -Q add user games account="$name" &&
            sacctmgr -i -Q modify account "$name" set GrpTRESRunMins=billing=100000,cpu=50000 &&
            stint bank open "$name" --from 2020-01-01 || return 1
    done
}
it 'accounts with a limit of their own and no balance'
conf
check make
check stint rate add slurm --how recorded
first=$(slurm_submit games -A plain -t 5 --wrap true) # without any data nobody is held
check bed_until $BED_LONG told "$first"
check pull
before='billing=100000,cpu=50000'
held='billing=0,cpu=50000,pages=100002,vmem=1'
same() { # LIST LIST: in any order
    expect_equal "$(echo "$1" | tr , '\n' | sort)" "$(echo "$2" | tr , '\n' | sort)"
}

# --- each is held ---------------------------------------------------------------------------------------

it 'all are held, and a job of each waits'
for name in $accounts; do expect_equal differs "$(verdict "$name")"; done
check stint books dump --output before.json # knows of no hold
start=$(now)
check enforce
to_hold=$(took "$start")
for name in $accounts; do
    same "$held" "$(limit_of "$name")"
    expect_equal stopped "$(verdict "$name")"
    slurm_submit games -A "$name" -t 5 --wrap true >"job.$name"
done
for name in $accounts; do check bed_until $BED_LONG waits_for "$(cat "job.$name")" AssocGrpBillingRunMinutes; done

released() { # NAME: as before, as the bank shows, and its job has run
    same "$before" "$(limit_of "$1")"
    expect_equal ok "$(verdict "$1")"
    check bed_until $BED_LONG told "$(cat "job.$1")"
    printf '%-10s held after %s s, released after %s s\n' "$1" "$to_hold" "$(took "$start")" >>table
}
grant() { # NAME: balance again; and the clock
    start=$(now)
    check bank grant "$1" 1000 --from 2020-01-01
}

it 'no fault'
grant plain
check enforce
expect_equal 'rowan,plain,account,plain,,hold,restore,0,100000,100000,done,' "$(cat "$OUT")"
released plain

# --- faults while they are held -------------------------------------------------------------------------

it 'slurmdbd is gone: nothing is changed, and it ends with the first run that reaches it'
check slurm_kill slurmdbd
grant dbd
conf 'timeout = 30'
expect_exit 1 enforce
expect_err_has 'rowan: '
check slurm_start slurmdbd
conf
same "$held" "$(limit_of dbd)"
check enforce
released dbd

it 'sacctmgr hangs at the change: said, and done by the next run'
mkdir slow
for program in sshare scontrol; do ln -s "$(command -v $program)" slow/$program; done
printf '#!/bin/sh\ncase " $* " in *" modify "*) exec sleep 36000 ;; esac\nexec %s "$@"\n' "$(command -v sacctmgr)" >slow/sacctmgr
chmod 755 slow/sacctmgr
grant hangs
conf "bin = $TMP/slow" 'timeout = 30'
expect_exit 1 enforce
expect_out_has 'failed,'
same "$held" "$(limit_of hangs)"
conf
check enforce
released hangs

it 'killed after the change was made: the next run knows, and has nothing to do'
printf '#!/bin/sh\n%s "$@"\ncase " $* " in *" modify "*) kill -KILL $PPID ;; esac\n' "$(command -v sacctmgr)" >slow/sacctmgr
grant killed
conf "bin = $TMP/slow"
run enforce
expect_equal 137 "$status"
conf
check enforce
expect_equal '' "$(grep restore "$OUT")"
released killed

it 'two at once: one of them does it, the other says why not or has nothing to do'
grant two
bank enforce --apply >first 2>&1 &
first=$!
run enforce
second=$status
wait $first
expect_equal 1 "$(echo "$? $second" | awk '{ print ($1 == 0 || $2 == 0) }')"
check enforce
released two

it 'an account that is removed and added again is held again, and then as the site made it'
check scancel -A again
check bed_until $BED_LONG none_of again
check sacctmgr -i -Q remove account again
check sacctmgr -i -Q add account again
check sacctmgr -i -Q add user games account=again
check enforce
expect_out_has 'rowan,again,account,again,,hold,set,,0,0,done,'
same 'billing=0,pages=1,vmem=1' "$(limit_of again)"
slurm_submit games -A again -t 5 --wrap true >job.again
check bed_until $BED_LONG waits_for "$(cat job.again)" AssocGrpBillingRunMinutes
grant again
check enforce
expect_equal '' "$(limit_of again)"
expect_equal ok "$(verdict again)"
check bed_until $BED_LONG told "$(cat job.again)"
printf '%-10s held after %s s, released after %s s\n' again "$to_hold" "$(took "$start")" >>table

it 'the tree changes while it is held: what stint set is undone, and it is said to be left alone'
check sacctmgr -i -Q add account lab parent=tree
start=$(now)
expect_equal differs "$(verdict tree)"
check enforce
expect_out_has 'rowan,tree,account,tree,,hold,restore,0,100000,100000,done,'
same "$before" "$(limit_of tree)"
expect_equal 'left alone' "$(verdict tree)"
check bed_until $BED_LONG told "$(cat job.tree)"
printf '%-10s held after %s s, released after %s s\n' tree "$to_hold" "$(took "$start")" >>table

it 'a dump from before the hold is restored elsewhere: the mark tells whose it is'
expect_equal stopped "$(verdict restored)"
STINT_STORE=$TMP/other
check stint books restore before.json
check pull
start=$(now)
check bank grant restored 1000 --from 2020-01-01
expect_equal differs "$(verdict restored)"
check enforce
expect_out_has 'rowan,restored,account,restored,,hold,restore,0,100000,100000,done,'
released restored

# --- limits of others -----------------------------------------------------------------------------------

it 'jobs in a QOS with a GrpTRESRunMins of its own are held by the number of jobs'
check sacctmgr -i -Q add qos run GrpTRESRunMins=billing=1000000
check sacctmgr -i -Q modify user games set qos+=run
check sacctmgr -i -Q add account last
check sacctmgr -i -Q add user games account=last qos=normal,run
check bank open last --from 2020-01-01
check enforce
expect_out_has 'rowan,last,account,last,,jobs,set,,0,0,done,'
waits=$(slurm_submit games -A last -q run -t 5 --wrap true)
check bed_until $BED_LONG waits_for "$waits" AssocGrpJobsLimit
expect_equal stopped "$(verdict last)"
it 'and where it has a GrpJobs, too, both say so'
check sacctmgr -i -Q modify qos run set GrpJobs=50
check bank limits last --format csv --no-header
expect_out_has "jobs in the QOS 'run' start nevertheless"
check sacctmgr -i -Q modify qos run set GrpJobs=-1
check bank grant last 10 --from 2020-01-01
check enforce
check bed_until $BED_LONG told "$waits"
expect_equal '|' "$(limit_of last GrpJobs,MaxTRES)"

it 'how long it took'
expect_equal 8 "$(wc -l <table)"
sed 's/^/# /' table

finish
