#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Listings of the queue that are imported as files leave what jobs waited for, as those of a pull do: each as of the instant that it states.
. "$(dirname "$0")/../support/sh.sh"

# Minutes since 2026-01-01T00:00Z; jobs as [number, reason], or [number] for one that runs.
cat >squeue.mjs <<'END'
const [minute, text, starts = ''] = process.argv.slice(2), at = 1767225600 + 60 * Number(minute), set = (number) => ({ set: true, infinite: false, number });
console.log(JSON.stringify({ jobs: eval(text).map(([job_id, reason]) => ({ job_id, job_state: [reason ? 'PENDING' : 'RUNNING'], state_reason: reason ?? 'None', partition: 'main',
    cluster: 'c', user_name: 'ann', account: 'chem', name: 'md', priority: set(100 + Number(minute)), submit_time: set(1767225600), eligible_time: set(1767225600),
    start_time: set(reason ? (starts ? 1767225600 + 60 * starts : 0) : at - 60), end_time: set(0), time_limit: set(60), cpus: set(1), node_count: set(1), nodes: reason ? '' : 'n1' })),
    last_update: set(at), meta: {} }));
END
listing() { node squeue.mjs "$@" >"squeue$1.json" && stint import slurm --cluster "${cluster:-c}" --zone UTC "squeue$1.json" >/dev/null 2>"$ERR"; }
periods() {
    stint waits --periods --from 2026-01-01 --to 2026-01-03 --zone UTC --format csv --no-header "$@" 2>"$ERR" |
        awk -F, '{ split($12, a, /[TZ]/); split($13, b, /[TZ]/); print $2, a[2], b[2], $14, $15 ".." $16 }' | sort
}
spent() { stint waits --from 2026-01-01 --to 2026-01-03 --zone UTC --format csv --no-header 2>"$ERR"; }

it 'a reason that changes from one listing to the next ends a period'
check listing 10 "[[1,'Priority'],[2,'Priority']]"
check listing 40 "[[1,'Resources'],[2,'Priority']]"
expect_equal '1 00:10:00 00:40:00 Priority 110..110
1 00:40:00  Resources 140..140
2 00:10:00  Priority 110..140' "$(periods)"

it 'and what has not ended is known up to the last listing, not up to now'
expect_equal 'Priority,2,1,1,1800
Resources,1,0,0,0' "$(spent)"

it 'a job that started waits no more; of one that a listing does not name nothing is known after the one before'
check listing 60 "[[1]]"
expect_equal '1 00:10:00 00:40:00 Priority 110..110
1 00:40:00 01:00:00 Resources 140..140
2 00:10:00 00:40:00 Priority 110..140' "$(periods)"

it 'the same listing again, and one of before, add nothing'
periods >before
check listing 60 "[[1]]"
check listing 30 "[[1,'Dependency'],[3,'Priority']]"
check stint import --again slurm --cluster c --zone UTC squeue10.json
periods >after
expect_same before after

it 'starts that the scheduler expected are known of them, too'
check listing 70 "[[4,'Priority']]" 100
check listing 101 "[[4]]"
expect_equal '1,1,0,0,1800' "$(stint waits --estimates --by cluster --from 2026-01-01 --to 2026-01-03 --zone UTC --format csv --no-header 2>"$ERR" | cut -d, -f2-)"

it 'each document of a file is a listing of its own, in the order of their instants'
node squeue.mjs 240 "[[6,'Resources']]" >late
node squeue.mjs 200 "[[6,'Priority']]" >early
cat late early >both.json
check stint import slurm --cluster c --zone UTC both.json
expect_equal '6 03:20:00 04:00:00 Priority 300..300
6 04:00:00  Resources 340..340' "$(periods | grep '^6')"

it 'a cluster of its own has its own listings'
cluster=d
check listing 5 "[[1,'Priority']]"
check listing 15 "[[1,'Licenses']]"
expect_equal '1 00:05:00 00:15:00 Priority 105..105
1 00:15:00  Licenses 115..115' "$(periods -M d)"
cluster=c

it 'the screen of a job that waits knows of no more than the last listing does'
expect_equal '10 minutes for Priority, then 0 seconds for Licenses' "$(stint job 1 -M d --zone UTC --width 200 2>"$ERR" | sed -n 's/^Waited  *//p')"

it 'what is dated ahead of the clock says nothing, and keeps no later listing out'
check listing 52560000 "[[9,'Priority']]"
check listing 300 "[[6,'Licenses']]"
expect_equal '6 04:00:00 05:00:00 Resources 340..340
6 05:00:00  Licenses 400..400' "$(periods | grep '^6' | tail -n 2)"

it 'after a day without a listing nothing is known of the time between'
check listing 2000 "[[6,'Licenses']]"
expect_equal '6 05:00:00 05:00:00 Licenses 400..400
6 09:20:00  Licenses 2100..2100' "$(periods | grep '^6.*Licenses')"

it 'a file that is no listing, and one that is empty of jobs that wait, are no trouble'
printf '%s\n' 'JobID|User|State|Submit|Start|End|AllocCPUS' '50|ann|PENDING|2026-01-01T00:00:00|Unknown|Unknown|0' >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
expect_equal 0 "$(periods | grep -c '^50')"
check listing 2060 "[]"

it 'doctor takes no file for a pull'
run stint doctor
expect_equal 0 "$(grep -c '(pull)' "$OUT")"

# --- Nomad ----------------------------------------------------------------------------------------------

# snapshot HOUR STATUS: of one job at that hour
snapshot() {
    printf '{"vo":[{"job_ID":"j","status":"%s","submit_time":"2026-02-01 00:00:00","alloc_ID":%s,"alloc_start":%s,"alloc_end":null,"resources":{"cpu_num":2},"owner":"u1"}]}\n' \
        "$2" "$3" "$4" >"2026-02-01T$1:00:00.json"
    stint import nomad --cluster n --zone UTC "2026-02-01T$1:00:00.json" >/dev/null 2>"$ERR"
}
it 'snapshots of Nomad say that a job waits, until one has started it, or lacks it'
check snapshot 01 pending null null
check snapshot 05 pending null null
check snapshot 09 running '"a"' '"2026-02-01T08:00:00Z"'
expect_equal '01:00:00 09:00:00' "$(stint waits --periods -M n --from 2026-02-01 --to 2026-02-02 --zone UTC --format csv --no-header 2>"$ERR" | sed 's/2026-02-01T\([0-9:]*\)Z/\1/g' | cut -d, -f12,13 | tr , ' ')"
check snapshot 10 pending null null
printf '{"vo":[]}\n' >2026-02-01T11:00:00.json
check stint import nomad --cluster n --zone UTC 2026-02-01T11:00:00.json
expect_equal 0 "$(stint waits --periods -M n --from 2026-02-01 --to 2026-02-02 --zone UTC --format csv --no-header 2>"$ERR" | cut -d, -f13 | grep -c '^$')"

finish
