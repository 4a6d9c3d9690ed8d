#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Limits that follow the balances of the bank, on a real Grid Engine: resource quota sets for users and projects. See
# docs/enforcement.md.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/sge.sh"

it 'a real Grid Engine comes up'
sge_need || finish
check sge_up
[ "${status:?}" -eq 0 ] || finish

printf '[enforce birch]\ndriver = sge\nmax_share = 100\n' >stint.conf
bank() { stint bank --config "$TMP/stint.conf" "$@"; }
enforce() { bank enforce --apply --format csv --no-header; }
records() { stint import sge --cluster birch "$SGE_ACCOUNTING"; }
over() { ! qstat -u '*' | grep -q "^ *$1 "; }
recorded() { # ID...: they are in the accounting file, and imported
    records >/dev/null
    for id; do [ -n "$(stint jobs -j "$id" -o job --format csv --no-header)" ] || return 1; done
}
sets() { qconf -srqsl 2>/dev/null | tr '\n' ' '; }

it 'a user goes over the allotment'
first=$(sge_submit games sleep 2)
other=$(sge_submit news sleep 1)
check bed_until $BED_LONG over "$first"
check bed_until $BED_LONG recorded "$first" "$other"
check stint rate add cpu --cpu 1
check bank open games --draw user:games --from 2020-01-01
check bank open news --draw user:news --from 2020-01-01
check bank grant games 0.000001 --from 2020-01-01
check bank grant news 100 --from 2020-01-01

it 'the next job waits, the one that runs does so, and another user does not notice'
runs=$(echo "until [ -e '$BED/go' ]; do sleep 0.2; done" | sge_script games)
check bed_until $BED_LONG sge_state "$runs" r
check enforce
expect_out_has 'birch,games,user,games,,hold,set,,0,0,done,'
expect_equal 'stint_user_games ' "$(sets)"
waits=$(sge_submit games sleep 1)
other=$(sge_submit news sleep 1)
check bed_until $BED_LONG recorded "$other"
check sge_state "$waits" qw
check sge_state "$runs" r

it 'the job that runs ends well, and the other waits on'
: >"$BED/go"
check bed_until $BED_LONG recorded "$runs"
check sge_state "$waits" qw
expect_equal '0 0' "$(qacct -j "$runs" | awk '$1 == "failed" || $1 == "exit_status" { printf "%s%s", gap, $2; gap = " " }')"

it 'a second check changes nothing'
check enforce
expect_no_out

it 'a set that somebody has disabled is enabled'
qconf -srqs stint_user_games | sed 's/TRUE/FALSE/' >set
check qconf -Mrqs set
check enforce
expect_out_has 'birch,games,user,games,,hold,set,1,0,0,done,'
started=$waits # it may have, while the set was disabled
waits=$(sge_submit games sleep 1)

it 'a grant lets the job that waits start with the next check'
check bank grant games 100 --from 2020-01-01
check enforce
expect_equal '' "$(sets)"
check bed_until $BED_LONG recorded "$started" "$waits"

it 'the account of a job cannot be limited, and that is said'
check bank open dept --from 2020-01-01
check bank limits dept --format csv --no-header
expect_out_has 'sge has no limit for one account'

it 'without qmaster nothing is changed'
check sge_kill qmaster
expect_exit 1 bank enforce --apply
expect_err_has 'birch: '

finish
