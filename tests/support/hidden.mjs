// SPDX-License-Identifier: MIT
//
// node hidden.mjs TABLE-OF-PAGES: whoever may see ann's runs only sees nothing that has "quux" in it (tests/support/hostile_site.sh), whatever they
// ask, in which form, and after whom; and what is another's is as what does not exist.
import { ask, both, finish, people } from './door.mjs';
import { has, rows } from './matrix_rows.mjs';
import { addresses, March, pageOf, things, untried } from './pages.mjs';

const wrong = [];
let looked = 0;
const by = people.ways.token;
const secret = /quux/i;

function hides(who, path, reply) {
    looked++;
    const found = secret.exec(reply.text);
    if (found) wrong.push(`${who} sees in ${path}: ${reply.text.slice(Math.max(0, found.index - 80), found.index + 80)}`);
    if (reply.status >= 500) wrong.push(`${path} as ${who}: ${reply.status}`);
}

const reads = rows.filter(row => !row.local && row.want === 200 && !row.dear && !/^(add|set|open|grant|charge|sync)$/.test(row.action));
const may = (row, role) => has(role, row.rights);
const path = (row, format) => `/api/v1/${row.operation}.${format}?${[row.action && `action=${row.action}`, row.words].filter(Boolean).join('&')}`;

// Everything that can be read; what one sees who sees all is not given to others, and is not what they have already.
const drawn = ['report', 'top', 'usage', 'history', 'sizes', 'when', 'timeline', 'jobs'];
for (const row of reads.filter(row => may(row, 'user'))) {
    const asked = path(row, 'answer');
    const all = await ask(by.admin, asked);
    const seen = await ask(by.user, asked, { headers: { 'If-None-Match': all.headers.etag ?? '"none"' } });
    hides('user', asked, seen);
    if (seen.status === 304 && secret.test(all.text)) wrong.push(`${asked}: a user has what an admin has`);
    if (!drawn.includes(row.operation)) continue;
    hides('user', path(row, 'svg'), await ask(by.user, path(row, 'svg')));
    hides('manager', path(row, 'csv'), await ask(by.manager, path(row, 'csv')));
}

// Filters, orders, groups, pages and columns that ask for more.
const widenings = ['user=*', 'user=!ann', 'group=!anngro', 'account=!annacc', 'metagroup=!annmet', 'node=!annnod', 'cluster=*'];
const listings = { jobs: 'fields=all', report: 'measure=jobs&by=user,group,account', top: 'dimension=user', usage: '', efficiency: '', waste: '', hogs: '', energy: '', rightsize: '', scale: 'user=ann' };
for (const [operation, words] of Object.entries(listings)) {
    for (const more of operation === 'jobs' || operation === 'report' ? widenings : widenings.slice(0, 2)) {
        const asked = `/api/v1/${operation}.answer?${[words, more, March].filter(Boolean).join('&')}`;
        hides('user', asked, await ask(by.user, asked));
    }
}
for (const asked of [`jobs.jsonl?${March}&sort=user&reverse=true&fields=all`, `jobs.csv?${March}&sort=account&limit=0`, `jobs?${March}&page-size=1&cursor=p2`, `jobs?${March}&page-size=9&cursor=p0`,
    `report.csv?measure=jobs&by=user&sort=user&${March}`, `report.csv?measure=cpu_hours&by=name,qos,project,department,reservation,gpu_type,node&${March}&zone=Pacific/Kiritimati`,
    `report.parquet?measure=jobs&by=user&${March}`, `report.svg?measure=jobs&by=user&chart=bar&${March}`, `samples.csv?${March}&fields=all&user=*`, `samples.csv?${March}&job=70003`,
    `timeline.csv?of=job_cpus&by=user&job=70003&${March}`, `timeline.svg?of=cpu&by=node&node=*&${March}`, `timeline.csv?of=gpu&by=card&${March}`,
    ...['user', 'group', 'account', 'person', 'reservation'].map(name => `top.csv?dimension=${name}&never=true&${March}`),
    `forecast?measure=cpu_hours`, 'queue?by=user', 'view?action=list&owner=*', 'token?action=list&owner=*', 'events', 'whoami', 'site']) {
    hides('user', asked, await ask(by.user, `/api/v1/${asked}`));
    hides('nobody', asked, await ask({}, `/api/v1/${asked}`));
}

// Headers by which others would be believed: a token is whose it is.
const claims = { 'X-Remote-User': 'p-admin', 'X-Remote-Groups': 'bin', 'X-Forwarded-User': 'p-admin', Forwarded: 'for=127.0.0.1', 'X-Forwarded-For': '127.0.0.1', 'X-Original-URL': '/api/v1/user?action=list',
    'X-HTTP-Method-Override': 'POST', Cookie: people.ways.session.admin.headers.Cookie, 'X-CSRF-Token': people.ways.session.admin.csrf };
