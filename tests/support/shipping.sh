# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# For tests of looks on their way from a node to stint serve, after sh.sh: a server that takes them, a token to send with (cluster alder), one look of the
# fixture's node, and what of it has come into the store.

AGENT=${STINT_AGENT:-$(dirname "$STINT")/stint-agent}
N=$TESTS/fixtures/sampler/node
. "$TESTS/support/server.sh"
nowhere=http://127.0.0.1:1 # the port of tcpmux, which nothing here serves: every connection is refused
at=$nowhere

# start_taking [OPTION]...: a server, whose port and process are also in the files server.port and server.pid.
start_taking() {
    start_server "$@"
    echo "${at##*:}" >server.port
    echo "$server" >server.pid
}
# stop_taking: from then on $at is an address where nothing answers, not even the server of another test.
stop_taking() {
    stop_server
    at=$nowhere
}

# send [OPTION]...: one look of the fixture's node, sent.
send() { "$AGENT" run --root "$N" --cluster elsewhere --looks 1 --to "$at" --token-file token --spool spool "$@"; }
# next_second: moments are recorded to the second, and this one is over.
is_over() { [ "$(date +%s)" -gt "$second" ]; }
next_second() {
    second=$(date +%s)
    until_true is_over
}
waiting() { find spool -name '*.look.zst' | wc -l; }
# stored: moments of the node in the store.
stored() { stint samples --kind node --fields cluster,node,time --format csv --no-header --from 1d | wc -l; }
# changed: whether to ask again: the file of the store is another than before. A second or so later also where it is not, since what is written is
# seen a moment later.
changed() {
    files=$(stat -c '%n %s %y' "$STINT_STORE"/facts.duckdb*)
    asked=$(((asked + 1) % 10))
    [ "$files" != "$files_before" ] || [ $asked -eq 0 ] || return 1
    files_before=$files
}
# has_stored N: the server imports that many by itself.
is_stored() { changed && [ "$(stored)" -eq "$1" ]; }
has_stored() {
    files_before=
    asked=0
    until_true is_stored "$1"
    expect_equal "$1" "$(stored)"
}

stint token add agent-alder --role agent --format csv --no-header >made 2>/dev/null
stint token add reader --role staff --format csv --no-header >made_reader 2>/dev/null
secret() { tr ',' '\n' <"$1" | awk 'length > best { best = length; it = $0 } END { print it }'; }
secret made >token
secret made_reader >token_reader
