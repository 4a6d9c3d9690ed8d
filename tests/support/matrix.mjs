// SPDX-License-Identifier: MIT
//
// node matrix.mjs [WAY]: asks every operation in every role by every way in (or that one), and prints what is not as
// matrix_rows.mjs says; and with tokens of one right each. Who is refused is tried in every role; who is not, in the least that may, and what
// changes something by token as admin, too.
import { spawnSync } from 'node:child_process';
import { ask, both, finish, people } from './door.mjs';
import { has, rights, roles, rows } from './matrix_rows.mjs';

const wrong = [];
let number = process.pid * 1000;
let asked = 0;

// --- nothing is forgotten ---

const api = JSON.parse((await ask({}, '/api/v1/openapi.json')).text).paths;

function actionsOf(operation) {
    const described = api[`/api/v1/${operation}`]?.get ?? api[`/api/v1/${operation}`]?.post;
    return described?.parameters.find(one => one.name === 'action')?.schema.enum ?? [null];
}

for (const operation of people.operations) {
    for (const action of actionsOf(operation)) {
        if (!rows.some(row => row.operation === operation && row.action === action)) wrong.push(`nobody says who may ask ${operation} ${action ?? ''}`);
    }
}
for (const row of rows) {
    if (!people.operations.includes(row.operation) || !actionsOf(row.operation).includes(row.action)) wrong.push(`there is no ${row.operation} ${row.action ?? ''}`);
}

// --- what is to come back ---

// Whether it is posted, as the description of the API says.
function isPosted(row) {
    const described = api[`/api/v1/${row.operation}`];
    return row.action ? new RegExp(`action=${row.action}: .* POST\\.`).test(described?.post?.description) : !described?.get;
}

const needed = (row, way) => way.startsWith('token') && row.byToken ? [...row.rights, row.byToken] : row.rights;
const may = (row, role, way) => has(role, needed(row, way));
const least = (row, way) => roles.find(role => may(row, role, way));

const allowed = (row, role) => has(role, ['access']) ? row.wantAccess ?? row.want : row.want;

function wanted(row, role, way) {
    if (row.local === 404) return 404;
    return may(row, role, way) ? row.local ?? allowed(row, role) : role === 'anyone' ? 401 : 403;
}

function isTried(row, role, way) {
    if (rights.includes(role)) return !may(row, role, way) || !(row.dear || row.local);
    return !may(row, role, way) || (role === least(row, way) && (!row.dear || way === 'token')) || (way === 'token' && role === 'admin' && !row.dear && isPosted(row));
}

function wordsOf(row) {
    return [row.action && `action=${row.action}`, row.words.replaceAll('$N', () => ++number)].filter(Boolean).join('&');
}

function judge(row, role, way, want, status, text) {
    asked++;
    if (![want].flat().includes(status)) wrong.push(`${row.operation} ${row.action ?? ''} as ${role} by ${way}: ${status}, not ${want}: ${text}`);
}

// --- over HTTP ---

async function tryRow(row, role, way, who) {
    const path = `/api/v1/${row.operation}`;
    const words = wordsOf(row);
    const want = wanted(row, role, way);
    if (!isPosted(row)) {
        const reply = await ask(who, `${path}?${words}`);
        return judge(row, role, way, who.stranger && want === 200 ? [200, 404] : want, reply.status, reply.text);
    }
    const reply = await ask(who, path, { form: words, headers: who.csrf && { 'X-CSRF-Token': who.csrf } });
    judge(row, role, way, want, reply.status, reply.text);
    if (may(row, role, way) && !row.local) {
        const got = await ask(who, `${path}?${words}`);
        judge(row, role, `GET, ${way}`, 400, got.status, got.text);
        const forged = who.csrf && await ask(who, path, { form: words });
        if (forged) judge(row, role, `a forged form, ${way}`, 403, forged.status, forged.text);
    }
}

// A form of a page leads back to where it came from, or shows a secret, or says in a sentence what is wrong.
async function tryForm(row, role, way, who) {
    const form = `${wordsOf(row)}&back=/measures&csrf=${who.csrf ?? ''}`;
    const want = role === 'anyone' ? 401 : wanted(row, role, way);
    const reply = await ask(who, `/do/${row.operation}`, { form });
    judge(row, role, `form, ${way}`, want === 200 ? [200, 303] : want, reply.status, reply.text);
}

