#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Pulling from a PBS: tests/support/pbs-server.mjs answers in place of qstat, pbsnodes and pbs_rstat, and tells what happens
# there at which second. timeout: 1800
. "$(dirname "$0")/../support/sh.sh"

export STINT_CONFIG="$TMP/stint.conf"
mkdir -p pbs/bin
for program in qstat pbsnodes pbs_rstat; do
    printf '#!/bin/sh\nexec node %s %s %s "$@"\n' "$TESTS/support/pbs-server.mjs" "$TMP/pbs" $program >pbs/bin/$program
    chmod +x pbs/bin/$program
done
echo $(($(date +%s) - 3600)) >pbs/begin

is() { echo "$2" >"pbs/$1"; }
at() { is clock "$1"; }
at 80

configure() { # KEY = VALUE lines of the section
    {
        printf '[cluster c]\nscheduler = pbs\nzone = UTC\nbin = %s/bin\n' "$TMP/pbs"
        [ $# -eq 0 ] || printf '%s\n' "$@"
    } >stint.conf
}

pull() { stint pull --store "${store:=one}" --format csv --no-header >.pull; }

# counts WHAT: added,replaced,unchanged,rejected,vanished of the rows of the last pull that are of it.
counts() { awk -F, -v what="$1" '$2 == what { print $7 "," $8 "," $9 "," $10 "," $11 }' .pull; }

jobs() { stint jobs --store "$store" --from 2d --to now --limit 0 --format csv --no-header "$@" | LC_ALL=C sort; }

# run_of JOB FIELDS: of its runs.
run_of() { jobs -j "$1" --fields "$2"; }

# second N: of the life, as it is printed.
second() { date -u -d "@$(($(cat pbs/begin) + $1))" +%Y-%m-%dT%H:%M:%SZ; }

column() { stint nodes --store "$store" --format csv | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $1 ":" $c }' | paste -sd ' '; }

configure
it 'shows what it would ask'
expect_exit 0 stint pull --dry-run --store one
expect_out_has 'qstat -t -f -F json'
expect_out_has 'pbsnodes -a -F json'
expect_out_has 'pbs_rstat -f'

it 'takes what waits and runs'
expect_exit 0 pull
expect_equal '12,0,0,0,0' "$(counts queue)"
expect_equal '100,,running,R,
101,,pending,Q,Insufficient amount of resource: ncpus
102,,pending,H,hold
103,,pending,H,dependency
104,,pending,B,Insufficient amount of resource: ncpus
104,0,running,R,
104,1,running,R,
105,,running,R,
106,,running,R,
107,,pending,Q,Insufficient amount of resource: ncpus
108,,suspended,S,
109,,running,R,' "$(jobs --fields job,task,class,state,reason)"

it 'with all that is known of it, and no more'
expect_equal "ann,lab,relax,workq,n1,8,8,4294967296,3600,$(second 5),$(second 10),,,," \
    "$(run_of 100 user,account,name,partition,nodes,req_cpus,cpus,req_mem,time_limit,submit,start,end,exit_code,cpu_used,mem_peak)"
expect_equal ',8,,,,' "$(run_of 101 cpus,req_cpus,start,end,cpu_used,gpus)"
expect_equal '3' "$(jobs -j 104 --class pending --fields task_count)"
expect_equal '1,1,n4' "$(run_of 108 gpus,req_gpus,nodes)"

it 'nodes with what is given to jobs, parts of a host together'
expect_equal 'n1:mixed n2:mixed n3:idle n4:mixed' "$(column class)"
expect_equal 'n1:64 n2:64 n3:64 n4:32' "$(column cpus)"
expect_equal 'n1:12 n2:4 n3:0 n4:2' "$(column cpus_used)"
expect_equal 'n1: n2: n3: n4:4' "$(column gpus)"
expect_equal 'n1: n2: n3:0 n4:1' "$(column gpus_used)"

it 'again finds nothing new'
expect_exit 0 pull
expect_equal '0,0,12,0,0' "$(counts queue)"
expect_equal '0,0,4,0,0' "$(counts node)"
expect_equal '0,0,2,0,0' "$(counts reservation)"

it 'what ended is asked for by its number'
at 155
expect_exit 0 pull
expect_equal "completed,0,$(second 100),720" "$(run_of 100 class,exit_code,end,cpu_used)"
expect_equal "completed,$(second 90)" "$(run_of '104[0]' class,end)"
expect_equal "cancelled,,$(second 150)" "$(run_of 107 class,start,end)"
expect_equal 1 "$(grep -c -- '-x -t -f -F json 107$' pbs/asked)"

it 'an attempt that was stopped is over, and the job waits again'
expect_equal "other,$(second 40)
pending," "$(run_of 105 class,start)"
at 165
expect_exit 0 pull
expect_equal "other,$(second 40)
running,$(second 160)" "$(run_of 105 class,start)"

it 'a job that the server does not know any more ends when it was last seen'
expect_equal 'other,1024' "$(run_of 106 class,flags)"

it 'nodes that are out of use'
expect_equal 'n1:mixed n2:down n3:drained n4:mixed' "$(column class)"
expect_equal 'n1: n2:node down: communication closed n3:"disk ""sda"" is broken" n4:' "$(column reason)"

it 'a server that fails, answers half, or answers nonsense is a sentence, and changes nothing'
jobs --fields all >before.csv
for mode in fail cut nonsense; do
    is mode $mode
    expect_exit 1 pull
    expect_err_has qstat
    jobs --fields all >after.csv
    expect_same before.csv after.csv
done
expect_equal 1 "$(stint pull --store one 2>&1 >/dev/null | grep -c 'a brace alone')"

it 'one that never answers is given up when we are told to end'
is mode hang
: >pbs/asked
"$STINT" pull --store one >said 2>&1 &
asking=$!
until_true test -s pbs/asked
kill -TERM $asking
wait $asking
expect_equal 1 "$?"
is mode ok

it 'a job that cannot be read ends no run, and is said'
store=odd
at 80
expect_exit 0 pull
is mode unreadable
expect_exit 1 pull
expect_err_has "ctime 'yesterday' is not a time"
expect_equal '0,0,11,1,0' "$(counts queue)"
expect_equal running "$(run_of 100 class)"
at 155
expect_exit 1 pull
expect_err_has "ctime 'yesterday' is not a time"
expect_equal running "$(run_of 100 class)"
is mode ok
expect_exit 0 pull
expect_equal completed "$(run_of 100 class)"

it 'a cluster without jobs'
is mode idle
store=idle
expect_exit 0 pull
expect_equal '0,0,0,0,0' "$(counts queue)"
is mode ok

it 'old servers, which print no JSON where users wrote quotes and line feeds, give the same'
for layout in new old; do
    is layout $layout
    store=$layout
    for second in 80 155 165 205; do
        at $second
        expect_exit 0 pull
    done
    jobs --fields job,task,class,state,reason,name,user,account,nodes,cpus,req_cpus,submit,start,exit_code,task_count,gpus | grep -v ^106 >$layout.csv
    column reason >>$layout.csv
done
expect_same new.csv old.csv
expect_equal 'eve,"say ""hi""\",64' "$(run_of 109 user,name,flags)"

it 'the accounting files have what happened in between'
configure "accounting = $TMP/pbs/accounting"
is layout new
store=often
for second in 35 80 155 165 205 310 520; do
    at $second
    node "$TESTS/support/pbs-server.mjs" pbs accounting
    expect_exit 0 pull
done
expect_equal "completed,$(second 400)
requeued,$(second 150)" "$(run_of 105 class,end)"

it 'and asking often or once is the same'
store=once
expect_exit 0 pull
for store in often once; do
    jobs --fields job,task,class,start,end,cpus,cpu_used,exit_code,mem_peak | grep -Ev '^10[2467],?' >$store.csv
done
expect_same once.csv often.csv
expect_equal 7 "$(wc -l <once.csv)"

it 'as is importing the files'
store=files
check stint import pbs --store files --cluster c --zone UTC pbs/accounting/*
jobs --fields job,task,class,start,end,cpus,cpu_used,exit_code,mem_peak | grep -Ev '^10[24678],?' >files.csv
grep -v '^108' once.csv >ended.csv
expect_same ended.csv files.csv

it 'an accounting folder that is not there is a sentence'
configure "accounting = $TMP/nowhere"
store=often
expect_exit 1 pull
expect_err_has "$TMP/nowhere"

it 'the history of the server is asked for where that is wanted'
configure 'history = yes' 'reservations = no'
store=remembered
expect_exit 0 stint pull --dry-run --store remembered
expect_out_has 'qstat -x -t -f -F json'
at 310
expect_exit 0 pull
expect_equal "failed,1,$(second 300)" "$(run_of 101 class,exit_code,end)"
expect_equal '' "$(counts reservation)"

it 'a server of 2021'
if need_data pbs/qstat-json/two.json; then
    printf '#!/bin/sh\ncase $* in *Q*) printf "{\\n  \\"Queue\\":{}\\n}\\n" ;; *) cat %s ;; esac\n' "$STINT_DATA/pbs/qstat-json/two.json" >pbs/bin/qstat
    store=real
    expect_exit 0 pull
    expect_equal '2,0,0,0,0' "$(counts queue)"
    expect_equal '1006,qoot,atom,qot-calc0,5,2021-04-14T23:20:07Z
1007,qoot,linopt-sim,qot-calc0,5,2021-04-14T23:22:31Z' "$(stint jobs --store real --from 2021-04-01 --to 2021-05-01 --format csv --no-header --fields job,user,partition,nodes,cpus,start)"
fi

finish
