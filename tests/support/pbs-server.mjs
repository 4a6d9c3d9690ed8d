// SPDX-License-Identifier: MIT
//
// A PBS for tests: answers as qstat, pbsnodes and pbs_rstat of OpenPBS do, from a scripted life of jobs.
//
//     node pbs-server.mjs FOLDER qstat|pbsnodes|pbs_rstat [ARGUMENT...]
//     node pbs-server.mjs FOLDER accounting      writes FOLDER/accounting/YYYYMMDD up to now
//
// Files of FOLDER, read for every question, say how things are:
//
//     begin   when the life began, in seconds since 1970
//     clock   seconds since then: now
//     layout  new: as servers of today print JSON, with tabs; old: with blanks, and what users wrote as it stands
//     mode    ok; or fail (exit status 1), hang (never ends), cut (half an answer), nonsense (no JSON), idle (no jobs),
//             unreadable (one job has a time that is none), lost (the server answers with all jobs but one)
//     asked   written: a line for each question

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const [folder, program, ...args] = process.argv.slice(2);
const read = (name, otherwise) => {
  try {
    return readFileSync(`${folder}/${name}`, 'utf8').trim();
  } catch {
    return otherwise;
  }
};
const BEGIN = Number(read('begin'));
const now = Number(read('clock', '0'));
const mode = read('mode', 'ok');
const old = read('layout', 'new') === 'old';

// --- the life -------------------------------------------------------------------------------------------

const FULL = 'Insufficient amount of resource: ncpus';
const JOBS = [
  { id: '100', user: 'ann', name: 'relax', submit: 5, ncpus: 8, mem: '4gb', tries: [{ start: 10, end: 100, on: 'n1', exit: 0 }] },
  { id: '101', user: 'bob', name: 'big', submit: 6, ncpus: 8, expects: 200, tries: [{ start: 200, end: 300, on: 'n1', exit: 1 }] },
  { id: '102', user: 'ann', name: 'kept', submit: 7, ncpus: 1, hold: 'u', tries: [] },
  { id: '103', user: 'cyd', name: 'after', submit: 8, ncpus: 2, hold: 's', depend: 'afterok:100.head@head', free: 100,
    tries: [{ start: 110, end: 120, on: 'n1', exit: 271 }] },
  { id: '104[]', user: 'ann', name: 'sweep', submit: 20, ncpus: 1, size: 5,
    parts: { 0: { start: 30, end: 90, on: 'n1', exit: 0 }, 1: { start: 31, end: 500, on: 'n1', exit: 0 }, 2: { start: 95, end: 500, on: 'n1', exit: 0 } } },
  { id: '105', user: 'bob', name: 'again', submit: 9, ncpus: 4,
    tries: [{ start: 40, end: 150, on: 'n2', again: true }, { start: 160, end: 400, on: 'n1', exit: 0 }] },
  { id: '106', user: 'cyd', name: 'gone', submit: 11, ncpus: 1, forgotten: 160, tries: [{ start: 50, end: 900, on: 'n1', exit: 0 }] },
  { id: '107', user: 'bob', name: 'unwanted', submit: 12, ncpus: 1, deleted: 150, tries: [] },
  { id: '108', user: 'ann', name: 'paused', submit: 13, ncpus: 2, suspended: true, tries: [{ start: 60, end: 900, on: 'n4', exit: 0, ngpus: 1 }] },
  { id: '109', user: 'eve', name: 'say "hi"\\', submit: 14, ncpus: 1, hostile: true, tries: [{ start: 70, end: 250, on: 'n1', exit: 0 }] },
];

const NODES = [
  { name: 'n1', ncpus: 64, mem: '257851kb', ngpus: 0 },
  { name: 'n2', ncpus: 64, mem: '257851kb', ngpus: 0, down: 150, comment: 'node down: communication closed' },
  { name: 'n3', ncpus: 64, mem: '257851kb', ngpus: 0, offline: 100, comment: 'disk "sda" is broken' },
  { name: 'n4', ncpus: 0, mem: '0kb', ngpus: 0 },
  { name: 'n4[0]', ncpus: 16, mem: '64gb', ngpus: 2, host: 'n4', gpu: 'A100' },
  { name: 'n4[1]', ncpus: 16, mem: '64gb', ngpus: 2, host: 'n4', gpu: 'A100' },
];

// --- what is true now -------------------------------------------------------------------------------------

