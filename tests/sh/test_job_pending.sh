#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint job of a job that waits: why, for how long for what, and whether it can start at all, from listings of squeue and of the nodes. Nothing is
# said where neither is known.
. "$(dirname "$0")/../support/sh.sh"

# Jobs that wait, as squeue --json has them: what differs from an ordinary one. `at` is when squeue was asked.
cat >squeue.mjs <<'END'
const at = Number(process.argv[2]), jobs = eval(process.argv[3]);
const set = (number) => ({ set: true, infinite: false, number });
console.log(JSON.stringify({ jobs: jobs.map(([job_id, state_reason, x = {}]) => {
    const { cpus = 1, nodes = 1, mem = 1000, partition = 'main', limit = 60, tres = '', ...rest } = x;
    return { job_id, job_state: ['PENDING'], state_reason, partition, cluster: 'c', user_name: 'ann', account: 'chem', name: 'md', priority: set(100),
        submit_time: set(1767225600), eligible_time: set(1767225600), start_time: set(0), end_time: set(0), time_limit: set(limit),
        cpus: set(cpus), node_count: set(nodes), tres_req_str: `cpu=${cpus},mem=${mem}M,node=${nodes}${tres}`, ...rest };
}), last_update: set(at), meta: {} }));
END
listing() { node squeue.mjs "$@" >squeue.json && check stint import slurm --cluster c --zone UTC squeue.json; }
# says JOB: the lines about its wait, without their labels
says() { stint job "$1" -M c --zone UTC --width 300 | sed -n 's/^\(Waits as\|Advice\)  *//p'; }
line() { stint job "$1" -M c --zone UTC --width 300 | sed -n "s/^$2  *//p"; }

listing 1767225660 "[[1,'Priority'],[2,'JobHeldUser'],[3,'JobHeldAdmin'],[4,'DependencyNeverSatisfied'],[5,'AssocGrpCPUMinutesLimit'],[6,'QOSMaxWallDurationPerJobLimit'],
    [7,'SomethingNew'],[8,'None'],[11,'Resources',{nodes:5}],[12,'Resources',{cpus:129}],[13,'Priority',{mem:140000}],[14,'Priority',{cpus:4,mem:400000}],
    [15,'PartitionTimeLimit',{limit:1441}],[16,'Priority',{tres:',gres/gpu=1'}],[17,'Priority',{partition:'main,fat',mem:900000}],[18,'Priority',{partition:'main,fat',mem:1400000}],
    [19,'Priority',{partition:'nowhere',nodes:100}],[20,'Reservation',{nodes:5,resv_name:'lab'}],[21,'Priority',{partition:'part',nodes:100}]]"

it 'why it waits is explained by the reason of the scheduler; a reason that is not known is only shown'
expect_equal 'jobs with a higher priority are ahead of it' "$(says 1)"
expect_equal 'its owner holds it: scontrol release 2 lets it start' "$(says 2)"
expect_equal 'the operators hold it: ask them why' "$(says 3)"
expect_equal 'it cannot start as it was submitted: a job that it depends on ended otherwise than it requires: cancel it, and submit it again without that dependency' "$(says 4)"
expect_equal 'its account has used up its allocation: use another account, or ask for more' "$(says 5)"
expect_equal 'it cannot start as it was submitted: its time limit is longer than its QOS allows for one job' "$(says 6)"
expect_equal '' "$(says 7)$(says 8)"
expect_equal 'not yet, last seen 2026-01-01 00:01:00: SomethingNew' "$(line 7 Started)"

it 'nothing is said to be impossible while the nodes of its partition are not known'
expect_equal 'what it requests is not free' "$(says 11)"
expect_equal 'jobs with a higher priority are ahead of it' "$(says 13)"

# A partition whose nodes are listed in part is not known either.
{
    for node in 1 2 3 4; do
        echo "NodeName=n$node Arch=x86_64 CoresPerSocket=16 CPUAlloc=0 CPUTot=32 NodeHostName=n$node Gres=(null) RealMemory=131072 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=1 Partitions=main,part"
    done
    echo "NodeName=f1 Arch=x86_64 CoresPerSocket=16 CPUAlloc=0 CPUTot=32 NodeHostName=f1 Gres=(null) RealMemory=1310720 AllocMem=0 Sockets=2 State=IDLE ThreadsPerCore=1 Partitions=fat"
} >nodes.txt
partition() {
    printf 'PartitionName=%s\n   AllowGroups=ALL Default=NO QoS=N/A\n   MaxNodes=UNLIMITED MaxTime=%s MinNodes=0\n   Nodes=%s\n   State=UP TotalCPUs=%s TotalNodes=%s\n\n' "$@"
}
{
    partition main 1-00:00:00 'n[1-4]' 128 4
    partition fat UNLIMITED f1 32 1
    partition part UNLIMITED 'n[1-200]' 6400 200
} >partitions.txt
check stint import slurm --cluster c --zone UTC nodes.txt
check stint import slurm --cluster c --zone UTC partitions.txt

