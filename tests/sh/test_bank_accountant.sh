#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What an accountant asks of invoices: rounding, tax, parties, numbers, due dates, credit notes, no day twice, PDF, and the ledger
# as a journal that beancount, ledger and hledger accept.
. "$(dirname "$0")/../support/sh.sh"

printf 'job = job\nuser = user\naccount = account\ncpus = cpus\nstart = start\nend = end\nclass := completed\n' >map
# JOB USER CPUS START END
run_of() {
    printf 'job,user,account,cpus,start,end\n%s,%s,chem,%s,%s,%s\n' "$@" >"run$1.csv"
    stint import csv --map map --cluster birch --again "run$1.csv" >said 2>&1 || cat said
}
invoice() { stint invoice "$@" --format csv --no-header; }
cat >stint.conf <<'END'
[invoice]
seller = Computing Centre
address = 1 Root Lane; 12345 Woods
tax_id = XX 123
payment = account 99; bank of trees
number = RZ-{year}-{number:4}
due = 30
tax = 19
tax_note = VAT
END
STINT_CONFIG=$TMP/stint.conf
export STINT_CONFIG
stint rate add cpu --cpu 1 >/dev/null
stint rate add euro --cpu 0.0333 --unit EUR >/dev/null
stint bank open chem --from 2025-01-01 >/dev/null
stint bank open bio --from 2025-01-01 >/dev/null
stint bank grant chem 100 --from 2025-01-01 --to 2030-12-31 >/dev/null
stint customer add chem --name 'Faculty <of> Chemistry' --address 'Mole Street 6' --reference 4711 >/dev/null
run_of 1 bob 4 2025-03-01T00:00:00 2025-03-01T10:00:00
run_of 2 ann 1 2025-03-31T12:00:00 2025-04-01T12:00:00

it 'each line is rounded, the lines add up to what is to be paid, and the remainder is stated'
check invoice draft chem --from 2025-03
expect_equal 'use,birch,ann,12,0.4,EUR
use,birch,bob,40,1.33,EUR
net,,,,1.73,EUR
tax,,,,0.33,EUR
total,,,52,2.06,EUR' "$(cat "$OUT")"
check stint invoice draft chem --from 2025-03
expect_out_has 'rounding: each line half-up to 0.01 EUR; exactly 1.7316, remainder 0.0016'

it 'parties, printed number and due date are on it'
check stint invoice issue chem --from 2025-03
year=$(stint invoice list --format csv --no-header | cut -d, -f6 | cut -c1-4)
expect_out_has "number: RZ-$year-0001"
expect_out_has 'customer: Faculty <of> Chemistry'
expect_out_has 'reference: 4711'
expect_equal "RZ-$year-0001" "$(stint invoice list --format csv --no-header | cut -d, -f10)"
due=$(stint invoice list --format csv --no-header | cut -d, -f13)
issued=$(stint invoice list --format csv --no-header | cut -d, -f6 | cut -c1-10)
expect_equal 30 "$((($(date -u -d "$due" +%s) - $(date -u -d "$issued" +%s)) / 86400))"
check invoice show "RZ-$year-0001"
stint invoice show 1 --html >page.html
check xmllint --html --noout page.html
expect_equal 1 "$(grep -c 'Faculty &lt;of&gt; Chemistry' page.html)"
expect_equal 1 "$(grep -c '<td class="n">0.40</td>' page.html)"

it 'the same as PDF, to the byte'
stint invoice show 1 --pdf >one.pdf
stint invoice show 1 --pdf >two.pdf
check cmp one.pdf two.pdf
check pdftotext -layout one.pdf one.txt
for words in "Invoice RZ-$year-0001" 'Faculty <of> Chemistry' '12345 Woods' 'tax 19 %' 'page 1 of 1' 'bank of trees'; do
    expect_equal 1 "$(grep -c -m 1 "$words" one.txt)"
done
expect_equal '0.40 1.33 1.73 0.33 2.06' "$(awk '$NF ~ /^[0-9]+[.][0-9][0-9]$/ { print $NF }' one.txt | tr '\n' ' ' | sed 's/ $//')"

it 'no day twice, and none that is not over'
expect_exit 1 stint invoice issue chem --from 2025
expect_err_has 'invoice 1 has days of this period already'
expect_exit 1 stint invoice issue chem --from 2025-03-31 --to 2025-04-02
expect_exit 1 stint invoice issue chem --from today
expect_err_has 'is not over'
check stint invoice issue bio --from 2025-03
check stint invoice issue chem --from 2024-12

it 'a refund is on the invoice of when it was given, and what is below zero is a credit note'
check stint bank refund birch:1 10
check invoice draft chem --from 1d --to today
expect_equal 'refund of birch:1@1740787200,,,-10,-0.33,EUR
net,,,,-0.33,EUR
tax,,,,-0.06,EUR
total,,,-10,-0.39,EUR' "$(cat "$OUT")"
stint invoice draft chem --from 1d --to today --html >credit.html
expect_equal 1 "$(grep -c '<h1>Draft of a credit note</h1>' credit.html)"

