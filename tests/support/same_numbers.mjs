// SPDX-License-Identifier: MIT
//
// node same_numbers.mjs BINDINGS CSV JSON PARQUET: whether three files hold the same table, read by programs
// that are not ours: CSV and JSON by node, Parquet by DuckDB, which writes it out as JSON again. Prints rows,
// columns and what differs.
import {createRequire} from 'node:module';
import {readFileSync, rmSync} from 'node:fs';

const [bindings, csv, json, parquet] = process.argv.slice(2);
const duckdb = createRequire(import.meta.url)(bindings);

// RFC 4180; null is an empty cell without quotes.
function parseCsv(text) {
    const rows = [[]];
    const cell = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/gy;
    for (let m; cell.lastIndex < text.length && (m = cell.exec(text));) {
        rows.at(-1).push(m[1] !== undefined ? m[1].replaceAll('""', '"') : m[2] === '' ? null : m[2]);
        if (m[3] === '\n') {
            rows.push([]);
        }
    }
    rows.pop();
    const [head, ...rest] = rows;
    return rest.map(row => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

async function readParquet(path) {
    const copy = `${path}.json`;
    const quoted = name => `'${name.replaceAll("'", "''")}'`;
    const connection = await duckdb.connect(await duckdb.open(':memory:'));
    await duckdb.query(connection,
        `COPY (SELECT * FROM read_parquet(${quoted(path)})) TO ${quoted(copy)} (FORMAT json, ARRAY true)`);
    const rows = JSON.parse(readFileSync(copy, 'utf8'));
    rmSync(copy);
    return rows;
}

// What a cell of CSV, which knows no types, stands for beside one that has a type.
function like(text, typed) {
    return text === null || typed === null ? text
        : typeof typed === 'number' ? Number(text)
        : typeof typed === 'boolean' ? (text === 'true' ? true : text === 'false' ? false : text)
        : text;
}

function isSame(a, b) {
    return typeof a === 'number' && typeof b === 'number'
        ? Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
        : a === b;
}

const tables = {
    csv: parseCsv(readFileSync(csv, 'utf8')),
    json: JSON.parse(readFileSync(json, 'utf8')),
    parquet: await readParquet(parquet),
};
const columns = Object.keys(tables.json[0]);
console.log(`${tables.json.length} rows: ${columns.join(' ')}`);
for (const [name, rows] of Object.entries(tables)) {
    if (rows.length !== tables.json.length || Object.keys(rows[0]).join() !== columns.join()) {
        console.log(`${name} has ${rows.length} rows: ${Object.keys(rows[0]).join(' ')}`);
    }
    rows.forEach((row, i) => columns.forEach(column => {
        const want = tables.json[i][column];
        const got = name === 'csv' ? like(row[column], want) : row[column];
        if (!isSame(want, got)) {
            console.log(`${name}, row ${i}, ${column}: ${got}, not ${want}`);
        }
    }));
}
