// SPDX-License-Identifier: MIT
//
// An HTCondor for tests: answers as condor_q, condor_history and condor_status do, from a scripted life of jobs.
//
//     node condor-server.mjs FOLDER condor_q|condor_history|condor_status [ARGUMENT...]
//
// Files of FOLDER, read for every question, say how things are:
//
//     begin   when the life began, in seconds since 1970
//     clock   seconds since then: now
//     mode    ok; or fail (exit status 1), cut (half an answer), nonsense (no JSON), idle (no jobs), unreadable (one job has
//             no status)
//     asked   written: a line for each question

import { appendFileSync, readFileSync } from 'node:fs';

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

// --- the life -------------------------------------------------------------------------------------------

const JOBS = [
  { id: [1, 0], owner: 'ann', submit: 5, cpus: 4, memory: 2048, tries: [{ start: 10, end: 100, exit: 0, on: 'slot1_1@m1' }] },
  { id: [2, 0], owner: 'bob', submit: 6, cpus: 64, memory: 1024, tries: [] },
  { id: [3, 0], owner: 'bob', submit: 7, cpus: 1, memory: 1024, held: 'Transfer input files failure', tries: [] },
  { id: [4, 0], owner: 'ann', submit: 8, of: 3, cpus: 1, memory: 512, tries: [{ start: 20, end: 60, exit: 1, on: 'slot1_2@m1' }] },
  { id: [4, 1], owner: 'ann', submit: 8, of: 3, cpus: 1, memory: 512, tries: [{ start: 30, end: 500, exit: 0, on: 'slot1_3@m1' }] },
  { id: [4, 2], owner: 'ann', submit: 8, of: 3, cpus: 1, memory: 512, tries: [] },
  { id: [5, 0], owner: 'cyd', submit: 9, cpus: 2, memory: 512, gpus: 1,
    tries: [{ start: 40, end: 90, on: 'slot1_1@m2' }, { start: 120, end: 200, exit: 0, on: 'slot1_1@m2' }] },
  { id: [6, 0], owner: 'bob', submit: 12, cpus: 1, memory: 512, removed: 110, tries: [] },
  { id: [7, 0], owner: 'ann', submit: 13, cpus: 1, memory: 512, suspended: true, tries: [{ start: 50, end: 900, exit: 0, on: 'slot1@m3' }] },
  { id: [8, 0], owner: 'eve', submit: 14, cpus: 1, memory: 512, lost: 130, tries: [{ start: 60, end: 900, exit: 0, on: 'slot1_4@m1' }] },
];

const MACHINES = [
  { name: 'm1', cpus: 16, memory: 64000, gpus: 0 },
  { name: 'm2', cpus: 32, memory: 128000, gpus: 4, model: 'NVIDIA A100' },
  { name: 'm3', cpus: 8, memory: 16000, gpus: 0, whole: true },
  { name: 'm4', cpus: 8, memory: 16000, gpus: 0, drained: 100 },
];

// --- what is true now -------------------------------------------------------------------------------------

const current = (job) => job.tries.find((one) => one.start <= now && now < one.end);
const last = (job) => job.tries.filter((one) => one.start <= now).pop();
const over = (job) => (job.removed <= now ? job.removed : job.tries.at(-1) && job.tries.at(-1).end <= now ? job.tries.at(-1).end : undefined);
const present = (job) => job.submit <= now && !(job.lost <= now);

function ad(job, one, more) {
  return {
    ClusterId: job.id[0], ProcId: job.id[1], GlobalJobId: `schedd#${job.id.join('.')}#${BEGIN}`, Owner: job.owner, AcctGroup: 'lab',
    Cmd: '/bin/sim', Arguments: '-n "1"', Iwd: `/home/${job.owner}`, JobUniverse: 5, JobPrio: 0, QDate: BEGIN + job.submit,
    RequestCpus: job.cpus, RequestMemory: job.memory, RequestDisk: '/Expr(DiskUsage)/', ...(job.gpus ? { RequestGPUs: job.gpus } : {}),
    ...(job.of ? { TotalSubmitProcs: job.of } : {}),
    ...(job.tries[0]?.start <= now ? { JobStartDate: BEGIN + job.tries[0].start } : {}),
    ...(one ? { JobCurrentStartDate: BEGIN + one.start, CpusProvisioned: job.cpus, MemoryProvisioned: job.memory } : {}), ...more,
  };
}

