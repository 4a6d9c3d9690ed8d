#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A ledger that proves itself: charges one by one with the rates that made them, and a chain whose head a statement carries.
. "$(dirname "$0")/../support/sh.sh"

cat >map <<'MAP'
job = job
user = user
account = account
cpus = cpus
start = start
end = end
class := completed
MAP

# JOB USER CPUS START END
run_of() {
    printf 'job,user,account,cpus,start,end\n%s,%s,chem,%s,%s,%s\n' "$@" >"run$1.csv"
    check stint import csv --map map --cluster birch --again "run$1.csv"
}
charges() { stint bank charges "$@" --format csv --no-header | cut -d, -f1,2,8-12 | sed 's/@[0-9]*//'; }
head_of() { sed -n 's/.*head of the ledger, link [0-9]*: //p' "$OUT" | head -n 1; }

check stint rate add cpu --cpu 1
check stint bank open chem --from 2025-01-01
check stint bank grant chem 1000 --from 2025-01-01 --to 2099
run_of 1 bob 2 2025-06-30T12:00:00 2025-07-01T12:00:00
check stint rate set 1 --cpu 3
run_of 2 ann 1 2025-07-02T00:00:00 2025-07-02T02:00:00
run_of 1 bob 2 2025-06-30T12:00:00 2025-07-01T13:00:00

it 'charges are itemised: run, rate and its version, quantity, amount, correction'
expect_equal 'birch:1,charge,cpu,1,,48,48
birch:1,taken back,cpu,1,,-48,-48
birch:1,correction,cpu,1,2 cpu,50,50
birch:2,charge,cpu,2,1 cpu,6,6' "$(charges chem)"
expect_equal 'birch:2,charge,cpu,2,1 cpu,6,6' "$(charges 2)"
expect_equal 'birch:2,charge,cpu,2,1 cpu,6,6' "$(charges birch:2)"

it 'a job says what was charged for it, by which version of which rate'
check stint job 1
expect_out_has '50 SU to chem by version 1 of the rate cpu, as corrected'
check stint job 2
expect_out_has '6 SU to chem by version 2 of the rate cpu'
check stint bank refund 2 1.5 --note 'a disk failed'
check stint job 2
expect_out_has 'of the rate cpu; 1.5 SU of it were refunded'
run_of 3 eve 1 2024-07-02T00:00:00 2024-07-02T02:00:00
check stint job 3
expect_equal 0 "$(grep -c Charged "$OUT")"

it 'what of them counts in a period adds up to the statement of it'
expect_equal 'birch:1,charge,cpu,1,,48,24
birch:1,taken back,cpu,1,,-48,-24
birch:1,correction,cpu,1,2 cpu,50,24' "$(charges chem --from 2025-06-01 --to 2025-06-30)"
check stint bank statement chem --from 2025-06-01 --to 2025-06-30 --format csv
expect_out_has 'charge,birch,bob,-24'

it 'a statement carries the head of the chain, and it is known for as long as nothing is changed'
check stint bank statement chem --from 2025-06-01 --to 2025-06-30
june=$(head_of)
expect_equal 64 "$(printf %s "$june" | wc -c)"
check stint bank grant chem 5 --note later
check stint bank check --head "$june"
expect_out_has 'the head that was given is that of link'
now=$(head_of)
expect_exit 1 test "$june" = "$now"

it 'a dump that is restored has the same chain'
check stint books dump --output dumped.json
check stint books restore dumped.json --replace
check stint bank check --head "$june"
expect_equal "$now" "$(head_of)"

it 'a grant rewritten without its trigger is noticed'
sqlite3 "$STINT_STORE/books.sqlite" 'DROP TRIGGER bank_entry_is_not_changed; DROP TRIGGER bank_pot_follows_entries;
    UPDATE bank_entry SET amount = amount + 1000000 WHERE id = 1; UPDATE bank_pot SET "in" = "in" + 1000000 WHERE id = 5;
    UPDATE bank_pot SET "out" = "out" + 1000000 WHERE id = 1'
expect_exit 1 stint bank check
expect_out_has 'link '
expect_out_has 'of the chain does not fit'
expect_out_has 'triggers or views that guard the ledger are missing or changed'

it 'a head of another history is not found'
rm -f "$STINT_STORE"/books.sqlite*
check stint books restore dumped.json
check stint bank check --head "$june"
rm -f "$STINT_STORE"/books.sqlite*
check stint rate add cpu --cpu 1
check stint bank open chem --from 2025-01-01
expect_exit 1 stint bank check --head "$june"
expect_out_has 'the head that was given is not in the chain'

finish
