// SPDX-License-Identifier: MIT
//
// A made-up life of a Nomad cluster, the snapshots somebody took of it, and what they come to, computed here a
// second time:
//
//     node nomad-story.mjs FOLDER
//
// writes FOLDER/snapshots/<UTC time>.json; FOLDER/usage.csv (what follows from the snapshots, from the first
// midnight to the last: by the rules of docs/sources/nomad.md, in plain loops); FOLDER/usage-cut.csv (the same up to
// the last snapshot before that midnight); FOLDER/steps.csv (the sums over snapshot intervals of the scripts that
// stint replaces, whole hours, cut off); FOLDER/tail.csv (hours after the last snapshot, which those never count).

import { mkdirSync, writeFileSync } from 'node:fs';

const HOUR = 3600_000;
const STEP = 4 * HOUR;
const BEGIN = Date.UTC(2025, 1, 1);
const END = BEGIN + 24 * HOUR; // the period is whole days, as the scripts had it
const LATER = END + 8 * HOUR; // snapshots go on after it
const KEEP = 4 * HOUR; // dead jobs are forgotten after this
const ZONE_AHEAD = 1 * HOUR; // submit times are written as in Madrid, in winter

let seed = 20250201;
function chance(n) { // whole numbers below n
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * n);
}

const hex = (n) => n.toString(16).padStart(8, '0');
const name_of = (t) => new Date(t).toISOString().slice(0, 19);
const local = (t) => new Date(t + ZONE_AHEAD).toISOString().slice(0, 19).replace('T', ' ');

// RFC 3339 with 0 to 9 digits; the value is exact in milliseconds.
function utc(t, digits) {
  const iso = new Date(t).toISOString();
  const fraction = iso.slice(20, 23);
  return digits < 3 ? `${iso.slice(0, 19)}${fraction === '000' ? '' : `.${fraction}`}Z`
    : `${iso.slice(0, 19)}.${fraction.padEnd(digits, '0')}Z`;
}

// --- what happened --------------------------------------------------------------------------------------

function make_job(i) {
  const submit = BEGIN - 10 * HOUR + chance(34 * 60) * 60_000;
  const job = {
    id: `job-${i}`, space: ['vo.demo', 'vo.bio', 'vo.sky'][chance(3)], owner: `u${chance(7)}@idp`, submit,
    cores: chance(8) === 0 ? 0 : 1 + chance(8), mhz: 1000 * (1 + chance(9)), gpus: chance(3), mem: 500 * (1 + chance(30)),
    disk: 1000 * chance(5), digits: chance(10), allocations: [], gone: LATER + KEEP,
  };
  let at = submit;
  for (let a = 0; a <= chance(3); a++) { // restarts make new allocations
    const start = at + chance(6 * 3600) * 1000 + chance(1000);
    const long = chance(5) === 0 ? 100 * HOUR : chance(12 * 3600) * 1000 + chance(1000);
    job.allocations.push({ id: `${hex(i)}-${a}`, start, end: start + long });
    at = start + long;
  }
  job.gone = Math.min(job.gone, at + KEEP);
  return job;
}

const jobs = Array.from({ length: 60 }, (_, i) => make_job(i));

// --- what was seen --------------------------------------------------------------------------------------

function see(job, t) {
  const begun = job.allocations.filter((a) => a.start <= t);
  const last = begun.at(-1);
  const more = begun.length < job.allocations.length;
  const status = !last ? 'queued' : t < last.end ? 'running' : more ? 'queued' : 'dead';
  const shown = status === 'queued' ? undefined : last;
  return {
    job_ID: job.id, name: `module-${job.id}`, status, owner: job.owner, title: 'a "title"', description: '',
    docker_image: 'org/img:latest', docker_command: 'run', submit_time: local(job.submit),
    resources: { cpu_num: job.cores, cpu_MHz: status === 'queued' ? 0 : job.mhz, gpu_num: job.gpus, memory_MB: job.mem,
      disk_MB: job.disk },
    endpoints: {}, alloc_ID: shown?.id ?? null, datacenter: shown ? 'dc1' : null,
    alloc_start: shown ? utc(shown.start, job.digits) : null,
    alloc_end: status === 'dead' ? utc(shown.end, job.digits) : null,
  };
}

