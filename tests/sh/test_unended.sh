#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs that nobody saw end: they count up to when they were last seen, and what is beyond is said beside the numbers.
. "$(dirname "$0")/../support/sh.sh"

hours() { # FROM TO [STORE OPTION...]: cpu and GPU hours, nothing else
    # shellcheck disable=SC2086 # a store, and options
    stint report cpu_hours,gpu_hours --from "$1" --to "$2" --format csv --store ${3:-$STINT_STORE} 2>/dev/null | tail -n 1
}

is() { # WANT COMMAND...
    want=$1
    shift
    [ "$("$@")" = "$want" ] || { echo "got $("$@"), want $want" >&2; return 1; }
}

cat >sacct.txt <<'EOS'
JobID|State|Submit|Start|End|AllocTRES|User|Account|Timelimit
1|RUNNING|2025-12-30T00:00:00|2025-12-30T00:00:00|Unknown|cpu=8,gres/gpu=4|ann|x|10-00:00:00
2|COMPLETED|2025-12-30T00:00:00|2025-12-30T00:00:00|2026-01-02T00:00:00|cpu=1,gres/gpu=0|ann|x|3-00:00:00
EOS

it 'a running row of a file counts up to the newest event of the file'
check stint import slurm --cluster a sacct.txt
check is 216,96 hours 2026 2026 # 9 cpus and 4 GPUs for the one day of 2026 that the file knows of

it 'what it may have used since is an estimate, up to its time limit, and in no number'
expect_exit 0 stint report cpu_hours --from 2026 --to 2026
# from 2 January to 9 January, when its ten days were over: 168 hours of 8 cpus and 4 GPUs
expect_out_has '1 run has no recorded end and counts up to when last seen (2026-01-02T00:00:00Z); if still running, about 168.0 wall hours, 1,344.0 cpu hours, 672.0 GPU hours more (not included)'
expect_exit 0 stint report cpu_hours --from 2026-02 --to 2026-02
expect_exit 1 grep -q 'no recorded end' "$OUT"

it 'its screen and its efficiency have the time until then'
expect_equal 'Time 10-00:00:00 3-00:00:00 30.0 %' "$(stint job 1 --zone UTC | grep '^Time ' | sed 's/[█░]//g; s/  */ /g; s/ $//')"
expect_equal 'running,259200,0.3' "$(stint efficiency 1 --format csv --no-header | cut -d, -f4-6)"

it 'doctor lists them'
expect_exit 0 stint doctor
expect_out_has '1 of a, last seen running from 2026-01-02T00:00:00Z to 2026-01-02T00:00:00Z'

it 'a later file that tells the same has seen it for longer'
sed 's/^2|\(.*\)2026-01-02T00:00:00|/3|\12026-01-03T00:00:00|/' sacct.txt >later.txt
check stint import slurm --cluster a later.txt
check is 456,192 hours 2026 2026 # two days of 8 cpus and 4 GPUs, one and two days of one cpu

it 'the order of the files does not matter'
check stint import slurm --cluster a later.txt --store other
check stint import slurm --cluster a sacct.txt --store other
check is 456,192 hours 2026 2026 other

it 'a file does not show a run beyond its time limit: its end was lost'
printf 'JobID|State|Submit|Start|End|AllocTRES|User|Account|Timelimit|Suspended
1|RUNNING|2025-01-01T00:00:00|2025-01-01T00:00:00|Unknown|cpu=8,gres/gpu=4|ann|x|2-00:00:00|01:00:00
2|RUNNING|2025-01-01T00:00:00|2025-01-01T00:00:00|Unknown|cpu=1,gres/gpu=0|ann|x|UNLIMITED|00:00:00
3|COMPLETED|2025-10-01T00:00:00|2025-10-01T00:00:00|2025-10-02T00:00:00|cpu=1,gres/gpu=0|ann|x|3-00:00:00|00:00:00\n' >lost.txt
check stint import slurm --cluster a lost.txt --store lost
check is 384,196 hours 2025 2025 'lost -j 1' # two days, and GPUs also for the hour it was suspended
check is 6600,0 hours 2025 2025 'lost -j 2,3'
expect_exit 0 stint report cpu_hours --from 2025 --to 2025 --store lost -j 1
expect_out_has '1 run has no recorded end and counts up to when last seen (2025-01-03T01:00:00Z), by when its time limit was over'
expect_exit 0 stint report cpu_hours --from 2025-02 --to 2025-02 --store lost -j 1
expect_exit 1 grep -q 'no recorded end' "$OUT"
expect_exit 0 stint doctor --store lost
expect_out_has '2 of a, last seen running from 2025-01-03T01:00:00Z to 2025-10-02T00:00:00Z'
expect_exit 0 stint check --store lost

