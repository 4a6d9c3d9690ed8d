// SPDX-License-Identifier: MIT
//
// The machine that stint runs on: its clock, which stands until it is set; its disk, which fails or fills at the n-th change of a file; its
// processes, which are killed in place of it; a server; and a Slurm that has limits of accounts. Everything goes through the command line or
// the server's addresses, as people do.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

const wait = ms => new Promise(done => setTimeout(done, ms));

export class Machine {
    constructor(folder, stint, tools) {
        Object.assign(this, { folder, stint, tools, server: null, at: null, commands: 0, tokens: {} });
        this.store = `${folder}/store`;
        for (const name of ['bin', 'limits', 'marks', 'store']) mkdirSync(`${folder}/${name}`, { mode: 0o700 });
    }

    setClock(seconds) {
        this.now = seconds;
        writeFileSync(`${this.folder}/clock`, `${seconds}\n`);
    }

    // A fault: { how: 'kill' | 'full' | 'error', at: N }.
    environment(fault) {
        const preload = [`${this.tools}/set-clock.so`, ...(fault ? [`${this.tools}/failing-writes.so`] : [])].join(' ');
        return { ...process.env, TZ: 'UTC', LC_ALL: 'C', HOME: this.folder, STINT_STORE: this.store, LD_PRELOAD: preload, CLOCK_AT: `${this.folder}/clock`,
            ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:verify_asan_link_order=0:detect_leaks=0`,
            ...(fault && { FAIL_UNDER: this.store, FAIL_AT: `${fault.at}`, FAIL_HOW: fault.how === 'error' ? '' : fault.how }) };
    }

    // A command, to its end.
    run(words, fault) {
        this.commands++;
        const done = spawnSync(this.stint, words, { env: this.environment(fault), cwd: this.folder, encoding: 'utf8', timeout: 300000, maxBuffer: 1 << 26 });
        if (done.error) throw new Error(`stint ${words.join(' ')}: ${done.error.message}`);
        if (done.status === 99) throw new Error(`stint ${words.join(' ')}: ${done.stderr}`);
        return { ok: done.status === 0, status: done.status, killed: done.signal === 'SIGKILL', out: done.stdout, err: done.stderr };
    }

    loseFacts() {
        readdirSync(this.store).filter(name => name.startsWith('facts.duckdb')).forEach(name =>
            rmSync(`${this.store}/${name}`, { recursive: true })); // the engine's .tmp is a folder
    }

    // --- the server ---

    async start(fault) {
        const err = openSync(`${this.folder}/server.err`, 'w');
        this.server = spawn(this.stint, ['serve', '--listen', '127.0.0.1:0'], { env: this.environment(fault), cwd: this.folder, stdio: ['ignore', 'ignore', err] });
        closeSync(err);
        this.gone = new Promise(done => this.server.once('exit', (status, signal) => { this.server = null; done({ status, signal }); }));
        for (let waits = 0; this.server && waits < 45000; waits++) {
            const said = readFileSync(`${this.folder}/server.err`, 'utf8').match(/ on [a-z]*=*(http:\/\/\S+)\n/);
            if (said) return void (this.at = said[1]);
            await wait(20);
        }
        if (!fault) throw new Error(`the server does not start: ${readFileSync(`${this.folder}/server.err`, 'utf8')}`);
        if (this.server) await this.stop();
    }

    async stop(signal = 'SIGTERM') {
        if (!this.server) return null;
        this.server.kill(signal);
        return await this.gone;
    }

    // Asks as somebody, by token; `form` is posted. Status 0: nobody answered.
    async ask(token, path, form) {
        this.commands++;
        try {
            const reply = await fetch(this.at + path, { method: form === undefined ? 'GET' : 'POST', body: form,
                headers: { Connection: 'close', ...(token && { Authorization: `Bearer ${token}` }),
                    ...(form !== undefined && { 'Content-Type': form.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded' }) } });
            return { status: reply.status, text: await reply.text() };
        } catch (error) {
            return { status: 0, text: `${error.cause ?? error}` };
        }
    }

    // An agent whose line is cut in the middle of a batch.
    async cutOff(token, body) {
        const { hostname, port } = new URL(this.at);
        await new Promise(done => {
            const line = connect(Number(port), hostname, () => {
                line.write(`POST /api/v1/agent/samples HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, body.length / 2)}`, () => line.destroy());
            });
            line.on('error', () => line.destroy()).on('close', done);
        });
    }

    // --- the other Slurm: limits of accounts are files ---

    pretend(accounts) {
        const script = (name, body) => writeFileSync(`${this.folder}/bin/${name}`, `#!/bin/sh\ncd '${this.folder}'\nunset LD_PRELOAD\n${body}\n`, { mode: 0o755 });
        accounts.forEach(name => writeFileSync(`${this.folder}/limits/${name}`, '\n'));
        script('scontrol', "case $* in *partition*) echo 'PartitionName=cpu QoS=N/A Nodes=c1' ;; *) echo 'AccountingStorageEnforce = associations,limits,qos,safe' ;; esac");
        script('sshare', "echo 'root||3600|billing=0'; for file in limits/*; do echo \" ${file#limits/}||3600|cpu=0,billing=0\"; done");
        script('sacctmgr', `case " $* " in
*' show qos '*) ;;
*' show '*)
    echo 'root||||||||||'
    for file in limits/*; do
        account=\${file#limits/} value=$(cat "$file")
        echo "$account|||root||cpu=99\${value:+,billing=$value}$(cat "marks/$account" 2>/dev/null)|||||"
        echo "$account|ann||||||||| normal"
    done ;;
*' modify '*)
    in= mark= value=
    for word; do case $word in
        account=*) account=\${word#*=} ;;
        GrpTRESRunMins=billing=*) value=\${word##*=} ;;
        GrpTRESRunMins=pages=-1,vmem=-1) in=marks/$account ;;
        GrpTRESRunMins=pages=*) in=marks/$account mark=,\${word#*=} ;;
        esac; done
    [ ! -e refuses ] || { echo 'sacctmgr: error: slurmdbd: Connection refused' >&2; exit 1; }
    [ -z "$in" ] || echo "$mark" >"$in"
    case $value in '') ;; -*) echo >"limits/$account" ;; *) echo "$value" >"limits/$account" ;; esac ;;
esac`);
        for (const name of ['qstat', 'qhost']) script(name, `cat ${name}.xml`);
        writeFileSync(`${this.folder}/qstat.xml`, '<?xml version="1.0"?>\n<job_info xmlns:xsd="http://x/qstat.xsd">\n<queue_info>\n</queue_info>\n<job_info>\n</job_info>\n</job_info>\n');
        writeFileSync(`${this.folder}/qhost.xml`, "<?xml version='1.0'?>\n<qhost xmlns:xsd=\"http://x/qhost.xsd\">\n <host name='global'><hostvalue name='arch_string'>-</hostvalue></host>\n</qhost>\n");
        writeFileSync(`${this.store}/stint.conf`, `[site]\nzone = UTC\n[serve]\nanyone = nothing\n[cluster alder]\nscheduler = sge\nbin = ${this.folder}/bin\naccounting = ${this.folder}/accounting\n` +
            `[enforce rowan]\ndriver = slurm\nbin = ${this.folder}/bin\nmax_accounts = 100\nmax_share = 100\n`, { mode: 0o600 });
    }

    held() {
        return new Set(readdirSync(`${this.folder}/limits`).filter(name => readFileSync(`${this.folder}/limits/${name}`, 'utf8').trim() === '0'));
    }

    refuse(refuses) {
        if (refuses) writeFileSync(`${this.folder}/refuses`, '');
        else rmSync(`${this.folder}/refuses`, { force: true });
    }
}
