#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint import of what sacct prints, from the command line: whose file it is, what the options say of
# it, and jobs that were seen before they ended. tests/fixtures/slurm has the files.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/slurm

# import SOURCE WORD...: file_state,read,added,replaced,unchanged,parts,rejected
import() {
    stint import "$@" --format csv --no-header >.import 2>"$ERR"
    import_status=$?
    cut -d, -f2-8 .import
    return $import_status
}


# --- whose file it is -------------------------------------------------------------------------------

it 'auto knows sacct text'
expect_out 'new,11,11,0,0,0,0' import auto --cluster rowan --zone UTC "$F/sacct-22.05"

it 'auto knows sacct JSON'
expect_exit 1 import auto --cluster rowan "$F/sacct-24.11.json" # one of its three is broken
expect_out_has 'new,2,2,0,0,0,1'

it 'a first job that begins with a long text does not hide whose document it is'
awk 'BEGIN { while (i++ < 2000) long = long "0123456789012345678901234567890123456789"
    print "{\"jobs\":[{\"comment\":{\"administrator\":\"" long "\"},\"job_id\":5,\"user\":\"ann\"," \
        "\"association\":{\"user\":\"ann\"},\"state\":{\"current\":[\"COMPLETED\"]},\"time\":{\"submission\":1741080000," \
        "\"start\":1741080000,\"end\":1741083600},\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"count\":2}]}}]}" }' >long.json
expect_out 'new,1,1,0,0,0,0' import slurm --cluster rowan --store long long.json
expect_out '2' stint report cpu_hours --from 2025-03-04 --to 2025-03-04 --zone UTC --store long --format csv --no-header

it "Grid Engine's file given as Slurm's is refused by name"
expect_exit 1 stint import slurm "$TESTS/fixtures/import/accounting"
expect_err_has 'it looks like sge: stint import sge'

it "Slurm's file given as Grid Engine's is refused by name"
expect_exit 1 stint import sge "$F/sacct-22.05"
expect_err_has 'it looks like slurm: stint import slurm'

# --- what is in it ----------------------------------------------------------------------------------

it 'hours are those of the rows'
expect_out '24' stint report cpu_hours --from 2025-03-04 --to 2025-03-04 --zone UTC -u bea --format csv --no-header
expect_out '1.5' stint report cpu_hours --from 2025-03-04 --to 2025-03-04 --zone UTC -u cyd --format csv --no-header
expect_out '16' stint report cpu_hours --from 2025-03-04 --to 2025-03-04 --zone UTC -u fay --format csv --no-header

it 'the same again changes nothing'
expect_out 'unchanged,0,0,0,0,0,0' import slurm --cluster rowan --zone UTC "$F/sacct-22.05"
expect_out 'again,11,0,0,11,0,0' import slurm --cluster rowan --zone UTC --again "$F/sacct-22.05"
expect_out 'unchanged,0,0,0,0,0,0' import slurm --cluster rowan "$F/sacct-24.11.json"

it 'a job that was running is replaced when it has ended'
sed -e '/^833|/s/|Unknown|400|/|2025-03-04T11:30:01|600|/' -e '/^833|/s/|RUNNING|/|COMPLETED|/' "$F/sacct-22.05" >later
expect_out 'new,11,0,1,10,0,0' import slurm --cluster rowan --zone UTC later
expect_out '833,COMPLETED,600' stint jobs -j 833 -o id,state,wall --format csv --no-header

# --- what options say -------------------------------------------------------------------------------

it 'without a header the columns are wanted'
printf '7|ann|2025-03-04T09:00:00|2025-03-04T09:00:00|2025-03-04T10:00:00|COMPLETED|4\n' >bare
expect_exit 1 stint import slurm bare --store s2
expect_err_has 'name them with: --columns JobID'
expect_out 'new,1,1,0,0,0,0' import slurm --zone Europe/Oslo --store s2 --columns JobID,User,Submit,Start,End,State,NCPUS bare
expect_out '2025-03-04T08:00:00Z,4' stint jobs --store s2 --zone UTC --from 2025-03-04 --to 2025-03-04 -o start,cpus --format csv --no-header

it 'a column that is none is named'
expect_exit 2 stint import slurm --columns JobID,Owner bare --store s2b
expect_err_has "'Owner'"

it 'records name their cluster where the user names none'
expect_out 'new,11,11,0,0,0,0' import slurm --zone UTC --store s3 "$F/sacct-22.05"
expect_out 'rowan' stint jobs --store s3 -j 812 -o cluster --format csv --no-header

