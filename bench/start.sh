#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How soon the program is there: medians of 50 starts, in whole processes.
. "$(dirname "$0")/support/bench.sh"

starts=${BENCH_STARTS:-50}
store=$(store_of "${BENCH_RUNS:-10000}") || exit 1

version_ms=$(median_ms $starts "$STINT" --version) || exit 1
help_ms=$(median_ms $starts "$STINT" help report) || exit 1
report_ms=$(median_ms $starts "$STINT" report cpu_hours --by user --from "$year" --store "$store") || exit 1
engine_ms=$(median_ms $starts "$sql" "$store/facts.duckdb" 'SELECT 1') || exit 1
true_ms=$(median_ms $starts true) || exit 1

machine
heading "start (median of $starts)"
row "stint --version; other: true" "$version_ms" "$true_ms" ms ""
row "stint --version" "$version_ms" "" ms 5
row "stint help report" "$help_ms" "" ms 5
row "stint report, small store; other: opening it" "$report_ms" "$engine_ms" ms ""
row "stint report, small store" "$report_ms" "" ms 100
