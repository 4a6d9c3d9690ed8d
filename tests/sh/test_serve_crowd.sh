#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint serve under a crowd, and killed at the worst moments.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

F=$TESTS/fixtures/import

jobs_known() { stint report jobs --from 2000 --to 2030 --format csv --no-header; }

# --- a crowd ------------------------------------------------------------------------------------------

stint import sge --cluster c "$F/accounting" >/dev/null
known=$(jobs_known)

# Ten thousand connections that begin a request and never end it, or as many as this process may open; then one that asks.
cat >crowd.mjs <<'END'
import net from 'node:net';
const [port, count] = process.argv.slice(2).map(Number);
const crowd = [];
const come = () => new Promise(done => {
    const one = net.connect(port, '127.0.0.1', () => { one.write('GET /api/v1/hea'); done(); });
    one.on('error', done);
    crowd.push(one);
});
for (let i = 0; i < count; i += 500)
    await Promise.all(Array.from({ length: 500 }, come));
const reply = await fetch(`http://127.0.0.1:${port}/api/v1/health`);
console.log(reply.status);
crowd.forEach(one => one.destroy());
END

# shellcheck disable=SC3045 # dash has it
most=$(ulimit -Hn)
case $most in unlimited) most=20000 ;; esac
count=$((most > 10200 ? 10000 : most - 200))
crowd() (
    # shellcheck disable=SC3045
    ulimit -n "$most"
    node crowd.mjs "${at##*:}" "$count"
)

server_files=$most
it 'a crowd of connections that ask nothing keeps nobody out'
start_server
expect_out 200 crowd
stop_server

it 'nor does it where there are fewer descriptors than that'
server_files=2048
start_server
expect_out 200 crowd
expect_equal "$known" "$(jobs_known)"
stop_server

# Two thousand requests at once, each over a connection of its own: what is kept, what is asked for anew, pages, what there is not.
cat >parallel.mjs <<'JS'
import http from 'node:http';
const [port, count] = process.argv.slice(2).map(Number);
const paths = ['/api/v1/health', '/api/v1/report?measure=jobs&from=2000&to=2030', '/', '/api/v1/nothing', '/static/stint.css'];
const agent = new http.Agent({ maxSockets: Infinity });
const seen = {};
const ask = i => new Promise(done => {
    const path = i % 20 === 0 ? `/api/v1/report?measure=jobs&from=${1970 + i / 20}&to=2099` : paths[i % paths.length];
    const said = what => { seen[what] = (seen[what] || 0) + 1; done(); };
    http.get({ port, host: '127.0.0.1', path, agent }, reply => {
        reply.resume().on('end', () => said(reply.statusCode)).on('error', () => said('broken'));
    }).on('error', error => said(error.code));
});
await Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
console.log(Object.entries(seen).map(([what, times]) => `${what} ${times}`).join(', '));
JS

# More than fit that send their request byte by byte, heads and bodies, and come again when they are turned away; behind them one that
# sends much too much. Then five that ask.
cat >drip.mjs <<'JS'
import net from 'node:net';
const [port, count] = process.argv.slice(2).map(Number);
const heads = ['GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Long: ', 'POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n'];
const crowd = new Set();
let ending = false;
const come = i => {
    const one = net.connect(port, '127.0.0.1', () => { one.write(heads[i % 2]); crowd.add(one); });
    one.on('error', () => {}).on('data', () => {}).on('close', () => { crowd.delete(one); if (!ending) setTimeout(come, 50, i); });
};
for (let i = 0; i < count; i++)
    come(i);
const dripping = setInterval(() => crowd.forEach(one => one.write('a')), 50);
const flood = net.connect(port, '127.0.0.1', () => flood.write(`GET /${'a'.repeat(8 << 20)} HTTP/1.1\r\n`)).on('error', () => {});
const seen = [];
for (let i = 0; i < 5; i++)
    seen.push((await fetch(`http://127.0.0.1:${port}/api/v1/health`, { headers: { connection: 'close' } })).status);
console.log([...new Set(seen)].join(' '));
ending = true;
clearInterval(dripping);
flood.destroy();
crowd.forEach(one => one.destroy());
process.exit(0);
JS
with_files() ( # with_files COMMAND...: which may open as many as it can
    # shellcheck disable=SC3045
    ulimit -n "$most"
    "$@"
)

it 'thousands of requests at once are all answered'
server_files=$most
start_server
expect_out '200 1600, 404 400' with_files node parallel.mjs "${at##*:}" 2000
stop_server

it 'those that send byte by byte, more than fit, keep nobody out'
server_files=512
start_server
expect_out 200 with_files node drip.mjs "${at##*:}" 600
expect_equal "$known" "$(jobs_known)"
stop_server

