#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A long listing with all fields, in the formats for machines: how much memory it takes at most, and how long.
#
#   BENCH_RUNS=2000000 sh bench/stream.sh
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-2000000}
store=$(store_of "$runs") || exit 1
cat "$store/facts.duckdb" >/dev/null

# listed PROGRAM FORMAT: wall time in ms and peak memory in KiB; nothing where it refuses.
listed() {
    /usr/bin/time -o "$tmp/time" -f '%e %M' "$1" jobs --fields all --from "$site_from" --to "$site_to" \
        --store "$store" --format "$2" --quiet >/dev/null 2>"$tmp/why" || return 0
    awk '{ printf "%.0f %d", $1 * 1000, $2 }' "$tmp/time"
}

machine
heading "all fields of $runs runs, as a listing"
for format in csv tsv json jsonl parquet; do
    ours=$(listed "$STINT" "$format")
    row "$format, time" "${ours% *}" "" ms ""
    row "$format, peak memory" "${ours#* }" "" KiB 307200
done
