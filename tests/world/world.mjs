// SPDX-License-Identifier: MIT
//
// A simulated world: node world.mjs SEED SECONDS FOLDER. Schedulers write records, administrators change the books, agents send samples, a server is
// started, stopped and killed, disks fail and fill, clocks jump; stint is driven through its command line and its server, and after every
// step the model (model.mjs) says what must be true. A seed gives the same steps each time.
//
// What is not the same each time: in which order the threads of a server write, and so at which write the n-th change fails; and how many steps
// fit into SECONDS. WORLD_STEPS=N does N steps, however long they take: with the seed that repeats a failure.
import { appendFileSync } from 'node:fs';
import { Chance } from './chance.mjs';
import { Machine } from './machine.mjs';
import { ACCOUNTS, Model, UNIT_S, USERS, compareBalances, compareLimits, compareMetagroups, compareUsage, rowsOf } from './model.mjs';
import { Scheduler } from './scheduler.mjs';

const [seed, seconds, folder] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const steps = Number(process.env.WORLD_STEPS ?? 0);
const chance = new Chance(seed);
const model = new Model();
const machine = new Machine(folder, process.env.STINT, process.env.WORLD_TOOLS);
const scheduler = new Scheduler(chance, folder);
const ADMINS = ['amy', 'ben'];
let step = 0;
let names = 0;
let checks = 0;
let crashes = 0;
let pulled = 0; // records of alder that a pull of ours has taken in
let served = false; // a server has run since, which pulls by itself, in its own time

const tell = text => appendFileSync(`${folder}/story`, `${step} ${text}\n`);

function fail(what) {
    throw new Error(`seed ${seed}, step ${step}: ${what}`);
}

function must(done, what) {
    if (!done.ok) fail(`${what}: status ${done.status}${done.killed ? ', killed' : ''}: ${done.err}`);
    return done;
}

// --- doing something that may be interrupted ---

const anyFault = () => ({ how: chance.pick(['kill', 'kill', 'error', 'full']), at: 1 + chance.below(chance.of(50) ? 25 : 100) });

// Without a server a command may meet a fault. If it does it says so (status 1) or is killed; repeated, it succeeds.
function interrupted(words, what) {
    const fault = !machine.server && chance.of(50) ? anyFault() : null;
    const done = machine.run(words, fault);
    tell(`${what}${fault ? ` with ${fault.how} at ${fault.at}` : ''}: ${done.killed ? 'killed' : done.status}`);
    if (done.ok) return done;
    if (!fault && !machine.faulty) fail(`${what} failed: ${done.err}`);
    if (!done.killed && !done.err.trim() && !/not charged yet/.test(done.out)) fail(`${what} failed and says nothing`);
    crashes++;
    return done;
}

// A server with a fault in it may die at any request: it is started again, without.
async function revive() {
    if (machine.faulty && machine.server) await machine.stop('SIGKILL');
    if (machine.faulty) {
        machine.faulty = false;
        await machine.start();
        tell('the server is started again');
    }
}

// --- steps ---

function pass() {
    const jump = chance.of(6) ? chance.pick([-7200, -600, 7 * 86400]) : (1 + chance.below(300)) * UNIT_S;
    machine.setClock(machine.now + jump);
    tell(`the clock goes ${jump} s`);
    scheduler.work(machine.now, 1 + chance.below(12));
}

function late() {
    scheduler.correct();
    if (chance.of(30)) scheduler.beginLine(machine.now);
    tell(`records come late${scheduler.half ? ', one by half' : ''}`);
}

// Taking in what a file has: until it is acknowledged, the same again.
async function take(words, cluster) {
    scheduler.complete();
    const records = [...scheduler.written[cluster]];
    let done = interrupted(words, words.slice(0, 2).join(' '));
    for (let tries = 0; !done.ok; tries++) {
        await revive();
        if (tries > 0) must(done, `${words.join(' ')}, again`);
        done = machine.run(words);
    }
    model.acknowledge(records);
    if (/not charged yet/.test(done.out + done.err)) { // as it says, with what to do
        if (/charges: /.test(done.out + done.err)) fail(`${words.join(' ')} says that it charged and that it did not: ${done.out}`);
        tell('charged later');
        await revive();
        must(machine.run(['bank', 'charge']), 'bank charge');
    }
}

