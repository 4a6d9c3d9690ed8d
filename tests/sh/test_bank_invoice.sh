#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Invoices: by usage and by allotment, in SU, by rates of a currency and by a price, numbered, and the same to the byte.
. "$(dirname "$0")/../support/sh.sh"

printf 'job = job\nuser = user\naccount = account\ncpus = cpus\nstart = start\nend = end\nclass := completed\n' >map
# JOB USER CPUS START END
run_of() {
    printf 'job,user,account,cpus,start,end\n%s,%s,chem,%s,%s,%s\n' "$@" >"run$1.csv"
    stint import csv --map map --cluster birch --again "run$1.csv" >said 2>&1 || cat said
}
invoice() { stint invoice "$@" --format csv --no-header; }
stint rate add cpu --cpu 1 >/dev/null
stint bank open chem --from 2025-01-01 >/dev/null
stint bank grant chem 100 --from 2025-01-01 --to 2025-12-31 --note 'call <7>' >/dev/null
run_of 1 bob 4 2025-03-01T00:00:00 2025-03-01T10:00:00
run_of 2 ann 1 2025-03-31T12:00:00 2025-04-01T12:00:00 # half of it is of April

it 'what was used in the month, in SU'
check invoice draft chem --from 2025-03
expect_equal 'use,birch,ann,12,,
use,birch,bob,40,,
total,,,52,,' "$(cat "$OUT")"

it 'with a price of an SU'
check invoice draft chem --from 2025-03 --price 0.05 --unit EUR
expect_equal 'use,birch,ann,12,0.6,EUR
use,birch,bob,40,2,EUR
total,,,52,2.6,EUR' "$(cat "$OUT")"
expect_exit 2 stint invoice draft chem --price 0.05
expect_err_has '--price needs --unit'

it 'by the rates of a currency'
check stint rate add euro --cpu 0.1 --unit EUR
check invoice draft chem --from 2025-03
expect_equal 'use,birch,ann,12,1.2,EUR
use,birch,bob,40,4,EUR
total,,,52,5.2,EUR' "$(cat "$OUT")"

it 'by allotment'
check invoice draft chem --from 2025 --by allotment --price 0.02 --unit EUR
expect_equal 'grant 1 from 2025-01-01 to 2025-12-31: call <7>,,,100,2,EUR
total,,,100,2,EUR' "$(cat "$OUT")"

it 'a draft says as of when, since what comes later changes it'
check stint invoice draft chem --from 2025-03
expect_equal 1 "$(grep -c "^draft of account .chem., 2025-03-01 to 2025-03-31, as of 20[-0-9T:]*Z; records and rates that come later change it" "$OUT")"
stint invoice draft chem --from 2025-03 --html >draft.html
expect_equal 1 "$(grep -c '<dt>As of</dt><dd>20[-0-9T:]*Z</dd>' draft.html)"

it 'one that was issued has a number, and is the same to the byte whatever changes'
check stint invoice issue chem --from 2025-03
expect_out_has "invoice 1 of account 'chem', 2025-03-01 to 2025-03-31, as of 20"
stint invoice show 1 --html >first.html
stint invoice show 1 >first.txt
invoice show 1 >first.csv
issued=$(date +%s)
until_true past "$issued"
check stint rate set euro --cpu 7
run_of 3 eve 1 2025-03-02T00:00:00 2025-03-02T10:00:00
stint invoice show 1 --html >second.html
stint invoice show 1 >second.txt
invoice show 1 >second.csv
check cmp first.html second.html
check cmp first.txt second.txt
check cmp first.csv second.csv
STINT_ZONE=Asia/Tokyo stint invoice show 1 --html >third.html # whoever looks, and where
check cmp first.html third.html
expect_equal 1 "$(grep -c '<h1>Invoice 1</h1>' first.html)"
expect_equal 1 "$(grep -c 'Annex: rates' first.html)"
expect_equal 1 "$(grep -c 'Unit EUR, CPU hour 0.1' first.html)"

it 'the same again is the one there is, and says that it would be another'
check stint invoice issue chem --from 2025-03
expect_out_has 'it was issued before as invoice 1; by the current records and rates it would be another'
check stint invoice issue chem --from 2025-03 --again
expect_out_has 'credit note 2 takes invoice 1 back'
expect_out_has 'invoice 3 of account'
expect_equal '1,chem,usage,,invoice,
2,chem,usage,,credit note,1
3,chem,usage,1,invoice,' "$(stint invoice list --format csv --no-header | cut -d, -f1-3,8,11,12)"
expect_equal 'use,birch,ann,-12,-1.2,EUR
use,birch,bob,-40,-4,EUR
total,,,-52,-5.2,EUR' "$(invoice show 2)"

it 'text of the site stays text on the page'
stint invoice issue chem --from 2025 --by allotment --html >page.html
expect_equal 1 "$(grep -c 'call &lt;7&gt;' page.html)"
expect_equal 0 "$(grep -c 'call <7>' page.html)"

it 'what is not there is said'
expect_exit 1 stint invoice show 99
expect_err_has 'there is no invoice 99'
expect_exit 1 stint invoice draft nobody
expect_exit 2 stint invoice show one

it 'the database keeps it as it is'
expect_exit 19 sqlite3 "$STINT_STORE/books.sqlite" 'UPDATE bank_invoice_line SET su = 1'
expect_err_has 'an invoice is never edited'
expect_exit 19 sqlite3 "$STINT_STORE/books.sqlite" "INSERT INTO bank_invoice_line VALUES (1, 99, 'use', NULL, NULL, 1, 1)"
expect_err_has 'an invoice is never edited'
expect_exit 19 sqlite3 "$STINT_STORE/books.sqlite" "INSERT INTO bank_invoice_rate VALUES (1, 99, 'x', 'x')"
expect_err_has 'an invoice is never edited'
expect_exit 19 sqlite3 "$STINT_STORE/books.sqlite" "INSERT INTO bank_invoice VALUES (9, 1, 'usage', 0, 1, NULL, 0, 'x', NULL, NULL)"
expect_err_has 'numbered without gaps'

finish