it 'a row that says how long it has run counts for that long, whatever else is in its file'
head='JobID|State|Submit|Start|End|AllocTRES|User|Account|Timelimit|Suspended'
later='9|COMPLETED|2025-06-01T00:00:00|2025-06-01T00:00:00|2025-06-01T01:00:00|cpu=1,gres/gpu=0|ann|x|1:00:00|00:00:00'
row() { # ID STATE ELAPSED [SUSPENDED]
    echo "$1|$2|2025-01-01T00:00:00|2025-01-01T00:00:00|Unknown|cpu=8,gres/gpu=4|ann|x|UNLIMITED|${4:-00:00:00}|$3"
}
{ echo "$head|Elapsed"; row 1 RUNNING 1-12:00:00; } >alone.txt
{ echo "$head|Elapsed"; row 1 RUNNING 01:00:00; echo "$later|01:00:00"; } >beside.txt
{ echo "$head|ElapsedRaw"; row 1 SUSPENDED 3600 02:00:00; row 2 COMPLETING 1800; echo "$later|3600"; } >raw.txt
for case in 'alone 288,144' 'beside 9,4' 'raw 13,14'; do # suspended: cpus are not used, GPUs are held
    check stint import slurm --cluster a "${case%% *}.txt" --store "said-${case%% *}"
    check is "${case#* }" hours 2025-01 2025-06 "said-${case%% *}"
    expect_exit 0 stint check --store "said-${case%% *}"
done
expect_out '2025-01-02T12:00:00Z,4096' stint jobs -j 1 --fields seen,flags --store said-alone --zone UTC --format csv --no-header
run stint report gpu_hours --from 2025-01 --to 2025-01 --store said-alone
expect_out_has 'there are data to 2025-01-02'

it 'a file that grows, or is read again, does not change that; a later record does'
{ echo "$head|Elapsed"; row 1 RUNNING 01:00:00; } >grows.txt
check stint import slurm --cluster a grows.txt --store grows
echo "$later|01:00:00" >>grows.txt
check stint import slurm --cluster a grows.txt --store grows
check is 9,4 hours 2025-01 2025-06 grows
check stint import slurm --cluster a --again grows.txt --store grows
check is 9,4 hours 2025-01 2025-06 grows
row 1 RUNNING 05:00:00 >>grows.txt
check stint import slurm --cluster a grows.txt --store grows
check is 41,20 hours 2025-01 2025-06 grows
check stint import slurm --cluster a beside.txt --store grows # of before
check is 41,20 hours 2025-01 2025-06 grows

it 'JSON of sacct says it in time.elapsed'
cat >sacct.json <<'EOS'
{"jobs": [{"job_id": 1, "user": "ann", "account": "x", "cluster": "a", "association": {"user": "ann"}, "nodes": "g1",
 "state": {"current": ["RUNNING"]}, "time": {"elapsed": 7200, "submission": 1735689600, "start": 1735689600, "end": 0, "suspended": 3600},
 "tres": {"allocated": [{"type": "cpu", "count": 8}, {"type": "gres", "name": "gpu", "count": 4}]}}], "meta": {}}
EOS
check stint import slurm --cluster a sacct.json --store json
check is 16,12 hours 2025-01 2025-01 json

it 'a document of squeue or slurmrestd says when it was made, before its jobs or behind them'
listed() { # ID START [SOMETHING LONG]
    printf '{"job_id": %s, "array_job_id": 0, "user_name": "ann", "job_state": ["RUNNING"], "submit_time": %s, "start_time": %s, "nodes": "g1", "comment": "%s", "tres_alloc_str": "cpu=8,gres/gpu=4"}' "$1" "$2" "$2" "${3:-}"
}
printf '{"jobs": [%s], "last_backfill": {"number": 1}, "last_update": {"set": true, "infinite": false, "number": 1735693200}, "meta": {}}' "$(listed 1 1735689600)" >behind.json
printf '{"meta": {"last_update": 5}, "last_update": 1735693200, "jobs": [%s]}\n' "$(listed 1 1735689600)" >before.json
for store in behind before; do
    check stint import slurm --cluster a "$store.json" --store "$store"
    check is 8,4 hours 2025-01 2025-01 "$store"
