// SPDX-License-Identifier: MIT
//
// node uses.mjs make SEED: runs and samples by chance, as sacct.psv of each cluster, samples.json and stint.conf. Two clusters have
// jobs of the same numbers, some of which ran twice on the same nodes; nodes that nobody looks at, gaps, agents beside each other, clocks that
// were set, counters that begin again, cards that are missing, runs that go on, that were suspended, and of which the scheduler recorded
// this or that.
// node uses.mjs compare SEED SOCKET: asks a server, by its API, its pages and the command line ($STINT), for what each run used, and
// prints where two answers differ, where one differs from what is worked out here, or lies outside what is known for certain.
//
// What is worked out here walks through the seconds of a run and adds up numbers that it made itself.
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {request} from 'node:http';

const [what, seedText, socket] = process.argv.slice(2);
const begin = Date.parse('2026-03-01T10:00:00Z') / 1000, JOBS = 6, CLUSTERS = ['c1', 'c2'];
const ENOUGH = 0.8, MIB = 2 ** 20, KIB = 1024;

let state = BigInt(seedText) * 2654435761n + 1n;
const below = limit => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
    return Number((state >> 33n) % BigInt(Math.floor(limit)));
};
const often = percent => below(100) < percent;
const sum = numbers => numbers.reduce((a, b) => a + b, 0);
const clock = seconds => new Date(seconds * 1000).toISOString().replace('.000Z', '');
const span = seconds => [3600, 60, 1].map((unit, i) => String(Math.floor(seconds / unit) % (i ? 60 : 1e9)).padStart(2, '0')).join(':');

// --- runs and samples ------------------------------------------------------------------------------------

// `before` is the run of the same job that was requeued; of a user of its own here, so that answers by user are of one run.
function makeRun(cluster, id, before) {
    const run = {cluster, id, before, user: `${cluster}u${id}${before ? 'again' : ''}`, from: (before ? before.end + 120 : begin) + below(600), length: 1800 + below(7 * 3600),
        nodes: before?.nodes ?? 1 + below(3), each: 1 + below(8), cards: before?.cards ?? (often(40) ? 1 + below(2) : 0), every: [60, 300, 600][below(3)], running: often(20)};
    run.requeued = !before && often(25);
    run.running = run.running && !run.requeued;
    run.suspended = often(25) ? below(run.length / 2) : 0;
    run.cpus = run.nodes * run.each;
    run.end = run.from + run.length;
    run.wall = run.length - run.suspended;
    run.cpu = often(45) && !run.running ? below(run.cpus * run.wall) : -1; // a scheduler has no figures of a run that goes on
    run.peak = often(45) && !run.running ? (1 + below(900)) * MIB : -1;
    run.tasks = often(60) ? 1 : ''; // without a number of tasks the peak is that of the largest one
    run.io = often(40) && !run.running ? below(900) * MIB : -1;
    run.joules = often(40) && !run.running ? 1 + below(9e6) : -1;
    return run;
}

// Moments at which agents look at a node: one or two of them, each with a gap.
function moments(run) {
    const at = new Set(), agents = often(25) ? 2 : 1;
    for (let agent = 0; agent < agents; agent++) {
        const from = run.from + below(run.length), to = from + (often(40) ? below(5 * 3600) : 0);
        for (let t = run.from + below(run.every); t <= run.end; t += run.every) {
            if (t < from || t >= to) {
                at.add(t);
            }
        }
    }
    return {at: [...at].sort((a, b) => a - b), agents};
}

