// SPDX-License-Identifier: MIT
//
// What must be true. The model knows what the scheduler has written, what of it stint has acknowledged, and what people have decided; from
// that it says what every answer has to be. It knows nothing of files, databases or processes. Amounts are hundredths of an SU (36 cpu
// seconds), so that sums are whole numbers.
export const USERS = { ann: 'chem', bob: 'chem', cyd: 'phys', dee: 'phys', eve: 'math' };
export const ACCOUNTS = ['chem', 'phys', 'math'];
export const UNIT_S = 36;

export class Model {
    constructor() {
        this.runs = new Map(); // what stint has acknowledged: identity -> run
        this.granted = Object.fromEntries(ACCOUNTS.map(name => [name, 0]));
        this.metagroups = new Set();
        this.looks = new Set(); // of agents, that the server has acknowledged: "node time"
    }

    // Records that an import or a pull has taken in: a later record of the same run replaces the earlier one.
    acknowledge(records) {
        for (const run of records) this.runs.set(`${run.cluster} ${run.job} ${run.attempt}`, run);
    }

    ended() { return [...this.runs.values()].filter(run => run.start !== null); }

    // Rows of `report jobs,cpu_hours --by cluster,user`, of the runs that somebody may see.
    usage(may = () => true) {
        const rows = new Map();
        for (const run of this.ended().filter(may)) {
            const key = `${run.cluster},${run.user}`;
            const row = rows.get(key) ?? { jobs: 0, units: 0 };
            row.jobs++;
            row.units += run.cpus * (run.end - run.start) / UNIT_S;
            rows.set(key, row);
        }
        return rows;
    }

    used(account) {
        return this.ended().filter(run => run.account === account)
            .reduce((sum, run) => sum + run.cpus * (run.end - run.start) / UNIT_S, 0);
    }

    balance(account) { return this.granted[account] - this.used(account); }

    // Nothing more may start without balance.
    shouldBeHeld(account) { return this.balance(account) <= 0; }
}

// "12.34" as hundredths.
export function hundredths(text) {
    const value = Number(text) * 100;
    return Math.round(value * 1e4) / 1e4;
}

// The cells of a CSV answer without quotes, by the names of its columns.
export function rowsOf(csv) {
    const [head, ...lines] = csv.trimEnd().split('\n').map(line => line.split(','));
    return lines.map(cells => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
}

// What differs between an answer and the model; empty if nothing does.
export function compareUsage(csv, want) {
    const wrong = [];
    const got = new Map(rowsOf(csv).map(row => [`${row.cluster},${row.user}`, row]));
    for (const [key, row] of got) {
        const wanted = want.get(key);
        if (!wanted) wrong.push(`${key} should not be there`);
        else if (Number(row.jobs) !== wanted.jobs) wrong.push(`${key} has ${row.jobs} jobs, not ${wanted.jobs}`);
        else if (Math.abs(hundredths(row.cpu_hours) - wanted.units) > 1e-3) wrong.push(`${key} has ${row.cpu_hours} cpu hours, not ${wanted.units / 100}`);
    }
    for (const key of want.keys()) if (!got.has(key)) wrong.push(`${key} is missing`);
    return wrong;
}

export function compareBalances(csv, model, accounts = ACCOUNTS) {
    const got = new Map(rowsOf(csv).map(row => [row.account, row]));
    const wrong = [...got.keys()].filter(name => !accounts.includes(name)).map(name => `account ${name} should not be there`);
    for (const name of accounts) {
        const row = got.get(name);
        if (!row) wrong.push(`account ${name} is missing`);
        else {
            if (hundredths(row.used) !== model.used(name)) wrong.push(`${name} has used ${row.used}, not ${model.used(name) / 100}`);
            if (hundredths(row.granted) !== model.granted[name]) wrong.push(`${name} was granted ${row.granted}, not ${model.granted[name] / 100}`);
            if (hundredths(row.balance) !== model.balance(name)) wrong.push(`${name} has ${row.balance}, not ${model.balance(name) / 100}`);
        }
    }
    return wrong;
}

export function compareMetagroups(csv, model) {
    const got = new Set(rowsOf(csv).map(row => row.name));
    return [...[...model.metagroups].filter(name => !got.has(name)).map(name => `metagroup ${name} was acknowledged and is lost`),
        ...[...got].filter(name => !model.metagroups.has(name)).map(name => `metagroup ${name} was never added`)];
}

// Limits that are set follow the balances, or enforcement `said` that it failed or withheld something. Whoever has balance is never newly held.
export function compareLimits(held, before, model, said) {
    return ACCOUNTS.filter(name => held.has(name) !== model.shouldBeHeld(name) && !(said && held.has(name) === before.has(name)))
        .map(name => `${name} has ${model.balance(name) / 100} SU and is ${held.has(name) ? '' : 'not '}held`);
}
