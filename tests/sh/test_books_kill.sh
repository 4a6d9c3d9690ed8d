#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Several processes write the books at once, and some are killed: what was said to be done is there,
# nothing is there by half, and rows and history agree.
. "$(dirname "$0")/../support/sh.sh"

names() { stint metagroup list "$1*" --format csv --no-header | cut -d, -f2 | sort; }

# Every row has its entry in the history and every entry its row: nothing here was changed or removed.
agree() {
    stint metagroup list --format csv --no-header | cut -d, -f1 | sort >rows
    stint books history --of metagroup --limit 0 --format csv --no-header | cut -d, -f6 | sort >entries
    expect_same rows entries
}

it 'two make the books at the same time'
for i in 1 2 3 4; do
    stint metagroup add "first$i" >/dev/null 2>"err$i" &
done
wait
cat err1 err2 err3 err4 >errors
expect_equal '' "$(cat errors)"
expect_equal 4 "$(names first | wc -l)"
agree

it 'two write one after the other, a hundred times'
writer() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
        stint metagroup add "$1-$i" >/dev/null || echo "$1-$i failed"
    done >"$1.said" 2>&1
}
for w in wa wb wc wd; do
    writer $w &
done
wait
expect_equal '' "$(cat wa.said wb.said wc.said wd.said)"
expect_equal 100 "$(names w | wc -l)"
agree

it 'killed at any moment, what was done is done'
: >done.txt
check stint metagroup add k0
# The longest pause follows the machine, whatever its load: longer after each that was killed, shorter after each that
# ended, until both have been seen often enough.
longest=100
kills=0
for i in $(seq 1 400); do
    "$STINT" metagroup add "k$i" >/dev/null 2>&1 &
    pid=$!
    pause "$longest"
    kill -9 $pid 2>/dev/null
    if wait $pid 2>/dev/null; then
        echo "k$i" >>done.txt
        longest=$((longest * 4 / 5 + 1))
    else
        kills=$((kills + 1))
        longest=$((longest * 5 / 4 + 1))
    fi
    test "$i" -ge 60 && test "$kills" -ge 5 && test "$(wc -l <done.txt)" -ge 5 && break
done
sort done.txt >done.sorted
names k >there
# those that ended well are there; one that was killed may be, if its commit was done
expect_equal '' "$(comm -23 done.sorted there)"
expect_exit 0 test "$kills" -ge 5
expect_exit 0 test "$(wc -l <done.txt)" -ge 5
agree

it 'an import that is killed is there as a whole or not at all'
{
    echo name
    seq -f 'sheet%g' 1 3000
} >sheet.csv
for i in 1 2 3 4 5 6 7 8; do
    "$STINT" metagroup import sheet.csv >/dev/null 2>&1 &
    pid=$!
    pause 900
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    n=$(names sheet | wc -l)
    expect_exit 0 test "$n" -eq 0 -o "$n" -eq 3000
done
check stint metagroup import sheet.csv
expect_equal 3000 "$(names sheet | wc -l)"
agree

it 'a restore that is killed leaves the old books or the new'
stint books dump --output new.json
check stint metagroup add old --store other
stint books dump --store other --output old.json
for i in 1 2 3 4 5 6; do
    "$STINT" books restore new.json --replace --store other >/dev/null 2>&1 &
    pid=$!
    pause 900
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    stint books dump --store other --output now.json --replace
    if cmp -s now.json old.json; then
        t_next_name same
        t_ok "$t_this"
    else
        expect_same new.json now.json
    fi
done

finish
