// SPDX-License-Identifier: MIT
//
// Puts small faults into a copy of the tree, one at a time, and runs the tests that should notice.
//
//   node tests/mutants/run.mjs [PART...]      those whose file or reason contains a PART
//   node tests/mutants/run.mjs --check        whether each still fits the sources; runs nothing
//
// `./run mutants` is what people type. The faults stand in tests/mutants/*.txt. Each is a paragraph:
//
//   # what goes wrong, in a few words
//   src/bank/price.c: unit/bank/test_price sh/test_bank
//   < the line as it is
//   > the line as it would be
//
// Several `<` lines stand below each other in the source, white space at their ends aside, and together occur there
// once; without a `>` line they are removed. A fault is noticed when a test of those named fails. One that does not
// compile is an error of the list, not a success. The share that must be noticed is `wanted`.
import { spawnSync } from 'node:child_process';
import {
  cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const wanted = 0.95;
const top = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const lists = join(top, 'tests/mutants');
const copy = join(top, 'build/mutants');

function paragraph(text, list) {
  const lines = text.split('\n').filter((line) => line !== '');
  const after = (mark) => lines.filter((line) => line[0] === mark).map((line) => line.slice(2).trim());
  const head = lines.find((line) => !'#<>'.includes(line[0])) ?? '';
  const [, file, tests] = /^(\S+):\s+(.+)$/.exec(head) ?? [];
  if (!file || after('<').length === 0 || after('#').length === 0) {
    throw new Error(`${list}: not a mutant:\n${text}`);
  }
  return { list, file, tests: tests.split(/\s+/), why: after('#').join(' '), from: after('<'), to: after('>') };
}

function mutants() {
  return readdirSync(lists).filter((name) => name.endsWith('.txt')).sort().flatMap((name) =>
    readFileSync(join(lists, name), 'utf8').split(/\n\s*\n/).filter((text) => /^[^#\s]/m.test(text))
      .map((text) => paragraph(text, name)));
}

// The source with the fault, or what is wrong with the paragraph.
function mutate(source, { from, to }) {
  const lines = source.split('\n');
  const places = lines.map((_, at) => at).filter((at) => from.every((line, i) => lines[at + i]?.trim() === line));
  if (places.length !== 1) {
    return { fault: `occurs ${places.length} times` };
  }
  const indent = /^\s*/.exec(lines[places[0]])[0];
  lines.splice(places[0], from.length, ...to.map((line) => indent + line));
  return { text: lines.join('\n') };
}

function unfit(mutant) {
  const file = join(top, mutant.file);
  if (!existsSync(file)) {
    return 'there is no such file';
  }
  const missing = mutant.tests.find((name) => !['.c', '.sh'].some((end) => existsSync(join(top, 'tests', name + end))) &&
    !existsSync(join(top, 'tests', name)));
  return missing ? `there is no test ${missing}` : mutate(readFileSync(file, 'utf8'), mutant).fault;
}

function check(all) {
  let unfitting = 0;
  for (const mutant of all) {
    const fault = unfit(mutant);
    if (fault) {
      unfitting++;
      console.log(`tests/mutants/${mutant.list}: ${mutant.file}: ${mutant.why}: ${fault}`);
    }
  }
  return unfitting === 0;
}

// The tree without what is built. Times are kept, so that only what changed is compiled again: but for the files that faults
// are put into, of which the last one may still be in what was built.
function copyTree(all) {
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(top)) {
    if (!['build', 'node_modules', '.git'].includes(name)) {
      rmSync(join(copy, name), { recursive: true, force: true });
      cpSync(join(top, name), join(copy, name), { recursive: true, preserveTimestamps: true });
    }
  }
  if (!existsSync(join(copy, 'node_modules'))) {
    symlinkSync(join(top, 'node_modules'), join(copy, 'node_modules'));
  }
  const now = new Date();
  new Set(all.map((mutant) => mutant.file)).forEach((file) => utimesSync(join(copy, file), now, now));
}

// 'noticed', 'not noticed', or 'does not build'.
function outcome(mutant) {
  const file = join(copy, mutant.file);
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, mutate(source, mutant).text);
  const ran = spawnSync('./run', ['test', ...mutant.tests], { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28 });
  writeFileSync(file, source);
  if (/build failed/.test(ran.stderr)) {
    return 'does not build';
  }
  const [, failed] = /(\d+) failed/.exec(ran.stdout.trimEnd().split('\n').at(-1)) ?? [];
  return failed === undefined ? 'does not build' : failed > 0 ? 'noticed' : 'not noticed';
}

// What the tests say of the tree as it is: a test that fails anyway would notice everything.
function sound(chosen) {
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
  const ran = spawnSync('./run', ['test', ...tests], { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (ran.status !== 0) {
    console.log(ran.stdout, ran.stderr);
  }
  return ran.status === 0;
}

function run(chosen, all) {
  copyTree(all);
  console.log('1..1');
  if (!sound(chosen)) {
    console.log('not ok 1 - the tests pass without a fault put in');
    return false;
  }
  const count = { noticed: 0, 'not noticed': 0, 'does not build': 0 };
  for (const mutant of chosen) {
    const result = outcome(mutant);
    count[result]++;
    console.log(`# ${result}: ${mutant.file}: ${mutant.why}`);
  }
  const score = count.noticed / chosen.length;
  const ok = score >= wanted && count['does not build'] === 0;
  console.log(`# ${count.noticed} of ${chosen.length} faults noticed, ${(100 * score).toFixed(1)} %`);
  console.log(`${ok ? 'ok' : 'not ok'} 1 - the tests notice ${100 * wanted} % of the faults put in`);
  return ok;
}

const parts = process.argv.slice(2).filter((word) => word !== '--check');
const all = mutants();
const chosen = all.filter((mutant) =>
  parts.length === 0 || parts.some((part) => `${mutant.file} ${mutant.why}`.includes(part)));
const good = check(chosen) && (process.argv.includes('--check') || (chosen.length > 0 && run(chosen, all)));
process.exitCode = good ? 0 : 1;
