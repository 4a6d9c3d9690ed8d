#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What holds a run back, from its samples to the lines of stint job: disks, memory pressure, too many threads, throttling, starving GPUs, imbalance; each at
# its edge. And the rows of GPUs and sizes of stint rightsize.
. "$(dirname "$0")/../support/sh.sh"

# JOB CPUS NODES GPUS: an hour each, of which accounting says nothing that was used
{
    echo 'JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|AllocTRES|ExitCode'
    while read -r job name cpus nodes gpus; do
        echo "$job|$job|ann|chem|main|$name|COMPLETED|2026-03-01T09:50:00|2026-03-01T10:00:00|2026-03-01T11:00:00|3600|$cpus|$cpus|$nodes|n[1-$nodes]|8G|90|cpu=$cpus,mem=8G,node=$nodes,gres/gpu=$gpus|0:0"
    done <<'JOBS'
1 disks 4 1 0
2 disks 4 1 0
3 memory 4 1 0
4 memory 4 1 0
5 threads 4 1 0
6 threads 4 1 0
7 threads 4 1 0
8 throttled 4 1 0
9 throttled 4 1 0
10 gpu 4 1 2
11 gpu 4 1 2
12 gpu 4 1 2
13 nodes 16 4 0
14 nodes 16 4 0
15 nodes 16 4 0
16 unseen 4 1 0
21 cards 4 1 4
22 cards 4 1 4
23 cards 4 1 2
24 few 4 1 4
JOBS
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv

# A look a minute, at what each job has on each node at minute m; minutes of a stall are counted in microseconds.
cat >samples.mjs <<'END'
const stall = (cpus, name, share) => (i, m) => ({ cpu_time_us: Math.round(cpus * m * 6e7), rss_bytes: 6 * 2 ** 30, [name]: Math.round(share * m * 6e7) });
const work = (each) => (i, m) => ({ cpu_time_us: Math.round(each[i] * m * 6e7), rss_bytes: 6 * 2 ** 30 });
const jobs = {
    1: [1, stall(3.9, 'io_stall_us', 0.2)], 2: [1, stall(3.9, 'io_stall_us', 0.19)],
    3: [1, stall(3.9, 'mem_stall_us', 0.5)], 4: [1, stall(3.9, 'mem_stall_us', 0.19)],
    5: [1, stall(3.9, 'cpu_stall_us', 0.9)], 6: [1, stall(2.5, 'cpu_stall_us', 0.9)], 7: [1, stall(3.9, 'cpu_stall_us', 0.1)],
    8: [1, stall(3.9, 'throttled_us', 0.05)], 9: [1, stall(3.9, 'throttled_us', 0.04)],
    10: [1, work([3.9]), () => [30, 30]], 11: [1, work([2.5]), () => [30, 30]], 12: [1, work([2.5]), () => [50, 50]],
    13: [4, work([4, 4, 4, 3.1])], 14: [4, work([4, 4, 4, 3.3])], 15: [3, work([4, 1, 4])],
    16: [1, work([3.9])],
    21: [1, work([3.9]), () => [90, 90, 0, 0]], 22: [1, work([3.9]), () => [90, 0, 0, 0]], 23: [1, work([3.9]), () => [90, 90]],
    24: [1, work([3.9]), (m) => (m % 12 ? [] : [90, 0, 0, 0])],
};
for (const [job, [nodes, use, cards = () => []]] of Object.entries(jobs))
    for (let m = 1; m <= 60; m++)
        for (let i = 0; i < nodes; i++) {
            const gpus = cards(m).map((busy, index) => ({ uuid: `G-${job}-${index}`, index, ce_util: busy, memory: busy * 1048576,
                counters: { job: Number(job), user: 'ann', mem_total_bytes: 80 * 2 ** 30 } }));
            console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
                data: { type: 'sample', attributes: { time: new Date(Date.parse('2026-03-01T10:00:00Z') + m * 60000).toISOString().replace('.000', ''), cluster: 'c',
                    node: `n${i + 1}`, system: { counters: { cpus: 8 }, gpus }, jobs: [{ job: Number(job), user: 'ann', epoch: 0, cgroup: use(i, m), processes: [] }] } } }));
        }
END
node samples.mjs >samples.json
check stint import sonar --cluster c samples.json
line() { stint job "$1" --zone UTC --width 200 | sed -n "s/^$2  *//p"; }

it 'disks and memory that it waited for, from a fifth of the time on'
expect_equal 'disks: processes waited for disks for 20 % of the time' "$(line 1 'Limited by')"
expect_equal '' "$(line 2 'Limited by')"
expect_equal 'memory pressure: processes waited for memory for 50 % of the time' "$(line 3 'Limited by')"
expect_equal '' "$(line 4 'Limited by')"

it 'more threads than cpus, where its own cpus are all at work; else others may be why'
expect_equal 'too many threads: some process waited for a cpu for 90 % of the time while all of its cpus were at work: it has more threads than cpus' "$(line 5 'Limited by')"
expect_equal '' "$(line 6 'Limited by')$(line 7 'Limited by')"

it 'throttled cpus'
expect_equal 'throttled cpus: it was stopped by the limit of its cpus for 5 % of the time' "$(line 8 'Limited by')"
expect_equal '' "$(line 9 'Limited by')"

it 'GPUs that wait, for cpus or for something else'
expect_equal 'starving GPUs: GPUs were busy 30 % of the time while all cpus worked: they wait for the cpus, more of which would help' "$(line 10 'Limited by')"
expect_equal 'starving GPUs: GPUs were busy 30 % of the time, and cpus were free: they wait for something else' "$(line 11 'Limited by')"
expect_equal '' "$(line 12 'Limited by')"

it 'imbalance between nodes, if all were seen'
expect_equal 'n4 worked 78 % of what n1 did' "$(line 13 Imbalance)"
expect_equal '' "$(line 14 Imbalance)"
expect_equal 'cannot tell' "$(stint scale -j 15 --format csv --no-header 2>/dev/null | sed -n 's/^imbalance between nodes,\([^,]*\).*/\1/p')"

it 'where nothing of it was sampled nothing is said, and programs have the same rows'
expect_equal '' "$(line 16 'Limited by')"
expect_equal 'limit,disks: processes waited for disks for 20 % of the time' "$(stint job 1 --advice --format csv --no-header | cut -d, -f1,6)"
expect_equal 'advice,gpus,2,--gpus=2 and --mem=8G (of a node),0,"2 of its 4 GPUs did nothing: ask for --gpus=2 and --mem=8G (of a node), by 60 looks at each"' "$(stint job 21 --advice --format csv --no-header | grep gpus)"

it 'rightsize has a row for each number of GPUs, by cards that were looked at often'
P='--from 2026-03-01 --to 2026-03-02 --zone UTC'
# shellcheck disable=SC2086
sized() { stint rightsize $P --format csv --no-header "$@" 2>/dev/null | grep ^GPUs | cut -d, -f1-7; }
expect_equal 'GPUs of 2,1,2.0,2.0,2.0,2.0,0
GPUs of 4,2,4.0,1.0,2.0,2.0,0' "$(sized --name cards)"
expect_equal '' "$(sized --name few)"

it '--top leaves the sizes with few runs out, and says so'
expect_equal 'GPUs of 4,2,4.0,1.0,2.0,2.0,0' "$(sized --name cards --top 1)"
# shellcheck disable=SC2086
run stint rightsize $P --name cards --top 1
expect_out_has '1 more size of cpus or GPUs: raise --top'

finish
