#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint-agent on a node of a real Slurm that puts its jobs into control groups: which process is of which job is what Slurm
# says itself.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

AGENT=${STINT_AGENT:-$(dirname "$STINT")/stint-agent}
groups=/sys/fs/cgroup/freezer

slurm_need || finish
need_control_groups "$groups" || finish

# The groups are the machine's: two such tests at a time would mix their jobs. (The folder itself is locked by Slurm.)
exec 9<"$groups/notify_on_release"
flock 9 || finish

SLURM_PROCTRACK=cgroup
t_up=0
slurm_up || t_up=1
t_at_exit=leave
leave() {
    bed_down_all
    find "$groups"/slurm_[cg][0-9] -depth -type d -exec rmdir {} + 2>/dev/null
}
it 'a Slurm comes up'
expect_exit 0 test $t_up -eq 0
[ $t_up -eq 0 ] || finish
slurm_account physics games,news

one=$(slurm_submit games -w c1 -n2 -D / --wrap 'sh -c "while :; do :; done" & sleep 600')
slurm_submit news -w c1 -D / --array=1-2 --wrap 'sleep 600' >/dev/null

listed() { scontrol listpids 2>/dev/null | awk '$2 ~ /^[0-9]/ && $1 > 0 { print $1, $2 }' | sort; }
all_run() { [ "$(squeue -h -t running -o %i | wc -l)" -eq 3 ] && [ "$(listed | cut -d' ' -f2 | sort -u | wc -l)" -eq 3 ]; }
it 'jobs of two users and an array run'
check bed_until $BED_LONG all_run
# All of them, and the busy one has something to show.
settled() {
    [ "$(listed | wc -l)" -ge 7 ] &&
        ps -o cputimes= -p "$(listed | cut -d' ' -f1 | paste -sd, -)" | awk '$1 >= 3 { busy = 1 } END { exit !busy }'
}
check bed_until $BED_LONG settled

it 'every process is of the job that Slurm says'
listed >before
"$AGENT" sample --no-gpus >sample
listed >after
comm -12 before after >theirs
node -e '
    const { jobs } = JSON.parse(require("fs").readFileSync("sample")).data.attributes;
    for (const job of jobs.filter((each) => each.epoch === 0 && each.user !== "root"))
        for (const one of job.processes)
            console.log(one.pid, job.job)' | sort >ours
expect_same theirs ours
expect_exit 0 test "$(wc -l <theirs)" -ge 7

it 'and of the user who submitted it'
squeue -h -t running -o '%A %u' | sort -u >theirs
node -e '
    const { jobs } = JSON.parse(require("fs").readFileSync("sample")).data.attributes;
    for (const job of jobs.filter((each) => each.epoch === 0 && each.user !== "root"))
        console.log(job.job, job.user)' | sort -u >ours
expect_same theirs ours

it 'with about the cpu time that Slurm measured'
cpu_time() { # cpu_time SAMPLE: of the first job, in seconds
    node -e '
        const { jobs } = JSON.parse(require("fs").readFileSync(process.argv[2])).data.attributes;
        const own = jobs.find((each) => each.job === Number(process.argv[1]) && each.user === "games");
        console.log(own.processes.reduce((sum, each) => sum + each.cpu_time, 0))' "$one" "$1"
}
theirs=$(sstat -nP -j "$one.batch" -o TRESUsageInTot | sed 's/.*cpu=\([0-9:]*\),.*/\1/' | awk -F: '{ print $1 * 3600 + $2 * 60 + $3 }')
"$AGENT" sample --no-gpus >later # the job goes on while Slurm is asked
before=$(cpu_time sample) after=$(cpu_time later)
echo "# $before s, by Slurm $theirs s, then $after s"
expect_exit 0 test "$before" -gt 0
expect_exit 0 test $((before - theirs)) -le 3 -a $((theirs - after)) -le 3

scancel -u games && scancel -u news
check slurm_wait
finish
