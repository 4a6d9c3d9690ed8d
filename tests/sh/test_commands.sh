#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The everyday commands against stint report, against stint jobs counted with awk, and against numbers worked
# out by hand; the accounts are those of test_report.sh and of tests/golden/weekly.sh.
# shellcheck disable=SC2086 # $all is words
. "$(dirname "$0")/../support/sh.sh"

stint import sge --cluster alder "$TESTS/golden/alder.accounting" >/dev/null 2>&1
stint import sge --cluster birch "$TESTS/golden/birch.accounting" >/dev/null 2>&1
hold_store "$STINT_STORE" # no question opens it again

csv() { stint "$@" --zone UTC --format csv --no-header; }
all='--from 2024-03-28 --to 2024-04-02'

# near WANT GOT: two numbers agree to nine digits or so.
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; print (d <= 1e-8 * (a < 0 ? -a : a) + 1e-9) ? "near" : a " and " b }'; }
column() { awk -F, -v c="$1" '{ print $c }'; }
total() { awk -F, -v c="$1" '{ s += $c } END { printf "%.10g\n", s }'; }

it 'usage is what report says'
csv report cpu_hours,gpu_hours,node_hours,mem_gib_hours,wall_hours,jobs,users --by cluster $all >want
csv usage $all >got
expect_same want got
csv report cpu_hours,gpu_hours,node_hours,mem_gib_hours,wall_hours,jobs,users --by project,user $all >want
csv usage --by project,user $all >got
expect_same want got
csv report cpu_hours,gpu_hours,node_hours,mem_gib_hours,wall_hours,jobs,users $all >want
csv usage --total $all >got
expect_same want got

it 'the total of different users is not the sum of its rows'
expect_equal '2 4' "$(csv usage $all | column 8 | tr '\n' ' ' | sed 's/ $//')"
expect_equal 5 "$(csv usage --total $all | column 7)"
stint usage $all --zone UTC >out
expect_equal '5' "$(awk '/^Total/ { print $NF }' out)"

it 'means of days add up to the hours of the period'
hours=$(csv report cpu_hours $all)
expect_equal near "$(near "$hours" "$(csv summary $all | awk -F, '{ s += $2 * 24 } END { printf "%.10f", s }')")"
hours=$(csv report wall_hours $all)
expect_equal near "$(near "$hours" "$(csv summary $all | awk -F, '{ s += $6 * 24 } END { printf "%.10f", s }')")"
# in Oslo one of the days has 23 hours
stint summary --every hour --from 2024-03-31 --to 2024-03-31 --zone Europe/Oslo --format csv --no-header >hours
expect_equal 23 "$(wc -l <hours)"

it 'waiting is what lies between submission and start'
# hand: 101 1 h, 102 12 h, 104 3 x 0.5 h, 106 1 h, 7 48 h, 8 0.5 h; 107 never started and nobody knows when it ended
expect_equal near "$(near 64 "$(csv summary $all | awk -F, '{ s += $7 * 24 } END { printf "%.10f", s }')")"

it 'resource-days are hours by 24'
csv report cpu_hours --by user $all | awk -F, '{ printf "%s %.6f\n", $1, $2 / 24 }' | sort >want
csv summary --by user $all | awk -F, '{ printf "%s %.6f\n", $1, $2 }' | sort >got
expect_same want got

it 'top: shares by hand'
expect_equal near "$(near "$(awk 'BEGIN { printf "%.12f", 2688 / 2895.5 }')" "$(csv top $all -n 1 | column 5)")"
expect_equal '1,nils 2,otto 3,mira 4,jörg 5,lena' "$(csv top $all | cut -d, -f1,2 | tr '\n' ' ' | sed 's/ $//')"
expect_equal 1 "$(csv top $all | tail -n 1 | column 6)"
expect_equal 'lena,3.5' "$(csv top --bottom -n 1 $all | cut -d, -f2,3)"

it 'who did not run'
expect_equal 'jörg lena mira' "$(csv top user --never --from 2024-04-01 --to 2024-04-02 | column 1 | tr '\n' ' ' | sed 's/ $//')"
expect_equal '' "$(csv top user --never $all)"
expect_equal 'alder01 alder02 birch01 birch02' "$(csv top node --never --from 2024-04-03 --to 2024-04-04 | column 1 | sort | tr '\n' ' ' | sed 's/ $//')"
# a job that took no time ran at its instant
expect_equal '' "$(csv top user --never -u lena --from 2024-03-31T06:00 --to 2024-03-31T06:01)"

