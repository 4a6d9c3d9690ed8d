#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What people decided, in reports. The runs are those of test_report.sh: on alder, mira has 12 cpu hours on 28
# March and 24 from 20:00 until 2:00 on the 29th; otto 144 on alder (long.q) and 8 on birch.
# shellcheck disable=SC2086 # $all is words
. "$(dirname "$0")/../support/sh.sh"

stint import sge --cluster alder "$TESTS/golden/alder.accounting" >/dev/null 2>&1
stint import sge --cluster birch "$TESTS/golden/birch.accounting" >/dev/null 2>&1
hold_store "$STINT_STORE" --all # nobody opens it again

csv() { stint "$@" --zone UTC --format csv --no-header; }
# the first two columns; the name and two sums of sizes; how many waited, as a mean over a day
two() { csv "$@" | cut -d , -f 1,2; }
three() { csv "$@" | sed -n 's/^"\(.*\)",\([0-9]*\),[^,]*,[^,]*,\([^,]*\),.*/\1,\2,\3/p'; }
waits_on() { day=$1 && shift && csv summary "$@" --from "$day" --to "$day" | cut -d , -f 7; }
targets_of() { # of two days, one of which has 23 hours in Oslo
    cluster=$1 && shift
    stint report cpu_hours --every day ${cluster:+-M "$cluster"} --from 2024-03-30 --to 2024-03-31 --targets "$@" --format csv --no-header |
        cut -d , -f 1,3
}
shares_of() { # the days that have a utilization
    csv report utilization -M "$1" --every day --from 2024-03-28 --to 2024-03-30 | awk -F, '$2 != "" { print $1 }' | xargs
}
csv_oak() {
    stint "$@" --store oak --zone UTC --format csv --no-header | cut -d, -f1-2 | sed 's/,true$//; s/,false$//'
}

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
expect_out '2024-03-28,28,false
2024-03-29,0,false' csv report cpu_hours --metagroup chem --every day --from 2024-03-28 --to 2024-03-29

# those that ended while in geo, with all of their hours: mira's 24 and 8, otto's 144; a tenth is unused
it 'a whole run counts where it was when it ended'
expect_out 'geo,17.6
,16.35
chem,1.2' two waste --by metagroup $all
expect_out 'geo,176
chem,12
,2707.5' two efficiency --by metagroup $all
expect_out 'parallel, nodes unknown,3,176' three sizes --metagroup geo $all
# mira's second was never started
expect_out 'mira,2024-03-28T20:00:00Z
otto,2024-03-29T00:00:00Z
otto,2024-04-01T12:30:00Z' csv jobs --metagroup geo --fields user,start --sort start --start '>2000' $all

# mira waited for half an hour, submitted when she was in geo
it 'waits are known of metagroups'
expect_out 0.0208333333 waits_on 2024-04-01 --metagroup geo
expect_out 0 waits_on 2024-04-01 --metagroup chem

# one person is mira on alder and otto on birch; otto on alder is somebody else
it 'a person is one row, whatever the login'
expect_out 'nils,2688,1,1
otto,152,1,1
mira,36,1,1
jörg,16,1,1
lena,3.5,1,1' csv report cpu_hours,users,people --by person $all
stint people add mm --logins alder:mira,birch:otto,zoe >/dev/null
expect_out 'nils,2688,1,1
otto,144,1,1
mm,44,2,1
jörg,16,1,1
lena,3.5,1,1' csv report cpu_hours,users,people --by person $all
expect_out '2895.5,5,5' csv report cpu_hours,users,people $all
expect_out '44,1' csv report cpu_hours,people --person mm $all
expect_out '1,nils,2688,1,0.9283370748,0.9283370748
2,otto,144,1,0.0497323433,0.9780694181
3,mm,44,3,0.0151959938,0.9932654118' csv top person -n 3 $all
expect_out 'mm,44' two usage --by person --person mm $all
expect_out 'mm,4.4' two waste --by person --person mm $all
expect_out 'chem,mm,2024-03-28,28,false
geo,otto,2024-03-29,48,false
geo,mm,2024-03-29,8,false' csv report cpu_hours --by metagroup,person --every day --from 2024-03-28 --to 2024-03-29
expect_exit 1 stint report cpu_hours --person nobody $all
expect_err_has "no run has person 'nobody'"
expect_exit 1 stint report cpu_hours --metagroup nobody $all
expect_err_has "no run has metagroup 'nobody'"

