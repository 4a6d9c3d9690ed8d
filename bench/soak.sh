#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether the memory of stint serve stays within bounds: clients browse and scrape for as long as is wanted, one import follows the other
# beside them, and the size of the process is looked at meanwhile. The store grows by each import.
# SOAK_SECONDS: how long (600; 3600 for an hour); SOAK_CLIENTS: 20; SOAK_EVERY: seconds between two looks (10);
# BENCH_RUNS: runs of the store (1 million); SOAK_RUNS: of each import (100000).
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-1000000}
seconds=${SOAK_SECONDS:-600}
clients=${SOAK_CLIENTS:-20}
every=${SOAK_EVERY:-10}
more=${SOAK_RUNS:-100000}
base=$(store_of "$runs") || exit 1
make_site "$bench/site-$more.accounting" "$more" || exit 1
folder=$tmp/soak
store=$folder/store
rm -rf "$folder"
mkdir -p "$folder" && cp -r "$base" "$store" || exit 1
"$STINT" rollup --store "$store" --quiet >/dev/null || exit 1
TOKEN=$("$STINT" token add bench --role staff --store "$store" --format csv --no-header | cut -d, -f 2) || exit 1
export TOKEN
server='' browsing='' importing=''
trap 'for one in $browsing $importing $server; do kill $one; done' EXIT

"$STINT" serve --store "$store" --listen 127.0.0.1:0 --no-pull 2>"$folder/serve.err" &
server=$!
until grep -q 'serving.* on http' "$folder/serve.err"; do
    kill -0 $server || die "the server did not start"
    sleep 0.1
done
at=$(sed -n 's/.* on \(http:[^ ]*\)$/\1/p' "$folder/serve.err" | head -n 1)

field() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$server/status"; }
files() { find "/proc/$server/fd" -type l | wc -l; }

# {n} in an address makes it one that is in no cache.
node bench/serve.mjs "$at" "$clients" "$seconds" / /metrics '/metrics?{n}' /live /quality "/jobs?from=$year-03-01&to=$year-03-02" \
    "/explore/cpu_hours?by=group&from=$year&to=$year" "/api/v1/report?measure=cpu_hours,jobs&by=user&from=$year&to=$year&top=1{n}" \
    "/api/v1/jobs.jsonl?from=$year-03-01&to=$year-03-31&limit=5000" >"$folder/clients" &
browsing=$!

imports=0 ended=0
next_import() { # begins one when the last has ended
    [ -n "$importing" ] && kill -0 $importing 2>/dev/null && return
    [ -z "$importing" ] || wait $importing || die "an import failed: $(cat "$folder/import.err")"
    ended=$imports imports=$((imports + 1))
    "$STINT" import sge --cluster "more$imports" --store "$store" --quiet "$bench/site-$more.accounting" >/dev/null 2>"$folder/import.err" &
    importing=$!
}

machine
printf '\n%8s %10s %10s %8s %8s %8s\n' seconds RSS peak threads files imports
began=$(date +%s)
while kill -0 $browsing 2>/dev/null; do
    next_import
    printf '%8s %10s %10s %8s %8s %8s\n' $(($(date +%s) - began)) "$(field VmRSS)" "$(field VmHWM)" "$(field Threads)" "$(files)" $ended |
        tee -a "$folder/looks"
    sleep "$every"
done
wait $browsing || die "the clients failed"
browsing=
wait $importing
importing=

# part FROM TO: the middle of the sizes seen in that part of the time, in hundredths.
part() {
    awk -v from="$1" -v to="$2" '{ v[NR] = $2 } END { for (i = 1; i <= NR; i++) if (i > NR * from / 100 && i <= NR * to / 100) print v[i] }' "$folder/looks" | median 1
}
# shellcheck disable=SC2046 # six numbers
set -- $(cat "$folder/clients")
heading "stint serve over $runs runs, $clients clients and $imports imports of $more runs, $seconds s"
row "memory, last quarter; other: second quarter" "$(part 75 100)" "$(part 25 50)" KiB 1.25
row "its peak" "$(field VmHWM)" "" KiB ""
row "p99 of a request" "$5" "" ms ""
printf 'requests: %s, failed: %s\n' "$1" "$2"
kill $server && wait $server
server=
rm -rf "$folder"
[ "$2" -eq 0 ]
