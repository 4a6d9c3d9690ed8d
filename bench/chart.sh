#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How long pictures take: the drawing alone, of 10,000 points, and whole reports with and without one.
. "$(dirname "$0")/support/bench.sh"

points=${BENCH_POINTS:-10000}
times=${BENCH_STARTS:-50}
store=$(store_of "${BENCH_RUNS:-10000}") || exit 1

# It is made of the release build's libraries, which may be newer than it: so always anew.
rm -f "$bench/bin/chart"
libraries=$(echo "$build"/lib/libstation_*.a)
# shellcheck disable=SC2086 # names without blanks
compile chart ${BENCH_CFLAGS:-} -Isrc -Wl,--start-group $libraries -Wl,--end-group -lz -lzstd -ljansson -lm -ldl -lpthread
"$bench/bin/chart" "$points" "$times" >"$tmp/chart" || die "bench/chart.c failed"

question="report cpu_hours --by user --from $year --store $store"
# shellcheck disable=SC2086
table_ms=$(median_ms $times "$STINT" $question) || exit 1
# shellcheck disable=SC2086
svg_ms=$(median_ms $times "$STINT" $question --format svg) || exit 1
# shellcheck disable=SC2086
plot_ms=$(median_ms $times "$STINT" $question --plot) || exit 1
# shellcheck disable=SC2086
html_ms=$(median_ms $times "$STINT" $question --format html) || exit 1

machine
heading "chart ($points points, median of $times)"
row "a line as SVG, drawing alone" "$(median 1 <"$tmp/chart")" "" ms 20
row "a scatter as SVG, drawing alone" "$(median 2 <"$tmp/chart")" "" ms 20
row "a line on a terminal, drawing alone" "$(median 3 <"$tmp/chart")" "" ms 20
heading "report with a picture, whole process (median of $times)"
row "--format svg; other: the table" "$svg_ms" "$table_ms" ms ""
row "--plot; other: the table" "$plot_ms" "$table_ms" ms ""
row "--format html; other: the table" "$html_ms" "$table_ms" ms ""
# shellcheck disable=SC2086
if png_ms=$(median_ms 5 "$STINT" $question --format png --output "$tmp/chart.png" 2>/dev/null); then
    row "--format png; other: the table" "$png_ms" "$table_ms" ms ""
fi
