#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The n-th change of a file fails, and the n-th place that asks for memory is refused it, for every n: in an import, which the
# bank charges, in one of samples, in a change of the books and in one of the bank. A sentence and status 1 (or the change was
# not needed, and all is well), nothing that was there is lost, and the same command again completes with what a run without a
# fault gives.
#
# Of many n, every few are tried; all of them by tests/slow/test_faults.sh (STINT_FAULTS=all).
#
# A fault that leaves every file as it was, to the byte, has lost nothing, and the same command again is the one that was
# tried without a fault: this is not tried again. The facts are asked for after all others.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import
tools=$(dirname "$STINT")/../tests
plain=$TOP/build/clang/bin/stint # without a sanitizer: for what only looks at what a fault has left

# --- what is done ---------------------------------------------------------------------------------------

# as_WHAT PROGRAM STORE: the command.
as_import() { "$1" import sge --cluster c "$F/accounting.more" --store "$2"; }
as_books() { "$1" metagroup add new --note 'a note' --store "$2"; }
as_bank() { "$1" bank grant sge 10 --from 2024-01-01 --store "$2"; }
as_samples() { "$1" import sonar --cluster alder "$TESTS/fixtures/sonar/tagged.csv" --store "$2"; }

# tell_WHAT STORE: all that is there.
tell_import() {
    "$plain" jobs --fields job,task,user,start,end,cpus,cpu_used,class --from 2000 --to 2030 --sort job --format csv --store "$1"
}
tell_books() { "$plain" metagroup export --format csv --store "$1"; }
tell_bank() {
    "$plain" bank statement sge --from 2024 --to 2024 --format csv --store "$1" &&
        "$plain" bank check --quiet --store "$1"
}
tell_samples() { "$plain" samples --fields all --from 2000 --to 2030 --format csv --store "$1"; }
# tell_end_WHAT STORE: what is to be there once the command was repeated. Charges may follow their runs.
tell_end_import() { tell_import "$1" && "$plain" bank statement sge --from 2024 --to 2024 --format csv --store "$1"; }
tell_end_books() { tell_books "$1"; }
tell_end_bank() { tell_bank "$1"; }
tell_end_samples() { tell_samples "$1"; }

# with_writes, with_memory N COMMAND...: the n-th fails; what was counted is in counted.
with_writes() {
    t_at=$1
    shift
    (
        export FAIL_AT="$t_at" FAIL_UNDER="$TMP/store" FAIL_LOG="$TMP/log" LD_PRELOAD="$tools/failing-writes.so"
        export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
        "$@"
    )
}
with_memory() {
    t_at=$1
    shift
    (
        export FAIL_ALLOCATION="$t_at" FAIL_LOG="$TMP/log"
        "$@"
    )
}
count_writes() { wc -l <log; }
count_memory() { cat log; }

program_writes() { echo "$STINT"; }
# Refused memory ends it on the spot: there is nothing for a sanitizer to see, and without one every n takes a moment.
program_memory() { echo "$TOP/build/clang/tests/failing-stint"; }

# --- how it is judged -----------------------------------------------------------------------------------

fresh() {
    rm -rf store log
    cp -R before store
}

as_it_was() { diff -rq before store >/dev/null; }

# judge N WHAT HOW: one fault, as one test: its first complaint, or none.
judge() {
    fresh
    "with_$3" "$1" "as_$2" "$("program_$3")" "$TMP/store" >out 2>err
    got=$?
    if [ $got -eq 1 ] && as_it_was; then
        grep -q '^stint: .' err || grep -q 'not charged yet' out || echo "no sentence: $(cat err)"
        return
    fi
    "tell_$2" store >now 2>told || { echo "what is there cannot be read: $(cat told)"; return; }
    case $got in
    0) cmp -s after.$2 now || echo 'it succeeded with other facts than without a fault' ;;
    1)
        grep -q '^stint: .' err || grep -q 'not charged yet' out || echo "no sentence: $(cat err)"
        cmp -s before.$2 now || cmp -s after.$2 now || echo 'what is there is neither what was nor what should be'
        ;;
    *) echo "status $got: $(head -n 5 err)" ;;
    esac
    # What is done already is not done again: a grant would be a second one.
    if [ $2 != bank ] || cmp -s before.$2 now; then
        "as_$2" "$plain" "$TMP/store" >out 2>err ||
            grep -q 'already exists' err || echo "again, it fails: $(cat err)"
    fi
    "tell_end_$2" store >now
    cmp -s end.$2 now || echo 'again, it gives other facts'
}

# step COUNT: so that about 20 are tried
step() { [ "${STINT_FAULTS:-}" != all ] && echo $((($1 + 19) / 20)) || echo 1; }

mkdir before
check stint import sge --cluster c "$F/accounting" --store before
check stint metagroup add old --store before
check stint rate add cpu --cpu 1 --store before
check stint bank open sge --from 2024-01-01 --store before
check stint bank grant sge 100 --from 2024-01-01 --store before

for what in import samples books bank; do
    it "what is there can be told ($what)"
    check "tell_$what" before
    cp "$OUT" before.$what
    for how in writes memory; do
        it "without a fault, $what and $how are counted"
        fresh
        expect_exit 0 "with_$how" 0 "as_$what" "$("program_$how")" "$TMP/store"
        count=$("count_$how")
        "tell_$what" store >after.$what
        "tell_end_$what" store >end.$what
        expect_exit 1 cmp -s before.$what after.$what
        expect_exit 0 test "$count" -ge 10
        echo "# $count"
        for n in $(seq 1 "$(step "$count")" "$count"); do
            it "$what: $how, $n of $count fails"
            expect_equal '' "$(judge "$n" $what $how)"
        done
    done
done

finish
