#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Many at one store. An import runs while READERS ask an everyday question a second each: every answer must be that of some
# committed batch; how long they take, and the import, is compared with each alone. Then readers that never pause beside writers.
# BENCH_RUNS: runs of the file (1 million); BENCH_SECONDS: of the second part (120).
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-1000000}
seconds=${BENCH_SECONDS:-120}
readers=8
file=$bench/site-$runs.accounting
make_site "$file" "$runs" || exit 1
base=$bench/concurrent-base
work=$tmp/concurrent
rm -rf "$work"
mkdir -p "$work"

# A store with a little in it, so that there is something to ask about from the beginning.
if [ ! -e "$base/facts.duckdb" ]; then
    head -n 20000 "$file" >"$work/first"
    "$STINT" import sge --cluster first --store "$base" "$work/first" --quiet >/dev/null || die "the first import failed"
fi

now_ms() { date +%s%3N; }
jobs_of() { "$STINT" report jobs --from 2000 --to 2030 --store "$1" --format csv --no-header; }
first=$(jobs_of "$base") || die "the first store does not answer"

# ask STORE NAME: asks once a second until the file `done` is there; a line an answer: milliseconds, exit status, answer.
ask() {
    while [ ! -e "$work/done" ]; do
        begun=$(now_ms)
        answer=$(jobs_of "$1" 2>&1)
        status=$?
        took=$(($(now_ms) - begun))
        echo "$took $status $answer" >>"$work/$2"
        [ $took -ge 1000 ] || sleep "0.$(printf %03d $((1000 - took)))"
    done
}

# p95 FILE...: of the first column.
p95() { cat "$@" | sort -n | awk '{ v[NR] = $1 } END { print v[int(NR * 0.95 + 0.999)] }'; }

ask_all() { # STORE NAME
    for i in $(seq $readers); do
        ask "$1" "$2-$i" &
    done
}

note "the import alone"
cp -r "$base" "$work/alone"
begun=$(now_ms)
"$STINT" import sge --cluster c --store "$work/alone" "$file" --quiet >/dev/null || die "the import failed"
alone=$(($(now_ms) - begun))

note "$readers readers alone"
ask_all "$work/alone" idle
sleep 15
: >"$work/done"
wait
rm "$work/done"

note "both"
cp -r "$base" "$work/both"
ask_all "$work/both" busy
begun=$(now_ms)
"$STINT" import sge --cluster c --store "$work/both" "$file" --quiet >/dev/null || die "the import failed"
both=$(($(now_ms) - begun))
: >"$work/done"
wait
rm "$work/done"
last=$(jobs_of "$work/both")

machine
heading "an import of $runs runs, and $readers readers that ask once a second"
row "import beside readers; other: alone" "$both" "$alone" ms 1.3
row "p95 of an answer beside the import; other: without" "$(p95 "$work"/busy-*)" "$(p95 "$work"/idle-*)" ms 3
cat "$work"/busy-* | awk -v first="$first" -v last="$last" '
    $2 != 0 || $3 < first || $3 > last { wrong++ }
    END { printf "answers: %d, refused or wrong: %d\n", NR, wrong + 0; exit wrong > 0 }' || failed=1

note "20 readers that never pause, 3 writers, $seconds s"
cp -r "$base" "$work/crowd"
for i in $(seq 20); do
    (while [ ! -e "$work/done" ]; do jobs_of "$work/crowd"; echo "status $?"; done >"$work/crowd-reader-$i" 2>&1) &
done
split -n l/60 "$file" "$work/piece-"
for w in 1 2 3; do
    (
        n=0
        for piece in "$work"/piece-*; do
            n=$((n + 1))
            [ $((n % 3 + 1)) -eq $w ] || continue
            [ ! -e "$work/done" ] || break
            "$STINT" import sge --cluster c --store "$work/crowd" "$piece" --quiet >/dev/null 2>"$work/crowd-error-$w-$n" ||
                echo "import $n failed" >>"$work/crowd-failed"
            echo "$n" >>"$work/crowd-done"
        done
    ) &
done
sleep "$seconds"
: >"$work/done"
wait
printf 'imports done: %d, failed: %d; answers: %d, refused: %d\n' "$(wc -l <"$work/crowd-done")" \
    "$(cat "$work/crowd-failed" 2>/dev/null | wc -l)" "$(cat "$work"/crowd-reader-* | grep -c '^status 0')" \
    "$(cat "$work"/crowd-reader-* | grep '^status' | grep -vc 'status 0')"
rm -rf "$work"
exit "${failed:-0}"
