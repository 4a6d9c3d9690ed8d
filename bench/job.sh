#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What samples cost the screen of a job: stint job of a run with a week of samples beside one without, in the same store, and a run on many
# nodes drawn over time.
#
# From the environment, beside those of support/bench.sh:
#   BENCH_NODES      nodes of the large run (1000)
#   BENCH_MINUTES    samples of the small one (10079: a week)
. "$(dirname "$0")/support/bench.sh"

nodes=${BENCH_NODES:-1000}
minutes=${BENCH_MINUTES:-10079}
work=$tmp/job
rm -rf "$work"
mkdir -p "$work" || exit 1
export STINT_STORE="$work/store"

# looks FIRST-NODE NODES JOB MINUTES: a look a minute from 2026-01-05 on, with the job's control group and ten of its processes.
looks() {
    awk -v first="$1" -v nodes="$2" -v job="$3" -v minutes="$4" '
    BEGIN {
        for (m = 1; m <= minutes; m++) {
            stamp = sprintf("2026-01-%02dT%02d:%02d:00Z", 5 + int(m / 1440), int(m / 60) % 24, m % 60)
            for (n = first; n < first + nodes; n++) {
                printf "{\"meta\":{\"producer\":\"stint-agent\",\"version\":\"0.1.0\",\"format\":0,\"attrs\":[{\"key\":\"absent\",\"value\":\"unknown\"}]},\"data\":{\"type\":\"sample\",\"attributes\":{\"time\":\"%s\",\"cluster\":\"c\",\"node\":\"n%d\",\"system\":{\"counters\":{\"cpus\":32}},\"jobs\":[", stamp, n
                printf "{\"job\":%d,\"user\":\"ann\",\"epoch\":0,\"cgroup\":{\"cpu_time_us\":%.0f,\"rss_bytes\":%.0f,\"processes\":10}},{\"job\":%d,\"user\":\"ann\",\"epoch\":0,\"processes\":[", job, m * 3e8 + n, 2e9 + m * 4096, job
                for (p = 0; p < 10; p++)
                    printf "%s{\"cmd\":\"md\",\"pid\":%d,\"ppid\":9,\"cpu_time\":%d,\"resident_memory\":%d}", (p ? "," : ""), 10 + p, m * 30, 200000 + m
                print "]}]}}}"
            }
        }
    }'
}
# run JOB NODES NODE-LIST END: from the same day on
run() { echo "$1|$1|ann|chem|main|md|COMPLETED|2026-01-05T00:00:00|2026-01-05T00:00:00|$4|$5|$(($2 * 32))|$(($2 * 32))|$2|$3|8G|20000|cpu=$(($2 * 32)),mem=8G,node=$2|0:0"; }

note "making samples"
{
    echo 'JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|AllocTRES|ExitCode'
    run 1 1 n1 2026-01-12T00:00:00 604800
    run 2 1 m1 2026-01-12T00:00:00 604800
    run 3 "$nodes" "n[10-$((nodes + 9))]" 2026-01-05T01:00:00 3600
} >"$work/sacct.psv"
"$STINT" import slurm --cluster c --zone UTC --quiet "$work/sacct.psv" >/dev/null || die "the import failed"
looks 1 1 1 "$minutes" >"$work/week.json"
looks 10 "$nodes" 3 60 >"$work/large.json"
for file in week large; do
    "$STINT" import sonar --cluster c --quiet "$work/$file.json" >/dev/null || die "the import failed"
    rm "$work/$file.json"
done

machine
heading "stint job; other: the same without samples"
without=$(median_ms "$BENCH_TIMES" "$STINT" job 2 --zone UTC)
# Cpu time, which others at work on the machine do not change much; they take turns.
: >"$tmp/job.with"
: >"$tmp/job.without"
turn=0
while [ $turn -lt "$BENCH_TIMES" ]; do
    "$measure" "$STINT" job 1 --zone UTC >>"$tmp/job.with" || die "stint job failed"
    "$measure" "$STINT" job 2 --zone UTC >>"$tmp/job.without" || die "stint job failed"
    turn=$((turn + 1))
done
row "a week of samples, one node: cpu time" "$(median 2 <"$tmp/job.with")" "$(median 2 <"$tmp/job.without")" ms 3
row "a week of samples, one node" "$(median_ms "$BENCH_TIMES" "$STINT" job 1 --zone UTC)" "$without" ms 3
row "an hour of $nodes nodes" "$(median_ms "$BENCH_TIMES" "$STINT" job 3 --zone UTC)" "$without" ms ""
row "the same as SVG (--profile)" "$(median_ms "$BENCH_TIMES" "$STINT" job 3 --profile --format svg --zone UTC)" "$without" ms ""