const snapshots = [];
for (let t = BEGIN; t <= LATER; t += STEP) {
  if (t === BEGIN + 3 * STEP) {
    continue; // one could not be taken
  }
  const spaces = { 'vo.demo': [], 'vo.bio': [], 'vo.sky': [], 'vo.empty': [] };
  for (const job of jobs.filter((j) => j.submit <= t && t < j.gone)) {
    spaces[job.space].push(see(job, t));
  }
  snapshots.push({ t, spaces });
}

// --- what follows ---------------------------------------------------------------------------------------

const KINDS = ['cpu', 'gpu', 'mem', 'disk'];
const MIB_A_GIB = 1024;

function amounts(seen) {
  return { cpu: seen.resources.cpu_num, gpu: seen.resources.gpu_num, mem: seen.resources.memory_MB / MIB_A_GIB,
    disk: seen.resources.disk_MB / MIB_A_GIB };
}

// Each allocation: its start, and its end or last sighting, or neither while it goes on.
function stretches() {
  const found = new Map();
  const newest = snapshots.at(-1).t;
  for (const { t, spaces } of snapshots) {
    for (const [space, list] of Object.entries(spaces)) {
      for (const seen of list.filter((s) => s.alloc_ID)) {
        found.set(seen.alloc_ID, { space, start: Date.parse(seen.alloc_start), amounts: amounts(seen),
          end: seen.alloc_end ? Date.parse(seen.alloc_end) : t === newest ? Infinity : t });
      }
    }
  }
  return [...found.values()];
}

function usage(from, to) {
  const sums = {};
  for (const s of stretches()) {
    const ms = Math.max(0, Math.min(s.end, to) - Math.max(s.start, from));
    if (ms > 0) {
      sums[s.space] ??= Object.fromEntries(KINDS.map((k) => [k, 0]));
      KINDS.forEach((k) => { sums[s.space][k] += (s.amounts[k] * ms) / HOUR; });
    }
  }
  return sums;
}

// The sum of the scripts: from snapshot to snapshot, for what runs or has died.
function steps() {
  const sums = {};
  let before = BEGIN;
  for (const { t, spaces } of snapshots.filter((s) => s.t < END)) {
    for (const [space, list] of Object.entries(spaces)) {
      for (const seen of list.filter((s) => s.alloc_start && ['running', 'dead'].includes(s.status))) {
        const start = Math.max(before, Date.parse(seen.alloc_start));
        const end = seen.status === 'running' ? t : Math.min(t, Date.parse(seen.alloc_end));
        sums[space] ??= Object.fromEntries(KINDS.map((k) => [k, 0]));
        const held = amounts(seen);
        KINDS.forEach((k) => { sums[space][k] += held[k] * Math.max(0, end - start); });
      }
    }
    before = t;
  }
  for (const space of Object.keys(sums)) {
    KINDS.forEach((k) => { sums[space][k] = Math.trunc(sums[space][k] / HOUR); });
  }
  return sums;
}

function csv(sums, digits) {
  const rows = Object.keys(sums).sort().map((space) =>
    [space, ...KINDS.map((k) => sums[space][k].toFixed(digits))].join(','));
  return `${['account', ...KINDS].join(',')}\n${rows.join('\n')}\n`;
}

const [folder] = process.argv.slice(2);
mkdirSync(`${folder}/snapshots`, { recursive: true });
for (const { t, spaces } of snapshots) {
  writeFileSync(`${folder}/snapshots/${name_of(t)}.json`, JSON.stringify(spaces, null, chance(2)));
}
const last = snapshots.filter((s) => s.t < END).at(-1).t;
writeFileSync(`${folder}/usage.csv`, csv(usage(BEGIN, END), 6));
writeFileSync(`${folder}/usage-cut.csv`, csv(usage(BEGIN, last), 6));
writeFileSync(`${folder}/steps.csv`, csv(steps(), 0));
writeFileSync(`${folder}/tail.csv`, csv(usage(last, END), 6));