it 'efficiency is the ratio of sums, and idle what is missing to one'
csv report cpu_efficiency,cpu_coverage --by user $all | sort >want
csv efficiency -n 0 $all | cut -d, -f1,4,5 | sort >got
expect_same want got
csv efficiency -n 0 $all >rows
expect_equal '' "$(awk -F, '{ d = $2 * (1 - $4) - $3; if (d > 1e-6 || d < -1e-6) print }' rows)"

it 'losses add up, and no hour is lost twice'
csv waste -n 0 $all >rows
expect_equal '' "$(awk -F, '{ d = $4 + $5 + $6 + $7 - $2; if (d > 1e-6 || d < -1e-6) print }' rows)"
expect_equal 5 "$(wc -l <rows)"
# hand: jörg's 16 hours ran into the limit; a tenth of the others is idle, but nils used more than he had
expect_equal '16 15.2 3.6 0.35 0' "$(column 2 <rows | tr '\n' ' ' | sed 's/ $//')"

it 'histograms are jobs counted one by one'
stint jobs $all --zone UTC --fields wall,wait,mem_peak,cpus,cpu_hours,start,end --format csv --no-header >runs
bin() { # COLUMN EDGE...: how many lie in each half-open bin
    bin_column=$1
    shift
    awk -F, -v c="$bin_column" -v edges="$*" 'BEGIN { n = split(edges, e, " ") }
        $6 != "" && $c != "" { for (i = n; i > 1 && $c < e[i]; i--); count[i]++; hours[i] += $5 }
        END { for (i = 1; i <= n; i++) printf "%d %.6g\n", count[i], hours[i] }' runs
}
bin 1 0 60 600 3600 14400 43200 86400 259200 604800 >want
csv sizes --of wall $all | awk -F, '{ printf "%d %.6g\n", $(NF - 4), $(NF - 1) }' >got
expect_same want got
bin 2 0 10 60 600 3600 14400 86400 259200 604800 >want
csv sizes --of wait $all | awk -F, '{ printf "%d %.6g\n", $(NF - 4), $(NF - 1) }' >got
expect_same want got
bin 3 0 268435456 1073741824 4294967296 17179869184 68719476736 274877906944 1099511627776 >want
csv sizes --of mem $all | awk -F, '$1 != "" { printf "%d %.6g\n", $(NF - 4), $(NF - 1) }' >got
expect_same want got
bin 4 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 >want
csv sizes --of cpus $all | awk -F, '{ printf "%d %.6g\n", $(NF - 4), $(NF - 1) }' >got
expect_same want got

it 'an edge belongs to the bin above it: job 101 took three hours, 102 six, 8 half an hour'
expect_equal 1 "$(csv sizes --of wall -j 101 $all | grep -F '[1h, 4h)' | awk -F, '{ print $3 }')"
expect_equal 1 "$(csv sizes --of wait -j 101 $all | grep -F '[1h, 4h)' | awk -F, '{ print $3 }')"

it 'sizes by shape count what report counts'
csv report jobs --by shape $all | sort >want
csv sizes $all | awk -F, -v OFS=, '{ sub(/"parallel/, "\"parallel") } $0 !~ /,0,0,0,0,0$/' | sed 's/^\("[^"]*"\|[^,]*\),\([0-9]*\),.*/\1,\2/' | sort >got
expect_same want got

it 'the hours of a week add up'
expect_equal "$(csv report jobs_submitted $all)" "$(csv when $all | total 3)"
expect_equal near "$(near "$(csv report cpu_hours $all)" "$(csv when cpu_hours $all | total 3)")"
expect_equal 144 "$(csv when $all | wc -l)"

it 'when: what a digit means is said below digits, not below pictures'
expect_exit 0 stint when $all
expect_out_has 'one digit per hour'
expect_exit 0 stint when $all --plot # which stands above the digits
expect_out_has 'one digit per hour'
for format in svg html; do
    expect_exit 0 stint when $all --format $format
    expect_out_has '</svg>'
    expect_exit 1 grep -q 'one digit per hour' "$OUT"
done

it 'compare is two reports'
a='--from 2024-04-01 --to 2024-04-02' b='--from 2024-03-29 --to 2024-03-30'
csv report cpu_hours --by user $a >now
csv report cpu_hours --by user $b >before
awk -F, 'NR == FNR { now[$1] = $2; all[$1] = 1; next } { before[$1] = $2; all[$1] = 1 }
    END { for (u in all) printf "%s,%.10g,%.10g,%.10g\n", u, now[u], before[u], now[u] - before[u] }' now before | sort >want
