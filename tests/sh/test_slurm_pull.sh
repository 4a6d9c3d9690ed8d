#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real Slurm, asked in every way there is: while jobs of many kinds run, and when they are over. What came of it must
# be the same whatever the way and however often it was asked, and the hours must be Slurm's own.
#
# Jobs that are looked at run until the test lets them go, however slow the machine is.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

slurm_need || finish

t_bed=0
slurm_up || t_bed=1
it 'a Slurm comes up'
expect_exit 0 test $t_bed -eq 0
[ $t_bed -eq 0 ] || finish

slurm_token root >token
cat >stint.conf <<CONF
[cluster text]
scheduler = slurm
slurm_conf = $SLURM_CONF
since = $(date -d -2days +%F)

[cluster json]
scheduler = slurm
via = sacct-json
since = $(date -d -2days +%F)
slurm_conf = $SLURM_CONF

[cluster socket]
scheduler = slurm
via = slurmrestd
since = $(date -d -2days +%F)
address = unix:$SLURM_REST_SOCKET

[cluster token]
scheduler = slurm
via = slurmrestd
since = $(date -d -2days +%F)
address = $SLURM_REST_URL
user = root
token_file = $TMP/token

[cluster often]
scheduler = slurm
slurm_conf = $SLURM_CONF
since = $(date -d -2days +%F)
CONF

day=$(date -d -3days +%F)
pull() { stint pull --config "$TMP/stint.conf" "$@"; }

# rows CLUSTER [FIELD...]: all fields of its runs but where they came from.
fields='job,task,het,attempt,array_job,name,user,uid,group,gid,account,wckey,partition,qos,reservation,nodes,node,node_count,work_dir,command,priority,request,req_cpus,req_nodes,req_mem,req_gpus,time_limit,cpus,mem,disk,gpus,gpu_type,billing,submit,eligible,start,end,suspended,state,class,exit_code,signal,reason,cpu_user,cpu_system,cpu_used,mem_peak,mem_basis,vmem_peak,io,energy,flags,job_raw,task_count'
rows() { stint jobs -M "$1" --from "$day" --limit 0 --fields "$fields" --format tsv; }

# differ A B: the fields in which they differ, and runs that only one of them has.
differ() {
    awk 'BEGIN { FS = "\t" }
        FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { key = $1 "_" $2 "+" $3 "@" $4 }
        NR == FNR { row[key] = $0; next }
        !(key in row) { print key " is only in the second: " $0; next }
        { split(row[key], a, "\t"); delete row[key]
          for (i = 1; i <= NF; i++) if (a[i] != $i) differs[name[i]] }
        END { for (k in row) print k " is only in the first: " row[k]; for (k in differs) print k }' "$1" "$2" | sort
}

# --- while they run ---------------------------------------------------------------------------------

slurm_account physics games,man && slurm_account chemistry news,lp
submit() { slurm_submit "$@" >>ids; }
scontrol create reservation reservationname=lab starttime=now duration=60 nodes=c3 accounts=chemistry flags=flex >/dev/null

submit games --array=1-12%4 --mem=100 --wrap 'sleep 1'
submit games --array=1-500:7 --hold --wrap 'sleep 1'
submit games -n2 -J 'bars | and ^ hats' --wrap 'srun sleep 1'
submit games -J "$(printf 'two\nlines')" --wrap 'sleep 1'
submit news -N2 --mem=300 --wrap 'srun sleep 2'
submit news -p gpu --gres=gpu:a100:2 -n4 --wrap 'sleep 2'
submit news -p gpu --gpus=3 --wrap 'sleep 1'
submit lp -n1 : -p gpu --gpus=1 --wrap 'sleep 3'
submit lp --wrap 'exit 3'
submit lp -c4 --mem-per-cpu=50 --wrap 'kill -9 $$'
submit lp --begin=now+1hour --wrap 'sleep 1'
submit man -n100 --wrap 'sleep 1'
submit man -p cpu,gpu -n1 --wrap 'sleep 2'
submit man --reservation=nothing --wrap 'sleep 1' 2>/dev/null
submit lp --reservation=lab -n2 --wrap 'sleep 2'
requeued=$(slurm_submit games --requeue -t 600 --wrap 'sleep 36000')
suspended=$(slurm_submit man -t 600 --wrap "until [ -e '$BED/go' ]; do sleep 0.2; done")
cancelled=$(slurm_submit news -t 600 --wrap 'sleep 36000')

