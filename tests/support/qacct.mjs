// SPDX-License-Identifier: MIT
//
// node qacct.mjs QACCT RUNS: compares, record by record, what `qacct -j '*'` printed with what
// `stint jobs --format json` gave of the same file. Prints every difference and how much was compared; exits 1 if there
// is a difference.
//
// qacct prints a record for each row of the accounting file; rows of the parallel environment mpi that are not
// the last of their job are those of its slave tasks. What they used counts for the job.
import { readFileSync } from 'node:fs';

const [, , qacctFile, runsFile] = process.argv;

const records = readFileSync(qacctFile, 'utf8')
    .split(/^=+$/m)
    .map((text) => new Map(text.split('\n').filter(Boolean).map((line) => [line.split(/\s/)[0], line.slice(13).trim()])))
    .filter((record) => record.size > 0);
const runs = JSON.parse(readFileSync(runsFile, 'utf8'));

// --- how qacct writes things --------------------------------------------------------------------------

const UNITS = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

const text = (value) => (value === 'NONE' || value === 'undefined' || value === undefined ? null : value);
const number = (value) => (text(value) === null ? null : parseFloat(value));
const instant = (value) => (value === '-/-' ? null : new Date(value + ' UTC').getTime());
const size = (value) => parseFloat(value) * UNITS[value.replace(/^[-0-9.e+]*/, '').replace(/s$/, '')];
const half = (value) => 0.00051 * (UNITS[value.replace(/^[-0-9.e+]*/, '').replace(/s$/, '')] ?? 1);

// What is compared: qacct's name, ours, how to read qacct's, how to read ours. Measured ones are summed over slave
// tasks, and agree to the three decimals that qacct prints of each.
const same = [
    ['qname', 'partition', text],
    ['hostname', 'node', text],
    ['group', 'group', text],
    ['owner', 'user', text],
    ['project', 'project', text],
    ['department', 'department', text],
    ['jobname', 'name', text],
    ['account', 'account', text],
    ['priority', 'priority', number],
    ['qsub_time', 'submit', instant, Date.parse],
    ['start_time', 'start', instant, Date.parse],
    ['end_time', 'end', instant, Date.parse],
    ['granted_pe', 'parallel_env', text],
    ['category', 'request', text],
];
const measured = [
    ['ru_utime', 'cpu_user', (run) => run.cpu_user],
    ['ru_stime', 'cpu_system', (run) => run.cpu_system],
    ['cpu', 'cpu_used', (run) => run.cpu_used],
    ['mem', 'mem_integral', (run) => run.mem_integral * UNITS.GB, 1],
    ['io', 'io', (run) => run.io, 1],
    ['iow', 'io_wait', (run) => run.io_wait],
];

// --- rows of slave tasks go to their job ---------------------------------------------------------------

const id = (record) => `${record.get('jobnumber')}.${text(record.get('taskid')) ?? 0}`;
const jobs = [];
const waiting = new Map(); // slave rows seen, by id
for (const record of records) {
    const key = id(record);
    const last = !records.slice(records.indexOf(record) + 1).some((other) => id(other) === key);
    const slave = record.get('granted_pe') === 'mpi' && !last;
    if (slave) {
        waiting.set(key, [...(waiting.get(key) ?? []), record]);
    } else {
        jobs.push([record, ...(waiting.get(key) ?? [])]);
        waiting.delete(key);
    }
}

// --- comparing ----------------------------------------------------------------------------------------

let compared = 0;
const differences = [];
const differ = (what, theirs, ours) => differences.push(`${what}: qacct ${theirs}, stint ${ours}`);

for (const rows of jobs) {
    const [record] = rows;
    const started = instant(record.get('start_time'));
    const candidates = runs.filter((run) => `${run.job}.${run.task ?? 0}` === id(record) && (Date.parse(run.start) || null) === started);
    if (candidates.length !== 1) {
        differ(`job ${id(record)}`, 'has a record', `has ${candidates.length} runs`);
        continue;
    }
    const [run] = candidates;
    for (const [theirs, ours, read, readOurs = (value) => value] of same) {
        const want = read(record.get(theirs)) || null;
        const got = (run[ours] === null ? null : readOurs(run[ours])) || null;
        compared++;
        if (want !== got) {
            differ(`job ${id(record)} ${ours}`, want, got);
        }
    }
    const slots = started === null ? null : number(record.get('slots'));
    const state = [record.get('failed').split(/\s/)[0], record.get('exit_status').split(/\s/)[0]].join(':').replace(/:0$/, '');
    compared += 2;
    if (slots !== run.cpus) {
        differ(`job ${id(record)} cpus`, slots, run.cpus);
    }
    if (state !== run.state) {
        differ(`job ${id(record)} state`, state, run.state);
    }
    for (const [theirs, ours, read, slack = 1e-6] of measured) {
        const want = rows.reduce((sum, row) => sum + size(row.get(theirs)), 0);
        const allowed = rows.reduce((sum, row) => sum + half(row.get(theirs)), 0);
        compared++;
        if (run[ours] === null ? want !== 0 : Math.abs(want - read(run)) > allowed + slack) {
            differ(`job ${id(record)} ${ours}`, want, read(run));
        }
    }
}
if (jobs.length !== runs.length) {
    differ('number of runs', jobs.length, runs.length);
}

console.log(differences.join('\n') || `${jobs.length} runs, ${compared} values, no difference`);
process.exit(differences.length > 0 ? 1 : 0);
