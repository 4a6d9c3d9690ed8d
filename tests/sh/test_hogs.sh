#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint hogs with samples, nodes and a site's own rules: who breaks which rule, who is exempt, and what is written to whom, once.
. "$(dirname "$0")/../support/sh.sh"

head='JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|TotalCPU|AllocTRES|ExitCode'
# job ID USER PARTITION HOURS CPUS CPU-TIME TRES: one that began at 08:00 of 2 March; times of cpus as 12:00:00, or nothing
job() { echo "$1|$1|$2|chem|$3|md|COMPLETED|2026-03-02T07:00:00|2026-03-02T08:00:00|2026-03-02T$((8 + $4)):00:00|$((3600 * $4))|$5|$5|1|n1|8G|600|$6|cpu=$5,mem=8G,node=1$7|0:0"; }
{
    echo "$head"
    job 1 ann gpu 4 8 28:00:00 ,gres/gpu=1  # computes beside an idle GPU, as its samples say
    job 2 ben gpu 4 16 60:00:00 ''          # a quarter of a node with GPUs, without one
    job 3 cat main 2 4 06:00:00 ''          # a few cpus of a large node
    job 4 dan main 8 64 400:00:00 ''        # a whole node, at work
    job 5 eve gpu 4 8 28:00:00 ,gres/gpu=1  # the same as the first, and nothing is known of its GPU
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
{
    echo 'NodeName=g1 Arch=x86_64 CoresPerSocket=32 CPUAlloc=0 CPUTot=64 CPULoad=0.1 Gres=gpu:a100:4 NodeHostName=g1 RealMemory=512000 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=1 Partitions=gpu'
    echo 'NodeName=n1 Arch=x86_64 CoresPerSocket=32 CPUAlloc=0 CPUTot=64 CPULoad=0.1 NodeHostName=n1 RealMemory=512000 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=1 Partitions=main,all'
} >nodes.txt
touch -d 2026-03-02T07:30:00Z nodes.txt
check stint import slurm --cluster c --zone UTC nodes.txt
# looks: a look each ten minutes for four hours at what `system` and `jobs` say, on a node whose clock is 20 s behind the scheduler's
cat >looks.mjs <<'END'
const [node, system, jobs] = process.argv.slice(2);
for (let m = 0; m <= 240; m += 10) {
    const time = new Date(Date.parse('2026-03-02T08:00:00Z') + m * 60000 - 20000).toISOString().replace('.000', '');
    console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
        data: { type: 'sample', attributes: { time, cluster: 'c', node, system: eval(system)(m), jobs: eval(jobs)(m) } } }));
}
END
looks() { node looks.mjs "$@" >looks.json && stint import sonar --cluster c looks.json >/dev/null 2>"$ERR"; }
looks g1 '(m) => ({ counters: { cpus: 64 }, gpus: [{ uuid: "GPU-1", index: 0, ce_util: 1, memory: 1, counters: { job: 1, user: "ann" } }] })' \
    '(m) => [{ job: 1, user: "ann", epoch: 0, cgroup: { cpu_time_us: 7 * m * 6e7, rss_bytes: 2 ** 30 }, processes: [] }]'
looks login1 '(m) => ({})' \
    '(m) => [{ job: 70, user: "fay", epoch: 9, processes: [{ cmd: "gcc", pid: 70, ppid: 1, cpu_time: m * 60 }, { cmd: "sort <defunct>", pid: 71, ppid: 70, cpu_time: 0 }] },
             { job: 80, user: "root", epoch: 9, processes: [{ cmd: "backup", pid: 80, ppid: 1, cpu_time: m * 60 }] }]'

P='--from 2026-03-02 --to 2026-03-02 --zone UTC'
# hogs [OPTION]...: rule, user, runs, lost, unit and example, in order
# shellcheck disable=SC2086
hogs() { stint hogs $P -n 0 --format csv --no-header "$@" 2>"$ERR" | cut -d, -f1-3,5-7 | sort; }

