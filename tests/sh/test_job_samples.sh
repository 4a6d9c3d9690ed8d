#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint job with samples: numbers that can be worked out by hand, what they are based on, and advice that follows from them, among it
# where the right advice is none.
. "$(dirname "$0")/../support/sh.sh"

# samples JOB NODES MINUTES: a look a minute of a job that began at 10:00. Of node i the function `use` says what it has at minute m.
cat >samples.mjs <<'END'
const [job, nodes, minutes, script, cards] = process.argv.slice(2);
const use = eval(script), gpus = eval(cards || '() => []');
for (let m = 1; m <= minutes; m++) {
    for (let i = 0; i < nodes; i++) {
        const time = new Date(Date.parse('2026-03-01T10:00:00Z') + m * 60000).toISOString().replace('.000', '');
        const list = gpus(i, m).map((card, index) => ({ uuid: `GPU-${i}${index}`, index, ce_util: card[0], memory: card[1] * 1048576,
            counters: { job: Number(job), user: 'ann', mem_total_bytes: 80 * 2 ** 30 } }));
        console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
            data: { type: 'sample', attributes: { time, cluster: 'c', node: `n${i + 1}`, system: { counters: { cpus: 8 }, gpus: list },
                jobs: [{ job: Number(job), user: 'ann', epoch: 0, cgroup: use(i, m), processes: [] }] } } }));
    }
}
END
samples() { node samples.mjs "$@" >samples.json && stint import sonar samples.json >/dev/null 2>"$ERR"; }

# run JOB CPUS NODES MEMORY TRES STATE: an hour of a ten hours' limit, of which accounting says nothing that was used.
sacct_head='JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|AllocTRES|ExitCode'
record() {
    { echo "$sacct_head"; echo "$1|$1|ann|chem|gpu|md|$6|2026-03-01T09:50:00|2026-03-01T10:00:00|2026-03-01T11:00:00|3600|$2|$2|$3|n[1-$3]|$4|90|cpu=$2,mem=$4,node=$3$5|0:0"; } >sacct.psv
    stint import slurm --cluster c --zone UTC sacct.psv >/dev/null 2>&1
}
shown() { stint job "$1" --zone UTC --width 100; }
# line JOB LABEL: without the bars, which are the share once more
line() { shown "$1" | grep "^$2 " | sed 's/[█░]//g; s/  */ /g; s/ $//'; }

it 'cpus and memory are those of the control groups, over all nodes'
record 1 16 2 64G '' COMPLETED
samples 1 2 60 '(i, m) => ({ cpu_time_us: (i ? 1 : 6) * m * 6e7, rss_bytes: (i ? 2 : m < 30 ? 4 : 12) * 2 ** 30, mem_file_bytes: 2 ** 35, read_bytes: m * 2 ** 20, written_bytes: 0, processes: 3 })'
expect_equal 'CPUs 16 16 7.0 43.8 % cgroup' "$(line 1 CPUs | head -1)"
expect_equal 'Memory 64.0 GiB 64.0 GiB 14.0 GiB 21.9 % cgroup' "$(line 1 Memory | head -1)"
expect_equal 'Samples 2 nodes, about every 60 s, 100 % of its node time' "$(line 1 Samples)"
expect_equal 'Imbalance n2 worked 17 % of what n1 did' "$(line 1 Imbalance)"
expect_equal 'Disks read 120.0 MiB, written 0 B (cgroup, block devices only)' "$(line 1 Disks)"

it 'bars are as long as the share, and nodes that differ are listed'
expect_equal '████░░░░ ██░░░░░░' "$(shown 1 | sed -n 's/.*%  \([█░]*\)  cgroup$/\1/p' | paste -sd' ' -)"
expect_equal 'Node n1: 6.0 cpus at work, at most 12.0 GiB
Node n2: 1.0 cpus at work, at most 2.0 GiB' "$(line 1 Node)"
expect_equal 0 "$(shown 1 | grep -c 'from accounting alone')"

