#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What stint doctor says of the books: whether they are there, can be read, and go together with the runs.
. "$(dirname "$0")/../support/sh.sh"

stint import sge --cluster alder "$TESTS/golden/alder.accounting" >/dev/null 2>&1
stint import sge --cluster birch "$TESTS/golden/birch.accounting" >/dev/null 2>&1

# books: what the doctor finds of them, a line each.
books() { stint doctor --format csv --no-header | sed -n "s/^books,//p" | sed "s/schema [0-9]*/schema N/"; }

it 'no books are no trouble'
expect_out 'ok,"none; no metagroups, people or sizes of clusters are written down"' books

it 'books that fit the runs'
stint metagroup add science >/dev/null
stint member add science user mira >/dev/null
stint capacity add alder --cpus 100 >/dev/null
stint capacity add birch --cpus 100 >/dev/null
expect_out 'ok,open; schema N' books

it 'a member that no run knows is named'
stint member add science user mria >/dev/null
stint member add science group nobody >/dev/null
expect_out "ok,open; schema N
note,2 of stint member list name what no run has: membership 'science' 'user' 'mria'; membership 'science' 'group' 'nobody'" books

it 'and so is a size of a cluster that has no runs'
stint member remove 2 >/dev/null
stint member remove 3 >/dev/null
stint capacity set 2 --cluster brich >/dev/null
expect_out "ok,open; schema N
note,1 of stint capacity list names what no run has: size of a cluster 'brich'
note,\"nobody said how large birch is, so utilization is unknown: stint capacity add birch --cpus N\"" books

it 'what a rule gives is known'
stint cluster add birch --as brich >/dev/null
expect_out 'ok,open; schema N' books

it 'a pull dated ahead of the clock is trouble, and says what to do'
printf 'look birch 2036-01-01T00:00:00Z\nn1|8|||||idle|idle||\n' | "${STINT%/bin/stint}/tests/sightings" "$STINT_STORE"
expect_exit 1 stint doctor
expect_out_has "ahead of this machine's clock: a clock was wrong; the next pull asks for what was missed: stint pull birch"

it 'books that cannot be read are trouble, and the facts are looked at all the same'
head -c 5000 /dev/urandom >"$STINT_STORE/books.sqlite"
rm -f "$STINT_STORE"/books.sqlite-*
expect_exit 1 stint doctor
expect_out_has 'TROUBLE'
expect_out_has 'is damaged or not an SQLite file'
expect_out_has 'runs from'

finish
