// SPDX-License-Identifier: MIT
//
// A Nomad for tests: answers as the HTTP API documents, from a scripted life of jobs.
//
//     node nomad-server.mjs FOLDER
//
// Listens on a free port, written to FOLDER/port, and serves until it is ended. Files of FOLDER, read anew for every
// question, say how things are:
//
//     clock   seconds since the life began, an hour before the server was started
//     mode    ok; or die (ends in the middle of the list of allocations), slow (never ends it), nonsense (no JSON),
//             strange (JSON of another kind), busy (status 500)
//     token   if it is there, the token that must be given
//     asked   written: a line for each question
//
// With FOLDER/server.pem, server.key and ca.pem it speaks TLS and wants a certificate of that authority.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import { createServer as createTls } from 'node:https';

const [folder] = process.argv.slice(2);
const BEGIN = Math.floor(Date.now() / 1000) - 3600;
const FORGET = 4 * 3600; // seconds after which what has ended is gone
const CROWD = 510; // short jobs that come all at once, at 300

const read = (name, otherwise) => {
  try {
    return readFileSync(`${folder}/${name}`, 'utf8').trim();
  } catch {
    return otherwise;
  }
};

const nanos = (t) => (BigInt(BEGIN) * 1000n + BigInt(Math.round(t * 1000))) * 1000000n + 123456n;
const rfc3339 = (t) => `${new Date((BEGIN + t) * 1000).toISOString().slice(0, 23)}456789Z`;

// --- the life -------------------------------------------------------------------------------------------

const NODES = [
  { id: 'node-1', name: 'n1', cores: 8, mhz: 19200, mem: 64000, disk: 500000, gpus: 2, status: 'ready' },
  { id: 'node-2', name: 'n2', cores: 4, mhz: 9600, mem: 16000, disk: 100000, gpus: 0, status: 'ready', drain: 100 },
  { id: 'node-3', name: 'n3', cores: 4, mhz: 9600, mem: 16000, disk: 100000, gpus: 0, status: 'down' },
];

const LIFE = [
  { job: 'web', type: 'service', submit: 5, owner: 'ann', cores: 2, gpus: 1, mem: 4000,
    allocations: [{ id: 'aaaa-web', node: 0, create: 10, start: 20 }] },
  { job: 'short', type: 'batch', submit: 99, owner: 'bob', mhz: 4800, mem: 100,
    allocations: [{ id: 'bbbb-short', node: 0, create: 100, start: 101, end: 103.5, exit: 0 }] },
  { job: 'crash', type: 'service', submit: 49, owner: 'cyd', cores: 1, mem: 200,
    allocations: [{ id: 'cccc-1', node: 0, create: 50, start: 55, end: 120, exit: 137, oom: true, next: 'cccc-2' },
      { id: 'cccc-2', node: 0, create: 125, start: 130, previous: 'cccc-1' }] },
  { job: 'big', type: 'batch', submit: 60, owner: 'ann', cores: 8, mem: 60000, queued: 200,
    allocations: [{ id: 'dddd-big', node: 0, create: 200, start: 210 }] },
  { job: 'again', type: 'service', submit: 29, owner: 'bob', cores: 1, mem: 100,
    allocations: [{ id: 'eeee-again', node: 1, create: 30, start: 35, restart: 150 }] },
  { job: 'purged', type: 'batch', submit: 39, owner: 'cyd', cores: 1, mem: 100,
    allocations: [{ id: 'ffff-purged', node: 1, create: 40, start: 45, gone: 160 }] },
  { job: 'stopped', type: 'service', submit: 19, owner: 'ann', cores: 1, mem: 100,
    allocations: [{ id: '9999-stopped', node: 1, create: 20, start: 25, end: 140, killed: true }] },
  { job: 'lesson', space: 'tutorials', type: 'service', submit: 5, owner: 'eve', cores: 1, mem: 100,
    allocations: [{ id: '8888-lesson', node: 0, create: 10, start: 12 }] },
  ...Array.from({ length: CROWD }, (_, i) => ({ job: `crowd-${i}`, type: 'batch', submit: 300, owner: 'dan', cores: 1, mem: 10,
    allocations: [{ id: `7777-${i}`, node: 0, create: 301, start: 302, end: 303, exit: 0 }] })),
];

// Everything that happens has its number, in the order of time; what happens at once has the same.
const EVENTS = [...new Set(LIFE.flatMap((j) => [j.submit, j.queued, ...j.allocations.flatMap((a) =>
  [a.create, a.start, a.restart, a.end, a.gone])]).filter((t) => t !== undefined))].sort((a, b) => a - b);
const index_at = (t) => 10 + EVENTS.filter((e) => e <= t).length;