it 'graphs are as high as the share of what was given'
expect_equal 'up to 7.0 of 16' "$(shown 1 | sed -n 's/^CPUs .*▄▄▄  \(up to .*\)/\1/p')"
expect_equal 'up to 14.0 GiB of 64.0 GiB' "$(shown 1 | sed -n 's/^Memory .*▁▁.*▂▂  \(up to .*\)/\1/p')"

it 'how long others waited is told where there are enough of them, and that there are no samples'
expect_equal '' "$(line 1 Others)"
{
    echo "$sacct_head"
    for n in 1 2 3 4 5 6 7 8 9 10; do
        echo "20$n|20$n|bob|chem|other|md|COMPLETED|2026-03-05T09:00:00|2026-03-05T09:0$((n - 1)):00|2026-03-05T11:00:00|3600|1|1|1|n9|1G|90|cpu=1,mem=1G,node=1|0:0"
    done
    echo "211|211|bob|chem|other|md|COMPLETED|2026-03-05T21:00:01|2026-03-05T22:00:00|2026-03-05T23:00:00|3600|1|1|1|n9|1G|90|cpu=1,mem=1G,node=1|0:0"
} >sacct.psv
stint import slurm --cluster c --zone UTC sacct.psv >/dev/null 2>&1
# of 0 to 8 minutes of nine others: the fifth and the ninth; the last one is too far off
expect_equal 'Others 9 runs submitted to other around then waited 00:04:00 (median), 9 of 10 at most 00:08:00' "$(shown 2010 | tr '\n' ' ' | sed 's/  */ /g; s/.*\(Others.*\) Ended.*/\1/')"
expect_equal 1 "$(shown 2010 | grep -c '^from accounting alone')"

it 'memory by looks is not advised to be less, since a peak may lie between them; by the counter of the kernel it is, of the node that has most'
expect_equal 1 "$(shown 1 | tr -s ' \n' ' ' | grep -c 'a peak between two looks would not have been seen, so nothing lower is advised')"
expect_equal 0 "$(shown 1 | grep -c -e '--mem=')"
record 61 16 2 64G '' COMPLETED
samples 61 2 60 '(i, m) => ({ cpu_time_us: 7 * m * 6e7, rss_bytes: 2 ** 30, mem_peak_bytes: (i ? 2 : 12) * 2 ** 30, processes: 3 })'
expect_equal 1 "$(shown 61 | tr -s ' \n' ' ' | grep -c -e '--mem=15G (of a node), its peak, file cache included, and a margin of 20 %')"

it 'the profile has each stretch of time once, and its sums are the totals'
stint job 1 --profile --zone UTC --format csv >profile
expect_equal 7 "$(awk -F, 'NR > 1 { s += $2; n++ } END { printf "%.0f", s / n }' profile)"
expect_equal 15032385536 "$(cut -d, -f3 profile | sort -n | tail -1)"
expect_exit 0 stint job 1 --profile --format svg
expect_out_has '<svg'

it 'cards that a job holds are listed one by one, and idle ones are advised about'
record 2 8 1 16G ',gres/gpu=2' COMPLETED
samples 2 1 60 '(i, m) => ({ cpu_time_us: 7 * m * 6e7, rss_bytes: 12 * 2 ** 30 })' '(i, m) => [[90, 40], [0, 0]]'
expect_equal 'GPU memory 160.0 GiB 40.0 GiB 25.0 % GPU
GPU 0 on n1: busy 90 % of the time, at most 40.0 GiB of 80.0 GiB
GPU 1 on n1: busy 0 % of the time, at most 0 B of 80.0 GiB' "$(line 2 GPU)"
expect_equal 'GPUs --- 2 0.9 45.0 % GPU' "$(line 2 GPUs | head -1)"
expect_equal 'Advice 1 of its 2 GPUs did nothing: ask for --gpus=1 and --mem=16G (of a node), by 60 looks at' "$(line 2 Advice)"