async function tryWay(way, known) {
    for (const role of [...roles, ...rights].filter(role => known[role])) {
        if (known.forms) known[role].csrf ??= JSON.parse((await ask(known[role], '/api/v1/whoami')).text).csrf;
        for (const row of rows.filter(row => isTried(row, role, way))) {
            await tryRow(row, role, way, known[role]);
            if (known.forms && isPosted(row)) await tryForm(row, role, way, known[role]);
        }
    }
}

// --- the same number for everyone ---

// What is asked of a moment, and what is recorded while schedulers and nodes are looked at, says which of the two it is.
const looked = ['soonest', 'waits', 'reservations', 'timeline'];
for (const operation of people.operations) {
    const moment = api[`/api/v1/${operation}`]?.get?.parameters.some(one => one.name === 'at');
    if ((moment || looked.includes(operation)) && !rows.some(row => row.operation === operation && row.live)) wrong.push(`nobody says whether ${operation} is the same for everyone`);
}

// An answer that is as of when it was asked differs in that alone: instants of this test are all the same.
const begun = Date.now() - 3600_000;
const said = text => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, at => (Date.parse(at) > begun ? 'now' : at));

async function tryNow(row) {
    const path = `/api/v1/${row.operation}.answer?${row.words}`;
    const told = async role => {
        const reply = await ask(people.ways.token[role], path);
        if (reply.status !== 200) wrong.push(`${path} as ${role}: ${reply.status}`);
        return said(reply.text);
    };
    for (const role of roles.filter(role => role !== 'anyone' && may(row, role, 'token'))) {
        const narrow = ['user', 'manager'].includes(role) && row.live === 'own';
        asked++;
        if (!narrow) {
            const [all, theirs] = await both(() => told('admin'), () => told(role));
            if (all !== theirs) wrong.push(`${path} is not the same for ${role}: ${theirs} | ${all}`);
            continue;
        }
        const theirs = await told(role);
        if (!theirs.includes('your jobs')) wrong.push(`${path} does not tell ${role} that it is about their jobs: ${theirs}`);
        if (theirs === await told('admin')) wrong.push(`${path}: what is ${role}'s own is everybody's`);
    }
}

// --- as the command line asks ---

// What works with files or programs of the store's machine is not done from elsewhere; `left` is what comes back of it.
function wantedByCommand(row, role, way, left) {
    const local = ['pull', 'serve', 'demo'].includes(row.operation) || row.local === 403;
    if (row.holder && left === 'nobody') return may(row, role, way) ? row.holder : 403;
    if (local) return left;
    if (!may(row, role, way)) return 403;
    return row.reads && left === 'nobody' ? left : allowed(row, role);
}

function tryCommands(way, known, how, left) {
    for (const role of roles.filter(role => known[role])) {
        const tried = rows.filter(row => isTried(row, role, way));
        const lines = tried.map(row => [row.operation, ...wordsOf(row).split('&').filter(Boolean)].join('\t'));
        const done = spawnSync(people.asker, [...how], { input: lines.join('\n') + '\n', encoding: 'utf8', uid: known[role].uid, gid: known[role].uid,
            env: { ...process.env, ...known[role].environment } });
        const said = done.stdout.trimEnd().split('\n');
        tried.forEach((row, i) => judge(row, role, way, wantedByCommand(row, role, way, left), Number(said[i]?.split(' ')[0]) || said[i], `${said[i]} ${done.stderr}`));
    }
}

// Who a request of a Unix socket comes from, the kernel says: each role is another process.
function tryAsOthers(way, known) {
    for (const role of roles.filter(role => known[role])) {
        const done = spawnSync(process.execPath, [process.argv[1], way, role], { encoding: 'utf8', uid: known[role].uid, gid: known[role].uid });
        const lines = done.stdout.trimEnd().split('\n');
        asked += parseInt(lines.pop()) || 0;
        wrong.push(...lines);
        if (done.status !== 0) wrong.push(`${way} as ${role}: ${done.stderr}`);
    }
}

const [only, role] = process.argv.slice(2);
if (role) {
    wrong.length = 0; // said by the one who began this
    await tryWay(only, { [role]: people.ways[only][role] });
} else {
    for (const row of rows.filter(row => row.live)) await tryNow(row);
    for (const [way, known] of Object.entries(people.ways)) {
        if (known.kind === 'remote') tryCommands(way, known, ['remote', people.at], 403);
        else if (known.kind === 'store') tryCommands(way, known, ['socket', people.store], 'nobody');
        else if (known.kind === 'uids') tryAsOthers(way, known);
        else await tryWay(way, known);
    }
}
finish(wrong, asked);