function queue() {
  return JOBS.filter((job) => present(job) && over(job) === undefined).map((job) => {
    const one = current(job);
    const status = one ? (job.suspended ? 7 : 2) : job.held ? 5 : 1;
    const out = ad(job, one ?? last(job), { JobStatus: status, EnteredCurrentStatus: BEGIN + (one?.start ?? job.submit) });
    if (one) Object.assign(out, { RemoteHost: one.on, RemoteUserCpu: now, ResidentSetSize: 1000 + now });
    if (job.held) Object.assign(out, { HoldReason: job.held, HoldReasonCode: 13 });
    if (mode === 'unreadable' && job.id[0] === 1) delete out.JobStatus;
    return out;
  });
}

const used = (job, one) => ({ RemoteUserCpu: (one.end - one.start) * job.cpus, RemoteSysCpu: 1, ResidentSetSize: 4096 });

function epochs() {
  return JOBS.filter((job) => !(job.lost <= now)).flatMap((job) => job.tries.filter((one) => one.end <= now).map((one) => ad(job, one, {
    JobStatus: 2, LastRemoteHost: one.on, EpochWriteDate: BEGIN + one.end, ...used(job, one),
    ...(one.exit === undefined ? { VacateReason: 'preempted' } : { ExitCode: one.exit, ExitBySignal: false }),
  })));
}

function left() {
  return JOBS.filter((job) => over(job) !== undefined && !job.tries.length).map((job) => ad(job, null, {
    JobStatus: 3, EnteredCurrentStatus: BEGIN + over(job), CompletionDate: 0, RemoveReason: 'via condor_rm', RemoteWallClockTime: 0,
  }));
}

function status() {
  const running = JOBS.filter((job) => present(job)).map((job) => [job, current(job)]).filter(([, one]) => one);
  return MACHINES.flatMap((machine) => {
    const here = running.filter(([, one]) => one.on.endsWith(`@${machine.name}`));
    const sum = (of) => here.reduce((all, [job]) => all + (job[of] ?? 0), 0);
    const total = { TotalSlotCpus: machine.cpus, TotalSlotMemory: machine.memory, ...(machine.gpus ? { TotalSlotGPUs: machine.gpus, GPUs_DeviceName: machine.model } : {}) };
    const base = { Machine: machine.name, OpSysAndVer: 'Debian12', EnteredCurrentState: BEGIN + (machine.drained ?? 0), ...total };
    if (machine.whole) {
      return [{ ...base, SlotType: 'Static', Cpus: machine.cpus, Memory: machine.memory, State: here.length ? 'Claimed' : 'Unclaimed', Activity: 'Suspended' }];
    }
    const drained = machine.drained <= now;
    return [{ ...base, SlotType: 'Partitionable', Cpus: machine.cpus - sum('cpus'), Memory: machine.memory - sum('memory'),
      ...(machine.gpus ? { GPUs: machine.gpus - sum('gpus') } : {}), State: drained ? 'Drained' : 'Unclaimed', Activity: drained ? 'Retiring' : 'Idle' },
    ...here.map(([job]) => ({ ...base, SlotType: 'Dynamic', Cpus: job.cpus, Memory: job.memory, TotalSlotCpus: job.cpus, State: 'Claimed', Activity: 'Busy' }))];
  });
}

// --- how it is printed --------------------------------------------------------------------------------------

// -since 'DATE < N': from the end of the history up to the first that fits.
function since(ads) {
  const at = args.indexOf('-since');
  if (at < 0) return ads;
  const [, name, least] = /^(\w+) < (\d+)$/.exec(args[at + 1]);
  return ads.filter((one) => !(one[name] < Number(least)));
}

function print(ads) {
  const wanted = args.includes('-attributes') ? new Set(args[args.indexOf('-attributes') + 1].split(',')) : null;
  const all = `[\n${ads.map((one) => JSON.stringify(Object.fromEntries(Object.entries(one).filter(([name]) => !wanted || wanted.has(name))), null, 2)).join(',\n')}\n]\n`;
  process.stdout.write(mode === 'cut' ? all.slice(0, all.length / 2) : all);
}

appendFileSync(`${folder}/asked`, `${program} ${args.join(' ')}\n`);
if (mode === 'fail') {
  process.stderr.write('Error: communication error\nCEDAR:6001:Failed to connect to <10.0.0.1:9618>\n');
  process.exit(1);
} else if (mode === 'nonsense') {
  process.stdout.write('-- Failed to fetch ads from: <10.0.0.1:9618>\n');
} else if (program === 'condor_status') {
  print(status());
} else if (mode === 'idle') {
  print([]);
} else if (program === 'condor_q') {
  print(queue());
} else {
  print(since(args.includes('-epochs') ? epochs() : left()));
}
