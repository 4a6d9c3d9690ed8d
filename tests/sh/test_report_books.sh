#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What people decided, in reports. The runs are those of test_report.sh: on alder, mira has 12 cpu hours on 28
# March and 24 from 20:00 until 2:00 on the 29th; otto 144 on alder (long.q) and 8 on birch.
# shellcheck disable=SC2086 # $all is words
. "$(dirname "$0")/../support/sh.sh"

stint import sge --cluster alder "$TESTS/golden/alder.accounting" >/dev/null 2>&1
stint import sge --cluster birch "$TESTS/golden/birch.accounting" >/dev/null 2>&1

csv() { stint "$@" --zone UTC --format csv --no-header; }
all='--from 2024-03-28 --to 2024-04-02'

it 'nobody is in a metagroup before the books say so'
expect_out ',2895.5' csv report cpu_hours --by metagroup $all

# mira moves at midnight: 12 and 4 hours x 4 cpus before, 2 hours x 4 cpus after
stint metagroup add chem >/dev/null
stint metagroup add geo >/dev/null
stint metagroup add science >/dev/null
stint member add science metagroup geo >/dev/null
stint member add chem user mira --to 2024-03-28 >/dev/null
stint member add geo user mira --from 2024-03-29 >/dev/null
stint member add geo user otto >/dev/null

it 'hours are split at the day of the move'
expect_out ',2707.5
geo,160
chem,28' csv report cpu_hours --by metagroup $all
expect_out ',2707.5
science,160
chem,28' csv report cpu_hours --by metagroup_top $all

it 'one metagroup alone, and in a series'
expect_out 160 csv report cpu_hours --metagroup geo $all
expect_out '2024-03-28,28
2024-03-29,0' csv report cpu_hours --metagroup chem --every day --from 2024-03-28 --to 2024-03-29

it 'a part of a cluster counts as one of its own'
stint cluster add alder --partition 'long*' --as alder-long >/dev/null
expect_out 'birch,2696
alder-long,144
alder,55.5' csv report cpu_hours --by cluster $all
expect_out 144 csv report cpu_hours -M alder-long $all
expect_out 'alder-long,science,144,1' csv report cpu_hours,users --by cluster,department -M alder-long $all
stint cluster remove 1 >/dev/null
expect_out 'birch,2696
alder,199.5' csv report cpu_hours --by cluster $all

# 199.5 cpu hours of 100 cpus x 6 days; then 100 cpus for three days and 300 for the other three
it 'utilization is of what was there'
expect_out 'birch,
alder,' csv report utilization --by cluster --sort cluster --reverse $all
expect_exit 0 stint report utilization $all --zone UTC
expect_out_has '--- where nobody said how many cpus a cluster had: alder, birch; say it with: stint capacity add alder --cpus N'
stint capacity add alder --cpus 100 --to 2024-03-30 >/dev/null
expect_exit 0 stint report utilization -M alder $all --zone UTC
expect_out_has 'how many cpus alder had is known for '
expect_out '""' csv report utilization -M alder $all
stint capacity add alder --cpus 100 --from 2024-03-31 >/dev/null
expect_out 0.0138541667 csv report utilization -M alder $all
stint capacity set 2 --cpus 300 >/dev/null
expect_out 0.0069270833 csv report utilization -M alder $all
expect_exit 0 stint report utilization -M alder $all --zone UTC
expect_equal 0 "$(grep -c "how many cpus" "$OUT")"
expect_out 'birch,
alder,0.0069270833' csv report utilization --by cluster --sort cluster --reverse $all

it 'a size of nothing and two at once are refused, from a sheet too'
expect_exit 2 stint capacity add birch --cpus 0
expect_err_has "'cpus' must be more than 0"
expect_exit 1 stint capacity add alder --cpus 50 --from 2024-03-30
expect_err_has "cluster 'alder' would have two sizes at once: 100 cpus until 2024-03-30, number 1"
printf 'cluster,cpus,from\nbirch,4,\nbirch,8,2024-01-01\n' >sizes.csv
expect_exit 1 stint capacity import sizes.csv
expect_err_has "cluster 'birch' would have two sizes at once"
expect_equal 2 "$(csv capacity list | wc -l)"

it 'a cluster that no run has is told, and taken'
expect_exit 0 stint capacity add brich --cpus 8 --zone UTC
expect_out_has "no run has cluster 'brich' so far; did you mean 'birch'? change it with: stint capacity set 3 --cluster NAME"
expect_exit 0 stint capacity set 3 --cluster nowhere
expect_out_has "no run has cluster 'nowhere' so far; it waits for the first"
expect_exit 0 stint capacity set 3 --cluster birch
expect_equal 0 "$(grep -c 'no run has' "$OUT")"
stint cluster add alder --partition 'long*' --as alder-long >/dev/null
expect_exit 0 stint capacity add alder-long --cpus 8
expect_equal 0 "$(grep -c 'no run has' "$OUT")"
stint capacity remove 3 >/dev/null
stint capacity remove 4 >/dev/null
stint cluster remove 2 >/dev/null

it 'people read names, programs do not'
stint name add user otto 'Otto the Great' >/dev/null
expect_exit 0 stint report cpu_hours --by user $all
expect_out_has 'Otto the Great'
expect_out 'nils,2688
otto,152' csv report cpu_hours --by user --top 2 $all

it 'known gaps are told below the table'
stint gap add --cluster alder --from 2024-03-30 --to 2024-03-30 --what 'disk of the master full' >/dev/null
expect_exit 0 stint report cpu_hours $all --zone UTC
expect_out_has 'known gap on alder from 2024-03-30T00:00:00Z to 2024-03-31T00:00:00Z: disk of the master full'
expect_exit 0 stint report cpu_hours --from 2024-04-01 --to 2024-04-02
expect_equal 0 "$(grep -c 'known gap' "$OUT")"

finish
