#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Clients that ask for long answers and do not read them hold no worker: others are answered meanwhile, and the answers are
# complete when they are read at last.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

check stint demo --out site --runs 30000 --from 2024 --to 2024 --quiet
check stint import sge --cluster c site/alder/accounting --quiet
start_server --workers 2 --timeout 600
token=$(stint token add reader --role staff --format csv --no-header | cut -d, -f 2)

# Asks COUNT times and reads nothing; then asks one more, which is answered; then reads what it asked for.
cat >unread.mjs <<'END'
import net from 'node:net';
const [port, count, token] = process.argv.slice(2);
const path = '/api/v1/jobs.jsonl?from=2000&to=2030&fields=all&limit=30000';
const clients = Array.from({ length: Number(count) }, () => {
    const client = net.connect(Number(port), '127.0.0.1');
    client.pause();
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
    return client;
});
const reply = await fetch(`http://127.0.0.1:${port}/api/v1/report?measure=jobs&from=2024`, { headers: { Authorization: `Bearer ${token}` } });
console.log(reply.status, (await reply.text()).length > 0);
// The last piece of a chunked reply is empty: without it, the reply was cut.
const read = client => new Promise(done => {
    let bytes = 0, end = '';
    client.on('data', piece => { bytes += piece.length; end = (end + piece.toString('latin1')).slice(-5); });
    client.on('close', () => done(`${bytes > 10 << 20} ${end === '0\r\n\r\n'}`));
    client.resume();
});
for (const client of clients) console.log(await read(client));
END
it 'clients that read nothing keep nobody waiting, and get all of it in the end'
expect_out '200 true
true true
true true
true true
true true
true true
true true' node unread.mjs "${at##*:}" 6 "$token"
stop_server
expect_equal 0 "$server_status"

finish
