#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The schedulers that tests bring up: nothing of them is left when the test ends, however it ends.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/sge.sh"

sge_need || finish

# A shell with a bed and a job that runs in it.
cat >sleeper.sh <<'EOS'
. "$TESTS/support/sge.sh"
sge_up && id=$(sge_submit games sleep 1000) && bed_until $BED_LONG sge_state "$id" r && echo "$BED" >"$1"
while :; do sleep 1; done
EOS

nothing_left() { [ ! -e "$BED" ] && [ -z "$(bed_writers)" ]; }

for signal in TERM KILL; do
    it "a bed goes with its shell: $signal"
    sh sleeper.sh bed.$signal >/dev/null 2>&1 &
    shell=$!
    check bed_until $BED_LONG test -s bed.$signal
    BED=$(cat bed.$signal)
    expect_exit 1 nothing_left
    kill -s $signal $shell
    check bed_until $BED_LONG nothing_left
done

it 'one for a person stays until it is taken down'
expect_exit 1 sh "$TESTS/support/sge.sh" up "$TMP/closed"
expect_err_has 'others cannot enter'
chmod 755 "$TMP"
check sh "$TESTS/support/sge.sh" up "$TMP/stays"
. "$TMP/stays/env"
check qconf -sel
check sh "$TESTS/support/sge.sh" down "$TMP/stays"
expect_exit 1 test -e "$TMP/stays"
expect_exit 1 qconf -sel

finish
