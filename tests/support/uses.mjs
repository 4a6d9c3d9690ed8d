// SPDX-License-Identifier: MIT
//
// node uses.mjs make SEED: runs and samples by chance (nodes that nobody looks at, gaps, counters that are reset, agents beside
// each other) as sacct.psv, samples.json and truth.json, in which the coverage of each run is worked out second by second.
// node uses.mjs compare SEED FIELD...: whether answers have one figure for a run and resource; FIELD is a file as
// compare() below reads it. Prints what differs.
import {readFileSync, writeFileSync} from 'node:fs';

const [what, seedText, ...files] = process.argv.slice(2);
const begin = Date.parse('2026-03-01T10:00:00Z') / 1000, RUNS = 16, ENOUGH = 0.8;

let state = BigInt(seedText) * 2654435761n + 1n;
const below = limit => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
    return Number((state >> 33n) % BigInt(limit));
};
const often = percent => below(100) < percent;
const clock = seconds => new Date(seconds * 1000).toISOString().replace('.000Z', '');
const span = seconds => [3600, 60, 1].map((unit, i) => String(Math.floor(seconds / unit) % (i ? 60 : 1e9)).padStart(2, '0')).join(':');

// Looks of one node or card: moments, with a gap, of one agent or two.
function looks(run, every) {
    const at = new Set();
    for (let agents = often(25) ? 2 : 1; agents > 0; agents--) {
        const from = run.from + below(run.length), to = from + (often(40) ? below(5 * 3600) : 0);
        for (let t = run.from + below(every); t <= run.from + run.length; t += every) {
            if (t < from || t >= to) {
                at.add(t);
            }
        }
    }
    return [...at].sort((a, b) => a - b);
}

// Seconds of a run that are covered, one by one.
function covered(run, moments) {
    const gaps = moments.slice(1).map((t, i) => t - moments[i]).sort((a, b) => a - b);
    const longest = Math.max(3 * (gaps[(gaps.length - 1) >> 1] ?? 0), 15 * 60);
    let count = 0;
    for (let second = run.from; second < run.from + run.length; second++) {
        const next = moments.findIndex(t => t > second);
        count += next >= 0 && moments[next] - (next ? moments[next - 1] : run.from) <= longest;
    }
    return count;
}

function makeRun(id) {
    const run = {id, user: `u${id}`, from: begin + below(600), length: 1200 + below(8 * 3600), nodes: 1 + below(3), each: 1 + below(8),
        cards: often(40) ? 1 + below(2) : 0, every: [60, 300, 600][below(3)], truth: 0, seen: 0, seenCards: 0};
    run.cpus = run.nodes * run.each;
    run.recorded = often(45) ? below(run.cpus * run.length) : -1;
    run.peak = often(45) ? 1 + below(900) : -1;
    return run;
}

function sample(run, node, t, part) {
    return {meta: {producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{key: 'absent', value: 'unknown'}]},
        data: {type: 'sample', attributes: {time: `${clock(t)}Z`, cluster: 'c', node: `r${run.id}n${node + 1}`, system: {counters: {cpus: 64}, gpus: []},
            jobs: [], ...part}}};
}

function make() {
    const runs = [], samples = [];
    const sacct = ['JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|TotalCPU|AllocTRES|MaxRSS|NTasks|ExitCode'];
    for (let id = 1; id <= RUNS; id++) {
        const run = makeRun(id), end = run.from + run.length, nodes = `r${id}n[1-${run.nodes}]`;
        const given = `cpu=${run.cpus},mem=1G,node=${run.nodes}${run.cards ? `,gres/gpu=${run.cards}` : ''}`;
        const times = `2026-03-01T09:00:00|${clock(run.from)}|${clock(end)}|${run.length}|${run.cpus}|${run.cpus}|${run.nodes}|${nodes}`;
        sacct.push(`${id}|${id}|${run.user}|chem|main|md|COMPLETED|${times}|1G|900|${run.recorded < 0 ? '' : span(run.recorded)}|${given}|||0:0`);
        if (run.peak >= 0) {
            sacct.push(`${id}.batch|${id}.batch||||batch|COMPLETED|${times}|||${run.recorded < 0 ? '' : span(run.recorded)}|${given}|${run.peak}M|1|0:0`);
        }
        for (let node = 0; node < run.nodes; node++) {
            if (often(15)) {
                continue;
            }
            const rate = below(run.each * 1000001), reset = often(20) ? run.from + below(run.length) : end + 1, moments = looks(run, run.every);
            run.seen += covered(run, moments);
            for (const t of moments) {
                const cgroup = {cpu_time_us: rate * (t - (t > reset ? reset : run.from)), rss_bytes: (50 + t % 100) * 2 ** 20,
                    mem_peak_bytes: (node ? 200 : 100 + t % 50) * 2 ** 20, mem_file_bytes: 2 ** 20, processes: 1};
                samples.push(sample(run, node, t, {jobs: [{job: id, user: run.user, epoch: 0, cgroup, processes: []}]}));
            }
        }
        runs.push(run);
    }
    writeFileSync('sacct.psv', `${sacct.join('\n')}\n`);
    writeFileSync('samples.json', samples.map(s => `${JSON.stringify(s)}\n`).join(''));
    writeFileSync('truth.json', JSON.stringify(runs.map(run => ({...run, coverage: run.seen / (run.nodes * run.length)}))));
}