// Of one job or one of an array: its state now and the try that it is in, or that was its last.
function standing(job, tries) {
  const tried = tries.filter((one) => one.start <= now);
  const last = tried[tried.length - 1];
  if (job.deleted !== undefined && job.deleted <= now) return { state: 'F', over: job.deleted };
  if (last && now < last.end) return { state: job.suspended ? 'S' : 'R', last, count: tried.length };
  if (last && !last.again) return { state: 'F', last, count: tried.length, over: last.end };
  const held = job.hold && !(job.free <= now);
  return { state: held ? 'H' : 'Q', last, count: tried.length };
}

const span = (s) => [s / 3600, (s / 60) % 60, s % 60].map((n) => String(Math.floor(n)).padStart(2, '0')).join(':');
// As ctime() writes it, in the zone of TZ.
const ctime = (t) => {
  const d = new Date((BEGIN + t) * 1000);
  const [week, month, day, year] = d.toDateString().split(' ');
  return `${week} ${month} ${String(Number(day)).padStart(2)} ${d.toTimeString().slice(0, 8)} ${year}`;
};
const place = (one, job) => `(${one.on === 'n4' ? 'n4[0]' : one.on}:ncpus=${job.ncpus}${one.ngpus ? `:ngpus=${one.ngpus}` : ''})`;
const wanted = (job) => ({
  ...(job.mem ? { mem: job.mem } : {}), ncpus: job.ncpus, nodect: 1, place: 'pack',
  select: `1:ncpus=${job.ncpus}${job.tries?.[0]?.ngpus ? ':ngpus=1' : ''}`, walltime: '01:00:00',
});

function describe(job, id, tries) {
  const { state, last, count, over } = standing(job, tries);
  const out = { Job_Name: job.name, Job_Owner: `${job.user}@login` };
  const ran = last && (over ?? now) - last.start;
  if (last) {
    out.resources_used = { cpupercent: 98, cput: span(ran * job.ncpus), mem: '1024kb', ncpus: job.ncpus, vmem: '2048kb', walltime: span(ran) };
  }
  Object.assign(out, { job_state: state, queue: 'workq', server: 'head', Account_Name: 'lab', Checkpoint: 'u',
    ctime: mode === 'unreadable' && id.startsWith('100.') ? 'yesterday' : ctime(job.submit) });
  if (job.depend) out.depend = job.depend;
  if (last && state !== 'Q') {
    out.exec_host = `${last.on}/0*${job.ncpus}`;
    out.exec_vnode = place(last, job);
  }
  Object.assign(out, { Hold_Types: state === 'H' ? job.hold : 'n', mtime: ctime(over ?? last?.start ?? job.submit), Priority: 0,
    qtime: ctime(job.submit), Resource_List: wanted(job) });
  if (last) out.stime = ctime(last.start);
  out.Variable_List = job.hostile
    ? { PBS_O_HOME: '/home/eve', ZEROS: { raw: '007' }, DOT: { raw: '.5' }, ZEROS2: { raw: '-00' }, ncpus: 99,
      FUNC: '() {  eval `x "$*"`\n}\n    "job_state":"Q",', PBS_O_QUEUE: 'workq' }
    : { PBS_O_HOME: `/home/${job.user}`, PBS_O_QUEUE: 'workq' };
  if (state === 'Q' && !last) out.comment = `Not Running: ${FULL} (R: ${job.ncpus} A: ${now % 7} T: 192)`;
  if (last) out.comment = `Job run at Wed Apr 14 at 23:34 on ${place(last, job)}`;
  out.etime = ctime(job.submit);
  if (state === 'Q' && job.expects) out.estimated = { start_time: ctime(job.expects) };
  if (last) out.run_count = count;
  if (state === 'F') out.Exit_status = last ? last.exit : 271;
  if (state === 'F') out.history_timestamp = BEGIN + over;
  out.project = '_pbs_project_default';
  return out;
}

// An array as a whole, and each of its jobs.
function describeArray(job) {
  const ids = Array.from({ length: job.size }, (_, i) => i);
  const of = (i) => standing(job, job.parts[i] ? [job.parts[i]] : []).state;
  const count = (states) => ids.filter((i) => states.includes(of(i))).length;
  const head = job.id.slice(0, -2);
  const whole = describe(job, `${job.id}.head`, []);
  const state = count('QH') === job.size ? 'Q' : count('F') === job.size ? 'F' : 'B';
  Object.assign(whole, { job_state: state, array: 'True', array_indices_submitted: `0-${job.size - 1}`,
    array_state_count: `Queued:${count('QH')} Running:${count('RS')} Exiting:0 Expired:${count('F')} ` });
  return [[`${job.id}.head`, whole, state], ...ids.map((i) => {
    const one = describe(job, `${head}[${i}].head`, job.parts[i] ? [job.parts[i]] : []);
    if (one.job_state === 'F') one.job_state = 'X';
    return [`${head}[${i}].head`, one, one.job_state];
  })];
}

