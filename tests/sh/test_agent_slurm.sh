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

SLURM_PROCTRACK=cgroup SLURM_GATHER=cgroup
# Nor are those of a Slurm without such groups, which an agent sees as well, to be taken for these.
first_job=$((1000000 + $$))
SLURM_MORE="FirstJobId=$first_job"
t_up=0
slurm_up || t_up=1
t_at_exit=leave
leave() {
    bed_down_all
    find /sys/fs/cgroup/*/slurm_[cg][0-9] -depth -type d -exec rmdir {} + 2>/dev/null
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
    for (const job of jobs.filter((each) => each.epoch === 0 && each.user !== "root" && each.job >= process.argv[1]))
        for (const one of job.processes)
            console.log(one.pid, job.job)' "$first_job" | sort >ours
expect_same theirs ours
expect_exit 0 test "$(wc -l <theirs)" -ge 7

it 'and of the user who submitted it'
squeue -h -t running -o '%A %u' | sort -u >theirs
node -e '
    const { jobs } = JSON.parse(require("fs").readFileSync("sample")).data.attributes;
    for (const job of jobs.filter((each) => each.epoch === 0 && each.user !== "root" && each.job >= process.argv[1]))
        console.log(job.job, job.user)' "$first_job" | sort -u >ours
expect_same theirs ours

it 'with about the cpu time that Slurm measured'
cpu_time() { # cpu_time SAMPLE: of the first job, in seconds
    node -e '
        const { jobs } = JSON.parse(require("fs").readFileSync(process.argv[2])).data.attributes;
        const own = jobs.find((each) => each.job === Number(process.argv[1]) && each.user === "games" && !each.cgroup);
        console.log(own.processes.reduce((sum, each) => sum + each.cpu_time, 0))' "$one" "$1"
}
# The job goes on meanwhile, and Slurm does not count at each question: what it says reaches the first look sooner or later, and is never
# ahead of a look that follows. Each process is rounded to a second.
slurm_cpu() { sstat -nP -j "$one.batch" -o TRESUsageInTot | sed 's/.*cpu=\([0-9:]*\),.*/\1/' | awk -F: '{ print $1 * 3600 + $2 * 60 + $3 }'; }
has_reached() { theirs=$(slurm_cpu) && [ "$theirs" -ge "$((before - 3))" ]; }
before=$(cpu_time sample)
expect_exit 0 test "$before" -gt 0
check bed_until $BED_LONG has_reached
theirs=$(slurm_cpu)
"$AGENT" sample --no-gpus >later
after=$(cpu_time later)
echo "# $before s, by Slurm $theirs s, then $after s"
expect_exit 0 test $((theirs - after)) -le 3

# --- what it used, beside what the kernel says of its processes ----------------------------------------------

it 'a job is what the kernel counted of it, with 1,000 children that are gone, and its memory'
scancel -u games && scancel -u news
check slurm_wait
# Children, then memory that is kept by a tail that waits, then work; two sleeps are left when it is done.
burner=$(slurm_submit games -w c1 -D / --wrap '
    i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i + 1)); done
    { head -c 60000000 /dev/zero; sleep 600; } | tail -c 60000000 >/dev/null &
    i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done
    sleep 600')
of_job() { scontrol listpids "$burner" 2>/dev/null | awk '$1 > 0 && $2 ~ /^[0-9]/ { print $1 }'; }
asleep() { [ "$(for pid in $(of_job); do cat "/proc/$pid/comm"; done 2>/dev/null | grep -c '^sleep$')" -eq 2 ]; }
holds() { [ "$(for pid in $(of_job); do awk '$1 == "RssAnon:" { print $2 }' "/proc/$pid/status"; done | sort -n | tail -1)" -ge 58000 ]; }
done_all() { asleep && holds; }
check bed_until $BED_LONG done_all
# In microseconds, what each process has used, which is known to the nanosecond, and the children it has waited for: two numbers of ticks rounded down, so one
# more. Anonymous memory in bytes.
kernel_cpu() {
    for pid in $(of_job); do
        echo "$(cut -d' ' -f1 "/proc/$pid/schedstat") $(sed 's/.*) //' "/proc/$pid/stat")"
    done | awk -v hz="$(getconf CLK_TCK)" '{ s += $1 / 1e9; c = $15 + $16; s += c > 0 ? (c + 1) / hz : 0 } END { printf "%.0f", s * 1e6 }'
}
kernel_memory() { for pid in $(of_job); do awk '$1 == "RssAnon:" { print $2 }' "/proc/$pid/status"; done | awk '{ s += $1 } END { printf "%.0f", s * 1024 }'; }
counted() {
    node -e '
        const { jobs } = JSON.parse(require("fs").readFileSync("look")).data.attributes;
        const own = jobs.find((each) => each.job === Number(process.argv[1]) && each.cgroup);
        console.log(own ? own.cgroup[process.argv[2]] : "none")' "$burner" "$1"
}
within() { awk -v got="$1" -v want="$2" 'BEGIN { exit !(want > 0 && got >= 0.98 * want && got <= 1.02 * want) }'; }
# Nothing of the job moves any more, but the kernel adds up the memory of a group only now and then: what a look reads may be some seconds old.
agrees() {
    "$AGENT" run --no-gpus --looks 1 >look
    cpu=$(counted cpu_time_us) memory=$(counted rss_bytes)
    within "$cpu" "$(kernel_cpu)" && within "$memory" "$(kernel_memory)"
}
check bed_until $BED_LONG agrees
echo "# cpu $cpu us, by the kernel $(kernel_cpu) us; memory $memory bytes, by the kernel $(kernel_memory) bytes"

scancel -u games
check slurm_wait

# --- jobs between two looks ----------------------------------------------------------------------------------

it 'jobs that begin and end between two looks are cpu time that is not attributed, as much as the kernel counted'
all_jobs() { cat "$(dirname "$groups")/cpuacct/slurm_c1/cpuacct.usage"; }
no_groups() { [ -z "$(find "$(dirname "$groups")/cpuacct/slurm_c1" -mindepth 2 -name 'job_*')" ]; }
check bed_until $BED_LONG no_groups
"$AGENT" run --no-gpus --no-processes --looks 1 --cluster c >first
between=$(all_jobs)
slurm_submit games -w c1 -D / --array=1-8 --wrap 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' >/dev/null
check slurm_wait
check bed_until $BED_LONG no_groups
between=$(($(all_jobs) - between))
at_first=$(date +%s)
check bed_until $BED_LONG past "$at_first" # looks are told apart by the second
"$AGENT" run --no-gpus --no-processes --looks 1 --cluster c >second
check stint import sonar first second
not_seen=$(stint samples --jobs --from 1d --format csv --no-header 2>/dev/null | grep 'not attributed' | cut -d, -f9)
echo "# not attributed: $not_seen s, by the kernel $between ns"
# Nothing of a job was there at either look, and nothing ran before and after the kernel was asked: both are the same to the microsecond.
expect_exit 0 awk -v got="$not_seen" -v want="$between" 'BEGIN { exit !(want > 1e8 && got >= want / 1e9 - 0.001 && got <= want / 1e9 + 0.001) }'
expect_equal 0 "$(grep -c '"job":[1-9][0-9]*,"user":"games"' second)"

it 'and the counters say that they are of the same boot and the same group'
expect_equal 1 "$(sed 's/.*"kind":"jobs"//; s/.*"generation":\([0-9]*\).*/\1/' first second | sort -u | grep -c '^[0-9]')"
finish
