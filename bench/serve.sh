#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint serve on loopback, as ratios in one run: pages beside a file, questions beside the command line, commands through the socket
# beside those that open the store, metrics of many nodes, and clients that browse while runs are imported.
# BENCH_RUNS: runs of the store (1 million); BENCH_IMPORT: of the import (1 million); BENCH_SECONDS: of each part (5); BENCH_NODES: 20000.
# BENCH_PAGES=only: the table of pages, and nothing else.
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-1000000}
imported=${BENCH_IMPORT:-1000000}
seconds=${BENCH_SECONDS:-5}
nodes=${BENCH_NODES:-20000}
base=$(store_of "$runs") || exit 1
make_site "$bench/site-$imported.accounting" "$imported" || exit 1
fake=$tmp/serve
store=$fake/store
rm -rf "$fake"
mkdir -p "$fake/bin" || exit 1
cp -r "$base" "$store" || exit 1
note "sums by day and month"
"$STINT" rollup --store "$store" --quiet >/dev/null || exit 1
server=
trap '[ -z "$server" ] || kill $server' EXIT

# A Slurm that has so many nodes and no jobs.
program() { # NAME: a script from stdin
    { echo '#!/bin/sh' && cat; } >"$fake/bin/$1" && chmod 755 "$fake/bin/$1"
}
program squeue <<'SCRIPT'
echo '{"meta":{"Slurm":{"release":"22.05.8"}},"errors":[],"jobs":[]}'
SCRIPT
program scontrol <<SCRIPT
case " \$* " in
*' node '*) seq $nodes | sed 's/.*/NodeName=n& CPUTot=64 CPUAlloc=32 RealMemory=256000 AllocMem=128000 State=MIXED Partitions=p0/' ;;
*' partition '*) echo 'PartitionName=p0 State=UP' ;;
*) echo 'No reservations in the system' ;;
esac
SCRIPT
program sacct <<'SCRIPT'
case " $* " in *' -e '*) echo 'JobID JobIDRaw State Submit Start End User NCPUS JobName' && exit ;; esac
for word; do case $word in --delimiter=*) by=${word#*=} ;; esac; done
echo 'JobID|JobIDRaw|State|Submit|Start|End|User|NCPUS|JobName' | sed "s/|/$by/g"
SCRIPT
printf '[cluster slurm]\nscheduler = slurm\nsince = yesterday\nbin = %s\n' "$fake/bin" >"$fake/stint.conf"
note "$nodes nodes"
"$STINT" pull --config "$fake/stint.conf" --store "$store" --quiet >/dev/null || die "the pull failed"

TOKEN=$("$STINT" token add bench --role staff --store "$store" --format csv --no-header | cut -d, -f 2) || exit 1
export TOKEN

# load CLIENTS SECONDS PATH...: the figures, in $requests $bad $rate $middle $late $bytes.
load() {
    # shellcheck disable=SC2046 # six numbers
    set -- $(node bench/serve.mjs "$at" "$@")
    requests=$1 bad=$2 rate=$3 middle=$4 late=$5 bytes=$6
    [ "$bad" -eq 0 ] || note "$bad of $requests requests failed"
}

# What the server has used of the processors, in ms: the same however busy the machine is.
spent() { awk -v tick="$(getconf CLK_TCK)" '{ printf "%d", ($14 + $15) * 1000 / tick }' "/proc/$server/stat"; }
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }

set -- "$STINT" report cpu_hours,jobs --by user --from "$year" --to "$year" --top 10 --store "$store" --format csv
note "the command line alone"
alone=$(best_ms "$BENCH_TIMES" "$@")
# what is in no cache is compared with the late ones of as many commands
slow_alone=$(wall_ms largest 20 "$@")

"$STINT" serve --store "$store" --listen 127.0.0.1:0 --no-pull 2>"$fake/serve.err" &
server=$!
until grep -q 'serving.* on http' "$fake/serve.err"; do
    kill -0 $server || die "the server did not start"
    sleep 0.1
done
at=$(sed -n 's/.* on \(http:[^ ]*\)$/\1/p' "$fake/serve.err" | head -n 1)

note "commands through the socket"
through=$(best_ms "$BENCH_TIMES" "$@")

note "pages and files"
load 8 "$seconds" /static/stint.css
file_rate=$rate file_bytes=$bytes
load 8 "$seconds" '/api/v1/report?measure=cpu_hours,jobs&by=cluster&every=month&from=2018&to=2025'
cached_rate=$rate cached_bytes=$bytes
load 8 "$seconds" /
page_rate=$rate page_bytes=$bytes

note "questions that are in no cache, one at a time"
load 1 "$seconds" "/api/v1/report?measure=cpu_hours,jobs&by=user&from=$year&to=$year&top=1{n}"
question_late=$late question_middle=$middle

note "metrics, made and from cache"
before=$(spent)
load 1 "$seconds" "/metrics?{n}"
metrics_cpu=$((($(spent) - before) / requests))
metrics_made=$middle
load 1 "$seconds" /metrics
metrics=$middle

