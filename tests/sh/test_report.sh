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
hold_store "$STINT_STORE" # no question opens it again

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
expect_out 199.5 csv report cpu_hours --cpus 2..4,!16 -u '!nils' -M alder --wall '>0' --cpus 1 --cpus 8 $all
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
expect_out '| User | CPU hours | Jobs |
| --- | ---: | ---: |
| nils | 2,688.0 | 1 |
| otto | 152.0 | 2 |
| mira | 36.0 | 2 |
| jörg | 16.0 | 1 |
| lena | 3.5 | 4 |' stint report cpu_hours,jobs --by user $all --format markdown
stint report cpu_hours,jobs --by user $all --format jsonl |
    sed 's/^{"user":"//; s/","cpu_hours":/\t/; s/,"jobs":/\t/; s/}$//' >two
sed 1d one >three
expect_same three two

# alder's first job was submitted on 28 March at 8:00 UTC, birch's at midnight; nothing has run since 2 April
it 'a bucket that is not whole is marked, for people and for programs'
expect_out '2024-03,199.5,true
2024-04,0,true' csv report cpu_hours --every month -M alder --from 2024-03 --to 2024-04
expect_out '2024-03-28,28,false
2024-03-29,56,false' csv report cpu_hours --every day -M alder --from 2024-03-28 --to 2024-03-29
expect_out '2024-03-28,28,false
2024-03-29,32,true' csv report cpu_hours --every day -M birch,alder --from 2024-03-28 --to 2024-03-29T12:00
year=$(date +%Y)
expect_out "$((year - 1)),,
$year,," csv report cpu_hours --every year --from $((year - 1)) --to "$year"
check stint report cpu_hours --every month -M alder --from 2024-03 --to 2024-04 --zone UTC
expect_out_has '2024-03 *'
expect_out_has '* not a whole month: data are missing for part of it'
expect_equal 0 "$(grep -c Partial "$OUT")"
check stint report cpu_hours --every day --from 2024-03-29 --to 2024-03-30T06:00 --zone UTC
expect_out_has '* not a whole day: the period covers only part of it'
check stint report cpu_hours --every day --from 2024-03-29 --to 2024-03-30 --zone UTC
expect_equal 0 "$(grep -cF '*' "$OUT")"

it 'a bucket that is not over is marked, one that has not begun is not known'
yesterday=$(($(date +%s) / 86400 * 86400 - 86400))
year=$(date -d "@$yesterday" +%Y)
printf 'job,user,submit,start,end,cpus\n1,ann,%d,%d,%d,2\n' "$yesterday" $((yesterday + 1)) $((yesterday + 2)) >new.csv
printf 'job = job\nuser = user\nsubmit = submit\nstart = start\nend = end\ncpus = cpus\n' >new.map
check stint import csv --store recent --cluster elm --map new.map new.csv
check stint report jobs --store recent --every year --from $((year - 1)) --to $((year + 2)) --zone UTC --format csv
expect_out_has "$((year - 1)),,"
expect_out_has "$year,1,true"
expect_out_has "$((year + 2)),,"
check stint report jobs --store recent --every year --from $((year - 1)) --to $((year + 2)) --zone UTC
expect_out_has '* not a whole year: data are missing for part of it, or it is not over'

it 'which part of a period is covered is said where it is not all of it'
check stint report cpu_hours --from 2024-03-28 --to 2024-04-01 --zone UTC
expect_equal 0 "$(grep -c 'partly covered' "$OUT")"
check stint report cpu_hours $all --zone UTC
expect_out_has 'partly covered: there are data of alder to 2024-04-01'
expect_equal 0 "$(grep -c 'birch' "$OUT")"
check stint report cpu_hours --from 2024 --zone UTC
expect_out_has 'partly covered: there are data of alder from 2024-03-28 to 2024-04-01, birch from 2024-03-28 to 2024-04-02'
check stint report cpu_hours --from 2024-03-28 --to 2024-05 -M birch --zone UTC
expect_out_has 'partly covered: there are data to 2024-04-02'

it 'time without data is unknown, not nothing, wherever it is counted'
expect_out '2024-02,,,
2024-03,1536,0,true
2024-04,1160,2,true
2024-05,,,' csv report cpu_hours,jobs --every month -M birch --from 2024-02 --to 2024-05 --zone UTC
expect_out ',' csv report cpu_hours,jobs --from 2023 --zone UTC
expect_out 'birch,1536,,,,no data before
alder,199.5,,,,no data before' csv compare --from 2024-03 --with 2024-02 --zone UTC
expect_out '199.5,,,,no data before' csv compare --by none -M alder --from 2024-03 --with 2024-02 --zone UTC
expect_out 'birch,776,1536,-760,,before: partial data
alder,0,199.5,-199.5,,before: partial data' csv compare --from 2024-04-01 --to 2024-04-01 --with 2024-03 --zone UTC
check stint history jobs --years 1 -M birch --from 2024 --zone UTC
expect_out_has 'Apr      2 *'
expect_out_has 'Year     2 *'
expect_out_has 'Feb    ---'

it 'a gap that the books know of is time without data'
expect_exit 0 release_store
cp -r "$STINT_STORE" gapped
check stint gap add --store gapped --from 2024-03-29 --to 2024-03-31 --what 'disk full' --cluster birch
check stint report jobs_started --store gapped -M birch --every day --from 2024-03-28 --to 2024-04-02 --zone UTC --format csv
expect_out_has '2024-03-28,0,false'
expect_out_has '2024-03-29,,'
expect_out_has '2024-03-30,1,true' # a run tells of it nevertheless
expect_out_has '2024-04-02,0,false'

