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
whole() { sed 's/,\(true\|false\)$//'; }              # without saying which buckets are partial
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
    parts=$(csv report cpu_hours --every $every $all | whole | sum)
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
expect_out '2024-03-31,46,false' stint report cpu_hours --from 2024-03-31 --to 2024-03-31 --every day -u otto -M alder --zone Europe/Oslo --format csv --no-header

it 'what did nothing is left out of a series by group, and in the series of all is zero'
expect_out 'mira,2024-03-28,28,false
mira,2024-03-29,8,false' csv report cpu_hours --every day --by user -u mira $all
expect_out '2024-03-28,28,false
2024-03-29,8,false
2024-03-30,0,false
2024-03-31,0,false
2024-04-01,0,false
2024-04-02,0,false' csv report cpu_hours --every day -u mira $all

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

# alder's first job was submitted on 28 March at 8:00 UTC, birch's at midnight; nothing has run since 2 April
it 'a bucket that is not whole is marked, for people and for programs'
expect_out '2024-03,199.5,true
2024-04,0,false' csv report cpu_hours --every month -M alder --from 2024-03 --to 2024-04
expect_out '2024-03-28,28,false
2024-03-29,56,false' csv report cpu_hours --every day -M alder --from 2024-03-28 --to 2024-03-29
expect_out '2024-03-28,28,false
2024-03-29,32,true' csv report cpu_hours --every day -M birch,alder --from 2024-03-28 --to 2024-03-29T12:00
year=$(date +%Y)
expect_out "$((year - 1)),0,false
$year,0,true" csv report cpu_hours --every year --from $((year - 1)) --to "$year"
check stint report cpu_hours --every month -M alder --from 2024-03 --to 2024-04 --zone UTC
expect_out_has '2024-03 *'
expect_out_has '* not a whole month: data begin at 2024-03-28T00:00:00Z'
expect_equal 0 "$(grep -c Partial "$OUT")"
check stint report cpu_hours --every year --from $((year - 1)) --to "$year" --zone UTC
expect_out_has '* not a whole year: it is not over'
check stint report cpu_hours --every day --from 2024-03-29 --to 2024-03-30T06:00 --zone UTC
expect_out_has '* not a whole day: the period cuts it'
check stint report cpu_hours --every day --from 2024-03-29 --to 2024-03-30 --zone UTC
expect_equal 0 "$(grep -cF '*' "$OUT")"

it 'how far the data reach is told where it is not to the end'
expect_equal 0 "$(grep -c 'the data reach' "$OUT")"
check stint report cpu_hours $all --zone UTC
expect_out_has 'the data reach: alder to 2024-04-01T00:00:00Z'
expect_equal 0 "$(grep -c 'birch to' "$OUT")" # half a day before the end
check stint report cpu_hours --from 2024 --zone UTC
expect_out_has 'the data reach: alder to 2024-04-01T00:00:00Z, birch to 2024-04-02T12:00:00Z'
check stint report cpu_hours --from 2024 -M birch --zone UTC
expect_out_has 'the data reach to 2024-04-02T12:00:00Z'

it 'of how much a ratio is known'
cat >use.csv <<END
id,user,submit,start,end,cpus,used
1,ann,2024-03-28T00:00:00Z,2024-03-28T00:00:00Z,2024-03-28T03:00:00Z,1,5400
2,bob,2024-03-28T00:00:00Z,2024-03-28T00:00:00Z,2024-03-28T01:00:00Z,1,
END
printf '%s\n' 'job = id' 'user = user' 'submit = submit' 'start = start' 'end = end' 'cpus = cpus' 'cpu_used = used' \
    'exit_code := 0' >use.map
stint import csv --map use.map --cluster cedar use.csv --store known >/dev/null 2>&1
check stint report cpu_efficiency,jobs --from 2024 --store known
expect_out_has '50.0 %' # 1.5 of 3 hours
expect_out_has 'cpu_efficiency: known for 75.0 % (cpu_coverage)'
expect_out 'cpu_efficiency,jobs
0.5,2' stint report cpu_efficiency,jobs --from 2024 --store known --format csv

it 'other programs read the same numbers from CSV, JSON and Parquet'
bindings=$TOP/node_modules/@duckdb/node-bindings-linux-x64/duckdb.node
same() { node "$TESTS/support/same_numbers.mjs" "$bindings" "$1" same.json same.parquet; }
if [ -f "$bindings" ] && command -v node >/dev/null; then
    for by in '--every month' '--by cluster,user' ''; do
        for format in csv json parquet; do
            stint report cpu_hours,jobs,wait_hours,wait_median,cpu_efficiency,gpu_hours,mem_gib_hours,users,running_avg \
                --from 2024-03 --to 2024-04 $by --format $format --output same.$format
        done
        expect_exit 0 same same.csv
        expect_equal 1 "$(wc -l <"$OUT")" # how many rows, and no difference
        [ "$by" = '--every month' ] && expect_out_has '2 rows: period' && expect_out_has ' partial'
    done
    sed 's/2895.5/2895.6/' same.csv >wrong.csv
    expect_exit 0 same wrong.csv
    expect_out_has 'csv, row 0, cpu_hours: 2895.6, not 2895.5'
fi

finish