it 'a job that used what it had gets no advice'
record 3 8 1 16G ',gres/gpu=1' COMPLETED
samples 3 1 60 '(i, m) => ({ cpu_time_us: 7 * m * 6e7, rss_bytes: 12 * 2 ** 30 })' '(i, m) => [[55, 40]]'
expect_equal '' "$(line 3 Advice)"

it 'nor does one of which too little was seen'
record 4 8 1 16G ',gres/gpu=2' COMPLETED
samples 4 1 30 '(i, m) => ({ cpu_time_us: 7 * m * 6e7, rss_bytes: 12 * 2 ** 30 })' '(i, m) => [[90, 40], [0, 0]]'
expect_equal 'Samples 1 node, about every 60 s, 50 % of its node time' "$(line 4 Samples)"
expect_equal 'Advice samples cover 50 % of its cpu time: too little to advise fewer cpus' "$(line 4 Advice)"

it 'nor one that failed, since what it would have used is not known'
record 5 8 1 64G ',gres/gpu=2' FAILED
samples 5 1 60 '(i, m) => ({ cpu_time_us: 1 * m * 6e7, rss_bytes: 2 ** 30 })' '(i, m) => [[0, 0], [0, 0]]'
expect_equal '' "$(line 5 Advice)"

it 'samples of another run of the same number are not its own'
{ echo "$sacct_head"; echo "6|6|ann|chem|gpu|md|COMPLETED|2026-03-02T09:50:00|2026-03-02T10:00:00|2026-03-02T11:00:00|3600|8|8|1|n1|16G|90|cpu=8,mem=16G,node=1|0:0"; } >sacct.psv
stint import slurm --cluster c --zone UTC sacct.psv >/dev/null 2>&1
samples 6 1 60 '(i, m) => ({ cpu_time_us: 7 * m * 6e7, rss_bytes: 2 ** 30 })'
expect_equal '' "$(line 6 Samples)"
expect_equal 'CPUs 8 8 --- ---' "$(line 6 CPUs)"
expect_exit 1 stint job 6 --profile
expect_err_has "there are no samples of job '6'"

it 'without control groups, processes are added up'
record 7 8 1 16G '' COMPLETED
cat >processes.mjs <<'END'
for (let m = 1; m <= 60; m++) {
    const time = new Date(Date.parse('2026-03-01T10:00:00Z') + m * 60000).toISOString().replace('.000', '');
    console.log(JSON.stringify({ meta: { producer: 'sonar', version: '0.18.0' }, data: { type: 'sample', attributes: { time, cluster: 'c', node: 'n1',
        jobs: [{ job: 7, user: 'ann', epoch: 0, processes: [1, 2].map((pid) => ({ cmd: 'x', pid, ppid: 0, cpu_time: m * 180, resident_memory: 2097152 })) }] } } }));
}
END
node processes.mjs >samples.json
stint import sonar samples.json >/dev/null 2>"$ERR"
expect_equal 'CPUs 8 8 6.0 75.0 % processes' "$(line 7 CPUs | head -1)"
expect_equal 'Memory 16.0 GiB 16.0 GiB 4.0 GiB 25.0 % processes' "$(line 7 Memory | head -1)"

# --- scale, of one run ---------------------------------------------------------------------------------

# cause JOB NAME: what is said of it
cause() { stint scale -j "$1" --format csv --no-header 2>/dev/null | sed -n "s/^$2,//p"; }

