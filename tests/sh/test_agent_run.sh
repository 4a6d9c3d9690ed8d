#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint-agent run: looks again and again, into files that stint imports; jobs by their control groups beside what the kernel says
# to whoever waits for a process.
. "$(dirname "$0")/../support/sh.sh"

AGENT=${STINT_AGENT:-$(dirname "$STINT")/stint-agent}
BURN=$(dirname "$STINT")/../tests/burn

# --- the command line ---------------------------------------------------------------------------------

it 'what is typed wrongly is wrong usage'
expect_exit 2 "$AGENT" run --every now
expect_err_has "'now' is no time from one look to the next"
expect_exit 2 "$AGENT" run --every 0
expect_exit 2 "$AGENT" run --every 2d
expect_exit 2 "$AGENT" run --looks few
expect_err_has "'few' is no number of looks"

it 'looks are printed one a line, at their interval'
expect_exit 0 "$AGENT" run --root "$TESTS/fixtures/sampler/node" --cluster c1 --every 0.01 --looks 3
expect_no_err
expect_equal 3 "$(wc -l <"$OUT")"
sed 's/"time":"[^"]*"/"time":"2026-01-02T03:46:40Z"/' "$OUT" | sort -u >looks
expect_same "$TESTS/fixtures/sampler/node.json" looks

it 'it ends when it is asked to'
"$AGENT" run --no-gpus --every 0.01 >looks 2>"$ERR" &
running=$!
t_at_exit="kill $running"
has_looked() { [ "$(wc -l <looks)" -ge 3 ]; }
until_true has_looked
kill $running
wait $running
expect_equal 0 $?
t_at_exit=
expect_no_err

it 'files are by day and node, as those of sonar'
expect_exit 0 "$AGENT" run --root "$TESTS/fixtures/sampler/node" --cluster c1 --every 0.01 --looks 2 --into files
expect_no_out
file=$(find files -type f)
case $file in
files/[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/0+sample-n1.example.org.json) ;;
*) expect_equal 'a file of the day' "$file" ;;
esac
expect_equal 2 "$(wc -l <"$file")"

it 'a folder that cannot be made is said'
expect_exit 1 "$AGENT" run --root "$TESTS/fixtures/sampler/node" --every 0.01 --looks 2 --into /dev/null/x
expect_err_has "cannot make folder"

# --- a job beside the kernel --------------------------------------------------------------------------

it 'a job is what the kernel counts of it, with children that are gone'
number=$((4000000 + $$))
groups=/sys/fs/cgroup
if [ -e $groups/cgroup.controllers ]; then
    folders=$groups/system.slice/stint-test_slurmstepd.scope/job_$number
else
    folders="$groups/cpuacct/slurm_stint/uid_0/job_$number $groups/memory/slurm_stint/uid_0/job_$number"
