#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Two clusters with partitions, nodes and reservations of the same names: each is a thing of its cluster, and is counted there.
. "$(dirname "$0")/../support/sh.sh"

# entry NAME CPUS USED STATE: as scontrol lists it
entry() {
    echo "NodeName=$1 Arch=x86_64 CoresPerSocket=$2 CPUAlloc=$3 CPUTot=$2 CPULoad=0.1 NodeHostName=$1 RealMemory=1000 AllocMem=0 Sockets=1 State=$4 ThreadsPerCore=1 Partitions=main"
}
{ entry n1 8 8 ALLOCATED; entry n2 8 0 IDLE; } >one.txt
entry n1 100 50 MIXED >two.txt
touch -d 2026-03-02T08:00:00Z one.txt two.txt
head='JobID|User|Account|Partition|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList'
printf '%s\n' "$head" '1|ann|a|main|RUNNING|2026-03-02T07:00:00|2026-03-02T07:00:00|Unknown|3600|8|8|1|n1' >one.psv
printf '%s\n' "$head" '1|ann|a|main|RUNNING|2026-03-02T07:00:00|2026-03-02T07:00:00|Unknown|3600|50|50|1|n1' \
    '2|ann|a|main|RUNNING|2026-03-02T07:30:00|2026-03-02T07:30:00|Unknown|1800|1|1|1|n1' >two.psv

csv() { stint "$@" --zone UTC --format csv --no-header 2>"$ERR"; }
nodes() { csv nodes "$@" | cut -d, -f1-4; }

it 'where one cluster is known, its partitions have their names'
check stint import slurm --cluster one --zone UTC one.txt
expect_equal 'main,2,16,8' "$(nodes --by partition)"

it 'partitions of one name are not added up over clusters'
check stint import slurm --cluster two --zone UTC two.txt
expect_equal 'one,main,2,16
two,main,1,100' "$(nodes --by partition)"
expect_equal 'one,main,allocated,1
one,main,idle,1
two,main,mixed,1' "$(nodes --by partition,class)"
expect_equal 'main,one,2,16
main,two,1,100' "$(nodes --by partition,cluster)"
expect_equal 'two,main,1,100' "$(nodes --by partition -M two)"
expect_equal 'allocated,1,8,8
idle,1,8,0
mixed,1,100,50' "$(nodes --by class)"

it 'nor are the jobs in them'
check stint import slurm --cluster one --zone UTC one.psv
expect_equal 'main,1' "$(csv queue --by partition --at 2026-03-02T07:45 | cut -d, -f1,5)"
check stint import slurm --cluster two --zone UTC two.psv
expect_equal 'one,main,1
two,main,2' "$(csv queue --by partition --at 2026-03-02T07:45 | cut -d, -f1,2,6 | sort)"

it 'as many dimensions as may be asked for leave room for the cluster'
check stint nodes --by partition,class,state,gpu_type
check stint queue --by partition,user,account,state

finish
