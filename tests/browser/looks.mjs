// SPDX-License-Identifier: MIT
//
// looks.mjs JOB SAMPLES: writes two files of one moment: job 990001, as sacct prints it, and a day of samples until now as stint-agent writes
// them, of a node with four cards and of the job on it, which uses three of them.
import {writeFileSync} from 'node:fs';

const HOUR = 3600e3;
const STEP = 600e3;
const end = Math.floor(Date.now() / STEP) * STEP;
const start = end - 10 * HOUR; // of the job, which runs for eight hours
const iso = instant => new Date(instant).toISOString().replace('.000', '');

function sacct() {
    const fields = {
        JobID: 990001, JobIDRaw: 990001, User: 'anna', Account: 'chem', Group: 'chem', Partition: 'gpu', JobName: 'train', State: 'COMPLETED',
        Submit: iso(start - HOUR).slice(0, 19), Start: iso(start).slice(0, 19), End: iso(start + 8 * HOUR).slice(0, 19), ElapsedRaw: 8 * 3600,
        AllocCPUS: 32, ReqCPUS: 32, NNodes: 1, NodeList: 'cedar-gpu01', ReqMem: '200G', TimelimitRaw: 1440,
        AllocTRES: 'cpu=32,mem=200G,node=1,gres/gpu=4', ExitCode: '0:0',
    };
    return [Object.keys(fields).join('|'), Object.values(fields).join('|')];
}

function look(at) {
    const works = at >= start && at <= start + 8 * HOUR;
    const since = Math.min(Math.max(at - start, 0), 8 * HOUR) * 1000;
    const gpus = [0, 1, 2, 3].map(index => ({
        uuid: `GPU-${index}`, index, ce_util: works && index < 3 ? 60 + 10 * index : 0, memory: works && index < 3 ? 40 * 1048576 : 0,
        counters: {...(works ? {job: 990001, user: 'anna'} : {}), mem_total_bytes: 80 * 2 ** 30},
    }));
    return JSON.stringify({
        meta: {producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{key: 'absent', value: 'unknown'}]},
        data: {type: 'sample', attributes: {
            time: iso(at), cluster: 'cedar', node: 'cedar-gpu01',
            system: {counters: {cpus: 32, cpu_time_us: 24 * since, mem_total_bytes: 2 ** 39, mem_used_bytes: works ? 2 ** 37 : 2 ** 34}, gpus},
            jobs: works ? [{job: 990001, user: 'anna', epoch: 0, cgroup: {cpu_time_us: 24 * since, rss_bytes: 2 ** 37, read_bytes: 50 * since, written_bytes: 9 * since}, processes: []}] : [],
        }},
    });
}

const looks = () => Array.from({length: 24 * HOUR / STEP}, (_, i) => look(end - (24 * HOUR - i * STEP)));
const [job, samples] = process.argv.slice(2);
writeFileSync(job, `${sacct().join('\n')}\n`);
writeFileSync(samples, `${looks().join('\n')}\n`);
