// SPDX-License-Identifier: MIT
//
// Stands between an agent and its server on TCP, and cuts the connection where the file MODE says:
//
//     node cut-wire.mjs PORTFILE MODE PIDFILE    prints the port it listens on; the server's is read for each connection
//
//     pass     nothing is cut
//     before   the server has a part of what is sent; the line is cut
//     after    the server has all and answers; the answer does not come back
//     kill     the server has a part, and is killed (the process named in PIDFILE)
//
// Ends when it is killed.

import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const [portFile, modeFile, pidFile] = process.argv.slice(2);

createServer((client) => {
  const mode = readFileSync(modeFile, 'utf8').trim();
  const server = connect(Number(readFileSync(portFile, 'utf8')), '127.0.0.1');
  const cut = () => {
    client.destroy();
    server.destroy();
  };
  client.on('data', (piece) => {
    if (mode === 'pass' || mode === 'after') {
      server.write(piece);
      return;
    }
    server.write(piece.subarray(0, Math.floor(piece.length / 2)), () => {
      if (mode === 'kill') {
        process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
      }
      cut();
    });
  });
  server.on('data', (piece) => (mode === 'after' ? cut() : client.write(piece)));
  for (const end of [client, server]) {
    end.on('error', cut);
    end.on('close', cut);
  }
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port);
});
