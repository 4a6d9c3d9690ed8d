#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each source from the command line into a store: recognised by itself, read in any order and in pieces.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures

# import SOURCE FILE...: file_state,read,added,replaced,unchanged,parts,rejected of each.
import() {
    stint import "$1" --cluster c --format csv --no-header "$2" >.import 2>"$ERR"
    import_status=$?
    cut -d, -f2-8 .import
    return $import_status
}

usage() { stint report jobs,cpu_hours --by user --sort user --from 2025-03-01 --to 2025-03-31 --format csv; }

runs() { stint jobs --from 2000 --to 2030 --sort job --format csv --fields id,user,class,cpus,start,end,cpu_used; }

fresh() { rm -rf store; }

# --- PBS ----------------------------------------------------------------------------------------------

cp "$F/pbs/pbs-professional-2022" day
sed -n 1,3p day >first
sed -n '4,$p' day >second

it 'a start and its end are one run, in one file'
expect_out 'new,9,8,1,0,0,0' import auto day
runs >whole.csv

it 'and in two, in order'
fresh
expect_out 'new,1,1,0,0,0,0' import pbs first
expect_out '4100,running' stint jobs -j 4100 --from 2025 -o id,class --format csv --no-header
expect_out 'new,8,7,1,0,0,0' import pbs second
expect_out whole.csv runs

it 'and the other way round: what has ended does not run again'
fresh
expect_out 'new,8,8,0,0,0,0' import pbs second
expect_out 'new,1,0,1,0,0,0' import pbs first
expect_out whole.csv runs

it 'again changes nothing'
expect_out 'unchanged,0,0,0,0,0,0' import pbs second

it 'the hours are those of the records'
cat >usage.csv <<'END'
user,jobs,cpu_hours
ann,1,64
cyd,2,0.9725
dan,1,1.6666666667
eve,1,24.4
fay,1,7.7333333333
END
stint report jobs,cpu_hours --by user --sort user --class '!running' --from 2025-03-01 --to 2025-03-31 --format csv >got.csv
expect_out usage.csv cat got.csv

it 'a line without its end is left for the next time'
fresh
head -c -40 "$F/pbs/torque-6" >growing
expect_out 'new,7,6,1,0,0,0' import pbs growing
cp "$F/pbs/torque-6" growing
expect_out 'grown,1,1,0,0,0,0' import pbs growing

# --- LSF ----------------------------------------------------------------------------------------------

it 'lsb.acct from a pipe'
fresh
gzip -c "$F/lsf/lsf-10.1" >acct.gz
expect_out 'new,6,6,0,0,0,0' import auto acct.gz
expect_out '501,ann,8,completed' stint jobs -j 501 --from 2025 -o id,user,cpus,class --format csv --no-header

it 'texts with line ends, and a record that grows'
fresh
head -n 4 "$F/lsf/odd" >odd
expect_out 'new,2,2,0,0,0,0' import lsf odd
cp "$F/lsf/odd" odd
expect_out 'grown,2,2,0,0,0,0' import lsf odd
expect_out 4 stint report jobs --from 2025-03-01 --to 2025-03-01 --format csv --no-header

# --- HTCondor -----------------------------------------------------------------------------------------

it 'a history in four languages is one'
fresh
expect_out 'new,3,3,0,0,0,0' import auto "$F/htcondor/long"
expect_out 'new,3,0,3,0,0,0' import auto "$F/htcondor/json"
expect_out 'new,3,0,3,0,0,0' import auto "$F/htcondor/jsonl"
expect_out 'new,3,0,3,0,0,0' import auto "$F/htcondor/xml"
runs >four.csv
expect_out 4 sh -c 'wc -l <four.csv'

it 'half an ad is left for the next time'
fresh
head -n 50 "$F/htcondor/history" >history
expect_out 'new,1,1,0,0,0,0' import htcondor history
cp "$F/htcondor/history" history
expect_out 'grown,4,4,0,0,0,0' import htcondor history

it 'wall time of all attempts is what counts'
expect_out '2.6666666667' stint report cpu_hours -u bob --from 2025-03-01 --to 2025-03-31 --format csv --no-header