it 'a Slurm with jobs in it is pulled'
for id in $requeued $suspended $cancelled; do
    check bed_until $BED_LONG slurm_state "$id" RUNNING
done
check scontrol suspend "$suspended"
expect_exit 0 pull often
expect_out_has 'squeue'

it 'what waits and runs is known by its place'
expect_exit 0 stint jobs -M often -s RUNNING -u lp,news,games,man --from "$day" --fields job,user,cpus,seen --format csv
expect_out_has "$cancelled,news,1,"
expect_exit 0 stint jobs -M often --class pending --from "$day" --fields job,task_count,seen --format csv
expect_out_has ',72,' # 1-500:7
expect_exit 0 stint jobs -M often --class suspended --from "$day" --fields job --format csv
expect_out_has "$suspended"

it 'what they wait for is recorded'
expect_exit 0 stint waits -M often --from "$day" --by user,reason --format csv --no-header
expect_out_has 'games,JobHeldUser,72,' # each of the array's
expect_out_has 'lp,BeginTime,1,'
held=$(stint queue -M often -s pending -u lp --fields id --format csv --no-header | head -n 1)
expect_exit 0 stint job -M often "$held" --format csv
expect_exit 0 sh -c "'$STINT' job -M often '$held' | grep '^Waited .* for '"
expect_exit 0 sh -c "'$STINT' job -M often '$held' | grep '^Expected .*, as the scheduler said at '"

round=0
while [ $round -lt 8 ]; do
    case $round in
    1) check scontrol resume "$suspended" ;;
    2) check scontrol requeue "$requeued" ;;
    3) : >"$BED/go" ;;
    4) scancel "$cancelled" ;;
    5) check bed_until $BED_LONG slurm_recorded "$requeued" PENDING ;;
    6) for user in games lp man; do scancel -t PENDING -u $user; done ;;
    esac
    until_true past "$(date +%s)"
    pull often >often.out 2>&1 || { t_bed=2; cat often.out; }
    round=$((round + 1))
done
it 'it is pulled every second'
expect_exit 0 test $t_bed -eq 0
scancel "$requeued"
check slurm_wait
check slurm_told
check pull often

# --- when they are over -----------------------------------------------------------------------------

it 'each way takes them all'
for cluster in text json socket token; do
    expect_exit 0 pull $cluster
    rows $cluster >$cluster.rows
done
rows often >often.rows
expect_out 1 sh -c "'$STINT' quarantine --format csv | wc -l" # the header
expect_exit 0 test "$(wc -l <text.rows)" -gt 25

it 'none is open any more'
expect_out 0 sh -c "'$STINT' jobs --from $day --class pending,running,suspended,other --format csv --no-header | wc -l"

it 'what they waited for has ended, and stays'
expect_exit 0 stint waits -M often --from "$day" --by user,reason --format csv --no-header
expect_out_has 'games,JobHeldUser,72,'
expect_out_has 'lp,BeginTime,1,'

it 'pulled every second and once at the end: the same facts'
differ often.rows text.rows >differ.out
expect_equal '' "$(cat differ.out)"

it 'the same by text and by JSON, but for what one of them does not tell'
differ text.rows json.rows | grep -vx reservation >differ.out # 22.05's JSON has no name of it
expect_out 'command
cpu_system
cpu_used
cpu_user
gid
reason
request
uid' cat differ.out

it 'the same by sacct and by slurmrestd'
differ json.rows socket.rows >differ.out
expect_equal '' "$(cat differ.out)"
differ socket.rows token.rows >differ.out
expect_equal '' "$(cat differ.out)"

it 'asked again, nothing changes'
stint pull --config stint.conf --format csv --no-header >again.out
expect_equal '' "$(awk -F, '$2 == "queue" && $7 + $8 + $11 > 0 || $2 == "history" && $7 > 0' again.out)"

# --- hours --------------------------------------------------------------------------------------------

it "cpu hours are sreport's"
check slurm_past 7200
rm -rf "$STINT_STORE"
check pull text
from=$(date -d -4hours +%FT%H:00) to=$(date +%FT%H:00)
sreport -nP -t Seconds -T cpu cluster AccountUtilizationByUser start="$from:00" end="$to:00" \
    format=login,account,used | awk -F'|' '$1 != "" { print $1 "," $2 "," $3 }' | sort >theirs
stint report cpu_hours --by user,account --from "$from" --to "$to" --format csv --no-header |
    awk -F, '{ printf "%s,%s,%.0f\n", $1, $2, $3 * 3600 }' | sort >ours
expect_out "$(cat theirs)" cat ours

finish
