#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Daily sums are made in steps, each of which is committed: killed between two of them, no report uses half of the sums, and
# the next attempt completes them.
. "$(dirname "$0")/../support/sh.sh"

# Years of runs, in as many steps as there are months.
stint demo --out site --runs 12000 --from 2019-01-01 --to 2024-12-31 --seed 3 --quiet >/dev/null 2>&1
check stint import sge --cluster c site/birch/accounting --quiet
export TZ=Europe/Oslo # other days than those of the import: all sums are made anew

answer() { stint report cpu_hours,jobs,wait_hours --by user --every month --from 2019 --to 2024 --format csv "$@"; }
path() { stint report cpu_hours --from 2019 --to 2024 --explain --format csv "$@" | cut -d, -f1; }
used() { path "$@" | grep -q 'rollup_'; }
answer >want.csv

it 'without sums of this zone reports use the runs'
expect_exit 1 used

it 'killed while they are made, reports are the same and use none of them'
kills=0
halves=0
for pause in 0.05 0.1 0.15 0.2 0.3 0.5 1 2; do
    rm -rf try
    cp -r store try
    timeout -s KILL $pause "$STINT" rollup --store try >/dev/null 2>&1
    [ $? -ne 137 ] || kills=$((kills + 1))
    if ! used --store try; then
        halves=$((halves + 1))
    fi
    expect_out want.csv answer --store try
    check stint rollup --store try
    check used --store try
    expect_out want.csv answer --store try
done

it 'some of these were killed on the way'
check test $kills -ge 3
check test $halves -ge 3

it 'what is not due is not made: the store is only read'
before=$(stat -c %Y.%s try/facts.duckdb)
expect_exit 0 stint rollup --due --store try
check test "$before" = "$(stat -c %Y.%s try/facts.duckdb)"

it 'the sums are those of the runs'
expect_exit 0 stint check --from 2021 --to 2021 --store try
expect_out_has ' 0 differ'

finish
