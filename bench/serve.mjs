// SPDX-License-Identifier: MIT
//
// serve.mjs ADDRESS CLIENTS SECONDS PATH...: that many clients ask the paths in turn, each over a connection of its own, for that long.
// {n} in a path is a number that is another each time. $TOKEN is sent along. $EVERY: seconds from one request of a client to its next (0). Prints: requests failed per_second p50_ms p99_ms bytes.
import {Agent, get} from 'node:http';

// CLIENTS 1 and SECONDS 0 is one request.
const [address, clients, seconds, ...paths] = process.argv.slice(2);
const every = Number(process.env.EVERY || 0) * 1000;
const pause = ms => new Promise(done => { setTimeout(done, ms); });
const headers = {Authorization: `Bearer ${process.env.TOKEN}`};
const times = [];
let count = 0;
let failed = 0;
let bytes = 0;
const began = performance.now();
const until = began + seconds * 1000;

const ask = (agent, path) => new Promise(done => {
    const asked = performance.now();
    const request = get(address + path, {agent, headers}, reply => {
        let length = 0;
        reply.on('data', part => { length += part.length; });
        reply.on('end', () => { times.push(performance.now() - asked); bytes = length; failed += reply.statusCode !== 200; done(); });
        reply.on('error', () => { failed++; done(); });
    });
    request.on('error', () => { failed++; done(); });
});

async function client(_, i) {
    const agent = new Agent({keepAlive: true, maxSockets: 1});
    if (every > 0)
        await pause(every * i / clients);
    do {
        const asked = performance.now();
        const number = count++;
        await ask(agent, paths[number % paths.length].replace('{n}', String(number)));
        if (every > 0)
            await pause(Math.max(0, asked + every - performance.now()));
    } while (performance.now() < until);
    agent.destroy();
}

await Promise.all(Array.from({length: Number(clients)}, client));
times.sort((a, b) => a - b);
const at = part => (times[Math.min(times.length - 1, Math.floor(times.length * part))] || 0).toFixed(2);
console.log(times.length, failed, (times.length / ((performance.now() - began) / 1000)).toFixed(1), at(0.5), at(0.99), bytes);
