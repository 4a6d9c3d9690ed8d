#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Records of one run from several sources are merged: whatever one of them knows is known, in every order of import.
. "$(dirname "$0")/../support/sh.sh"

fields=run_id,user,group,account,partition,qos,name,node_count,nodes,work_dir,command,request,req_cpus,req_nodes,req_mem,req_gpus
fields=$fields,time_limit,cpus,mem,gpus,gpu_type,billing,submit,eligible,start,end,suspended,class,exit_code,signal,cpu_user,cpu_system
fields=$fields,cpu_used,mem_peak,mem_basis,io,energy,gpu_used

list() { # STORE: a line a field that is known: RUN FIELD VALUE
    stint jobs --from 1990 --to 2037 --fields "$fields" --format json --store "$1" 2>/dev/null |
        tr -d '\n' | sed 's/},/}\n/g' | sed 's/^[^{]*//' | sort
}

known() { # STORE: RUN FIELD, of all that is known
    stint jobs --from 1990 --to 2037 --fields "$fields" --format tsv --store "$1" 2>/dev/null |
        awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
                     { for (i = 2; i <= NF; i++) if ($i != "") print $1, name[i] }' | LC_ALL=C sort
}

import() { # STORE FILE...
    t_store=$1
    shift
    for file in "$@"; do
        stint import slurm --cluster a "$STINT_DATA/slurm/live-22.05/$file" --store "$t_store" >/dev/null 2>&1 || return 1
    done
}

nothing_lost() { # STORE ALONE...: what each store alone knows is known in the first
    known "$1" >all
    shift
    for alone in "$@"; do
        known "$alone" | LC_ALL=C comm -23 - all >lost
        [ ! -s lost ] || { echo "lost of $alone:" >&2; head -n 5 lost >&2; return 1; }
    done
}

same() { # STORE STORE
    list "$1" >first
    list "$2" >second
    [ -s first ] && cmp first second >&2
}

same_figures() { # STORE STORE
    for store in "$1" "$2"; do
        stint report jobs,jobs_started,cpu_hours,cpu_used_hours,cpu_efficiency,wait_avg --by user --format csv --from 1990 --to 2037 --store "$store" >"figures-$store" 2>/dev/null ||
            return 1
    done
    [ -s "figures-$1" ] && cmp "figures-$1" "figures-$2" >&2
}

# Fixtures: what a listing, a log and a database may have of the same three jobs: one that ended, one that runs, one that waits.
cat >sacct.psv <<'END'
JobID|State|Submit|Start|End|AllocTRES|User|Account|Timelimit|TotalCPU
1|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:10:00|2026-01-01T02:10:00|cpu=4|ann|bio|03:00:00|06:00:00
2|RUNNING|2026-01-01T00:00:00|2026-01-01T00:20:00|Unknown|cpu=2|ann|bio|1-00:00:00|00:00:00
3|PENDING|2026-01-01T00:30:00|Unknown|Unknown||bob|chem|1-00:00:00|00:00:00
END
cat >squeue.json <<'END'
{"meta": {"plugin": {"type": "openapi/v0.0.38", "name": "Slurm OpenAPI v0.0.38"},
          "Slurm": {"version": {"major": 22, "micro": 8, "minor": 5}, "release": "22.05.8"}},
 "errors": [],
 "jobs": [
  {"job_id": 1, "array_job_id": 0, "job_state": "RUNNING", "submit_time": 1767225600, "start_time": 1767226200, "end_time": 1767237000,
   "user_name": "ann", "account": "bio", "cpus": 4, "time_limit": 180, "current_working_directory": "/home/ann/one",
   "tres_alloc_str": "cpu=4", "name": "one", "partition": "short"},
  {"job_id": 2, "array_job_id": 0, "job_state": "RUNNING", "submit_time": 1767225600, "start_time": 1767226800, "end_time": 1767313200,
   "user_name": "ann", "account": "bio", "cpus": 2, "time_limit": 1440, "current_working_directory": "/home/ann/two",
   "tres_alloc_str": "cpu=2", "name": "two", "partition": "long"},
  {"job_id": 3, "array_job_id": 0, "job_state": "PENDING", "submit_time": 1767227400, "start_time": 0, "end_time": 0,
   "user_name": "bob", "account": "chem", "cpus": 1, "time_limit": 1440, "current_working_directory": "/home/bob",
   "name": "three", "partition": "long"}]}
END
touch -d 2026-01-01T01:00:00Z squeue.json

jobs() { # STORE FIELDS
    stint jobs --from 2025 --to 2026 --fields "$2" --sort job --format csv --store "$1" 2>/dev/null | tail -n +2
}

it 'a listing imported after the history takes nothing away, and adds what only it knows'
check stint import slurm --cluster a sacct.psv --store one
check stint import slurm --cluster a squeue.json --store one
expect_out '1,completed,21600,/home/ann/one
2,running,,/home/ann/two
3,pending,,/home/bob' jobs one job,class,cpu_used,work_dir

it 'and so it is in the other order'
check stint import slurm --cluster a squeue.json --store two
check stint import slurm --cluster a sacct.psv --store two
check same one two
check same_figures one two

it 'importing either again says unchanged and changes nothing'
for file in sacct.psv squeue.json; do
    expect_exit 0 stint import slurm --cluster a --again $file --store one --format csv
    expect_out_has ',3,0,0,3,0,0,'
done
check same one two
expect_exit 0 stint check --store one
expect_out_has ' 0 differ'

databases='sacct.json rest-slurmdb-jobs.json sacct-D-steps.psv'
listings='squeue.json rest-slurm-jobs.json'

if ! need_data slurm/live-22.05/squeue.json; then
    finish
fi

for file in $databases $listings; do
    import "alone-$file" "$file" || t_fail "$file can be imported"
done

for database in $databases; do
    for listing in $listings; do
        it "$database and $listing"
        check import "one-$database-$listing" "$database" "$listing"
        check import "two-$database-$listing" "$listing" "$database"
        check same "one-$database-$listing" "two-$database-$listing"
        check nothing_lost "one-$database-$listing" "alone-$database"
    done
done

it 'two of one kind: nothing that is known is lost'
set -- $databases
while [ $# -gt 1 ]; do
    first=$1
    shift
    for second in "$@"; do
        check import "both-$first-$second" "$first" "$second"
        check nothing_lost "both-$first-$second" "alone-$first" "alone-$second"
        check import "turned-$first-$second" "$second" "$first"
        check nothing_lost "turned-$first-$second" "alone-$first" "alone-$second"
    done
done

it 'importing again changes nothing'
for file in sacct.json squeue.json; do
    expect_exit 0 stint import slurm --cluster a --again "$STINT_DATA/slurm/live-22.05/$file" --store one-sacct.json-squeue.json
done
check same one-sacct.json-squeue.json two-sacct.json-squeue.json

it 'all ways of computing agree'
for store in one-sacct.json-squeue.json two-sacct.json-squeue.json; do
    expect_exit 0 stint check --store "$store"
    expect_out_has ' 0 differ'
done

finish
