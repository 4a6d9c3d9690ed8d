#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Targets in the everyday commands. The runs are those of golden/weekly.sh: one cpu every Wednesday, for ten hours
# in each of the 52 weeks of 2023, for ten and fourteen in turn in the first 22 of 2024, which is 58 hours in
# January (five Wednesdays, beginning with ten), 48 in February and 264 until June.
. "$(dirname "$0")/../support/sh.sh"

sh "$TESTS/golden/weekly.sh" >weekly.accounting
stint import sge --cluster oak weekly.accounting >/dev/null 2>&1

csv() { stint "$@" --zone UTC --format csv --no-header; }
as_of='--as-of 2024-06-02'

it 'without a target nothing is said of one'
expect_exit 0 stint forecast --zone UTC $as_of
expect_equal 0 "$(grep -ci target "$OUT")"
expect_exit 0 stint history --zone UTC --from 2023 --to 2024
expect_equal 0 "$(grep -c 'Of ' "$OUT")"

# 2024 has 366 days: 732 hours are 2 a day
stint target add pledge --measure cpu_hours --amount 732 --per year --from 2024 >/dev/null
stint target add oaks --measure cpu_hours --amount 10 --per day -M oak >/dev/null
stint target add many --measure jobs --amount 8 --per month >/dev/null

# --- usage ------------------------------------------------------------------------------------------

# January: 58 hours and 5 jobs; of 2 x 31 hours, of 10 x 31 of the cluster, of 8 jobs
it 'usage: rows and their total have their own'
expect_exit 0 stint usage --zone UTC --from 2024-01 --width 140
expect_out_has 'CPU hours  Of target'
expect_equal 'oak 58.0 18.7 % --- 1' "$(awk '$1 == "oak" { print $1, $2, $3, $4, $(NF - 1), $NF }' "$OUT")"
expect_equal 'Total 58.0 93.5 % 62.5 % 1' "$(awk '$1 == "Total" { print $1, $2, $3, $4, $(NF - 2), $(NF - 1), $NF }' "$OUT")"
expect_out_has 'target pledge: 732.0 cpu_hours a year'
expect_out_has 'target many: 8 jobs a month'
expect_equal 'target oaks (cluster oak): 10.0 cpu_hours a day' "$(grep '^target oaks' "$OUT")"

it 'usage: a target tells of whom it is, and for when'
stint target add few --measure cpu_hours --amount 20 --from 2024-01-01 --to 2024-01-31 -M oak -u mira >/dev/null
expect_exit 0 stint usage --zone UTC --from 2024-01 -u mira --width 140
expect_out_has 'target few (cluster oak, user mira): 20.0 cpu_hours from 2024-01-01T00:00:00Z to 2024-02-01T00:00:00Z'
stint target remove few >/dev/null

it 'usage: a script gets them when it asks'
expect_exit 0 csv usage --from 2024-01
expect_equal oak,58,,,,58,5,1 "$(sed 's/,[0-9.]*,,,58,/,58,,,,58,/; s/^oak,58,[^,]*,[^,]*,[^,]*,/oak,58,,,,/' "$OUT")"
expect_exit 0 csv usage --total --from 2024-01 --targets
expect_equal 58,62,0.935483871 "$(cut -d , -f 1-3 "$OUT")"
expect_exit 0 csv usage --from 2024-01 --targets
expect_equal oak,58,310,0.1870967742 "$(cut -d , -f 1-4 "$OUT")"

# 58 of 2 x 32; 5 jobs of 8 and of one day of 29 of another 8: 8.27586
it 'usage: a dimension that no target is about leaves that of the total'
expect_exit 0 stint usage --by user --zone UTC --from 2024-01 --to 2024-02-01 --width 140
expect_equal 'mira 58.0 ---' "$(awk '$1 == "mira" { print $1, $2, $3 }' "$OUT")"
expect_equal 'Total 58.0 90.6 % 60.4 %' "$(awk '$1 == "Total" { print $1, $2, $3, $4, $(NF - 2), $(NF - 1) }' "$OUT")"

# --- history ----------------------------------------------------------------------------------------