fi
may_make() {
    for folder in $folders; do
        mkdir -p "$folder/step_0" 2>/dev/null || return 1
    done
}
if need_root && may_make; then
    mkfifo hold
    # Into the groups before it begins, below the job's own, as the steps of a scheduler are.
    FOLDERS=$folders sh -c 'for folder in $FOLDERS; do echo $$ >"$folder/step_0/cgroup.procs"; done; exec "$@"' sh \
        "$BURN" 1500 60000000 1000 counted <hold &
    burning=$!
    exec 5>hold
    remove_groups() {
        exec 5>&-
        wait $burning
        for folder in $folders; do
            rmdir "$folder/step_0" "$folder" 2>/dev/null
            rmdir "${folder%/*}" "${folder%/*/*}" 2>/dev/null
        done
    }
    t_at_exit=remove_groups
    until_true test -s counted
    expect_exit 0 "$AGENT" run --no-gpus --cluster c --looks 2 --every 0.01 --into found
    cat found/*/*/*/*.json >found.json
    job() {
        tail -1 found.json | node -e '
            const [number, expression] = process.argv.slice(1);
            const jobs = JSON.parse(require("fs").readFileSync(0)).data.attributes.jobs;
            const job = jobs.find((one) => one.job === Number(number) && one.cgroup);
            console.log(eval(expression));' "$number" "$1"
    }
    within() { awk -v got="$1" -v want="$2" 'BEGIN { exit !(got >= 0.98 * want && got <= 1.02 * want) }'; }
    used=$(job job.cgroup.cpu_time_us)
    expect_exit 0 within "$used" "$(cat counted)"
    expect_exit 0 within "$(job job.cgroup.rss_bytes)" "$(awk '$1 == "RssAnon:" { print $2 * 1024 }' /proc/$burning/status)"
    expect_equal true "$(job 'job.cgroup.rss_bytes >= 60000000 && job.cgroup.mem_peak_bytes >= job.cgroup.rss_bytes')"
    expect_equal "0 root" "$(job '`${job.epoch} ${job.user}`')"

    it 'and comes into the store as one sample of the job, beside those of its processes'
    stint import sonar found.json >/dev/null 2>"$ERR"
    stint samples --kind job -j "$number" --fields node,user,cpu_time,rss,processes --format csv --no-header --from 1d >of_job
    expect_equal 1 "$(sort -u of_job | wc -l)"
    expect_equal root "$(head -1 of_job | cut -d, -f2)"
    expect_equal 0 "$(stint samples -j "$number" --fields kind --format csv --no-header --from 1d | grep -c job)"
    stint samples --kind node --fields node,mem_total,cpus --format csv --no-header --from 1d | sort -u >of_node
    expect_equal "$(grep -c '^cpu[0-9]' /proc/stat)" "$(cut -d, -f3 of_node)"

    it 'importing it again changes nothing'
    cat found.json found.json >twice.json
    stint import sonar twice.json --format csv --no-header >again 2>"$ERR"
    stint samples --kind job -j "$number" --fields node,user,cpu_time,rss,processes --format csv --no-header --from 1d >of_job_again
    expect_same of_job of_job_again
    remove_groups
    t_at_exit=
fi

# --- for long ------------------------------------------------------------------------------------------

it 'memory does not grow in the looks of a day, while processes come and go'
cp -r "$TESTS/fixtures/sampler/node" changing
# 1440 looks are those of a day; without the memory that the sanitizer keeps for itself
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=0 "$AGENT" run --root changing --every 0.002 >looks 2>"$ERR" &
running=$!
t_at_exit="kill $running"
memory() { awk '$1 == "VmRSS:" { print $2 }' /proc/$running/status; }
looked() { [ "$(wc -l <looks)" -ge "$1" ]; }
until_true looked 300
early=$(memory)
pid=20000
while ! looked 1740; do
    cp -r changing/proc/701 "changing/proc/$pid"
    [ ! -d "changing/proc/$((pid - 3))" ] || rm -r "changing/proc/$((pid - 3))"
    pid=$((pid + 1))
done
late=$(memory)
kill $running
wait $running
expect_equal 0 $?
t_at_exit=
check test "$late" -le "$((early + 256))"

it 'a spool on a disk that is full loses looks, says so, and continues when there is room'
mkdir full
if need_mount full; then
    mount -t tmpfs -o size=64k none full
    t_at_exit='umount -l full'
    dd if=/dev/zero of=full/other bs=1k count=62 2>/dev/null
    run "$AGENT" run --root "$TESTS/fixtures/sampler/node" --looks 2 --every 0.01 --to http://127.0.0.1:9 --spool full/spool
    expect_equal 1 $status
    expect_err_has 'No space left'
    expect_equal 0 "$(find full/spool -type f -size +0 | wc -l)"
    : >full/other
    run "$AGENT" run --root "$TESTS/fixtures/sampler/node" --looks 2 --every 0.01 --to http://127.0.0.1:9 --spool full/spool
    expect_equal 2 "$(find full/spool -name '*.look.zst' | wc -l)"
    umount full
    t_at_exit=
fi

finish