it 'cpus beside a GPU that samples show idle, and cpus of nodes with GPUs, are found; what nobody knows is not'
expect_equal 'cpu-hogs,ann,1,4,GPU h,1
idle-gpus,ann,1,4,GPU h,1
too-big,dan,1,512,CPU h,4
without-gpus,ben,1,64,CPU h,2' "$(printf '[hog too-big]\ntime = 8h\n' >stint.conf && STINT_CONFIG=$PWD/stint.conf hogs)"

it 'GPUs that a job holds beside those it works on are found one by one'
{
    echo "$head"
    job 21 gus gpu 4 8 28:00:00 ,gres/gpu=4 | sed 's/2026-03-02/2026-03-09/g'
} >four.psv
check stint import slurm --cluster c --zone UTC four.psv
sed 's/2026-03-02/2026-03-09/' looks.mjs >later.mjs
node later.mjs g1 '(m) => ({ counters: { cpus: 64 }, gpus: [0, 1, 2, 3].map((i) => ({ uuid: "GPU-" + i, index: i, ce_util: i < 2 ? 80 : 0, memory: 1, counters: { job: 21, user: "gus" } })) })' \
    '(m) => [{ job: 21, user: "gus", epoch: 0, cgroup: { cpu_time_us: 7 * m * 6e7, rss_bytes: 2 ** 30 }, processes: [] }]' >four.json
check stint import sonar --cluster c four.json
expect_equal 'unused-gpus,gus,1,0.5,8,GPU h,21,c' "$(stint hogs --from 2026-03-09 --to 2026-03-09 --zone UTC --format csv --no-header 2>"$ERR")"

it 'what runs is found while it runs: what hangs, and GPUs that are held idle'
{
    echo "$head"
    { job 31 hal main 4 8 '' ''; job 32 ida gpu 4 8 '' ,gres/gpu=1; job 33 joe gpu 4 8 '' ,gres/gpu=1; } |
        sed 's/2026-03-02/2026-03-16/g; s/COMPLETED/RUNNING/; s/2026-03-16T12:00:00/Unknown/'
} >going.psv
check stint import slurm --cluster c --zone UTC going.psv
sed 's/2026-03-02/2026-03-16/' looks.mjs >going.mjs
node going.mjs n1 '(m) => ({ counters: { cpus: 64 } })' '(m) => [{ job: 31, user: "hal", epoch: 0, cgroup: { cpu_time_us: 1e6, rss_bytes: 2 ** 30 }, processes: [] }]' >going.json
node going.mjs g1 '(m) => ({ counters: { cpus: 64 }, gpus: [{ uuid: "GPU-1", index: 0, ce_util: 0, memory: 1, counters: { job: 32, user: "ida" } }] })' \
    '(m) => [{ job: 32, user: "ida", epoch: 0, cgroup: { cpu_time_us: m * 6e7, rss_bytes: 2 ** 30 }, processes: [] },
             { job: 33, user: "joe", epoch: 0, cgroup: { cpu_time_us: 1e6, rss_bytes: 2 ** 30 }, processes: [] }]' >>going.json
check stint import sonar --cluster c going.json
# of the GPU of the third nothing is known
expect_equal 'dead-weight,hal,1,32,CPU h,31,c
idle-cpus,hal,1,32,CPU h,31,c
idle-gpus,ida,1,4,GPU h,32,c' "$(stint hogs --from 2026-03-16 --to 2026-03-16 --zone UTC --format csv --no-header 2>"$ERR" | cut -d, -f1-3,5- | sed 's/,3[0-9]\.[0-9]*,/,32,/; s/,3\.[0-9]*,/,4,/' | sort)"

