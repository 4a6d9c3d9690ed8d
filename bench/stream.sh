#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A long listing with all fields, in the formats for machines: how much memory it takes at most, and how long. With
# another program to compare with, both run in turns:
#
#   BENCH_RUNS=2000000 BENCH_OLD=/path/to/older/stint sh bench/stream.sh
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-2000000}
old=${BENCH_OLD:-}
store=$(store_of "$runs") || exit 1
cp -r "$store" "$tmp/listed" || exit 1 # an older program cannot read what a newer one has migrated
cat "$store/facts.duckdb" >/dev/null

# listed PROGRAM FORMAT: wall time in ms and peak memory in KiB; nothing where it refuses.
listed() {
    /usr/bin/time -o "$tmp/time" -f '%e %M' "$1" jobs --fields all --from "$site_from" --to "$site_to" \
        --store "$tmp/listed" --format "$2" --quiet >/dev/null 2>"$tmp/why" || return 0
    awk '{ printf "%.0f %d", $1 * 1000, $2 }' "$tmp/time"
}

machine
heading "all fields of $runs runs, as a listing"
for format in csv tsv json jsonl parquet; do
    theirs=$([ -z "$old" ] || listed "$old" "$format")
    ours=$(listed "$STINT" "$format")
    row "$format, time" "${ours% *}" "${theirs% *}" ms "${theirs:+1.1}"
    row "$format, peak memory" "${ours#* }" "" KiB 307200
done
rm -rf "$tmp/listed"
