# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# hostile_site: into the store, which somebody has (so that commands cost little): two runs of ann and three of somebody all of whose names
# attack whoever shows them, with samples, and a row of theirs in everything that the books and the bank have. What is theirs has "quux" in
# it; what everybody may see of the site (clusters, metagroups, gaps), "corge".
#
# hostile NAME: that name of theirs.

hostile() { cat "hostile.$1"; }

hostile_files() {
    cat >hostile.mjs <<'END'
import { writeFileSync } from 'node:fs';
const hostile = {
    user: `quuxusr"onmouseover=alert(1) x='`, group: 'quuxgrp</script><script>alert(1)</script>', account: 'quuxacc<img src=x onerror=alert(1)>',
    partition: 'quuxprt&lt;b&gt;]]>', name: '=quuxjob()', project: 'quuxprj\u202egpj.exe', department: 'quuxdep\u0007\u001b[31m',
    qos: 'quuxqos{{user}}${1}`', reservation: 'quuxres\\"\\n', node: 'quuxnod', gpu_type: 'quuxgpu<svg onload=alert(1)>',
    work_dir: 'javascript:quuxdir()', command: 'quuxcmd<script>alert(1)</script>', reason: 'quuxwhy<script>', submit_host: 'quuxhst<script>',
};
const own = Object.fromEntries(Object.keys(hostile).map(name => [name, `ann${name.slice(0, 3)}`]));
own.user = 'ann';
const fields = ['job', ...Object.keys(hostile), 'state', 'cpus', 'gpus', 'submit', 'start', 'end'];
const cell = text => `"${String(text).replaceAll('"', '""')}"`;
const run = (job, who, day) => [job, ...Object.values(who), 'COMPLETED', 4, 1,
    `2026-03-0${day}T00:00:00Z`, `2026-03-0${day}T01:00:00Z`, `2026-03-0${day}T0${3 + day}:00:00Z`].map(cell).join();
const look = (minute, node, job, user) => JSON.stringify({
    meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
    data: { type: 'sample', attributes: { time: new Date(Date.parse('2026-03-01T01:00:00Z') + minute * 6e4).toISOString().replace('.000', ''), cluster: 'alder', node,
        system: { counters: { cpus: 8, cpu_time_us: 4 * minute * 6e7 }, gpus: [{ uuid: `GPU-${node}`, index: 0, ce_util: 1, memory: 1, counters: { job, user } }] },
        jobs: [{ job, user, epoch: 0, cgroup: { cpu_time_us: 4 * minute * 6e7, rss_bytes: 2 ** 30 }, processes: [] }] } } });
const looks = [];
for (let minute = 10; minute <= 120; minute += 10) looks.push(look(minute, 'annnod', 1, 'ann'), look(minute, 'quuxnod', 70003, hostile.user));
const write = (name, lines) => writeFileSync(name, lines.join('\n') + '\n');
write('map', [...fields.map(name => `${name} = ${name}`), 'class COMPLETED = completed']);
write('own.csv', [fields.join(), run(1, own, 1), run(2, own, 2)]);
write('other.csv', [fields.join(), run(70003, hostile, 1), run(70004, hostile, 2), run(70005, hostile, 3)]);
write('looks.json', looks);
Object.assign(hostile, { cluster: 'corge</title><script>alert(1)</script>', metagroup: 'corge"><script>alert(1)</script>' });
Object.entries(hostile).forEach(([name, text]) => writeFileSync(`hostile.${name}`, text));
END
    node hostile.mjs
    echo 'NodeName=annnod Arch=x86_64 CoresPerSocket=4 CPUAlloc=0 CPUTot=8 CPULoad=0.1 Gres=gpu:a100:1 NodeHostName=annnod RealMemory=512000 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=1 Partitions=annpar' >nodes.txt
    touch -d 2026-03-01T00:30:00Z nodes.txt
}

# t_put COMMAND...: it succeeds, or is said.
t_put() { stint "$@" >put.out 2>&1 || t_fail "stint $*" "$(cat put.out)"; }

hostile_site() {
    hostile_files
    t_put import csv --map map --zone UTC --cluster alder own.csv
    t_put import csv --map map --zone UTC --cluster "$(hostile cluster)" other.csv
    t_put import sonar looks.json
    t_put import slurm --cluster alder --zone UTC nodes.txt
    t_put metagroup add "$(hostile metagroup)" --note '<b>corge'
    t_put metagroup add annmet
    t_put member add "$(hostile metagroup)" user "$(hostile user)"
    t_put member add annmet user ann
    t_put people add quuxper --name 'quux<script>alert(1)</script>' --email 'quux@example.org' --logins quuxlog
    t_put name add user "$(hostile user)" 'quuxshown<script>alert(1)</script>'
    t_put target add 'quux<script>alert(1)</script>' --measure cpu_hours --amount 10 --per month --user "$(hostile user)" --group "$(hostile group)" --account "$(hostile account)"
    t_put gap add --cluster "$(hostile cluster)" --from 2026-03-04 --to 2026-03-05 --what 'corge<script>alert(1)</script>'
    t_put capacity add alder --cpus 64
    t_put rate add cpu --cpu 1 --gpu 1
    for t_account in annacc "$(hostile account)"; do
        t_put bank open "$t_account" --from 2026-01-01
        t_put bank grant "$t_account" 100 --from 2026-01-01 --to 2099 --note "of $t_account"
    done
    t_put bank charge --recharge --from 2026-01-01 --apply
    t_put invoice issue "$(hostile account)" --from 2026-03 --note 'quux<script>alert(1)</script>'
    t_put invoice issue annacc --from 2026-03
    t_put view add 'quux<script>alert(1)</script>' '/explore/jobs?by=quuxby' --share staff
    t_put token add quuxtok --role user --logins "$(hostile user)"
    t_put user add 'quuxlog<script>' --role user --password 'correct horse battery'
}