# January 58 of 62, February (29 days) 48 of 58, June to December nothing of what was to be; 264 of 732 in all
it 'history: the last column is the share that the last year reached'
expect_exit 0 stint history --zone UTC --from 2023 --to 2024
expect_equal 'Jan 40.0 * 58.0 --- 93.5 %
Feb 40.0 48.0 20.0 % 82.8 %' "$(awk '$1 == "Jan" || $1 == "Feb" { $1 = $1; print }' "$OUT")"
expect_equal 'Year 520.0 * 264.0 * --- 36.1 %' "$(awk '$1 == "Year" { $1 = $1; print }' "$OUT")"
expect_equal 'Month 2023 2024 Change Of pledge' "$(awk '$1 == "Month" { $1 = $1; print }' "$OUT")"
expect_out_has 'target pledge: 732.0 cpu_hours a year'

it 'history: a year without the target has no column for it'
expect_exit 0 stint history --zone UTC --from 2022 --to 2023
expect_equal 0 "$(grep -c 'pledge' "$OUT")"

it 'history: several measures keep their places'
expect_exit 0 stint history jobs,cpu_hours --zone UTC --from 2023 --to 2024 --width 140
expect_equal 'Jan 4 * 5 --- 62.5 % 40.0 * 58.0 --- 93.5 %' "$(awk '$1 == "Jan" { $1 = $1; print }' "$OUT")"

it 'history: a row a month for scripts, with targets on request'
expect_out '2024,2024-01,58,false
2024,2024-02,48,false' sh -c '"$STINT" history --zone UTC --from 2023 --to 2024 --format csv | grep 2024-0[12]'
expect_out '2024,2024-01,58,62,0.935483871,false
2024,2024-02,48,58,0.8275862069,false' sh -c '"$STINT" history --zone UTC --from 2023 --to 2024 --format csv --targets | grep 2024-0[12]'

it 'history: its picture is of the months, with the line'
expect_exit 0 stint history --zone UTC --from 2023 --to 2024 --format svg
expect_out_has '<title>CPU hours by month</title>'
expect_out_has '>pledge</text>'

# --- forecast ---------------------------------------------------------------------------------------

it 'forecast: against the target of the books, as against one that is given'
csv forecast $as_of --target 732 >given
csv forecast $as_of --targets >from-books
expect_same given from-books
expect_equal 264,732,0.3606557377 "$(cut -d , -f 2,7,8 given)"

# January to June has 182 days; so far is 264
it 'forecast: for all of the period, which is not over, in proportion'
expect_exit 0 csv forecast $as_of --to 2024-06 --targets --from 2024
expect_equal 264,364,0.7252747253 "$(cut -d , -f 2,7,8 "$OUT")"

# of the cluster: 10 a day for 366 days
it 'forecast: of just the runs that are asked about'
expect_exit 0 csv forecast -M oak $as_of --targets
expect_equal 264,3660,0.0721311475 "$(cut -d , -f 2,7,8 "$OUT")"
expect_exit 0 csv forecast -u mira $as_of --targets
expect_equal 6 "$(tr , '\n' <"$OUT" | grep -c .)"

it 'forecast: people see it, scripts that did not ask do not'
expect_exit 0 stint forecast --zone UTC $as_of
expect_equal 'Target pledge 732.0' "$(awk '$1 == "Target" { $1 = $1; print }' "$OUT")"
expect_out_has 'at this rate the target pledge is not reached within the period'
expect_out_has 'target pledge: 732.0 cpu_hours a year'
expect_exit 0 csv forecast $as_of
expect_equal 6 "$(tr , '\n' <"$OUT" | grep -c .)"

stint target add hope --measure cpu_hours --amount 50 --per month >/dev/null

it 'forecast: several targets stand below each other'
expect_exit 0 stint forecast --zone UTC $as_of
expect_equal 'Target pledge 732.0
Target hope 600.0' "$(awk '$1 == "Target" { $1 = $1; print }' "$OUT")"
expect_exit 0 stint forecast --zone UTC $as_of --targets --format csv
expect_out_has target_reached,target_2,target_so_far_2,target_expected_2,left_per_week_2,target_reached_2

it 'forecast: its picture has a bar for each end, and the lines'
expect_exit 0 stint forecast --zone UTC $as_of --plot --ascii --width 60
expect_out_has 'Forecast of CPU hours'
expect_equal 'So Expected Low High' "$(awk '$2 ~ /^\|/ || $3 ~ /^\|/ { print $1 }' "$OUT" | tr '\n' ' ' | sed 's/ $//')"
expect_out_has '! Target pledge'
expect_out_has ': Target hope'
expect_exit 0 stint forecast --zone UTC $as_of --target 500 --format svg
expect_out_has '>Target</text>'

it 'forecast: a picture shows each week, and what is ahead in a band'
expect_out_has 'class="c-band"'
expect_out_has ">CPU hours in all</text>"

finish
