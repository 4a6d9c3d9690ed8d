#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Looks on their way from a node to stint serve: nothing twice, nothing lost that the spool can hold, a sentence where something was.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/shipping.sh"
start_taking

it 'a look arrives, under the cluster of the token'
expect_exit 0 send
expect_no_err
expect_equal 0 "$(waiting)"
has_stored 1
expect_equal 'alder,n1.example.org' "$(stint samples --kind node --fields cluster,node --format csv --no-header --from 1d)"

it 'a process of which no more than its number may be known is a sample all the same'
expect_equal '' "$(stint quarantine --format csv --no-header)"
expect_equal '901,_unknown_' "$(stint samples --fields pid,command --format csv --no-header --from 1d | grep '^901,')"

it 'what is sent twice is kept once'
next_second
"$AGENT" run --root "$N" --cluster x --looks 1 >look.json
zstd -q look.json
post() { curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $(cat "$1")" -H 'Content-Type: application/zstd' --data-binary @"$2" "$at/api/v1/agent/samples"; }
expect_equal 202 "$(post token look.json.zst)"
expect_equal 202 "$(post token look.json.zst)"
has_stored 2

it 'what arrives just after an import is imported without another request'
next_second
expect_exit 0 send
has_stored 3
next_second
expect_exit 0 send
has_stored 4

it 'what a server that was killed had not imported is imported by the next one, and a file goes when its hour is over'
began=$(date -u +%FT%H)
kill -9 "$server"
wait "$server" 2>/dev/null
server=
next_second
"$AGENT" run --root "$N" --cluster x --looks 1 >"$STINT_STORE/inbox/alder/2020-01-01T00.json"
start_taking
has_stored 5
is_gone() { [ ! -e "$STINT_STORE/inbox/alder/2020-01-01T00.json" ]; }
until_true is_gone
check is_gone
# The file of an hour that is not over stays; the hour may end while this is looked at.
stays() {
    hour=$(date -u +%FT%H)
    [ -n "$(find "$STINT_STORE/inbox/alder" -name "$hour*.json")" ] || [ "$(date -u +%FT%H)" != "$hour" ] || [ "$hour" != "$began" ]
}
check stays

it 'only a token that is made for it may send'
expect_equal 403 "$(post token_reader look.json.zst)"
expect_equal 401 "$(curl -sS -o /dev/null -w '%{http_code}' -H 'Content-Type: application/zstd' --data-binary @look.json.zst "$at/api/v1/agent/samples")"
echo wrong >wrong
expect_equal 401 "$(post wrong look.json.zst)"

it 'a token of one node sends for that node and for no other'
for node in n1.example.org n2.example.org; do
    stint token add "agent-alder@$node" --role agent --format csv --no-header >made_node 2>/dev/null
    secret made_node >"token_$node"
done
expect_equal 202 "$(post token_n1.example.org look.json.zst)"
expect_equal 403 "$(post token_n2.example.org look.json.zst)"
{ cat look.json; sed 's/n1.example.org/n2.example.org/' look.json; } >both.json
zstd -q both.json
expect_equal 403 "$(post token_n1.example.org both.json.zst)"
# nor by what it says of a part of the node
sed 's/"counters":{/"counters":{"node":"n2.example.org","time":1,/' look.json | zstd -q >part.zst
expect_equal 202 "$(post token_n1.example.org part.zst)"
next_second
expect_exit 0 send
has_stored 6
expect_equal 0 "$(stint samples -w n2.example.org --from 1d --kind node --format csv --no-header | wc -l)"
expect_equal 0 "$(stint samples --from 1970 --to 1971 --kind node --format csv --no-header | wc -l)"

it 'nor does that token open anything else'
expect_equal 0 "$(curl -sS -H "Authorization: Bearer $(cat token)" "$at/api/v1/samples.csv?from=1d" | grep -c n1.example)"

it 'what is no batch is refused'
echo nonsense >nonsense
expect_equal 400 "$(post token nonsense)"
head -c 100 look.json.zst >cut
expect_equal 400 "$(post token cut)"
# JSON that is no sample, more of it than is looked at to know a file; a line that is cut; more depth than anybody reads
awk 'BEGIN { for (i = 0; i < 20000; i++) print "{\"x\":1}" }' | zstd -q >other.zst
expect_equal 400 "$(post token other.zst)"
{ head -c 1000 look.json; echo; cat look.json; } | zstd -q >torn.zst
expect_equal 400 "$(post token torn.zst)"
awk 'BEGIN { printf "{\"data\":"; for (i = 0; i < 100000; i++) printf "["; print "" }' | zstd -q >deep.zst
expect_equal 413 "$(post token deep.zst)"
sed 's/"type":"sample"/"type":"sysinfo"/' look.json | zstd -q >type.zst
expect_equal 400 "$(post token type.zst)"

it 'a few bytes that become many do not become memory of the server'
# one line of 60 million bytes; one of 30 million values; many lines of 100 million bytes together; braces in texts are no depth
peak() { awk '$1 == "VmHWM:" { print int($2 / 1024) }' "/proc/$server/status"; }
before=$(peak)
zeros() { head -c "$1" /dev/zero | tr '\0' "$2"; }
{ printf '{"data":"'; zeros 60000000 x; echo '"}'; } | zstd -q >long.zst
{ printf '{"data":['; yes 0, | tr -d '\n' | head -c 60000000; echo '0]}'; } | zstd -q >many.zst
awk -v line="$(cat look.json)" 'BEGIN { for (i = 0; i < 100000000; i += length(line)) print line }' | zstd -q >lines.zst
for bomb in long many lines; do
    expect_exit 0 test "$(wc -c <$bomb.zst)" -lt 900000
    expect_equal 413 "$(post token $bomb.zst)"
done
sed 's/"cmd":"[^"]*"/"cmd":"[[[[[[[[[[[[[[[[[[[[[{{{{"/' look.json | zstd -q >texts.zst
expect_equal 202 "$(post token texts.zst)"
after=$(peak)
echo "# peak memory $before MiB before, $after MiB after"
expect_exit 0 test "$((after - before))" -lt 250

it 'and keeps nothing out that comes after it'
next_second
expect_exit 0 send
has_stored 7

it 'nor does a file of the inbox that cannot be read, which is said'
zstd -qdc other.zst >"$STINT_STORE/inbox/alder/2020-01-01T01.json"
next_second
expect_exit 0 send
has_stored 8
until_true grep -q "stay in the inbox: .*2020-01-01T01.json' does not look like sonar" server.err
rm "$STINT_STORE/inbox/alder/2020-01-01T01.json"

it 'while the server is down, looks wait, and arrive when it is up'
stop_taking
next_second
expect_exit 1 send
expect_err_has "$at"
next_second
expect_exit 1 send --every 0.01
expect_equal 2 "$(waiting)"
start_taking
next_second
expect_exit 0 send
expect_equal 0 "$(waiting)"
has_stored 11

it 'a token that was revoked is said, and what waits stays'
stint token revoke agent-alder >/dev/null 2>&1
expect_exit 1 send
expect_err_has 'answers 401'
expect_equal 1 "$(waiting)"
stint token add agent-alder --role agent --format csv --no-header >made 2>/dev/null
secret made >token
expect_exit 0 send
expect_equal 0 "$(waiting)"

it 'a daemon that is killed leaves what waits, and another one sends it'
stop_taking
"$AGENT" run --root "$N" --cluster x --every 0.01 --to "$at" --token-file token --spool spool 2>"$ERR" &
daemon=$!
has_some() { [ "$(waiting)" -ge 5 ]; }
until_true has_some
kill -9 $daemon
wait $daemon
start_taking
expect_exit 0 send
expect_equal 0 "$(waiting)"
expect_equal 0 "$(find spool -type f | grep -vc 'look.zst$')"

it 'of two agents on one spool the second says so and ends, and the first goes on'
"$AGENT" run --root "$N" --cluster x --every 0.01 --to "$nowhere" --token-file token --spool both 2>first.err &
daemon=$!
has_begun() { [ -n "$(find both -name '*.look.zst')" ]; }
until_true has_begun
run "$AGENT" run --root "$N" --cluster x --looks 1 --to "$at" --token-file token --spool both
expect_equal 1 $status
expect_err_has "another stint-agent has the spool 'both'"
expect_err_has ' --spool'
check kill $daemon
wait $daemon
expect_exit 0 send --spool both
expect_equal 0 "$(find both -name '*.look.zst' | wc -l)"

it 'the spool has a limit: the oldest go, and the next look says how many'
stop_taking
t=0
while [ $t -lt 3 ]; do
    head -c 700000 /dev/urandom >"spool/0000000000000000000$t.look.zst"
    t=$((t + 1))
done
run "$AGENT" run --root "$N" --cluster x --looks 2 --every 0.01 --to "$at" --token-file token --spool spool --spool-max 1M
expect_equal 1 $status
zstd -qdc "$(find spool -name '*.look.zst' | sort | tail -1)" >last.json
expect_equal 1 "$(grep -c 'looks before this one were lost' last.json)"
[ "$(cat spool/*.zst | wc -c)" -le 1048576 ]
expect_equal 0 $?

it 'a batch that can never be taken is said and does not hold up the others'
start_taking
expect_exit 0 send
expect_err_has 'the look is lost'
expect_equal 0 "$(waiting)"

it 'over https looks go to a server whose certificate is trusted, and to no other'
stop_taking
for name in ours other; do
    openssl req -x509 -newkey rsa:2048 -nodes -keyout $name.key -out $name.pem -days 2 -subj /CN=stint -addext subjectAltName=IP:127.0.0.1 2>/dev/null
done
before=$(stored)
start_taking --tls-cert ours.pem --tls-key ours.key
expect_equal https "${at%%:*}"
expect_exit 1 send
expect_err_has 'certificate'
expect_exit 1 send --authority other.pem --every 0.01
expect_equal 2 "$(waiting)"
next_second
expect_exit 0 send --authority ours.pem
expect_equal 0 "$(waiting)"
has_more() { changed && [ "$(stored)" -ge "$((before + 2))" ]; }
files_before=
asked=0
until_true has_more

it 'a disk that is full is said'
run "$AGENT" run --root "$N" --cluster x --looks 1 --to "$at" --token-file token --spool /proc/nowhere
expect_equal 1 $status
expect_err_has '/proc/nowhere'

finish
