#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Charging, against the import of the same runs: the first time, and again when little changed; the check of the ledger; what is
# itemised; and what goes through all accounts.
#
#   BENCH_RUNS=5000000 BENCH_ACCOUNTS=5000 sh bench/bank.sh
. "$(dirname "$0")/support/bench.sh"

rows=${BENCH_RUNS:-5000000}
accounts=${BENCH_ACCOUNTS:-5000}
store=$tmp/store

# runs FILE FIRST COUNT: jobs of an hour, spread over a year, over all accounts
runs() {
    seq "$2" $(($2 + $3 - 1)) | awk -v accounts="$accounts" 'BEGIN { print "job,user,account,cpus,start,end" }
        { s = 1704067200 + ($1 * 97) % 31000000; a = ($1 * 31) % accounts
          printf "%d,u%d,a%d,%d,%d,%d\n", $1, a * 3 + $1 % 3, a, 1 + $1 % 64, s, s + 600 + $1 % 7200 }' >"$1"
}

printf 'job = job\nuser = user\naccount = account\ncpus = cpus\nstart = start\nend = end\nclass := completed\n' >"$tmp/map"
runs "$tmp/first.csv" 1000000 "$rows"
runs "$tmp/more.csv" $((1000000 + rows)) 1000
rm -rf "$store"

# import FILE, ask WORD...: what it took is written to the file that the function is named after
import() {
    "$measure" -o "$tmp/import" "$STINT" import csv --map "$tmp/map" --cluster site --store "$store" --quiet "$1" ||
        die "the import failed"
}
ask() { # FILE WORD...
    file=$tmp/$1
    shift
    "$measure" -o "$file" "$STINT" "$@" --store "$store" || die "stint $* failed"
}
wall_of() { cut -d' ' -f1 "$tmp/$1"; }
cpu_of() { cut -d' ' -f2 "$tmp/$1"; }

note "import of $rows runs"
import "$tmp/first.csv"
import_wall=$(wall_of import) import_cpu=$(cpu_of import)
"$STINT" rate add cpu --cpu 1 --store "$store" >/dev/null
# All accounts at once, as a file of slurm_bank: opening each by itself would look at the runs each time.
seq 0 $((accounts - 1)) | awk 'BEGIN { print "account,su_limit_hrs,date" } { printf "a%d,1000000,2024-01-01\n", $1 }' >"$tmp/accounts.csv"
note "$accounts accounts, and the first charge of all runs"
ask first bank import "$tmp/accounts.csv"
# An import brings roll-ups up to date as well. So the books of before are put back, and the same runs are charged alone.
note "1000 runs more"
sqlite3 "$store/books.sqlite" ".backup $tmp/books.before"
import "$tmp/more.csv"
rm -f "$store"/books.sqlite*
cp "$tmp/books.before" "$store/books.sqlite"
ask more bank charge
# Those that changed lie anywhere among the others.
note "1000 runs that changed"
awk -F, -v OFS=, -v every=$((rows / 1000)) 'NR == 1 || NR % every == 0 { if (NR > 1) $4 += 100; print }' "$tmp/first.csv" >"$tmp/changed.csv"
sqlite3 "$store/books.sqlite" ".backup $tmp/books.before"
import "$tmp/changed.csv"
rm -f "$store"/books.sqlite*
cp "$tmp/books.before" "$store/books.sqlite"
ask changed bank charge
ask balance bank balance a7
ask charges bank charges a7 --from 2024 --to 2024 --format csv
ask receipt bank receipt a7 2024
ask check bank check
# Accounts alone, all of them near their end.
note "$accounts accounts from a sheet, and their notices"
seq 0 $((accounts - 1)) | awk -v to="$(date -d '5 days' +%F)" 'BEGIN { print "action,account,amount,to" }
    { printf "open,b%d,1000,%s\n", $1, to }' >"$tmp/sheet.csv"
ask bulk bank bulk "$tmp/sheet.csv" --apply
ask notices bank notices

machine
heading "charging $rows runs of $accounts accounts"
row "first charge; import of the same runs" "$(wall_of first)" "$import_wall" ms 0.5
row "the same, cpu" "$(cpu_of first)" "$import_cpu" ms 0.5
row "charge of 1,000 more" "$(wall_of more)" "" ms 1000
row "the same, cpu" "$(cpu_of more)" "" ms 1000
row "charge of 1,000 that changed" "$(wall_of changed)" "" ms 1000
row "the same, cpu" "$(cpu_of changed)" "" ms 1000
row "balance of one account" "$(wall_of balance)" "" ms ""
row "itemised charges of an account in a year" "$(wall_of charges)" "" ms 100
row "the same, cpu" "$(cpu_of charges)" "" ms 100
row "receipt of an account for a year" "$(wall_of receipt)" "" ms ""
row "check of the ledger" "$(wall_of check)" "" ms 10000
row "$accounts accounts opened from a sheet" "$(wall_of bulk)" "" ms 3000
row "the same, cpu" "$(cpu_of bulk)" "" ms 3000
row "notices of $accounts accounts" "$(wall_of notices)" "" ms 300
row "the same, cpu" "$(cpu_of notices)" "" ms 300
rm -rf "$store" "$tmp/books.before"
