#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint timeline, and the pages made of it: numbers that can be worked out by hand, for those who may see them.
. "$(dirname "$0")/../support/sh.sh"

# A look each ten minutes for two hours at two nodes with two cards: the first works for job 1 with 4 of 8 cpus, one card is busy half of the
# time and the other is idle.
cat >looks.mjs <<'END2'
for (let m = 0; m <= 120; m += 10) {
    for (const n of [1, 2]) {
        const time = new Date(Date.parse('2026-03-01T10:00:00Z') + m * 60000).toISOString().replace('.000', '');
        const works = n === 1;
        const card = (index, busy) => ({uuid: `GPU-${n}${index}`, index, ce_util: busy, memory: busy ? 1048576 : 0,
            counters: works ? {job: 1, user: 'ann'} : {}});
        console.log(JSON.stringify({meta: {producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{key: 'absent', value: 'unknown'}]},
            data: {type: 'sample', attributes: {time, cluster: 'c', node: `n${n}`,
                system: {counters: {cpus: 8, cpu_time_us: works ? 4 * m * 6e7 : 0, mem_total_bytes: 2 ** 34, mem_used_bytes: works ? 2 ** 33 : 0,
                    received_bytes: m * 6e8, sent_bytes: m * 12e8},
                    gpus: [card(0, works ? 50 : 0), card(1, 0)]},
                jobs: works ? [{job: 1, user: 'ann', epoch: 0, cgroup: {cpu_time_us: 4 * m * 6e7, rss_bytes: 2 ** 32, read_bytes: m * 6e7, written_bytes: m * 3e7}, processes: []}] : []}}}));
    }
}
END2
node looks.mjs >looks.json
{
    echo 'JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|AllocTRES|ExitCode'
    echo '1|1|ann|chem|gpu|md|COMPLETED|2026-03-01T09:50:00|2026-03-01T10:00:00|2026-03-01T12:00:00|7200|4|4|1|n1|8G|180|cpu=4,mem=8G,node=1,gres/gpu=2|0:0'
    echo '2|2|bob|chem|gpu|md|COMPLETED|2026-03-01T09:50:00|2026-03-01T10:00:00|2026-03-01T12:00:00|7200|4|4|1|n2|8G|180|cpu=4,mem=8G,node=1|0:0'
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
check stint import sonar --cluster c looks.json

# line OPTION...: a timeline of that morning, as CSV
line() { stint timeline --zone UTC --from 2026-03-01T10:00:00Z --to 2026-03-01T12:01:00Z --format csv --no-header "$@"; }

it 'the share of cpus in use is what was used since the look before'
expect_equal '0.5' "$(line --node n1 | cut -d, -f3 | sort -u)"
expect_equal '0' "$(line --node n2 | cut -d, -f3 | sort -u)"

it 'bytes of disks and networks are a rate, of what both counters say'
expect_equal '1500000' "$(line --of job_io --by job --job 1 | cut -d, -f3 | sort -u)"
expect_equal '30000000' "$(line --of network --by node --node n2 | cut -d, -f3 | sort -u)"

it 'looks are one stretch apart, at round times, and the first has nothing to be compared with'
expect_equal '2026-03-01T10:00:00Z,n1' "$(line --node n1 --points 8 | head -1 | cut -d, -f1,2)"
expect_equal '2026-03-01T10:15:00Z,n1' "$(line --node n1 | sed -n 2p | cut -d, -f1,2)"

it 'nothing is shown after the last look, which says what happened before it'
expect_equal '2026-03-01T11:45:00Z' "$(line --node n1 | tail -n 1 | cut -d, -f1)"
expect_equal '2026-03-01T11:45:00Z' "$(line --of job_cpus --by job --job 1 | tail -n 1 | cut -d, -f1)"

it 'a stretch has what was used in it, where looks and stretches do not begin together'
# all cpus work from 10:30 to 11:00
sed "s/const works = n === 1;/const works = true;/; s/cluster: 'c'/cluster: 'd'/; s/4 \* m \* 6e7/8 * Math.max(0, Math.min(m - 30, 30)) * 6e7/g" looks.mjs >half.mjs
node half.mjs >half.json
check stint --store half import sonar half.json
expect_equal '10:15,0 10:30,1 10:45,1 11:00,0 ' "$(line --store half --node n1 | sed -n '2,5s/.*T\(..:..\):00Z,n1/\1/p' | tr '\n' ' ')"
expect_equal '10:15,0 10:30,8 10:45,8 11:00,0 ' "$(line --store half --node n1 --of job_cpus --by node | sed -n '2,5s/.*T\(..:..\):00Z,n1/\1/p' | tr '\n' ' ')"

it 'nodes, cards and jobs of two clusters are not the same ones'
check stint --store half import sonar looks.json
expect_equal 'n1,c,0.5 n1,d,0 n1,d,1 n2,c,0 n2,d,0 n2,d,1' "$(line --store half | cut -d, -f2-4 | sort -u | xargs)"
expect_equal 'n1 0,c n1 0,d n1 1,c n1 1,d' "$(line --store half --of gpu --by card --node n1 | cut -d, -f2,3 | sort -u | xargs -d '\n')"
expect_equal '1,c,4 1,d,0 1,d,16' "$(line --store half --of job_cpus --by job | cut -d, -f2-4 | sort -u | xargs)"
expect_equal 'n1,0.5 n2,0' "$(line --store half --cluster c | cut -d, -f2,3 | sort -u | xargs)"

it 'cards, memory and jobs have their own numbers'
expect_equal 'n1 0,0.5 n1 1,0 n2 0,0 n2 1,0 ' "$(line --of gpu --by card | cut -d, -f2,3 | sort -u | tr '\n' ' ')"
expect_equal 'n1,0.5 n2,0 ' "$(line --of memory | cut -d, -f2,3 | sort -u | tr '\n' ' ')"
expect_equal 'ann,4 ' "$(line --of job_cpus --by user | cut -d, -f2,3 | sort -u | tr '\n' ' ')"
expect_equal '4294967296' "$(line --of job_memory --by all | cut -d, -f2 | sort -u)"
expect_equal '1,4 ' "$(line --of job_cpus --by job --job 1 | cut -d, -f2,3 | sort -u | tr '\n' ' ')"
expect_equal '' "$(line --of job_cpus --job 2)"

it 'a mean over nodes is one of nodes, a sum of memory one of cards'
expect_equal '0.25' "$(line --by cluster | cut -d, -f3 | sort -u)"
expect_equal '1073741824' "$(line --of gpu_memory --by all | cut -d, -f2 | sort -u)"

it 'it is drawn over time: lines, or a map'
expect_exit 0 stint timeline --from 2026-03-01 --to 2026-03-01 --zone UTC --format svg
expect_out_has 'CPU use over time by node'
expect_out_has 'line chart'
expect_exit 0 stint timeline --from 2026-03-01 --to 2026-03-01 --zone UTC --format svg --chart heat
expect_out_has 'heat chart'

it 'what cannot be asked is refused with a sentence; what is not there is said'
expect_exit 2 stint timeline --of heat
expect_exit 2 stint timeline --points 0
expect_err_has '--points is a number from 1 to 1000'
expect_exit 0 stint timeline --from 2020-01-01 --to 2020-01-02
expect_out_has 'no sample of this kind'

# page ADDRESS: of this store, as staff see it
page() { "${STINT%/bin/stint}/tests/page" store "$1" >out 2>err || cat err; }

it "a job's page draws its cpus, memory and cards, those of a job without samples nothing"
page /job/1
for title in 'CPUs at work' 'Memory' 'GPUs, one by one' 'Memory of its GPUs' 'Read from and written to disks'; do
    expect_exit 0 grep -qF "$title" out
done
expect_exit 0 grep -qF '/answer/timeline?' out
expect_exit 1 grep -qF 'by node' out # it had one
expect_exit 0 grep -qF '<span>4 given</span>' out
expect_exit 0 grep -qF '<span>8 GiB given</span>' out
page /job/2
expect_exit 1 grep -qF 'CPUs at work' out

it "a node's page has what it did, and who worked there"
stint timeline --from 2026-03-01 --zone UTC >/dev/null 2>&1
page '/answer/timeline?of=cpu&node=n1&from=2026-03-01&to=2026-03-01'
expect_exit 0 grep -qF 'CPU use' out
page '/live/use?from=2026-03-01&to=2026-03-01'
for title in 'CPUs of nodes' 'GPUs' 'Memory of nodes' 'CPUs at work, by user'; do
    expect_exit 0 grep -qF "$title" out
done

# --- now, for Prometheus ------------------------------------------------------------------------------

it 'metrics have what nodes and GPUs of a cluster do now, and no label of a job, user or node'
sed "s/Date.parse('2026-03-01T10:00:00Z') + m \* 60000/Math.floor(Date.now() \/ 1000) * 1000 - (120 - m) * 60000/; s/'c', node/'now', node/; s/m += 10/m += 5/" looks.mjs >recent.mjs
node recent.mjs >recent.json
check stint import sonar --cluster now recent.json
stint metrics >metrics
# n1 works with 4 of 8 cpus and half of its memory, n2 with none; one card of four is busy half of the time, and one more is held
expect_equal 'stint_gpu_use_ratio{cluster="now"} 0.125
stint_gpus_held_idle{cluster="now"} 1
stint_node_cpu_use_ratio{cluster="now"} 0.25
stint_node_memory_use_ratio{cluster="now"} 0.25
stint_sampled_gpus{cluster="now"} 4
stint_sampled_nodes{cluster="now"} 2' "$(grep '^stint_\(sampled\|node_\|gpu_use\|gpus_held\)' metrics | sort)"
expect_equal 0 "$(grep -c 'cluster="c".*ratio\|job=\|user=\|node=' metrics)"

finish
