#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real Slurm runs jobs of every kind; what stint makes of sacct's text and of its JSON is compared with each other
# field by field, with sacct's own sums and with sreport. See docs/sources/slurm.md.
#
# Jobs that are looked at run until the test lets them go, however slow the machine is.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

it 'a real Slurm comes up'
slurm_need || finish
check slurm_up
[ "${status:?}" -eq 0 ] || finish

# --- jobs -------------------------------------------------------------------------------------------

# Jobs of the QOS `never` may not start, though nothing else keeps them: so they can be cancelled while they wait.
accounts() {
    sacctmgr -i -Q add qos high Priority=100 UsageFactor=2.0 &&
        sacctmgr -i -Q add qos low Priority=1 UsageFactor=0.5 &&
        sacctmgr -i -Q add qos never GrpJobs=0 &&
        slurm_account physics games,news qos=normal,high,low &&
        slurm_account theory news parent=physics qos=normal,high,low &&
        slurm_account chemistry man,lp,games qos=normal,low,never
}

# shellcheck disable=SC2016 # what jobs do is expanded in jobs
plain_jobs() {
    slurm_submit games -J array --array=1-6%3 -n1 --mem=300 --wrap 'sleep 1'
    slurm_submit games -J nodes -N3 -n12 --wrap 'srun -n3 -N3 sleep 1; srun -n6 sleep 1'
    slurm_submit man -J steps -n4 --wrap 'srun -n2 -J one sleep 1; srun -n2 -J two sh -c "head -c 50000000 /dev/zero | tail -c 1; sleep 2"'
    slurm_submit man -J gpu -p gpu --gres=gpu:a100:1 -n2 --wrap 'srun sleep 2'
    slurm_submit lp -J gpus -p gpu --gpus=h200:4 -c8 --mem=64G --wrap 'sleep 3'
    slurm_submit news -J gpunodes -p gpu -N2 --gpus-per-node=2 --ntasks-per-node=1 --wrap 'srun sleep 1'
    slurm_submit news -J high -A theory --qos=high -n2 --wrap 'sleep 2'
    slurm_submit news -J low --qos=low -n8 --wrap 'sleep 2'
    slurm_submit man -J fail --wrap 'exit 3'
    slurm_submit man -J stepfail --wrap 'srun sh -c "exit 7"; exit 0'
    slurm_submit man -J signal --wrap 'kill -SEGV $$'
    slurm_submit lp -J 'a | in the name' --wrap 'sleep 1'
    slurm_submit lp -J het -n1 --mem=100 : -p gpu --gpus=1 -n1 --wrap 'srun --het-group=0,1 sleep 1'
    slurm_submit news -J after -d "afterok:$(slurm_submit news -J first --wrap 'sleep 1')" --wrap 'sleep 1'
    slurm_submit lp -J deadline --deadline=now+20seconds --begin=now+15seconds -t 1 --wrap 'sleep 30'
    for i in 1 2 3; do
        for user in games news man lp; do
            slurm_submit $user -J "short$i" -n$((i * 2 - 1)) --mem=$((i * 100)) --wrap "sleep $i"
        done
    done
    slurm_as news srun -J interactive -n2 sleep 1
    slurm_as games salloc -A chemistry -J allocation -n1 srun sleep 1
}

