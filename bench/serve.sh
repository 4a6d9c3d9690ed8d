#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint serve on loopback, as ratios in one run: pages beside a file, questions beside the command line, commands through the socket
# beside those that open the store, and clients that browse while runs are imported.
# BENCH_RUNS: runs of the store (1 million), and of the import; BENCH_SECONDS: of each part (10).
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-1000000}
seconds=${BENCH_SECONDS:-10}
base=$(store_of "$runs") || exit 1
store=$tmp/serve-store
rm -rf "$store"
cp -r "$base" "$store" || exit 1
TOKEN=$("$STINT" token add bench --role staff --store "$store" --format csv --no-header | cut -d, -f 2) || exit 1
export TOKEN
server=
trap '[ -z "$server" ] || kill $server' EXIT

start() {
    : >"$tmp/serve.err"
    "$STINT" serve --store "$store" --listen 127.0.0.1:0 --no-pull 2>"$tmp/serve.err" &
    server=$!
    until grep -q 'serving.* on http' "$tmp/serve.err"; do
        kill -0 $server || die "the server did not start"
        sleep 0.1
    done
    at=$(sed -n 's/.* on \(http:[^ ]*\)$/\1/p' "$tmp/serve.err" | head -n 1)
}

# load CLIENTS SECONDS PATH...: the figures, in $requests $bad $rate $middle $late $bytes.
load() {
    set -- $(node bench/serve.mjs "$at" "$@")
    requests=$1 bad=$2 rate=$3 middle=$4 late=$5 bytes=$6
    [ "$bad" -eq 0 ] || note "$bad of $requests requests failed"
}

question() { "$STINT" report cpu_hours,jobs --by user --from "$year" --to "$year" --top 10 --store "$store" --format csv; }

note "the command line alone"
alone=$(best_ms "$BENCH_TIMES" "$STINT" report cpu_hours,jobs --by user --from "$year" --to "$year" --top 10 --store "$store" --format csv)
start

note "pages and files"
load 8 "$seconds" /static/stint.css
file_rate=$rate file_bytes=$bytes
load 8 "$seconds" '/api/v1/report?measure=cpu_hours,jobs&by=cluster&every=month&from=2018&to=2025'
cached_rate=$rate cached_bytes=$bytes
load 8 "$seconds" /
page_rate=$rate page_bytes=$bytes

note "questions that are in no cache, one at a time"
load 1 "$seconds" "/api/v1/report?measure=cpu_hours,jobs&by=user&from=$year&to=$year&top=1{n}"
question_late=$late

note "commands through the socket"
through=$(best_ms "$BENCH_TIMES" "$STINT" report cpu_hours,jobs --by user --from "$year" --to "$year" --top 10 --store "$store" --format csv)

note "50 clients that browse"
set -- '/explore/cpu_hours?by=group&from=2024&to=2024' '/jobs?from=2024-03-01&to=2024-03-02' /quality "/api/v1/report?measure=jobs&by=partition&from=2024&to=2024"
load 50 "$seconds" "$@"
idle_late=$late idle_bad=$bad
note "and an import beside them"
make_site "$bench/site-$runs.accounting" "$runs" || exit 1
"$STINT" import sge --cluster more --store "$store" --quiet "$bench/site-$runs.accounting" >/dev/null &
import=$!
load 50 $((seconds * 3)) "$@"
busy_late=$late busy_bad=$bad busy_requests=$requests
wait $import || die "the import failed"
load 1 0 /metrics
metrics=$middle

machine
heading "stint serve over $runs runs; ratios of times, and of seconds a request where rates are compared"
inverse() { awk -v r="$1" 'BEGIN { printf "%.3f", r > 0 ? 1000 / r : 0 }'; }
row "an answer from cache ($cached_bytes bytes); other: a file ($file_bytes bytes)" "$(inverse "$cached_rate")" "$(inverse "$file_rate")" ms 2
row "the overview page ($page_bytes bytes); other: that file" "$(inverse "$page_rate")" "$(inverse "$file_rate")" ms 2
row "p99 of a question in no cache; other: stint report" "$question_late" "$alone" ms 3
row "a command through the socket; other: opening the store" "$through" "$alone" ms 1
row "p99 of 50 clients beside an import; other: without" "$busy_late" "$idle_late" ms 10
printf '/metrics: %s ms; requests beside the import: %s, failed: %s (without: %s)\n' "$metrics" "$busy_requests" "$busy_bad" "$idle_bad"
kill $server && wait $server
server=
rm -rf "$store"
