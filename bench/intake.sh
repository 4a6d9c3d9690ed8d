#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What it costs stint serve to take in what agents send: so many nodes with so many processes each, a look a minute, a request a node,
# by HTTP at the pace at which they would come. Cpu time of the server is that of the whole time, imports included.
#
# From the environment, beside those of support/bench.sh:
#   BENCH_NODES      nodes (1000)
#   BENCH_MINUTES    minutes for which they send (2)
#   BENCH_BEFORE     minutes of samples that are in the store before (60)
. "$(dirname "$0")/support/bench.sh"

nodes=${BENCH_NODES:-1000}
minutes=${BENCH_MINUTES:-2}
before=${BENCH_BEFORE:-60}
work=$tmp/intake
server=
trap '[ -z "$server" ] || kill "$server"' EXIT
rm -rf "$work"
mkdir -p "$work/looks" || exit 1

# looks FIRST COUNT: that many minutes from the first one on, of all nodes; a line a look, those of a minute together. Each node has two
# jobs of ten processes, whose counters grow.
looks() {
    awk -v nodes="$nodes" -v first="$1" -v count="$2" '
    function two(x) { return sprintf("%02d", x) }
    BEGIN {
        for (m = first; m < first + count; m++) {
            stamp = "2026-01-05T" two(int(m / 60)) ":" two(m % 60) ":"
            for (n = 1; n <= nodes; n++) {
                printf "{\"meta\":{\"producer\":\"stint-agent\",\"version\":\"0.1.0\",\"format\":0,\"attrs\":[{\"key\":\"absent\",\"value\":\"unknown\"}]},"
                printf "\"data\":{\"type\":\"sample\",\"attributes\":{\"time\":\"%s%sZ\",\"cluster\":\"bench\",\"node\":\"n%d\",", stamp, two(n % 60), n
                printf "\"system\":{\"boot\":\"2026-01-01T00:00:00Z\",\"used_memory\":%d,\"load1\":19.5,\"load5\":19,\"load15\":18,", 3500000 + 13 * m
                printf "\"counters\":{\"cpu_time_us\":%d,\"cpus\":20,\"cpu_user_us\":%d,\"mem_total_bytes\":64000000000,\"mem_used_bytes\":%d}},\"jobs\":[",
                    m * 1170000000, m * 1150000000, 3584000000 + 13312 * m
                for (j = 0; j < 2; j++) {
                    job = 2 * n + j
                    printf "%s{\"job\":%d,\"user\":\"u%d\",\"epoch\":0,\"cgroup\":{\"cpu_time_us\":%d,\"rss_bytes\":%d,\"mem_used_bytes\":%d,\"processes\":10}},",
                        (j ? "," : ""), job, n % 50, m * 590000000, 1800000000 + m * 4096, 1900000000 + m * 4096
                    printf "{\"job\":%d,\"user\":\"u%d\",\"epoch\":0,\"processes\":[", job, n % 50
                    for (p = 0; p < 10; p++)
                        printf "%s{\"cmd\":\"md\",\"pid\":%d,\"ppid\":700,\"num_threads\":1,\"cpu_avg\":98.%d,\"cpu_time\":%d,\"resident_memory\":%d,\"virtual_memory\":900136,\"data_read\":%d,\"data_written\":%d,\"data_cancelled\":0}",
                            (p ? "," : ""), 1000 + 10 * j + p, p, m * 59, 180000 + 4 * m + p, m * 13, m * 7
                    printf "]}"
                }
                print "]}}}"
            }
        }
    }'
}

note "making looks of $nodes nodes"
export STINT_STORE="$work/store"
looks 0 "$before" >"$work/before.json"
[ ! -s "$work/before.json" ] || "$STINT" import sonar --cluster bench --quiet "$work/before.json" >/dev/null || die "the import failed"
bytes_before=$(wc -c <"$STINT_STORE/facts.duckdb" 2>/dev/null || echo 0)
rm "$work/before.json"
looks "$before" "$minutes" | split -a 6 -l 1 --filter='zstd -q -1 >$FILE.zst' - "$work/looks/"