done

it 'each of several documents in a file for its own jobs, and one of many slices for all of its jobs'
{ cat before.json; sed 's/1735693200/1735700400/; s/"job_id": 1/"job_id": 2/' behind.json; } >both.json
check stint import slurm --cluster a both.json --store docs
check is 32,16 hours 2025-01 2025-01 docs
long=$(head -c 3000 /dev/zero | tr '\0' x)
{
    printf '{"jobs": ['
    listed 1 1735689600 "$long"
    i=1
    while [ $((i += 1)) -le 2000 ]; do
        printf ', '
        listed $i 1735689600 "$long"
    done
    printf '], "last_update": {"set": true, "number": 1735693200}, "meta": {}}'
} >long.json
check stint import slurm --cluster a long.json --store long
check is 16000,8000 hours 2025-01 2025-01 long

it 'its end takes the place of all that'
printf 'JobID|State|Submit|Start|End|AllocTRES|User|Account|Timelimit
1|COMPLETED|2025-12-30T00:00:00|2025-12-30T00:00:00|2026-01-01T12:00:00|cpu=8,gres/gpu=4|ann|x|10-00:00:00\n' >ended.txt
check stint import slurm --cluster a ended.txt
check is 168,48 hours 2026 2026

it 'a row whose state nobody knows does not run for ever: CSV'
printf 'job,user,cpus,submit,start,end,state
1,ann,4,2025-12-30T00:00:00Z,2025-12-30T00:00:00Z,,mystery
2,ann,4,2025-12-30T00:00:00Z,2025-12-30T00:00:00Z,,
3,ann,4,2025-12-30T00:00:00Z,2025-12-30T00:00:00Z,2025-12-30T01:00:00Z,mystery\n' >odd.csv
for field in job user cpus submit start end state; do echo "$field = $field"; done >map
check stint import csv --map map --cluster c odd.csv --store csv
check is 4, hours 2025-12-30 2025-12-30 csv
check is , hours 2026 2026 csv # no data of that year
for path in '' --no-rollups; do
    # shellcheck disable=SC2086 # nothing, or an option
    run stint report jobs,success_rate --from 2025-12 --to 2025-12 --store csv $path
    expect_out_has 'jobs, success_rate: 2 of 3 runs are not included (end not recorded): 66.7 % of them'
done

it 'a time of 0 is none: what has not ended did not end in 1970, and what did not start never held anything'
printf 'job,user,cpus,submit,start,end,state
1,ann,4,1767052800,1767052800,0,running
2,ann,4,1767052800,0,0.0,cancelled
3,ann,4,1767052800,1767052800,1767056400,completed\n' >zero.csv
expect_equal 2025-12-30T00:00:00Z "$(stint import csv --map map --cluster c zero.csv --store zero --format csv --no-header | cut -d, -f9)"
expect_out '1,2025-12-30T00:00:00Z,,running
2,,,cancelled
3,2025-12-30T00:00:00Z,2025-12-30T01:00:00Z,completed' stint jobs -j 1,2,3 --fields id,start,end,class --sort id --zone UTC --store zero --format csv --no-header

it 'nor one of a workload archive without a run time'
if need_data swf/hpc2n.swf; then
    check stint import swf --cluster hpc2n "$STINT_DATA/swf/hpc2n.swf" --store swf
    expect_exit 0 stint report cpu_hours --from 2002 --to 2002 --store swf
    expect_out_has '139,904.2'
    check is , hours 2003 2026 swf
fi

