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
expect_out_has '  9, started 2026-03-02 08:00 on c, 8.0 CPU h'
expect_out_has 'whole nodes stay free for others. Look at 9 -M c { and }.'
expect_equal 0 "$(grep -c 'came under the rule' "$OUT")"
echo 'Dear {name}' >text
# shellcheck disable=SC2086
expect_exit 2 stint hogs $P --rule scattered --message
expect_err_has '{name}, which is not replaced by anything'
rm text
# shellcheck disable=SC2086
expect_exit 1 stint hogs $P --rule scattered --message
expect_err_has 'text'

# --- rules that samples show -------------------------------------------------------------------------

# One day later, ten hours each, of which accounting says nothing that was used; a look at each node every ten minutes.
late() { job "$@" | sed 's/2026-03-02/2026-03-09/g; s/T10:00:00|7200/T18:00:00|36000/; s/|[0-9]*:59:00|/||/'; }
{
    echo "$head"
    late 21 ida main normal 8 1 n1 8 ''                # one cpu works
    late 22 jim main normal 128 4 'n[1-4]' 400 ''      # the fourth node does nothing
    late 23 kim gpu normal 32 1 g1 10 ,gres/gpu=2      # works for four hours, then waits
    late 24 lou gpu normal 16 1 g2 10 ,gres/gpu=1      # works for a tenth of the time
    late 25 meg main normal 48 4 'n[1-4]' 64 ''        # one of four nodes was looked at, and has little to do
    late 26 ned main normal 8 1 n2 64 ''               # eight cpus in turns
    late 27 oda gpu normal 16 1 g3 10 ,gres/gpu=1      # says nothing of how busy it is
    late 28 pia gpu normal 16 1 g4 10 ,gres/gpu=1      # never seen busy, with a model in its memory
    late 31 qia main normal 8 1 n1 64 ''               # 2 GiB of 64, by the kernel's counter
    late 32 rob main normal 8 1 n1 64 ''               # 2 GiB whenever it was looked at, with a peak of 40 between
    late 33 sam main normal 8 1 n1 64 ''               # 2 GiB and a lot of file cache
    late 34 tia main normal 16 4 'n[1-4]' 64 ''        # 1 GiB on three nodes, 12 of 16 on the fourth
    late 35 uma main normal 8 1 n1 64 ''               # 2 GiB by the counter, seen for seven of ten hours
    late 36 val gpu normal 16 1 g1 10 ,gres/gpu=1      # idle, seen for nine of ten hours
    late 37 wes gpu normal 16 1 g1 10 ,gres/gpu=1      # idle, seen nearly always
    late 38 xia main normal 8 1 n1 8 ''                # idle, seen for nine of ten hours
    late 39 yan main normal 8 1 n1 8 ''                # idle
    late 40 zed gpu normal 16 1 g1 10 ,gres/gpu=1      # idle at five looks in ten hours
} >late.psv
check stint import slurm --cluster c --zone UTC late.psv
cat >looks.mjs <<'END'
const start = Date.parse('2026-03-09T08:00:00Z');
const card = (job, uuid, ce_util, memory) => ({ uuid, index: 0, ...(ce_util === undefined ? {} : { ce_util }), memory: memory * 1048576, counters: { job, user: 'u' } });
const group = (job, minutes, cpus, gib, peak, cache) => ({ job, user: 'u', epoch: 0, cgroup: { cpu_time_us: Math.round(minutes * cpus * 6e7), rss_bytes: Math.round(gib * 2 ** 30),
    ...(peak ? { mem_peak_bytes: peak * 2 ** 30 } : {}), ...(cache ? { mem_file_bytes: cache * 2 ** 30 } : {}) }, processes: [] });