# One token asks so much that its part of the queue is full, over connections of the same address as another's, until the other is answered.
cat >flood.mjs <<'JS'
import http from 'node:http';
const [port, count, flooding, quiet] = process.argv.slice(2);
const agent = new http.Agent({ maxSockets: Infinity });
let asked = 0, refused = 0, ending = false;
const ask = (token, path) => new Promise(done => {
    http.get({ port, host: '127.0.0.1', agent, path, headers: { authorization: `Bearer ${token}` } }, reply => {
        reply.resume().on('end', () => done(reply.statusCode)).on('error', () => done(0));
    }).on('error', () => done(0));
});
// From another day each, so that none is in the cache.
const day = () => new Date(Date.UTC(1970, 0, ++asked)).toISOString().slice(0, 10);
const question = () => `/api/v1/report?measure=jobs&by=user&from=${day()}&to=2099-12-31`;
await ask(flooding, question());
const crowd = Array.from({ length: Number(count) }, async () => {
    while (!ending)
        refused += await ask(flooding, question()) === 503;
});
while (refused === 0)
    await new Promise(done => setTimeout(done, 10));
const seen = [];
for (let i = 0; i < 3; i++)
    seen.push(await ask(quiet, question()));
console.log(seen.join(' '));
ending = true;
process.exit(0);
JS
it 'a token that floods keeps no other out, of the same address either'
server_files=$most
start_server --workers 2
flooding=$(stint token add flooding --role staff --format csv --no-header | cut -d, -f 2)
quiet=$(stint token add quiet --role staff --format csv --no-header | cut -d, -f 2)
expect_out '200 200 200' with_files node flood.mjs "${at##*:}" 2400 "$flooding" "$quiet"
stop_server

# --- killed -------------------------------------------------------------------------------------------

server_files=$most
it 'killed in the middle of an import: all of it is there, or a sentence, and the store whole'
grep -m 1 -v '^#' "$F/accounting" >line
awk -F: -v OFS=: '{ for (i = 1; i <= 20000; i++) { $6 = 100000 + i; print } }' line >log
start_server
mkfifo pipe
stint import sge --cluster big pipe >import.out 2>import.err &
import=$!
exec 5>pipe
head -n 10000 log >&5
kill_server
exec 5>&-
# The command that is left alone does it by itself if it can.
if wait $import; then
    expect_equal $((known + 10000)) "$(jobs_known)"
else
    check [ -s import.err ]
fi
check stint check --from 2024-01-01 --to 2024-01-07

it 'the same import again brings what is missing, and nothing twice'
start_server
check stint import sge --cluster big log
expect_equal $((known + 20000)) "$(jobs_known)"
check stint check --from 2024-01-01 --to 2024-01-07

it 'killed in the middle of an answer: an error, not the end of a shorter answer'
curl -sS --limit-rate 200k --unix-socket "$TMP/http" 'http://x/api/v1/jobs.jsonl?from=2000&to=2030&fields=all&limit=20000' \
    -o answer 2>curl.err &
reader=$!
until_true [ -s answer ]
kill_server
wait $reader
check [ $? -ne 0 ]
check [ -s curl.err ]

it 'and of one that a command elsewhere reads'
start_server
STINT_TOKEN=$(stint token add remote --role staff --format csv --no-header | cut -d, -f 2)
export STINT_TOKEN
mkfifo slow
stint jobs --from 2000 --to 2030 --fields all --limit 20000 --format jsonl --store "$TMP/nowhere" --server "$at" >slow 2>remote.err &
remote=$!
exec 6<slow
head -c 100 <&6 >remote.out
kill_server
cat <&6 >>remote.out
exec 6<&-
# What it had in full already is shown in full.
if wait $remote; then
    expect_equal 20000 "$(wc -l <remote.out)"
else
    check [ -s remote.err ]
fi
unset STINT_TOKEN
expect_equal $((known + 20000)) "$(jobs_known)"

# What has gone out already is not asked for again by itself: rows would stand there twice.
it 'and of one that a command on the same machine reads'
start_server
stint jobs --from 2000 --to 2030 --fields all --limit 20000 --format jsonl >slow 2>local.err &
reader=$!
exec 6<slow
head -c 100 <&6 >local.out
kill_server
cat <&6 >>local.out
exec 6<&-
if wait $reader; then
    expect_equal 20000 "$(sort -u local.out | wc -l)"
    expect_equal 20000 "$(wc -l <local.out)"
else
    check [ -s local.err ]
    check [ "$(wc -l <local.out)" -lt 20000 ]
fi

it 'a change that was being made when it was killed is made whole or not at all, and can be made again'
start_server
stint rate add cpu --cpu 1 >/dev/null
stint bank open sge --from 2000-01-01 >opened.out 2>opened.err &
opening=$!
pause 300
kill_server
if wait $opening; then
    expect_exit 1 stint bank open sge
    expect_err_has 'already'
else
    check [ -s opened.err ]
fi
check stint bank check
check stint check

finish
