#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint-agent on a node of a real Slurm without control groups (proctrack/linuxproc): processes belong to their job by the daemon
# of its step, or by their environment, and nobody can give work to a job of somebody else.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

AGENT=${STINT_AGENT:-$(dirname "$STINT")/stint-agent}
slurm_need || finish
# An agent sees all of a machine, the Slurm of another test as well: the numbers of jobs are those of this one alone.
SLURM_MORE="FirstJobId=$((100000 + $$))"
t_up=0
slurm_up || t_up=1
tag=$((100000 + $$)) # each process sleeps for a time that no other of the machine sleeps for
outside=
t_at_exit=leave
leave() {
    for t_pid in $outside $(pgrep -fx "sleep ${tag}1"); do kill "$t_pid" 2>/dev/null; done
    bed_down_all
}
it 'a Slurm comes up'
expect_exit 0 test $t_up -eq 0
[ $t_up -eq 0 ] || finish
slurm_account physics games,news

# An array, a program without an environment, and one that leaves its parents and is not ended with the job.
one=$(slurm_submit games -w c1 -n2 -D / --wrap "env -i sleep ${tag}0 & (setsid sleep ${tag}1 &) ; sleep ${tag}2")
two=$(slurm_submit news -w c1 -D / --array=1-2 --wrap "sleep ${tag}3")
is_there() { [ "$(pgrep -cfx "sleep $tag$1")" -eq "$2" ]; }
all_run() { is_there 0 1 && is_there 1 1 && is_there 2 1 && is_there 3 2; }
it 'jobs of two users and an array run'
check bed_until $BED_LONG all_run

# as USER COMMAND...: outside of Slurm, from now on to the end of the test.
as() {
    t_user=$1
    shift
    setpriv --reuid "$t_user" --regid "$(id -g "$t_user")" --clear-groups env "$@" >/dev/null 2>&1 &
    outside="$outside $!"
}
uid() { id -u "$1"; }
# says that it is of a job of games
as news SLURM_JOB_ID="$one" SLURM_JOB_UID="$(uid games)" sleep "${tag}4"
as news SLURM_JOB_ID="$one" SLURM_JOB_UID="$(uid news)" sleep "${tag}5"
as man SLURM_JOB_ID="$one" sleep "${tag}6" # has no job here at all
as games SLURM_JOB_ID="$one" sleep "${tag}7" # may say so of itself: one's own job can be chosen
as games SLURM_JOB_ID=999999 sleep "${tag}8" # does not run here
as games sleep "${tag}9"
all_outside() { is_there '[4-9]' 6; }
check bed_until $BED_LONG all_outside

it 'a process is of the job that started it, whatever its environment says, and of no other'
number_of() { squeue -h -j "$1" -o '%A' | sort -n; }
"$AGENT" sample --no-gpus >sample
node -e '
    const { jobs } = JSON.parse(require("fs").readFileSync("sample")).data.attributes;
    const of = new Map();
    for (const job of jobs) for (const one of job.processes) of.set(one.pid, job.epoch === 0 ? job.job : 0);
    for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
        const [pid, , seconds] = line.trim().split(" ");
        console.log(seconds.slice(-1), of.get(Number(pid)));
    }' <<END | sort -n >ours
$(pgrep -afx "sleep $tag[0-9]")
END
{
    for which in 0 1 2; do echo "$which $one"; done
    for job in $(number_of "$two"); do echo "3 $job"; done
    for which in 4 5 6; do echo "$which 0"; done
    echo "7 $one"
    for which in 8 9; do echo "$which 0"; done
} >want
expect_same want ours

it 'and of the user who submitted it'
squeue -h -t running -o '%A %u' | sort -u >theirs
node -e '
    const { jobs } = JSON.parse(require("fs").readFileSync("sample")).data.attributes;
    for (const job of jobs.filter((each) => each.epoch === 0))
        console.log(job.job, job.user)' | grep -v ' root$' | sort -u >all
join -j 1 theirs all | awk '{ print $1, $3 }' >ours
expect_same theirs ours

it 'without the right to read environments, those below a daemon are known all the same'
setpriv --reuid lp --regid "$(id -g lp)" --clear-groups "$AGENT" sample --no-gpus >weak 2>/dev/null
node -e '
    const { jobs } = JSON.parse(require("fs").readFileSync("weak")).data.attributes;
    const commands = jobs.filter((each) => each.epoch === 0 && each.job === Number(process.argv[1]) && each.user === "games")
        .flatMap((each) => each.processes).filter((each) => each.cmd === "sleep").length;
    console.log(commands)' "$one" >weak.count
expect_exit 0 test "$(cat weak.count)" -ge 2

scancel -u games && scancel -u news
check slurm_wait
finish
