// SPDX-License-Identifier: MIT
//
// Stands between a client and a server on Unix sockets, and lets the server die in the middle of an answer:
//
//     node cut-proxy.mjs LISTEN SERVER PATH PIDFILE...
//
// Passes everything on. Of the answer to a question whose path begins with PATH only the first half of the body is
// given; then the processes named in the PIDFILEs are killed and the connection is dropped. Ends with its standard input.

import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';

const [listen, socketPath, path, ...pidFiles] = process.argv.slice(2);

function cut(answer, body) {
  answer.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    for (const file of pidFiles) {
      process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    }
    answer.destroy();
  });
}

createServer((question, answer) => {
  const asked = request({ socketPath, path: question.url, headers: question.headers }, (given) => {
    const pieces = [];
    given.on('data', (piece) => pieces.push(piece));
    given.on('end', () => {
      const body = Buffer.concat(pieces);
      answer.writeHead(given.statusCode, { 'Content-Type': 'application/json', 'Content-Length': body.length });
      if (question.url.startsWith(path)) {
        cut(answer, body);
      } else {
        answer.end(body);
      }
    });
  });
  asked.on('error', () => answer.destroy());
  asked.end();
}).listen(listen);

process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
