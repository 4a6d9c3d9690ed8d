#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No room on the store's disk: a small file system in memory, grown when room is wanted. Needs the
# right to mount.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import
mkdir small
trap 'umount "$TMP/small" 2>/dev/null; rm -rf "$TMP"' EXIT

it 'a disk may be too small'
need_mount small || finish

# The rows of birch need some 5 MB in the store; alder's have no slave tasks.
stint demo --out demo --runs 20000 --from 2024-01-01 --to 2024-12-31 --seed 11 --format csv >demo.csv 2>/dev/null

totals() {
    stint report jobs,cpu_hours --by cluster --sort cluster --from 2000 --to 2030 --format csv --no-header --store small/store
}
import() { stint import sge --cluster "$1" "$2" --store small/store --format csv --no-header; }

# A cluster's row of a report, and what the demo says of it: cpu hours.
hours() { totals | sed -n "s/^$1,[0-9]*,//p"; }
true_hours() { sed -n "s/^$1,//p" demo.csv | cut -d, -f5; }

# in_room KILOBYTES: a small import before, then one that may be too much, in so much room; then more room.
in_room() {
    it "$1 KiB"
    mount -t tmpfs -o "size=$1k" stint-test small || return
    run import east "$F/accounting"
    first=$status
    t_next_name first
    if [ $first -eq 0 ] || grep -q 'no space left' "$ERR"; then
        t_ok "$t_this"
    else
        t_fail "$t_this" "$(t_heard)"
    fi
    run import birch demo/birch/accounting
    second=$status
    t_next_name second
    if [ $second -eq 0 ] || { [ $second -eq 1 ] && grep -q 'no space left' "$ERR" && grep -q 'run the same command again' "$ERR"; }; then
        t_ok "$t_this"
    else
        t_fail "$t_this" "$(t_heard)"
    fi
    t_next_name 'no sanitizer has anything to say'
    if grep -qE 'Sanitizer|runtime error' "$ERR"; then
        t_fail "$t_this" "$(t_heard)"
    else
        t_ok "$t_this"
    fi
    # What was there before can be read while the disk is full, and is just that.
    if [ $first -eq 0 ]; then
        run totals
        t_next_name 'earlier data'
        if [ $status -eq 0 ] && grep -q '^east,8,47$' "$OUT" && { [ $second -eq 0 ] || [ "$(wc -l <"$OUT")" -eq 1 ]; }; then
            t_ok "$t_this"
        else
            t_fail "$t_this" "first $first, second $second
$(ls -l small/store)
$(t_heard)"
        fi
    fi
    # With room it completes, and nothing is there twice.
    mount -o remount,size=64m small
    check import east "$F/accounting"
    check import birch demo/birch/accounting
    expect_equal "$(true_hours birch)" "$(hours birch)"
    expect_equal 47 "$(hours east)"
    failed_before=$((failed_before + (second != 0)))
    umount small
}

failed_before=0
for room in 500 1500 2500 3500 4500 9000; do
    in_room $room
done

it 'some of these were too small and some were not'
expect_exit 0 test $failed_before -ge 2 -a $failed_before -le 5

# Files one after the other in one command. After the failure nothing more must be written: what the
# engine would write then is not to be trusted.
facts() { stint jobs --fields all --from 2000 --to 2030 --sort job --format csv --store "$1"; }
set -- "$F/accounting" demo/birch/accounting demo/alder/accounting "$F/accounting.more"
stint import sge --cluster c --store clean "$@" >/dev/null 2>&1
facts clean >clean.csv
stint import sge --cluster c --store first "$F/accounting" >/dev/null 2>&1
facts first >first.csv
for room in 2000 3500; do
    it "several files in $room KiB"
    mount -t tmpfs -o size=${room}k stint-test small
    expect_exit 1 stint import sge --cluster c --store small/store "$@"
    expect_err_has 'no space left'
    expect_exit 1 grep -qE 'Sanitizer|runtime error' "$ERR"
    facts small/store >during.csv
    expect_same first.csv during.csv
    mount -o remount,size=64m small
    check stint import sge --cluster c --store small/store "$@"
    facts small/store >after.csv
    expect_same clean.csv after.csv
    umount small
done

# The room goes while a change waits in the log (the WAL) to be written into the file.
it 'a log that cannot be written back is read all the same'
mount -t tmpfs -o size=16m stint-test small
check import birch demo/birch/accounting
used=$(du -k small | tail -n 1 | cut -f1)
head -c $((16384 * 1024 - used * 1024 - 40000)) /dev/zero >small/ballast 2>/dev/null
run import east "$F/accounting"
first=$status
expect_exit 0 test $first -eq 0 -o $first -eq 1
expect_equal "$(true_hours birch)" "$(hours birch)"
rm small/ballast
check import east "$F/accounting"
expect_equal 47 "$(hours east)"
expect_equal "$(true_hours birch)" "$(hours birch)"
umount small

finish