for (let m = 10; m <= 600; m += 10) {
    const nodes = {
        n1: { jobs: [group(21, m, 1, 1), group(22, m, 30, 90), group(25, m, 0.2, 1), group(31, m, 7, 2, 2), group(32, m, 7, 2, m < 300 ? 2 : 40), group(33, m, 7, 2, 60, 58),
            group(34, m, 3, 1, 1), group(35, m, 7, 2, 2), group(38, m, 0.1, 1), group(39, m, 0.1, 1)].filter(({ job }) => !(job === 35 && m > 420) && !(job === 38 && m > 540)) },
        n2: { jobs: [group(22, m, 30, 90), group(26, m, m % 80 ? 0.5 : 1, 1), group(34, m, 3, 1, 1)] },
        n3: { jobs: [group(22, m, 30, 90), group(34, m, 3, 1, 1)] },
        n4: { jobs: [group(22, m, 0.01, 0.01), group(34, m, 3, 12, 12)] },
        g1: { gpus: [card(23, 'A', m <= 240 ? 90 : 0, 40), card(23, 'B', m <= 240 ? 90 : 0, 40), ...(m > 540 ? [] : [card(36, 'F', 0, 40)]), card(37, 'G', 0, 40),
            ...(m % 120 ? [] : [card(40, 'H', 0, 40)])], jobs: [group(23, m, 20, 1), group(36, m, 2, 1), group(37, m, 2, 1), group(40, m, 2, 1)] },
        g2: { gpus: [card(24, 'C', 10, 40)], jobs: [group(24, m, 10, 1)] },
        g3: { gpus: [card(27, 'D', undefined, 40)], jobs: [group(27, m, 10, 1)] },
        g4: { gpus: [card(28, 'E', 0, 40000), card(28, 'E', 0, 40000)].slice(1), jobs: [group(28, m, 10, 1)] },
    };
    for (const [node, { gpus = [], jobs }] of Object.entries(nodes))
        console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
            data: { type: 'sample', attributes: { time: new Date(start + m * 60000).toISOString().replace('.000', ''), cluster: 'c', node, system: { counters: { cpus: 64 }, gpus }, jobs } } }));
}
END
node looks.mjs >looks.json
check stint import sonar --cluster c looks.json
P='--from 2026-03-09 --to 2026-03-09 --zone UTC'
unset STINT_CONFIG
for rule in serial idle-nodes idle-cpus paused-gpus idle-gpus low-gpus cpu-hogs unused-memory; do printf '[hog %s]\nbusy = 0\n' $rule; done >seen.conf
echo 'sum = 5' >sum
sed '/low-gpus/r sum' seen.conf >seen && mv seen seen.conf
seen() { for rule in "$@"; do hogs seen.conf --rule "$rule"; done; }

it 'serial programs and idle nodes are found by samples; what works in turns, and what was seen on one node of four, is not'
expect_equal 'serial,ida,1,70,CPU h,21
idle-nodes,jim,1,320,CPU h,22' "$(seen serial idle-nodes)"
expect_equal '' "$(hogs seen.conf | grep -E ',(meg|ned),' | grep -v -e ^scattered -e ^unused-memory)"

it 'memory is unused by a counter that misses no peak, of the node that had most, with its file cache, seen for enough of the time; looks accuse nobody'
expect_equal 'unused-memory,qia,1,620,GiB h,31' "$(hogs seen.conf --rule unused-memory)"

it 'what was not seen may have been at work: below the threshold is what is so even then'
expect_equal 'idle-gpus,wes,1,10,GPU h,37' "$(hogs seen.conf --rule idle-gpus | grep -v pia)"
expect_equal 'idle-cpus,yan,1,79,CPU h,39' "$(hogs seen.conf --rule idle-cpus)"

it 'GPUs that pause, and that work little, are found; one that says nothing is not known'
# Two cards from the first idle look, at 12:10, to the last, at 18:00; nine of ten hours.
expect_equal 'paused-gpus,kim,1,11.7,GPU h,23
low-gpus,lou,1,9,GPU h,24' "$(seen paused-gpus low-gpus)"
expect_equal '' "$(hogs seen.conf | grep ',oda,')"
printf '[hog low-gpus]\nbusy = 0\n' >conf
expect_equal '' "$(hogs conf --rule low-gpus)"

finish