// Looks at a node. After a reset counters begin at zero: the samples say so, or only their values do.
function makeNode(run, node) {
    const {at, agents} = moments(run);
    const busy = run.wall / run.length, rate = Math.floor(below(run.each * 1000001) * busy);
    const reset = often(30) ? run.from + below(run.length) : run.end + 1, says = often(50);
    const restart = often(30) ? run.from + below(run.length) : run.end + 1, lives = agents === 1;
    const read = [below(3) * MIB, below(3) * MIB], kept = often(70), processes = often(50), watts = 50 + below(300);
    // a clock that is ahead for a while; the counters say by their generation that they did not begin again
    const ahead = says && agents === 1 && often(30) ? run.from + below(run.length) : run.end + 1, ticks = t => t >= ahead && t < ahead + 3600 && t + 1830 <= run.end ? t + 1830 : t;
    return at.map(t => {
        const since = t > reset ? reset : run.from;
        return {t: ticks(t), cpu: rate * (t - since), mem: (50 + t % 100) * MIB, kept: kept ? (node ? 200 : 100 + t % 60) * MIB : -1,
            read: Math.floor(read[0] / 100) * (t - since), written: Math.floor(read[1] / 100) * (t - since),
            life: says ? 1 + (t > reset) : -1, energyLife: lives ? 1 + (t > restart) : -1, joules: ahead > run.end ? 1000 + watts * (t - run.from) : -1,
            process: processes ? {read: Math.floor(read[1] / 50) * (t - run.from), written: Math.floor(read[0] / 200) * (t - run.from)} : null};
    }).sort((a, b) => a.t - b.t);
}

function makeCard(run) {
    const {at} = moments(run), watts = 20 + below(400);
    return at.map(t => ({t, busy: below(101), mem: below(80) * MIB, joules: 77 + watts * (t - run.from)}));
}

function makeRuns() {
    const all = CLUSTERS.flatMap(cluster => Array.from({length: JOBS}, (_, i) => {
        const run = makeRun(cluster, i + 1);
        return run.requeued ? [run, makeRun(cluster, i + 1, run)] : [run];
    })).flat();
    return all.map(run => {
        run.onNodes = Array.from({length: run.nodes}, (_, node) => often(12) ? [] : makeNode(run, node));
        run.onCards = Array.from({length: run.cards}, () => often(15) ? [] : makeCard(run));
        return run;
    });
}

const HEAD = ['JobID', 'JobIDRaw', 'User', 'Account', 'Partition', 'JobName', 'State', 'Submit', 'Start', 'End', 'ElapsedRaw', 'Suspended', 'AllocCPUS', 'ReqCPUS', 'NNodes',
    'NodeList', 'ReqMem', 'TimelimitRaw', 'TotalCPU', 'AllocTRES', 'ConsumedEnergyRaw', 'MaxRSS', 'AveDiskRead', 'AveDiskWrite', 'NTasks', 'ExitCode'];

function records(run) {
    const row = {JobID: run.id, JobIDRaw: run.id, User: run.user, Account: 'chem', Partition: 'main', JobName: 'md', State: run.running ? 'RUNNING' : run.requeued ? 'REQUEUED' : 'COMPLETED',
        Submit: run.before ? clock(run.before.end) : '2026-03-01T09:00:00', Start: clock(run.from), End: run.running ? 'Unknown' : clock(run.end), ElapsedRaw: run.wall, Suspended: span(run.suspended),
        AllocCPUS: run.cpus, ReqCPUS: run.cpus, NNodes: run.nodes, NodeList: `${run.cluster}r${run.id}n[1-${run.nodes}]`, ReqMem: '1G', TimelimitRaw: 900,
        TotalCPU: run.cpu < 0 ? '' : span(run.cpu), ExitCode: '0:0', ConsumedEnergyRaw: run.joules < 0 ? '' : run.joules,
        AllocTRES: `cpu=${run.cpus},mem=1G,node=${run.nodes}${run.cards ? `,gres/gpu=${run.cards}` : ''}`};
    const step = {...row, JobID: `${run.id}.batch`, JobIDRaw: `${run.id}.batch`, User: '', Account: '', Partition: '', JobName: 'batch', ConsumedEnergyRaw: '',
        MaxRSS: run.peak < 0 ? '' : `${run.peak / MIB}M`, AveDiskRead: run.io < 0 ? '' : run.io, AveDiskWrite: run.io < 0 ? '' : 0, NTasks: run.io < 0 ? run.tasks : 1};
    return (run.peak >= 0 || run.io >= 0 ? [row, step] : [row]).map(fields => HEAD.map(name => fields[name] ?? '').join('|'));
}

