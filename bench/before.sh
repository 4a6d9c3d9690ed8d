#!/bin/sh
# SPDX-License-Identifier: MIT
#
# This program beside an older one: imports, reports, starting and a long listing, in turns, each in a store of its own.
# Nothing should be slower than before by more than the noise.
#
#   BENCH_OLD=/path/to/older/stint BENCH_RUNS=1000000 sh bench/before.sh
. "$(dirname "$0")/support/bench.sh"

old=${BENCH_OLD:-}
runs=${BENCH_RUNS:-1000000}
noise=1.05
if [ -z "$old" ]; then
    note "BENCH_OLD is not set: there is no older program to compare with"
    exit 0
fi
[ -x "$old" ] || die "there is no '$old'"

site=$bench/site-$runs.accounting
make_site "$site" "$runs" || exit 1
parts=$(accounting $((runs / 5))) || exit 1
cat "$site" "$parts" >/dev/null
head -n 2000 "$site" >"$tmp/small"

# turns ARGUMENT...: both programs with the same arguments, where STORE is the store of each; leaves the best times, and
# the peak of memory, in ours_ms, theirs_ms, ours_kib. Nothing for a program that refuses.
turns() {
    : >"$tmp/ours" >"$tmp/theirs"
    for round in $(seq "$BENCH_TIMES"); do
        for who in theirs ours; do
            program=$STINT
            [ "$who" = ours ] || program=$old
            [ "$1" != import ] || rm -rf "$tmp/$who.store"
            "$measure" -n 1 -o "$tmp/once" "$program" "$@" --store "$tmp/$who.store" --quiet >/dev/null 2>"$tmp/why" &&
                cat "$tmp/once" >>"$tmp/$who"
        done
    done
    ours_ms=$(best 1 <"$tmp/ours") theirs_ms=$(best 1 <"$tmp/theirs") ours_kib=$(largest 3 <"$tmp/ours")
}

machine
heading "this program (stint) and an older one (other), best of $BENCH_TIMES in turns"
turns help report
row "help report" "$ours_ms" "$theirs_ms" ms "$noise"
turns import sge --cluster site "$tmp/small"
row "import, 2000 runs" "$ours_ms" "$theirs_ms" ms "$noise"
turns report cpu_hours --by user --from "$site_from" --to "$site_to"
row "report, small store" "$ours_ms" "$theirs_ms" ms "$noise"
turns import sge --cluster site "$parts"
row "import, $((runs / 5)) rows with slave tasks" "$ours_ms" "$theirs_ms" ms "$noise"
turns doctor
row "doctor of that store" "$ours_ms" "$theirs_ms" ms "$noise"
turns import sge --cluster site "$site"
row "import, $runs runs" "$ours_ms" "$theirs_ms" ms "$noise"

turns report cpu_hours --by user --from "$year" --to "$year" --no-rollups
row "report, a year by user, from the runs" "$ours_ms" "$theirs_ms" ms "$noise"
turns report cpu_hours --by group --every month --from "$site_from" --to "$site_to" --no-rollups
row "report, all months by group, from the runs" "$ours_ms" "$theirs_ms" ms "$noise"
turns report jobs,cpu_hours,wait_hours --by partition --from "$year" --to "$year"
row "report, three measures by partition" "$ours_ms" "$theirs_ms" ms "$noise"
turns top user --from "$year" --to "$year"
row "top user" "$ours_ms" "$theirs_ms" ms "$noise"
turns efficiency --by user --from "$year" --to "$year"
row "efficiency by user" "$ours_ms" "$theirs_ms" ms "$noise"

for format in csv jsonl parquet; do
    turns jobs --fields all --from "$site_from" --to "$site_to" --format "$format"
    row "jobs --fields all, $format" "$ours_ms" "$theirs_ms" ms "$noise"
    row "jobs --fields all, $format, peak memory" "$ours_kib" "" KiB 307200
done
rm -rf "$tmp/ours.store" "$tmp/theirs.store"