it 'what the books know of and has never run is told, too'
expect_out 'zoe,0,' csv top user --never $all
expect_out 'science,0,' csv top metagroup --never $all
expect_out 'zoe,0,' csv top user --never -u 'z*' $all
expect_exit 0 csv top user --never -M alder -u 'z*' $all
expect_equal '' "$(cat "$OUT")"
expect_exit 0 stint top user --bottom $all
expect_out_has '1 more without a run in this period: stint top user --never'
stint capacity add aspen --cpus 8 >/dev/null
expect_out 'aspen,0,' csv top cluster --never $all
stint capacity remove 1 >/dev/null

it 'a part of a cluster counts as one of its own'
stint cluster add alder --partition 'long*' --as alder-long >/dev/null
expect_out 'birch,2696
alder-long,144
alder,55.5' csv report cpu_hours --by cluster $all
expect_out 144 csv report cpu_hours -M alder-long $all
expect_out 'alder-long,science,144,1' csv report cpu_hours,users --by cluster,department -M alder-long $all
# 144 of 10 cpus x 5 days; all three, 2511.5 of 1110 cpus x 120 hours
known='--from 2024-03-28 --to 2024-04-01' # there are data of alder up to then
stint capacity add alder-long --cpus 10 >/dev/null
stint capacity add alder --cpus 100 >/dev/null
expect_out 'alder,0.004625
alder-long,0.12
birch,' csv report utilization --by cluster --sort cluster $known
expect_out '""' csv report utilization $known
stint capacity add birch --cpus 1000 >/dev/null
expect_out '0.0188551051' csv report utilization $known
expect_out '0.12' csv report utilization -M alder-long $known

it 'no percentage against a day without data: of a cluster, of one of several, of a part of one'
expect_out 'alder,
alder-long,
birch,0.0187222222' csv report utilization --by cluster --sort cluster $all
expect_out '""' csv report utilization $all
expect_out '0.0187222222' csv report utilization -M birch $all
expect_out '""' csv report utilization -M alder-long $all
expect_out 'alder-long,14.4' two waste --by cluster -M alder-long $all
expect_out 'otto,long.q' csv jobs -M alder-long --fields user,partition $all
expect_out 'otto,144
mm,36' csv report cpu_hours --by person -M 'alder*' --user otto,mira $all
for n in 2 3 4; do stint capacity remove $n >/dev/null; done
stint cluster remove 1 >/dev/null
expect_out 'birch,2696
alder,199.5' csv report cpu_hours --by cluster $all

# 199.5 cpu hours of 100 cpus x 5 days; then 100 cpus for three days and 300 for the other two
it 'utilization is of what was there'
expect_out 'birch,
alder,' csv report utilization --by cluster --sort cluster --reverse $all
expect_exit 0 stint report utilization $all --zone UTC
expect_out_has '---: the number of cpus is unknown for: alder, birch; define it with: stint capacity add alder --cpus N'
stint capacity add alder --cpus 100 --to 2024-03-30 >/dev/null
expect_exit 0 stint report utilization -M alder $all --zone UTC
expect_out_has 'the number of cpus of alder is known for '
expect_out '""' csv report utilization -M alder $all
stint capacity add alder --cpus 100 --from 2024-03-31 >/dev/null
expect_out 0.016625 csv report utilization -M alder $known
stint capacity set 6 --cpus 300 >/dev/null
expect_out 0.0092361111 csv report utilization -M alder $known
expect_exit 0 stint report utilization -M alder $all --zone UTC
expect_equal 0 "$(grep -c "how many cpus" "$OUT")"
expect_out 'birch,
alder,0.0092361111' csv report utilization --by cluster --sort cluster --reverse $known

it 'nor inside of a known gap'
stint gap add -M alder --from 2024-03-29 --to 2024-03-29 --what lost >/dev/null
expect_out '2024-03-28 2024-03-30' shares_of alder
expect_out '""' csv report utilization -M alder $known
stint gap remove "$(stint gap list --format csv --no-header | tail -n 1 | cut -d, -f1)" >/dev/null