function allJobs() {
  return JOBS.filter((job) => job.submit <= now && !(job.forgotten <= now)).flatMap((job) =>
    job.size ? describeArray(job) : [[`${job.id}.head`, describe(job, `${job.id}.head`, job.tries), standing(job, job.tries).state]]);
}

// --- how it is printed --------------------------------------------------------------------------------------

const text = (value) => (old ? `"${value}"` : JSON.stringify(value));
const value = (one) => (one?.raw !== undefined ? (old ? one.raw : `"${one.raw}"`) : typeof one === 'string' ? text(one) : String(one));

// [name, value] pairs, one a line, as deep as they are.
function lines(entries, depth) {
  const indent = (old ? '    ' : '\t').repeat(depth);
  const colon = old ? ':' : ':\t';
  return entries.map(([name, one], i) => {
    const comma = i + 1 < entries.length ? ',' : '';
    if (Array.isArray(one)) {
      return old ? `${indent}"${name}"${colon}[\n${one.map((v) => `${indent}    "${v}"`).join(',\n')}\n${indent}]${comma}`
        : `${indent}"${name}"${colon}[${one.map((v) => `"${v}"`).join(', ')}]${comma}`;
    }
    if (typeof one === 'object' && one.raw === undefined) {
      const inner = lines(Array.isArray(one.entries) ? one.entries : Object.entries(one), depth + 1);
      return `${indent}"${name}"${colon}{\n${inner ? `${inner}\n` : ''}${indent}}${comma}`;
    }
    return `${indent}"${name}"${colon}${value(one)}${comma}`;
  }).join('\n');
}

function print(kind, entries) {
  const head = [['timestamp', BEGIN + now], ['pbs_version', old ? '19.0.0' : '23.06.06'], ['pbs_server', 'head']];
  const all = `{\n${lines(entries ? [...head, [kind, { entries }]] : head, 1)}\n}\n`;
  process.stdout.write(mode === 'cut' ? all.slice(0, all.length / 2) : all);
}