it 'of one run, what holds it back is found: too few threads, serial parts, imbalance, disks'
record 30 16 2 64G '' COMPLETED
samples 30 2 60 '(i, m) => ({ cpu_time_us: (i ? 2 : 4) * m * 6e7, rss_bytes: 2 ** 30, io_stall_us: m * 3e7, mem_stall_us: 0 })'
expect_equal 'yes,never more than 6.0 of 16 cpus were at work: more of them will not help' "$(cause 30 'too few threads')"
expect_equal 'no,one cpu or less was at work for 0 % of the time' "$(cause 30 'serial parts')"
expect_equal 'yes,the node that worked least did 50 % of what the busiest did' "$(cause 30 'imbalance between nodes')"
expect_equal 'yes,processes waited for disks for 50 % of the time' "$(cause 30 disks)"
expect_equal 'no,processes waited for memory for 0 % of the time' "$(cause 30 'memory pressure')"
record 31 8 1 64G '' COMPLETED
samples 31 1 60 '(i, m) => ({ cpu_time_us: (m <= 30 ? m : 30 + (m - 30) * 8) * 6e7, rss_bytes: 2 ** 30 })'
expect_equal 'yes,one cpu or less was at work for 50 % of the time: that part does not become shorter' "$(cause 31 'serial parts')"

it 'and what samples do not carry is not judged'
expect_equal 'cannot tell' "$(cause 31 disks | cut -d, -f1)"
expect_equal 'cannot tell' "$(cause 31 'memory bandwidth' | cut -d, -f1)"
expect_equal 'cannot tell' "$(cause 31 'imbalance between nodes' | cut -d, -f1)"
record 32 8 1 64G '' COMPLETED
run stint scale -j 32
expect_out_has 'cannot tell: there are no samples of this run'

it 'GPUs that wait are distinguished from GPUs that set the pace'
record 33 8 1 16G ',gres/gpu=1' COMPLETED
samples 33 1 60 '(i, m) => ({ cpu_time_us: 8 * m * 6e7 })' '(i, m) => [[30, 40]]'
expect_equal 1 "$(cause 33 'starving GPUs' | grep -c '^yes,.*they wait for the cpus')"
record 34 8 1 16G ',gres/gpu=1' COMPLETED
samples 34 1 60 '(i, m) => ({ cpu_time_us: 2 * m * 6e7 })' '(i, m) => [[95, 40]]'
expect_equal 1 "$(cause 34 'starving GPUs' | grep -c '^no,.*they set the pace')"

it 'stint efficiency lists jobs by their ids, and takes from samples what the scheduler did not record'
expect_equal '1,0.4375,0.21875,
2,0.875,0.75,0.45' "$(stint efficiency slurm-1.out 2 4999 --format csv --no-header 2>"$ERR" | cut -d, -f1,7-9 | sort)"
expect_equal "there is no run of job '4999'" "$(stint efficiency 1 4999 --format table | tail -1)"
expect_exit 1 stint efficiency 4999

it 'a job that runs is what its samples say up to the last of them'
{ echo "$sacct_head"; echo '51|51|ann|chem|gpu|md|RUNNING|2026-03-01T09:50:00|2026-03-01T10:00:00|Unknown|3600|8|8|1|n1|16G|90|cpu=8,mem=16G,node=1,gres/gpu=1|0:0'; } >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
samples 51 1 60 '(i, m) => ({ cpu_time_us: 2 * m * 6e7, rss_bytes: 4 * 2 ** 30 })' '(i, m) => [[50, 40]]'
expect_equal 'CPUs 8 8 2.0 25.0 % cgroup' "$(line 51 CPUs | head -1)"
expect_equal 'GPUs --- 1 0.5 50.0 % GPU' "$(line 51 GPUs | head -1)"
expect_equal 'Memory 16.0 GiB 16.0 GiB 4.0 GiB 25.0 % cgroup' "$(line 51 Memory | head -1)"
expect_equal 'Time 01:30:00 01:00:00 66.7 % samples' "$(line 51 Time)"
expect_equal 'Samples 1 node, about every 60 s, 100 % of its node time so far' "$(line 51 Samples)"
expect_equal '' "$(line 51 Advice)"
expect_equal '51,3600,0.6666666667,0.25,0.25,0.5' "$(stint efficiency 51 --format csv --no-header | cut -d, -f1,5-9)"
expect_equal 1 "$(cause 51 'starving GPUs' | grep -c '^no,.*busy 50 %')"

