#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fifty commands of the bank at once, and sixteen clients that import and are charged: no update is
# lost, nothing is taken that is not there.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"

balance() { stint bank balance "$1" --format csv --no-header | cut -d, -f6; }

# N COMMAND...: the command with the number N in place of @, again while somebody else holds the books
persist() {
    n=$1
    shift
    until "$STINT" $(printf '%s ' "$@" | sed "s/@/$n/g") >"out$n" 2>"err$n"; do
        grep -q 'another process is changing' "err$n" || return 1
    done
}

it 'fifty transfers at once: what is there is given once, the rest is refused'
check stint bank open rich
check stint bank open poor
check stint bank grant rich 30
check stint bank grant poor 1
for i in $(seq 1 50); do
    { persist "$i" bank transfer rich 1 --into poor --id t@ && echo "$i" >"done$i"; } &
done
wait
expect_equal 30 "$(cat done* | wc -l)"
expect_equal 0 "$(balance rich)"
expect_equal 31 "$(balance poor)"
expect_equal 20 "$(cat err* | grep -c 'no allotment that holds now with a balance of 1')"
check stint bank check

it 'fifty grants of one id at once are one grant'
rm -f done* err* out*
for i in $(seq 1 50); do
    { persist "$i" bank grant poor 5 --id invoice-1 && echo "$i" >"done$i"; } &
done
wait
expect_equal 50 "$(cat done* | wc -l)"
expect_equal 36 "$(balance poor)"
check stint bank check

it 'fifty different commands at once: the sums are right'
rm -f done* err* out*
for i in $(seq 1 50); do
    case $((i % 5)) in
    0) persist "$i" bank grant rich 3 --id g@ & ;;
    1) persist "$i" bank adjust poor 2 --id a@ & ;;
    2) persist "$i" bank transfer poor 0.5 --into rich --id x@ & ;;
    3) persist "$i" bank adjust poor 1 --less --id l@ & ;;
    4) persist "$i" bank open new@ & ;;
    esac
done
wait
cat err* >said
expect_equal '' "$(cat said)"
expect_equal 35 "$(balance rich)"
expect_equal 41 "$(balance poor)"
check stint bank check

it 'sixteen clients at once: each imports a run, has a part of its charge refunded, and transfers'
check stint rate add cpu --cpu 1
check stint bank open busy --from 2025-01-01
check stint bank grant busy 1000 --from 2025-01-01
rm -f done* err* out*
client() {
    printf 'job,name,user,account,cpus,start,end\n%s,x,bob,busy,%s,2025-06-01T00:00:00,2025-06-01T01:00:00\n' \
        "$1" "$1" >"run$1.csv"
    # An import that finds the books taken for long leaves its run to the next charging.
    "$STINT" import csv --map map --cluster birch "run$1.csv" >"out$1" 2>"err$1"
    persist "$1" bank charge &&
        persist "$1" bank refund birch:@ 0.5 --id r@ &&
        persist "$1" bank transfer busy 1 --into rich --id b@ && echo "$1" >"done$1"
}
for i in $(seq 1 16); do
    client "$i" &
done
wait
expect_equal 16 "$(cat done* | wc -l)"
expect_equal 856 "$(balance busy)" # 1000, less 1 to 16 for the runs and 16 that went away, and 8 come back
expect_equal 51 "$(balance rich)"
check stint bank check

it 'killed at any moment and given again, a command with an id of its own has happened once'
check stint bank open twice
check stint bank grant twice 100
for i in $(seq 1 8); do
    "$STINT" bank transfer twice 1 --into rich --id "k$i" >/dev/null 2>&1 &
    pid=$!
    pause 150
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    check stint bank transfer twice 1 --into rich --id "k$i"
done
expect_equal 92 "$(balance twice)"
expect_equal 59 "$(balance rich)"
check stint bank check

finish