it 'what changed since is a correction: planned, issued once, and then all is right'
check stint invoice correct 1
expect_out_has 'invoice 1 is right: nothing differs'
run_of 3 eve 1 2025-03-02T00:00:00 2025-03-02T10:00:00
difference='use,birch,eve,10,0.33,EUR
net,,,,0.33,EUR
tax,,,,0.06,EUR
total,,,10,0.39,EUR'
expect_equal "$difference" "$(invoice correct 1)"
expect_equal 3 "$(stint invoice list --format csv --no-header | grep -c .)"
expect_equal "$difference" "$(invoice correct 1 --apply)"
expect_equal 4 "$(stint invoice list --format csv --no-header | grep -c .)"
check stint invoice correct 1 --apply
expect_out_has 'nothing differs'
check stint invoice issue chem --from 2025-03
expect_out_has 'it was issued before as invoice 1'
expect_exit 1 stint invoice correct 4
expect_err_has 'is itself about another invoice'

it 'less than was invoiced is a credit note'
stint rate set euro --cpu 0.03 >/dev/null
check stint invoice correct 1 --apply
expect_out_has 'credit note 5 of account'

it 'credit takes an invoice back with all that corrected it, and its days can be invoiced again'
check stint invoice credit 1
expect_out_has 'credit note 8 takes invoice 1 back'
expect_exit 1 stint invoice credit 1
expect_err_has 'takes invoice 1 back already'
expect_equal 0 "$(for n in 1 4 5 6 7 8; do invoice show $n | sed -n 's/^total,[^,]*,[^,]*,[^,]*,\([^,]*\),.*/\1/p'; done | awk '{ s += $1 * 100 } END { printf "%d", s }')"
check stint invoice issue chem --from 2025-03-01 --to 2025-04-30

it 'by allotment: what was granted, not what was refunded, moved or written off'
check stint bank transfer chem 20 --into bio
check stint bank adjust chem 5
expect_equal 'grant 1 from 2025-01-01 to 2030-12-31,,,105,2.1,EUR
total,,,105,2.5,EUR' "$(invoice draft chem --from 2025 --by allotment --price 0.02 --unit EUR | grep -v '^net\|^tax')"
expect_equal 'total,,,0,0,EUR' "$(invoice draft bio --from 2025 --by allotment --price 0.02 --unit EUR | grep -v '^net\|^tax')"

it 'a customer may have another tax, and other currencies have other units'
check stint customer set chem --tax 0 --tax_note 'reverse charge'
expect_equal 'total,,,105,2,JPY' "$(invoice draft chem --from 2025 --by allotment --price 0.02 --unit JPY | grep total)"
check stint invoice draft chem --from 2025 --by allotment --price 0.02 --unit JPY
expect_out_has 'exactly 2.1, remainder 0.1'
expect_out_has 'tax_note: reverse charge'
expect_exit 2 stint customer set chem --tax 101

it 'a pattern without a number is refused'
sed 's/{number:4}/x/' stint.conf >other.conf
expect_exit 1 stint --config "$TMP/other.conf" invoice issue bio --from 2025-02
expect_err_has 'is a text with {number} in it'

it 'a rate for one customer holds for what is charged from then on, and what was charged stays'
used=$(stint bank balance chem --format csv --no-header | cut -d, -f4)
check stint rate add industry --cpu 5 -A 'ch*'
check stint rate add industry-euro --unit EUR --cpu 0.5 -A 'ch*'
check stint import csv --map map --cluster birch --again run1.csv
expect_equal "$used" "$(stint bank balance chem --format csv --no-header | cut -d, -f4)"
run_of 4 eve 1 2025-06-01T00:00:00 2025-06-01T10:00:00
expect_equal "$((used + 50))" "$(stint bank balance chem --format csv --no-header | cut -d, -f4)"
expect_equal 'use,birch,eve,50,5,EUR
total,,,50,5,EUR' "$(invoice draft chem --from 2025-06)"
check stint quote --format csv -- -n 2 -t 60 -A chem
expect_out_has ',10,10,chem,'
expect_out_has ',1,EUR'

it 'many lines take several sheets'
i=0
printf 'job,user,account,cpus,start,end\n' >many.csv
while [ $i -lt 120 ]; do
    printf '%d,user%d,bio,1,2025-05-01T00:00:00,2025-05-01T01:00:00\n' $((1000 + i)) $i >>many.csv
    i=$((i + 1))
done
check stint import csv --map map --cluster birch many.csv
stint invoice draft bio --from 2025-05 --pdf >many.pdf
check pdftotext -layout many.pdf many.txt
expect_equal 120 "$(grep -c '^use of user' many.txt)"
expect_equal 1 "$(grep -c 'page 3 of 3' many.txt)"

it 'the ledger as a journal: its readers add up to what the bank says'
check stint bank open 'a b"c;d' 5 --note 'x "y" \ z
w'
check stint bank check
check stint bank export --as beancount
cp "$OUT" su.beancount
check bean-check su.beancount
check stint bank export --as ledger
cp "$OUT" su.ledger
check ledger -f su.ledger --strict --pedantic balance
check hledger -f su.ledger check --strict
# Another computation of the same: SU in all allotments and what is owed, by ledger's own sums.
expect_equal "$(stint bank balance --format csv --no-header | awk -F, '{ s += $6 } END { printf "%.6f", s }')" \
    "$(ledger -f su.ledger balance --flat '^Assets' and not Receivable --limit 'commodity=="SU"' -J 2>/dev/null | tail -n 1 | awk '{ print $2 }' | sed 's/SU//' | awk '{ printf "%.6f", $1 }')"

it 'a journal that somebody changed is refused'
sed 's/= 5 SU/= 6 SU/' su.ledger >wrong.ledger
expect_exit 1 ledger -f wrong.ledger balance
finish