function document(run, node, t, attributes) {
    return {meta: {producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{key: 'absent', value: 'unknown'}]},
        data: {type: 'sample', attributes: {time: `${clock(t)}Z`, cluster: run.cluster, node: `${run.cluster}r${run.id}n${node + 1}`, jobs: [], ...attributes}}};
}

const known = fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value >= 0));

function samples(run) {
    const nodes = run.onNodes.flatMap((looks, node) => looks.map(look => document(run, node, look.t, {
        system: {counters: known({cpus: run.each, cpu_time_us: look.cpu, energy_j: look.joules, generation: look.life, energy_generation: look.energyLife}), gpus: []},
        jobs: [{job: run.id, user: run.user, epoch: 0, cgroup: known({cpu_time_us: look.cpu, rss_bytes: look.mem, mem_peak_bytes: look.kept, mem_file_bytes: MIB,
            read_bytes: look.read, written_bytes: look.written, generation: look.life, processes: 1}),
        processes: look.process ? [{pid: 77, cmd: 'md', cpu_time: 1, resident_memory: 10, data_read: look.process.read / KIB | 0, data_written: look.process.written / KIB | 0}] : []}]})));
    const cards = run.onCards.flatMap((looks, card) => looks.map(look => document(run, run.nodes + card, look.t, {
        system: {counters: {}, gpus: [{uuid: `GPU-${run.cluster}-${run.id}-${card}`, index: 0, ce_util: look.busy, memory: look.mem / KIB,
            counters: {job: run.id, user: run.user, energy_j: look.joules}}]}})));
    return [...nodes, ...cards];
}

function make() {
    const runs = makeRuns();
    for (const cluster of CLUSTERS) {
        writeFileSync(`${cluster}.psv`, [HEAD.join('|'), ...runs.filter(run => run.cluster === cluster).flatMap(records)].map(line => `${line}\n`).join(''));
    }
    writeFileSync('samples.json', runs.flatMap(samples).map(s => `${JSON.stringify(s)}\n`).join(''));
    // rules that every run breaks of which anything is known
    writeFileSync('stint.conf', '[hog idle-cpus]\nthreshold = 200\ntime = 1s\n\n[hog idle-gpus]\nthreshold = 200\ntime = 1s\n');
}

// --- what is right ---------------------------------------------------------------------------------------

// Seconds of a run that looks at these moments cover, one by one.
function coveredSeconds(run, at) {
    const gaps = at.slice(1).map((t, i) => t - at[i]).sort((a, b) => a - b);
    const longest = Math.max(3 * (gaps[(gaps.length - 1) >> 1] ?? 0), 15 * 60), covered = new Set();
    let next = 0, count = 0;
    for (let second = run.from; second < run.until; second++) {
        while (next < at.length && at[next] <= second) {
            next++;
        }
        if (next < at.length && at[next] - (next ? at[next - 1] : run.from) <= longest) {
            count++;
            covered.add(at[next]);
        }
    }
    if (at[0] === run.from) {
        covered.add(at[0]);
    }
    return {count, covered};
}

// What a counter rose by at each look, of those that are covered and of all.
function risen(run, looks, value, lives) {
    const {covered} = coveredSeconds(run, looks.map(look => look.t));
    const most = {}; // that the counter of each life had so far
    const rises = looks.map((look, i) => {
        const before = looks[i - 1];
        if (lives && look.life >= 0) {
            const had = most[look.life] ?? 0;
            most[look.life] = Math.max(had, value(look));
            return most[look.life] - had;
        }
        return !before || (lives && value(look) < value(before)) ? value(look) : Math.max(0, value(look) - value(before));
    });
    // where a clock was set, looks are out of order, and nobody knows when a counter rose between those that are not
    const ordered = looks.map((look, i) => !lives || look.life < 0 || looks.every((other, k) => other.life !== look.life || (k < i ? value(other) <= value(look) : value(other) >= value(look))));
    const gaps = looks.map((look, i) => look.t - (i ? looks[i - 1].t : run.from)), dated = i => ordered[i] && (i === 0 || ordered[i - 1]);
    const inTime = looks.map((_, i) => i).filter(i => covered.has(looks[i].t)), kept = inTime.filter(dated), later = kept.filter(i => i > 0);
    return {inCovered: sum(inTime.map(i => rises[i])), inAll: sum(rises), peak: Math.max(0, ...kept.filter(i => gaps[i] > 0).map(i => rises[i] / gaps[i])),
        rate: later.length ? sum(later.map(i => rises[i])) / sum(later.map(i => gaps[i])) : null};
}