function index_of(allocation, clock) {
  const times = [allocation.create, allocation.start, allocation.restart, allocation.end].filter((t) => t <= clock);
  return index_at(Math.max(...times));
}

// --- documents ------------------------------------------------------------------------------------------

function job_document(j) {
  return {
    ID: j.job, Name: j.job, Namespace: j.space ?? 'default', Type: j.type, Priority: 50, Datacenters: ['dc1'],
    Meta: { owner: j.owner, owner_name: `${j.owner} of Example`, owner_email: `${j.owner}@example.org` },
    TaskGroups: [{ Name: 'all', Count: 1, EphemeralDisk: { SizeMB: 300 },
      Tasks: [{ Name: 'main', Driver: 'docker', Config: { image: `example/${j.job}:1`, command: 'go', args: ['--now', 'x y'] },
        Resources: { CPU: j.mhz ?? 100, Cores: j.cores ?? 0, MemoryMB: j.mem,
          Devices: j.gpus ? [{ Name: 'nvidia/gpu', Count: j.gpus }] : null } }] }],
    SubmitTime: Number(nanos(j.submit)),
  };
}

function events_of(a, clock) {
  const all = [['Received', a.create], ['Started', a.start], ['Restarting', a.restart], ['Started', a.restart]];
  if (a.killed) {
    all.push(['Killing', a.end], ['Terminated', a.end, 143, 15], ['Killed', a.end]);
  } else if (a.exit !== undefined) {
    all.push(['Terminated', a.end, a.exit], ...(a.exit ? [['Not Restarting', a.end]] : []));
  }
  return all.filter(([, t]) => t <= clock).map(([Type, t, exit, signal]) => ({
    Type, Time: Number(nanos(t)), DisplayMessage: Type === 'Not Restarting' ? 'Exceeded allowed attempts' : Type,
    ExitCode: exit ?? 0, Signal: signal ?? 0, Details: Type === 'Terminated' && a.oom ? { oom_killed: 'true' } : {} }));
}

function status_of(a, clock) {
  return !(a.start <= clock) ? 'pending' : !(a.end <= clock) ? 'running' : a.exit ? 'failed' : 'complete';
}

function allocation_stub(j, a, clock) {
  const status = status_of(a, clock);
  const started = a.restart <= clock ? a.restart : a.start;
  const over = a.end <= clock;
  const node = NODES[a.node];
  return {
    ID: a.id, EvalID: 'eval', Name: `${j.job}.all[0]`, Namespace: j.space ?? 'default', NodeID: node.id, NodeName: node.name,
    JobID: j.job, JobType: j.type, TaskGroup: 'all',
    AllocatedResources: {
      Tasks: { main: { Cpu: { CpuShares: j.mhz ?? (j.cores ?? 0) * 2400, ReservedCores: j.cores ? [...Array(j.cores).keys()] : null },
        Memory: { MemoryMB: j.mem, MemoryMaxMB: 0 },
        Devices: j.gpus ? [{ Vendor: 'nvidia', Type: 'gpu', Name: 'A100-SXM4', DeviceIDs: Array(j.gpus).fill('GPU-1') }] : null } },
      Shared: { DiskMB: 300 } },
    DesiredStatus: a.killed && over ? 'stop' : 'run', DesiredDescription: '', ClientStatus: status, ClientDescription: status,
    NextAllocation: a.next && over ? a.next : '',
    TaskStates: a.start <= clock ? { main: { State: over ? 'dead' : 'running', Failed: over && Boolean(a.exit),
      Restarts: a.restart <= clock ? 1 : 0, StartedAt: rfc3339(started),
      FinishedAt: over ? rfc3339(a.end) : null, Events: events_of(a, clock) } } : null,
    CreateIndex: index_at(a.create), ModifyIndex: index_of(a, clock), CreateTime: Number(nanos(a.create)),
    ModifyTime: Number(nanos(Math.max(...[a.create, a.start, a.end].filter((t) => t <= clock)))),
  };
}

const there = (j, a, clock) => a.create <= clock && !(a.gone <= clock) && !(a.end + FORGET <= clock);

function* allocations(clock) {
  for (const j of LIFE) {
    for (const a of j.allocations.filter((x) => there(j, x, clock))) {
      yield [j, a];
    }
  }
}

function jobs_list(clock) {
  return LIFE.filter((j) => j.submit <= clock && !j.allocations.every((a) => a.gone <= clock)).map((j) => {
    const whole = job_document(j);
    const waits = j.queued > clock;
    const begun = j.allocations.some((a) => a.create <= clock);
    return { ID: whole.ID, Name: whole.Name, Namespace: whole.Namespace, Type: whole.Type, Priority: 50, Meta: whole.Meta,
      Stop: false, Status: waits || !begun ? 'pending' : 'running', SubmitTime: whole.SubmitTime,
      JobSummary: { JobID: j.job, Summary: { all: { Queued: waits ? 1 : 0, Running: begun ? 1 : 0 } } } };
  });
}

