#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint energy: what was sampled, split among the jobs of a node; what the scheduler has; estimates, marked; and carbon by a factor or over time.
. "$(dirname "$0")/../support/sh.sh"

head='JobID|JobIDRaw|User|Group|Account|Partition|JobName|State|Submit|Start|End|ElapsedRaw|AllocCPUS|NNodes|NodeList|AllocTRES|ConsumedEnergyRaw|ExitCode'
# job ID USER GROUP CPUS TRES JOULES: an hour from 10:00 on
job() { echo "$1|$1|$2|$3|chem|main|md|COMPLETED|2026-03-02T09:00:00|2026-03-02T10:00:00|2026-03-02T11:00:00|3600|$4|1|n1|cpu=$4,node=1$5|$6|0:0"; }
{
    echo "$head"
    job 1 ann phys 6 '' 999999999      # three quarters of the node's cpu time; what the scheduler has is the node's
    job 2 ben phys 2 ,gres/gpu=1 ''    # a quarter, and a GPU with a counter
    job 3 cat chem 4 '' 7200000        # nothing but the scheduler
    job 4 dan chem 4 ,gres/gpu=1 ''    # nothing at all
} >sacct.psv
check stint import slurm --cluster c --zone UTC sacct.psv
cat >looks.mjs <<'END'
for (let m = 0; m <= 60; m++) {
    const time = new Date(Date.parse('2026-03-02T10:00:00Z') + m * 60000).toISOString().replace('.000', '');
    const job = (number, user, cpus) => ({ job: number, user, epoch: 0, cgroup: { cpu_time_us: cpus * m * 6e7, rss_bytes: 1 }, processes: [] });
    // the node takes 200 W; its counter began long before; the card takes 100 W
    console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
        data: { type: 'sample', attributes: { time, cluster: 'c', node: 'n1', system: {
            counters: { cpus: 8, cpu_time_us: 1e12 + 8 * m * 6e7, energy_j: 5000000 + m * 12000 },
            gpus: [{ uuid: 'GPU-1', index: 0, ce_util: 50, memory: 1, counters: { job: 2, user: 'ben', energy_j: 77 + m * 6000 } }] },
            jobs: [job(1, 'ann', 6), job(2, 'ben', 2)] } } }));
}
END
node looks.mjs >looks.json && check stint import sonar --cluster c looks.json
P='--from 2026-03-02 --to 2026-03-02 --zone UTC'
# shellcheck disable=SC2086
energy() { stint energy $P --format csv --no-header "$@" 2>"$ERR"; }

it 'the energy of a shared node is split by cpu time, cards are their own, and what is not known is absent'
expect_equal '3,1,7200000,2,1,0,,scheduler
1,1,540000,0.15,1,0,,sampled
2,1,540000,0.15,1,0,,sampled
4,1,,,,1,,not recorded' "$(energy --by job)"
expect_equal 'chem,2,7200000,2,1,1,
phys,2,1080000,0.3,1,0,' "$(energy --by group)"

it 'an estimate is marked as one, and carbon follows from a factor, with what cooling takes'
printf '[energy]\ncpu_watts = 10\ngpu_watts = 300\noverhead = 50\ncarbon = 400\n' >stint.conf
export STINT_CONFIG="$PWD/stint.conf"
# 40 W and 300 W for an hour are 1,224,000 J, 0.34 kWh, with 50 % on top 204 g
expect_equal '4,1,1224000,0.34,0,0,0.204,estimated' "$(energy --by job -j 4)"
# of two, 7.2 of 8.424 MJ were measured
expect_equal 'cat,1,7200000,2,1,0,1.2 dan,1,1224000,0.34,0,0,0.204' "$(energy --by user -n 2 -u cat,dan | tr '\n' ' ' | sed 's/ $//')"
expect_equal 0.8547 "$(energy --by group -g chem | cut -d, -f5 | cut -c1-6)"

it 'carbon by a file counts each hour as the grid was then'
printf 'time,g\n2026-03-02T00:00Z,100\n2026-03-02T10:30Z,500\n' >grid.csv
printf '[energy]\ncarbon_file = %s/grid.csv\n' "$PWD" >stint.conf
expect_equal '3,1,7200000,2,1,0,0.6,scheduler' "$(energy --by job -j 3)"
printf '2026-03-02T10:40Z,100\n' >grid.csv
expect_equal '3,1,7200000,2,1,0,,scheduler' "$(energy --by job -j 3)"
echo nonsense >>grid.csv
expect_exit 1 stint energy --by job -j 3
expect_err_has 'grid.csv'

# --- counters of cards that are not read at every look ------------------------------------------------------

