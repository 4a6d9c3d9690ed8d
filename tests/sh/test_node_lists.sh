#!/bin/sh
# SPDX-License-Identifier: MIT
#
# -w means any node of a run, not the first alone; and a run keeps its name when its cluster counts as another.
. "$(dirname "$0")/../support/sh.sh"

cat >accounts <<'ROWS'
JobID|User|Submit|Start|End|State|AllocCPUS|NNodes|NodeList
1|ann|2025-03-01T00:00:00|2025-03-01T01:00:00|2025-03-01T02:00:00|COMPLETED|6|3|c[1-3]
2|ann|2025-03-01T00:00:00|2025-03-01T01:00:00|2025-03-01T02:00:00|COMPLETED|2|1|c2
3|bob|2025-03-01T00:00:00|2025-03-01T01:00:00|2025-03-01T02:00:00|COMPLETED|4|2|c3,g01
4|bob|2025-03-01T00:00:00|2025-03-01T01:00:00|2025-03-01T02:00:00|COMPLETED|4|3|c3,g[01-02]
5|bob|2025-03-01T00:00:00|Unknown|2025-03-01T02:00:00|CANCELLED|0|0|None assigned
ROWS
stint import slurm --cluster birch --zone UTC accounts >/dev/null 2>&1

jobs() { # the numbers of the jobs that are listed
    stint jobs --from 2025-03-01 --to 2025-03-01 --zone UTC --fields job --sort job \
        --format csv --no-header "$@" | tr '\n' ' '
    echo
}

it 'a run is found by any of its nodes'
expect_out '1 2 ' jobs -w c2
expect_out '1 3 4 ' jobs -w c3
expect_out '3 4 ' jobs -w 'g*'
expect_out '4 ' jobs -w g02
expect_out '' jobs -w g1

it 'several names are alternatives, and a run is there once'
expect_out '1 2 ' jobs -w c1,c2
expect_out '1 3 4 ' jobs -w 'c3,g*'

it 'leaving a node out leaves out every run that had it'
expect_out '2 5 ' jobs -w '!c3'

it 'reports count the same runs, each once'
expect_out 2 stint report jobs -w c2 --from 2025-03-01 --to 2025-03-01 --zone UTC --format csv --no-header
expect_out 3 stint report jobs -w 'c3,g*' --from 2025-03-01 --to 2025-03-01 --zone UTC --format csv --no-header

it 'by node, a run counts on each of its nodes, with its share'
by_node() {
    stint report --by node --from 2025-03-01 --to 2025-03-01 --zone UTC --format csv --no-header "$@"
}
expect_out 'c3,3,6
c2,2,4
g01,2,3
c1,1,2
g02,1,1' by_node jobs,cpu_hours
expect_out 'c3,3,6' by_node jobs,cpu_hours -w c3
expect_out 5 stint report nodes --from 2025-03-01 --to 2025-03-01 --zone UTC --format csv --no-header

it 'by node, cpus are where the accounting says they were'
STINT_STORE=$TMP/torque
cat >torque.log <<'ROWS'
03/01/2025 02:00:00;E;1.pbs;user=ann ctime=1740787200 start=1740790800 end=1740794400 exec_host=n1/0*8+n2/0*4 Exit_status=0 resources_used.cput=06:00:00
03/01/2025 03:00:00;E;2.pbs;user=ann ctime=1740787200 start=1740790800 end=1740798000 exec_host=n2/0+n2/1+n1/0+n3/0-4 Exit_status=0 resources_used.cput=08:00:00
03/01/2025 03:00:00;E;3.pbs;user=bob ctime=1740787200 start=1740790800 end=1740798000 exec_host=n3/0*2+n1/0*2 Exit_status=0 resources_used.cput=01:00:00
ROWS
stint import pbs --cluster torque --zone UTC torque.log >/dev/null 2>&1
tr ' ' '\n' <torque.log | awk -F= '
    $1 == "start" { start = $2 }
    $1 == "end" { hours = ($2 - start) / 3600 }
    $1 == "exec_host" {
        for (i = split($2, parts, "+"); i > 0; i--) {
            split(parts[i], part, "/")
            if (split(part[2], times, "*") > 1) cpus = times[2]
            else if (split(part[2], range, "-") > 1) cpus = range[2] - range[1] + 1
            else cpus = 1
            sum[part[1]] += cpus * hours
        }
    }
    END { for (node in sum) print node "," sum[node] }' | sort >by_hand
expect_out "$(cat by_hand)" by_node cpu_hours --sort node
expect_out 'n1,14
n2,8
n3,14' cat by_hand
expect_out 'n1,5.5
n2,4
n3,5.5' by_node cpu_used_hours --sort node
expect_out '"n1*8,n2*4"
"n2*2,n1*1,n3*5"
"n3,n1"' stint jobs --from 2025-03-01 --to 2025-03-01 --zone UTC --fields nodes --sort job --format csv --no-header
expect_out '1 2 3 ' jobs -w n1
expect_out '2 3 ' jobs -w n3
expect_exit 0 stint check --zone UTC
expect_out_has ' 0 differ'
STINT_STORE=$TMP/store

it 'a run keeps its name when it counts under another cluster'
id=$(stint jobs -j 3 --fields run_id --format csv --no-header)
expect_out 'birch:3@1740787200' echo "$id"
stint cluster add birch --node 'c3*' --as aspen >added 2>&1 || cat added >&2
expect_out 'aspen,birch:3@1740787200' stint jobs -j "$id" --fields cluster,run_id --format csv --no-header

it 'reports find a run by its name, whatever its cluster counts as'
expect_out 1 stint report jobs -j "$id" --from 2025-03-01 --to 2025-03-01 --zone UTC --format csv --no-header
expect_out 'aspen,1' stint report jobs -j "$id" --by cluster --from 2025-03-01 --to 2025-03-01 --zone UTC --format csv --no-header
expect_out 'aspen,2
birch,2' stint report jobs --by cluster --from 2025-03-01 --to 2025-03-01 --zone UTC --format csv --no-header

it 'roll-ups, which know nothing of rules, do not answer for them'
stint rollup >/dev/null 2>&1
expect_out 'aspen,2
birch,2' stint report jobs --by cluster --from 2025-03-01 --to 2025-03-01 --zone UTC --format csv --no-header

it 'where no runs are known, cpus are allocated as the list of nodes says'
STINT_STORE=$TMP/listed
for node in n1,5,MIXED n2,0,IDLE n3,64,ALLOCATED; do
    state=${node##*,} rest=${node%,*}
    echo "NodeName=${rest%,*} Arch=x86_64 CPUAlloc=${rest#*,} CPUTot=64 NodeHostName=${rest%,*} RealMemory=1000 AllocMem=0 Sockets=2 State=$state ThreadsPerCore=1 Partitions=main"
done >nodes.txt
check stint import slurm --cluster oak nodes.txt
expect_out 'n1,5
n2,0
n3,64' sh -c '"$STINT" nodes --format csv --no-header 2>/dev/null | cut -d, -f1,5 | sort'
stint metrics >metrics 2>/dev/null
for line in 'class="idle",state="allocated"} 0' 'class="idle",state="idle"} 64' 'class="mixed",state="allocated"} 5' 'class="mixed",state="idle"} 59' 'class="allocated",state="allocated"} 64'; do
    expect_exit 0 grep -qF "stint_cpus{cluster=\"oak\",$line" metrics
done

finish
