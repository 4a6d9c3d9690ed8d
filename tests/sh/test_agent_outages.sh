#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What happens in the middle of shipping: a line that is cut, a server that is killed, a node that is booted anew, a clock that is set. Nothing twice, nothing
# lost that the spool can hold. The others (token revoked, spool full) are in test_agent_ship.sh and test_agent_run.sh.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/shipping.sh"
start_taking

it 'a look that cannot be read does not take good ones with it that wait beside it'
stop_taking
next_second
run send
next_second
run send
head -c 200 "$(find spool -name '*.look.zst' | sort | head -1)" >"spool/$(printf '%020d' 3).look.zst"
expect_equal 3 "$(waiting)"
start_taking
next_second
expect_exit 0 send
expect_err_has 'the look is lost'
expect_equal 0 "$(waiting)"
has_stored 3

# --- on the way -------------------------------------------------------------------------------------------

it 'a line that is cut while a batch is on its way, or before the answer is back: nothing twice, nothing lost'
echo before >mode
node "$TESTS/support/cut-wire.mjs" server.port mode server.pid >wire.port &
wire=$!
stop_all() {
    kill $wire
    wait $wire
    stop_taking
}
t_at_exit=stop_all
until_true test -s wire.port
wired=http://127.0.0.1:$(cat wire.port)
at=$wired
next_second
expect_exit 1 send
expect_err_has "$at"
expect_equal 1 "$(waiting)"
echo after >mode
next_second
expect_exit 1 send
expect_equal 2 "$(waiting)"
has_stored 5
echo pass >mode
next_second
expect_exit 0 send
expect_equal 0 "$(waiting)"
has_stored 6

it 'a server that is killed while it is sent to: the same'
echo kill >mode
next_second
expect_exit 1 send
wait "$server" 2>/dev/null
expect_equal 1 "$(waiting)"
start_taking
straight=$at at=$wired
echo pass >mode
next_second
expect_exit 0 send
expect_equal 0 "$(waiting)"
has_stored 8
kill $wire
wait $wire
at=$straight
t_at_exit=stop_taking

it 'what a server had written in part when it was killed spoils nothing that comes after it'
newest=$(find "$STINT_STORE/inbox/alder" -name '*.json' | sort | tail -1)
printf '{"meta":{"producer":"stint-a' >>"$newest"
next_second
expect_exit 0 send
has_stored 9

# --- a node that is booted anew ---------------------------------------------------------------------------

it 'looks of before a reboot arrive after it, and nothing is worked out across it'
stop_taking
next_second
run send
cp -r "$N" booted
chmod -R u+w booted
sed -i 's/^btime .*/btime 1767312000/; s/^\(cpu[0-9]*\) .*/\1 10 0 5 100 0 0 0 0 0 0/' booted/proc/stat
# a power cut leaves what was being written
: >"spool/.00000000000000009999.look.zst.77-0.tmp"
touch -d '2 days ago' "spool/.00000000000000009999.look.zst.77-0.tmp"
start_taking
next_second
expect_exit 0 "$AGENT" run --root booted --cluster elsewhere --looks 1 --to "$at" --token-file token --spool spool
expect_no_err
expect_equal 0 "$(find spool -type f | wc -l)"
has_stored 11
expect_equal 2 "$(stint samples --fields job,epoch --format csv --no-header --from 1d | awk -F, '$2 > 0 { print $2 }' | sort -u | wc -l)"
expect_equal 0 "$(stint samples --fields cpu_util --format csv --no-header --from 1d | grep -c '^-')"

it 'a clock that is set back is said with the look, and both looks are kept'
echo 0 >offset
next_second
LD_PRELOAD=$(dirname "$STINT")/../tests/set-clock.so CLOCK_OFFSET=offset ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
    "$AGENT" run --root "$N" --cluster x --every 1 --to "$at" --token-file token --spool spool 2>daemon.err &
daemon=$!
has_more() { [ "$(stored)" -gt 11 ]; }
until_true has_more
echo -3600 >offset
is_said() { grep -q 'the clock was set back' daemon.err; }
until_true is_said
kill $daemon
wait $daemon
expect_exit 0 send
check is_said
back() { [ "$(stint samples --kind node --fields time --format csv --no-header --from 1d | awk -v now="$(date -u -d '-30 minutes' +%Y-%m-%dT%H:%M:%SZ)" '$1 < now' | wc -l)" -gt 0 ]; }
until_true back
check back

stop_taking
finish