it 'a size of nothing and two at once are refused, from a sheet too'
expect_exit 2 stint capacity add birch --cpus 0
expect_err_has "'cpus' must be greater than 0"
expect_exit 1 stint capacity add alder --cpus 50 --from 2024-03-30
expect_err_has "cluster 'alder' would have two sizes at once: 100 cpus until 2024-03-30, number 5"
printf 'cluster,cpus,from\nbirch,4,\nbirch,8,2024-01-01\n' >sizes.csv
expect_exit 1 stint capacity import sizes.csv
expect_err_has "cluster 'birch' would have two sizes at once"
expect_equal 2 "$(csv capacity list | wc -l)"

it 'a cluster that no run has is told, and taken'
expect_exit 0 stint capacity add brich --cpus 8 --zone UTC
expect_out_has "no run has cluster 'brich' so far; did you mean 'birch'? change it with: stint capacity set 7 --cluster NAME"
expect_exit 0 stint capacity set 7 --cluster nowhere
expect_out_has "no run has cluster 'nowhere' so far; it waits for the first"
expect_exit 0 stint capacity set 7 --cluster birch
expect_equal 0 "$(grep -c 'no run has' "$OUT")"
stint cluster add alder --partition 'long*' --as alder-long >/dev/null
expect_exit 0 stint capacity add alder-long --cpus 8
expect_equal 0 "$(grep -c 'no run has' "$OUT")"
stint capacity remove 7 >/dev/null
stint capacity remove 8 >/dev/null
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

# a year of 366 days: 366000 hours are 1000 a day; 2928 for 61 days are 48 a day
stint target add pledge --measure cpu_hours --amount 366000 --per year >/dev/null
stint target add small --measure cpu_hours --amount 240 --per day -M alder >/dev/null
stint target add goal --measure cpu_hours --amount 2928 --from 2024-03-01 --to 2024-04-30 -M birch >/dev/null
stint target add more --measure cpu_hours --amount 100 --per day -M birch >/dev/null
stint target add share --measure cpu_hours --amount 10 --per day --metagroup geo >/dev/null

it 'a target stands beside what it is about, in proportion'
expect_out '2024-03-28,28,1000,0.028,false
2024-03-29,56,1000,0.056,false' csv report cpu_hours --every day --from 2024-03-28 --to 2024-03-29 --targets
expect_out '2024-03,1735.5,31000,0.055983871,true
2024-04,1160,30000,0.0386666667,true' csv report cpu_hours --every month --from 2024-03 --to 2024-04 --targets
expect_out 'birch,2696,288,9.3611111111,600,4.4933333333
alder,199.5,1440,0.1385416667,,' csv report cpu_hours --by cluster $all --targets
expect_out 'geo,56,20,2.8
chem,28,,' csv report cpu_hours --by metagroup --from 2024-03-28 --to 2024-03-29 --targets
expect_out '56,20,2.8' csv report cpu_hours --metagroup geo --from 2024-03-28 --to 2024-03-29 --targets
expect_out '2895.5,6000,0.4825833333,10' csv report cpu_hours,jobs $all --targets

it 'and beside nothing else'
expect_out 199.5 csv report cpu_hours -M 'ald*' $all --targets
expect_out 36 csv report cpu_hours -M alder -u mira $all --targets
expect_out 10 csv report jobs $all --targets
expect_out 'nils,2688' csv report cpu_hours --by user --top 1 $all --targets
expect_out 'birch,2696
alder,199.5' csv report cpu_hours --by cluster $all

# half a day of 1000
it 'of a period that is cut, the target is'
expect_out '2024-03-29,32,500,0.064,true' csv report cpu_hours --every day --from 2024-03-29 --to 2024-03-29T12:00 --targets

# on the 100th day of a common year: 99 days and what has passed of it, of 365000 a year
it 'up to now'
before=$(date +%s)
year=$(date -d "@$before" +%Y)
expect_exit 0 csv report cpu_hours --from "$year" --to "$year" --targets
expect_equal yes "$(cut -d , -f 2 "$OUT" | awk -v before="$before" -v after="$(date +%s)" -v begin="$(date -d "$year-01-01" +%s)" \
    -v end="$(date -d "$((year + 1))-01-01" +%s)" '
    { s = $1 / 366000 * (end - begin); print (s >= before - begin - 1 && (s <= after - begin + 1 || s >= end - begin)) ? "yes" : $0 }')"

