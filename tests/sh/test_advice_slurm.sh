#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Advice proven by resubmission, on a real Slurm that enforces memory: programs of known use are submitted, seen by stint-agent, advised about and
# submitted again as advised. None that succeeded fails.
#
# All nodes are this machine. An agent for each of them has its name and sees only the control groups of its node, in namespaces of its own. Programs go on
# until the agents have looked often enough, however long that takes.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

AGENT=${STINT_AGENT:-$(dirname "$STINT")/stint-agent}
FAKE=$(dirname "$STINT")/../tests/fake
groups=/sys/fs/cgroup

slurm_need || finish
need_control_groups "$groups/freezer" || finish
# The groups are the machine's: two such tests at a time would mix their jobs.
exec 9<"$groups/freezer/notify_on_release"
flock 9 || finish

SLURM_PROCTRACK=cgroup SLURM_GATHER=cgroup SLURM_TASK=cgroup
t_up=0
slurm_up 9<&- || t_up=1
agents=
t_at_exit=leave
leave() {
    # shellcheck disable=SC2086 # a list of words
    [ -z "$agents" ] || kill $agents 2>/dev/null
    bed_down_all
    find $groups/*/slurm_[cg][0-9] -depth -type d -exec rmdir {} + 2>/dev/null
}
it 'a Slurm comes up that enforces memory'
expect_exit 0 test $t_up -eq 0
[ $t_up -eq 0 ] || finish
slurm_account physics games
chmod 755 "$TMP"
mkdir -m 777 "$BED/work"

# --- an agent on each node ----------------------------------------------------------------------------

kinds='cpuacct cpu memory blkio pids'
# agent NODE [OPTION]...: in the background; its looks are in looks/NODE
agent() {
    node=$1
    shift
    for kind in $kinds; do mkdir -p "$groups/$kind/slurm_$node"; done
    mkdir -p "looks/$node" "own/$node"
    # shellcheck disable=SC2016 # of the inner shell
    env NODE="$node" KINDS="$kinds" OWN="$PWD/own/$node" LD_LIBRARY_PATH="$FAKE" unshare -um sh -c '
        hostname "$NODE" && mount --rbind /sys/fs/cgroup "$OWN" && mount -t tmpfs none /sys/fs/cgroup || exit 1
        for kind in $KINDS; do
            mkdir -p "/sys/fs/cgroup/$kind/slurm_$NODE"
            mount --bind "$OWN/$kind/slurm_$NODE" "/sys/fs/cgroup/$kind/slurm_$NODE" || exit 1
        done
        touch /sys/fs/cgroup/cpuacct/cpuacct.usage /sys/fs/cgroup/cpu/cpu.shares /sys/fs/cgroup/memory/memory.usage_in_bytes \
            /sys/fs/cgroup/blkio/blkio.throttle.io_service_bytes /sys/fs/cgroup/pids/cgroup.procs
        exec "$@"' sh "$AGENT" run --cluster rowan --every 0.5 "$@" >"looks/$node/looks" 2>"looks/$node/err" 9<&- &
    agents="$agents $!"
}
for node in c1 c2 c3; do agent $node --no-gpus --no-processes; done
agent g1
looked() { for node in c1 c2 c3 g1; do [ "$(wc -l <"looks/$node/looks")" -ge "$1" ] || return 1; done; }
it 'each node has its agent'
check bed_until $BED_LONG looked 1

# --- programs -----------------------------------------------------------------------------------------

# NAME | what is requested | what it does, until the file $F is there
cat >programs <<'END'
spike|-w c1 --mem=4G|sleep 1; head -c 400000000 /dev/zero | tail -c 400000000 >/dev/null; rest
ramp|-w c1 --mem=4G|i=1; while [ $i -le 8 ]; do head -c $((i * 40000000)) /dev/zero | tail -c $((i * 40000000)) >/dev/null; i=$((i + 1)); done; rest
forks|-w c2 -c 2 --mem=3G|until [ -e $F ]; do /bin/true; done
ranks|-N 3 --ntasks-per-node=1 --mem=3G|srun --mem=0 sh -c "until [ -e $F ]; do [ \$SLURM_PROCID != 1 ] || sleep 0.2; done"
cards|-p gpu -w g1 --gres=gpu:a100:2 --mem=3G|rest
writer|-w c2 --mem=3G|until [ -e $F ]; do head -c 100000000 /dev/zero >$W; cat $W >/dev/null; sleep 0.5; done; rm $W
bursts|-w c3 -c 4 --mem=3G|until [ -e $F ]; do for p in 1 2 3 4; do timeout 0.5 sh -c "while :; do :; done" & done; wait; sleep 1; done
serial|-w c3 -c 4 --mem=3G|until [ -e $F ]; do :; done
END
# submit ROUND NAME OPTIONS SCRIPT: its id
submit() {
    # shellcheck disable=SC2086 # a list of words
    slurm_submit games -D / -J "$2" $3 --wrap "F=$BED/work/enough.$1 W=$BED/work/$2.$1; rest() { until [ -e \$F ]; do sleep 0.2; done; }; $4"
}
running() { [ "$(squeue -h -t running -o %i | wc -l)" -eq "$1" ]; }
over() { [ "$(squeue -h -o %j | grep -vc '^hung$')" -eq 0 ]; }
# round NUMBER: all programs of the file round.NUMBER; they run while the agents look 24 times. Ids are in ids.NUMBER.
round() {
    while IFS='|' read -r name options script; do
        echo "$name $(submit "$1" "$name" "$options" "$script")"
    done <"round.$1" >"ids.$1"
    bed_until $BED_LONG running $(($(wc -l <"ids.$1") + $(squeue -h -n hung | wc -l))) || return 1
    bed_until $BED_LONG looked $(($(wc -l <looks/c1/looks) + 24)) || return 1
    : >"$BED/work/enough.$1"
    bed_until $BED_LONG over
}
state() { sacct -nXP -j "$1" -o State; }
id_of() { sed -n "s/^$2 //p" "ids.$1"; }

it 'eight programs of known use and one that hangs run'
cp programs round.1
hung=$(submit 1 hung '-w c3 --mem=3G --time=10' 'sleep 600')
# A limit is of whole minutes; its end may be set to the second.
starts() { slurm_state "$hung" RUNNING; }
check bed_until $BED_LONG starts
check scontrol update jobid="$hung" endtime="$(date -d '+20 seconds' +%FT%T)"
check round 1
check bed_until $BED_LONG slurm_over
check slurm_told
for name in $(cut -d' ' -f1 ids.1); do
    expect_equal "$name COMPLETED" "$name $(state "$(id_of 1 "$name")")"
done
expect_equal TIMEOUT "$(state "$hung")"

# --- advice -------------------------------------------------------------------------------------------

it 'their runs and samples are imported'
printf '[cluster rowan]\nscheduler = slurm\nslurm_conf = %s\nsince = %s\n' "$SLURM_CONF" "$(date -d -2days +%F)" >stint.conf
check stint pull --config "$TMP/stint.conf" rowan
# The agent with GPUs sees the processes of all nodes, which are on one machine: those of its own are in its control groups.
for node in c1 c2 c3 g1; do
    node -e '
        for (const line of require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n")) {
            const look = JSON.parse(line), all = look.data.attributes;
            all.jobs = (all.jobs ?? []).filter((job) => job.cgroup).map((job) => ({ ...job, processes: [] }));
            console.log(JSON.stringify(look));
        }' "looks/$node/looks" >"$node.json"
done
check stint import sonar --cluster rowan c1.json c2.json c3.json g1.json
advice() { stint job "$1" -M rowan --width 400 | sed -n 's/^Advice  *//p'; }

it 'one that hung is not told to ask for more time'
advice "$hung" >told
echo "# hung: $(paste -sd';' told)"
expect_equal 0 "$(grep -c -e '--time=' told)"
expect_equal 1 "$(grep -c -e 'before you request more' -e 'by another limit' told)"

# asked NAME OPTIONS: the options with what is advised in their places
asked() {
    advice "$(id_of 1 "$1")" >told
    echo "# $1: $(paste -sd';' told)" >&3
    flag() { sed -n "s/.*--$1=\([0-9A-Z:]*\).*/\1/p" told | head -1; }
    new=$2
    [ -z "$(flag mem)" ] || new=$(echo "$new" | sed "s/--mem=[0-9A-Z]*/--mem=$(flag mem)/")
    [ -z "$(flag cpus-per-task)" ] || new=$(echo "$new" | sed "s/-c [0-9]*/-c $(flag cpus-per-task)/")
    [ -z "$(flag nodes)" ] || new=$(echo "$new" | sed "s/-N [0-9]*/-N $(flag nodes)/")
    [ -z "$(flag gpus)" ] || new=$(echo "$new" | sed "s/--gres=gpu:a100:[0-9]*/--gres=gpu:a100:$(flag gpus)/")
    [ -z "$(flag time)" ] || new="$new --time=$(flag time)"
    echo "$new"
}
it 'what is advised is enough: all of them succeed again'
while IFS='|' read -r name options script; do
    echo "$name|$(asked "$name" "$options" 3>>said)|$script"
done <programs >round.2
cat said
changed=0
while IFS='|' read -r name options script; do
    grep -q "^$name|$options|" programs || changed=$((changed + 1))
    echo "# $name again: $options"
done <round.2
# Memory is counted by the kernel, and one of two cards is idle, on any machine.
check test "$changed" -ge 2
check round 2
check slurm_told
for name in $(cut -d' ' -f1 ids.2); do
    expect_equal "$name COMPLETED" "$name $(state "$(id_of 2 "$name")")"
done

it 'a spike of 400 MB has room, though no look need have seen it'
mem=$(sed -n 's/^spike|.*--mem=\([0-9]*\)\([MG]\).*/\1 \2/p' round.2 | awk '{ print $1 * ($2 == "G" ? 1024 : 1) }')
check test "$mem" -ge 382

finish
