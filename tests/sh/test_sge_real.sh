#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real Grid Engine runs jobs of every kind; what stint makes of its accounting file is compared with what its own
# qacct makes of it, record by record and in sums. See docs/sources/sge.md, "Beside qacct".
#
# Jobs that are looked at run until the test lets them go, however slow the machine is.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/sge.sh"

it 'a real Grid Engine comes up'
sge_need || finish
check sge_up
[ "${status:?}" -eq 0 ] || finish

# --- jobs -------------------------------------------------------------------------------------------

first_jobs() {
    for user in games news man lp; do
        sge_submit $user -N short sleep 1
        sge_submit $user -N parallel -P silk -pe smp 4 sleep 2
    done
    sge_submit games -N array -t 1-7:2 -tc 2 -P wool sleep 1
    sge_submit man -N false /bin/false
    sge_submit man -N nowhere -A colons:in:it /no/such/command
    echo 'exit 42' | sge_script man -N status -A loom
    # shellcheck disable=SC2016 # the job's own pid
    echo 'kill -SEGV $$' | sge_script man -N signal
    sge_submit lp -N gpu -l gpu=2 -q long.q -A loom sleep 2
    echo 'head -c 60000000 /dev/zero | tail -c 1 >/dev/null; sleep 2' | sge_script lp -N memory -l h_vmem=2G
    sge_submit games -N range -pe smp 2-3 -l h_rt=60 sleep 1
} >>ids

later_jobs() {
    deleted=$(sge_submit lp -N deleted sleep 300)
    held=$(sge_submit lp -N held -hold_jid "$deleted" sleep 1)
    waiting=$(sge_submit lp -N waiting -h sleep 1)
    limited=$(sge_submit news -N limited -l h_rt=2 sleep 60)
    again=$(until_told | sge_script news -N again -r y)
    stopped=$(until_told | sge_script news -N stopped)
    slaves=$(slave_job mpi)
    summed=$(slave_job mpisum)
    for id in $deleted $again $stopped; do
        bed_until $BED_LONG sge_state "$id" r || return 1
    done
    qmod -sj "$stopped"
    qmod -rj "$again"
    qdel "$waiting"
    until_true past $(($(date +%s) + 1)) # so long it is stopped
    qmod -usj "$stopped"
    qdel "$deleted"
    bed_until $BED_LONG again_begun || return 1
    : >"$BED/go"
}
again_begun() { sge_state "$again" Rr; }
until_told() { echo "until [ -e '$BED/go' ]; do sleep 0.2; done"; }

# Slave tasks are started by the job itself; each gets a row of its own, or is added to that of the job. All in one
# queue: qacct counts those that came into another there, stint with their job.
slave_job() { # PE
    sge_script games -N "slaves-$1" -q all.q -pe "$1" 3 <<'JOB'
qrsh -inherit -nostdin localhost sleep 1 &
qrsh -inherit -nostdin localhost sleep 1
wait
JOB
}

it 'jobs of every kind run to their end'
sge_project silk >/dev/null 2>&1
sge_project wool >/dev/null 2>&1
sge_department arts games,news >/dev/null 2>&1
check first_jobs
check bed_until $BED_LONG test -s "$SGE_ACCOUNTING"
expect_exit 0 stint import sge --cluster rowan "$SGE_ACCOUNTING" # while it is being written
check later_jobs
check sge_wait

it 'records come after a crash of the master too'
rm "$BED/go"
survivor=$(until_told | sge_script news -N survivor)
check bed_until $BED_LONG sge_state "$survivor" r
check sge_kill qmaster
: >"$BED/go" # it ends while nobody is there to write it down
check sge_start qmaster
check sge_wait

# --- record by record -------------------------------------------------------------------------------

# All runs, without a period: the record of an attempt that was given up early has no time at all.
all_jobs() { stint jobs -j '>0' "$@" --no-header; }

it 'the file that grew is read on, and nothing is refused'
check stint import sge --cluster rowan "$SGE_ACCOUNTING"
check stint quarantine --format csv --no-header
expect_no_out

it 'that gives what one import gives'
check stint import sge --cluster rowan --store once "$SGE_ACCOUNTING"
runs_of() { all_jobs --store "$1" --fields all --format csv | sort; }
runs_of once >once.csv
runs_of "$STINT_STORE" >twice.csv
expect_same once.csv twice.csv
expect_equal "$(awk -F: '!/^#/ && $42 == "NONE"' "$SGE_ACCOUNTING" | wc -l)" "$(wc -l <once.csv)"