// A count by the rule of the documentation: the scheduler's, unless it has none, or samples that cover enough counted more.
function count(recorded, sampled, all, coverage, basis) {
    const enough = sampled >= 0 && coverage >= ENOUGH;
    if (recorded >= 0 && !(enough && sampled > recorded)) {
        return {used: recorded, basis: 'scheduler', coverage};
    }
    return enough ? {used: Math.max(sampled / coverage, all, recorded), basis, coverage} : {used: null, basis: null, coverage, least: Math.max(recorded, all)};
}

function coverageOf(run, streams, places) {
    return places > 0 ? sum(streams.map(looks => coveredSeconds(run, looks.map(look => look.t)).count)) / (places * run.held) : 0;
}

function rightCpu(run) {
    const rises = run.onNodes.map(looks => risen(run, looks, look => look.cpu, true));
    run.peakCpus = sum(rises.map(r => r.peak)) / 1e6;
    run.rates = rises.map(r => r.rate).filter(rate => rate !== null);
    return count(run.cpu < 0 ? -1 : run.cpu * 1e6, run.looked ? sum(rises.map(r => r.inCovered)) : -1, sum(rises.map(r => r.inAll)), run.coverage, 'cgroup');
}

function rightMemory(run) {
    const most = member => sum(run.onNodes.map(looks => Math.max(0, ...looks.map(member))));
    const seen = most(look => Math.max(look.mem, look.kept)), peak = Math.max(run.peak, seen);
    const whole = run.peak >= 0 && (run.tasks === 1 || run.io >= 0 || run.cpus === 1);
    return {used: peak > 0 ? peak : null, concludes: peak > 0 && (whole || (run.coverage >= ENOUGH && seen >= run.peak)), coverage: run.coverage};
}

function rightGpu(run) {
    const coverage = coverageOf(run, run.onCards, run.cards);
    const busy = sum(run.onCards.flatMap(looks => {
        const {covered} = coveredSeconds(run, looks.map(look => look.t));
        return looks.map((look, i) => covered.has(look.t) ? look.busy / 100 * (look.t - (i ? looks[i - 1].t : run.from)) * 1e6 : 0);
    }));
    return count(-1, run.onCards.some(looks => looks.length) ? busy : -1, 0, coverage, 'GPU');
}

// Of each node whichever saw more: the control group, or its processes.
function rightIo(run) {
    const nodes = run.onNodes.filter(looks => looks.length).map(looks => {
        const group = ['read', 'written'].map(name => risen(run, looks, look => look[name], true));
        const process = looks[0].process ? ['read', 'written'].map(name => risen(run, looks, look => Math.floor(look.process[name] / KIB) * KIB, false)) : null;
        const total = pair => pair[0].inAll + pair[1].inAll;
        return process && total(process) > total(group) ? {pair: process, basis: 'processes'} : {pair: group, basis: 'cgroup'};
    });
    const part = (i, member) => sum(nodes.map(node => node.pair[i][member]));
    const basis = nodes.some(node => node.basis === 'processes') ? 'processes' : 'cgroup';
    const one = i => count(-1, run.looked ? part(i, 'inCovered') : -1, part(i, 'inAll'), run.coverage, basis);
    return {both: count(run.io, run.looked ? part(0, 'inCovered') + part(1, 'inCovered') : -1, part(0, 'inAll') + part(1, 'inAll'), run.coverage, basis), read: one(0), written: one(1)};
}

