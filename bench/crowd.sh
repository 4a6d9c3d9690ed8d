#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint serve among clients that mean no good: many that ask for much and read nothing, some that send their requests byte by byte, all by one
# token; how long do others wait, by another token from the same address, and how large does the server get?
# CROWD_UNREAD: clients that do not read (9000); CROWD_SLOW: that send slowly (500); CROWD_HONEST: that ask a page or a number each (500), every
# CROWD_EVERY seconds (10); BENCH_SECONDS: of each part (30); BENCH_RUNS: runs of the store (1 million).
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-1000000}
unread=${CROWD_UNREAD:-9000}
slow=${CROWD_SLOW:-500}
honest=${CROWD_HONEST:-500}
every=${CROWD_EVERY:-10}
seconds=${BENCH_SECONDS:-30}
base=$(store_of "$runs") || exit 1
folder=$tmp/crowd
store=$folder/store
rm -rf "$folder"
mkdir -p "$folder" && cp -r "$base" "$store" || exit 1
"$STINT" rollup --store "$store" --quiet >/dev/null || exit 1
token() { "$STINT" token add "$1" --role staff --store "$store" --format csv --no-header | cut -d, -f 2; }
greedy=$(token greedy) quiet=$(token quiet) || exit 1
server='' crowd=''
trap 'for one in $crowd $server; do kill $one; done' EXIT

# shellcheck disable=SC3045 # dash has it
ulimit -n "$(ulimit -Hn)"
"$STINT" serve --store "$store" --listen 127.0.0.1:0 --no-pull 2>"$folder/serve.err" &
server=$!
until grep -q 'serving.* on http' "$folder/serve.err"; do
    kill -0 $server || die "the server did not start"
    sleep 0.1
done
at=$(sed -n 's/.* on \(http:[^ ]*\)$/\1/p' "$folder/serve.err" | head -n 1)
field() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$server/status"; }

# ask: what the honest see, in $requests $bad $middle $late
ask() {
    # shellcheck disable=SC2046 # six numbers
    set -- $(TOKEN=$quiet EVERY=$every node bench/serve.mjs "$at" "$honest" "$seconds" / /metrics /static/stint.css \
        "/api/v1/report?measure=cpu_hours,jobs&by=user&from=$year&to=$year&top=10" "/api/v1/report?measure=jobs&by=partition&from=$year&to=$year&top=1{n}")
    requests=$1 bad=$2 middle=$4 late=$5
}

note "$honest honest clients alone"
ask
idle_requests=$requests idle_bad=$bad idle_middle=$middle idle_late=$late idle_memory=$(field VmRSS)
note "$unread that do not read and $slow that send slowly beside them"
TOKEN=$greedy node bench/crowd.mjs "$at" "$unread" "$slow" "/api/v1/jobs.jsonl?from=$year-03-01&to=$year-12-31&fields=all&limit=10000" >"$folder/crowd" &
crowd=$!
until grep -q there "$folder/crowd"; do
    kill -0 $crowd || die "the crowd did not come"
    sleep 0.1
done
ask
peak=$(field VmHWM)
kill $crowd
wait $crowd 2>/dev/null
crowd=

machine
heading "stint serve over $runs runs: $honest clients alone and beside $((unread + slow)) that mean no good, $seconds s each"
row "p99 of a request; other: alone" "$late" "$idle_late" ms 5
row "its median; other: alone" "$middle" "$idle_middle" ms ""
row "peak memory of the server; other: before they came" "$peak" "$idle_memory" KiB ""
printf 'requests: %s, failed: %s; alone: %s, failed: %s\n' "$requests" "$bad" "$idle_requests" "$idle_bad"
kill $server && wait $server
server=
rm -rf "$folder"
[ "$bad" -eq 0 ] && [ "$idle_bad" -eq 0 ]