# two jobs after each other on one card, half an hour each, of 100 and 300 W; it is read every fifth minute and where another job has it
unset STINT_CONFIG
card() { echo "$1|$1|fay|geo|chem|main|md|COMPLETED|2026-05-04T09:00:00|2026-05-04T$2:00|2026-05-04T$3:00|1800|1|1|n3|cpu=1,node=1,gres/gpu=1||0:0"; }
{ echo "$head"; card 31 10:00 10:30; card 32 10:30 11:00; } >cards.psv
check stint import slurm --cluster c --zone UTC cards.psv
cat >cards.mjs <<'END'
for (let m = 0; m <= 60; m++) {
    const time = new Date(Date.parse('2026-05-04T10:00:00Z') + m * 60000).toISOString().replace('.000', '');
    const job = m < 30 ? 31 : 32;
    const energy_j = 77 + Math.min(m, 30) * 6000 + Math.max(0, m - 30) * 18000;
    console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
        data: { type: 'sample', attributes: { time, cluster: 'c', node: 'n3', system: {
            counters: { cpus: 8, cpu_time_us: 1e12 + m * 6e7, energy_j: 5 },
            gpus: [{ uuid: 'GPU-3', index: 0, ce_util: 50, memory: 1, counters: { job, user: 'fay', ...(m % 5 ? {} : { energy_j }) } }] },
            jobs: [{ job, user: 'fay', epoch: 0, cgroup: { cpu_time_us: (m % 30) * 6e7, rss_bytes: 1 }, processes: [] }] } } }));
}
END
node cards.mjs >cards.json && check stint import sonar --cluster c cards.json

it 'what a card used between two readings of its counter is the job'"'"'s that held it, up to where another came'
expect_equal '32,540000,sampled
31,180000,sampled' "$(stint energy --from 2026-05-04 --to 2026-05-04 --zone UTC --by job --format csv --no-header 2>"$ERR" | cut -d, -f1,3,8)"

# --- periods ---------------------------------------------------------------------------------------------

# two hours around the end of March on node n2: 100 W before midnight, 300 W after; looks every eight minutes, so that midnight is between two
unset STINT_CONFIG
# over ID CPUS JOULES
over() { echo "$1|$1|eve|bio|chem|main|md|COMPLETED|2026-03-31T22:00:00|2026-03-31T23:00:00|2026-04-01T01:00:00|7200|$2|1|n2|cpu=$2,node=1|$3|0:0"; }
{ echo "$head"; over 11 8 ''; over 12 4 7200000; over 13 4 ''; echo "14|14|eve|bio|chem|main|md|COMPLETED|2026-03-31T22:00:00|2026-04-01T02:00:00|2026-04-01T03:00:00|3600|4|1|n2|cpu=4,node=1|500|0:0"; } >over.psv
check stint import slurm --cluster c --zone UTC over.psv
cat >over.mjs <<'END'
for (let m = 0; m <= 120; m += 8) {
    const time = new Date(Date.parse('2026-03-31T23:00:00Z') + m * 60000).toISOString().replace('.000', '');
    console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
        data: { type: 'sample', attributes: { time, cluster: 'c', node: 'n2', system: {
            counters: { cpus: 8, cpu_time_us: 1e12 + 8 * m * 6e7, energy_j: 900 + Math.min(m, 60) * 6000 + Math.max(0, m - 60) * 18000 } },
            jobs: [{ job: 11, user: 'eve', epoch: 0, cgroup: { cpu_time_us: 8 * m * 6e7, rss_bytes: 1 }, processes: [] }] } } }));
}
END
node over.mjs >over.json && check stint import sonar --cluster c over.json
of_month() { stint energy --from "$1" --to "$1" --zone UTC -g bio --by job --format csv --no-header 2>"$ERR" | cut -d, -f1-3,8; }

it 'a run over the end of a month counts by what its samples say of each month, or by the time in it'
# the rise between the looks at 23:56 and 00:04 is 96,000 J, of which each month has half
expect_equal '12,1,3600000,scheduler
11,1,384000,sampled
13,1,,not recorded
14,0,,not recorded' "$(of_month 2026-03)"
expect_equal '12,1,3600000,scheduler
11,1,1056000,sampled
14,1,500,scheduler
13,1,,not recorded' "$(of_month 2026-04)"
printf '[energy]\ncpu_watts = 10\n' >stint.conf
export STINT_CONFIG="$PWD/stint.conf"
expect_equal 13,1,144000,estimated "$(of_month 2026-03 | grep ^13)"

it 'months add up to the whole'
unset STINT_CONFIG
expect_equal '11,1,1440000,sampled' "$(stint energy --from 2026-03 --to 2026-04 --zone UTC -g bio --by job --format csv --no-header 2>"$ERR" | cut -d, -f1-3,8 | grep ^11)"