it 'what no partition of it can hold is named, with the numbers'
no='it cannot start as it was submitted:'
expect_equal "$no it requests 5 nodes; partition main has 4" "$(says 11)"
expect_equal "$no it requests 129 cpus; partition main has 128" "$(says 12)"
expect_equal "$no it requests 136.7 GiB of memory; partition main has 4 nodes of 128.0 GiB at most" "$(says 13)"
expect_equal 'jobs with a higher priority are ahead of it' "$(says 14)" # 100,000 M for each of four cpus
expect_equal "$no its time limit is 24:01:00; partition main allows 24:00:00, unless its QOS has other limits" "$(says 15)"
expect_equal "$no it requests 1 GPU; partition main has 0" "$(says 16)"
expect_equal 'jobs with a higher priority are ahead of it' "$(says 17)"
expect_equal "$no it requests 1367.2 GiB of memory; partition main has 4 nodes of 128.0 GiB at most" "$(says 18)"

it 'a partition that is not known, known in part, or a reservation, may hold everything'
expect_equal 'jobs with a higher priority are ahead of it' "$(says 19)"
expect_equal 'its reservation has not begun, or is full' "$(says 20)"
expect_equal 'jobs with a higher priority are ahead of it' "$(says 21)"

it 'a later listing counts, and programs have the same'
listing 1767229260 "[[1,'Resources'],[2,'Priority']]"
expect_equal 'what it requests is not free' "$(says 1)"
expect_equal '[{"about":"wait","resource":null,"amount":null,"request":null,"risk":null,"text":"what it requests is not free"}]' "$(stint job 1 -M c --advice --format json | tr -d '\n')"
expect_equal 'about,resource,amount,request,risk,text' "$(stint job 7 -M c --advice --format csv 2>/dev/null)"
run stint job 7 -M c --advice
expect_out_has 'there is nothing to advise about job 7'

it 'a job that started or was cancelled is not said to wait'
{
    echo 'JobID|JobIDRaw|User|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqCPUS|NNodes|NodeList|ReqMem|TimelimitRaw|Reason|ExitCode'
    echo '2|2|ann|chem|main|md|CANCELLED by 100|2026-01-01T00:00:00|Unknown|2026-01-01T04:00:00|0|0|1|1|None assigned|1000M|60|JobHeldUser|0:0'
    echo '11|11|ann|chem|main|md|RUNNING|2026-01-01T00:00:00|2026-01-01T05:00:00|Unknown|60|5|5|5|n[1-5]|1000M|60|None|0:0'
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
expect_equal '' "$(says 2)$(says 11)"

it 'advice is in the words of Grid Engine where its states say something'
mkdir bin
printf '#!/bin/sh\ncat %s/qstat.xml\n' "$TMP" >bin/qstat
printf '#!/bin/sh\ncat %s/qhost.xml\n' "$TMP" >bin/qhost
echo "<?xml version='1.0'?><qhost xmlns:xsd='x'><host name='n1'><hostvalue name='arch_string'>lx-amd64</hostvalue><hostvalue name='num_proc'>8</hostvalue><hostvalue name='mem_total'>16.0G</hostvalue></host></qhost>" >qhost.xml
chmod +x bin/qstat bin/qhost
: >accounting
waiting() { echo "<job_list state=\"pending\"><JB_job_number>$1</JB_job_number><JAT_prio>0.5</JAT_prio><JB_name>a</JB_name><JB_owner>ann</JB_owner><state>$2</state><JB_submission_time>2026-01-01T00:00:00</JB_submission_time><queue_name></queue_name><slots>1</slots></job_list>"; }
{
    printf '<?xml version="1.0"?>\n<job_info xmlns:xsd="http://x/qstat.xsd">\n<queue_info>\n</queue_info>\n<job_info>\n'
    waiting 41 qw
    waiting 42 hqw
    waiting 43 Eqw
    printf '</job_info>\n</job_info>\n'
} >qstat.xml
printf '[cluster g]\nscheduler = sge\nbin = %s/bin\naccounting = %s/accounting\n' "$TMP" "$TMP" >stint.conf
check stint pull --config "$TMP/stint.conf" g
of_sge() { stint job "$1" -M g --width 300 | sed -n 's/^\(Waits as\|Advice\)  *//p'; }
expect_equal '' "$(of_sge 41)"
expect_equal 'it is held by its owner, by the operators or by a job that it waits for: qstat -j 42 says which' "$(of_sge 42)"
expect_equal 'it is in error, and waits until that is cleared: qstat -j 43 says why, qmod -cj 43 clears it' "$(of_sge 43)"

it 'a job of Grid Engine that waits for another, and then is held, waited for both'
after() { waiting "$1" hqw | sed 's|</job_list>|<predecessor_jobs>41</predecessor_jobs></job_list>|'; }
listed() {
    { printf '<?xml version="1.0"?>\n<job_info xmlns:xsd="http://x/qstat.xsd">\n<queue_info>\n</queue_info>\n<job_info>\n'; cat; printf '</job_info>\n</job_info>\n'; } >qstat.xml
    check stint pull --config "$TMP/stint.conf" g
}
{ waiting 41 qw; after 44; } | listed
expect_equal 'it is held by its owner, by the operators or by a job that it waits for: qstat -j 44 says which' "$(of_sge 44)"
{ waiting 41 qw; waiting 44 hqw; } | listed
waiting 44 qw | listed
periods() { stint waits --periods -M g --from 1d --format csv --no-header 2>"$ERR" | awk -F, -v job="$1" '$2 == job { print $14 "," ($13 == "" ? "goes on" : $13 > $12 ? "ended" : "nothing") }'; }
expect_equal 'dependency,ended
hold,ended
,goes on' "$(periods 44)"
expect_equal ',ended' "$(periods 41)"

finish
