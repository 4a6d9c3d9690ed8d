#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Logs and samples as they come from odd places: clocks that were set, agents that stopped, suspended runs, arrays and components without
# numbers of their own, lists of some of the nodes. Nothing is advised of which the data say nothing, and nobody is accused.
. "$(dirname "$0")/../support/sh.sh"

# Jobs and looks by one script, in minutes since 08:00 of 2 March. job({id, ...}): one of eight cpus on a node of its own; look(m, node,
# [group(id, {...})], cards): an agent's.
cat >lib.mjs <<'END'
import { writeFileSync } from 'node:fs';
const begin = Date.parse('2026-03-02T08:00:00Z') / 1000, sacct = [], looks = [];
const clock = minute => new Date((begin + minute * 60) * 1000).toISOString().replace('.000Z', '');
const span = seconds => [3600, 60, 1].map((unit, i) => String(Math.floor(seconds / unit) % (i ? 60 : 1e9)).padStart(2, '0')).join(':');
const head = ['JobID', 'JobIDRaw', 'User', 'Account', 'Partition', 'JobName', 'State', 'Submit', 'Start', 'End', 'ElapsedRaw', 'Suspended', 'AllocCPUS', 'ReqCPUS', 'NNodes',
    'NodeList', 'ReqMem', 'TimelimitRaw', 'TotalCPU', 'AllocTRES', 'ExitCode'];
export function job({ id, raw = id, user = 'ann', partition = 'main', state = 'COMPLETED', from = 0, length = 240, suspended = 0, cpus = 8, nodes = 1, list = 'n1', limit = 600, total = '', gpus = 0 }) {
    sacct.push([id, raw, user, 'chem', partition, 'md', state, clock(from - 10), clock(from), state === 'RUNNING' ? 'Unknown' : clock(from + length), (length - suspended) * 60,
        span(suspended * 60), cpus, cpus, nodes, list, '8G', limit, total, `cpu=${cpus},mem=8G,node=${nodes}${gpus ? `,gres/gpu=${gpus}` : ''}`, '0:0']);
}
export const group = (id, counters) => ({ job: id, user: 'ann', epoch: 0, processes: [], cgroup: { processes: 1, rss_bytes: 2 ** 30, generation: 5, ...counters } });
export function look(minute, node, jobs, cards = []) {
    looks.push({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
        data: { type: 'sample', attributes: { time: `${clock(minute)}Z`, cluster: 'c', node, jobs,
            system: { counters: { cpus: 64 }, gpus: cards.map((busy, index) => ({ uuid: `GPU-${node}-${index}`, index, ce_util: busy, memory: 1e6, counters: { job: jobs[0].job, user: 'ann' } })) } } } });
}
export function write(without = []) {
    const keep = head.map((name, i) => without.includes(name) ? -1 : i).filter(i => i >= 0);
    writeFileSync('sacct.psv', [head, ...sacct].map(row => `${keep.map(i => row[i]).join('|')}\n`).join(''));
    writeFileSync('samples.json', looks.map(one => `${JSON.stringify(one)}\n`).join(''));
}
END
# site: from a script on standard input, into the store
site() {
    { echo "import { job, look, group, write } from './lib.mjs';"; cat; } >site.mjs
    node site.mjs && stint import slurm --cluster c --zone UTC sacct.psv >/dev/null 2>"$ERR" || return
    [ ! -s samples.json ] || stint import sonar samples.json >/dev/null 2>"$ERR"
}
shown() { stint job "$1" -M c --zone UTC --width 200 2>"$ERR"; }
line() { shown "$1" | grep "^$2 " | sed 's/[█░]//g; s/  */ /g; s/ $//'; }
advice() { stint job "$1" -M c --zone UTC --advice --format csv --no-header 2>"$ERR" | cut -d, -f1-2,6- | sed 's/"//g'; }

it 'a clock that is an hour ahead for ten minutes adds no work'
check site <<'END'
job({ id: 1 });
for (let m = 1; m <= 240; m++) look(m + (m >= 60 && m < 70 ? 60.5 : 0), 'n1', [group(1, { cpu_time_us: m * 6e7 })]);
write();
END
expect_equal 'CPUs 8 8 1.0 12.5 % cgroup' "$(line 1 CPUs | head -1)"
expect_equal 0 "$(shown 1 | grep -c '^Disks')"

