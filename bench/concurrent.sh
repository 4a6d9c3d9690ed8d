#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Many at one store. An import runs while READERS ask an everyday question a second each: every answer must be that of some
# committed batch; how long they take, and the import, is compared with each alone. Then readers that never pause beside writers.
# BENCH_RUNS: runs of the file (1 million); BENCH_SECONDS: of the second part (120).
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-1000000}
seconds=${BENCH_SECONDS:-120}
alone_seconds=$((seconds < 15 ? seconds : 15))
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
jobs_of "$base" >/dev/null || die "the first store does not answer"

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

# states STORE: how many jobs there were after each of its batches, in the order in which they were committed.
states() {
    "$STINT" jobs --fields batch,start,end --from 2000 --to 2030 --store "$1" --format csv --no-header --quiet |
        awk -F, '$2 != "" && $3 != "" { n[$1 + 0]++; last = $1 + 0 > last ? $1 + 0 : last }
            END { for (b = 1; b <= last; b++) { sum += n[b]; print sum } }'
}

# right STORE FILE...: whether each line of a file, "milliseconds status answer", is an answer that is one of the states of the
# store, and none of a file is older than the one before it.
right() {
    states "$1" >"$work/states"
    shift
    awk 'FNR == NR { state[$1] = 1; next }
        FNR == 1 { before = 0 }
        { answers++ }
        $2 != 0 { refused++; next }
        !($3 in state) || $3 < before { wrong++ }
        { before = $3 }
        END { printf "answers: %d, refused: %d, not of a committed batch, or older than one before: %d\n", answers, refused, wrong
            exit refused + wrong > 0 }' "$work/states" "$@"
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
sleep "$alone_seconds"
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

machine
heading "an import of $runs runs, and $readers readers that ask once a second"
row "import beside readers; other: alone" "$both" "$alone" ms 1.3
row "p95 of an answer beside the import; other: without" "$(p95 "$work"/busy-*)" "$(p95 "$work"/idle-*)" ms 3
right "$work/both" "$work"/busy-* || failed=1

note "20 readers that never pause, 3 writers, $seconds s"
cp -r "$base" "$work/crowd"
for i in $(seq 20); do
    (while [ ! -e "$work/done" ]; do
        answer=$(jobs_of "$work/crowd" 2>&1)
        echo "0 $? $answer"
    done >"$work/crowd-reader-$i") &
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
bad=$(cat "$work/crowd-failed" 2>/dev/null | wc -l)
printf 'imports done: %d, failed: %d\n' "$(wc -l <"$work/crowd-done")" "$bad"
[ "$bad" -eq 0 ] || failed=1
right "$work/crowd" "$work"/crowd-reader-* || failed=1
rm -rf "$work"
exit "${failed:-0}"
