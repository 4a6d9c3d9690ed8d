#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The zone of roll-ups is the site's: --zone of an import is that of times in the file and does not move them.
. "$(dirname "$0")/../support/sh.sh"
export TZ=UTC

rolled() { # rolled ZONE: whether a report in days of this zone is answered from roll-ups
    if stint report cpu_hours --by user --from 2024-03-28 --to 2024-04-02 --zone "$1" --explain --format csv --no-header |
        grep -q rollup_day; then echo yes; else echo no; fi
}

stint import sge --cluster alder "$TESTS/golden/alder.accounting" >/dev/null 2>&1

it 'roll-ups are of the days of the system, where nobody says otherwise'
expect_out yes rolled UTC
expect_out no rolled Europe/Oslo

it 'an import with another zone does not move them'
stint import sge --cluster birch --zone Europe/Oslo "$TESTS/golden/birch.accounting" >/dev/null 2>&1
expect_out yes rolled UTC
expect_out no rolled Europe/Oslo

it 'stint rollup with a zone does, and the next import goes on with it'
stint rollup --zone Europe/Oslo >/dev/null 2>&1
expect_out yes rolled Europe/Oslo
stint import sge --cluster cedar "$TESTS/golden/birch.accounting" >/dev/null 2>&1
expect_out yes rolled Europe/Oslo
expect_out no rolled UTC

it 'what stint.conf says comes before'
printf '[site]\nzone = America/Chicago\n' >chicago.conf
stint import sge --config chicago.conf --zone UTC --cluster dogwood "$TESTS/golden/alder.accounting" >/dev/null 2>&1
expect_out yes rolled America/Chicago
expect_out no rolled Europe/Oslo

finish
