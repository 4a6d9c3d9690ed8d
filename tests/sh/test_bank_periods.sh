#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Periods that are closed: their statements never change, and what changes later inside them counts afterwards, as what it is.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"
hold_store "$STINT_STORE" --all # nobody opens it again

statement() { stint bank statement chem --from 2025-06-01 --to 2025-06-30 --format csv; }
later() { stint bank statement chem --from 2025-07-01 --to 2025-07-31 --format csv; }

check stint rate add cpu --cpu 1
check stint bank open chem --from 2025-01-01
check stint bank open bio --from 2025-01-01
check stint bank grant chem 100 --from 2025-06-01 --to 2099
check stint bank grant bio 100 --from 2025-06-01 --to 2099
run_of 1 1 10
run_of 2 1 5 2025-06-30
run_of 3 1 3 2025-07-02

it 'closing shows its plan, and does nothing before it is applied'
expect_exit 0 stint bank close-period --to 2025-06-30
expect_out_has 'this is the plan'
expect_exit 0 stint bank periods
expect_out_has 'no period is closed'
expect_exit 1 stint bank close-period --to today
expect_err_has 'not over yet'
expect_exit 2 stint bank close-period chem
expect_exit 1 stint bank close-period cheese --to 2025-06-30
check stint bank close-period --to 2025-06-30 --apply --note June
expect_exit 0 stint bank periods chem
expect_out_has 2025-06-30
expect_exit 0 stint bank close-period --to 2025-06-30 --apply
expect_out_has 'closed already'
statement >june
expect_equal 'closing balance,,,85' "$(tail -n 1 june)"

it 'a late run, a correction and one that becomes free count in the open period'
run_of 4 1 7 2025-06-10
run_of 1 1 4
run_of 2 0 5 2025-06-30
statement >june2
check cmp june june2
later >july
expect_equal 4 "$(awk -F, '/^correction of closed 2025-06/ { sum += $4 } END { print sum }' july)"
check grep -q '^charge,birch,bob,-3$' july
expect_equal 'closing balance,,,86' "$(tail -n 1 july)"
expect_equal 86 "$(balance chem balance)"
check stint bank check
expect_exit 0 stint bank charges 4
expect_out_has 'closed 2025-06-10 to 2025-06-10'

it 'runs that are charged again do so as well'
check stint rate set 1 --cpu 2
check stint bank charge --recharge --from 2025-06-01 --apply
statement >june2
check cmp june june2
expect_equal 72 "$(balance chem balance)"
check stint bank check

it 'grants for the past, refunds and ends of allotments do so as well'
check stint bank grant chem 10 --from 2025-06-01 --to 2025-06-20
check stint bank refund 4 --note 'disk failure'
statement >june2
check cmp june june2
later >july
check stint bank check
expect_equal 96 "$(balance chem balance)"

it 'a second closing keeps the first, and what was corrected in between'
check stint bank close-period chem --to 2025-07-31 --apply
later >july
run_of 3 1 1 2025-07-02
run_of 4 1 1 2025-06-10
statement >june2
check cmp june june2
later >july2
check cmp july july2
check stint bank check
stint bank statement chem --from 2025-08-01 --to 2025-08-31 --format csv >august
check grep -q '^correction of closed' august
expect_equal '100' "$(balance chem balance)"

it 'a run that moves to another account does so in the open periods of both'
stint bank statement bio --from 2025-06-01 --to 2025-06-30 --format csv >bio1
run_of 4 1 1 2025-06-10 bob bio
stint bank statement bio --from 2025-06-01 --to 2025-06-30 --format csv >bio2
check cmp bio1 bio2
later >july2
check cmp july july2
check stint bank check

it 'facts and books made again keep all of it'
check stint books dump --output dumped.json
expect_exit 0 release_store
rm -f "$STINT_STORE"/books.sqlite* "$STINT_STORE"/facts.duckdb*
check stint books restore dumped.json
check stint import csv --map map --cluster birch run3.csv run4.csv run2.csv run1.csv
statement >june2
check cmp june june2
later >july2
check cmp july july2
check stint bank check

it 'nothing is closed before what changed is charged, and a closed account stays open as long'
expect_exit 1 stint bank close chem --to 2025-06-15
expect_err_has 'is closed'
check stint bank close chem --to 2025-12-31 --note 'moved away'
check stint bank check

it 'an invoice closes its period where that is asked for, once'
check stint bank open lab --from 2025-01-01
check stint bank grant lab 100 --from 2025-01-01 --to 2099
run_of 70 3 1 2025-03-10 bob lab
expect_exit 2 stint invoice draft lab --from 2025-03 --close
check stint invoice issue lab --from 2025-03 --close
expect_out_has "the days of 'lab' up to 2025-03-31 are closed"
stint bank periods lab --format csv --no-header | cut -d, -f1,2 >closed
expect_equal 'lab,2025-03-31' "$(cat closed)"
check stint invoice issue lab --from 2025-03 --close
expect_out_has 'are closed already'
march() { stint bank statement lab --from 2025-03 --to 2025-03 --format csv; }
march >was
expect_exit 0 grep -q '^charge,birch,bob,' was
run_of 71 5 1 2025-03-11 bob lab
expect_equal "$(cat was)" "$(march)"
check stint bank statement lab --from 2025-04 --to 2025-04 --format csv
expect_out_has 'correction of closed 2025-03-11'

finish