"$STINT" token add agent-bench --role agent --format csv --no-header 2>/dev/null >"$work/made" || die "no token"
token=$(tr ',' '\n' <"$work/made" | awk 'length > best { best = length; it = $0 } END { print it }')
"$STINT" serve --listen 127.0.0.1:0 2>"$work/server.err" &
server=$!
until grep -q 'serving.* on http' "$work/server.err"; do sleep 0.1; done
at=$(sed -n 's/.* on \(http[^ ]*\)$/\1/p' "$work/server.err" | head -n 1)

for file in "$work"/looks/*.zst; do
    echo next
    printf 'url = "%s/api/v1/agent/samples"\nheader = "Authorization: Bearer %s"\nheader = "Content-Type: application/zstd"\n' "$at" "$token"
    printf 'header = "Connection: close"\ndata-binary = "@%s"\nfail\nsilent\nshow-error\noutput = /dev/null\n' "$file"
done | sed 1d >"$work/requests"

ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
count() { "$STINT" samples --format csv --no-header --fields time --from 2026-01-05 --to 2026-01-05 2>/dev/null | wc -l; }
wanted=$(((before + minutes) * nodes * 20))
note "sending for $minutes minutes"
began=$(date +%s%N)
ticks_before=$(ticks)
curl --rate "$nodes/m" -K "$work/requests" || die "a request failed"
sleep 6 # the last import is 5 seconds later at most
ticks_after=$(ticks)
ended=$(date +%s%N)
found=$(count)
kill "$server"
wait "$server"
server=
bytes=$(wc -c <"$STINT_STORE/facts.duckdb")

machine
heading "stint serve, $nodes nodes x 20 processes a minute; other: two cores"
wall=$(((ended - began) / 1000000))
cpu=$(((ticks_after - ticks_before) * 1000 / $(getconf CLK_TCK)))
row "cpu time of $minutes minutes" "$cpu" "$((2 * wall))" ms 0.05
printf '%-44s %12s of %s\n' "samples of processes in the store" "$found" "$wanted"
awk -v b="$bytes" -v n="$found" -v d="$nodes" -v m="$((before + minutes))" 'BEGIN {
    printf "%-44s %12.1f (%.1f KiB a node and hour)\n", "bytes a sample in the store", b / (n * 23 / 20), b / d / m * 60 / 1024 }'
[ "$found" -eq "$wanted" ] || die "samples are missing"

# What is kept of them: as they came, one each 5 minutes, one an hour. Blocks in use are what counts, as a file does not become smaller.
used() { "$sql" -a "$STINT_STORE/facts.duckdb" 'CHECKPOINT' 'SELECT used_blocks * block_size FROM pragma_database_size()' | tail -n 1; }
kept() { # kept WHAT: by node and day, less what an empty store has
    awk -v what="$1" -v b="$(used)" -v none="$empty" -v d="$nodes" -v m="$((before + minutes))" 'BEGIN {
        printf "%-44s %12.1f KiB a node and day\n", what, (b - none) / d / m * 1440 / 1024 }'
}
whole=$STINT_STORE
export STINT_STORE="$work/empty"
looks 0 1 | head -n 1 >"$work/one.json"
"$STINT" import sonar --cluster bench --quiet "$work/one.json" >/dev/null || die "the import failed"
empty=$(used)
export STINT_STORE="$whole"
kept 'kept as they came'
"$STINT" thin --quiet >/dev/null || die "thinning failed"
kept 'one each 5 minutes'
printf '[samples]\nshort = 31d\n' >"$work/stint.conf"
STINT_CONFIG="$work/stint.conf" "$STINT" thin --quiet >/dev/null || die "thinning failed"
kept 'one an hour'