it 'memory that the kernel does not count for a group is that of processes, or not recorded, not 0'
record 35 8 1 16G '' COMPLETED
samples 35 1 60 '(i, m) => ({ cpu_time_us: 8 * m * 6e7 })'
expect_equal 'Memory 16.0 GiB 16.0 GiB --- ---' "$(line 35 Memory | head -1)"
expect_equal '' "$(stint job 35 --profile --zone UTC --format csv | sed 1d | cut -d, -f3 | sort -u)"

record 36 8 1 16G '' COMPLETED
samples 36 1 60 '(i, m) => ({ cpu_time_us: 8 * m * 6e7 })'
sed 's/"processes":\[\]/"processes":[{"cmd":"md","pid":9,"ppid":1,"cpu_time":1,"resident_memory":4194304}]/' samples.json >both.json
check stint import sonar both.json
expect_equal 'Memory 16.0 GiB 16.0 GiB 4.0 GiB 25.0 % processes' "$(line 36 Memory | head -1)"
expect_equal 'CPUs 8 8 8.0 100.0 % cgroup' "$(line 36 CPUs | head -1)"

it 'looks at one node of twelve are a lower bound: no share, no advice'
record 461 48 12 64G '' COMPLETED
samples 461 1 60 '(i, m) => ({ cpu_time_us: 4 * m * 6e7, rss_bytes: 2 ** 30, processes: 4 })'
expect_equal 'CPUs 48 48 4.0 --- at least: cgroup, 8 % seen' "$(line 461 CPUs | head -1)"
expect_equal 'Memory 64.0 GiB 64.0 GiB 1.0 GiB --- at least: cgroup, 8 % seen' "$(line 461 Memory | head -1)"
expect_equal 'Samples 1 of 12 nodes, about every 60 s, 8 % of its node time' "$(line 461 Samples)"
expect_equal '461,---,---' "$(stint efficiency 461 --format csv --no-header 2>/dev/null | cut -d, -f1,7,8 | sed 's/,,/,---,/; s/,$/,---/')"

it 'what the kernel kept counts, and file cache in it is named'
record 462 4 1 8G '' COMPLETED
samples 462 1 60 '(i, m) => ({ cpu_time_us: 4 * m * 6e7, rss_bytes: 2 ** 30, mem_peak_bytes: 5 * 2 ** 30, mem_file_bytes: 2 ** 30, processes: 4 })'
expect_equal 'Memory 8.0 GiB 8.0 GiB 5.0 GiB 62.5 % kernel, with file cache' "$(line 462 Memory | head -1)"
expect_equal '5368709120,kernel,0.625' "$(stint jobs -j 462 -o mem_peak,mem_basis,mem_efficiency --format csv --no-header)"

it 'of 64 nodes those that stand out are listed, and all are drawn'
record 90 512 64 640G '' COMPLETED
samples 90 64 60 '(i, m) => ({ cpu_time_us: (i === 40 ? 0.5 : i === 41 ? 2 : i === 50 ? 8 : 6) * m * 6e7, rss_bytes: (i === 60 ? 9 : i === 61 ? 1 : 4) * 2 ** 30 })'
expect_equal 'Node n41: 0.5 cpus at work, at most 4.0 GiB
Node n42: 2.0 cpus at work, at most 4.0 GiB' "$(line 90 Node | head -2)"
expect_equal 1 "$(line 90 Node | grep -c '^Node n51: 8.0 cpus')"
expect_equal 1 "$(line 90 Node | grep -c '^Node n61: .* at most 9.0 GiB')"
expect_equal 1 "$(line 90 Node | grep -c '^Node n62: .* at most 1.0 GiB')"
expect_equal 7 "$(line 90 Node | wc -l)"
expect_equal 1 "$(shown 90 | grep -c 'and 57 between these')"
# a height is of three bytes
expect_equal $((64 * 3)) "$(shown 90 | sed -n 's/^Nodes  *\([▁▂▃▄▅▆▇█ ]*\)  up to 8.0.*/\1/p' | tr -d ' \n' | wc -c)"

finish