const read = name => JSON.parse(readFileSync(name, 'utf8'));
const rowsOf = answer => Array.isArray(answer) ? answer : answer.rows;

// The share of cpus and memory of each run, by each answer.
function shares(name, runs) {
    if (name.endsWith('.screen')) {
        const id = Number(name.match(/\d+/)[0]), out = {id};
        const lines = readFileSync(name, 'utf8').split('\n').map(line => line.replace(/[█░]/g, '').replace(/at least:.*/, ''));
        const percent = label => {
            const cells = lines.find(line => line.startsWith(`${label} `))?.match(/([0-9.]+) %/);
            return cells ? Number(cells[1]) / 100 : null;
        };
        return [{...out, cpu: percent('CPUs'), mem: percent('Memory'), digits: 0.0006,
            coverage: Number(lines.find(line => line.startsWith('Samples '))?.match(/([0-9]+) % of its node time/)?.[1] ?? -1)}];
    }
    return rowsOf(read(name)).map(row => ({
        id: row.id ?? row.job ?? runs.find(run => run.user === row.user)?.id,
        cpu: row.cpu_efficiency ?? (row.cpu_unused !== undefined && row.cpu_unused !== null ? 1 - row.cpu_unused / row.given : null),
        mem: row.mem_efficiency ?? null,
        digits: 1e-6,
    })).map(row => ({...row, id: Number(String(row.id).split(' ')[0])}));
}

function compare() {
    const runs = read('truth.json'), first = new Map(), wrong = [];
    for (const file of files) {
        for (const found of shares(file, runs)) {
            const run = runs.find(one => one.id === found.id);
            if (!run) {
                continue;
            }
            const known = first.get(run.id);
            for (const resource of ['cpu', 'mem']) {
                const other = known?.[resource];
                if (known && ((other === null) !== (found[resource] === null) ||
                              Math.abs(other - found[resource]) > Math.max(known.digits, found.digits))) {
                    wrong.push(`run ${run.id}: ${resource} is ${other} in ${known.file} and ${found[resource]} in ${file}`);
                }
            }
            first.set(run.id, known ?? {...found, file});
            const enough = run.coverage >= ENOUGH;
            if ((found.cpu === null) === (run.recorded >= 0 || enough)) {
                wrong.push(`run ${run.id}: cpu is ${found.cpu} in ${file}, recorded ${run.recorded}, covered ${run.coverage}`);
            }
            if (found.cpu !== null && (found.cpu < 0 || found.cpu > 1.000001 ||
                (run.recorded >= 0 && !enough && Math.abs(found.cpu - run.recorded / (run.cpus * run.length)) > found.digits) ||
                (run.recorded >= 0 && found.cpu < run.recorded / (run.cpus * run.length) - found.digits))) {
                wrong.push(`run ${run.id}: cpu ${found.cpu} in ${file} is out of bounds`);
            }
            if (found.mem !== null && run.peak >= 0 && found.mem < run.peak / 1024 - found.digits) {
                wrong.push(`run ${run.id}: memory ${found.mem} in ${file} is less than was recorded`);
            }
            if (found.coverage >= 0 && found.coverage !== Math.floor(100 * run.coverage + 1e-6)) {
                wrong.push(`run ${run.id}: coverage ${found.coverage} in ${file}, by the second ${100 * run.coverage}`);
            }
        }
    }
    if (first.size !== runs.length) {
        wrong.push(`${first.size} of ${runs.length} runs were shown`);
    }
    console.log(wrong.length ? `seed ${seedText}\n${wrong.join('\n')}` : 'the same');
}

(what === 'make' ? make : compare)();