it 'nor a peak, nor a node that works harder at any time: while its looks are out of order nobody knows when it worked'
check site <<'END'
job({ id: 10, list: 'n10' });
for (let m = 1; m <= 240; m++) look(m + (m >= 60 && m < 120 ? 30.5 : 0), 'n10', [group(10, { cpu_time_us: m * 6e7 })]);
job({ id: 11, list: 'n11' });
for (let m = 1; m <= 240; m++) look(m - (m >= 120 && m < 130 ? 60.5 : 0), 'n11', [group(11, { cpu_time_us: m * 6e7 })]);
write();
END
for id in 10 11; do
    stint job $id -M c --zone UTC --profile --format json >profile.json 2>"$ERR"
    expect_equal 'most 1, unknown true' "$(node -e '
        const rows = JSON.parse(require("fs").readFileSync("profile.json", "utf8"));
        const most = Math.max(...rows.map((row) => Math.round(row.cpus_at_work * 100) / 100));
        console.log(`most ${most}, unknown ${rows.some((row) => row.cpus_at_work === null)}`);')"
    expect_equal 1 "$(stint timeline --of job_cpus --by node --job $id --from 2026-03-02T08:00 --to 2026-03-02T12:10 --points 500 --zone UTC --format csv --no-header 2>"$ERR" |
        cut -d, -f3 | sort -g | tail -n 1)"
done
expect_equal '1.0' "$(stint rightsize -j 11 -M c --format json 2>"$ERR" | sed -n 's/.*"resource":"cpus".*"used":"\([0-9.]*\)".*/\1/p')"

it 'a run that was suspended did not hang, nor is its owner to blame for GPUs that could not work'
check site <<'END'
job({ id: 2, state: 'RUNNING', suspended: 120, list: 'n2' });
for (let m = 1; m <= 240; m++) look(m, 'n2', [group(2, { cpu_time_us: 8 * 6e7 * (m < 110 ? m : m < 230 ? 110 : 110 + (m - 230) / 100) })]);
job({ id: 3, suspended: 300, length: 480, list: 'g1', partition: 'gpu', gpus: 1 });
for (let m = 1; m <= 480; m++) look(m, 'g1', [group(3, { cpu_time_us: m * 6e7 })], [m < 60 || m > 360 ? 90 : 0]);
job({ id: 4, user: 'bob', suspended: 460, length: 480, list: 'g2', partition: 'gpu', gpus: 1 });
for (let m = 1; m <= 480; m++) look(m, 'g2', [group(4, { cpu_time_us: m * 6e5 })], [m < 20 ? 90 : 0]);
write();
END
expect_equal '' "$(advice 2)"
expect_equal 0 "$(shown 3 | grep -c '^Limited by')"
printf '[hog idle-gpus]\nbusy = 0\n\n[hog paused-gpus]\nbusy = 0\n\n[hog low-gpus]\nbusy = 0\nsum = 0\n' >stint.conf
for rule in idle-gpus paused-gpus low-gpus; do
    expect_equal '' "$(STINT_CONFIG=$PWD/stint.conf stint hogs --rule $rule --from 2026-03-02 --to 2026-03-02 --zone UTC -n 0 --format csv --no-header 2>"$ERR")"
done

it 'what it did after the last look, or where none was made, is not known'
check site <<'END'
job({ id: 5, state: 'TIMEOUT', length: 600, list: 'n5' });
for (let m = 1; m <= 510; m++) look(m, 'n5', [group(5, { cpu_time_us: 8 * 6e7 * Math.min(m, 300) })]);
job({ id: 6, state: 'TIMEOUT', length: 600, list: 'n6' });
for (let m = 1; m <= 600; m++) m > 330 && m < 420 || look(m, 'n6', [group(6, { cpu_time_us: 8 * 6e7 * (m <= 330 ? Math.min(m, 200) : 285) })]);
job({ id: 7, state: 'TIMEOUT', length: 600, list: 'n7' });
for (let m = 1; m <= 600; m++) look(m, 'n7', [group(7, { cpu_time_us: 8 * 6e7 * Math.min(m, 300) })]);
job({ id: 8, state: 'RUNNING', length: 2880, list: 'n8', limit: 10000 });
for (let m = 1; m <= 2500; m += 2) look(m, 'n8', [group(8, { cpu_time_us: 8 * 6e7 * Math.min(m, 2400) })]);
write();
END
unknown='advice,,it ran into its time limit; whether it worked until then is not known: see its output before you request more time'
expect_equal "$unknown" "$(advice 5)"
expect_equal "$unknown" "$(advice 6)"
expect_equal 'advice,,it ran into its time limit, and did nothing for the last 04:59:59 of it: find out what it waited for before you request more time' "$(advice 7)"
expect_equal '' "$(advice 8)"