const importLog = () => take(['import', 'slurm', '--cluster', 'rowan', ...scheduler.rotated, scheduler.log], 'rowan');
async function pull() {
    pulled = scheduler.written.alder.length;
    served = machine.server !== null;
    await take(['pull', 'alder'], 'alder');
}

// Half a line is no record: nothing is counted, nothing is lost.
function importHalf() {
    scheduler.beginLine(machine.now);
    const records = [...scheduler.written.rowan];
    const done = machine.run(['import', 'slurm', '--cluster', 'rowan', ...scheduler.rotated, scheduler.log]);
    tell(`import with half a line: ${done.status}`);
    if (done.ok) model.acknowledge(records);
    if (!done.ok && !machine.faulty) fail(`import with half a line: ${done.err}`);
    return importLog();
}

async function changeBooks() {
    const name = `meta${++names}`;
    let done = interrupted(['metagroup', 'add', name, '--note', `by ${chance.pick(ADMINS)}`], `metagroup add ${name}`);
    if (!done.ok) {
        await revive();
        const there = rowsOf(must(machine.run(['metagroup', 'list', '--format', 'csv']), 'metagroup list').out).some(row => row.name === name);
        done = there ? { ok: true } : must(machine.run(['metagroup', 'add', name]), `metagroup add ${name}, again`);
    }
    model.metagroups.add(name);
}

async function rotate() {
    scheduler.rotate();
    tell(`the log is rotated: ${scheduler.rotated.at(-1)}`);
    await importLog();
}

// The facts are lost and made again from the files: nothing is charged twice. What agents have sent was in them only.
async function rebuild() {
    if (machine.server) return;
    machine.loseFacts();
    model.looks.clear();
    tell('the facts are lost');
    await importLog();
    await pull();
}

// With an id of its own a grant may be sent again: it is made once.
async function grant() {
    const account = chance.pick(ACCOUNTS);
    const amount = 1 + chance.below(300);
    const words = ['bank', 'grant', account, `${amount}`, '--from', '2020-01-01', '--id', `g${++names}`];
    let done = interrupted(words, `grant ${account} ${amount}`);
    for (let tries = 0; !done.ok; tries++) {
        await revive();
        done = machine.run(words);
        if (!done.ok && /already/.test(done.err)) break;
        if (tries > 0) must(done, `${words.join(' ')}, again`);
    }
    model.granted[account] += 100 * amount;
}

// Two administrators at once, each moving all that an account has: at most one of them succeeds, and no SU is made or lost.
async function quarrel() {
    const rich = ACCOUNTS.filter(name => model.balance(name) >= 100);
    if (!machine.server || machine.faulty || !rich.length) return;
    const from = chance.pick(rich);
    const others = ACCOUNTS.filter(name => name !== from);
    const amount = Math.floor(model.balance(from) / 100 * 0.6) || 1;
    const asked = await Promise.all(ADMINS.map((admin, i) => machine.ask(machine.tokens[admin], '/api/v1/bank',
        `action=transfer&word=${from}&word=${amount}&into=${others[i]}&note=${admin}`)));
    tell(`${ADMINS.join(' and ')} transfer ${amount} of ${from}: ${asked.map(reply => reply.status)}`);
    asked.forEach((reply, i) => {
        if (reply.status === 200) {
            model.granted[from] -= 100 * amount;
            model.granted[others[i]] += 100 * amount;
        } else if (reply.status < 400 || reply.status >= 500) fail(`a transfer: ${reply.status} ${reply.text}`);
    });
    if (model.balance(from) < 0) fail(`${from} gave more than it had`);
}

async function serve() {
    if (machine.server) {
        const how = chance.pick(['SIGTERM', 'SIGTERM', 'SIGKILL']);
        const end = await machine.stop(how);
        tell(`the server is stopped by ${how}`);
        if (how === 'SIGTERM' && !machine.faulty && end.status !== 0) fail(`the server ended with status ${end.status} ${end.signal}`);
        machine.faulty = false;
        return;
    }
    const fault = chance.of(30) ? { ...anyFault(), at: 1 + chance.below(400) } : null;
    machine.faulty = fault !== null;
    served = true;
    await machine.start(fault ?? undefined);
    tell(`the server is started${fault ? ` with ${fault.how} at ${fault.at}` : ''}`);
    if (!machine.server) await revive();
}