csv compare --by user $a --with 2024-03-29..2024-03-30 | cut -d, -f1-4 | sort >got
expect_same want got
expect_equal 'lena,gone mira,gone' "$(csv compare --by user $a --with 2024-03-29..2024-03-30 | awk -F, '$6 != "" { print $1 "," $6 }' | sort | tr '\n' ' ' | sed 's/ $//')"
csv compare --by user --from 2024-03-30 --to 2024-03-30 --with 2024-03-28..2024-03-28 >got
expect_equal 'lena,new nils,new otto,new' "$(awk -F, '$6 == "new" { print $1 "," $6 }' got | sort | tr '\n' ' ' | sed 's/ $//')"
expect_equal '' "$(awk -F, '$6 == "new" && $5 != ""' got)"

it 'previous is as long in the calendar'
check stint compare --by none --zone UTC --from 2024-04
expect_out_has 'before: 2024-03-01T00:00:00Z to 2024-04-01T00:00:00Z'
check stint compare --by none --zone UTC --from 2024-03-30 --to 2024-04-02
expect_out_has 'before: 2024-03-26T00:00:00Z to 2024-03-30T00:00:00Z'
check stint compare --by none --zone UTC --from 2024-03 --with last-year
expect_out_has 'before: 2023-03-01T00:00:00Z to 2023-04-01T00:00:00Z'

it 'a name nobody has is a sentence, not an empty table'
expect_exit 1 stint report cpu_hours --by user -u otot $all
expect_no_out
expect_err_has "no run has user 'otot'; did you mean 'otto'?"
expect_exit 1 stint jobs --cluster ader $all --format csv
expect_err_has "no run has cluster 'ader'; did you mean 'alder'?"
expect_exit 0 stint report cpu_hours -u 'otot*' $all
expect_exit 0 stint report cpu_hours -u '!otot' $all
expect_exit 0 stint report cpu_hours -u otto,otot $all
expect_exit 0 stint report cpu_hours -u lena --from 2024-04-02 --to 2024-04-02

it 'what makes no sense is said'
expect_exit 2 stint report cpu_hours --by user --from 2024-01-01 --to 2023-01-01
expect_err_has 'write the earlier one first'
expect_exit 2 stint top usre
expect_err_has "did you mean 'user'?"
expect_exit 2 stint summary --by user --every month
expect_err_has 'leave out --every'
expect_exit 2 stint when jobs,cpu_hours
expect_exit 2 stint history --years 0
expect_exit 2 stint usage --year-starts 13
expect_err_has '--year-starts needs a month, 1 to 12'
expect_exit 1 stint usage --store "$TMP/nowhere"
expect_err_has 'import something first'

it 'machine formats say on stderr what was rejected'
expect_exit 1 stint import sge --store "$TMP/other" --cluster alder "$TESTS/golden/alder.accounting" --format csv
expect_err_has 'quarantine'
expect_exit 1 stint import sge --store "$TMP/third" --cluster alder "$TESTS/golden/alder.accounting" --format csv --quiet
expect_no_err

# --- a user, a job of ten hours a week in 2023, of ten and fourteen in turn in 2024 ------------------------

expect_exit 0 release_store
STINT_STORE=$TMP/weekly
sh "$TESTS/golden/weekly.sh" >weekly.accounting
stint import sge --cluster oak weekly.accounting >/dev/null 2>&1
hold_store "$STINT_STORE"

it 'history is report by month'
csv report cpu_hours --every month --from 2023 | column 2 >want
csv history --from 2023 | column 3 >got
expect_same want got

it 'a forecast by hand'
# 8 weeks of 10 and 14 hours: mean 12, s = sqrt(8 x 4 / 7); 212 days to go are r = 30.2857 weeks; t of 7 is 1.8946
csv forecast --as-of 2024-06-02 >got
expect_equal '264 12' "$(awk -F, '{ print $2, $3 }' got)"
expect_equal near "$(near "$(awk 'BEGIN { printf "%.9f", 264 + 12 * 212 / 7 }')" "$(column 4 <got)")"
band=$(awk 'BEGIN { r = 212 / 7; printf "%.4f", 1.8946 * sqrt(32 / 7) * sqrt(r + r * r / 8) }')
expect_equal good "$(awk -F, -v band="$band" '{ low = $4 - $5 - band; high = $6 - $4 - band
    print (low < 0.01 && low > -0.01 && high < 0.01 && high > -0.01) ? "good" : low " " high }' got)"

it 'weeks that do not vary leave no doubt'
csv forecast --as-of 2023-06-04 >got
expect_equal yes "$(awk -F, '{ print ($4 == $5 && $5 == $6) ? "yes" : "no" }' got)"

it 'fiscal years'
expect_out 'FY2023,260,true
FY2024,524,true' csv report cpu_hours --every year --from 2023-01 --to 2024-06 --year-starts 7
expect_out 524 csv report cpu_hours --from 2024 --year-starts 7
expect_out 130 csv report cpu_hours --from 2024-Q1 --year-starts 7
expect_out 524 csv report cpu_hours --from FY2024 --year-starts 7
expect_out 524 csv report cpu_hours --from FY24 --year-starts 7

