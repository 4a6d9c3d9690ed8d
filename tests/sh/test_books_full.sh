#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No room on the disk of the books: a small file system in memory. Needs the right to mount.
. "$(dirname "$0")/../support/sh.sh"

mkdir small
trap 'umount "$TMP/small" 2>/dev/null; rm -rf "$TMP"' EXIT

it 'a disk may be too small'
need_mount small || finish

STINT_STORE=$TMP/small/store
{
    echo name,note
    seq -f "sheet%g,$(head -c 200 /dev/zero | tr '\0' x)" 1 2000
} >sheet.csv

# in_room KILOBYTES: two small changes, then one that may be too much; what was there stays; then more room.
failures=0
in_room() {
    it "$1 KiB"
    mount -t tmpfs -o "size=$1k" stint-test small || return
    run stint metagroup add one
    first=$status
    run stint metagroup add two
    second=$status
    stint books dump --output before.json --replace 2>/dev/null
    run stint metagroup import sheet.csv
    third=$status
    t_next_name 'said what is wrong'
    if [ $third -eq 0 ] || grep -q 'no space left' "$ERR"; then
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
    if [ $third -ne 0 ]; then
        failures=$((failures + 1))
        # what was there can be read while the disk is full, and is just that
        if [ $first -eq 0 ] && [ $second -eq 0 ]; then
            expect_exit 0 stint books dump --output during.json --replace
            expect_same before.json during.json
        fi
    fi
    mount -o remount,size=64m small
    run stint metagroup add one
    run stint metagroup add two
    check stint metagroup import sheet.csv
    expect_equal 2002 "$(stint metagroup list --format csv --no-header | wc -l)"
    expect_equal 2002 "$(stint books history -n 0 --format csv --no-header | wc -l)"
    umount small
}
for room in 40 100 160 240 400 700 1200 4000; do
    in_room $room
done

it 'some of these were too small and some were not'
expect_exit 0 test $failures -ge 3 -a $failures -le 7

finish
