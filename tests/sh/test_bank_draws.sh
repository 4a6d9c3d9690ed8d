#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whose runs an account pays for: for a time, of a cluster, with a plan; whatever order runs and draws come in.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"

used() { echo "$(allotment chem charged) $(allotment ann charged)"; }

check stint rate add cpu --cpu 1
check stint bank open chem --from 2025-01-01
check stint bank grant chem 100 --from 2025-01-01 --to 2099
check stint bank open ann --from 2025-03-01 --draw user:ann
check stint bank grant ann 100 --from 2025-01-01 --to 2099

it 'where the account of a user was not open, the account of the run pays, whatever came first'
run_of 1 1 10 2025-02-01 ann
run_of 2 1 5 2025-03-01 ann
run_of 3 1 1 2025-03-01 bob
expect_equal '11 5' "$(used)"
mkdir other
for store in other; do
    check stint --store $store import csv --map map --cluster birch run3.csv run2.csv run1.csv
    check stint --store $store rate add cpu --cpu 1
    check stint --store $store bank open chem --from 2025-01-01
    check stint --store $store bank grant chem 100 --from 2025-01-01 --to 2099
    check stint --store $store bank open ann --from 2025-03-01 --draw user:ann
    expect_equal 11 "$(stint --store $store bank allotments chem --format csv | of_account chem charged)"
done

it 'a draw shows its plan by account, and is kept when applied'
run_of 4 1 2 2025-05-10 carl
run_of 5 1 3 2025-06-10 carl
run_of 6 1 4 2025-07-10 carl
expect_equal '20 5' "$(used)"
expect_exit 0 stint bank draw ann user:carl --from 2025-06-01 --to 2025-06-30
expect_out_has 'this is the plan'
expect_equal '20 5' "$(used)"
check stint bank draw ann user:carl --from 2025-06-01 --to 2025-06-30 --apply
expect_equal '17 8' "$(used)"
check stint bank check
expect_exit 0 stint bank draws ann --format csv
expect_out_has 'ann,user,carl,any,2025-06-01T00:00:00Z,2025-07-01T00:00:00Z'

it 'a draw can be ended, and begun again later'
check stint bank draw ann user:carl --from 2025-07-01 --apply
expect_equal '13 12' "$(used)"
check stint bank draw ann user:carl --to 2025-07-09 --apply
expect_equal '17 8' "$(used)"
expect_exit 1 stint bank draw chem user:carl --from 2025-06-15 --apply
expect_err_has 'draw on '\''ann'\'' already'
expect_exit 2 stint bank draw ann user:carl --from 2025-06-15 --to 2025-06-01
expect_exit 2 stint bank draw ann group:carl
check stint bank check

it 'a draw of a cluster comes before one of any'
CLUSTER=cedar
run_of 7 1 6 2025-08-01 bob
expect_equal '23 8' "$(used)"
check stint bank draw ann account:chem --cluster cedar --apply
expect_equal '17 14' "$(used)"
CLUSTER=birch
run_of 8 1 7 2025-08-01 bob
expect_equal '24 14' "$(used)"
check stint bank check

it 'nothing is moved inside closed periods'
check stint bank close-period --to 2025-07-31 --apply
stint bank statement chem --from 2025-01-01 --to 2025-07-31 --format csv >closed
expect_exit 1 stint bank draw ann user:bob --from 2025-07-15
expect_err_has 'is closed'
check stint bank draw ann user:bob --apply
expect_equal '17 21' "$(used)"
stint bank statement chem --from 2025-01-01 --to 2025-07-31 --format csv >after
check cmp closed after
check stint bank check

it 'the order of imports does not matter'
stint bank allotments --format csv >before
check stint books dump --output dumped.json
rm -f "$STINT_STORE"/facts.duckdb*
for file in run8 run6 run4 run2; do
    check stint import csv --map map --cluster birch $file.csv
done
check stint import csv --map map --cluster cedar run7.csv
for file in run1 run3 run5; do
    check stint import csv --map map --cluster birch $file.csv
done
stint bank allotments --format csv >after
check cmp before after
check stint bank check
finish