it 'a fiscal year that nobody defined is no calendar year'
for period in FY2024 FY24 fy2024-Q1; do
    expect_exit 2 stint report cpu_hours --from $period
    expect_err_has "cannot read period '$period': the first month of the fiscal year is not configured; set --year-starts MONTH, or year_starts = MONTH in [site] of stint.conf; the calendar year is '2024'"
done
printf '[site]\nzone = UTC\nyear_starts = 7\n' >site.conf
expect_out 524 csv report cpu_hours --from FY2024 --config site.conf
expect_out 'FY2024,524,true' csv report cpu_hours --every year --from FY2024 --config site.conf
expect_exit 2 stint report cpu_hours --from 9999 --to 9999
expect_err_has "cannot read period '9999': years are 1970 to 2260"
expect_out 264 csv report cpu_hours --from 2024

# --- a made-up site, computed again from the list of its jobs ---------------------------------------------

expect_exit 0 release_store
STINT_STORE=$TMP/demo
stint demo --out site --runs 4000 --from 2024-05 >/dev/null 2>&1
for cluster in alder birch cedar; do
    stint import sge --cluster $cluster "site/$cluster/accounting" >/dev/null 2>&1
done
hold_store "$STINT_STORE"
month='--from 2024-05'
stint jobs --zone UTC --from 2024-01 --to 2024-12 --fields user,class,cpus,wall,cpu_used,req_mem,mem,mem_peak,end,start \
    --format csv --no-header | awk -F, '$10 != "" && $9 >= "2024-05-01" && $9 < "2024-06-01"' >ended
expect_equal "$(csv report jobs $month)" "$(wc -l <ended | tr -d ' ')"

it 'losses of a site are those of its jobs'
awk -F, '{
    given = $3 * $4; h[$1] += given
    if ($2 == "failed" || $2 == "timeout" || $2 == "oom") lost[$1] += given
    else if ($5 != "" && given > $5) lost[$1] += given - $5
    mem = $7 != "" ? $7 : $6
    if (mem != "" && $8 != "") { if (mem > $8 + 0) unused[$1] += (mem - $8) * $4; else unused[$1] += 0 }
} END { for (u in h) printf "%s %.4f %.6f %.2f\n", u, lost[u] / 3600, lost[u] / h[u], unused[u] / 3600 / 1073741824 }' ended |
    sort >want
csv waste -n 0 $month | awk -F, '{ printf "%s %.4f %.6f %.2f\n", $1, $2, $3, $8 }' | sort >got
expect_same want got

it 'efficiencies of a site are those of its jobs'
awk -F, '{ if ($5 != "") { g[$1] += $3 * $4; u[$1] += $5 } } END { for (n in g) if (g[n] > 0) printf "%s %.6f %.4f\n", n, u[n] / g[n], (g[n] - u[n]) / 3600 }' ended |
    sort >want
csv efficiency -n 0 $month | awk -F, '$4 != "" { printf "%s %.6f %.4f\n", $1, $4, $3 }' | sort >got
expect_same want got

it 'all that is asked with a total has the same total'
expect_equal "$(csv report cpu_hours $month)" "$(csv usage --total $month | column 1)"
expect_equal near "$(near "$(csv report cpu_hours $month)" "$(csv usage --by user $month | total 2)")"
expect_equal near "$(near "$(csv report cpu_hours $month)" "$(csv when cpu_hours $month | total 3)")"
expect_equal near "$(near "$(csv report cpu_hours $month)" "$(csv history --from 2024 | awk -F, '$2 == "2024-05" { print $3 }')")"
for of in shape cpus nodes wall mem; do
    expect_equal "$(csv report jobs $month)" "$(csv sizes --of $of $month | sed 's/^"[^"]*"//' | total 2)"
done
expect_equal "$(csv report jobs_started $month)" "$(csv sizes --of wait $month | sed 's/^"[^"]*"//' | total 2)"

it 'the hours of a queue do not depend on how time is cut'
waited=$(csv summary --every day $month | awk -F, '{ s += $7 * 24 } END { printf "%.6f", s }')
expect_equal near "$(near "$waited" "$(csv summary --every hour $month | awk -F, '{ s += $7 } END { printf "%.6f", s }')")"
expect_equal near "$(near "$waited" "$(csv summary --every month $month | awk -F, '{ s += $7 * 744 } END { printf "%.6f", s }')")"

it 'the process that had the store ends well'
expect_exit 0 release_store

finish