# One of each kind, of the names that there is most of; {n} makes each address one that is in no cache.
first_of() { # DIMENSION
    curl -fsS -H "Authorization: Bearer $TOKEN" "$at/api/v1/report.csv?measure=jobs&by=$1&from=$year&to=$year&top=1" | sed -n 2p | cut -d, -f1
}
pages() {
    cat <<END
/?{n}
/explore/cpu_hours?by=group&from=$year&to=$year&top=1{n}
/explore/cpu_hours?every=month&from=$year&to=$year&by=partition&sort=period&cpus=1..9{n}
/explore/cpu_hours?by=weekday,hour_of_day&from=$year&to=$year&cpus=1..9{n}
/jobs?from=$year-03-01&to=$year-03-02&limit=1{n}
/job/$(curl -fsS -H "Authorization: Bearer $TOKEN" "$at/api/v1/jobs.csv?from=$year-03-01&limit=1&fields=id" | sed -n 2p)?{n}
/compare?{n}
/live?{n}
/live/nodes?{n}
/live/gpus?{n}
/live/use?{n}
/live/soonest?{n}
/quality?{n}
/me?{n}
/inside?{n}
/hogs?{n}
/search?q=$(first_of user)&{n}
$(for kind in user group account project partition cluster node name; do
        thing=$(first_of $kind) && [ -n "$thing" ] && echo "/$kind/$thing?from=$year&to=$year&{n}"
    done)
END
}

note "pages that are in no cache"
pages >"$fake/pages"
while read -r page; do
    before=$(spent)
    load 1 1 "$page"
    echo "$middle $((($(spent) - before) / requests)) $bytes $(echo "$page" | sed "s/[?&][^?&]*{n}$//")"
done <"$fake/pages" >"$fake/page_times"
show_pages() {
    printf '\n%s\n\n' "pages that are in no cache, over $runs runs, one at a time (aim: 50 ms for everyday questions)"
    printf '%-64s %10s %10s %10s\n' page "median ms" "cpu ms" bytes
    while read -r middle cpu bytes page; do
        printf '%-64s %10s %10s %10s\n' "$page" "$middle" "$cpu" "$bytes"
    done <"$fake/page_times"
}
if [ "${BENCH_PAGES:-}" = only ]; then
    machine
    show_pages
    exit
fi

note "50 clients that browse"
set -- '/explore/cpu_hours?by=group&from=2024&to=2024' '/jobs?from=2024-03-01&to=2024-03-02' /quality "/api/v1/report?measure=jobs&by=partition&from=2024&to=2024"
load 50 "$seconds" "$@"
idle_late=$late idle_bad=$bad idle_memory=$(memory)
note "and an import beside them"
"$STINT" import sge --cluster more --store "$store" --quiet "$bench/site-$imported.accounting" >/dev/null 2>"$fake/import.err" &
import=$!
busy_late=0 busy_bad=0 busy_requests=0 busy_memory=0
while kill -0 $import 2>/dev/null; do
    load 50 "$seconds" "$@"
    busy_bad=$((busy_bad + bad)) busy_requests=$((busy_requests + requests))
    busy_late=$(printf '%s\n%s\n' "$busy_late" "$late" | largest 1)
    busy_memory=$(printf '%s\n%s\n' "$busy_memory" "$(memory)" | largest 1)
done
wait $import || die "the import failed: $(cat "$fake/import.err")"
load 50 "$seconds" "$@"
after_memory=$(memory)

machine
heading "stint serve over $runs runs; ratios of times, and of seconds a request where rates are compared"
inverse() { awk -v r="$1" 'BEGIN { printf "%.3f", (r > 0 ? 1000 / r : 0) }'; }
row "an answer from cache ($cached_bytes bytes); other: a file ($file_bytes bytes)" "$(inverse "$cached_rate")" "$(inverse "$file_rate")" ms 2
row "the overview page ($page_bytes bytes); other: that file" "$(inverse "$page_rate")" "$(inverse "$file_rate")" ms 2
row "a question in no cache: median; other: stint report" "$question_middle" "$alone" ms 3
row "the same: p99; other: the slowest of 20" "$question_late" "$slow_alone" ms 3
row "a command through the socket; other: opening the store" "$through" "$alone" ms 1
row "/metrics with $nodes nodes, from cache" "$metrics" "" ms 50
row "the same, not from cache" "$metrics_made" "" ms 50
row "the same, cpu time" "$metrics_cpu" "" ms ""
row "p99 of 50 clients beside an import; other: without" "$busy_late" "$idle_late" ms 10
row "memory beside an import; other: before" "$busy_memory" "$idle_memory" KiB ""
row "memory after it; other: before" "$after_memory" "$idle_memory" KiB ""
show_pages
printf 'requests beside the import: %s, failed: %s (without: %s)\n' "$busy_requests" "$busy_bad" "$idle_bad"
kill $server && wait $server
server=
rm -rf "$fake"
