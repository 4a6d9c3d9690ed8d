#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint-agent on this machine: what it tells of processes that are started here, beside what ps tells of
# them; GPUs by scripts in the place of nvidia-smi; what it says when something is wrong.
. "$(dirname "$0")/../support/sh.sh"

AGENT=${STINT_AGENT:-$(dirname "$STINT")/stint-agent}
no_tools=$TMP/no-tools # a PATH without nvidia-smi
mkdir "$no_tools"

agent() { PATH=$no_tools "$AGENT" "$@"; }

# told FILE EXPRESSION: of a sample, by `a` (its attributes), `p` (all processes), `one` (the one of pid).
told() {
    node -e '
        const [file, pid, expression] = process.argv.slice(1);
        const sample = JSON.parse(require("fs").readFileSync(file));
        const a = sample.data.attributes;
        const p = a.jobs.flatMap((job) => job.processes.map((one) => ({ job, ...one })));
        const one = p.find((each) => each.pid === Number(pid));
        console.log(String(eval(expression)));
    ' "$1" "${pid:-0}" "$2"
}

expect_told() { # WANT EXPRESSION
    expect_equal "$1" "$(told sample "$2")"
}

# --- the command line ---------------------------------------------------------------------------------

it 'help lists the command and its options'
expect_exit 0 agent --help
expect_no_err
expect_out_has '  sample '
expect_out_has '  run '
expect_out_has '--every TIME'
expect_out_has '--root DIR'
expect_out_has '--cluster NAME'
cp "$OUT" help
for words in '' help -h 'sample --help' 'sample --cluster x -h'; do
    # shellcheck disable=SC2086
    expect_exit 0 agent $words
    expect_same help "$OUT"
done

it 'the version is that of stint'
expect_out "stint-agent $(stint --version | cut -d' ' -f2)" agent --version

it 'the manual page is made from the same table'
expect_exit 0 agent help --man
expect_out_has '.TH STINT-AGENT 1'
expect_out_has '.B \-\-cluster NAME'

it 'what is typed wrongly is wrong usage'
expect_exit 2 agent smaple
expect_err_has "there is no command 'smaple'; did you mean 'sample'?"
expect_exit 2 agent sample --rooot /
expect_err_has "there is no option 'rooot'; did you mean 'root'?"
expect_exit 2 agent sample --root
expect_err_has '--root wants a value: --root DIR'
expect_exit 2 agent sample --cluster= --root /
expect_err_has '--cluster wants a value: --cluster NAME'
expect_exit 2 agent sample --no-gpus=yes
expect_err_has '--no-gpus takes no value'
expect_exit 2 agent sample /
expect_err_has "'/' is no option"

it 'neither database is in it'
expect_exit 1 grep -qaE 'sqlite3_|duckdb_' "$AGENT"
expect_exit 0 grep -qaE 'sqlite3_' "$STINT"

# --- another root -------------------------------------------------------------------------------------

it 'a node whose files lie elsewhere'
expect_exit 0 agent sample --root "$TESTS/fixtures/sampler/node" --cluster=c1
expect_no_err
sed 's/"time":"[^"]*"/"time":"2026-01-02T03:46:40Z"/' "$OUT" >elsewhere
expect_same "$TESTS/fixtures/sampler/node.json" elsewhere

it 'a folder that is no node'
expect_exit 1 agent sample --root "$TMP"
expect_no_out
expect_err_has "cannot read the folder 'proc' below '$TMP'"

# --- this machine, beside ps --------------------------------------------------------------------------

# Some 60 MB of memory, a busy cpu, and a name that is hard to read.
cp "$(readlink -f "$(command -v awk)")" 'odd ) S 1 name'
'./odd ) S 1 name' 'BEGIN { for (s = "x"; length(s) < 60000000;) s = s s; print "x" >"ready"; close("ready"); while (1) n++ }' &
busy=$!
# One that has ended and is not waited for.
sh -c 'sleep 0.5 & echo $! >zombie; exec sleep 600' &
parent=$!
t_at_exit="kill $busy $parent"
ps_of() { ps -o "$2=" -p "$1" | sed 's/^ *//; s/ *$//'; }
has_worked() { [ "$(ps_of $busy cputimes)" -ge 1 ]; }
has_ended() { case $(ps_of "$(cat zombie)" stat) in Z*) ;; *) return 1 ;; esac }
until_true test -s ready
until_true has_worked
until_true has_ended

