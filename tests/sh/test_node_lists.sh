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

finish
