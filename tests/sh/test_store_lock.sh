#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Several processes at one store: readers together, a writer alone, and nobody is told less than who
# is in the way.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import

totals() { stint report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header; }

stint import sge --cluster c "$F/accounting" >/dev/null

it 'readers are in together'
for i in 1 2 3 4; do
    totals >"reader$i" 2>&1 &
done
wait
for i in 1 2 3 4; do
    expect_equal 8,47 "$(cat reader$i)"
done

# A writer that has the store and waits for its file: a pipe nobody has written to yet.
mkfifo pipe
"$STINT" import sge --cluster c pipe >writer.out 2>writer.err &
writer=$!
exec 3>pipe
tries=0
while ! grep -q " $writer " /proc/locks && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done

it 'a second writer waits a little, then names the first'
begun=$(date +%s)
expect_exit 1 stint import sge --cluster c "$F/accounting.more"
waited=$(($(date +%s) - begun))
expect_err_has "is in use by process $writer ("
expect_err_has 'import sge --cluster c pipe); try again when it has finished'
expect_no_out
expect_exit 0 test $waited -ge 4

it 'so does a reader'
expect_exit 1 totals
expect_err_has "is in use by process $writer ("

it 'a dry run needs no store'
check stint import sge --cluster c --dry-run "$F/accounting.more"

it 'doctor says it, too'
expect_exit 1 stint doctor --format csv
expect_out_has "is in use by process $writer ("

it 'the writer was not disturbed'
cat "$F/accounting" "$F/accounting.more" >&3
exec 3>&-
wait $writer
expect_equal 0 $?
expect_out 10,64 totals

it 'one that comes in time is let in'
"$STINT" import sge --cluster c pipe >/dev/null 2>&1 &
writer=$!
exec 3>pipe
(sleep 1; exec 3>&-) &
exec 3>&-
expect_out 10,64 totals
wait

it 'a writer that was killed does not keep the store'
"$STINT" import sge --cluster c pipe >/dev/null 2>&1 &
writer=$!
exec 3>pipe
kill -9 $writer
wait $writer 2>/dev/null
exec 3>&-
expect_out 10,64 totals
check stint import sge --cluster c "$F/accounting"

it 'a store that may only be read can be read'
modest=
[ "$(id -u)" -ne 0 ] || modest='setpriv --bounding-set=-dac_override,-dac_read_search'
# shellcheck disable=SC2086 # several words, as below
chmod 500 store
chmod 400 store/*
expect_out 10,64 $modest "$STINT" report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header
expect_exit 1 $modest "$STINT" import sge --cluster c "$F/accounting"
expect_err_has 'ermission denied'
chmod 700 store
chmod 600 store/*

it 'a store that is no store says so'
mkdir rubbish
head -c 100000 /dev/urandom >rubbish/facts.duckdb
expect_exit 1 stint report jobs --store rubbish
expect_err_has "cannot open the store 'rubbish/facts.duckdb'"
expect_exit 1 stint import sge --cluster c "$F/accounting" --store rubbish
expect_err_has "cannot open the store 'rubbish/facts.duckdb'"

it 'a damaged store says so and is not made worse'
check stint import sge --cluster c "$F/accounting" --store damaged
size=$(wc -c <damaged/facts.duckdb)
head -c $((size / 2)) damaged/facts.duckdb >half
cp half damaged/facts.duckdb
run stint report jobs --from 2024 --to 2025 --store damaged --format csv --no-header
t_next_name 'half a store'
if [ $status -eq 1 ] && [ -s "$ERR" ] && ! grep -qE 'Sanitizer|runtime error' "$ERR"; then
    t_ok "$t_this"
else
    t_fail "$t_this" "$(t_heard)"
fi
expect_same half damaged/facts.duckdb

it 'no store is not an empty report'
expect_exit 1 stint report jobs --store nowhere
expect_err_has "there is no store in 'nowhere' yet; import something first"
expect_exit 1 test -e nowhere

finish