it 'a process is reported as ps reports it'
pid=$busy
before=$(ps_of $busy cputimes)
old=$(ps_of $busy etimes)
began=$(date +%s)
expect_exit 0 agent sample --cluster here
ended=$(date +%s)
expect_no_err
cp "$OUT" sample
after=$(ps_of $busy cputimes)
older=$(ps_of $busy etimes)
expect_told 'odd ) S 1 name' one.cmd
expect_told "$(ps_of $busy ppid)" one.ppid
expect_told "$(ps_of $busy user)" one.job.user
expect_told "$(($(ps_of $busy nlwp) - 1))" one.num_threads

it 'with the cpu time between what ps said before and after'
expect_told true "$before <= one.cpu_time && one.cpu_time <= $after + 1 && one.cpu_time > 0"
expect_told true "one.cpu_avg >= 100 * $before / ($older + 1) - 0.1 && one.cpu_avg <= 100 * ($after + 1) / Math.max($old, 0.5)"

it 'and with its memory, less what is of files'
expect_told true "one.resident_memory > 55000 && one.resident_memory <= $(ps_of $busy rss)"
expect_told true "one.virtual_memory >= one.resident_memory && one.virtual_memory <= $(ps_of $busy vsz)"
expect_told "$(($(sed -n 's/^write_bytes: //p' /proc/$busy/io 2>/dev/null || echo 0) / 1024))" 'Math.max(one.data_written, 0)'

it 'one without a job is grouped by its process group, since the boot'
expect_told "$(ps_of $busy pgid)" one.job.job
expect_told "$(($(sed -n 's/^btime //p' /proc/stat) - 1577836800))" one.job.epoch

it 'one that has ended is marked as ps marks it'
pid=$(cat zombie)
expect_told "$(ps_of "$pid" args | tr -d '[]')" one.cmd
expect_told undefined one.resident_memory

it 'the node is the one that others see'
expect_told here a.cluster
expect_told "$(cat /proc/sys/kernel/hostname)" a.node
expect_told "$(grep -c '^cpu[0-9]' /proc/stat)" 'a.system.cpus.filter((cpu) => cpu !== null).length'
total=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
expect_told true "a.system.used_memory > 0 && a.system.used_memory < $total"
expect_told true "Date.parse(a.time) / 1000 >= $began - 1 && Date.parse(a.time) / 1000 <= $ended + 1"
expect_told undefined a.system.gpus
expect_told undefined a.errors

it 'all processes are there that were before and after, but for the kernel'
pids() { ps -e -o pid= -o ppid= | awk '$1 != 2 && $2 != 2 { print $1 }' | sort; }
pids >was
agent sample >sample
pids >is
told sample 'p.map((each) => each.pid).join("\n")' | sort >told
comm -12 was is >stayed
expect_equal '' "$(comm -23 stayed told)"

it 'nothing is said that sonar has no word for, but for what is in counters and cgroup, and task and scope'
cat >words <<'END'
attributes attrs boot cluster cmd cpu_avg cpu_time cpus data data_cancelled data_read data_written detail disks epoch
errors existing_entities format in_container job jobs key load1 load15 load5 major meta minor name node num_threads pid
ppid processes producer resident_memory runnable_entities stats system time type used_memory user value version
virtual_memory
END
tr ' ' '\n' <words | sort >allowed
node -e '
    const words = new Set();
    const sample = JSON.parse(require("fs").readFileSync("sample"));
    delete sample.data.attributes.system.counters;
    sample.data.attributes.jobs.forEach((job) => { delete job.cgroup; delete job.task; delete job.scope; });
    JSON.stringify(sample, (key, value) => { if (!/^[0-9]*$/.test(key)) words.add(key); return value; });
    console.log([...words].sort().join("\n"))' | sort >said
