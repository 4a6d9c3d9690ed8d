#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The page of operations, followed line by line.
. "$(dirname "$0")/../support/sh.sh"

it 'every command of the page can be followed'
awk '/^```/ { on = !on; next } on' "$TOP/docs/operations.md" >page
check test "$(wc -l <page)" -ge 12
while read -r line; do
    expect_exit 0 sh -c "stint() { \"$STINT\" \"\$@\"; }; $line" </dev/null
done <page

it 'and the numbers are those that the page gives'
expect_equal 'proj 8000' "$(stint bank balance proj --format csv --no-header | awk -F, '{ print $1, $6 }')"
expect_equal 8000 "$(stint bank allotments proj --store elsewhere --format csv --no-header | cut -d, -f7)"
finish
