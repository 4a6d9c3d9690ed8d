#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint efficiency --by job, scale, rightsize and hogs, on runs whose answers are worked out by hand or a second time here.
. "$(dirname "$0")/../support/sh.sh"

head='JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|TotalCPU|AllocTRES|MaxRSS|ExitCode'
# run ID USER NAME STATE SECONDS CPUS MEM-GiB LIMIT-MIN CPU-SECONDS PEAK-MiB
run_line() {
    awk -v id="$1" -v user="$2" -v name="$3" -v state="$4" -v s="$5" -v cpus="$6" -v mem="$7" -v limit="$8" -v used="$9" -v peak="${10}" '
        function clock(t) { return sprintf("%02d:%02d:%02d", t / 3600, t / 60 % 60, t % 60) }
        BEGIN {
            day = 1 + int(id % 20)
            end = 8 * 3600 + s
            printf "%s|%s|%s|chem|main|%s|%s|2026-03-%02dT07:00:00|2026-03-%02dT08:00:00|2026-03-%02dT%s|%d|%d|%d|1|n1|%dG|%d|%s|cpu=%d,mem=%dG,node=1||0:0\n",
                id, id, user, name, state, day, day, day + int(end / 86400), clock(end % 86400), s, cpus, cpus, mem, limit, clock(used), cpus, mem
            printf "%s.batch|%s.batch|||||%s|2026-03-%02dT08:00:00|2026-03-%02dT08:00:00|2026-03-%02dT%s|%d|%d|%d|1|n1|||%s|cpu=%d,mem=%dG,node=1|%dM|0:0\n",
                id, id, state, day, day, day + int(end / 86400), clock(end % 86400), s, cpus, cpus, clock(used), cpus, mem, peak
        }'
}
{
    echo "$head"
    id=100
    # Amdahl with a tenth that is serial: 1000 * (0.1 + 0.9 / n), some seconds more or less.
    for sized in 1:1000 1:1006 2:550 2:547 4:325 4:327 8:212 8:213 16:156 16:157; do
        id=$((id + 1))
        run_line $id ann md COMPLETED "${sized#*:}" "${sized%:*}" 8 600 $((${sized#*:} * ${sized%:*} / 2)) 1000
    done
    # Of no law at all.
    for sized in 1:100 1:9000 2:8000 2:90 4:7000 4:300 8:60 8:9999; do
        id=$((id + 1))
        run_line $id ben mix COMPLETED "${sized#*:}" "${sized%:*}" 8 600 10 1000
    done
    # Work that grows with the cpus, and work that more of them make longer.
    for sized in 1:600 1:604 2:602 2:598 4:603 4:601 8:600 8:605; do
        id=$((id + 1))
        run_line $id gus grow COMPLETED "${sized#*:}" "${sized%:*}" 8 600 10 1000
    done
    for sized in 1:600 2:840 4:1080 8:1320 16:1560; do
        id=$((id + 1))
        run_line $id gus talk COMPLETED "${sized#*:}" "${sized%:*}" 8 600 10 1000
    done
    # Half of the time it reads.
    for sized in 1:1000 2:750 4:625 8:563 16:531; do
        id=$((id + 1))
        run_line $id gus read COMPLETED "${sized#*:}" "${sized%:*}" 8 600 10 1000
    done
    # Runs of one size, of known memory.
    for peak in 1000 1100 1200 1300 1400 1500 1600 1700 1800 3000; do
        id=$((id + 1))
        run_line $id cat fit COMPLETED 3000 4 32 1440 6000 $peak
    done
    id=$((id + 1))
    run_line $id cat fit OUT_OF_MEMORY 3000 4 32 1440 6000 32000
    # One that sits on cpus and memory.
    id=$((id + 1))
    run_line $id dan idle COMPLETED 36000 16 128 2880 3600 1000
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
P='--from 2026-03-01 --to 2026-04-01 --zone UTC'

it 'the serial share of the work is found'
# shellcheck disable=SC2086
run stint scale -u ann --name md $P
expect_out_has 'of the work is serial'
expect_equal 1 "$(grep -c 'beyond about 1[01] cpus' "$OUT")"
share=$(sed -n 's/^\([0-9.]*\) % of the work is serial.*/\1/p' "$OUT")
expect_exit 0 awk -v s="$share" 'BEGIN { exit !(s > 9 && s < 11) }'
# shellcheck disable=SC2086
stint scale -u ann --name md $P --format csv --no-header >scaled 2>/dev/null
expect_equal '1,2 2,2 4,2 8,2 16,2' "$(cut -d, -f1,2 scaled | tr '\n' ' ' | sed 's/ $//')"

it 'work that grows with the cpus, that becomes longer, and that waits for disks are distinguished'
# shellcheck disable=SC2086
run stint scale -u gus --name grow $P
expect_out_has 'times stay the same as cpus are added'
# shellcheck disable=SC2086
run stint scale -u gus --name talk $P
expect_out_has 'more cpus make it longer'
# shellcheck disable=SC2086
run stint scale -u gus --name read $P
expect_out_has '50.0 % of the work is serial'
expect_equal 1 "$(grep -c 'beyond about [23] cpus less than half of them are of use' "$OUT")"

it 'noise is not judged, nor are two sizes'
# shellcheck disable=SC2086
run stint scale -u ben --name mix $P
expect_out_has 'cannot tell: times differ too much'
run stint scale -j 101,103
expect_out_has 'cannot tell: 2 different numbers of cpus'
# shellcheck disable=SC2086
expect_exit 2 stint scale $P
expect_no_out
expect_err_has 'choose with -u and --name, or -j'

it 'what to ask for is the quantile and its margin, and how often that is too little is counted'
# shellcheck disable=SC2086
stint rightsize -u cat --name fit --cover 80 $P --format csv --no-header >sized 2>/dev/null
# 11 runs, one of which needed 32 GiB at least, which is most; 1.2 times that.
expect_equal 'memory of the run,11,32.0 GiB,1500 MiB,32.0 GiB,38.5 GiB' "$(grep ^memory sized | cut -d, -f1-6)"
expect_equal 'time,11,24:00:00,00:50:00,00:50:00,01:45:00,0' "$(grep ^time sized | cut -d, -f1-7)"
expect_equal 'cpus,11,4.0,2.0,2.0,3.0,0' "$(grep ^cpus sized | cut -d, -f1-7)"
# The ten that completed were seen with 3000 MiB at most, at moments: that is no reason to ask for less than 32 GiB.
# shellcheck disable=SC2086
stint rightsize -u cat --name fit -s completed $P --format csv --no-header >sized 2>said
expect_equal 'memory of the run,10,32.0 GiB,1400 MiB,3000 MiB,,,' "$(grep ^memory sized)"

it 'sizes are not mixed, and what uses all of its cpus is not told to ask for more'
{
    echo "$head"
    id=700
    for cpus in 1 2 16 64; do
        for n in 1 2; do
            id=$((id + 1))
            run_line $id zoe par COMPLETED 3600 $cpus 2 90 $((3600 * cpus)) 1900
        done
    done
    # one that hung until its limit, and one that worked
    run_line 711 zoe stuck TIMEOUT 1800 16 2 30 700 1900
    run_line 712 zoe stuck COMPLETED 3600 16 2 120 57000 1900
} >more.psv
check stint import slurm --cluster c --zone UTC more.psv
# shellcheck disable=SC2086
stint rightsize -u zoe --name par $P --format csv --no-header >sized 2>/dev/null
expect_equal 'cpus of 1,2,1.0,1.0,1.0,1.0,0
cpus of 2,2,2.0,2.0,2.0,2.0,0
cpus of 16,2,16.0,16.0,16.0,16.0,0
cpus of 64,2,64.0,64.0,64.0,64.0,0' "$(grep ^cpus sized | cut -d, -f1-7)"
# shellcheck disable=SC2086
stint rightsize -u zoe --name stuck $P --format csv --no-header >sized 2>/dev/null
expect_equal 'time,1,02:00:00,01:00:00,01:00:00,02:00:00,0' "$(grep ^time sized | cut -d, -f1-7)"

it 'a share is a share'
expect_exit 2 stint rightsize --cover 101
expect_err_has '1 to 100 percent'

it 'jobs that have nothing in common are said to be taken together'
# shellcheck disable=SC2086
check stint rightsize $P
expect_out_has 'these are jobs of several people or names, taken together'
# shellcheck disable=SC2086
check stint rightsize -u cat --name fit $P
expect_exit 1 grep -q 'taken together' "$OUT"

it 'who holds what they do not use is named, with what is lost'
# shellcheck disable=SC2086
stint hogs $P -n 0 --format csv --no-header >hogs 2>/dev/null
expect_equal 'idle-cpus,dan,1,0.00625,159,CPU h,148,c' "$(grep ^idle-cpus,dan hogs)"
# 8000 s of 2, 7000 s of 4 and 9999 s of 8 cpus, less 10 s each.
expect_equal 'idle-cpus,ben,3,34.4' "$(grep ^idle-cpus,ben hogs | cut -d, -f1-3,5)"
# MaxRSS is of one task, and how many there were is not recorded: a lower bound accuses nobody.
expect_equal '' "$(grep ^unused-memory hogs)"
expect_equal '' "$(grep ^idle-gpus hogs)"

it 'the site changes the numbers, exempts people and switches rules off'
cat >stint.conf <<'END'
[hog idle-cpus]
exempt = ben, dan
[hog unused-memory]
enabled = no
END
# shellcheck disable=SC2086
STINT_CONFIG=$PWD/stint.conf stint hogs $P -n 0 --format csv --no-header >exempted 2>/dev/null
expect_equal '' "$(grep -E '^(idle-cpus|unused-memory)' exempted)"
STINT_CONFIG=$PWD/stint.conf stint hogs --rules >rules
expect_equal 1 "$(grep -c 'ben, dan' rules)"
printf '[hog idle-cpus]\nthreshold = 60\n' >stint.conf
# shellcheck disable=SC2086
STINT_CONFIG=$PWD/stint.conf stint hogs --rule idle-cpus $P -n 0 --format csv --no-header >raised 2>/dev/null
[ "$(wc -l <raised)" -gt 1 ]
expect_equal 0 $?
printf '[hog idle-cpu]\nenabled = no\n' >stint.conf
expect_exit 2 env STINT_CONFIG="$PWD/stint.conf" "$STINT" hogs --rules
expect_err_has "did you mean 'idle-cpus'"

it 'messages are written and not sent'
# shellcheck disable=SC2086
run stint hogs --rule idle-cpus --message $P
expect_out_has 'To: dan'
expect_out_has 'See for yourself: stint job 148'

it 'runs are listed one by one, tasks of an array together'
cat >array.psv <<'END'
JobID|JobIDRaw|User|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|TotalCPU|TimelimitRaw|ExitCode
500_1|501|eve|a|COMPLETED|2026-04-01T08:00:00|2026-04-01T08:00:00|2026-04-01T09:00:00|3600|1|00:54:00|120|0:0
500_2|502|eve|a|COMPLETED|2026-04-01T08:00:00|2026-04-01T08:00:00|2026-04-01T11:00:00|10800|1|01:30:00|360|0:0
510|510|eve|b|FAILED|2026-04-01T12:00:00|2026-04-01T12:00:00|2026-04-01T13:00:00|3600|2|01:00:00|120|1:0
END
check stint import slurm --cluster c --zone UTC array.psv
stint efficiency --by job -u eve --from 2026-04-01 --to 2026-04-02 --zone UTC --format csv --no-header >listed 2>/dev/null
cat >want <<'END'
510,eve,b,failed,3600
500 (2 tasks),eve,a,completed,7200
END
cut -d, -f1-5 listed >got
expect_same want got
# 0.9 of one hour and 0.5 of three are 0.6 of four.
expect_equal '0.5 0.6' "$(cut -d, -f7 listed | tr '\n' ' ' | sed 's/ $//')"
expect_equal 1 "$(stint efficiency --by job -j slurm-510.out --format csv --no-header 2>/dev/null | wc -l)"

it 'whole nodes, limits for each cpu, deadlines, GPUs nobody saw, components and suspension are not mistaken for something else'
cat >odd.psv <<'END'
JobID|JobIDRaw|User|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|TotalCPU|AllocTRES|ExitCode
600+0|600|odd|het|COMPLETED|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-01T10:00:00|7200|1|1|1|n1|4G|240|02:00:00|cpu=1,mem=4G,node=1|0:0
600+1|601|odd|het|COMPLETED|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-01T10:00:00|7200|16|16|1|g1|4G|240|31:00:00|cpu=16,mem=4G,node=1|0:0
610|610|odd|excl|COMPLETED|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-01T10:00:00|7200|64|1|1|n1|4G|240|02:00:00|cpu=64,mem=250G,node=1|0:0
611|611|odd|dead|DEADLINE|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-01T10:00:00|7200|4|4|1|n1|4G|600|07:59:00|cpu=4,mem=4G,node=1|0:0
612|612|odd|percpu|COMPLETED|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-01T10:00:00|7200|16|16|1|n1|2Gc|480|02:00:00|cpu=16,mem=32G,node=1|0:0
613|613|odd|cards|TIMEOUT|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-01T10:00:00|7200|16|16|1|g1|4G|120|01:00:00|cpu=16,mem=4G,node=1,gres/gpu=2|0:0
614|614|odd|core|COMPLETED|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-01T10:00:00|7200|2|1|1|n1|2G|240|01:48:00|cpu=2,mem=2G,node=1|0:0
615|615|odd|rests|SUSPENDED|2026-05-01T07:50:00|2026-05-01T08:00:00|Unknown|7200|16|16|1|n1|4G|600|01:00:00|cpu=16,mem=4G,node=1|0:0
616|616|odd|large|OUT_OF_MEMORY|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-01T10:00:00|7200|4|4|1|n1|100G|600|07:59:00|cpu=4,mem=100G,node=1|0:125
617|617|odd|long|TIMEOUT|2026-05-01T07:50:00|2026-05-01T08:00:00|2026-05-02T08:00:00|86400|4|4|1|n1|2G|1440|95:00:00|cpu=4,mem=2G,node=1|0:0
END
sed -i '1s/User|/User|Partition|/; 2,$s/|odd|/|odd|main|/' odd.psv
check stint import slurm --cluster odd --zone UTC odd.psv
echo 'NodeName=n1 Arch=x86_64 CoresPerSocket=16 CPUAlloc=0 CPUTot=64 NodeHostName=n1 RealMemory=131072 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=2 Partitions=main' >nodes.txt
printf 'PartitionName=main\n   AllowGroups=ALL Default=NO QoS=N/A\n   MaxNodes=UNLIMITED MaxTime=1-00:00:00 MinNodes=0\n   Nodes=n1\n   State=UP TotalCPUs=64 TotalNodes=1\n' >partitions.txt
check stint import slurm --cluster odd --zone UTC nodes.txt
check stint import slurm --cluster odd --zone UTC partitions.txt
of() { stint job "$1" -M odd --zone UTC --width 300 | sed -n "s/^$2  *//p"; }
expect_equal '600+0: completed, started 2026-05-01 08:00:00, ran 02:00:00 on n1' "$(of 600 Component)"
expect_equal '' "$(of 600 Earlier)$(of 600 Advice)"
expect_equal 'it was allocated 64 cpus, though it asked for 1: whole nodes are allocated where it runs, or it asked for them' "$(of 610 Advice)"
expect_equal 'it was ended after 02:00:00 by another limit than that of its time: of cpu time, or a deadline' "$(of 611 Advice)"
expect_equal 1 "$(of 612 Advice | grep -c -e 'ask for --cpus-per-task=1 or --ntasks=1 and --mem=32G (of a node), or check')"
expect_equal 'it ran into its time limit; whether it worked until then is not known: see its output before you request more time' "$(of 613 Advice)"
expect_equal '' "$(of 614 Advice)"
expect_equal 'last seen 2026-05-01 10:00:00; suspended' "$(of 615 Running)"
expect_equal '' "$(of 615 Ended)"

it 'more than there is now is said to be so'
expect_equal 'it ran out of memory: ask for --mem=150G (of a node), half as much again as it had, rounded up; no node of its cluster has so much' "$(of 616 Advice)"
expect_equal 'it ran into its time limit: ask for --time=36:00:00, half as much again rounded up, or more, or have it save its state; its partition does not allow so much' "$(of 617 Advice)"

it 'advice is in the words of each scheduler, and there is none where nothing follows'
# SCHEDULER FILE | JOB | what is advised, in full; nothing: none
while IFS='|' read -r fixture job advice; do
    export STINT_STORE="$PWD/${fixture%% *}"
    [ -d "$STINT_STORE" ] || stint import "${fixture%% *}" --zone UTC --cluster x "$TESTS/fixtures/${fixture%% *}/${fixture#* }" >/dev/null 2>&1
    expect_equal "$job:$advice" "$job:$(stint job "$job" -M x --zone UTC --width 200 2>/dev/null | sed -n 's/^Advice  *//p' | paste -sd';' -)"
done <<'END'
sge son-of-grid-engine-8.1|107|it ran into its time limit: ask for -l h_rt=01:30:00, half as much again rounded up, or more, or have it save its state
sge son-of-grid-engine-8.1|110|it took less than a quarter of its time limit: ask for -l h_rt=02:00:00, twice what it took; it may start sooner
sge son-of-grid-engine-8.1|103|3.9 of its 8 cpus worked on average, on 2 nodes: check that it runs in parallel on all of them
sge son-of-grid-engine-8.1|108|it ran out of memory: ask for -l h_vmem=3072M (of a slot), half as much again as it had, rounded up
sge son-of-grid-engine-8.1|101|
sge son-of-grid-engine-8.1|109|
pbs pbs-professional-2022|4102|it ran into its time limit: ask for -l walltime=01:15:00, half as much again rounded up, or more, or have it save its state
pbs pbs-professional-2022|4103|it ran out of memory: ask for -l mem=3328mb, half as much again as it had, rounded up
pbs pbs-professional-2022|4100|
pbs pbs-professional-2022|4104|
pbs pbs-professional-2022|4109|
lsf lsf-10.1|502.7|it ran into its time limit; whether it worked until then is not known: see its output before you request more time
lsf lsf-10.1|501|
lsf lsf-10.1|503|
htcondor history|12.0|its memory was seen at 1.0 GiB of 4.0 GiB at most; a peak between two looks would not have been seen, so nothing lower is advised from one run
htcondor history|13.7|
htcondor history|16.0|it ran out of memory
nomad allocations.jsonl|05-oom|it ran out of memory: ask for memory = 512, half as much again as it had, rounded up
nomad allocations.jsonl|04-failed|it was killed (signal 9), as programs are that run out of memory; that it did is not recorded
END

it 'cpus are asked for as the job asked for them: in chunks, nodes or a parallel environment'
export STINT_STORE="$PWD/words"
# a serial job of two hours on eight cpus: pbs NUMBER REQUEST
pbs() { echo "03/01/2025 10:10:00;E;$1.pbs;user=ann group=chem jobname=md queue=workq ctime=1740816000 qtime=1740816000 etime=1740816000 start=1740816600 end=1740823800 exec_host=n01/0*8 $2 Exit_status=0 resources_used.cput=02:00:00 resources_used.mem=1gb resources_used.walltime=02:00:00"; }
{
    pbs 1 'Resource_List.mem=8gb Resource_List.ncpus=8 Resource_List.select=1:ncpus=8:mem=8gb Resource_List.walltime=04:00:00'
    pbs 2 'Resource_List.mem=8gb Resource_List.nodes=1:ppn=8 Resource_List.walltime=04:00:00'
    pbs 3 'Resource_List.mem=8gb Resource_List.ncpus=8 Resource_List.walltime=04:00:00'
    pbs 4 'Resource_List.mem=8gb Resource_List.ncpus=8 Resource_List.select=2:ncpus=4:mem=4gb Resource_List.walltime=04:00:00' | sed 's/Exit_status=0/Exit_status=137/; s/mem=1gb/mem=8gb/'
    pbs 5 'Resource_List.mem=9gb Resource_List.ncpus=8 Resource_List.select=1:ncpus=4:mem=8gb+4:ncpus=1 Resource_List.walltime=04:00:00' | sed 's/Exit_status=0/Exit_status=137/; s/mem=1gb/mem=9gb/'
} >log
check stint import pbs --zone UTC --cluster x log
asked_for() { stint job "$1" -M x --zone UTC --width 300 2>/dev/null | sed -n 's/^Advice .*ask for \([^,]*\),.*/\1/p'; }
expect_equal '-l select=1:ncpus=1 and mem=8gb in -l select (of a chunk)' "$(asked_for 1)"
expect_equal '-l nodes=1:ppn=1' "$(asked_for 2)"
expect_equal '-l ncpus=1' "$(asked_for 3)"
expect_equal 'mem=6gb in -l select (of a chunk)' "$(asked_for 4)"
expect_equal '' "$(asked_for 5)"
expect_equal 1 "$(stint job 5 -M x --zone UTC --width 300 2>/dev/null | grep -c '^Advice  *it ran out of memory$')"
grep ':103:' "$TESTS/fixtures/sge/son-of-grid-engine-8.1" | tail -n 1 | sed 's/:103:/:203:/; s/:mpi:8:/:smp:8:/; s/-pe mpi 8/-pe smp 8/; s/:3520\.375000:/:7040.000000:/' >accounting
check stint import sge --zone UTC --cluster z accounting
expect_equal 1 "$(stint job 203 -M z --zone UTC --width 300 2>/dev/null | grep -c '^Advice .*: ask for -pe smp 3')"
sed 's/:203:/:204:/; s/:7040\.000000:/:2000.000000:/' accounting >serial
check stint import sge --zone UTC --cluster z serial
expect_equal 1 "$(stint job 204 -M z --zone UTC --width 300 2>/dev/null | grep -c '^Advice .*: ask for one slot, without -pe')"
{
    pbs 6 'Resource_List.ngpus=2 Resource_List.ncpus=8 Resource_List.select=1:ncpus=8:ngpus=2 Resource_List.walltime=04:00:00'
    pbs 7 'Resource_List.ngpus=2 Resource_List.nodes=1:ppn=8:gpus=2 Resource_List.walltime=04:00:00'
    pbs 8 'Resource_List.ngpus=2 Resource_List.ncpus=8 Resource_List.walltime=04:00:00'
} >log
check stint import pbs --zone UTC --cluster x log
node -e '
    for (const job of [6, 7, 8]) for (let m = 0; m <= 120; m += 5)
        console.log(JSON.stringify({ meta: { producer: "stint-agent", version: "0.1.0", format: 0, attrs: [{ key: "absent", value: "unknown" }] }, data: { type: "sample", attributes: {
            time: new Date((1740816600 + 60 * m) * 1000).toISOString().replace(".000", ""), cluster: "x", node: `g0${job}`, jobs: [], system: { counters: { cpus: 8 },
                gpus: [90, 0].map((ce_util, index) => ({ uuid: `GPU-${job}-${index}`, index, ce_util, memory: ce_util * 1e4, counters: { job, user: "ann" } })) } } } }));' >cards.json
check stint import sonar --cluster x cards.json
gpus_for() { stint job "$1" -M x --zone UTC --width 300 2>/dev/null | sed -n 's/^\(Advice\)* *1 of its 2 GPUs did nothing: ask for \([^,]*\),.*/\2/p'; }
expect_equal '1 as ngpus in all of -l select' "$(gpus_for 6)"
expect_equal '1 as gpus in all of -l nodes' "$(gpus_for 7)"
expect_equal '-l ngpus=1' "$(gpus_for 8)"

it 'who asked for one cpu and was given a node is not told to ask for fewer'
{
    echo 'JobID|User|Account|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|TotalCPU|ExitCode'
    for asked in 1 64; do echo "$asked|ann|chem|md|COMPLETED|2025-03-02T07:00:00|2025-03-02T08:00:00|2025-03-02T12:00:00|14400|64|$asked|1|n1|8G|300|04:00:00|0:0"; done
} >given.psv
check stint import slurm --zone UTC --cluster y given.psv
expect_equal 'time,1' "$(stint rightsize -j 1 -M y --format csv --no-header 2>/dev/null | cut -d, -f1,2)"
expect_equal 'cpus,1
time,1' "$(stint rightsize -j 64 -M y --format csv --no-header 2>/dev/null | cut -d, -f1,2)"

finish
