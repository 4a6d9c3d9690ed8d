#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Two questions over many runs, against the best SQL that was found by hand for the same store, and
# against qacct for the first.
#
#   BENCH_RUNS=20000000 BENCH_TIMES=5 sh bench/report.sh
#
# The first time a store of BENCH_RUNS is made in build/bench, by importing a made-up file.
#
# Inside the process: bench/sql runs the statement that `stint report --explain` shows and the one written
# by hand in turns, on one connection, the store being in the page cache. Whole processes: stint itself, and
# bench/sql with the statement by hand.
. "$(dirname "$0")/support/bench.sh"

runs=${BENCH_RUNS:-20000000}
store=$(store_of "$runs") || exit 1
facts=$store/facts.duckdb
cat "$facts" >/dev/null

micros() { echo "$(date -d "$1 00:00:00 UTC" +%s)000000"; }

from=$(micros "$year-01-01")
to=$(micros "$((year + 1))-01-01")
first=$(micros "$site_from")
last=$(micros "$((${site_to%%-*} + 1))-01-01")

# --- cpu_hours by user, one year ----------------------------------------------------------------------

year_args="cpu_hours --by user --from $year --to $year --no-rollups"
cat >"$tmp/year.hand.sql" <<SQL
SELECT "user", sum(cpus * (least(until, $to) - greatest(start, $from))) AS amount
FROM runs WHERE start < $to AND until > $from
GROUP BY "user" ORDER BY amount DESC NULLS LAST
SQL

# --- cpu_hours by month and group, all years ----------------------------------------------------------
#
# One pass: runs are grouped by their first and last month, with sums of cpus, cpus x start and cpus x end,
# from which the amount in each month between follows. Only few groups are left to be joined with the
# months. Slower, in this order: months of runs within one month at once and a range join of the others;
# a hash join of runs and days; an ASOF join of runs and months.

month_args="cpu_hours --by group --every month --from $site_from --to $site_to --no-rollups"
month_of() { echo "datediff('month', make_timestamp($first), make_timestamp($1))"; }
cat >"$tmp/month.hand.sql" <<SQL
WITH months AS (
    SELECT $(month_of 'epoch_us(m)') AS k, epoch_us(m) AS lower, epoch_us(m + INTERVAL 1 MONTH) AS upper
    FROM range(make_timestamp($first), make_timestamp($last), INTERVAL 1 MONTH) t(m)),
spans AS (
    SELECT "group", $(month_of start) AS m, $(month_of 'greatest(until - 1, start)') AS n,
        sum(cpus) AS cpus, sum(cpus * start) AS begun, sum(cpus * until) AS ended
    FROM runs WHERE start < $last AND until > $first GROUP BY ALL)
SELECT "group", k, sum(CASE WHEN k = n THEN ended ELSE cpus * upper END
    - CASE WHEN k = m THEN begun ELSE cpus * lower END) AS amount
FROM spans JOIN months ON k BETWEEN m AND n GROUP BY ALL ORDER BY k, amount DESC NULLS LAST
SQL

# What stint puts beside the statement for months: the calendar, a row a day (src/report/sql/sql.h).
cat >"$tmp/month.slots.sql" <<SQL
CREATE OR REPLACE TEMP TABLE slots AS
SELECT (epoch_us(d) - $first) // 86400000000 AS slot, datediff('month', make_timestamp($first), d) AS cell,
    epoch_us(date_trunc('month', d)) AS lower, epoch_us(date_trunc('month', d) + INTERVAL 1 MONTH) AS upper,
    cell AS bucket, lower AS bucket_lower, 0 AS weekday, 0 AS hour
FROM range(make_timestamp($first), make_timestamp($last), INTERVAL 1 DAY) t(d)
SQL
echo 'SELECT 1' >"$tmp/year.slots.sql"

# --- asking -------------------------------------------------------------------------------------------

