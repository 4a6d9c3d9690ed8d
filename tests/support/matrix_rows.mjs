// SPDX-License-Identifier: MIT
//
// Who may ask what: every operation, or each of its actions, with the rights that it takes and a way to ask it. Rights and roles are written here
// a second time on purpose: what changes in the program fails until it changes here.

// [operation, action, rights, words, more]; the words of what changes something are those of a change that can be made again ($N is another
// number each time). `want` is the status for those who may, where it is not 200; `local` the status for all who are elsewhere, `holder` what the process that has the
// store answers to those of its machine who may (stint.conf names nothing here); `byToken` the
// rights where those of a token are not enough; `wantAccess` the status for those who manage access, where that is another; what is `dear` is asked
// once; what `reads` a file gets none here. Of what is asked about a moment, `live` says whether it is the `same` number for everyone who may ask,
// or of the caller's `own` jobs, and says so.
const March = 'from=2026-03&to=2026-03';
const entries = (name, reader, add, set, more = {}) => [
    [name, 'add', more.writer ?? 'books', add],
    [name, 'set', more.writer ?? 'books', set, { want: more.set ?? 200 }],
    [name, 'remove', more.writer ?? 'books', 'word=999999', { want: more.remove ?? 404 }],
    [name, 'list', reader, ''],
    [name, 'export', reader, ''],
    [name, 'import', more.writer ?? 'books', 'word=sheet.csv', { want: 400, reads: true }],
];

