#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint hogs: rules about how resources are divided among nodes and GPUs, to whom a site has them apply, from which sum on, and the
# site's own texts.
. "$(dirname "$0")/../support/sh.sh"

head='JobID|JobIDRaw|User|Account|Partition|QOS|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|TotalCPU|AllocTRES|ExitCode'
# job ID USER PARTITION QOS CPUS NODES NODELIST MEM-GiB TRES: two hours of one day, at work
job() {
    echo "$1|$1|$2|chem|$3|$4|md|COMPLETED|2026-03-02T07:00:00|2026-03-02T08:00:00|2026-03-02T10:00:00|7200|$5|$5|$6|$7|${8}G|600|$(($5 * 2 - 1)):59:00|cpu=$5,mem=${8}G,node=$6$9|0:0"
}
{
    echo "$head"
    job 1 ann gpu normal 32 1 g1 10 ,gres/gpu=1        # twice its part of 16 cpus a GPU
    job 2 ben gpu normal 4 1 g1 250 ,gres/gpu=1        # twice its part of 125 GiB a GPU
    job 3 cat main normal 8 4 'n[1-4]' 8 ''            # fits on one node
    job 4 dan gpu normal 4 4 'g[1-4]' 8 ,gres/gpu=4    # one GPU on each of four nodes
    job 5 eve main debug 8 4 'n[1-4]' 8 ''
    job 6 fay main normal 128 4 'n[1-4]' 400 ''        # whole nodes
    job 7 gus main normal 8 4 'n[1-4]' 400 ''          # its memory takes four nodes
    job 8 hal gpu normal 16 1 g2 125 ,gres/gpu=1       # its part
    job 9 cat main normal 4 2 'n[1-2]' 4 ''
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
for node in 1 2 3 4; do
    echo "NodeName=g$node Arch=x86_64 CoresPerSocket=32 CPUAlloc=0 CPUTot=64 Gres=gpu:a100:4 NodeHostName=g$node RealMemory=512000 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=1 Partitions=gpu"
    echo "NodeName=n$node Arch=x86_64 CoresPerSocket=16 CPUAlloc=0 CPUTot=32 NodeHostName=n$node RealMemory=131072 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=1 Partitions=main"
done >nodes.txt
touch -d 2026-03-02T07:30:00Z nodes.txt
check stint import slurm --cluster c --zone UTC nodes.txt

P='--from 2026-03-02 --to 2026-03-02 --zone UTC'
# hogs CONFIG [OPTION]...: rule, user, runs, lost, unit and example, in order
hogs() {
    conf=$PWD/$1
    shift
    # shellcheck disable=SC2086
    STINT_CONFIG=$conf stint hogs $P -n 0 --format csv --no-header "$@" 2>"$ERR" | cut -d, -f1-3,5-7 | sort
}
printf '[hog too-big]\nenabled = no\n' >always.conf
for rule in cpus-per-gpu memory-per-gpu scattered scattered-gpus; do printf '[hog %s]\nbusy = 0\n' $rule; done >>always.conf

it 'more beside a GPU than its part of the node, and what is scattered over nodes, is found'
expect_equal 'cpus-per-gpu,ann,1,32,CPU h,1
memory-per-gpu,ben,1,250,GiB h,2
scattered,cat,2,24,CPU h,3
scattered,eve,1,16,CPU h,5
scattered-gpus,dan,1,8,GPU h,4' "$(hogs always.conf)"

it 'a rule does not hold for the QOS, partitions and nodes that the site excludes, and holds only for those it names'
printf '[hog scattered]\nbusy = 0\nqos = !debug, !test*\n' >conf
expect_equal 'scattered,cat,2,24,CPU h,3' "$(hogs conf --rule scattered)"
printf '[hog scattered]\nbusy = 0\nqos = debug\n' >conf
expect_equal 'scattered,eve,1,16,CPU h,5' "$(hogs conf --rule scattered)"
printf '[hog scattered]\nbusy = 0\nnodes = !n4\n' >conf
expect_equal 'scattered,cat,1,8,CPU h,9' "$(hogs conf --rule scattered)"
printf '[hog scattered]\nbusy = 0\nnodes = n3, n4\n' >conf
expect_equal 'scattered,cat,1,16,CPU h,3
scattered,eve,1,16,CPU h,5' "$(hogs conf --rule scattered)"
printf '[hog scattered]\nbusy = 0\npartitions = !ma*\n' >conf
expect_equal '' "$(hogs conf --rule scattered)"

it 'nobody is named below the sum of the site'
printf '[hog scattered]\nbusy = 0\nsum = 20\n' >conf
expect_equal 'scattered,cat,2,24,CPU h,3' "$(hogs conf --rule scattered)"
printf '[hog scattered]\nbusy = 0\nsum = 25\n' >conf
expect_equal '' "$(hogs conf --rule scattered)"

it "messages have the site's own text, with what it asks to be replaced"
cat >text <<'TEXT'
Dear {user}, {runs} runs under {rule}, {lost} between {from} and {to}:
{list}{remedy} Look at {example} { and }.
TEXT
printf '[hog scattered]\nbusy = 0\nnodes = !n4\ntext = %s/text\n' "$PWD" >conf
export STINT_CONFIG="$PWD/conf"
# shellcheck disable=SC2086
run stint hogs $P --rule scattered --message
expect_out_has 'Dear cat, 1 runs under scattered, 8.0 CPU h between 2026-03-02 00:00 and 2026-03-03 00:00:'
expect_out_has '  9, started 2026-03-02 08:00, 8.0 CPU h'
expect_out_has 'whole nodes stay free for others. Look at 9 { and }.'
expect_equal 0 "$(grep -c 'came under the rule' "$OUT")"
echo 'Dear {name}' >text
# shellcheck disable=SC2086
expect_exit 2 stint hogs $P --rule scattered --message
expect_err_has '{name}, which is not replaced by anything'
rm text
# shellcheck disable=SC2086
expect_exit 1 stint hogs $P --rule scattered --message
expect_err_has 'text'

finish
