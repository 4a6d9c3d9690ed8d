// SPDX-License-Identifier: MIT
//
// A server that answers as tests want it: by path. `node answer.mjs ADDRESS [CERT KEY CA]` listens on a
// Unix socket (a path) or on a free port of the loopback (-), says on one line where, and ends when its
// standard input does, so that it never outlives its test.
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const [where, cert, key, ca] = process.argv.slice(2);

const answers = {
    '/plain': (ask, say) => say.end('plain\n'),
    '/header': (ask, say) => say.end(`${ask.headers['x-slurm-user-token']}\n`),
    '/path': (ask, say) => say.end(`${ask.url}\n`),
    '/index': (ask, say) => say.writeHead(200, { 'X-Nomad-Index': '4711' }).end('[]'),
    '/sick': (ask, say) => say.writeHead(500).end('it hurts'),
    '/elsewhere': (ask, say) => say.writeHead(302, { Location: '/plain' }).end('go on'),
    '/huge': (ask, say) => {
        const piece = 'x'.repeat(65536);
        const more = () => {
            while (say.write(piece)) {}
            say.once('drain', more);
        };
        more();
        say.on('error', () => {});
    },
    '/megabytes': (ask, say) => say.end('y'.repeat(3 << 20)),
    '/slow': (ask, say) => say.write('wait'),
    '/cut': (ask, say) => {
        say.writeHead(200, { 'Content-Length': '1000' });
        say.write('half', () => say.destroy());
    },
    '/nothing': (ask) => ask.socket.destroy(),
};

function answer(ask, say) {
    const found = answers[ask.url.split('?')[0]];
    if (found) {
        found(ask, say);
    } else {
        say.writeHead(404).end('no such thing');
    }
}

const server = cert
    ? https.createServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(key),
        ca: ca && fs.readFileSync(ca), requestCert: Boolean(ca), rejectUnauthorized: Boolean(ca) }, answer)
    : http.createServer(answer);
const said = () => console.log(where === '-' ? server.address().port : where);
if (where === '-') {
    server.listen(0, '127.0.0.1', said);
} else {
    server.listen(where, said);
}
process.stdin.on('data', () => {});
process.stdin.on('close', () => process.exit(0));