export const rows = [
    ['import', null, 'chores all', 'source=sge&file=log', { want: 400, reads: true, local: 404 }],
    ['pull', null, 'chores all', '', { local: 404, holder: 404 }],
    ['usage', null, 'own', March],
    ['summary', null, 'own', March],
    ['top', null, 'own', March],
    ['efficiency', null, 'own', March],
    ['waste', null, 'own', March],
    ['compare', null, 'own', March],
    ['history', null, 'own', ''],
    ['sizes', null, 'own', March],
    ['when', null, 'own', March],
    ['forecast', null, 'own', '', { want: 404 }],
    ['report', null, 'own', `measure=jobs&by=user&${March}`],
    ['measures', null, '', ''],
    ['dimensions', null, '', ''],
    ['nodes', null, 'own', ''],
    ['nodes', null, 'own', 'at=2026-03-01T01:20', { live: 'same' }],
    ['nodes', null, 'own', 'at=2026-03-01T01:20&by=gpu_type', { live: 'same' }],
    ['queue', null, 'own', ''],
    ['queue', null, 'own', 'at=2026-03-01T02:00&by=state', { live: 'same' }],
    ['queue', null, 'own', 'at=2026-03-01T02:00', { live: 'own' }],
    ['queue', null, 'own', 'at=2026-03-01T02:00&by=user', { live: 'own' }],
    ['waits', null, 'own', March],
    ['soonest', null, 'own', 'cpus=4', { live: 'same' }],
    ['reservations', null, 'all', ''],
    ['metrics', null, 'all', '', { dear: true }],
    ['jobs', null, 'own', `${March}&fields=all`],
    ['job', null, 'own', 'id=1'],
    ['scale', null, 'own', `${March}&user=ann`],
    ['rightsize', null, 'own', March],
    ['hogs', null, 'own', March],
    ['energy', null, 'own', March],
    ['samples', null, 'own', March],
    ['timeline', null, 'own', `of=job_cpus&by=user&${March}`],
    ...entries('metagroup', 'own', 'word=m$N', 'word=annmet&note=n$N', { remove: 400 }),
    ['metagroup', 'show', 'all', 'word=annmet'],
    ...entries('member', 'all', 'word=annmet&word=user&word=u$N', 'word=annmet&word=user&word=ann&note=n$N'),
    ...entries('people', 'all', 'word=p$N&name=n', 'word=quuxper&note=n$N', { remove: 400 }),
    ['people', 'sync', 'books all', ''],
    ...entries('cluster', 'own', 'word=c$N&as=d', 'word=999999&as=d', { set: 404 }),
    ...entries('name', 'all', 'word=user&word=u$N&word=shown', 'word=user&word=ann&shown=Ann', { set: 404 }),
    ...entries('capacity', 'own', 'word=c$N&cpus=1', 'word=alder&note=n$N'),
    ...entries('gap', 'own', 'cluster=alder&from=2026-05-01&to=2026-05-01&what=w$N', 'word=999999&what=w', { set: 404 }),
    ...entries('target', 'all', 'word=t$N&measure=jobs&amount=1&per=month', 'word=999999&amount=2', { set: 400, remove: 400 }),
    ['books', 'history', 'all', ''],
    ['books', 'dump', 'books all', ''],
    ['books', 'restore', 'books access money all', 'file=dump.json', { want: 400, reads: true }],
    ['balance', null, 'own', ''],
    ['quote', null, 'own', 'flag=-n&flag=4&flag=-t&flag=60&flag=-A&flag=annacc'],
    ['bank', 'open', 'money all', 'word=b$N'],
    ['bank', 'set', 'money all', 'word=annacc&note=n$N'],
    ['bank', 'close', 'money all', 'word=nil', { want: 404 }],
    ['bank', 'grant', 'money all', 'word=annacc&word=1&from=2026-01-01&to=2099'],
    ['bank', 'transfer', 'transfer', 'word=nil&word=1&into=nix', { want: 404 }],
    ['bank', 'adjust', 'money all', 'word=nil&word=1', { want: 404 }],
    ['bank', 'extend', 'money all', 'word=nil&to=2099', { want: 404 }],
    ['bank', 'void', 'money all', 'word=nil&allotment=1', { want: 404 }],
    ['bank', 'writeoff', 'money all', 'word=nil', { want: 404 }],
    ['bank', 'refund', 'money all', 'word=999999', { want: 404 }],
    ['bank', 'charge', 'money all', ''],
    ['bank', 'balance', 'own', ''],
    ['bank', 'allotments', 'own', ''],
    ['bank', 'charges', 'own', 'word=annacc'],
    ['bank', 'statement', 'own', `word=annacc&${March}`],
    ['bank', 'history', 'own', 'word=annacc'],
    ['bank', 'days', 'own', `word=annacc&${March}`],
    ['bank', 'notices', 'money all', ''],
    ['bank', 'limits', 'all', '', { local: 403, holder: 400 }],
    ['bank', 'enforce', 'chores all', '', { local: 403, holder: 400 }],
    ['bank', 'release', 'chores all', '', { local: 403, holder: 400 }],
    ['bank', 'check', 'all', ''],
    ['bank', 'import', 'money all', 'word=dump.json', { want: 400, reads: true }],
    ['bank', 'dump', 'money all', ''],
    ['invoice', 'draft', 'managed', `word=annacc&${March}`],
    ['invoice', 'issue', 'money all', `word=nil&${March}`, { want: 404 }],
    ['invoice', 'show', 'managed', 'word=2'],
    ['invoice', 'list', 'managed', ''],
    ...entries('rate', 'own', 'word=r$N&cpu=1&cluster=nowhere', 'word=cpu&note=n$N', { writer: 'money' }),
    ['rate', 'test', 'own', 'word=1'],
    ['serve', null, 'chores all', '', { local: 404 }],
    ['token', 'add', 'own', 'word=k$N', { byToken: 'access', wantAccess: 400 }],
    ['token', 'set', 'access', 'word=nil&note=n', { want: 400 }],
    ['token', 'revoke', 'own', 'word=nil', { want: 400 }],
    ['token', 'list', 'own', ''],
    ['user', 'add', 'access', 'word=w$N&role=user', { dear: true }],
    ['user', 'set', 'access', 'word=nil&note=n', { want: 400 }],
    ['user', 'passwd', 'access', 'word=nil', { want: 404 }],
    ['user', 'remove', 'access', 'word=nil', { want: 400 }],
    ['user', 'list', 'access', ''],
    ['audit', 'list', 'access', ''],
    ['view', 'add', 'own', 'word=v$N&question=/jobs'],
    ['view', 'set', 'own', 'word=nil&note=n', { want: 400 }],
    ['view', 'remove', 'own', 'word=nil', { want: 400 }],
    ['view', 'list', 'own', ''],
    ['rollup', null, 'chores all', '', { dear: true }],
    ['thin', null, 'chores all', '', { dear: true }],
    ['check', null, 'all', '', { dear: true }],
    ['doctor', null, 'all', ''],
    ['quarantine', null, 'all', ''],
    ['config', 'check', 'chores', '', { local: 403 }],
    ['config', 'show', 'chores', '', { local: 403 }],
    ['config', 'example', '', ''],
    ['demo', null, '', '', { local: 404 }],
].map(([operation, action, rights, words, more]) => ({ operation, action, rights: rights.split(' ').filter(Boolean), words, want: 200, ...more }));

const all = 'own managed all transfer money books access samples chores';
const sets = { anyone: '', user: 'own', manager: 'own managed transfer', staff: 'own managed all', operator: 'own managed all chores', treasurer: 'own managed all transfer money', agent: 'samples', admin: all };

// What somebody has whose token has one right of those of an admin.
export const rights = all.split(' ');
for (const right of rights) sets[right] ??= right;

// Roles, those with less before those with more.
export const roles = ['anyone', 'agent', 'user', 'manager', 'staff', 'operator', 'treasurer', 'admin'];
export const has = (caller, needed) => needed.every(right => sets[caller].split(' ').includes(right));