for (const asked of [`/api/v1/jobs?${March}&fields=all`, '/api/v1/whoami', '/api/v1/user?action=list', `/jobs?${March}`, '/inside']) {
    const reply = await ask(by.user, asked, { headers: claims });
    hides('user', asked, reply);
    if (/p-admin|"admin"/.test(reply.text)) wrong.push(`${asked}: a token is taken for another`);
}

// Pages, by all who see a part or nothing; and after one who sees all.
const pages = [...addresses, ...things.map(kind => pageOf(kind, kind === 'cluster' ? 'alder' : kind === 'user' ? 'ann' : kind === 'metagroup' ? 'annmet' : `ann${kind.slice(0, 3)}`)),
    '/bank/annacc', '/job/1', '/metrics', '/attention'];
wrong.push(...untried(process.argv[2], pages).map(row => `nobody tries the page ${row}`));
const alike = /^\/(group|project|department|partition|qos|cluster|name|gpu_type|reservation)\//; // as /account/ is; and many questions each
for (const address of pages) {
    const asked = address.replace('q=quu', 'q=q').replace('70003', '70009');
    if (!alike.test(asked)) hides('user', asked, await ask(people.ways.session.user, asked));
    hides('nobody', asked, await ask({}, asked));
}

// What is another's is as what does not exist: status, text and headers. The names of the two are alike but for a few letters, which are
// the same letters wherever an answer repeats what was asked.
const twins = [['70003', '70009'], ['quux', 'quuy'], ['invoice 1', 'invoice 9']];
const timeless = text => text.replaceAll(/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]+(\.[0-9]+)?Z?|(today|yesterday) [0-9]{2}:[0-9]{2}/g, 'T');
const plain = text => twins.reduce((before, [theirs, nobodys]) => before.replaceAll(nobodys, theirs), timeless(text));
const heads = reply => Object.entries(reply.headers).filter(([name]) => !['date', 'content-length', 'etag'].includes(name)).map(pair => pair.join(': ')).sort().join('; ');
const whole = reply => plain(`${reply.status} ${heads(reply)} ${reply.text}`);
const twin = name => name.replace('quux', 'quuy');
async function isNothing(who, address, theirs, nobodys) {
    const put = name => address.replaceAll('{}', encodeURIComponent(name));
    const [a, b] = await both(async () => whole(await ask(who, put(theirs))), async () => whole(await ask(who, put(nobodys))));
    const at = [...a].findIndex((c, i) => c !== b[i]);
    looked++;
    if (a !== b) wrong.push(`${put(theirs)} is not as ${put(nobodys)}: ${a.slice(at - 40, at + 80)} | ${b.slice(at - 40, at + 80)}`);
}
for (const address of ['/api/v1/job?id={}', '/api/v1/job.svg?id={}', '/job/{}', '/job?id={}', '/compare?job=1,{}', '/api/v1/rate?action=test&word={}', `/api/v1/samples?job={}&${March}`,
    `/api/v1/timeline?of=job_cpus&by=job&job={}&${March}`, `/api/v1/jobs.answer?job={}&${March}`, '/search?q={}', '/suggest?q={}']) {
    await isNothing(by.user, address, '70003', '70009');
    await isNothing(people.ways.session.manager, address, '70003', '70009');
}
for (const address of ['/api/v1/bank?action=statement&word={}', '/api/v1/bank?action=days&word={}', '/api/v1/bank?action=history&word={}', '/api/v1/bank?action=allotments&word={}', '/bank/{}',
    '/api/v1/bank?action=balance&word={}', `/api/v1/report.answer?measure=jobs&account={}&${March}`]) {
    await isNothing(people.ways.session.user, address, people.hostile.account, twin(people.hostile.account));
    await isNothing(by.manager, address, people.hostile.account, twin(people.hostile.account));
}
await isNothing(by.manager, '/api/v1/invoice?action=show&word={}', '1', '9');
await isNothing(by.manager, '/api/v1/invoice?action=draft&word={}', people.hostile.account, twin(people.hostile.account));
for (const kind of ['user', 'account', 'node']) await isNothing(people.ways.session.user, `/${kind}/{}?${March}`, people.hostile[kind], twin(people.hostile[kind]));
for (const kind of ['user', 'group', 'account', 'node', 'name']) await isNothing(people.ways.session.user, '/suggest?q={}', people.hostile[kind], twin(people.hostile[kind]));
for (const name of ['user', 'group', 'account', 'partition', 'name', 'qos', 'project', 'reservation']) {
    await isNothing(by.user, `/api/v1/report.answer?measure=jobs&${name}={}&${March}`, people.hostile[name], twin(people.hostile[name]));
}

finish(wrong, looked);