function nodes_list(clock) {
  return NODES.map((n) => ({
    ID: n.id, Name: n.name, Datacenter: 'dc1', NodeClass: '', NodePool: 'default', Drain: n.drain <= clock,
    SchedulingEligibility: n.drain <= clock ? 'ineligible' : 'eligible', Status: n.status, StatusDescription: '',
    Attributes: { 'os.name': 'debian' },
    NodeResources: { Cpu: { CpuShares: n.mhz, TotalCpuCores: n.cores, ReservableCpuCores: [...Array(n.cores).keys()] },
      Memory: { MemoryMB: n.mem }, Disk: { DiskMB: n.disk },
      Devices: n.gpus ? [{ Vendor: 'nvidia', Type: 'gpu', Name: 'A100-SXM4', Instances: Array(n.gpus).fill({ ID: 'GPU-1' }) }] : null },
    ReservedResources: { Cpu: { CpuShares: 0 }, Memory: { MemoryMB: 0 }, Disk: { DiskMB: 0 } } }));
}

// --- answers --------------------------------------------------------------------------------------------

function document_of(url, clock) {
  const [, v1, kind, id] = url.pathname.split('/').map(decodeURIComponent);
  if (v1 !== 'v1') {
    return undefined;
  }
  if (kind === 'allocations') {
    return [...allocations(clock)].map(([j, a]) => allocation_stub(j, a, clock)).slice(0, url.searchParams.get('per_page') ?? Infinity);
  }
  if (kind === 'allocation') {
    const found = [...allocations(clock)].find(([, a]) => a.id === id);
    return found && { ...allocation_stub(...found, clock), Job: job_document(found[0]), PreviousAllocation: found[1].previous ?? '' };
  }
  if (kind === 'job') {
    const found = LIFE.find((j) => j.job === id && (j.space ?? 'default') === url.searchParams.get('namespace'));
    return found && job_document(found);
  }
  return { jobs: jobs_list, nodes: nodes_list }[kind]?.(clock);
}

const nap = (ms) => new Promise((done) => { setTimeout(done, ms); });
const clock_now = () => Number(read('clock', '0'));

// A blocking query: until the index is beyond the one given, or the wait is over.
async function wait_for(url) {
  const index = Number(url.searchParams.get('index') ?? 0);
  const until = Date.now() + 1000 * parseFloat(url.searchParams.get('wait') ?? '300');
  while (index > 0 && index_at(clock_now()) <= index && Date.now() < until) {
    await nap(20);
  }
}

function misbehave(mode, response, text) {
  if (mode === 'busy') {
    response.writeHead(500).end('rpc error: No cluster leader\n');
  } else if (mode === 'nonsense') {
    response.writeHead(200).end('<html>\u0001 not what you want');
  } else if (mode === 'strange') {
    response.writeHead(200).end('[1, {"ID": 7}, "x"]');
  } else {
    response.writeHead(200, { 'Content-Length': text.length });
    response.write(text.slice(0, text.length / 2), () => mode === 'die' && response.socket.destroy());
  }
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  appendFileSync(`${folder}/asked`, `${request.url}\n`);
  const token = read('token', '');
  if (token && request.headers['x-nomad-token'] !== token) {
    response.writeHead(403).end('Permission denied');
    return;
  }
  await wait_for(url);
  const clock = clock_now();
  const found = document_of(url, clock);
  if (found === undefined) {
    response.writeHead(404).end('not found');
    return;
  }
  const text = Buffer.from(JSON.stringify(found));
  const mode = read('mode', 'ok');
  if (mode !== 'ok' && url.pathname === '/v1/allocations') {
    misbehave(mode, response, text);
    return;
  }
  response.writeHead(200, { 'Content-Type': 'application/json', 'X-Nomad-Index': index_at(clock) }).end(text);
}

const tls = existsSync(`${folder}/server.pem`) && {
  cert: readFileSync(`${folder}/server.pem`), key: readFileSync(`${folder}/server.key`), ca: readFileSync(`${folder}/ca.pem`),
  requestCert: true, rejectUnauthorized: true };
const server = tls ? createTls(tls, answer) : createPlain(answer);
server.listen(0, '127.0.0.1', () => {
  writeFileSync(`${folder}/begin`, String(BEGIN));
  writeFileSync(`${folder}/port`, String(server.address().port));
});