it 'every record is as qacct has it'
qacct -j '*' >qacct.txt 2>"$ERR"
all_jobs --fields all --format json >runs.json
check node "$TESTS/support/qacct.mjs" qacct.txt runs.json
cat "$OUT"

# --- sums -------------------------------------------------------------------------------------------

# theirs OPTION: name,wallclock,utime,stime,cpu of qacct. It counts the wall time of slave tasks besides that of their
# job: that is taken off, by the file.
theirs() { # OPTION COLUMN
    awk -F: -v column="$2" '!/^#/ && $42 != "NONE" { print $column, $14 }' "$SGE_ACCOUNTING" >slaves
    qacct "$1" | awk '
        FILENAME == "slaves" { off[$1] += $2; next }
        FNR > 2 { printf "%s,%.3f,%.3f,%.3f,%.3f\n", $1, $2 - off[$1], $3, $4, $5 }' slaves - | sort
}

ours() { # DIMENSION
    stint report wall_hours,cpu_user_hours,cpu_system_hours,cpu_used_hours --by "$1" --from 2d --format csv --no-header |
        awk -F, '{ printf "%s,%.3f,%.3f,%.3f,%.3f\n", $1 == "" ? "NONE" : $1, $2 * 3600, $3 * 3600, $4 * 3600, $5 * 3600 }' | sort
}

# Rows whose sums differ by more than half of the last digit qacct prints; those it has and we have not.
compare() {
    awk -F, '
        FNR == NR { theirs[$1] = $0; next }
        !($1 in theirs) { print "only stint: " $0; next }
        {
            split(theirs[$1], want, ",")
            for (i = 2; i <= 5; i++) if (want[i] - $i > 0.0011 || $i - want[i] > 0.0011) { print "qacct " theirs[$1] "; stint " $0; break }
            delete theirs[$1]
        }
        END { for (name in theirs) print "only qacct: " theirs[name] }' "$1" "$2"
}

it 'sums are those of qacct'
while read -r option column dimension; do
    theirs "$option" "$column" >theirs.csv
    ours "$dimension" >ours.csv
    expect_equal '' "$(compare theirs.csv ours.csv)"
    t_next_name "$option has rows"
    if [ -s theirs.csv ]; then t_ok "$t_this"; else t_fail "$t_this"; fi
done <<LIST
-o 4 user
-g 3 group
-q 1 partition
-P 32 project
-D 33 department
-A 7 account
-pe 34 parallel_env
LIST
# The file has the first node of a parallel job alone: what such a job used elsewhere is on nodes nobody knows (NONE), where
# qacct has all of it on the first.
theirs -h 2 >theirs.csv
ours node >ours.csv
sum() { awk -F, '{ s += $5 } END { printf "%.2f\n", s }' "$1"; }
# Rows are rounded to hundredths, each side for itself.
check awk -v a="$(sum theirs.csv)" -v b="$(sum ours.csv)" 'BEGIN { d = a - b; exit !(a > 0 && d < 0.05 && d > -0.05) }'

it 'slots times wall time is what the file says'
want=$(awk -F: '!/^#/ && $42 == "NONE" { s += $35 * ($11 - $10) } END { print s }' "$SGE_ACCOUNTING")
got=$(stint report cpu_hours --from 2d --format csv --no-header | awk '{ printf "%.0f\n", $1 * 3600 }')
expect_equal "$want" "$got"
want=$(awk -F: '!/^#/ && /gpu=2/ { s += 2 * ($11 - $10) } END { print s }' "$SGE_ACCOUNTING")
got=$(stint report gpu_hours --from 2d --format csv --no-header | awk '{ printf "%.0f\n", $1 * 3600 }')
expect_equal "$want" "$got"

it 'what became of jobs'
class_of() { stint jobs -j "$1" -o class --format csv --no-header | sort -u; }
expect_equal timeout "$(class_of "$limited")"
expect_equal failed "$(class_of "$deleted")" # qdel leaves no other trace
expect_equal completed "$(class_of "$stopped")"
expect_equal completed "$(class_of "$held")"
expect_equal 'completed
requeued' "$(class_of "$again")"
expect_equal completed "$(class_of "$survivor")"
expect_equal '' "$(class_of "$waiting")" # deleted before it began: no record

it 'slave tasks are parts of their job'
expect_equal 1 "$(stint jobs -j "$slaves" -o job --format csv --no-header | wc -l)"
expect_equal 1 "$(stint jobs -j "$summed" -o job --format csv --no-header | wc -l)"

finish
