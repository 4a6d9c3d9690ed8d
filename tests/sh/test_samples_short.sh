#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint samples --jobs: what the control group of all jobs counted and no job was seen to use, over resets of either.
. "$(dirname "$0")/../support/sh.sh"

cat >looks.mjs <<'END'
const start = Date.parse('2026-03-02T10:00:00Z');
const seconds = (cpu, generation) => ({ cpu_time_us: cpu * 1e6, ...(generation ? { generation } : {}) });
const holder = (cpu, generation, scope = '/system.slice/slurmstepd.scope') =>
    ({ job: 0, epoch: 1, scope, cgroup: { kind: 'jobs', ...seconds(cpu, generation) }, processes: [] });
const job = (number, cpu, generation) => ({ job: number, user: 'ann', epoch: 0, cgroup: seconds(cpu, generation), processes: [] });
const nodes = {
    // 200 s in all; job 1 used 60 up to its last look, job 2, which came later, 30: 110 are left
    n1: [[holder(100, 7), job(1, 10, 1)], [holder(160, 7), job(1, 40, 1)], [holder(220, 7), job(1, 70, 1), job(2, 20, 2)], [holder(300, 7), job(2, 30, 2)]],
    // a boot after the first look: 90 s since, of which job 4 used 60; what was used before the boot is not known
    n2: [[holder(1000, 7), job(3, 500, 1)], [holder(50, 8), job(4, 30, 3)], [holder(90, 8), job(4, 60, 3)]],
    // a job under the same number again, whose counter is higher than that of before: 30 + 50 of 100
    n3: [[holder(5, 7), job(5, 10, 1)], [holder(55, 7), job(5, 40, 1)], [holder(105, 7), job(5, 50, 2)]],
    // nobody says what is a generation: a counter that falls began again, 20 + 30 of which job 6 used 15 + 25
    n4: [[holder(80), job(6, 50)], [holder(100), job(6, 65)], [holder(30), job(6, 25)]],
    // all of it was seen
    n5: [[holder(10, 7), job(7, 10, 1)], [holder(20, 7), job(7, 20, 1)]],
    // an agent that does not say what all jobs used
    n6: [[job(8, 10)], [job(8, 20)]],
    // two schedulers on a node: 10 + 5
    n7: [[holder(0, 7), holder(0, 9, '/sge')], [holder(10, 7), holder(5, 9, '/sge')]],
    // one look says nothing
    n8: [[holder(99, 7), job(9, 10, 1)]],
};
for (const [node, looks] of Object.entries(nodes))
    looks.forEach((jobs, i) => console.log(JSON.stringify({
        meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
        data: { type: 'sample', attributes: { time: new Date(start + i * 60000).toISOString().replace('.000', ''), cluster: 'c', node, jobs } } })));
END
node looks.mjs >looks.json && check stint import sonar --cluster c looks.json
P='--from 2026-03-02 --to 2026-03-02 --zone UTC'
# shellcheck disable=SC2086
short() { stint samples --jobs $P --format csv --no-header "$@" 2>"$ERR" | grep 'not attributed' | cut -d, -f1,3,6-9; }

it 'what no job was seen to use is a row of its node, over resets'
expect_equal ',n1,not attributed,2026-03-02T10:00:00Z,2026-03-02T10:03:00Z,110
,n2,not attributed,2026-03-02T10:00:00Z,2026-03-02T10:02:00Z,30
,n3,not attributed,2026-03-02T10:00:00Z,2026-03-02T10:02:00Z,20
,n4,not attributed,2026-03-02T10:00:00Z,2026-03-02T10:02:00Z,10
,n7,not attributed,2026-03-02T10:00:00Z,2026-03-02T10:01:00Z,15' "$(short)"

it 'and is said below the table'
# of 200 + 90 + 100 + 50 + 10 + 15 = 465 s, 185
check stint samples --jobs --from 2026-03-02 --to 2026-03-02 --zone UTC
expect_out_has '185.0 s of cpu time, 39.8% of what jobs used'

it 'within a period, it is what lies between its looks'
expect_equal ',n1,not attributed,2026-03-02T10:01:00Z,2026-03-02T10:02:00Z,10' \
    "$(stint samples --jobs -w n1 --from 2026-03-02T10:01 --to 2026-03-02T10:03 --zone UTC --format csv --no-header 2>"$ERR" | cut -d, -f1,3,6-9)"

it 'a node can be asked for; of a user or a job there is none'
expect_equal ',n7,not attributed,2026-03-02T10:00:00Z,2026-03-02T10:01:00Z,15' "$(short -w n7)"
expect_equal '' "$(short -u ann)"
expect_equal '' "$(short -j 1)"

it 'samples of all jobs are no jobs'
expect_equal 20 "$(stint samples --kind jobs $P --format csv --no-header 2>"$ERR" | wc -l)"
expect_equal '' "$(stint samples $P --format csv --no-header 2>"$ERR")"

finish