it 'a file that ends inside a row is read on when it is whole'
head -c 1200 "$F/sacct-22.05" >growing
run stint import slurm --cluster c --zone UTC --store s4 growing
cat "$F/sacct-22.05" >growing
check stint import slurm --cluster c --zone UTC --store s4 growing
check stint import slurm --cluster c --zone UTC --store s5 "$F/sacct-22.05"
for s in s4 s5; do
    stint jobs --store $s --fields id,attempt,cpu_used,mem_peak,state --from 2000 --to 2030 --sort id --format csv >$s.csv
done
expect_same s5.csv s4.csv

it 'a demo as Slurm is imported whole'
stint demo --as slurm --out site --runs 2000 --from 2025 --to 2025-06 --format csv --no-header >made.csv 2>"$ERR"
for c in alder birch cedar; do
    check stint import auto --store s6 site/$c/sacct
    want=$(grep "^$c," made.csv | cut -d, -f3,6)
    runs=$(stint jobs --store s6 -M $c --fields job --from 2024 --to 2026 --format csv --no-header | wc -l)
    hours=$(stint report cpu_hours --store s6 -M $c --from 2024 --to 2026 --format csv --no-header)
    t_next_name "$c: $want"
    if [ "$runs,$hours" = "$want" ]; then t_ok "$t_this"; else t_fail "$t_this" "got $runs,$hours"; fi
done

# --- nodes ------------------------------------------------------------------------------------------

