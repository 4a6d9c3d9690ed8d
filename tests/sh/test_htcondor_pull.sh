#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Pulling from an HTCondor: tests/support/condor-server.mjs answers in place of condor_q, condor_history and condor_status, and
# tells what happens there at which second. timeout: 1800
. "$(dirname "$0")/../support/sh.sh"

export STINT_CONFIG="$TMP/stint.conf"
mkdir -p pool/bin
for program in condor_q condor_history condor_status; do
    printf '#!/bin/sh\nexec node %s %s %s "$@"\n' "$TESTS/support/condor-server.mjs" "$TMP/pool" $program >pool/bin/$program
    chmod +x pool/bin/$program
done
echo $(($(date +%s) - 3600)) >pool/begin
printf '[cluster c]\nscheduler = htcondor\nbin = %s/bin\n' "$TMP/pool" >stint.conf

is() { echo "$2" >"pool/$1"; }
at() { is clock "$1"; }
at 70

pull() { stint pull --store "${store:=one}" --format csv --no-header >.pull; }
counts() { awk -F, -v what="$1" '$2 == what { print $7 "," $8 "," $9 "," $10 "," $11 }' .pull; }
jobs() { stint jobs --store "$store" --from 2d --to now --limit 0 --format csv --no-header "$@" | LC_ALL=C sort; }
run_of() { jobs -j "$1" --fields "$2"; }
second() { date -u -d "@$(($(cat pool/begin) + $1))" +%Y-%m-%dT%H:%M:%SZ; }
column() { stint nodes --store "$store" --format csv | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $1 ":" $c }' | paste -sd ' '; }

it 'shows what it would ask'
expect_exit 0 stint pull --dry-run --store one
expect_out_has 'condor_q -allusers -json'
expect_out_has 'condor_history -epochs -json'

it 'takes what waits and runs'
expect_exit 0 pull
expect_equal '1,0,running,running,
2,0,pending,idle,
3,0,pending,held,Transfer input files failure
4,0,failed,running,
4,1,running,running,
4,2,pending,idle,
5,0,running,running,
6,0,pending,idle,
7,0,suspended,suspended,
8,0,running,running,' "$(jobs --fields job,task,class,state,reason)"

it 'with all that is known of it, and no more'
expect_equal "ann,lab,m1,4,4,2147483648,2147483648,$(second 5),$(second 10),,," \
    "$(run_of 1 user,account,nodes,req_cpus,cpus,req_mem,mem,submit,start,end,cpu_used,mem_peak)"
expect_equal ',64,,,' "$(run_of 2 cpus,req_cpus,start,end,gpus)"
expect_equal '4,1' "$(jobs -j 4 --class failed --fields array_job,exit_code)"

it 'machines with what is given to jobs, their dynamic slots counted once'
expect_equal 'm1:mixed m2:mixed m3:allocated m4:idle' "$(column class)"
expect_equal 'm1:16 m2:32 m3:8 m4:8' "$(column cpus)"
expect_equal 'm1:6 m2:2 m3:8 m4:0' "$(column cpus_used)"

it 'again finds nothing new'
expect_exit 0 pull
expect_equal '0,0,9,0,0' "$(counts queue)"
expect_equal '0,0,4,0,0' "$(counts node)"

it 'an attempt that was evicted is a run, and so is the next one'
at 105
expect_exit 0 pull
expect_equal "pending,,,
requeued,$(second 40),$(second 90),101" "$(run_of 5 class,start,end,cpu_used)"
expect_equal "completed,0,$(second 100),361" "$(run_of 1 class,exit_code,end,cpu_used)"
at 125
expect_exit 0 pull
expect_equal "requeued,$(second 40),$(second 90)
running,$(second 120)," "$(run_of 5 class,start,end)"

it 'a job that was removed while it waited is cancelled'
expect_equal "cancelled,,$(second 110)" "$(run_of 6 class,start,end)"

it 'a machine that is drained'
expect_equal 'm1:mixed m2:mixed m3:allocated m4:draining' "$(column class)"

it 'a job that nobody knows any more ends when it was last seen'
at 135
expect_exit 0 pull
expect_equal 'other,1024' "$(run_of 8 class,flags)"

it 'a schedd that fails, answers half, or answers nonsense is a sentence, and changes nothing'
jobs --fields all >before.csv
for mode in fail cut nonsense; do
    is mode $mode
    expect_exit 1 pull
    expect_err_has condor_q
    jobs --fields all >after.csv
    expect_same before.csv after.csv
done
is mode ok

it 'a job that cannot be read ends no run, and is said'
store=odd
at 70
expect_exit 0 pull
is mode unreadable
expect_exit 1 pull
expect_err_has JobStatus
expect_equal '0,0,8,1,0' "$(counts queue)"
expect_equal running "$(run_of 1 class)"
is mode ok

it 'a pool without jobs'
is mode idle
store=idle
expect_exit 0 pull
expect_equal '0,0,0,0,0' "$(counts queue)"
is mode ok

it 'often and once give the same of what has ended'
store=often
for second in 15 70 105 125 135 210 520; do
    at $second
    expect_exit 0 pull
done
store=once
expect_exit 0 pull
for store in often once; do
    jobs --fields job,task,class,start,end,cpus,cpu_used,exit_code,mem_peak | grep -v ^8 >$store.csv
done
expect_same once.csv often.csv
expect_equal "completed,$(second 120),$(second 200)
requeued,$(second 40),$(second 90)" "$(run_of 5 class,start,end)"

finish
