#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A server that stops answers those whom the kernel has let in and whom it has not looked at yet; and what is urgent does not wait behind
# questions, nor one client behind another.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

check stint import sge --cluster east "$TESTS/fixtures/import/accounting"
start_server --workers 1

# crowd.mjs PORT COUNT GO: so many connections, each with a request; when all are connected, GO is created; then how they ended.
cat >crowd.mjs <<'JS'
import { connect } from 'node:net';
import { writeFileSync } from 'node:fs';
const [port, count, go] = process.argv.slice(2);
const ends = {};
let connected = 0, left = Number(count);
for (let i = 0; i < Number(count); i++) {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write('GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n', () => { if (++connected === Number(count)) writeFileSync(go, ''); });
    });
    const end = how => { ends[how] = (ends[how] ?? 0) + 1; if (--left === 0) console.log(JSON.stringify(ends)); };
    socket.on('data', piece => { text += piece; });
    socket.on('error', problem => { text ||= problem.code; });
    socket.on('close', () => end(/^HTTP\/1.1 200/.test(text) ? 'answered' : text.slice(0, 20)));
}
JS

it 'connections that the kernel has accepted are answered by a server that stops'
kill -STOP "$server"
node crowd.mjs "${at##*:}" 1000 go >ends &
crowd=$!
until_true test -e go
kill -TERM "$server"
kill -CONT "$server"
wait "$crowd"
wait "$server"
server=
expect_equal '{"answered":1000}' "$(cat ends)"

finish