it 'rules for partitions and nodes hold where the site names them, also those of its own'
cat >stint.conf <<'END'
[hog too-small]
partitions = mai*
[hog login-nodes]
nodes = login*
exempt = root
[hog zombies]
threshold = 0
time = 2h
[hog empty-gpus]
like = idle-gpus
threshold = 2
partitions = other
END
export STINT_CONFIG="$PWD/stint.conf"
expect_equal 'cpu-hogs,ann,1,4,GPU h,1
idle-gpus,ann,1,4,GPU h,1
login-nodes,fay,1,4,CPU h,gcc
too-small,cat,1,8,CPU h,3
without-gpus,ben,1,64,CPU h,2
zombies,fay,1,1,processes,sort <defunct>' "$(hogs)"
expect_equal 1 "$(stint hogs --rules --format csv | grep -c '^empty-gpus,true,0.5,other,,GPUs held for 1 h or longer and busy less than 2 % of the time')"
printf '[hog mine]\nlike = idle-gpu\n' >other.conf
STINT_CONFIG=$PWD/other.conf expect_exit 2 "$STINT" hogs --rules
expect_err_has "did you mean 'idle-gpus'"

it 'the example of the documentation is read as it stands'
sed -n '/^```ini/,/^```$/p' "$TOP/docs/rules.md" | grep -v '^```' >example.conf
STINT_CONFIG=$PWD/example.conf expect_exit 0 "$STINT" hogs --rules --format csv
expect_out_has 'teaching,true'

it 'while the machine is mostly idle nobody is in the way'
expect_equal 2 "$(hogs | grep -c '^[ci].*ann')"
check stint capacity add c --cpus 1000 --gpus 10 --from 2026-01-01
expect_equal 'login-nodes,fay
zombies,fay' "$(hogs | cut -d, -f1,2)"
printf '[hog idle-gpus]\nbusy = 1\n' >busy.conf
expect_equal 'idle-gpus,ann' "$(STINT_CONFIG=$PWD/busy.conf hogs | cut -d, -f1,2)"

it 'a message has its rule, the evidence and what to do, and is written once for each case'
export STINT_CONFIG="$PWD/busy.conf"
# shellcheck disable=SC2086
run stint hogs $P --message
for words in 'To: ann' 'GPUs held for 1 h or longer and busy less than 5 % of the time' '1, started 2026-03-02 08:00 on c, used 1.0 %, 4.0 GPU h' \
    'Ask for GPUs only where' 'See for yourself: stint job 1 -M c'; do
    expect_out_has "$words"