function qstat() {
  const ids = args.filter((one) => /^\d/.test(one));
  if (args.includes('-Q')) {
    print('Queue', [['workq', { queue_type: 'Execution', total_jobs: 3, resources_max: { walltime: '48:00:00' }, enabled: 'True', started: 'True' }],
      ['closed', { queue_type: 'Execution', enabled: 'False', started: 'True' }],
      ['entry', { queue_type: 'Route', enabled: 'True', started: 'True' }]]);
    return;
  }
  let jobs = mode === 'idle' ? [] : allJobs();
  if (!args.includes('-x')) jobs = jobs.filter(([, , state]) => state !== 'F');
  if (!args.includes('-t')) jobs = jobs.filter(([id]) => !/\[\d/.test(id));
  if (ids.length > 0) jobs = jobs.filter(([id]) => ids.includes(id.split('.')[0]));
  if (ids.length > 0 && jobs.length === 0) {
    process.stderr.write(`qstat: Unknown Job Id ${ids[0]}\n`);
    process.exitCode = 153;
  }
  print('Jobs', jobs.length > 0 ? jobs.map(([id, job]) => [id, job]) : null);
}

function pbsnodes() {
  const running = allJobs().filter(([id, job]) => 'RS'.includes(job.job_state) && !id.includes('[]'));
  print('nodes', NODES.map((node) => {
    const here = running.filter(([, job]) => job.exec_vnode?.includes(`(${node.name}:`));
    const sum = (of) => here.reduce((all, [, job]) => all + Number(job.exec_vnode.match(`${of}=(\\d+)`)?.[1] ?? 0), 0);
    const down = node.down <= now, offline = node.offline <= now;
    return [node.name, {
      Mom: `${node.host ?? node.name}.example.org`, ntype: 'PBS', state: down ? 'down' : offline ? 'offline' : 'free', pcpus: 64,
      ...(here.length > 0 ? { jobs: here.map(([id], i) => `${id}/${i}`) } : {}),
      resources_available: { arch: 'linux', ...(node.gpu ? { gputype: node.gpu } : {}), host: node.host ?? node.name, mem: node.mem, ncpus: node.ncpus,
        ...(node.ngpus ? { ngpus: node.ngpus } : {}), ssd: 'True', vnode: node.name },
      resources_assigned: here.length > 0 ? { ncpus: sum('ncpus'), ...(sum('ngpus') ? { ngpus: sum('ngpus') } : {}) } : {},
      ...(down || offline ? { comment: node.comment } : {}),
      resv_enable: 'True', sharing: 'default_shared', license: 'l',
      last_state_change_time: old ? ctime(node.down ?? node.offline ?? 0) : BEGIN + ((down && node.down) || (offline && node.offline) || 0),
    }];
  }));
}

function rstat() {
  process.stdout.write(`Resv ID: R200.head
Reserve_Name = course
Reserve_Owner = root@head
reserve_state = RESV_CONFIRMED
reserve_start = ${ctime(500)}
reserve_end = ${ctime(900)}
reserve_duration = 400
queue = R200
Resource_List.ncpus = 128
Resource_List.nodect = 2
resv_nodes = (n1:ncpus=64)+
	(n2:ncpus=64)
Authorized_Users = ann@*,bob@*
server = head

Resv ID: M300.head
Reserve_Name = NULL
reserve_state = RESV_RUNNING
reserve_start = ${ctime(0)}
reserve_end = ${ctime(1000)}
queue = M300
resv_nodes = (n3:ncpus=64)

Resv ID: R100.head
Reserve_Name = over
reserve_state = RESV_FINISHED

`);
}

// --- accounting ---------------------------------------------------------------------------------------------

function accounting() {
  const records = [];
  const add = (at, letter, id, job, one) => {
    if (at > now) return;
    const pairs = [`user=${job.user}`, 'group=users', 'account="lab"', 'project=_pbs_project_default', `jobname=${job.name.replace(/\W/g, '_')}`, 'queue=workq',
      `ctime=${BEGIN + job.submit}`, `qtime=${BEGIN + job.submit}`, `etime=${BEGIN + job.submit}`, `start=${BEGIN + one.start}`,
      `exec_host=${one.on}/0*${job.ncpus}`, `exec_vnode=${place(one, job)}`,
      ...Object.entries(wanted(job)).map(([name, v]) => `Resource_List.${name}=${v}`)];
    if (letter !== 'S') {
      const ran = one.end - one.start;
      pairs.push('session=1', `end=${BEGIN + one.end}`, `Exit_status=${one.again ? -4 : one.exit}`, 'resources_used.cpupercent=98',
        `resources_used.cput=${span(ran * job.ncpus)}`, 'resources_used.mem=1024kb', `resources_used.ncpus=${job.ncpus}`, 'resources_used.vmem=2048kb',
        `resources_used.walltime=${span(ran)}`, 'run_count=1');
    }
    records.push({ at, line: `${letter};${id}.head;${pairs.join(' ')}` });
  };
  for (const job of JOBS) {
    const tries = job.size ? Object.entries(job.parts).map(([i, one]) => [`${job.id.slice(0, -1)}${i}]`, one]) : job.tries.map((one) => [job.id, one]);
    for (const [id, one] of tries) {
      if (job.forgotten !== undefined) continue;
      add(one.start, 'S', id, job, one);
      add(one.end, one.again ? 'R' : 'E', id, job, one);
    }
  }
  mkdirSync(`${folder}/accounting`, { recursive: true });
  const days = new Map();
  for (const { at, line } of records.sort((a, b) => a.at - b.at)) {
    const iso = new Date((BEGIN + at) * 1000).toISOString();
    const day = iso.slice(0, 10).replaceAll('-', '');
    days.set(day, `${days.get(day) ?? ''}${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)} ${iso.slice(11, 19)};${line}\n`);
  }
  for (const [day, all] of days) writeFileSync(`${folder}/accounting/${day}`, all);
}

const programs = { qstat, pbsnodes, pbs_rstat: rstat, accounting };

if (program !== 'accounting') appendFileSync(`${folder}/asked`, `${program} ${args.join(' ')}\n`);
if (program !== 'accounting' && mode === 'fail') {
  process.stderr.write(`${program}: cannot connect to server head (errno=15010)\n`);
  process.exit(1);
}
if (program !== 'accounting' && mode === 'hang') {
  setInterval(() => {}, 1000);
} else if (program !== 'accounting' && mode === 'nonsense') {
  process.stdout.write('Connection refused\n');
} else {
  programs[program]();
}