# two_nodes STATE [ALONE]: what scontrol prints of c1 in this state, and unless it is alone of c2
two_nodes() {
    printf 'NodeName=c1 Arch=x86_64 CoresPerSocket=8\n   CPUEfctv=16 CPUTot=16 Gres=(null)\n   RealMemory=1000 Sockets=2\n   State=%s\n\n' "$1"
    [ $# -gt 1 ] || printf 'NodeName=c2 CPUTot=32 RealMemory=2000 State=DOWN Gres=gpu:a100:4\n   Reason=fan [root@2025-03-04T08:00:00]\n\n'
}
nodes() { stint nodes --store nodes --zone UTC --format csv --no-header -o node,class,cpus,gpus,reason "$@"; }

it 'a listing of nodes is a look at the cluster'
two_nodes IDLE >look
expect_out 'new,2,2,0,0,0,0' import auto --store nodes --zone UTC --at 2025-03-04T12:00 look
expect_out "c1,idle,16,0,
c2,down,32,4,fan" nodes --at 2025-03-04T12:10

it 'a later one shows what changed'
two_nodes ALLOCATED >look
expect_out 'new,2,0,1,1,0,0' import slurm --store nodes --zone UTC --at 2025-03-04T12:30 look
expect_out "c1,allocated,16,0,
c2,down,32,4,fan" nodes --at 2025-03-04T12:40
expect_out "c1,idle,16,0,
c2,down,32,4,fan" nodes --at 2025-03-04T12:20

it 'an earlier one, or the same again, changes nothing'
expect_out 'unchanged,2,0,0,2,0,0' import slurm --store nodes --zone UTC --at 2025-03-04T12:30 look
expect_exit 0 stint import slurm --store nodes --zone UTC --at 2025-03-04T12:15 look
expect_out_has 'the store has newer data, so nothing was imported'

it 'what a listing lacks is gone'
two_nodes IDLE 1 >look
expect_exit 0 stint import slurm --store nodes --zone UTC --at 2025-03-04T13:00 look
expect_out_has '1 nodes are no longer listed'
expect_out 'c1,idle,16,0,' nodes --at 2025-03-04T13:10

it 'without --at it is of when the file was written'
touch -d 2025-03-04T13:20:00Z look
expect_exit 0 stint import slurm --store nodes --zone UTC --format csv look
expect_out_has '2025-03-04T13:20:00Z'

it 'half a listing is none'
two_nodes IDLE | head -c 150 >half
expect_exit 1 stint import slurm --store nodes --at 2025-03-04T14:00 half
expect_err_has 'ends in the middle of a line'
expect_out 'c1,idle,16,0,' nodes --at 2025-03-04T14:00

it 'a list of jobs of which a few fields were kept is Slurm'"'"'s where it is said to be'
echo '{"jobs":[{"job_id":1,"user_name":"ann","job_state":"RUNNING","submit_time":1741046400,"start_time":1741046400,"end_time":0,"cpus":4}]}' >few.json
expect_exit 0 stint import slurm --store few --cluster c few.json
expect_equal '1,ann,running,4' "$(stint jobs --store few --from 2025 --fields job,user,class,cpus --format csv --no-header)"

it '--at is refused for runs, and a time to come'
expect_exit 2 stint import slurm --store nodes --at 2025-03-04T14:00 --zone UTC "$F/sacct-22.05"
expect_err_has 'contains runs with their times'
expect_exit 2 stint import slurm --store nodes --at 2200-01-01 look
expect_err_has 'is in the future'

it 'that there is nothing is a listing too'
for what in nodes partitions reservations; do
    echo "No $what in the system" >nothing.txt
    expect_exit 0 stint import slurm --cluster rowan --at 2026-01-02T00:00 nothing.txt --store nothing
done

it 'a wrong zone is put right by reading the file again: no run is there twice'
printf 'JobID|User|State|Submit|Start|End|Elapsed|AllocCPUS
1|ann|COMPLETED|2025-10-26T00:30:00|2025-10-26T02:30:00|2025-10-26T02:45:00|01:15:00|1
2|ann|COMPLETED|2025-10-26T00:30:00|2025-10-26T02:30:00|2025-10-26T03:30:00|01:00:00|1
3|ann|COMPLETED|2025-10-26T00:30:00|2025-10-26T02:30:00|2025-10-26T03:30:00|02:00:00|1
4|ann|COMPLETED|2025-10-26T00:30:00|2025-10-26T02:30:00|2025-10-26T02:50:00|00:20:00|1\n' >autumn.txt
expect_out 'new,4,4,0,0,0,0' import slurm --cluster c --zone UTC autumn.txt --store autumn
expect_out 'again,4,0,4,0,0,0' import slurm --cluster c --zone Europe/Oslo --again autumn.txt --store autumn
expect_out 'again,4,0,0,4,0,0' import slurm --cluster c --zone Europe/Oslo --again autumn.txt --store autumn

it 'of the hour that autumn has twice, Elapsed says which'
expect_out '1,2025-10-26T00:30:00Z,2025-10-26T01:45:00Z
2,2025-10-26T01:30:00Z,2025-10-26T02:30:00Z
3,2025-10-26T00:30:00Z,2025-10-26T02:30:00Z
4,2025-10-26T00:30:00Z,2025-10-26T00:50:00Z' stint jobs --from 2025-10-25 --to 2025-10-27 --fields id,start,end --sort id --zone UTC --format csv --no-header --store autumn
expect_exit 0 stint check --store autumn

it 'a time that has its own zone, or counts seconds, stays as it is whatever Elapsed says'
printf 'JobID|User|State|Submit|Start|End|Elapsed|AllocCPUS
1|ann|COMPLETED|2025-10-26T00:30:00+0200|2025-10-26T02:30:00+0200|2025-10-26T02:45:00+0200|01:15:00|1
2|ann|COMPLETED|1761431400|1761438600|1761442200|02:00:00|1
3|ann|COMPLETED|2025-10-26T00:30:00+0200|2025-10-26T02:30:00|2025-10-26T03:30:00+0100|01:00:00|1\n' >zoned.txt
expect_out 'new,3,3,0,0,0,0' import slurm --cluster c --zone Europe/Oslo zoned.txt --store zoned
expect_out '1,2025-10-26T00:30:00Z,2025-10-26T00:45:00Z
2,2025-10-26T00:30:00Z,2025-10-26T01:30:00Z
3,2025-10-26T01:30:00Z,2025-10-26T02:30:00Z' stint jobs --from 2025-10-25 --to 2025-10-27 --fields id,start,end --sort id --zone UTC --format csv --no-header --store zoned

it 'an array that waits is its tasks: queue, summary, submitted, cancelled before they started'
printf 'JobID|User|State|Submit|Start|End|ReqCPUS|AllocCPUS|NodeList
100_[0-999]|ann|PENDING|2025-11-10T00:00:00|Unknown|Unknown|1|0|None assigned
200_[1-50%%5]|ann|CANCELLED|2025-11-10T00:00:00|Unknown|2025-11-11T00:00:00|1|0|None assigned
101|bob|COMPLETED|2025-11-10T00:00:00|2025-11-10T00:00:00|2025-11-17T00:00:00|1|1|n1\n' >array.txt
expect_exit 0 stint import slurm --cluster c --zone UTC array.txt --store array
array='--zone UTC --format csv --no-header --store array'
# shellcheck disable=SC2086 # options
{
    expect_out '1051,50' stint report jobs_submitted,jobs_never_started --from 2025-11-10 --to 2025-11-16 $array
    expect_equal 1050 "$(stint summary --from 2025-11-10 --to 2025-11-10 $array | cut -d, -f7)"
    expect_equal 1000 "$(stint queue --by user --at 2025-11-12 $array | cut -d, -f2 | head -n 1)"
}
expect_exit 0 stint rollup --store array
expect_exit 0 stint check --store array

finish
