#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Reports over a small store, worked out by hand; the accounts are in tests/golden/*.accounting:
#
#   alder 101  mira  4 cpus  28 March  9:00 to 12:00       12 cpu hours
#         102  mira  4       28        20:00 to 29th 2:00  24
#         103  otto  2       29        0:00 to 1 April    144
#         104  lena  1       30        10:30, three tasks of 65, 70, 75 minutes: 3.5
#         105  lena  1       31        6:00, no length
#         106  jörg  8       31        8:00 to 10:00       16
#         107  mira  never started
#   birch 7    nils  32      30        0:00 to 2 April 12:00: 2688
#         8    otto  16      1 April   12:30 to 13:00      8
# shellcheck disable=SC2086,SC1003 # $all is words; a backslash is a backslash
. "$(dirname "$0")/../support/sh.sh"

stint import sge --cluster alder "$TESTS/golden/alder.accounting" >/dev/null 2>&1
stint import sge --cluster birch "$TESTS/golden/birch.accounting" >/dev/null 2>&1

sum() { awk -F, '{ sum += $NF } END { print sum }'; } # of the last column
csv() { stint "$@" --zone UTC --format csv --no-header; }
all='--from 2024-03-28 --to 2024-04-02'

it 'totals'
expect_out '2895.5,171,10,10,5' csv report cpu_hours,wall_hours,jobs,jobs_started,users $all

it 'by cluster'
expect_out 'birch,2696
alder,199.5' csv report cpu_hours --by cluster $all

it 'by several'
expect_out 'birch,mpi.q,2696
alder,long.q,144
alder,all.q,55.5' csv report cpu_hours --by cluster,queue $all

it 'a total is the sum of its parts, however it is cut'
total=$(csv report cpu_hours $all)
for by in user group project department partition class name; do
    parts=$(csv report cpu_hours --by $by $all | sum)
    expect_equal "$total" "$parts"
done
for every in hour day week month quarter year; do
    parts=$(csv report cpu_hours --every $every $all | sum)
    expect_equal "$total" "$parts"
done

it 'dates include both ends, instants do not'
expect_out 28 csv report cpu_hours --from 2024-03-28 --to 2024-03-28
expect_out 12 csv report cpu_hours --from 2024-03-28T00:00 --to 2024-03-28T20:00
expect_out 28 csv report cpu_hours --from 2024-03-28T00:00 --to 2024-03-29T00:00

it 'names of periods'
expect_out 2895.5 csv report cpu_hours --from 2024
expect_out 2895.5 csv report cpu_hours --from 2024-Q1 --to 2024-Q2
expect_out 1735.5 csv report cpu_hours --from 2024-Q1
expect_out 1735.5 csv report cpu_hours --from 2024-03
expect_out 1160 csv report cpu_hours --from 2024-04

it 'days are those of the zone: otto starts at one in the morning'
expect_out '46' stint report cpu_hours --from 2024-03-29 --to 2024-03-29 -u otto --zone Europe/Oslo --format csv --no-header
expect_out '2024-03-31,46' stint report cpu_hours --from 2024-03-31 --to 2024-03-31 --every day -u otto -M alder --zone Europe/Oslo --format csv --no-header

it 'what did nothing is left out of a series by group, and in the series of all is zero'
expect_out 'mira,2024-03-28,28
mira,2024-03-29,8' csv report cpu_hours --every day --by user -u mira $all
expect_out '2024-03-28,28
2024-03-29,8
2024-03-30,0
2024-03-31,0
2024-04-01,0
2024-04-02,0' csv report cpu_hours --every day -u mira $all

it 'the most and the least'
expect_out 'nils,2688
otto,152' csv report cpu_hours --by user --top 2 $all
expect_out 'lena,3.5' csv report cpu_hours --by user --bottom 1 $all
expect_out 'jörg,16
lena,3.5
mira,36
nils,2688
otto,152' csv report cpu_hours --by user --sort user $all --top 9
expect_out 'lena,4,3.5' csv report jobs,cpu_hours --by user --top 1 $all

it 'filters'
expect_out 36 csv report cpu_hours -u mira $all
expect_out 188 csv report cpu_hours -u 'mira,otto' $all
expect_out 2707.5 csv report cpu_hours -u '!mira,!otto' $all
expect_out 2707.5 csv report cpu_hours -u '!mira' -u '!otto' $all
expect_out 144 csv report cpu_hours -u otto -M alder $all
expect_out 3.5 csv report cpu_hours --name 'sw*' $all
expect_out 8 csv report cpu_hours --name 'tide\**' $all
expect_out 2712 csv report cpu_hours --cpus '>=8' $all
expect_out 196 csv report cpu_hours --cpus 1..4,8,!16 -u '!nils' -M alder --wall '>0' --cpus '>1' $all
expect_out 2688 csv report cpu_hours --wall '>3d' $all
expect_out 16 csv report cpu_hours -s timeout $all
expect_out 16 csv report cpu_hours -s 100:137 $all
expect_out 3 csv report jobs --start 2024-03-30 -M alder --state '!pending' $all --end '<2024-04'

it 'what people type is data'
for text in "x'; DROP TABLE runs; --" "' OR '1'='1" '%' '_' '"' '$1' ') OR (1=1' "$(printf 'a\nb')"; do
    expect_exit 1 csv report cpu_hours --name "$text" $all
    expect_err_has 'no run has name'
done
for text in '\' '?'; do # patterns
    expect_out 0 csv report cpu_hours --name "$text" $all
done
expect_out 2895.5 csv report cpu_hours $all

it 'the statement'
expect_exit 0 stint report cpu_hours --by user --explain --format csv --no-header
expect_out_has 'FROM runs'

it 'the same numbers whatever the format'
stint report cpu_hours,jobs --by user $all --format csv | tr ',' '\t' >one
stint report cpu_hours,jobs --by user $all --format tsv >two
expect_same one two
stint report cpu_hours,jobs --by user $all --format markdown | sed '2d; s/^| //; s/ |$//; s/ | /\t/g' >two
expect_same one two
stint report cpu_hours,jobs --by user $all --format jsonl |
    sed 's/^{"user":"//; s/","cpu_hours":/\t/; s/,"jobs":/\t/; s/}$//' >two
sed 1d one >three
expect_same three two

finish