function look(node, time) {
    return JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0 }, data: { type: 'sample', attributes: { time: new Date(time * 1000).toISOString().slice(0, 19) + 'Z',
        cluster: 'rowan', node, system: { boot: '2024-01-01T00:00:00Z', cpus: [1, 2] }, jobs: [{ job: 0, user: 'ann', epoch: 0, processes: [{ cmd: 'x', pid: 7, ppid: 1, cpu_time: 5 }] }] } } });
}

// Agents send at least once: what is acknowledged is there, once, whatever becomes of the server.
async function agents() {
    if (!machine.server) return;
    const node = `n${1 + chance.below(3)}`;
    const time = machine.now - chance.below(60) * UNIT_S;
    const body = look(node, time);
    if (chance.of(25)) {
        await machine.cutOff(machine.tokens.agent, body);
        tell(`the line of ${node} is cut`);
    }
    for (let sent = chance.of(30) ? 2 : 1; sent > 0; sent--) {
        const reply = await machine.ask(machine.tokens.agent, '/api/v1/agent/samples', `${body}\n`);
        tell(`${node} sends a look: ${reply.status}`);
        if (reply.status === 202) model.looks.add(`${node},${new Date(time * 1000).toISOString().slice(0, 19)}Z`);
        else if (!machine.faulty) fail(`a look: ${reply.status} ${reply.text}`);
    }
    await revive();
}

async function enforce() {
    machine.refuse(chance.of(25));
    const before = machine.held();
    const done = machine.run(['bank', 'enforce', '--apply', '--format', 'csv']);
    machine.refuse(false);
    const said = !done.ok || /withheld|failed|not stopped|left/.test(done.out + done.err);
    tell(`enforce: ${done.status}, held ${[...machine.held()]}`);
    if (!done.ok && machine.faulty) return void await revive();
    const wrong = compareLimits(machine.held(), before, model, said);
    if (wrong.length) fail(`${wrong}; enforce ended with status ${done.status}: ${done.out}${done.err}`);
}

// --- what must be true ---

const USAGE = ['jobs,cpu_hours', '--by', 'cluster,user', '--from', '2020', '--to', '2030', '--format', 'csv'];
const read = (words, what) => must(machine.run(words), what).out;

function judge(wrong, what) {
    checks++;
    if (wrong.length) fail(`${what}: ${wrong.join('; ')}`);
}

const RUNS = 'every run is counted once';
const BALANCES = 'balances are what was granted less what was used';
const LEDGER = 'the ledger is right';
const BOOKS = 'every acknowledged change is there';
const claims = {
    [RUNS]: () => compareUsage(read(['report', ...USAGE], 'report'), model.usage()),
    [BALANCES]: () => compareBalances(read(['bank', 'balance', '--format', 'csv'], 'bank balance'), model),
    [LEDGER]: () => { const done = machine.run(['bank', 'check']); return done.ok ? [] : [done.out + done.err]; },
    [BOOKS]: () => compareMetagroups(read(['metagroup', 'list', '--format', 'csv'], 'metagroup list'), model),
};

// By token, where there is a server: nobody sees beyond their rights.
const rights = [
    ['ann', run => run.user === 'ann', []],
    ['of-chem', run => run.account === 'chem', ['chem']],
    ['amy', () => true, ACCOUNTS],
];

async function checkRights([name, may, accounts]) {
    const query = '/api/v1/report.csv?measure=jobs,cpu_hours&by=cluster,user&from=2020&to=2030';
    const usage = await machine.ask(machine.tokens[name], query);
    const balances = accounts.length ? await machine.ask(machine.tokens[name], '/api/v1/bank.csv?action=balance') : null;
    const nobody = await machine.ask(null, query);
    if (machine.faulty && [usage, balances, nobody].some(reply => reply && (reply.status === 0 || reply.status >= 500))) return void await revive();
    const found = model.usage(may);
    if (usage.status !== 200) fail(`report as ${name}: ${usage.status} ${usage.text}`);
    judge(compareUsage(usage.text, found), `what ${name} sees`);
    if (balances) judge(balances.status === 200 ? compareBalances(balances.text, model, accounts) : [`${balances.status} ${balances.text}`], `what ${name} sees of the bank`);
    judge(nobody.status === 401 ? [] : [`anonymous: ${nobody.status}`], 'what nobody sees');
}

