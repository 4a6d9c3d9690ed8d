#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The bank beside facts that were made again from files, or restored from an older backup: every run is charged, once.
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

# NAME JOB CPUS: writes the file NAME.csv with one run of an hour
file_of() {
    printf 'job,user,account,cpus,start,end\n%s,bob,chem,%s,2025-06-01T00:00:00,2025-06-01T01:00:00\n' "$2" "$3" >"$1.csv"
}

import_of() { # all of them in one go
    files=
    for name in "$@"; do
        files="$files $name.csv"
    done
    # shellcheck disable=SC2086
    check stint import csv --map map --cluster birch $files
}

forget_facts() { rm -f "$STINT_STORE"/facts.duckdb "$STINT_STORE"/facts.duckdb.wal; }
used() { stint bank allotments chem --format csv --no-header | cut -d, -f8; }

file_of A 1 1
file_of B 2 2
file_of C 3 4
check stint rate add cpu --cpu 1 --from 2025-01-01
check stint bank open chem --from 2025-01-01
check stint bank grant chem 100 --from 2025-01-01 --to 2099

it 'runs of facts that were made again in another order are charged, each once'
import_of A B
expect_equal 3 "$(used)"
cp "$STINT_STORE/facts.duckdb" kept.duckdb
forget_facts
import_of C A B
expect_equal 7 "$(used)"
expect_equal 7 "$(stint report su --from 2025 --to 2025 --format csv --no-header)"
check stint bank charge --format csv --no-header
expect_equal '0,0,0' "$(cut -d, -f1-3 "$OUT")"
check stint bank check

it 'facts restored from an older backup take nothing back, and what comes later is charged'
forget_facts
cp kept.duckdb "$STINT_STORE/facts.duckdb"
run stint doctor
expect_out_has 'the books are ahead of the facts'
check stint bank charge
run stint doctor
expect_out_has 'the books are ahead of the facts: 1 runs were charged'
expect_equal 7 "$(used)"
expect_exit 1 stint bank check
expect_out_has 'was charged, and is not among the facts'
expect_out_has '2 runs were compared with their charges: 0 differ, 1 that were charged are not among the facts'
file_of D 4 8
import_of D
expect_equal 15 "$(used)"
import_of C
expect_equal 15 "$(used)"
check stint bank check
expect_out_has '4 runs were compared with their charges: 0 differ, 0'
run stint doctor
expect_equal 0 "$(grep -c 'ahead of the facts' "$OUT")"

it 'a charge that is not what its record and rates give is named'
sqlite3 "$STINT_STORE/books.sqlite" "DELETE FROM history WHERE 0; UPDATE bank_state SET value = value WHERE 0"
check stint cluster add birch --as oak
expect_exit 1 stint bank check
expect_out_has 'was charged 1 SU otherwise, but its record and the rates of its charge give 1 SU'
check stint cluster remove 1
check stint bank check

it 'an import whose runs cannot be charged says so, keeps the runs, and ends with status 1'
file_of E 5 8
sqlite3 "$STINT_STORE/books.sqlite" 'ALTER TABLE bank_pin RENAME TO bank_pin_kept'
expect_exit 1 stint import csv --map map --cluster birch E.csv
expect_out_has 'the runs are there and not charged yet'
sqlite3 "$STINT_STORE/books.sqlite" 'ALTER TABLE bank_pin_kept RENAME TO bank_pin'
check stint bank charge
expect_equal 23 "$(used)"

finish