# shellcheck disable=SC2016
disturbed_jobs() {
    running=$(slurm_submit man -J running -t 600 --wrap 'sleep 36000')
    waiting=$(slurm_submit man -J waiting -t 600 --qos=never --wrap 'sleep 36000')
    array=$(slurm_submit man -J waitarray -t 600 --qos=never --array=1-5 --wrap 'sleep 36000')
    later=$(slurm_submit man -J later -t 600 --begin=now+1hour --wrap 'sleep 36000')
    again=$(slurm_submit games -J again -t 600 --requeue -w c3 --wrap 'sleep 36000')
    broken=$(slurm_submit games -J broken -t 600 -w c2 --wrap 'sleep 36000')
    stopped=$(slurm_submit games -J stopped -t 600 -w c1 --wrap "until [ -e '$BED/go' ]; do sleep 0.2; done")
    resized=$(slurm_submit games -J resized -t 600 -N2 -n2 -w c1,c3 --wrap "until [ -e '$BED/go' ]; do sleep 0.2; done
        scontrol update jobid=\$SLURM_JOB_ID numnodes=1; sleep 2")
    for id in $running $again $broken $stopped $resized; do
        bed_until $BED_LONG slurm_state "$id" RUNNING || return 1
    done
}

disturb() {
    scontrol suspend "$stopped" &&
        until_true past $(($(date +%s) + 1)) && # a job that is requeued in the second in which it started leaves no record of it
        slurm_as man scancel "$running" "$waiting" "$array" "$later" &&
        scontrol requeue "$again" &&
        scontrol update nodename=c2 state=down reason='power loss' &&
        bed_until $BED_LONG slurm_state "$again" PENDING &&
        bed_until $BED_LONG slurm_recorded "$again" PENDING &&
        scancel "$again" &&
        scontrol resume "$stopped" &&
        : >"$BED/go"
}

it 'jobs of every kind run to their end'
check accounts
check plain_jobs
check slurm_wait # one of them wants all nodes
check disturbed_jobs
check disturb
check slurm_wait
check slurm_told

# --- what sacct says of them ------------------------------------------------------------------------

asked() { sacct -aD -S "$(date -d '-1 day' +%F)" -E "$(date -d '+1 day' +%F)" "$@"; }

it 'history is moved to hours that are over'
check slurm_past 7200

columns=JobID,JobIDRaw,Cluster,Partition,QOS,Account,Group,GID,User,UID,Submit,Eligible,Start,End,Elapsed,ElapsedRaw,Suspended
columns=$columns,Timelimit,TimelimitRaw,ExitCode,State,NNodes,NCPUS,NTasks,ReqCPUS,ReqNodes,ReqMem,ReqTRES,AllocTRES,NodeList
columns=$columns,Priority,Reservation,Reason,WCKey,UserCPU,SystemCPU,TotalCPU,MaxRSS,AveRSS,MaxVMSize,AveDiskRead,AveDiskWrite
columns=$columns,ConsumedEnergyRaw,TRESUsageInTot,TRESUsageOutTot,JobName,WorkDir,SubmitLine

asked -P -o $columns >sacct.txt
asked --json >sacct.json
asked -XP -n -o JobID,User,Account,State,ElapsedRaw,NCPUS,CPUTimeRAW,NNodes,Submit >plain.txt

it 'both forms are read whole'
check stint import slurm --zone UTC --store text sacct.txt
check stint import slurm --store json sacct.json
for form in text json; do
    stint quarantine --store $form --format csv --no-header >quarantined
    expect_same /dev/null quarantined
    stint jobs -j '>0' --store $form --fields all --format json >$form.runs
done

it 'there are as many runs as sacct has rows'
expect_equal "$(wc -l <plain.txt)" "$(stint jobs -j '>0' --store text -o job --format csv --no-header | wc -l)"

it 'text and JSON give the same runs'
check node "$TESTS/support/runs.mjs" text.runs json.runs
cat "$OUT"

it 'the same again, in the other form, adds nothing'
stint import slurm --store text sacct.json --format csv --no-header | cut -d, -f4 >added
expect_equal 0 "$(cat added)"

# --- sums -------------------------------------------------------------------------------------------

it 'cpu time is what sacct sums up to'
for key in 2:user 3:account; do
    awk -F'|' -v column="${key%:*}" '{ s[$column] += $7 } END { for (k in s) print k "," s[k] }' plain.txt | sort >theirs
    stint report cpu_hours --by "${key#*:}" --store json --from 2d --format csv --no-header |
        awk -F, '{ printf "%s,%.0f\n", $1, $2 * 3600 }' | sort >ours
    expect_same theirs ours
done

it 'and run by run'
awk -F'|' '$5 > 0 { print $1, $7 }' plain.txt | sort >theirs
stint jobs -j '>0' --store json -o job,task,het,cpu_hours,start --format csv --no-header |
    awk -F, '$4 > 0 { print $1 ($2 != "" ? "_" $2 : "") ($3 != "" ? "+" $3 : ""), sprintf("%.0f", $4 * 3600) }' | sort >ours
expect_same theirs ours

it 'cpus, memory, GPUs and billing are those of sreport'
sreport -nP cluster AccountUtilizationByUser start="$(date -d '-1 day' +%F)" end="$(date +%FT%H:00:00)" -t seconds \
    --tres=cpu,mem,gres/gpu,billing,node format=account,login,tresname,used | awk -F'|' '$2 != "" && $4 > 0' | sort >theirs
stint report cpu_hours,mem_gib_hours,gpu_hours,billing_hours,node_hours --by account,user --store text --from 2d --format csv --no-header |
    awk -F, '
        function row(name, value) { if (value > 0) printf "%s|%s|%s|%.0f\n", $1, $2, name, value }
        {
            row("cpu", $3 * 3600); row("mem", $4 * 3600 * 1024); row("gres/gpu", $5 * 3600)
            row("billing", $6 * 3600); row("node", $7 * 3600)
        }' | sort >ours
expect_same theirs ours
t_next_name 'sreport has rows'
if [ "$(wc -l <theirs)" -gt 20 ]; then t_ok "$t_this"; else t_fail "$t_this" "$(cat theirs)"; fi

# --- what became of them ----------------------------------------------------------------------------

it 'states'
class_of() { stint jobs -j "$1" --store "$2" -o class --format csv --no-header | sort | tr '\n' ' '; }
for form in text json; do
    expect_equal 'cancelled ' "$(class_of "$running" $form)"
    expect_equal 'cancelled ' "$(class_of "$waiting" $form)"
    expect_equal 'cancelled requeued ' "$(class_of "$again" $form)"
    expect_equal 'node_fail ' "$(class_of "$broken" $form)"
    expect_equal 'completed ' "$(class_of "$stopped" $form)"
    expect_equal 'completed requeued ' "$(class_of "$resized" $form)"
    expect_equal 5 "$(stint jobs -j "$array" --store $form -o task_count --format csv --no-header)"
done

finish