it 'samples of one task or component are not those of another'
check site <<'END'
for (const task of [1, 2, 3]) {
    job({ id: `20_${task}`, list: `a${task}` });
    for (let m = 1; m <= 240; m++) look(m, `a${task}`, [group(task === 3 ? 20 : 20 + task, { cpu_time_us: (task === 3 ? 1 : 8) * m * 6e7 })]);
}
for (const part of [0, 1]) {
    job({ id: `30+${part}`, list: `h${part}` });
    for (let m = 1; m <= 240; m++) look(m, `h${part}`, [group(30 + part, { cpu_time_us: (part ? 1 : 8) * m * 6e7 })]);
}
write(['JobIDRaw']);
END
for id in 20_1 20_2 20_3 30+1; do expect_equal 'CPUs 8 8 --- ---' "$(line $id CPUs | head -1)"; done
expect_equal 'CPUs 8 8 8.0 100.0 % cgroup' "$(line 30+0 CPUs | head -1)"

it 'numbers of their own, where accounting has them, say whose samples they are'
rm -rf "$STINT_STORE"
check site <<'END'
for (const task of [1, 2, 3]) {
    job({ id: `20_${task}`, raw: task === 3 ? 20 : 20 + task, list: `a${task}` });
    for (let m = 1; m <= 240; m++) look(m, `a${task}`, [group(task === 3 ? 20 : 20 + task, { cpu_time_us: task * m * 6e7 })]);
}
write();
END
for task in 1 2 3; do expect_equal "CPUs 8 8 $task.0 $((task * 125 / 10)).$((task * 125 % 10)) % cgroup" "$(line 20_$task CPUs | head -1)"; done

it 'what a deadline ended did not reach its time limit, whatever it did'
check site <<'END'
job({ id: 40, state: 'DEADLINE', total: '00:00:10' });
write();
END
expect_equal 'advice,,it was ended after 04:00:00 by another limit than that of its time: of cpu time, or a deadline' "$(advice 40)"

it 'a partition of which some nodes are listed has no size by which a run is too big'
check site <<'END'
job({ id: 50, user: 'dan', partition: 'wide', nodes: 4, list: 'p[1-4]', cpus: 256, length: 1500, total: '6000:00:00' });
job({ id: 51, user: 'eve', partition: 'part', nodes: 1, list: 'q1', cpus: 64, length: 1500, total: '1600:00:00' });
job({ id: 52, user: 'fay', partition: 'full', nodes: 1, list: 'r1', cpus: 64, length: 1500, total: '1600:00:00' });
write();
END
for name in p1,wide q1,part r1,full; do
    echo "NodeName=${name%,*} Arch=x86_64 CoresPerSocket=32 CPUAlloc=0 CPUTot=64 NodeHostName=${name%,*} RealMemory=0 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=1 Partitions=${name#*,}"
done >nodes.txt
printf 'PartitionName=part\n   AllowGroups=ALL State=UP TotalCPUs=6400 TotalNodes=100 Nodes=q[1-100] Default=NO MaxTime=UNLIMITED\n\n' >partitions.txt
touch -d 2026-03-02T07:30:00Z nodes.txt partitions.txt
check stint import slurm --cluster c --zone UTC nodes.txt
check stint import slurm --cluster c --zone UTC partitions.txt
expect_equal 'too-big,fay' "$(stint hogs --rule too-big --from 2026-03-02 --to 2026-03-03 --zone UTC -n 0 --format csv --no-header 2>"$ERR" | cut -d, -f1,2)"

it 'energy that nobody measured is none, however it is written'
{
    echo 'JobID|User|Account|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|NNodes|NodeList|ConsumedEnergyRaw'
    for each in 60,4294967294 61,4294967295 62,18446744073709551614 63,0 64,1000; do
        echo "${each%,*}|ann|chem|md|COMPLETED|2026-03-02T07:00:00|2026-03-02T08:00:00|2026-03-02T12:00:00|14400|8|1|n1|${each#*,}"
        echo "${each%,*}.batch|||batch|COMPLETED|2026-03-02T08:00:00|2026-03-02T08:00:00|2026-03-02T12:00:00|14400|8|1|n1|${each#*,}"
    done
} >energy.psv
check stint import slurm --cluster c --zone UTC energy.psv
expect_out '60,
61,
62,
63,
64,1000' stint jobs -j 60,61,62,63,64 --from 2026-03-02 --to 2026-03-02 --zone UTC --fields job,energy --sort job --format csv --no-header

finish
