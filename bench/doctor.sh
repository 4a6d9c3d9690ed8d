#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stint doctor` on a store with many runs and many rows of slave tasks, beside a report of a year on the same store: it looks at all
# runs once, so that it takes a few times as long as a report, and not longer the more parts there are.
#
#   BENCH_RUNS=900000 sh bench/doctor.sh
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-900000}
store=$(store_of "$runs") || exit 1
cat "$store/facts.duckdb" >/dev/null
parts=$("$sql" -a "$store/facts.duckdb" 'SELECT count(*) FROM parts')

machine
heading "doctor (stint) and a report of a year by user (other), $runs runs and $parts rows of slave tasks, best of $BENCH_TIMES"
report_ms=$(best_ms "$BENCH_TIMES" "$STINT" report cpu_hours --by user --from "$year" --to "$year" --store "$store" --quiet --output "$tmp/report")
doctor_ms=$(best_ms "$BENCH_TIMES" "$STINT" doctor --store "$store" --quiet --output "$tmp/doctor")
row doctor "$doctor_ms" "$report_ms" ms 10
