// SPDX-License-Identifier: MIT
//
// node runs.mjs TEXT JSON: compares, field by field, the runs that stint made of sacct's text with those it made of
// sacct's JSON of the same jobs; both are what `stint jobs --format json` gives. Prints every difference that is not one
// of the table below, and how much was compared; exits 1 if there is such a difference, or if an expected one is not to
// be seen any more.
import { readFileSync } from 'node:fs';

const [, , textFile, jsonFile] = process.argv;
const [fromText, fromJson] = [textFile, jsonFile].map((file) => JSON.parse(readFileSync(file, 'utf8')));

// What sacct 22.05 itself tells differently; docs/sources/slurm.md, "Beside others", has the same list.
const cut = (text, json) => text !== null && json !== null && json - text >= 0 && json - text < 0.0011;
const lacking = (text, json) => text !== null && json === null;
const FIELDS_ODD = 64;
const expected = {
    uid: lacking,
    gid: lacking,
    request: lacking,
    command: lacking,
    cpu_user: cut, // text is cut to milliseconds
    cpu_system: cut,
    cpu_used: cut,
    cpu_efficiency: () => true, // follows from cpu_used
    exit_code: (text, json, run) => json === null && /^(FAILED|DEADLINE)$/.test(run.state),
    reason: (text, json) => /^by \d+$/.test(text) && /^by [a-z]+$/.test(json),
    flags: (text, json, run) => text - json === FIELDS_ODD && /[|]/.test(run.name + run.command),
};

const key = (run) => [run.cluster, run.job, run.task, run.het, run.task_count, run.submit].join(' ');
const others = new Map(fromJson.map((run) => [key(run), run]));
const differences = [];
const seen = new Set();
let compared = 0;

for (const run of fromText) {
    const other = others.get(key(run));
    others.delete(key(run));
    if (!other) {
        differences.push(`only text has ${key(run)}`);
        continue;
    }
    for (const field of Object.keys(run)) {
        compared++;
        if (run[field] === other[field]) {
            continue;
        }
        seen.add(field);
        if (!expected[field]?.(run[field], other[field], run)) {
            differences.push(`${run.id} (${run.state}) ${field}: text ${run[field]}, JSON ${other[field]}`);
        }
    }
}
for (const left of others.keys()) {
    differences.push(`only JSON has ${left}`);
}
for (const field of Object.keys(expected).filter((name) => !seen.has(name))) {
    differences.push(`${field} does not differ any more`);
}

console.log(differences.join('\n') || `${fromText.length} runs, ${compared} values, no difference but ${[...seen].join(' ')}`);
process.exit(differences.length > 0 ? 1 : 0);