# --- SWF ----------------------------------------------------------------------------------------------

it 'a workload log'
fresh
expect_out 'new,7,7,0,0,0,0' import auto "$F/swf/archive.swf"

it 'a log that does not say when is refused with what to do'
grep -v '^;' "$F/swf/archive.swf" >timeless.swf
expect_exit 1 stint import swf --cluster c timeless.swf
expect_err_has 'UnixStartTime: SECONDS'

# --- tables by a map ----------------------------------------------------------------------------------

mapped() {
    stint import csv --map map --zone Europe/Oslo --cluster c --format csv --no-header "$@" table.csv >.import 2>"$ERR" &&
        cut -d, -f2-8 .import
}

it 'a table by its map'
fresh
cp "$F/csv/table.csv" table.csv
cp "$F/csv/table.csv.map" map
expect_out 'new,4,4,0,0,0,0' mapped
expect_out '1,ann,physics,8,27000' stint jobs -j 1 --from 2025-03-01 --to 2025-03-01 -o id,user,account,cpus,cpu_used --format csv --no-header

it 'another map reads the same records anew'
sed 's/^account.*/account := chemistry/' map >map2
mv map2 map
expect_out 'unchanged,0,0,0,0,0,0' mapped
expect_out 'again,4,0,4,0,0,0' mapped --again

it 'a table without a map, a map without a table'
fresh
expect_exit 2 stint import csv --cluster c table.csv
expect_err_has '--map FILE'
expect_exit 2 stint import pbs --map map --cluster c day
expect_err_has '--map is for the source csv'

# --- one odd byte -------------------------------------------------------------------------------------

# A byte that is not UTF-8, in a name and where a number should be: its record is read or kept aside, the others are read.
odd() { LC_ALL=C sed "$2" "$1" >odd; }

it 'a line of HTCondor that is no attribute, with a byte that is not UTF-8'
fresh
odd "$F/htcondor/history" "3s/.*/$(printf '\351t\351') no attribute/"
expect_exit 1 stint import htcondor --cluster c odd
expect_out '4' stint report jobs_submitted --from 2000 --to 2030 --format csv --no-header
stint quarantine --format csv --no-header >got.csv
expect_equal 1 "$(grep -cF '\xe9t\xe9 no attribute' got.csv)"

it 'a file whose name is not UTF-8'
fresh
name=$(printf 'caf\351.swf')
cp "$F/swf/archive.swf" "$name"
expect_exit 0 stint import swf --cluster c "$name"
expect_exit 0 stint doctor

it "JSON of Open Cluster Scheduler says who deleted a job"
printf '{"job_number":4,"task_number":0,"start_time":1725898198580794,"end_time":1725898298580794,"submission_time":1725898190000000,"owner":"ann","group":"g","slots":1,"failed":100,"exit_status":137,"deleted_by":"bob@head","usage":{"rusage":{"ru_wallclock":100},"usage":{"cpu":1.0}}}\n' >ocs.jsonl
expect_exit 0 stint import sge --cluster c ocs.jsonl --store ocs
expect_out 'cancelled,bob@head' stint jobs -j 4 --fields class,reason --format csv --no-header --store ocs

it 'CSV: cpus in thousandths, a time of 0 in seconds, the first of the nodes'
printf 'id,cpu,sub,beg,fin,st,n
1,1500,1767052800,1767052800,1767056400,completed,"n[1-2]"
2,2000m,1767052800,1767052800,1767056400,completed,x7
3,250,1767052800,0,0,cancelled,\n' >milli.csv
printf 'job = id\ncpus = cpu in milli\nsubmit = sub in s\nstart = beg in s\nend = fin in s\nstate = st\nnodes = n\n' >milli.map
expect_exit 0 stint import csv --cluster c --map milli.map milli.csv --store milli
expect_out '1,2025-12-30T00:00:00Z,2,n[1-2],n1
2,2025-12-30T00:00:00Z,2,x7,x7
3,,,,' stint jobs -j 1,2,3 --fields id,start,cpus,nodes,node --sort id --zone UTC --format csv --no-header --store milli

finish
