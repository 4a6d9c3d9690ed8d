#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Charging, against the import of the same runs: the first time, and again when little changed; and the check of the ledger.
#
#   BENCH_RUNS=5000000 BENCH_ACCOUNTS=2000 sh bench/bank.sh
. "$(dirname "$0")/support/bench.sh"

rows=${BENCH_RUNS:-5000000}
accounts=${BENCH_ACCOUNTS:-2000}
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

import() { "$measure" "$STINT" import csv --map "$tmp/map" --cluster site --store "$store" --quiet "$1" || die "the import failed"; }
ask() { "$measure" "$STINT" "$@" --store "$store" || die "stint $* failed"; }

note "import of $rows runs"
import "$tmp/first.csv" >"$tmp/import"
"$STINT" rate add cpu --cpu 1 --store "$store" >/dev/null
# All accounts at once, as a file of slurm_bank: opening each by itself would look at the runs each time.
seq 0 $((accounts - 1)) | awk 'BEGIN { print "account,su_limit_hrs,date" } { printf "a%d,1000000,2024-01-01\n", $1 }' >"$tmp/accounts.csv"
note "$accounts accounts, and the first charge of all runs"
ask bank import "$tmp/accounts.csv" >"$tmp/first.said"
cp "$tmp/first.said" "$tmp/first"
note "1000 runs more"
import "$tmp/more.csv" >"$tmp/more"
ask bank balance a7 >"$tmp/balance.said"
ask bank check >"$tmp/check.said"
for what in import first more; do
    printf '%s\t%s\n' "$what" "$(cat "$tmp/$what")"
done
tail -n 1 "$tmp/balance.said" | sed 's/^/balance\t/'
tail -n 1 "$tmp/check.said" | sed 's/^/check\t/'
rm -rf "$store"
