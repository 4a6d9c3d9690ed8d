#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A process that is killed in the middle of a write leaves a part of a block. Whatever block of the database that is, and
# whatever part of it, nothing that was committed is lost: a question is answered and the next import continues.
. "$(dirname "$0")/../support/sh.sh"

tools=$(dirname "$STINT")/../tests

row() { printf 'JobID|Submit|Start|End|State|AllocCPUS|User\n%s|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T01:00:00|COMPLETED|4|ann\n' "$1"; }
row 1 >first
row 2 >second
row 3 >third

# tear N BYTES COMMAND...: killed in the n-th write of a block
tear() {
    t_at=$1 t_bytes=$2
    shift 2
    (
        export TEAR_AT="$t_at" TEAR_BYTES="$t_bytes" FAIL_UNDER="$TMP/store" FAIL_LOG="$TMP/log" LD_PRELOAD="$tools/failing-writes.so"
        export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
        "$@"
    ) 2>err
}
jobs_of() { "$STINT" jobs --fields job --from 2026 --to 2027 --sort job --format csv --no-header --store "$1" | tr '\n' ' '; }

it 'a store with two imports, and one more without a fault'
check "$STINT" import slurm --cluster alder first --store before
check "$STINT" import slurm --cluster alder second --store before
cp -R before store
check tear 0 0 "$STINT" import slurm --cluster alder third --store store
check test "$(jobs_of store)" = "1 2 3 "
blocks=$(grep -c write log)

it 'it is killed in the middle of any write of a block'
torn=0 n=1
while [ $n -le "$blocks" ]; do
    for bytes in 4096 258048; do
        rm -rf store log
        cp -R before store
        tear $n $bytes "$STINT" import slurm --cluster alder third --store store >out
        status=$?
        [ $status -eq 137 ] || continue
        torn=$((torn + 1))
        case $(jobs_of store 2>err) in
        '1 2 ' | '1 2 3 ') t_ok "write $n, $bytes bytes" ;;
        *) t_fail "write $n, $bytes bytes" "$(cat err)" ;;
        esac
        [ $bytes -eq 4096 ] || continue
        "$STINT" import slurm --cluster alder third --store store >out 2>err
        if [ "$(jobs_of store)" = '1 2 3 ' ]; then
            t_ok "write $n, $bytes bytes, again"
        else
            t_fail "write $n, $bytes bytes, again" "$(cat err)"
        fi
    done
    n=$((n + 1))
done
it 'some were'
check test $torn -ge 8

it 'a block that is damaged after an orderly end stays an error'
rm -rf store
cp -R before store
printf 'x' | dd of=store/facts.duckdb bs=1 seek=12300 conv=notrunc 2>err
expect_exit 1 "$STINT" jobs --store store
finish