it 'days of 23 hours are shorter'
# in Oslo, 31 March has 23 hours: alder's 240 a day are for each day, of a year they are in proportion
expect_out '2024-03-30,240
2024-03-31,240' targets_of alder --zone Europe/Oslo
expect_out '2024-03-30,1000
2024-03-31,958.333333' targets_of '' --zone Europe/Oslo

it 'people see the share, and the line in pictures'
expect_exit 0 stint report cpu_hours --every day --from 2024-03-28 --to 2024-03-29 --zone UTC --plot
expect_out_has 'Of pledge'
expect_out_has '2.8 %'
expect_out_has '┆ pledge'
expect_out_has 'target pledge: 366,000.0 cpu_hours a year'
for format in svg html; do
    expect_exit 0 stint report cpu_hours --every day --from 2024-03-28 --to 2024-03-29 --zone UTC --format $format
    expect_out_has 'class="c-target"'
    expect_out_has '>pledge</text>'
done
expect_exit 0 stint report cpu_hours --every day --from 2024-03-28 --to 2024-03-29 --zone UTC --chart line
expect_out_has '╌ pledge'
stint name add cluster birch 'The Birch' >/dev/null
expect_exit 0 stint report cpu_hours --by cluster $all
expect_out_has 'The Birch'
expect_out_has '936.1 %'

it 'a time is covered of the cluster that runs count under, whatever the file was imported as'
printf 'JobID|Cluster|User|State|Submit|Start|End|AllocCPUS
1|oak|ann|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-31T00:00:00|8
2|oak|ann|COMPLETED|2024-03-01T00:00:00|2024-03-01T00:00:00|2024-03-31T00:00:00|8\n' >oak.txt
months='--every month --from 2024-01 --to 2024-05'
expect_exit 0 stint import slurm oak.txt --store oak --zone UTC
for as in '' elm; do
    [ -z "$as" ] || stint cluster add oak --as $as --store oak >/dev/null
    expect_out '2024-01,5760
2024-02,0
2024-03,5760
2024-04,
2024-05,' csv_oak report cpu_hours -M "${as:-oak}" $months
done
expect_exit 1 stint report cpu_hours -M oak $months --store oak
expect_err_has "the runs of cluster 'oak' count under 'elm'; ask for that: -M elm"
stint gap add -M oak --from 2024-02-01 --to 2024-02-29 --what lost --store oak >/dev/null # by its old name
expect_out '""' csv_oak report cpu_hours -M elm --from 2024-02 --to 2024-02

it 'a node is one of its cluster, in measures, by node and in rankings'
printf 'JobID|User|State|Submit|Start|End|AllocCPUS|NNodes|NodeList|JobName|Partition
1|ann|COMPLETED|2025-11-10T00:00:00|2025-11-10T00:00:00|2025-11-10T10:00:00|4|2|n[1-2]|cvat-1|gpu
2|ann|COMPLETED|2025-11-10T00:00:00|2025-11-10T00:00:00|2025-11-10T10:00:00|1|1|n1|x|cpu\n' >nodes.txt
for cluster in elm fir; do stint import slurm --cluster $cluster --zone UTC nodes.txt --store nodes >/dev/null; done
csv_nodes() { csv "$@" --from 2025-11-10 --to 2025-11-10 --store nodes; }
expect_out '4,100' csv_nodes report nodes,cpu_hours
expect_out 'ann,4' csv_nodes report nodes --by user
expect_out 'n1,elm,30,1
n1,fir,30,1
n2,elm,20,1
n2,fir,20,1' csv_nodes report cpu_hours,nodes --by node
expect_out 'n1,30,1
n2,20,1' csv_nodes report cpu_hours,nodes --by node -M elm
expect_equal '1,n1,elm,30 2,n1,fir,30' "$(csv_nodes top node | cut -d, -f1-4 | head -n 2 | xargs)"
expect_equal 'n1,elm,30 n1,fir,30 n2,elm,20 n2,fir,20' "$(csv_nodes usage --by node | cut -d, -f1-3 | sort | xargs)"
expect_equal 'n1,elm,30 n1,fir,30 n2,elm,20 n2,fir,20' "$(csv_nodes compare cpu_hours --by node --with 2025-11-09 | cut -d, -f1-3 | sort | xargs)"
expect_equal 'n1,elm n1,fir n2,elm n2,fir' "$(csv_nodes waste --by node | cut -d, -f1-2 | sort | xargs)"
expect_equal 'n1,elm n1,fir n2,elm n2,fir' "$(csv_nodes efficiency --by node | cut -d, -f1-2 | sort | xargs)"
expect_equal 'n1,elm n1,fir n2,elm n2,fir' "$(csv_nodes summary --by node | cut -d, -f1-2 | sort | xargs)"
expect_equal 'n1,elm,2 n1,fir,2 n2,elm,1 n2,fir,1' "$(csv top node --never --from 2025-11-08 --to 2025-11-08 --store nodes | cut -d, -f1-3 | sort | xargs)"
printf 'JobID|User|State|Submit|Start|End|AllocCPUS|NNodes|NodeList
3|ann|COMPLETED|2025-11-08T00:00:00|2025-11-08T00:00:00|2025-11-08T10:00:00|1|1|n2\n' >early.txt
stint import slurm --cluster fir --zone UTC early.txt --store nodes >/dev/null
expect_equal 'n1,elm n1,fir n2,elm' "$(csv top node --never --from 2025-11-08 --to 2025-11-08 --store nodes | cut -d, -f1-2 | sort | xargs)"
expect_exit 2 stint top node,user --never --store nodes
expect_exit 0 stint check --store nodes

