#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The pages about now and about one job, from listings of a scheduler: each node and GPU has a cell that says what it is, the counts
# are those of stint nodes and stint queue, and a job says first how it went, or why it waits.
. "$(dirname "$0")/../support/sh.sh"

page() {
    "${STINT%/bin/stint}/tests/page" store "$@" >answer 2>err || { cat err; return 1; }
    how=$(head -1 answer)
    tail -n +2 answer >out
}
count() { grep -o "$1" out | wc -l | tr -d ' '; }

now=$(date +%s)
node_line() { # NAME CPUS ALLOCATED STATE GPUS GPUS-ALLOCATED REASON
    printf 'NodeName=%s Arch=x86_64 CPUAlloc=%s CPUTot=%s NodeHostName=%s Gres=%s RealMemory=64000 AllocMem=0 State=%s Partitions=main,fat CfgTRES=cpu=%s%s AllocTRES=cpu=%s%s%s\n' \
        "$1" "$3" "$2" "$1" "$([ "$5" -gt 0 ] && echo "gpu:a100:$5" || echo '(null)')" "$4" \
        "$2" "$([ "$5" -gt 0 ] && echo ",gres/gpu=$5,gres/gpu:a100=$5")" "$3" "$([ "$5" -gt 0 ] && echo ",gres/gpu=$6,gres/gpu:a100=$6")" "${7:+ Reason=$7 [root@2026-01-01T00:00:00]}"
}
{
    node_line n1 16 16 ALLOCATED 0 0
    node_line n2 16 4 MIXED 0 0
    node_line n3 16 0 IDLE 0 0
    node_line n4 16 0 DOWN 0 0 'no <b>power</b>'
    node_line g1 32 8 MIXED 4 3
    node_line g2 32 0 IDLE+DRAIN 4 0 'a fan'
} >nodes.txt
check stint import slurm --cluster c --zone UTC nodes.txt
cat >squeue.mjs <<'END2'
const now = Number(process.argv[2]), set = number => ({ set: true, infinite: false, number });
const job = (job_id, state, x) => ({ job_id, job_state: [state], partition: 'main', cluster: 'c', user_name: 'ann', account: 'chem', name: 'md', priority: set(100),
    submit_time: set(now - 7200), eligible_time: set(now - 7200), start_time: set(0), end_time: set(0), time_limit: set(600), cpus: set(4), node_count: set(1),
    tres_req_str: 'cpu=4,mem=1000M,node=1', ...x });
