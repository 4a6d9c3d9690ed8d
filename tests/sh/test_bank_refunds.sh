#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Refunds never create service units: they follow the charge of their run, and are no grants.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"
hold_store "$STINT_STORE" --all # nobody opens it again

check stint rate add cpu --cpu 1
check stint bank open chem --from 2025-01-01
check stint bank open bio --from 2025-01-01
check stint bank grant chem 100 --from 2025-01-01 --to 2099
check stint bank grant bio 100 --from 2025-01-01 --to 2099

it 'a refund gives back what was charged, and is no grant'
run_of 1 1 10
check stint bank refund 1 --note 'disk failure'
expect_equal 100 "$(balance chem balance)"
expect_equal 100 "$(balance chem granted)"
expect_equal 0 "$(balance chem used)"
expect_equal '100 10' "$(allotment chem granted) $(allotment chem refunded)"

it 'a run that becomes cheaper takes back what it does not cost any more, and once'
run_of 1 1 4
expect_equal 100 "$(balance chem balance)"
expect_equal 4 "$(allotment chem refunded)"
check stint bank charge
expect_equal 4 "$(allotment chem refunded)"
run_of 1 0 4
expect_equal 100 "$(balance chem balance)"
expect_equal 0 "$(allotment chem refunded)"
check stint bank check
expect_exit 1 stint bank refund 1
expect_err_has 'no more'

it 'one that costs more again is refunded what was decided, and no more'
run_of 1 1 8
expect_equal 100 "$(balance chem balance)"
run_of 1 1 15
expect_equal 95 "$(balance chem balance)"
expect_equal 10 "$(allotment chem refunded)"
check stint bank refund 1 2
expect_equal 97 "$(balance chem balance)"
expect_exit 1 stint bank refund 1 4
check stint bank check

it 'a run that moves to another account leaves its refund behind'
run_of 1 1 15 2025-06-01 bob bio
expect_equal '100 85' "$(balance chem balance) $(balance bio balance)"
expect_equal '0 0' "$(allotment chem refunded) $(allotment bio refunded)"
check stint bank refund 1 5
expect_equal 90 "$(balance bio balance)"
run_of 1 1 15
expect_equal '97 100' "$(balance chem balance) $(balance bio balance)"
check stint bank check

it 'what was refunded and used by other runs is taken back all the same'
check stint bank open math --from 2025-01-01
check stint bank grant math 10 --from 2025-01-01 --to 2099
run_of 2 1 10 2025-06-01 bob math
check stint bank refund 2
run_of 3 1 10 2025-06-02 bob math
expect_equal 0 "$(balance math balance)"
run_of 2 0 10 2025-06-01 bob math
expect_equal 0 "$(balance math balance)"
expect_equal '10 0' "$(allotment math charged) $(allotment math refunded)"
check stint bank check

it 'of an allotment that has ended it goes into the one that holds now, for its cluster'
check stint bank open geo --from 2025-01-01
check stint bank grant geo 50 --from 2025-01-01 --to 2025-12-31
run_of 4 1 10 2025-06-01 bob geo
expect_exit 0 stint bank refund 4 1
expect_out_has 'expires with it'
expect_equal 0 "$(balance geo balance)"
check stint bank grant geo 7 --from 2026-01-01 --to 2099 --cluster cedar
check stint bank grant geo 20 --from 2026-01-01 --to 2099
check stint bank refund 4 3
expect_equal 30 "$(balance geo balance)"
check stint bank refund 4 2 --allotment 5
expect_equal 32 "$(balance geo balance)"
check stint bank check

it 'statements, days and the entries themselves tell refunds from grants'
stint bank statement chem --from 2025-01-01 --to 2099 --format csv >statement
check grep -q '^refund,' statement
check grep -q '^grant,,,100$' statement
expect_exit 0 stint bank days math --from 2025-01-01 --to 2025-01-02 --format csv
expect_out_has refunded
expect_exit 0 stint bank history chem
expect_out_has 'costs less than was refunded'

it 'a refund into what is to be given away stays'
check stint bank open law --from 2025-01-01
check stint bank grant law 10 --from 2025-01-01 --to 2099
run_of 5 1 8 2025-06-01 bob law
check stint bank refund 5
check stint bank transfer law 10 --into chem
expect_exit 1 stint bank transfer law 1 --into chem
run_of 5 0 8 2025-06-01 bob law
expect_equal 0 "$(balance law balance)"
check stint bank check

it 'a dump and its restore keep all of it'
check stint books dump --output dumped.json
stint bank allotments --format csv >before
mkdir other
check stint --store other books restore dumped.json
stint --store other bank allotments --format csv >after
check cmp before after
it 'rate test stands beside what was charged, and names that are nothing are said to be'
expect_exit 0 stint rate test 3
expect_out_has 'was charged 10 SU to '\''math'\'
expect_exit 1 stint bank charges cheese
expect_err_has 'neither an account'
check stint bank grant chem 1 --id e1
check stint bank grant chem 1 --id e1
expect_exit 1 stint bank grant chem 2 --id e1
check stint bank check
it 'the process that had the store ends well'
expect_exit 0 release_store
finish
