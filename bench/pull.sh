#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A round of stint pull at size: a Slurm whose squeue lists so many jobs, half of which run, when nothing has changed since
# the last round, and when the state of every tenth is another each time. Its programs are scripts that print what was made
# beforehand, so that what is timed is stint.
. "$(dirname "$0")/support/bench.sh"

few=${BENCH_JOBS:-5000}
many=$((few * 4))
fake=$tmp/pull
rm -rf "$fake"
mkdir -p "$fake/bin" || exit 1

# listing JOBS CHANGED: as squeue --json of 22.05 prints it; of the first CHANGED the state is another.
listing() {
    awk -v jobs="$1" -v changed="$2" 'BEGIN {
        printf "{\"meta\":{\"Slurm\":{\"release\":\"22.05.8\"}},\"errors\":[],\"jobs\":["
        for (i = 0; i < jobs; i++) {
            runs = (i % 2 == 0) != (i < changed); t = 1767225600 + i; cpus = 4 + i % 8
            tres = "cpu=" cpus ",mem=16G,node=1,billing=" cpus
            printf "%s{\"account\":\"acct%d\",\"array_job_id\":0,\"array_task_id\":null,\"array_task_string\":\"\"", i ? "," : "", i % 40
            printf ",\"command\":\"/home/u%d/job%d.sh\",\"cpus\":%d,\"current_working_directory\":\"/home/u%d/run/%d\"", i % 300, i, cpus, i % 300, i
            printf ",\"eligible_time\":%d,\"end_time\":%d,\"exit_code\":0,\"group_id\":%d,\"job_id\":%d", t, t + 90000, 100 + i % 300, 100000 + i
            printf ",\"job_state\":\"%s\",\"name\":\"job %d\",\"nodes\":\"%s\",\"node_count\":1", runs ? "RUNNING" : "PENDING", i, runs ? "n" i % 500 : ""
            printf ",\"partition\":\"p%d\",\"priority\":%d,\"qos\":\"normal\",\"start_time\":%d,\"state_reason\":\"%s\"", i % 3, 1000000 - i, runs ? t + 60 : 0, runs ? "None" : "Priority"
            printf ",\"submit_time\":%d,\"suspend_time\":0,\"time_limit\":1440,\"tres_req_str\":\"%s\",\"tres_alloc_str\":\"%s\"", t, tres, runs ? tres : ""
            printf ",\"user_id\":%d,\"user_name\":\"u%d\",\"standard_output\":\"/home/u%d/run/%d/slurm.out\"", 1000 + i % 300, i % 300, i % 300, i
            printf ",\"flags\":[\"JOB_CPUS_SET\",\"JOB_MEM_SET\"],\"het_job_id\":0,\"het_job_offset\":0,\"memory_per_node\":16384,\"pre_sus_time\":0,\"restart_cnt\":0}"
        }
        printf "]}\n"
    }'
}

program() { # NAME: a script from stdin
    { echo '#!/bin/sh' && cat; } >"$fake/bin/$1" && chmod 755 "$fake/bin/$1"
}

# Each time it is asked squeue prints the other of two listings; they may be the same.
program squeue <<SCRIPT
cat '$fake/now' && mv '$fake/now' '$fake/last' && mv '$fake/next' '$fake/now' && mv '$fake/last' '$fake/next'
SCRIPT
program scontrol <<'SCRIPT'
case " $* " in
*' node '*) echo 'NodeName=n1 CPUTot=4 State=IDLE' ;;
*' partition '*) echo 'PartitionName=p0 State=UP' ;;
*) echo 'No reservations in the system' ;;
esac
SCRIPT
program sacct <<'SCRIPT'
case " $* " in *' -e '*) echo 'JobID JobIDRaw State Submit Start End User NCPUS JobName' && exit ;; esac
for word; do case $word in --delimiter=*) by=${word#*=} ;; esac; done
echo 'JobID|JobIDRaw|State|Submit|Start|End|User|NCPUS|JobName' | sed "s/|/$by/g"
SCRIPT
printf '[cluster site]\nscheduler = slurm\nsince = yesterday\nbin = %s\n' "$fake/bin" >"$fake/stint.conf"

# round JOBS CHANGED: wall and cpu time of the best rounds, in a store that knows the jobs.
round() {
    rm -rf "$fake/store"
    listing "$1" 0 >"$fake/now"
    listing "$1" "$2" >"$fake/next"
    set -- "$STINT" pull --config "$fake/stint.conf" --store "$fake/store" --quiet
    "$@" >/dev/null || die "the pull failed"
    echo "$(best_ms "$BENCH_TIMES" "$@") $(best 2 <"$tmp/wall")"
}

few_same=$(round "$few" 0) || exit 1
few_moved=$(round "$few" $((few / 10))) || exit 1
many_same=$(round "$many" 0) || exit 1
many_moved=$(round "$many" $((many / 10))) || exit 1
rm -rf "$fake"

machine
heading "a round of stint pull"
row "$few jobs, nothing new" "${few_same% *}" "" ms 1000
row "the same, cpu time" "${few_same#* }" "" ms ""
row "$few jobs, every tenth moved on" "${few_moved% *}" "" ms 1000
row "the same, cpu time" "${few_moved#* }" "" ms ""
row "$many jobs, nothing new, cpu; other: $few" "${many_same#* }" "${few_same#* }" ms 4
row "$many, a tenth moved on, cpu; other: $few" "${many_moved#* }" "${few_moved#* }" ms 4