expect_equal '' "$(comm -23 said allowed)"
expect_told sample sample.data.type

it 'processes that come and go do no harm'
(while :; do /bin/true; done) &
churn=$!
t_at_exit="kill $busy $parent $churn"
rounds=0
while [ $rounds -lt 20 ] && agent sample >sample 2>"$ERR"; do
    rounds=$((rounds + 1))
done
kill $churn
t_at_exit="kill $busy $parent"
expect_equal 20 $rounds
expect_told 0 'p.filter((each) => each.cmd === undefined).length'

it 'others are reported as far as one may look'
if need_root; then
    cp "$AGENT" "$no_tools/agent"
    chmod 755 "$TMP" "$no_tools" "$no_tools/agent"
    pid=$busy
    expect_exit 0 setpriv --reuid=65534 --clear-groups "$no_tools/agent" sample --no-gpus
    cp "$OUT" sample
    expect_told root one.job.user
    expect_told undefined one.data_read
    expect_told true 'one.cpu_time > 0 && one.resident_memory > 55000'
    rm "$no_tools/agent"
fi

it 'a sample that cannot be written is a failure'
run sh -c 'PATH=$1 "$2" sample >/dev/full' sh "$no_tools" "$AGENT"
expect_equal 1 $status
expect_err_has 'stint-agent: cannot write'

# --- GPUs ---------------------------------------------------------------------------------------------

# tool SCRIPT: an nvidia-smi that does this.
tool() {
    mkdir -p tools
    printf '#!/bin/sh\n%s\n' "$1" >tools/nvidia-smi
    chmod +x tools/nvidia-smi
}
with_tool() { PATH=$TMP/tools:$PATH "$AGENT" "$@"; }

it 'what nvidia-smi reports is in the sample'
sed "s/, 701, /, $busy, /" "$TESTS/fixtures/sampler/nvidia/uses.csv" >uses.csv
sed "s/  701 /$busy /" "$TESTS/fixtures/sampler/nvidia/pmon.txt" >pmon.txt
tool "echo \"\$*\" >>$TMP/asked
case \$1 in
--query-gpu=*) cat $TESTS/fixtures/sampler/nvidia/cards.csv ;;
--query-compute-apps=*) cat $TMP/uses.csv ;;
pmon) cat $TMP/pmon.txt ;;
esac"
expect_exit 0 with_tool sample
expect_no_err
cp "$OUT" sample
pid=$busy
expect_told '94 0 undefined undefined' 'a.system.gpus.map((gpu) => gpu.ce_util).join(" ").replace(/ $/, " undefined").replace("  ", " undefined ")'
expect_told '[{"uuid":"GPU-11111111-aaaa-bbbb-cccc-000000000000","index":0,"gpu_util":64,"gpu_memory":5017600},{"uuid":"GPU-11111111-aaaa-bbbb-cccc-000000000002","index":2}]' 'JSON.stringify(one.gpus)'
pid=77777
expect_told '_user_unknown _unknown_' '`${one.job.user} ${one.cmd}`'
expect_equal '3' "$(wc -l <asked)"

it 'it is not asked when that is not wanted, nor for another root'
rm asked
expect_exit 0 with_tool sample --no-gpus
expect_exit 0 with_tool sample --root "$TESTS/fixtures/sampler/node"
expect_exit 1 test -e asked

it 'one that fails is reported, and the rest is there'
tool 'echo "the driver is not loaded" >&2; exit 9'
expect_exit 1 with_tool sample
expect_err_has "'nvidia-smi' failed with exit status 9: the driver is not loaded; run it by hand to see why, or leave it out"
cp "$OUT" sample
expect_told true 'a.errors.length === 1 && a.errors[0].detail.includes("the driver is not loaded")'
pid=$busy
expect_told 'odd ) S 1 name' one.cmd

it 'one that prints something else is reported'
tool 'echo "No devices were found"'
expect_exit 1 with_tool sample
expect_err_has 'cannot make sense of what nvidia-smi printed'