explain() { # the statement stint would run
    "$STINT" report "$@" --explain --format json --store "$store" |
        awk '{ line = line $0 } END {
            sub(/^.*"sql":[ ]*"/, "", line)
            sub(/"[ ]*}[ ]*]?[ ]*$/, "", line)
            gsub(/\\"/, "\"", line)
            print line
        }'
}

# Sums of the hours, to see that both answered the same question: to ten digits.
total_stint() {
    "$STINT" report "$@" --store "$store" --format csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cpu_hours") c = i; next } { s += $c } END { printf "%.9e", s }'
}
total_hand() { "$sql" -a "$facts" "@$1" | awk -F '\t' '{ s += $NF / 3.6e9 } END { printf "%.9e", s }'; }

question() { # question NAME ARGUMENT...: into $tmp/NAME.*
    name=$1
    shift
    note "$name"
    explain "$@" >"$tmp/$name.stint.sql"
    "$sql" -n "$BENCH_TIMES" -s "@$tmp/$name.slots.sql" "$facts" "@$tmp/$name.stint.sql" "@$tmp/$name.hand.sql" \
        >"$tmp/$name.inside" || die "asking failed"
    "$measure" -n "$BENCH_TIMES" "$STINT" report "$@" --store "$store" >"$tmp/$name.whole" || die "the report failed"
    "$measure" -n "$BENCH_TIMES" "$sql" "$facts" "@$tmp/$name.hand.sql" >"$tmp/$name.whole.hand" || die "asking failed"
    ours=$(total_stint "$@")
    theirs=$(total_hand "$tmp/$name.hand.sql")
    [ "$ours" = "$theirs" ] || differs "$name: stint $ours, by hand $theirs hours"
}

inside() { awk -v n="$2" '$1 == n { print $2 }' "$tmp/$1.inside" | best 1; }

# shellcheck disable=SC2086 # words
question year $year_args
# shellcheck disable=SC2086
question month $month_args

# As people ask them: without --no-rollups.
for name in year month; do
    cp "$tmp/$name.slots.sql" "$tmp/$name-usual.slots.sql"
    cp "$tmp/$name.hand.sql" "$tmp/$name-usual.hand.sql"
done
# shellcheck disable=SC2086
question year-usual ${year_args% --no-rollups}
# shellcheck disable=SC2086
question month-usual ${month_args% --no-rollups}

# qacct takes whole runs by their start and end, so its sums differ a little; the work is the same.
qacct_ms=$(qacct_ms "$runs" -o -b "${year}01010000" -e "$((year + 1))01010000") || exit 1

machine
heading "report over $runs runs, $(($(wc -c <"$facts") / 1048576)) MiB (best of $BENCH_TIMES)"
row "by user, $year: statement; other: by hand" "$(inside year 1)" "$(inside year 2)" ms 1.05
row "by user, $year, by roll-ups: statement; other: by hand" "$(inside year-usual 1)" "$(inside year-usual 2)" ms 1.05
row "by user, $year: process; other: by hand" "$(best 1 <"$tmp/year.whole")" "$(best 1 <"$tmp/year.whole.hand")" ms ""
row "by user, $year: process; other: qacct -o" "$(best 1 <"$tmp/year.whole")" "$qacct_ms" ms 0.01
row "by user, $year: process" "$(best 1 <"$tmp/year.whole")" "" ms 1000
row "by month, group: statement; other: by hand" "$(inside month 1)" "$(inside month 2)" ms 1.05
row "by month, group, by roll-ups: statement; other: by hand" "$(inside month-usual 1)" "$(inside month-usual 2)" ms 1.05
row "by month, group: process; other: by hand" "$(best 1 <"$tmp/month.whole")" "$(best 1 <"$tmp/month.whole.hand")" ms ""
row "by month, group: process" "$(best 1 <"$tmp/month.whole")" "" ms 1000
row "by month, group: peak memory" "$(largest 3 <"$tmp/month.whole")" "" KiB ""
agree
