#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Accounts of the bank with a parent, on the tree of accounts of a real Slurm with slurmdbd: what the parent has left is the limit of its own
# association, and that of each below it the lower of this and its ceiling. See docs/enforcement.md. timeout: 900
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

it 'a real Slurm comes up'
slurm_need || finish
check slurm_up
[ "${status:?}" -eq 0 ] || finish

conf() { # MODE
    printf '%s\n' '[cluster rowan]' 'scheduler = slurm' "slurm_conf = $SLURM_CONF" "since = $(date -d -2days +%F)" \
        '[enforce rowan]' 'driver = slurm' 'max_share = 100' 'tolerance = 0' "mode = $1" >stint.conf
}
bank() { stint bank --config "$TMP/stint.conf" "$@"; }
enforce() { stint pull --config "$TMP/stint.conf" >/dev/null && bank enforce --apply --format csv --no-header; }
waits_for() { [ "$(squeue -h -j "$1" -o '%T %r')" = "PENDING $2" ]; }
limit_of() { sacctmgr -nP show assoc where account="$1" user='' format=GrpTRESRunMins,GrpTRESMins | grep -o '[a-z]*=[0-9]*' | grep billing; }
submit() { # USER ACCOUNT: a job of a cpu that may take half an hour
    slurm_submit "$1" -A "$2" -t 30 --wrap 'sleep 1'
}
starts() { check bed_until $BED_LONG slurm_recorded "$1" COMPLETED; }

check slurm_account physics games
check slurm_account optics games,man parent=physics
check slurm_account solids man parent=physics
check stint rate add slurm --how recorded
check stint bank open physics --from 2020-01-01
check stint bank grant physics 1000 --from 2020-01-01
check stint bank open optics --from 2020-01-01 --parent physics
check stint bank open solids --from 2020-01-01 --parent physics
conf hold
starts "$(submit man optics)" # a cluster without runs is not covered

it 'an account at its ceiling waits, and its siblings and the parent do not'
check stint cap add optics all --amount 0 --per month
check enforce
expect_equal billing=0 "$(limit_of optics)"
expect_equal '' "$(limit_of solids)$(limit_of physics)"
waits=$(submit games optics)
starts "$(submit man solids)"
starts "$(submit games physics)"
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingRunMinutes
check stint cap remove optics all
check enforce
starts "$waits"
expect_equal '' "$(limit_of optics)"

it 'a parent that has nothing left stops all of them, and a grant lets them start'
check stint bank void physics --allotment 1
check enforce
expect_equal 'billing=0 billing=0 billing=0' "$(limit_of optics) $(limit_of solids) $(limit_of physics)"
waits=$(submit man solids)
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingRunMinutes
check stint bank grant physics 1000 --from 2020-01-01
check enforce
starts "$waits"
expect_equal '' "$(limit_of optics)$(limit_of solids)$(limit_of physics)"

it 'in mode limit Slurm counts what they use together against the limit of the parent'
conf limit
check enforce
check stint bank adjust physics 1 --set --allotment 2
check enforce
starts "$(slurm_submit man -A optics -t 30 --wrap 'sleep 1')"
waits=$(slurm_submit man -A solids -n2 -t 60 --wrap 'sleep 1')
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingMinutes
check stint bank adjust physics 1000 --set --allotment 2
check enforce
starts "$waits"
expect_equal 3 "$(bank limits --format csv --no-header | grep -c ',ok')"
finish