it 'one that hangs is ended'
tool 'sleep 600'
expect_exit 1 with_tool sample
expect_err_has "'nvidia-smi' was stopped: it did not answer completely within 10 seconds"
cp "$OUT" sample
expect_told 'odd ) S 1 name' one.cmd

# --- what can be seen -----------------------------------------------------------------------------------

it 'check says what is there, what is not, and what may not be read'
cp -r "$TESTS/fixtures/sampler/node" seen
chmod -R u+w seen
group=seen/sys/fs/cgroup/system.slice/slurmstepd.scope/job_4711
mkdir -p "$group" seen/sys/class/powercap/intel-rapl:0 seen/sys/class/infiniband/mlx5_0/ports/1/counters seen/sys/class/drm/card0/device
echo 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0' >seen/proc/mounts
mkdir -p seen/proc/self
cp seen/proc/mounts seen/proc/self/mounts
echo '29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw' >seen/proc/self/mountinfo
echo 'cpu memory' >seen/sys/fs/cgroup/cgroup.controllers
echo 'usage_usec 5000000' >$group/cpu.stat
echo 1000 >$group/memory.current
echo 9000000 >seen/sys/class/powercap/intel-rapl:0/energy_uj
echo 10 >seen/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data
echo 0x1002 >seen/sys/class/drm/card0/device/vendor
expect_exit 0 "$AGENT" check --root seen
cat >want <<'END'
yes  processes: 12, of which 5 belong to a job of a batch system
yes  what processes read and write: of 4 of 12 processes; of those of others only root, or who has CAP_SYS_PTRACE, may see it
yes  control groups: v2 at /sys/fs/cgroup
yes  jobs by their control groups: 1 now, 1 of them with memory, and 0 of users and others
yes  cpus
yes  memory
yes  disks
no   network: /proc/net/dev
no   pressure: /proc/pressure: the kernel has none, or was started without psi=1
yes  InfiniBand
no   NFS, Lustre: no such file system is mounted
yes  energy (RAPL)
no   temperatures: the kernel shows none (/sys/class/hwmon, /sys/class/thermal)
yes  AMD GPUs: 1
END
grep -v '^     ' "$OUT" >told
expect_same want told
if need_root; then
    chmod 400 seen/sys/class/powercap/intel-rapl:0/energy_uj
    chmod -R a+rX seen
    chmod 400 seen/sys/class/powercap/intel-rapl:0/energy_uj
    cp "$AGENT" "$no_tools/agent"
    chmod 755 "$TMP" "$no_tools" "$no_tools/agent"
    expect_exit 0 setpriv --reuid=65534 --clear-groups "$no_tools/agent" check --root "$TMP/seen"
    rm "$no_tools/agent"
    expect_out_has "no   energy (RAPL): '$TMP/seen/sys/class/powercap/intel-rapl:0/energy_uj' may not be read; run it as root, or with CAP_DAC_READ_SEARCH"
fi

# --- systemd ------------------------------------------------------------------------------------------

it 'the units are read without a complaint, and expose little'
mkdir units
for unit in "$TOP"/contrib/systemd/stint*; do
    # the programs lie elsewhere here
    sed "s|/usr/local/bin|$(dirname "$STINT")|" "$unit" >"units/$(basename "$unit")"
done
expect_exit 0 systemd-analyze verify --man=no units/stint-agent.service units/stint.service units/stint.socket
expect_no_err
for unit in stint-agent stint; do
    # in tenths: 2.8 and 1.6 of 10 as they are, 9.6 without any of it
    expect_exit 0 systemd-analyze security --offline=true --no-pager --threshold=30 "units/$unit.service"
done
expect_exit 0 systemd-analyze security --offline=true --no-pager --threshold=20 units/stint.service
grep -v '^Protect\|^Restrict\|^System\|^Capab' units/stint.service >units/open.service
expect_exit 1 systemd-analyze security --offline=true --no-pager --threshold=30 units/open.service

finish
