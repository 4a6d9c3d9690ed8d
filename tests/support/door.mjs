// SPDX-License-Identifier: MIT
//
// What tests that ask a server a great deal share: people.json of tests/support/people.sh, and asking as one of them over one connection.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

export const people = JSON.parse(readFileSync('people.json', 'utf8'));

// Asks for a path as somebody; `form` is posted. `who` has headers, and a Unix socket in place of the address.
const agent = new Agent({ keepAlive: true, maxSockets: 2 });
export function ask(who, path, { form, headers } = {}) {
    const target = new URL(people.at + path);
    const options = { agent, path: target.pathname + target.search, method: form === undefined ? 'GET' : 'POST', headers: { ...who.headers, ...headers } };
    if (form !== undefined) options.headers['Content-Type'] = 'application/x-www-form-urlencoded';
    if (form !== undefined && who.csrf) options.headers.Origin = target.origin; // as browsers do
    Object.assign(options, who.socket ? { socketPath: who.socket } : { host: target.hostname, port: target.port });
    return new Promise((done, fail) => {
        const sent = request(options, reply => {
            let text = '';
            reply.setEncoding('utf8').on('data', piece => { text += piece; });
            reply.on('end', () => done({ status: reply.statusCode, text, headers: reply.headers })).on('error', fail);
        });
        sent.on('error', fail).end(form);
    });
}

// The answers to two questions, which are asked again where they differ: a minute, a day or an interval of a scheduler may end between them, but
// not each time.
export async function both(first, second) {
    for (let tries = 1; ; tries++) {
        const answers = [await first(), await second()];
        if (answers[0] === answers[1] || tries === 5) return answers;
    }
}

// The last line says how much was looked at, so that nothing cannot pass for all.
export function finish(wrong, looked) {
    wrong.forEach(line => console.log(line.replaceAll(/\s+/g, ' ').slice(0, 300)));
    console.log(`${looked} looked at`);
    agent.destroy();
}
