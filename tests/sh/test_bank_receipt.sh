#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A receipt can be computed again from accounting files alone, and every changed number is noticed.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"

verify() { expect_exit "$1" stint --store nowhere bank verify "$2" $files --map map --cluster birch; }

check stint rate add cpu --cpu 1.5
check stint bank open chem --from 2025-01-01
check stint bank open ann --from 2025-01-01 --draw user:ann
check stint bank grant chem 100 --from 2025-01-01 --to 2099
run_of 1 1 10
run_of 2 2 5 2025-06-30
run_of 3 1 3 2025-07-02
run_of 4 1 3 2025-06-02 ann
check stint rate set 1 --cpu 3
run_of 5 1 2 2025-06-05
run_of 6 0 2 2025-06-06
files='run1.csv run2.csv run3.csv run4.csv run5.csv run6.csv'

it 'a receipt has the runs of the period, and verifies from the files'
check stint bank receipt chem 2025-06 --output receipt.json
check grep -q '"total": "36"' receipt.json
verify 0 receipt.json
expect_out_has 'nothing differs'
expect_out_has '36 SU, the receipt says 36'
check test ! -e nowhere

# FROM TO: the receipt with a value changed, and a digest as if it had been written so
forge() {
    sed "s/$1/$2/" receipt.json | sed '$d' | sed '$d' >changed.json
    cut=$(wc -c <changed.json)
    head -c $((cut - 2)) changed.json >forged.json
    digest=$(sha256sum <forged.json | cut -d' ' -f1)
    printf ',\n "digest": "%s"\n}\n' "$digest" >>forged.json
}

it 'every changed number is noticed'
unnoticed=
for line in $(grep -nE ': "?[0-9]' receipt.json | cut -d: -f1 | awk 'NR % 4 == 1'); do
    sed -E "${line}s/: (\"?)([0-9])/: \19\2/" receipt.json >changed.json
    stint --store nowhere bank verify changed.json $files --map map --cluster birch >out 2>&1 && unnoticed="$unnoticed $line"
done
expect_equal '' "$unnoticed"

it 'so is one with a digest to match'
forge 'xyzzy' ''
verify 0 forged.json
for change in '"amount": "15" "amount": "14"' '"counted": "15" "counted": "16"' '"total": "36" "total": "37"' '"cpu": "3" "cpu": "4"'; do
    forge "$(echo "$change" | cut -d' ' -f1-2)" "$(echo "$change" | cut -d' ' -f3-4)"
    verify 1 forged.json
done

it 'a changed, a missing and an added record are noticed'
cp run1.csv kept
sed -i 's/T10:00:00/T11:00:00/' run1.csv
verify 1 receipt.json
expect_out_has 'the receipt says 15 SU, its record and rates give 16.5'
cp kept run1.csv
files='run2.csv run3.csv run4.csv run5.csv run6.csv'
verify 1 receipt.json
expect_out_has 'is not among the accounting records'
sed 's/^1,/11,/' run1.csv >added.csv
files='run1.csv run2.csv run3.csv run4.csv run5.csv run6.csv added.csv'
verify 1 receipt.json
expect_out_has 'is charged to the account and not in the receipt'
files='run1.csv run2.csv run3.csv run4.csv run5.csv run6.csv'

it 'corrections of closed periods are in the receipt of the open one'
check stint bank close-period --to 2025-06-30 --apply
run_of 1 1 4
run_of 7 1 1 2025-06-09
check stint bank receipt chem 2025-06 --output june.json
check stint bank receipt chem --from 2025-07-01 --to 2025-07-31 --output july.json
check grep -q '"total": "36"' june.json
files="$files run7.csv"
verify 0 july.json
expect_out_has 'before they were corrected'

it 'what is no receipt is refused with a sentence'
printf '{"receipt": 2}' >changed.json
verify 1 changed.json
expect_err_has 'not a receipt'
printf 'x' >changed.json
verify 1 changed.json
expect_err_has 'not a receipt'
expect_exit 2 stint bank verify receipt.json
expect_exit 2 stint bank receipt chem
expect_exit 1 stint bank receipt cheese 2025-06
finish