// Each node is the run's alone, so all that its counter rose by is; between two looks of one life.
function rightEnergy(run) {
    const counted = (looks, goes) => looks.slice(1).map((look, i) => [look, looks[i]]).filter(([b, a]) => goes(b, a)).map(([b, a]) => ({joules: b.joules - a.joules, time: b.t - a.t}));
    const nodes = run.onNodes.flatMap(looks => counted(looks, (b, a) => b.joules >= 0 && b.cpu >= a.cpu && b.life === a.life && b.energyLife === a.energyLife));
    const cards = run.onCards.flatMap(looks => counted(looks, () => true));
    const share = (parts, places) => places > 0 ? Math.min(1, sum(parts.map(p => p.time)) / (places * run.held)) : 0;
    const ofNodes = share(nodes, run.nodes), ofCards = share(cards, run.cards);
    const coverage = run.cards ? Math.min(ofNodes, ofCards) : ofNodes;
    if (coverage >= ENOUGH) {
        return {used: sum(nodes.map(p => p.joules)) / ofNodes + (run.cards ? sum(cards.map(p => p.joules)) / ofCards : 0), basis: 'sampled', coverage};
    }
    return run.joules > 0 ? {used: run.joules, basis: 'scheduler', coverage} : {used: null, basis: null, coverage};
}

function right(run) {
    const last = Math.max(0, ...[...run.onNodes, ...run.onCards].flat().map(look => look.t));
    run.until = run.running ? Math.max(run.end, last) : run.end;
    run.held = run.until - run.from;
    run.wall = run.held - run.suspended;
    run.looked = run.onNodes.some(looks => looks.length > 0);
    run.coverage = coverageOf(run, run.onNodes, run.nodes);
    const io = rightIo(run), share = (figure, given) => figure.used === null ? null : figure.used / given;
    const cpu = rightCpu(run), gpu = rightGpu(run), memory = rightMemory(run);
    return {cpu, gpu, memory, io: io.both, read: io.read, written: io.written, energy: rightEnergy(run),
        cpuShare: share(cpu, run.cpus * run.wall * 1e6), gpuShare: run.cards ? share(gpu, run.cards * run.held * 1e6) : null,
        memShare: memory.concludes ? memory.used / 2 ** 30 : null};
}

// --- what is shown ---------------------------------------------------------------------------------------

