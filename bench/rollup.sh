#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Everyday questions by way of roll-ups, against the same questions put to the runs; and how much slower
# they become when there are ten times as many runs.
#
#   BENCH_RUNS=20000000 BENCH_TIMES=5 sh bench/rollup.sh
#
# Inside the process: bench/sql runs the statements that `stint report --explain` shows with and without
# --no-rollups in turns, on one connection. Whole processes: stint itself.
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-20000000}
few=$((runs / 10))

# explain STORE ARGUMENT...: the statement stint would run.
explain() {
    of=$1
    shift
    "$STINT" report "$@" --explain --format json --store "$of" |
        awk '{ line = line $0 } END {
            sub(/^.*"sql":[ ]*"/, "", line)
            sub(/"[ ]*}[ ]*]?[ ]*$/, "", line)
            gsub(/\\"/, "\"", line)
            print line
        }'
}

# answers STORE ARGUMENT...: milliseconds inside by roll-up and by runs, then as whole processes.
answers() {
    of=$1
    shift
    explain "$of" "$@" >"$tmp/rolled.sql"
    explain "$of" "$@" --no-rollups >"$tmp/plain.sql"
    "$sql" -n "$BENCH_TIMES" "$of/facts.duckdb" "@$tmp/rolled.sql" "@$tmp/plain.sql" >"$tmp/inside" || die "asking failed"
    "$STINT" report "$@" --store "$of" --format csv >"$tmp/rolled.csv" || die "the report failed"
    "$STINT" report "$@" --store "$of" --format csv --no-rollups >"$tmp/plain.csv" || die "the report failed"
    cmp -s "$tmp/rolled.csv" "$tmp/plain.csv" || differs "$*"
    echo "$(awk '$1 == 1 { print $2 }' "$tmp/inside" | best 1)" "$(awk '$1 == 2 { print $2 }' "$tmp/inside" | best 1)" \
        "$(best_ms "$BENCH_TIMES" "$STINT" report "$@" --store "$of")" \
        "$(best_ms "$BENCH_TIMES" "$STINT" report "$@" --store "$of" --no-rollups)"
}

# rolled_store RUNS: a store with that many runs and its roll-ups.
rolled_store() {
    of=$(store_of "$1") || exit 1
    note "rolling up $of"
    "$STINT" rollup --store "$of" --quiet >/dev/null || die "no roll-ups"
    cat "$of/facts.duckdb" >/dev/null
    echo "$of"
}

many_store=$(rolled_store "$runs") || exit 1
few_store=$(rolled_store "$few") || exit 1

machine
heading "roll-ups over $runs runs (best of $BENCH_TIMES)"
while read -r name question; do
    # shellcheck disable=SC2086 # words
    set -- $question
    note "$name"
    read -r rolled plain rolled_whole plain_whole <<FIGURES
$(answers "$many_store" "$@")
FIGURES
    read -r rolled_few _ <<FIGURES
$(answers "$few_store" "$@")
FIGURES
    row "$name: statement; other: by runs" "$rolled" "$plain" ms 0.05
    row "$name: process; other: by runs" "$rolled_whole" "$plain_whole" ms ""
    row "$name: statement; other: a tenth of the runs" "$rolled" "$rolled_few" ms 2
done <<QUESTIONS
usage-of-all-years cpu_hours,gpu_hours,wall_hours,jobs --by cluster --from $site_from --to $site_to
top-users-of-a-year cpu_hours,jobs --by user --from $year --to $year
top-groups-of-all-years cpu_hours,jobs --by group --from $site_from --to $site_to
users-of-all-years users,jobs_active --by cluster --from $site_from --to $site_to
months cpu_hours,jobs --from $year-01-01 --to $year-12-31 --by partition
QUESTIONS
agree
