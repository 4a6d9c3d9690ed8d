#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Caps of users inside an account of the bank, on a real Slurm with slurmdbd: who reached a cap cannot start, others of the account can, and
# a higher cap lets what waits start. See docs/enforcement.md. timeout: 900
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
limit_of() { sacctmgr -nP show assoc where account="$1" user="$2" format=GrpTRESRunMins,GrpTRESMins | grep -o '[a-z]*=[0-9]*' | grep billing; }
submit() { # USER ACCOUNT: a job of a cpu that may take half an hour
    slurm_submit "$1" -A "$2" -t 30 --wrap 'sleep 1'
}
starts() { check bed_until $BED_LONG slurm_recorded "$1" COMPLETED; }

check slurm_account chem games,man
check stint rate add slurm --how recorded
check stint bank open chem --from 2020-01-01
check stint bank grant chem 1000 --from 2020-01-01
check stint cap add chem games --amount 0 --per month

it 'who reached a cap cannot start, and others of the account can'
conf hold
starts "$(submit man chem)" # a cluster without runs is not covered
check enforce
expect_equal billing=0 "$(limit_of chem games)"
expect_equal '' "$(limit_of chem man)$(limit_of chem '')"
waits=$(submit games chem)
starts "$(submit man chem)"
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingRunMinutes
expect_equal 1 "$(bank limits --format csv --no-header | grep '^rowan,chem,user,games,chem,hold,' | grep -c stopped)"

it 'a higher cap lets what waits start'
check stint cap set chem games --amount 100
check enforce
starts "$waits"
expect_equal '' "$(limit_of chem games)"

it 'in mode limit the scheduler itself counts up to the cap of each user'
check stint cap set chem games --amount 1
check stint cap add chem '*' --amount 500 --per month
conf limit
check enforce
starts "$(submit games chem)"
waits=$(slurm_submit games -A chem -n2 -t 60 --wrap 'sleep 1')
starts "$(slurm_submit man -A chem -n2 -t 60 --wrap 'sleep 1')"
check bed_until $BED_LONG waits_for "$waits" AssocGrpBillingMinutes

it 'once the ceiling of the account is reached, all of its users wait'
conf hold
check stint cap add chem all --amount 0 --per month
check enforce
expect_equal billing=0 "$(limit_of chem '')"
all=$(submit man chem)
check bed_until $BED_LONG waits_for "$all" AssocGrpBillingRunMinutes
check stint cap remove chem all
check enforce
starts "$all"
expect_equal '' "$(limit_of chem '')"
conf limit
check enforce

it 'without caps what was set is taken back'
check stint cap remove chem games
check stint cap remove chem '*'
check enforce
starts "$waits"
expect_equal '' "$(limit_of chem games)$(limit_of chem man)"
check enforce
expect_equal '' "$(cat "$OUT")"
finish