# --- idle power, memory, coverage --------------------------------------------------------------------------

# held ID CPUS NODES LIST MEMORY JOULES [START END]: on 2026-06-01, an hour from 10:00 on
held() { echo "$1|$1|gil|ida|chem|main|md|COMPLETED|2026-06-01T09:00:00|2026-06-01T${7:-10:00}:00|2026-06-01T${8:-11:00}:00|3600|$2|$3|$4|cpu=$2,node=$3${5:+,mem=$5}|$6|0:0"; }
{
    echo "$head"
    held 41 16 1 i1 64G ''               # a node of 16 cpus and 64 GiB for itself, and does nothing
    held 42 4 1 i2 '' ''                 # works on all of its 4 of 16 cpus
    held 43 8 1 i2 '' ''                 # beside it, does nothing on 8
    held 44 32 2 'i[3-4]' '' ''          # an agent on one of its two nodes
    held 45 16 1 i5 '' 5000              # looks at the last half of it
    held 46 16 1 i6 '' ''                # nine minutes are missing, and the counters began again after them
    held 47 16 1 i7 '' '' 10:00 10:30    # the same number twice
    echo "47|47|gil|ida|chem|main|md|COMPLETED|2026-06-01T10:40:00|2026-06-01T11:00:00|2026-06-01T11:30:00|1800|16|1|i7|cpu=16,node=1||0:0"
} >held.psv
check stint import slurm --cluster c --zone UTC held.psv
cat >held.mjs <<'END'
const GIB = 2 ** 30;
// a look: minute, node, joules in all and of memory, cpu seconds of the node, what the jobs have
function look(m, node, energy_j, energy_mem_j, cpu, jobs, generation) {
    const time = new Date(Date.parse('2026-06-01T10:00:00Z') + m * 60000).toISOString().replace('.000', '');
    console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
        data: { type: 'sample', attributes: { time, cluster: 'c', node, system: {
            counters: { cpus: 16, cpu_time_us: cpu * 1e6, energy_j, ...(energy_mem_j === null ? {} : { energy_mem_j }), mem_used_bytes: 4 * GIB, mem_total_bytes: 64 * GIB, ...(generation ? { generation } : {}) } },
            jobs: jobs.map(([job, seconds]) => ({ job, user: 'gil', epoch: 0, cgroup: { cpu_time_us: seconds * 1e6, rss_bytes: 0 }, processes: [] })) } } }));
}
for (let m = 0; m <= 60; m++) {
    look(m, 'i1', m * 7200, m * 1200, 0, [[41, 0]]); // 100 W, and 20 W of memory
    look(m, 'i2', m * 12000, null, m * 240, [[42, m * 240], [43, 0]]); // 200 W
    look(m, 'i3', m * 12000, null, m * 960, [[44, m * 960]]);
    if (m >= 30) look(m, 'i5', m * 12000, null, m * 960, [[45, m * 960]]);
    if (m <= 20) look(m, 'i6', m * 6000, null, m * 960, [[46, m * 960]], 1); // 100 W
    if (m >= 29) look(m, 'i6', 2e6 + m * 12000, null, 1e6 + m * 960, [[46, m * 960]], 2); // 200 W
    if (m <= 30) look(m, 'i7', m * 6000, null, m * 960, [[47, m * 960]]);
    if (m === 60) for (let k = 60; k <= 90; k++) look(k, 'i7', 1e6 + k * 18000, null, k * 960, [[47, (k - 60) * 960]]);
}
END
node held.mjs >held.json && check stint import sonar --cluster c held.json
idle() { stint energy --from 2026-06-01 --to 2026-06-01 --zone UTC --by job --format csv --no-header "$@" 2>"$ERR" | cut -d, -f1,3,8; }

it 'who holds an idle node bears what it takes, and its memory by what is held of it'
# 100 W x 1 h; of the energy of memory, a sixteenth is in use by others: 15/16 of 20 W
expect_equal '41,427500,sampled' "$(idle -j 41)"
# a quarter of 200 W is work; of the rest, 4 and 8 of 16 cpus are held: 87.5 W and 75 W
expect_equal '42,315000,sampled
43,270000,sampled' "$(idle -j 42,43)"
check stint energy --from 2026-06-01 --to 2026-06-01 --zone UTC
expect_out_has '(--idle allocation)'

it 'or those at work do, where the site or the request says so'
expect_equal '42,720000,sampled
43,0,sampled' "$(idle -j 42,43 --idle use)"
check stint energy --from 2026-06-01 --to 2026-06-01 --zone UTC --idle use
expect_out_has '(--idle use)'
printf '[energy]\nidle = use\n' >stint.conf
export STINT_CONFIG="$PWD/stint.conf"
expect_equal '41,0,sampled' "$(idle -j 41)"
expect_equal '41,427500,sampled' "$(idle -j 41 --idle allocation)"
expect_exit 2 stint energy --idle nobody
expect_err_has "no rule 'nobody'"
unset STINT_CONFIG

