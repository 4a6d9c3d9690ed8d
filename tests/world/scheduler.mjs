// SPDX-License-Identifier: MIT
//
// Two schedulers: rowan, a Slurm whose records come as a file that grows, and alder, a Grid Engine that is pulled. Jobs are submitted, wait,
// run and end; nodes fail and their jobs are requeued; some are cancelled while they wait. Records come late, and some are corrected: written
// again with another end. A record may be half written when somebody reads the file; files are rotated and compressed.
import { appendFileSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { UNIT_S, USERS } from './model.mjs';

const HEAD = 'JobID|User|Account|State|NCPUS|Submit|Start|End|NodeList\n';
const stamp = seconds => new Date(seconds * 1000).toISOString().slice(0, 19);

export class Scheduler {
    constructor(chance, folder) {
        this.chance = chance;
        this.log = `${folder}/rowan.log`;
        this.rotated = []; // files that the log was before
        this.accounting = `${folder}/accounting`;
        this.next = 1;
        this.written = { rowan: [], alder: [] }; // records as they are in the files, in their order
        this.late = []; // to be written later
        this.half = ''; // what is missing of the last line
        writeFileSync(this.log, HEAD);
        writeFileSync(this.accounting, '');
    }

    // Jobs that have ended by now; some of them have been requeued before.
    work(now, count) {
        for (; count > 0; count--) {
            const cluster = this.chance.of(70) ? 'rowan' : 'alder';
            const user = this.chance.pick(Object.keys(USERS));
            const job = { cluster, user, account: cluster === 'rowan' ? USERS[user] : 'sge', job: this.next++, cpus: 1 + this.chance.below(16), node: `n${1 + this.chance.below(3)}` };
            let submit = now - (2 + this.chance.below(400)) * 20 * UNIT_S;
            if (cluster === 'rowan' && this.chance.of(15)) { // its node fails
                const start = submit + this.chance.below(5) * UNIT_S;
                const end = start + (1 + this.chance.below(10)) * UNIT_S;
                this.record({ ...job, attempt: submit, submit, start, end, state: 'NODE_FAIL' });
                submit = end;
            }
            const waits = this.chance.below(10) * UNIT_S;
            const start = cluster === 'rowan' && this.chance.of(8) ? null : submit + waits;
            const end = start === null ? submit + waits : start + this.chance.below(20) * UNIT_S;
            this.record({ ...job, attempt: submit, submit, start, end, state: start === null ? 'CANCELLED' : this.chance.pick(['COMPLETED', 'FAILED', 'TIMEOUT']) });
        }
    }

    record(run) {
        if (this.chance.of(20)) this.late.push(run);
        else this.write(run);
    }

    line(run) {
        if (run.cluster === 'rowan') {
            return `${run.job}|${run.user}|${run.account}|${run.state}|${run.cpus}|${stamp(run.submit)}|${run.start === null ? 'Unknown' : stamp(run.start)}|${stamp(run.end)}|${run.node}\n`;
        }
        const wall = run.end - run.start;
        return `all.q:${run.node}:staff:${run.user}:job:${run.job}:sge:0:${run.submit}:${run.start}:${run.end}:0:0:${wall}:1.0:0.0:0.0:0:0:0:0:0:0:0:0.0:0:0:0:0:0:0:` +
            `NONE:defaultdepartment:smp:${run.cpus}:0:1.0:0.0:0.0:-pe smp ${run.cpus}:0.0:NONE:0.0:0:0\n`;
    }

    write(run) {
        this.complete();
        appendFileSync(run.cluster === 'rowan' ? this.log : this.accounting, this.line(run));
        this.written[run.cluster].push(run);
    }

    // Late ones come, and one that was there is written again, with another end.
    correct() {
        this.late.splice(0).forEach(run => this.write(run));
        const known = this.written.rowan.filter(run => run.start !== null);
        if (known.length && this.chance.of(60)) {
            const run = this.chance.pick(known);
            this.write({ ...run, end: run.start + this.chance.below(30) * UNIT_S });
        }
    }

    // A line of rowan is begun; the rest comes with the next record.
    beginLine(now) {
        this.complete();
        const submit = now - 100 * UNIT_S;
        const run = { cluster: 'rowan', user: 'ann', account: 'chem', job: this.next++, cpus: 2, node: 'n1', attempt: submit, submit, start: submit + UNIT_S, end: submit + 5 * UNIT_S, state: 'COMPLETED' };
        const line = this.line(run);
        const cut = 1 + this.chance.below(line.length - 2);
        appendFileSync(this.log, line.slice(0, cut));
        this.half = { run, rest: line.slice(cut) };
    }

    // The log is put aside under another name, maybe compressed, and a new one begins.
    rotate() {
        this.complete();
        let name = `${this.log}.${this.rotated.length + 1}`;
        renameSync(this.log, name);
        if (this.chance.of(50)) {
            writeFileSync(`${name}.gz`, gzipSync(readFileSync(name)));
            unlinkSync(name);
            name += '.gz';
        }
        this.rotated.push(name);
        writeFileSync(this.log, HEAD);
    }

    complete() {
        if (!this.half) return;
        appendFileSync(this.log, this.half.rest);
        this.written.rowan.push(this.half.run);
        this.half = '';
    }
}