it 'of an empty store nothing is known'
stint import sge --store nothing --cluster alder /dev/null >/dev/null 2>&1
expect_out ',' csv report cpu_hours,jobs --store nothing --from 2024

it 'months as columns, with what is not covered unknown'
expect_out 'nils,,1536,1152,,2688
otto,,144,8,,152' csv report cpu_hours --by user -u nils,otto --every month --across every --from 2024-02 --to 2024-05
check stint report cpu_hours --by user -u nils -u otto --every month --across every --from 2024-02 --to 2024-04 --zone UTC
expect_out_has 'User   2024-02  2024-03 *  2024-04 *    Total'
expect_out_has 'Total      ---    1,680.0    1,160.0  2,840.0'
expect_exit 2 stint report cpu_hours,jobs --every month --across every --from 2024
expect_err_has 'one measure'

it 'months as columns: a cluster has no 0 where there are no data of it, and stars are its own'
for field in job user cpus start end state; do echo "$field = $field"; done >map
printf 'job,user,cpus,start,end,state
1,ann,4,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,done
2,bob,4,2024-12-30T00:00:00Z,2024-12-31T00:00:00Z,done\n' >first.csv
printf 'job,user,cpus,start,end,state
1,ann,4,2025-02-01T00:00:00Z,2025-02-02T00:00:00Z,done
2,ann,4,2025-12-30T00:00:00Z,2025-12-31T00:00:00Z,done\n' >second.csv
check stint import csv --map map --cluster first --store apart first.csv
check stint import csv --map map --cluster second --store apart second.csv
expect_out 'first,192,,192
second,,192,192' csv report cpu_hours --by cluster --every year --across every --from 2024 --to 2025 --store apart
expect_out 'ann,first,96,,96
bob,first,96,,96
ann,second,,192,192' csv report cpu_hours --by user,cluster --every year --across every --from 2024 --to 2025 --store apart
check stint report cpu_hours --by cluster --every year --across every --from 2024 --to 2025 --zone UTC --store apart
expect_out_has 'first    192.0    ---    192.0'
expect_out_has 'second     ---  192.0 *  192.0'
expect_out_has 'Total    192.0  192.0 *  384.0'
expect_out_has '* not a whole year: data are missing for part of it'

it 'where not all months fit, the last ones and the total stay'
check stint report cpu_hours --by cluster --every month --across every --from 2024-12 --to 2025-12 --zone UTC --store apart --width 50
expect_out_has 'Cluster  2025-09  2025-10  2025-11  2025-12  Total'
expect_out_has 'left out: 2025-01, 2024-12, 2025-02'

it 'people get a total where rows add up, machines do not'
check stint report cpu_hours,jobs --by cluster $all --zone UTC
expect_out_has 'Total      2,895.5    10'
check stint report cpu_hours,jobs --by cluster $all --zone UTC --format html
expect_out_has '<tr><td>Total</td><td class="n">2,895.5</td><td class="n">10</td></tr>'
check stint report users --by cluster $all --zone UTC
expect_equal 0 "$(grep -c Total "$OUT")"

it 'days of the week come in their own order'
expect_out 'Mon
Tue
Thu
Fri
Sat
Sun' sh -c "'$STINT' report jobs_started --by weekday $all --zone UTC --format csv --no-header | cut -d, -f1"

it 'what there is to know about an answer can go with it'
check stint report cpu_hours --by cluster $all --zone UTC --format csv --with-meta
expect_out_has '# period_from: 2024-03-28T00:00:00Z'
expect_out_has '# zone: UTC'
expect_out_has '# data_to: 2024-04-03T00:00:00Z'
expect_out_has '# column cpu_hours: CPU hours (hours); '
expect_out_has 'birch,2696'
check stint report cpu_hours --by cluster $all --zone UTC --format json --with-meta
expect_out_has '{"meta":{"period_from":"2024-03-28T00:00:00Z"'
expect_out_has '"rows":'
expect_exit 2 stint report cpu_hours --with-meta

it 'so do the lines below a table, with the rows of machines'
printf 'job,user,cpus,start,end,state
1,ann,4,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,done
2,bob,,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,done\n' >lacking.csv
check stint import csv --map map --cluster first --store lacking lacking.csv
for format in csv tsv json jsonl; do
    check stint report cpu_hours --by user --from 2024 --zone UTC --store lacking --format $format --with-meta
    expect_out_has 'cpu_hours: 1 of 2 runs is not included (cpus not recorded): 50.0 % of the wall time'
    expect_out_has 'partly covered: there are data to 2024-01-02'
    expect_equal 0 "$(grep -c Total "$OUT")"
done
expect_exit 0 stint usage --from 2024 --zone UTC --store lacking --format csv --with-meta
expect_out_has '# note: cpu_hours: 1 of 2 runs is not included'

it 'options of every command may stand before it'
expect_out '2895.5,10' stint --zone UTC --format=csv --no-header report cpu_hours,jobs $all

it 'words that people of other tools type'
expect_out 10 csv report jobs -s CD,F,TO $all
expect_out 8 csv report jobs -s COMPLETED $all
expect_exit 2 stint report jobs --by month
expect_err_has 'stint report has --every month'
expect_exit 2 stint import sgee x
expect_err_has 'the sources are: '
check stint report cpu_hours --by account -M birch $all --zone UTC

it 'times as people of other tools write them'
for period in now-7days now-2hours Jan; do
    check stint report jobs --from $period
done
expect_out "$(csv jobs $all | head -n 2)" csv jobs $all -n 2

it 'one run is one run'
check stint job 101
expect_out_has '1 run of job 101'

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
expect_out_has 'cpu_efficiency: recorded for 75.0 % (cpu_coverage)'
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
