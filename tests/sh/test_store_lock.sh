#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Several processes at one store: readers together, a writer alone, who answers for it meanwhile, and nobody is refused.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import

totals() { stint report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header; }

stint import sge --cluster c "$F/accounting" >/dev/null

it 'readers are in together'
for i in 1 2 3 4; do
    totals >"reader$i" 2>>readers.err &
done
wait
for i in 1 2 3 4; do
    expect_equal 8,47 "$(cat reader$i)"
done

it 'a pipe that hangs holds nobody out'
mkfifo pipe
"$STINT" import sge --cluster c pipe >writer.out 2>writer.err &
writer=$!
exec 3>pipe
expect_out 8,47 totals
check stint import sge --cluster c --again "$F/accounting"
cat "$F/accounting" "$F/accounting.more" >&3
expect_out 8,47 totals

it 'and is imported when it ends'
exec 3>&-
wait $writer
expect_equal 0 $?
expect_out 10,64 totals

# hold [--silent]: a process has the store for as long as the test wants, as a long import would; `exec 3>&-` ends it.
hold() { hold_store store "$@"; }

it 'whoever has the store answers for it'
hold
expect_out 10,64 totals
expect_equal socket "$(ls store | grep socket)"
expect_exit 0 stint jobs --from 2024 --to 2025 --format jsonl
expect_equal 11 "$(wc -l <"$OUT")"
expect_exit 0 stint doctor --format csv
expect_out_has 'store,ok,'
expect_exit 1 stint job 4711 --format csv
expect_err_has "there is no run of job '4711'"
expect_exit 2 stint report no_such_measure
expect_err_has 'no_such_measure'

it 'many at a time'
for i in 1 2 3 4 5 6 7 8; do
    totals >"reader$i" 2>>readers.err &
    readers="${readers:-} $!"
done
# shellcheck disable=SC2086 # a list of words
wait $readers
expect_equal "$(for i in 1 2 3 4 5 6 7 8; do echo 10,64; done)" "$(cat reader[1-8])"

it 'a second writer waits for its turn and says for whom'
"$STINT" import sge --cluster d "$F/accounting" >second.out 2>second.err 3>&- &
second=$!
until_true grep -q waiting second.err
expect_equal 1 "$(grep -c "is in use by process $holder (.*); waiting for it" second.err)"
expect_out 10,64 totals
exec 3>&-
wait $holder
wait $second
expect_equal 0 $?
expect_out 18,111 totals

it 'a reader waits for one that does not answer'
hold --silent
"$STINT" report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header >patient.out 2>patient.err 3>&- &
patient=$!
until_true grep -q 'is in use by process .*; waiting for it' patient.err
exec 3>&-
wait $holder
wait $patient
expect_equal 18,111 "$(cat patient.out)"

it 'a dry run needs no store'
hold --silent
check stint import sge --cluster c --dry-run "$F/accounting.more"
exec 3>&-
wait $holder

it 'a writer that was killed does not keep the store, nor its socket'
hold
kill -9 $holder
wait $holder 2>/dev/null
exec 3>&-
expect_equal socket "$(ls store | grep socket)"
expect_out 18,111 totals
check stint import sge --cluster c "$F/accounting"
expect_equal '' "$(ls store | grep socket)"

it 'three writers come in while twenty readers never pause'
readers=
for i in $(seq 20); do
    (while [ ! -e enough ]; do totals; done >"busy$i" 2>>busy.err) &
    readers="$readers $!"
done
writers=
for cluster in e f g; do
    "$STINT" import sge --cluster $cluster "$F/accounting" --quiet >/dev/null 2>"writer-$cluster" &
    writers="$writers $!"
done
for writer in $writers; do
    wait "$writer"
    expect_equal 0 $?
done
: >enough
# shellcheck disable=SC2086
wait $readers

it 'and each reader sees one committed state after the other'
expect_equal '' "$(grep -v 'waiting for it$' busy.err)"
expect_equal '' "$(cat busy[0-9]* | grep -vx '18,111\|26,158\|34,205\|42,252')"
for i in $(seq 20); do
    sort -n -c "busy$i" 2>/dev/null || echo "reader $i went back"
done >backwards
expect_equal '' "$(cat backwards)"
expect_out 42,252 totals

it 'an answer that nobody reads holds nobody out'
check stint demo --out site --runs 3000 --from 2024 --to 2024 --quiet
check stint import sge --cluster c --store large site/alder/accounting --quiet
mkfifo unread
"$STINT" jobs --from 2000 --to 2030 --fields all --format csv --store large >unread 2>unread.err &
slow=$!
exec 4<unread
# Its first rows are here: what it shows is settled. An import that had to wait for the rest would never end.
IFS= read -r header <&4
IFS= read -r first <&4
check stint import sge --cluster c --store large "$F/accounting" --quiet
{ printf '%s\n' "$header" "$first" && cat <&4; } >read
exec 4<&-
wait $slow
expect_equal 0 $?
expect_exit 0 test "$(wc -c <read)" -gt 200000
expect_equal "$(stint jobs --from 2000 --to 2030 --fields all --store large --format csv --cluster c | wc -l)" \
    "$(($(wc -l <read) + 9))"

it 'a store that may only be read can be read'
modest=
[ "$(id -u)" -ne 0 ] || modest='setpriv --bounding-set=-dac_override,-dac_read_search'
# shellcheck disable=SC2086 # several words, as below
chmod 500 store
chmod 400 store/*
expect_out 42,252 $modest "$STINT" report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header
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