it 'what was seen of too little of a run is not called measured, and what the scheduler has stands'
expect_equal '45,5000,scheduler
44,,not recorded' "$(idle -j 44,45)"

it 'time without samples, and a counter that began again, count with the mean power; parts add up to the whole'
# 20 min of 100 W and 31 min of 200 W are 492,000 J in 51 min: 578,824 J an hour
expect_equal '46,578823.529,sampled' "$(idle -j 46)"
part() { stint energy --from "$1" --to "$2" --zone UTC --by job -j 46 --format csv --no-header 2>"$ERR" | cut -d, -f3; }
expect_equal 578823.529 "$(echo "$(part 2026-06-01T10:00 2026-06-01T10:25) $(part 2026-06-01T10:25 2026-06-01T11:00)" | awk '{ printf "%.3f", $1 + $2 }')"

it 'a job number that was used twice has the energy of each run'
# half an hour of 100 W and of 300 W, of which the second one is seen from its start
expect_equal '47,720000,sampled' "$(idle -j 47)"

# --- the screen of a job ---------------------------------------------------------------------------------

line() { stint job "$1" --zone UTC --width 150 | grep '^Energy ' | sed 's/  */ /g'; }
it 'the screen of a job has its energy and what it is based on, and nothing where it is not known'
expect_equal 'Energy 1.4 MJ, 0.400 kWh: processors 1.4 MJ (RAPL, by cpu time; idle power by allocation)' "$(line 11)"
expect_equal 'Energy 540.0 kJ, 0.150 kWh: processors 180.0 kJ (RAPL, by cpu time; idle power by allocation), GPUs 360.0 kJ (their counters)' "$(line 2)"
expect_equal 'Energy 7.2 MJ, 2.000 kWh: recorded by the scheduler' "$(line 12)"
expect_equal '' "$(line 13)"
printf '[energy]\ncpu_watts = 10\ngpu_watts = 300\ncarbon = 400\n' >stint.conf
export STINT_CONFIG="$PWD/stint.conf"
expect_equal 'Energy 1.2 MJ, 0.340 kWh: processors 144.0 kJ (estimated by watts), GPUs 1.1 MJ (estimated by watts); 136 g CO2e' "$(line 4)"

it 'fractions of a joule are kept: of runs, of their sums, in filters'
for field in job user cpus start end state; do echo "$field = $field"; done >map
echo 'energy = joules' >>map
printf 'job,user,cpus,start,end,state,joules
1,ann,4,2025-02-01T00:00:00Z,2025-02-01T02:00:00Z,done,12.7
2,ann,4,2025-02-01T00:00:00Z,2025-02-01T02:00:00Z,done,0.4\n' >joules.csv
check stint import csv --map map --cluster c joules.csv --store joules
expect_out '1,12.7
2,0.4' stint jobs --from 2025-02-01 --to 2025-02-01 --fields id,energy --sort id --store joules --zone UTC --format csv --no-header
expect_out '2' stint jobs --from 2025-02-01 --to 2025-02-01 --fields id --energy '<0.5' --store joules --zone UTC --format csv --no-header
expect_out '13.1' stint report energy --from 2025-02-01 --to 2025-02-01 --store joules --zone UTC --format csv --no-header
expect_out '2025-02-01T00:00,6.55,false
2025-02-01T01:00,6.55,false' stint report energy --every hour --from 2025-02-01T00:00 --to 2025-02-01T02:00 --store joules --zone UTC --format csv --no-header
expect_out '12.7 0.4' sh -c "'$STINT' energy --by job --from 2025-02 --store joules --zone UTC --format csv --no-header | cut -d, -f3 | xargs"
sed -i 's/^energy = joules/energy = joules in kWh/' map
check stint import csv --map map --cluster c joules.csv --store kwh
expect_out '47160000' stint report energy --from 2025-02-01 --to 2025-02-01 --store kwh --zone UTC --format csv --no-header

it 'what was charged for energy is itemised in kWh'
sed -i 's/^user = user/user = user\naccount = user/' map
check stint import csv --map map --cluster c joules.csv --store paid
check stint rate add power --kwh 2 --store paid
check stint bank open ann --from 2025-01-01 --store paid
check stint bank charge --store paid
check stint bank charges ann --from 2025-02-01 --to 2025-02-01 --store paid
expect_out_has ' 12.7 kWh '
expect_out_has ' 25.4 '

finish
