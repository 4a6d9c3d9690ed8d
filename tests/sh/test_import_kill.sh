#!/bin/sh
# SPDX-License-Identifier: MIT
#
# An import that is killed, interrupted or left to follow a file: run again, all is as if nothing had
# been. A demo knows its own totals, counted while it was made.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import
stint demo --out demo --runs 15000 --from 2024-01-01 --to 2024-12-31 --seed 21 --format csv >demo.csv 2>/dev/null

# What the demo says of a cluster: runs, cpu hours.
truth() { sed -n "s/^$1,//p" demo.csv | cut -d, -f2,5; }

# What the store says: all runs of it, and their cpu hours.
stored() {
    runs=$(stint jobs --from 2000 --to 2030 -M "$1" -o job --format csv --no-header | wc -l)
    hours=$(stint report cpu_hours -M "$1" --from 2000 --to 2030 --format csv --no-header)
    echo "$runs,$hours"
}

cpu_used() {
    stint jobs --from 2000 --to 2030 -M "$1" -o cpu_used --format csv --no-header | awk '{ sum += $1 } END { printf "%.2f\n", sum / 3600 }'
}

# now: milliseconds
now() { date +%s%3N; }

# --- kill -9 ----------------------------------------------------------------------------------------

it 'an import tells the truth'
begun=$(now)
check stint import sge --cluster birch demo/birch/accounting --store whole
took=$(($(now) - begun))
STINT_STORE=$TMP/whole
expect_equal "$(truth birch)" "$(stored birch)"
expect_equal "$(sed -n 's/^birch,//p' demo.csv | cut -d, -f6 | awk '{ printf "%.2f\n", $1 }')" "$(cpu_used birch)"
stint jobs --fields all --from 2000 --to 2030 --sort job --format csv >whole.csv

# killed FILE: imports it, killed after a random time, again and again until it was fast enough.
killed() {
    kills=0
    span=$took
    while :; do
        "$STINT" import sge --cluster birch "$1" >/dev/null 2>&1 &
        pid=$!
        pause $span
        kill -9 $pid 2>/dev/null
        if wait $pid 2>/dev/null; then
            break
        fi
        kills=$((kills + 1))
        span=$((span + span / 4))
    done
}

gzip -c demo/birch/accounting >birch.gz
for file in demo/birch/accounting demo/birch/accounting birch.gz; do
    it "killed at any moment, $file ends up the same"
    STINT_STORE=$TMP/killed
    rm -rf killed
    killed $file
    expect_equal "$(truth birch)" "$(stored birch)"
    stint jobs --fields all --from 2000 --to 2030 --sort job --format csv >killed.csv
    expect_same whole.csv killed.csv
    expect_exit 0 stint import sge --cluster birch $file --format csv --no-header
    expect_equal unchanged "$(cut -d, -f2 "$OUT")"
done

it 'a reader may be the first in after a kill'
rm -rf killed
check stint import sge --cluster c "$F/accounting"
"$STINT" import sge --cluster birch demo/birch/accounting >/dev/null 2>&1 &
pid=$!
holds_the_store() { grep -q " $pid " /proc/locks || ! kill -0 $pid; }
until_true holds_the_store
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
expect_out 8,47 stint report jobs,cpu_hours -M c --from 2000 --to 2030 --format csv --no-header

it 'nothing but the store is left behind'
stint import sge --cluster birch demo/birch/accounting >/dev/null
expect_equal 'facts.duckdb lock ' "$(ls killed | tr '\n' ' ')"

it 'a store whose first file was half written begins anew'
STINT_STORE=$TMP/begun
mkdir begun
echo half >begun/facts.new
check stint import sge --cluster c "$F/accounting"
expect_equal 'facts.duckdb lock ' "$(ls begun | tr '\n' ' ')"

# --- interrupts -------------------------------------------------------------------------------------

# The import reads a pipe, and is interrupted before all of it has arrived: until then the store is not touched.
for signal in INT TERM; do
    it "SIG$signal ends an import in good order"
    STINT_STORE=$TMP/interrupted-$signal
    rm -f pipe
    mkfifo pipe
    # A shell without job control starts background commands with SIGINT ignored: env undoes that.
    env --default-signal=INT "$STINT" import sge --cluster birch pipe >out 2>err &
    pid=$!
    exec 3>pipe
    head -c 1500000 demo/birch/accounting >&3
    kill -$signal $pid
    tail -c +1500001 demo/birch/accounting >&3 2>/dev/null
    exec 3>&-
    wait $pid
    expect_equal 1 $?
    expect_exit 0 grep -q 'interrupted before all data had arrived; nothing was imported' err
    expect_exit 1 grep -qE 'Sanitizer|runtime error' err
    expect_exit 1 test -e "$STINT_STORE"
    check stint import sge --cluster birch demo/birch/accounting
    expect_equal "$(truth birch)" "$(stored birch)"
done

# --- --follow ---------------------------------------------------------------------------------------

# until_said TEXT: the follower says it.
until_said() {
    until_true grep -qF "$1" err
    t_next_name "'$1'"
    if grep -qF "$1" err; then
        t_ok "$t_this"
    else
        t_fail "$t_this" "$(cat err)"
    fi
}

STINT_STORE=$TMP/followed
cp "$F/accounting" live
: >err
"$STINT" import sge --cluster c --follow live >out 2>err &
pid=$!

it 'a followed file is read as it is'
until_said 'live: read 11, added 9, rejected 0'

it 'and as it grows'
{ head -n 1 "$F/accounting.more"; echo '# and a comment'; } >>live
until_said 'live: read 1, added 1, rejected 0'
: >err
expect_out 9,63 stint report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header

it 'and after it was rotated'
mv live live.1
until_said 'does not exist'
{ head -n 4 "$F/accounting"; tail -n 1 "$F/accounting.more"; tail -n 1 "$F/accounting.more" | sed 's/:fay:job:8:/:gus:job:9:/'; } >live.new
mv live.new live
until_said 'live: read 2, added 2, rejected 0'
: >err
expect_out 11,65 stint report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header

it 'and while it is being rotated: empty, then with half a row'
# until_seen: the follower has looked again: between two looks it sleeps, which is counted.
sleeps() { sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' /proc/$pid/status; }
until_seen() {
    slept=$(sleeps)
    until_true slept_twice
}
slept_twice() { [ "$(sleeps)" -ge $((slept + 2)) ]; }
: >live
until_seen
row=$(tail -n 1 "$F/accounting.more" | sed 's/:fay:job:8:/:hal:job:10:/')
printf %.100s "$row" >live
until_seen
printf '%s\n' "$row" >live
until_said 'live: read 1, added 1, rejected 0'
expect_out 12,66 stint report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header

it 'bad rows do not end it'
echo 'bad:row' >>live
until_said 'live: read 0, added 0, rejected 1'

it 'until it is told to end, which is no failure but for the bad row'
kill -TERM $pid
wait $pid
expect_equal 1 $?
expect_exit 1 grep -qE 'Sanitizer|runtime error' err

it 'without bad rows it ends with 0'
STINT_STORE=$TMP/followed2
cp "$F/accounting" live
: >err
"$STINT" import sge --cluster c --follow live >out 2>err &
pid=$!
until_said 'live: read 11, added 9, rejected 0'
kill -TERM $pid
wait $pid
expect_equal 0 $?

finish