it 'a gap of some runs is said, and of these alone nothing is known'
expect_exit 2 stint gap add --only cvat --from 2025-11-01 --to 2025-11-30 --what lost --store nodes
expect_err_has "is not FIELD=PATTERN"
stint gap add --only 'name=cvat*' --from 2025-11-11 --to 2025-11-30 --what lost --store nodes >/dev/null
printf 'JobID|User|State|Submit|Start|End|AllocCPUS|JobName
9|ann|COMPLETED|2025-11-20T00:00:00|2025-11-20T00:00:00|2025-11-20T01:00:00|1|y\n' >later.txt
stint import slurm --cluster elm --zone UTC later.txt --store nodes >/dev/null
expect_out '2025-11-10,40
2025-11-11,' two report cpu_hours --name cvat-1 -M elm --every day --from 2025-11-10 --to 2025-11-11 --store nodes
expect_out '2025-11-10,50
2025-11-11,0' two report cpu_hours -M elm --every day --from 2025-11-10 --to 2025-11-11 --store nodes
expect_exit 0 stint report cpu_hours -M elm --from 2025-11-10 --to 2025-11-11 --zone UTC --store nodes
expect_out_has 'known gap of runs with name cvat* from 2025-11-11T00:00:00Z to 2025-12-01T00:00:00Z: lost'

it 'a gap of some runs is one of the rows about them, and no percentage is of a time in it'
stint gap add --only 'partition=gpu' -M elm --from 2025-11-10 --to 2025-11-10 --what lost --store nodes >/dev/null
stint capacity add -M elm --cpus 10 --from 2025-01-01 --store nodes >/dev/null
stint capacity add -M fir --cpus 10 --from 2025-01-01 --store nodes >/dev/null
expect_out 'elm,,50
fir,0.2083333333,50' csv_nodes report utilization,cpu_hours --by cluster --sort cluster
expect_out 'elm,cpu,2025-11-10,10,false
elm,gpu,2025-11-10,40,true
fir,cpu,2025-11-10,10,false
fir,gpu,2025-11-10,40,false' csv_nodes report cpu_hours --by cluster,partition --every day --sort cluster
expect_out 'elm,ann,2025-11-10,50,true
fir,ann,2025-11-10,50,false' csv_nodes report cpu_hours --by cluster,user --every day --sort cluster
expect_out 'elm,gpu,40,0,40,,no data
elm,cpu,10,0,10,,before: partial data' csv_nodes compare cpu_hours --by cluster,partition -M elm --with 2025-11-11..2025-11-11
expect_out '""' csv_nodes report utilization -M elm
expect_out '0.2083333333' csv_nodes report utilization -M fir

it 'the process that had the store ends well'
expect_exit 0 release_store

finish