console.log(JSON.stringify({ jobs: [
    job(1, 'RUNNING', { start_time: set(now - 3600), end_time: set(now + 32400), nodes: 'n2', tres_alloc_str: 'cpu=4,mem=1000M,node=1' }),
    job(2, 'PENDING', { state_reason: 'Priority' }), job(3, 'PENDING', { state_reason: 'Resources', cpus: set(16), tres_req_str: 'cpu=16,mem=1000M,node=1' }),
], last_update: set(now), meta: {} }));
END2
node squeue.mjs "$now" >squeue.json
check stint import slurm --cluster c --zone UTC squeue.json
{
    echo 'JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|AllocTRES|TimelimitRaw|ExitCode|TotalCPU'
    echo '7|7|ann|chem|main|md|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|2026-01-01T03:00:00|7200|4|4|1|n2|1000M|cpu=4,mem=1000M,node=1|600|0:0|01:00:00'
    echo '8|8|ann|chem|main|md|TIMEOUT|2026-01-01T00:00:00|2026-01-01T01:00:00|2026-01-01T03:00:00|7200|4|4|1|n2|1000M|cpu=4,mem=1000M,node=1|120|0:0|'
    echo '9|9|ann|chem|main|md|CANCELLED by 7|2026-01-01T00:00:00|Unknown|2026-01-01T03:00:00|0|0|4|1|None assigned|1000M||120|0:0|'
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv

it 'each node has a cell, whose look is its state and whose title says it'
page /live
expect_equal 200 "${how%% *}"
expect_equal 6 "$(count '<svg class="[a-z]*" role="img"')"
expect_equal 3 "$(count 'svg class="busy" role')"
expect_equal 1 "$(count 'svg class="idle" role')"
expect_equal 1 "$(count 'svg class="drain" role')"
expect_equal 1 "$(count 'svg class="down" role')"
expect_exit 0 grep -qF 'title="n2: mixed, 4 of 16 cpus in use"' out
expect_exit 0 grep -qF '<rect class="f1" y="75.0%" width="100%" height="25.0%"/>' out
expect_exit 0 grep -qF 'href="/node/c/n1"' out
expect_exit 0 grep -qF 'main, fat' out

it 'a reason is a text, wherever it stands'
expect_exit 0 grep -qF 'no &lt;b&gt;power&lt;/b&gt;' out
expect_exit 1 grep -qF 'no <b>power' out

it 'each GPU has a cell: held, free, or of a node that takes no jobs'
expect_equal 3 "$(count '<i class="held"></i>' | awk '{ print $1 - 1 }')" # one is of the key
expect_equal 1 "$(count '<i class="f"></i>' | awk '{ print $1 - 1 }')"
expect_equal 4 "$(count '<i class="d"></i>' | awk '{ print $1 - 1 }')"
expect_exit 0 grep -qF 'a100 · 1 of 8 free' out

it 'what is free is what stint nodes says'
free=$(stint nodes --by cluster --format json | sed -n 's/.*"cpus_free":\([0-9]*\).*/\1/p' | head -n 1)
expect_exit 0 grep -qF "<div class=\"v\">$free<small>of 128</small>" out

it 'what is out says why, the worst first'
expect_equal 'n4 g2' "$(sed -n 's/.*<a class="row" href="[^"]*">\([^<]*\)<.*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"

it 'a queue has as many jobs that wait as stint queue counts'
waiting=$(stint queue --by partition --format csv --no-header | sed -n 's/^main,\([0-9]*\),.*/\1/p')
expect_equal 2 "$waiting"
expect_exit 0 grep -qF "$waiting jobs wait<small>for 20 cpus" out

it 'a job that waits says why, what it asked for, and what its queue is like'
page '/job/2?c=c'
expect_equal 200 "${how%% *}"
expect_exit 0 grep -qF 'It waits, since 2 h' out
expect_exit 0 grep -qF 'jobs with a higher priority are ahead of it.' out
expect_exit 0 grep -qF '<h2>Asked for</h2>' out
expect_exit 0 grep -qF 'Its queue now' out
expect_exit 1 grep -qF 'not measured' out

it 'one that runs says since when, and what was not measured is not said to be zero'
page '/job/1?c=c'
expect_exit 0 grep -qF 'It runs; it has run for 1 h' out
expect_exit 0 grep -qF 'use not measured' out
expect_exit 0 grep -qF 'limit<strong title=' out
expect_exit 1 grep -qF 'class="lab">GPUs' out

it 'one that is over says how it ended'
page '/job/7?c=c'
expect_exit 0 grep -qF 'It finished after 2 h' out
expect_exit 0 grep -qF '0.5 of 4' out
expect_exit 0 grep -qF '<rect class="fbad" width="12.50%" height="14"/>' out
page '/job/8?c=c'
expect_exit 0 grep -qF 'It reached its time limit of 2 h' out
page '/job/9?c=c'
expect_exit 0 grep -qF 'It was cancelled before it started' out

it 'and is HTML that a strict reader understands'
for address in / /attention /live '/job/2?c=c' '/job/1?c=c' '/job/7?c=c' '/job/9?c=c'; do
    page "$address"
    xmllint --html --noout out 2>&1 | grep -E '^out:[0-9]+: .* error :' | grep -v 'Tag .* invalid' >complaints
    expect_equal '' "$(cat complaints)"
done

it 'the numbers of a page are of all clusters together, as the report has them'
check stint import slurm --cluster d --zone UTC sacct.psv
want=$(stint report cpu_hours --user ann --from 2026-01-01 --to 2026-01-01 --format csv --no-header)
expect_equal 32 "$want"
page '/user/ann?from=2026-01-01&to=2026-01-01'
expect_exit 0 grep -qF '<div class="v">32<' out
expect_exit 1 grep -qF 'GPU hours' out # nobody used any

it 'what needs attention comes first, and is linked'
page /
expect_equal 200 "${how%% *}"
expect_exit 0 grep -qF '<strong>1 to look at</strong>' out
expect_exit 0 grep -qF '2 of 6 nodes of c are out of service' out
page /attention
expect_equal 200 "${how%% *}"
expect_exit 0 grep -qF '1 down, 1 drained or draining' out
expect_exit 0 grep -qF '<a class="btn" href="/live">' out

it 'a node shows what ran there, over time'
page '/node/c/n2?from=2026-01-01&to=2026-01-01'
expect_exit 0 grep -qF 'What ran there, the last week' out

it 'jobs are counted by how they ended, sorted by a head, and filters are taken off'
page '/jobs?from=2026-01-01&to=2026-01-01&user=ann&class=timeout'
expect_exit 0 grep -qF 'class=completed"><span class="st st-ok">completed</span> 2<' out
expect_exit 0 grep -qF 'aria-label="without user ann"' out
expect_exit 0 grep -qF 'href="/jobs?from=2026-01-01&amp;to=2026-01-01&amp;class=timeout"' out
expect_exit 0 grep -qF 'aria-sort="descending"' out
page '/jobs?from=2026-01-01&to=2026-01-01&sort=cpus&order=up'
expect_exit 0 grep -qF '<th scope="col" class="n" aria-sort="ascending"' out

it 'a meter of the overview has its target as a mark'
check stint capacity add --cluster c --cpus 128 --from 2025-01-01
check stint target add busy --measure utilization --amount 0.6 --from 2025 --to 2099 -M c
page /
expect_exit 0 grep -qF -- '>target 60 %</text>' out

it 'a page about now has nothing of it where no scheduler was asked'
STINT_STORE=$PWD/empty
export STINT_STORE
check stint import sge --cluster g "$TESTS/fixtures/import/accounting"
"${STINT%/bin/stint}/tests/page" empty /live | tail -n +2 >out
expect_equal 0 "$(count 'svg class="[a-z]*" role="img"')"
expect_exit 1 grep -q 'class="keyrow"' out
finish