it 'what could not be included is said by every command that adds up'
printf 'job,user,cpus,submit,start,end,state
1,ann,4,2025-12-01T00:00:00Z,2025-12-01T00:00:00Z,2025-12-02T00:00:00Z,done
2,ann,,2025-12-01T00:00:00Z,2025-12-01T00:00:00Z,2025-12-02T00:00:00Z,done
3,ann,4,2025-10-01T00:00:00Z,2025-10-01T00:00:00Z,2025-10-03T00:00:00Z,done\n' >no-cpus.csv
check stint import csv --map map --cluster c no-cpus.csv --store no-cpus
for command in 'report cpu_hours' usage sizes 'forecast --as-of 2025-12-02'; do
    # shellcheck disable=SC2086 # several words
    run stint $command --from 2025 --to 2025 --store no-cpus
    expect_out_has 'cpu_hours: 1 of 3 runs is not included (cpus not recorded): 25.0 % of the wall time'
done
for command in efficiency waste; do # of jobs that ended
    run stint $command --from 2025 --to 2025 --store no-cpus
    expect_out_has 'job_cpu_hours: 1 of 3 runs is not included (cpus not recorded): 33.3 % of them'
done
run stint metrics --store no-cpus
expect_out_has 'stint_jobs_without_cpus{cluster="c"} 1'

it 'by cluster too, with daily sums and without'
printf 'job,user,cpus,submit,start,end,state
1,ann,,2025-12-01T00:00:00Z,2025-12-01T00:00:00Z,2025-12-02T00:00:00Z,done
2,ann,,2025-12-05T00:00:00Z,2025-12-05T00:00:00Z,2025-12-05T01:00:00Z,done
3,ann,,2025-12-05T00:00:00Z,,2025-12-05T01:00:00Z,cancelled\n' >more.csv
check stint import csv --map map --cluster c no-cpus.csv --store both
check stint import csv --map map --cluster d more.csv --store both
for rollup in false true; do
    ! $rollup || check stint rollup --store both
    expect_equal 'c 1 d 2' "$(stint metrics --store both | sed -n 's/^stint_jobs_without_cpus{cluster="\(.*\)"} /\1 /p' | xargs)"
    expect_equal 'c 3 d 2' "$(stint metrics --store both | sed -n 's/^stint_jobs_without_gpus{cluster="\(.*\)"} /\1 /p' | xargs)"
done

it 'what nothing is recorded of is no 0: waiting runs of days without data, hours of jobs without an end, lost hours'
run stint summary --from 2025-12-02 --to 2025-12-04 --format csv --no-header --store no-cpus
expect_out_has '2025-12-04,,,,,,'
run stint waste --from 2025 --to 2025 --format csv --store no-cpus
expect_out_has 'ann,,,,0,0,0,,'
run stint sizes --of wait --from 2025-12-30 --to 2025-12-30 --store csv
expect_out_has 'job_wall_hours, job_cpu_hours: 2 of 3 runs are not included (end not recorded): 66.7 % of them'

it 'the hours of jobs are the same in sizes and efficiency: without suspension'
printf 'JobID|State|Submit|Start|End|NCPUS|User|Suspended
1|COMPLETED|2025-12-30T00:00:00|2025-12-30T00:00:00|2025-12-30T04:00:00|4|ann|01:00:00\n' >suspended.txt
check stint import slurm --cluster a suspended.txt --store suspended
expect_equal 12 "$(stint sizes --of cpus --from 2025-12-30 --to 2025-12-30 --format csv --store suspended | awk -F, '$2 == 1 { print $5 }')"
expect_equal 12 "$(stint efficiency --from 2025-12-30 --to 2025-12-30 --format csv --no-header --store suspended | cut -d, -f2)"

it 'energy of an hour keeps its fractions, and hours add up'
printf 'JobID|State|Submit|Start|End|AllocTRES|User|Account|ConsumedEnergyRaw
1|COMPLETED|2025-12-30T00:00:00|2025-12-30T00:00:00|2025-12-30T08:00:00|cpu=8|ann|x|1\n' >energy.txt
check stint import slurm --cluster a energy.txt --store energy
expect_equal '0.125 0.125' "$(stint report energy --every hour --from 2025-12-30T06:00 --to 2025-12-30T08:00 --format csv --no-header --store energy | cut -d, -f2 | xargs)"
expect_out '1' stint report energy --from 2025 --to 2025 --format csv --no-header --store energy

it 'all ways of computing agree'
for store in "$STINT_STORE" csv energy; do
    expect_exit 0 stint check --store "$store"
    expect_out_has ' 0 differ'
done

finish