const get = path => new Promise((resolve, reject) => {
    request({socketPath: socket, path, headers: {Host: 'stint'}}, answer => {
        let text = '';
        answer.setEncoding('utf8').on('data', part => { text += part; }).on('end', () => answer.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${answer.statusCode} ${text.slice(0, 200)}`)));
    }).on('error', reject).end();
});
const api = async (operation, values) => JSON.parse(await get(`/api/v1/${operation}?${new URLSearchParams({zone: 'UTC', ...values})}`));
const cli = args => execFileSync(process.env.STINT, [...args, '--zone', 'UTC'], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
const PERIOD = {from: '2026-03-01', to: '2026-03-03'};
const wrong = [];

// One figure of one run, by one place that shows it; null: it shows none. It may be off by so much of itself, or by so much.
function expect(run, place, name, found, want, digits = 1e-6, off = 0) {
    const none = value => value === null || value === undefined;
    if (none(found) && none(want)) {
        return;
    }
    const differs = typeof want === 'number' && typeof found === 'number' ? Math.abs(found - want) > Math.max(off, digits * Math.max(1, Math.abs(want))) : found !== want;
    if (differs) {
        wrong.push(`run ${run.cluster} ${run.id}: ${name} is ${found} in ${place}, and ought to be ${want}`);
    }
}

// The fields of a run, as JSON has them. Times in seconds there, and whole ones.
function checkFields(run, truth, row, place) {
    const seconds = figure => figure.used === null ? null : figure.used / 1e6;
    const close = (name, want, digits) => name in row && expect(run, place, name, row[name], want, digits);
    close('cpu_used', seconds(truth.cpu), 1e-5);
    close('gpu_used', seconds(truth.gpu), 1e-5);
    close('mem_peak', truth.memory.used);
    close('io', truth.io.used, 1e-5);
    close('io_read', truth.read.used, 1e-5);
    close('io_written', truth.written.used, 1e-5);
    close('energy', truth.energy.used, 1e-5);
    for (const name of ['cpu', 'gpu', 'io', 'energy']) {
        close(`${name}_basis`, truth[name].basis);
    }
    const looked = run.looked || run.onCards.some(looks => looks.length);
    close('cpu_sampled', run.looked ? truth.cpu.coverage : null);
    close('mem_sampled', run.looked ? truth.memory.coverage : null);
    close('io_sampled', run.looked ? truth.io.coverage : null);
    close('gpu_sampled', looked && run.cards ? truth.gpu.coverage : null);
    close('energy_sampled', truth.energy.coverage > 0 ? truth.energy.coverage : null);
    close('mem_efficiency', truth.memShare);
    if (!run.running || place === 'job') { // listings have no shares of time of runs that go on
        close('cpu_efficiency', truth.cpuShare);
        close('gpu_efficiency', truth.gpuShare);
    }
}

// What nobody can doubt: no less than anybody counted, no more than there was.
function checkBounds(run, row) {
    const above = (name, least, most) => {
        if (row[name] !== null && row[name] !== undefined && (row[name] < least * (1 - 1e-6) - 1 || row[name] > most * (1 + 1e-6) + 1)) {
            wrong.push(`run ${run.cluster} ${run.id}: ${name} ${row[name]} is not from ${least} to ${most}`);
        }
    };
    const highest = looks => Math.max(0, ...looks.map(look => Math.max(look.mem, look.kept)));
    above('cpu_used', Math.max(0, run.cpu), run.cpus * run.held);
    above('gpu_used', 0, run.cards * run.held);
    above('mem_peak', Math.max(run.peak, ...run.onNodes.map(highest)), Math.max(run.peak, sum(run.onNodes.map(highest))));
    above('io', Math.max(0, run.io), Infinity);
    above('cpu_sampled', 0, 1);
}

const numberIn = (text, pattern) => text?.match(pattern)?.[1] === undefined ? null : Number(text.match(pattern)[1]);

// Lines of a screen, or rows of a page: label and text.
function checkScreen(run, truth, lines, place) {
    const of = label => lines.find(line => line.label === label)?.text;
    const percent = label => numberIn(of(label)?.replace(/at least:.*/, ''), /([0-9.]+) %/);
    const share = value => value === null ? null : value * 100, off = place === 'the page' ? 0.51 : 0.051;
    expect(run, place, 'cpus', percent('CPUs'), share(truth.cpuShare), 0, off);
    expect(run, place, 'memory', percent('Memory'), share(truth.memShare), 0, off);
    if (run.cards) {
        expect(run, place, 'GPUs', percent('GPUs'), share(truth.gpuShare), 0, off);
    }
    expect(run, place, 'coverage', numberIn(of('Samples'), /([0-9]+) % of its node time/), run.looked ? Math.floor(100 * run.coverage + 1e-6) : null, 0);
    const units = {J: 1, kJ: 1e3, MJ: 1e6, GJ: 1e9}, energy = of('Energy')?.match(/^([0-9.]+) (k?M?G?J)/);
    expect(run, place, 'energy', energy ? energy[1] * units[energy[2]] : null, truth.energy.used, 0, energy ? 0.051 * units[energy[2]] : 0);
    if (place === 'the screen' && truth.io.basis && (run.looked || run.onCards.some(looks => looks.length))) { // the line is one of samples
        expect(run, place, 'basis of I/O', of('Disks')?.match(/\((scheduler|cgroup|processes)/)?.[1] ?? null, truth.io.basis);
    }
}

const screenLines = text => text.split('\n').map(line => ({label: line.slice(0, 10).trim(), text: line.slice(10).replace(/[█░]/g, '').trim()}));

function pageLines(page) {
    const html = page.split('<h2>Every field')[0]; // of each run of the job
    const plain = text => text.replace(/<[^>]*>/g, '').replace(/&#?[a-z0-9]+;/gi, ' ').replace(/[█░]/g, '').trim();
    // what was used of what it had is a meter, which says it in words
    const meters = [...html.matchAll(/aria-label="(CPUs|GPUs|Memory): ([^"]*)"/g)].map(([, label, text]) => ({label, text}));
    return [...meters, ...[...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, label, text]) => ({label: plain(label), text: plain(text)}))];
}

async function checkRun(run, truth) {
    const pick = {id: run.id, cluster: run.cluster};
    const row = (await api('job', pick)).find(one => Date.parse(one.start) / 1000 === run.from);
    if (!row) {
        wrong.push(`run ${run.cluster} ${run.id}: it is not among those of its job`);
        return;
    }
    checkFields(run, truth, row, 'job');
    checkBounds(run, row);
    if (run.requeued) { // the screen is of the last run
        return;
    }
    if (run.id <= 2) { // one process each
        checkScreen(run, truth, screenLines(cli(['job', String(run.id), '-M', run.cluster, '--width', '120'])), 'the screen');
    }
    checkScreen(run, truth, pageLines(await get(`/job/${run.id}?c=${run.cluster}`)), 'the page');
    await checkAdvice(run, truth);
    await checkProfile(run, truth);
}

// What rightsize and scale say that it used.
async function checkAdvice(run, truth) {
    const sizes = run.running ? [] : await api('rightsize', {job: run.id, cluster: run.cluster});
    const memory = sizes.find(row => row.resource === 'memory of the run'), bytes = memory?.used.match(/^([0-9.]+) (M|G)iB$/);
    if (memory) {
        expect(run, 'rightsize', 'memory', bytes[1] * (bytes[2] === 'G' ? 2 ** 30 : MIB), truth.memory.used, 1e-2);
    }
    // cpus that worked at once, where samples show it, and else on average; GPUs, all of which worked
    const cpus = sizes.find(row => row.resource === 'cpus'), gpus = sizes.find(row => row.resource === 'GPUs');
    const mean = truth.cpu.used === null ? -1 : truth.cpu.used / run.wall / 1e6, seen = run.looked && truth.cpu.coverage >= 0.9;
    const known = run.onCards.every(looks => looks.length >= 10) && truth.gpu.coverage >= 0.9 && run.cards > 0;
    if (!run.running) {
        expect(run, 'rightsize', 'cpus', cpus ? Number(cpus.used) : null, seen ? Math.max(mean, run.peakCpus) : truth.cpu.basis === 'scheduler' ? mean : null, 0, 0.051);
        expect(run, 'rightsize', 'GPUs', gpus ? Number(gpus.used) : null, known ? run.cards : null, 0, 0.051);
    }
    const causes = await api('scale', {job: run.id, cluster: run.cluster});
    const shown = numberIn(causes.find(row => row.cause === 'too few threads')?.evidence, /([0-9.]+) on average/);
    if (shown !== null && !run.before) { // of several runs it is about all
        expect(run, 'scale', 'cpus', shown, truth.cpuShare * run.cpus, 6e-2);
    }
}

// Over time, no stretch has more than all together at most; where all is covered the mean is that of the run.
async function checkProfile(run, truth) {
    if (!run.looked && !run.onCards.some(looks => looks.length)) {
        return;
    }
    const line = await api('job', {id: run.id, cluster: run.cluster, profile: 'yes'});
    const held = sum(run.onNodes.map(looks => Math.max(0, ...looks.map(look => look.mem))));
    for (const row of line) {
        if (row.memory > held || row.cpus_at_work > run.cpus * 1.000001 || row.gpus_at_work > run.cards + 1e-6 || Date.parse(row.time) / 1000 > run.until) {
            wrong.push(`run ${run.cluster} ${run.id}: over time there is ${JSON.stringify(row)}`);
        }
    }
}

const shownFields = 'id,cluster,user,cpu_used,cpu_basis,cpu_sampled,cpu_efficiency,mem_peak,mem_sampled,mem_efficiency,gpu_used,gpu_basis,gpu_sampled,' +
    'gpu_efficiency,io,io_read,io_written,io_basis,io_sampled,energy,energy_basis,energy_sampled';

// Answers about many runs; each run is of a user of its own.
async function checkMany(runs, truths) {
    const each = (rows, place, check) => {
        const shown = runs.filter((run, i) => {
            const row = rows.find(one => one.user === run.user);
            return row && (check(run, truths[i], row, place), true);
        });
        return shown.length;
    };
    const listed = await api('jobs', {...PERIOD, fields: shownFields}), named = await api('jobs', {job: '1,2,3,4,5,6', fields: shownFields});
    const byJob = await api('efficiency', {...PERIOD, by: 'job', limit: 0});
    for (const [rows, place] of [[listed, 'jobs'], [named, 'jobs -j'], [byJob, 'efficiency --by job']]) {
        if (each(rows, place, checkFields) !== runs.length) {
            wrong.push(`${place} has not all runs`);
        }
    }
    each(await api('efficiency', {...PERIOD, by: 'user', limit: 0}), 'efficiency --by user', checkFields);
    each(await api('waste', {...PERIOD, by: 'user', limit: 0}), 'waste', (run, truth, row, place) => {
        expect(run, place, 'cpus unused', row.lost_share, truth.cpuShare === null ? null : Math.max(0, 1 - truth.cpuShare));
        expect(run, place, 'memory unused', row.mem_unused_share, truth.memShare === null ? null : Math.max(0, 1 - truth.memShare));
    });
    each((await api('hogs', {...PERIOD, rule: 'idle-cpus', limit: 0})), 'hogs idle-cpus', (run, truth, row, place) => expect(run, place, 'cpus', row.used, truth.cpuShare));
    each((await api('hogs', {...PERIOD, rule: 'idle-gpus', limit: 0})), 'hogs idle-gpus', (run, truth, row, place) => expect(run, place, 'GPUs', row.used, truth.gpuShare));
    each(await api('energy', {...PERIOD, by: 'user', limit: 0}), 'energy', (run, truth, row, place) => expect(run, place, 'energy', row.energy, truth.energy.used, 1e-5));
}

// Timelines and the samples themselves, of a job that ran once: the mean of the time that is covered from the first look on.
async function checkSamples(run) {
    const pick = {job: run.id, cluster: run.cluster}, looks = run.onNodes.flat(), cards = run.onCards.flat();
    const listed = await api('samples', {...pick, kind: 'job', fields: 'time,cluster,node,cpu_time,rss'});
    expect(run, 'samples', 'looks', listed.length, looks.length, 0);
    expect(run, 'samples', 'memory', Math.max(0, ...listed.map(row => row.rss)), Math.max(0, ...looks.map(look => look.mem)), 0);
    expect(run, 'samples', 'cpu time', Math.max(0, ...listed.map(row => row.cpu_time)), Math.max(0, ...looks.map(look => look.cpu)) / 1e6, 1e-6);
    const lines = await api('timeline', {...PERIOD, ...pick, of: 'job_cpus', by: 'job', points: 1});
    expect(run, 'timeline', 'rows', lines.length, run.rates.length ? 1 : 0, 0);
    expect(run, 'timeline', 'cpus', lines[0]?.job_cpus ?? null, run.rates.length ? sum(run.rates) / 1e6 : null, 1e-6);
    for (const row of await api('timeline', {...PERIOD, ...pick, of: 'job_cpus', by: 'node', points: 500})) {
        if (row.job_cpus < 0 || row.job_cpus > run.each * 1.000001) {
            wrong.push(`run ${run.cluster} ${run.id}: the timeline has ${JSON.stringify(row)}`);
        }
    }
    for (const row of cards.length ? await api('timeline', {...PERIOD, ...pick, of: 'gpu', by: 'card', points: 500}) : []) {
        if (row.gpu < 0 || row.gpu > 1) {
            wrong.push(`run ${run.cluster} ${run.id}: the timeline has ${JSON.stringify(row)}`);
        }
    }
}

async function compare() {
    const runs = makeRuns(), truths = runs.map(right);
    await checkMany(runs, truths);
    for (const [i, run] of runs.entries()) {
        await checkRun(run, truths[i]);
        if (!run.requeued && !run.before) {
            await checkSamples(run);
        }
    }
    console.log(wrong.length ? `seed ${seedText}\n${wrong.join('\n')}` : 'the same');
}

await (what === 'make' ? make : compare)();