// With `all`, of everything; else of what the step has to do with and of one thing more, so that there is time for more steps.
async function check(all, concerned = []) {
    if (machine.faulty && !all && chance.of(70)) return; // what it is asked next may meet the fault
    await revive();
    if (served && scheduler.written.alder.length > pulled) await pull();
    for (const what of all ? Object.keys(claims) : new Set([...concerned, chance.pick(Object.keys(claims))])) judge(claims[what](), what);
    for (const row of machine.server ? all ? rights : [chance.pick(rights)] : []) await checkRights(row);
}

// The server imports what agents have sent by itself, in its own time.
async function checkLooks() {
    if (!model.looks.size) return;
    await revive();
    if (!machine.server) await machine.start();
    let got = [];
    for (let tries = 0; tries < 3000; tries++) {
        got = rowsOf(read(['samples', '--fields', 'node,time', '--from', '2020', '--to', '2030', '--format', 'csv'], 'samples')).map(row => `${row.node},${row.time}`);
        if ([...model.looks].every(one => got.includes(one))) break;
        await new Promise(done => setTimeout(done, 200));
    }
    judge([...model.looks].filter(one => !got.includes(one)), 'looks that were acknowledged are lost');
    judge(got.filter((one, i) => got.indexOf(one) !== i), 'looks are there twice');
}

// --- the story ---

// How often, what, and which claims it has to do with.
const actions = [
    [8, pass], [3, late], [6, importLog, RUNS, BALANCES], [2, importHalf, RUNS], [4, pull, RUNS], [3, changeBooks, BOOKS], [3, grant, BALANCES], [3, quarrel, BALANCES],
    [4, serve], [3, agents], [3, enforce], [1, rotate, RUNS, BALANCES], [1, rebuild, RUNS, BALANCES],
];

async function begin() {
    machine.setClock(1735689600 + chance.below(86400)); // the first day of 2025
    machine.pretend(ACCOUNTS);
    scheduler.work(machine.now, 5);
    must(machine.run(['rate', 'add', 'all', '--cpu', '1']), 'rate add');
    for (const name of ACCOUNTS) must(machine.run(['bank', 'open', name, '--from', '2020-01-01']), 'bank open');
    const token = (name, ...words) => { machine.tokens[name] = must(machine.run(['token', 'add', name, ...words, '--format', 'csv', '--no-header']), 'token add').out.trim().split(',')[1]; };
    ADMINS.forEach(name => token(name, '--role', 'admin'));
    token('ann', '--role', 'user', '--logins', 'ann');
    token('of-chem', '--role', 'manager', '--accounts', 'chem');
    machine.tokens.agent = must(machine.run(['token', 'add', 'agent-rowan', '--role', 'agent', '--format', 'csv', '--no-header']), 'token add').out.trim().split(',')[1];
    await importLog();
    await pull();
}

async function live() {
    const end = Date.now() + seconds * 1000;
    await begin();
    for (step = 1; steps ? step <= steps : Date.now() < end; step++) {
        const [, act, ...concerned] = chance.weighted(actions);
        await act();
        await check(step % 15 === 0, concerned);
    }
    await importLog();
    await pull();
    await check(true);
    await checkLooks();
}

let status = 0;
try {
    await live();
} catch (error) {
    status = 1;
    console.log(error.message.startsWith('seed') ? error.message : `seed ${seed}, step ${step}: ${error.stack}`);
    console.log(`again: WORLD_SEED=${seed} WORLD_STEPS=${step} ./run test sh/test_world`);
}
await machine.stop('SIGKILL');
console.log(`${step} steps, ${machine.commands} commands and requests, ${crashes} of them interrupted, ${checks} checks, ${model.runs.size} runs`);
process.exit(status);