done
# shellcheck disable=SC2086
run stint hogs $P --message --apply
expect_out_has 'To: ann'
# shellcheck disable=SC2086
run stint hogs $P --message
expect_equal 0 "$(grep -c 'To: ' "$OUT")"
{
    echo "$head"
    job 6 ann gpu 4 8 28:00:00 ,gres/gpu=1
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
looks g2 '(m) => ({ counters: { cpus: 64 }, gpus: [{ uuid: "GPU-2", index: 0, ce_util: 2, memory: 1, counters: { job: 6, user: "ann" } }] })' '(m) => [{ job: 6, user: "ann", epoch: 0, cgroup: { cpu_time_us: m }, processes: [] }]'
# shellcheck disable=SC2086
run stint hogs $P --message
expect_out_has '2 of your runs'
expect_out_has '  6, started'
expect_equal 0 "$(grep -c '  1, started' "$OUT")"

it 'a message is sent to the address of whoever it is to, once; one that could not be sent stays to be sent'
cat >sendmail <<'SH'
#!/bin/sh
[ ! -e "${0%/*}/full" ] || { echo 'queue is full' >&2; exit 75; }
{ echo "$@"; cat; } >>"${0%/*}/sent"
SH
chmod +x sendmail
{ cat busy.conf; printf '[mail]\nfrom = stint@example.org\nsendmail = %s/sendmail\n' "$PWD"; } >mail.conf
export STINT_CONFIG="$PWD/mail.conf"
# shellcheck disable=SC2086
run stint hogs $P --message --apply --rule idle-gpus
expect_out_has 'Not sent: the rule idle-gpus and ann, who has no address'
stint people add ann --logins ann --email ann@example.org >/dev/null
: >full
# shellcheck disable=SC2086
run stint hogs $P --message --apply --rule idle-gpus
expect_equal 1 $status
expect_exit 1 test -e sent
rm full
# shellcheck disable=SC2086
check stint hogs $P --message --apply --rule idle-gpus
expect_equal 1 "$(grep -c '^To: ann@example.org' sent)"
expect_equal 1 "$(grep -c '^  6, started' sent)"
# shellcheck disable=SC2086
check stint hogs $P --message --apply --rule idle-gpus
expect_equal 1 "$(grep -c '^To: ' sent)"

it 'what was sent is in the books: facts that are made again, and books that are restored, send nothing twice'
check stint books dump --output dumped.json
rm -f "$STINT_STORE"/facts.duckdb "$STINT_STORE"/facts.duckdb.wal
check stint import slurm --cluster c --zone UTC sacct.psv
looks g2 '(m) => ({ counters: { cpus: 64 }, gpus: [{ uuid: "GPU-2", index: 0, ce_util: 2, memory: 1, counters: { job: 6, user: "ann" } }] })' '(m) => [{ job: 6, user: "ann", epoch: 0, cgroup: { cpu_time_us: m }, processes: [] }]'
# shellcheck disable=SC2086
check stint hogs $P --rule idle-gpus
expect_out_has ann
# shellcheck disable=SC2086
check stint hogs $P --message --apply --rule idle-gpus
expect_equal 1 "$(grep -c '^To: ' sent)"
rm -f "$STINT_STORE"/books.sqlite*
check stint books restore dumped.json
# shellcheck disable=SC2086
check stint hogs $P --message --apply --rule idle-gpus
expect_equal 1 "$(grep -c '^To: ' sent)"

it '--apply is for messages'
expect_exit 2 stint hogs --apply
expect_err_has '--apply goes with --message'

it 'a run of the same number on another cluster is another run: it is named with its cluster, and written about as well'
unset STINT_CONFIG
export STINT_STORE="$PWD/two"
printf '[hog idle-cpus]\nbusy = 0\n' >two.conf
printf '%s\n' "$head" "$(job 1 ann main 4 8 00:30:00 '')" >sacct.psv
for cluster in c d; do check stint import slurm --cluster $cluster --zone UTC sacct.psv; done
export STINT_CONFIG="$PWD/two.conf"
# shellcheck disable=SC2086
for cluster in c d; do expect_equal "1,$cluster" "$(stint hogs $P --rule idle-cpus -M $cluster --format csv --no-header 2>"$ERR" | cut -d, -f7-8)"; done
# shellcheck disable=SC2086
run stint hogs $P --rule idle-cpus -M c --message --apply
expect_out_has 'stint job 1 -M c'
# shellcheck disable=SC2086
run stint hogs $P --rule idle-cpus --message --apply
expect_out_has 'started 2026-03-02 08:00 on d'
expect_out_has 'stint job 1 -M d'
expect_equal 0 "$(grep -c 'on c,' "$OUT")"
# shellcheck disable=SC2086
run stint hogs $P --rule idle-cpus --message
expect_equal 0 "$(grep -c 'To: ' "$OUT")"

it 'a login of two clusters is counted on each: its runs are added up, and written about, as those of two people'
printf '%s\n' "$head" "$(for id in 2 3 4; do job $id ann main 4 8 00:30:00 ''; done)" >sacct.psv
check stint import slurm --cluster d --zone UTC sacct.psv
# shellcheck disable=SC2086
expect_equal 'idle-cpus,ann,4,126,CPU h,1,d
idle-cpus,ann,1,31.5,CPU h,1,c' "$(stint hogs $P --rule idle-cpus --format csv --no-header 2>"$ERR" | cut -d, -f1-3,5-)"
printf '[hog vampires]\nbusy = 0\ntime = 5h\nthreshold = 20\n[mail]\nfrom = stint@example.org\nsendmail = %s/sendmail\n' "$PWD" >two.conf
check stint people add carol --logins c:ann --email carol@example.org
check stint people add dora --logins d:ann --email dora@example.org
: >sent
# shellcheck disable=SC2086
check stint hogs $P --rule vampires --message --apply
expect_equal 'carol@example.org
dora@example.org' "$(sed -n 's/^To: //p' sent | sort)"
# shellcheck disable=SC2086
check stint hogs $P --rule vampires --message --apply
expect_equal 2 "$(grep -c '^To: ' sent)"

finish
