#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real slurmdbd with a year of made-up jobs: reading what sacct prints of them, against reading a file of Grid Engine
# with as many rows, byte for byte; and asking stint, against asking sacct, which asks the database every time.
#
#   BENCH_JOBS=200001 BENCH_TIMES=3 sh bench/slurm.sh      # full size: 1000000
#
# Jobs are put into the database by SQL, each with one step; slurmdbd and sacct are as Debian has them. It needs root
# and the packages of tests/support/slurm.sh, and is left out where these are not. Imports take turns, and the best
# of each counts; sacct is asked once for all its rows, and BENCH_TIMES times for the shorter answers.
. "$(dirname "$0")/support/bench.sh"
TESTS=$PWD/tests
# shellcheck disable=SC2034 # see slurm_start
SLURM_DB_MEMORY=1G
. "$TESTS/support/slurm.sh"

# One more than an import may have for making roll-ups at once (src/service/import/op_import.c), which is another thing.
jobs=${BENCH_JOBS:-200001}
why=$(slurm_lacks)
[ -z "$why" ] || { note "no Slurm to measure against: $why"; exit 0; }

# --- a year of jobs -----------------------------------------------------------------------------------

year_s=31536000
begin=$(date -d "$year-01-01 UTC" +%s)

# Twenty accounts of ten users each.
people() {
    note "making accounts and users"
    a=1
    while [ $a -le 20 ]; do
        slurm_account "a$a" "$(seq -s, -f 'u%.0f' $((a * 10 - 9)) $((a * 10)))" || return 1
        a=$((a + 1))
    done >/dev/null
}

# Nobody but the controller would tell the database of GPUs.
gpus() {
    slurm_sql -e "INSERT INTO tres_table (creation_time, id, type, name) VALUES ($begin, 1001, 'gres', 'gpu'), ($begin, 1002, 'gres', 'gpu:a100')" &&
        slurm_restart slurmdbd
}

# Chance is a hash of a letter and the number of the job: the same jobs every time, whatever the plan.
fill_jobs() {
    cat <<SQL
INSERT INTO ${SLURM_CLUSTER}_job_table (account, cpus_req, exit_code, job_name, id_assoc, id_array_job, id_array_task, id_job,
    id_qos, id_resv, id_wckey, id_user, id_group, het_job_id, het_job_offset, state_reason_prev, mem_req, nodelist, nodes_alloc,
    node_inx, \`partition\`, priority, state, timelimit, time_submit, time_eligible, time_start, time_end,
    tres_alloc, tres_req, work_dir, submit_line)
WITH made AS (
    SELECT seq AS n, $begin + seq * $year_s DIV $jobs AS submitted, CRC32(CONCAT('w', seq)) % 7200 AS waited,
        60 + CRC32(CONCAT('e', seq)) % 6000 * (CRC32(CONCAT('f', seq)) % 6) AS took, 1 << CRC32(CONCAT('c', seq)) % 6 AS cpus,
        IF(CRC32(CONCAT('g', seq)) % 7 = 0, 1 << CRC32(CONCAT('h', seq)) % 4, 0) AS gpus, CRC32(CONCAT('s', seq)) % 100 AS fate,
        CONCAT('u', 1 + CRC32(CONCAT('u', seq)) % 200) AS login
    FROM seq_1_to_$jobs)
SELECT acct, cpus, IF(fate < 4, 256, 0), CONCAT('job', n % 977), id_assoc, IF(n % 10 < 3, n - n % 10 + 2, 0),
    IF(n % 10 < 3, n % 10, 4294967294), n, 1, 0, 0, 60, 60, 0, 4294967294, 0, cpus * 4000, CONCAT('n', 1 + n % 500), 1,
    n % 500, IF(gpus > 0, 'gpu', 'cpu'), 1000, ELT(1 + (fate < 8) + (fate < 6) + (fate < 4), 3, 6, 4, 5), 1440,
    submitted, submitted, submitted + waited, submitted + waited + took,
    CONCAT('1=', cpus, ',2=', cpus * 4000, ',4=1,5=', cpus + 8 * gpus, IF(gpus > 0, CONCAT(',1001=', gpus, ',1002=', gpus), '')),
    CONCAT('1=', cpus, ',2=', cpus * 4000, ',4=1,5=', cpus + 8 * gpus), CONCAT('/home/', login), CONCAT('sbatch -n', cpus, ' job', n % 977)
FROM made JOIN ${SLURM_CLUSTER}_assoc_table ON user = login
SQL
}

fill_steps() {
    cat <<SQL
INSERT INTO ${SLURM_CLUSTER}_step_table (job_db_inx, exit_code, id_step, nodelist, nodes_alloc, node_inx, state, step_name, task_cnt,
    time_start, time_end, user_sec, user_usec, sys_sec, sys_usec, tres_alloc, tres_usage_in_ave, tres_usage_in_max, tres_usage_in_tot)
WITH made AS (
    SELECT *, (time_end - time_start) * cpus_req * (20 + CRC32(CONCAT('p', id_job)) % 80) DIV 100 AS cpu,
        cpus_req * (100000000 + CRC32(CONCAT('m', id_job)) % 3000000000) AS mem
    FROM ${SLURM_CLUSTER}_job_table)
SELECT job_db_inx, exit_code, -5, nodelist, 1, node_inx, state, 'batch', 1, time_start, time_end, cpu, 123456, cpu DIV 50, 654321,
    CONCAT('1=', cpus_req, ',2=', cpus_req * 4000, ',4=1'), CONCAT('1=', cpu * 1000, ',2=', mem, ',6=1048576,7=', mem * 2),
    CONCAT('1=', cpu * 1000, ',2=', mem, ',6=1048576,7=', mem * 2), CONCAT('1=', cpu * 1000, ',2=', mem, ',6=1048576,7=', mem * 2)
FROM made
SQL
}

note "bringing up slurmdbd"
slurm_up_database || die "slurmdbd does not come up"
{ gpus && people; } || die "the database cannot be furnished"
note "making $jobs jobs"
fill_jobs | slurm_sql || die "no jobs were made"
fill_steps | slurm_sql || die "no steps were made"

# --- what sacct prints --------------------------------------------------------------------------------

columns=JobID,JobIDRaw,Cluster,Partition,QOS,Account,Group,GID,User,UID,Submit,Eligible,Start,End,ElapsedRaw,Suspended,TimelimitRaw
columns=$columns,ExitCode,State,NNodes,NCPUS,NTasks,ReqCPUS,ReqMem,ReqTRES,AllocTRES,NodeList,Priority,Reservation,Reason,UserCPU
columns=$columns,SystemCPU,TotalCPU,MaxRSS,AveRSS,MaxVMSize,ConsumedEnergyRaw,TRESUsageInTot,TRESUsageOutTot,JobName,WorkDir,SubmitLine

sacct_of() { # FROM TO ARGUMENT...
    from=$1 to=$2
    shift 2
    echo "exec sacct -aDP -S $from -E $to $*"
}

# ask FILE TIMES FROM TO ARGUMENT...: a line of figures; what was printed is in FILE.
ask() {
    file=$1 times=$2
    shift 2
    "$measure" -n "$times" sh -c "$(sacct_of "$@") >$file" || die "sacct failed"
}

rows_of() { wc -l <"$1"; }
bytes_of() { wc -c <"$1"; }

whole="$year-01-01 $((year + 1))-12-31"
text=$bench/sacct-$jobs # with steps, and .x without; .cost is what sacct took for it

# keep FILE ARGUMENT...: what sacct prints, asked for once and kept.
keep() {
    kept=$1
    shift
    [ ! -s "$kept.cost" ] || return 0
    note "asking sacct for everything: $kept"
    # shellcheck disable=SC2086 # two words
    ask "$kept" 1 $whole -o $columns "$@" >"$tmp/cost" && mv "$tmp/cost" "$kept.cost"
}

keep "$text"
keep "$text.x" -X
[ "$(rows_of "$text.x")" -eq $((jobs + 1)) ] || die "sacct prints $(rows_of "$text.x") rows of $jobs jobs"

# --- importing ----------------------------------------------------------------------------------------

import() { # SOURCE FILE: a line of figures
    rm -rf "$tmp/store"
    sync
    "$measure" "$STINT" import "$1" --cluster site --zone UTC --store "$tmp/store" --quiet "$2" || die "the import failed"
}

peer=$(accounting "$(rows_of "$text")") || exit 1
cat "$text" "$text.x" "$peer" >/dev/null
rm -f "$tmp"/import.*
i=0
while [ $i -lt "$BENCH_TIMES" ]; do
    i=$((i + 1))
    note "importing, round $i of $BENCH_TIMES"
    import sge "$peer" >>"$tmp/import.sge"
    import slurm "$text.x" >>"$tmp/import.x"
    import slurm "$text" >>"$tmp/import.steps" # the store that is left is asked below
done

# per_mib NAME COLUMN FILE: milliseconds a MiB of the file, of wall (1) or cpu time (2)
per_mib() { best "$2" <"$tmp/import.$1" | awk -v bytes="$(bytes_of "$3")" '{ print $1 * 1048576 / bytes }'; }

# rows_of_import LABEL NAME FILE
rows_of_import() {
    row "$1: $(rows_of "$3") rows" "$(best 1 <"$tmp/import.$2")" "$(best 1 <"$tmp/import.sge")" ms ""
    row "  a MiB" "$(per_mib "$2" 1 "$3")" "$(per_mib sge 1 "$peer")" ms 1.3
    row "  a MiB, cpu time" "$(per_mib "$2" 2 "$3")" "$(per_mib sge 2 "$peer")" ms 1.3
}

# --- asking -------------------------------------------------------------------------------------------

# Sums by account as both have them: cpu seconds of whole jobs, for a year that they all lie in.
theirs() { awk -F'|' '{ s[$1] += $2 } END { for (a in s) printf "%s,%.0f\n", a, s[a] }' "$1" | sort; }
ours() { "$STINT" report cpu_hours --by account --store "$tmp/store" --format csv --no-header "$@" | awk -F, '{ printf "%s,%.0f\n", $1, $2 * 3600 }' | sort; }

asked="-X -n -o Account,CPUTimeRAW"
note "usage by account"
# shellcheck disable=SC2086
ask "$tmp/year" 2 $whole $asked | best 1 >"$tmp/year.theirs"
# shellcheck disable=SC2086
ask "$tmp/month" "$BENCH_TIMES" $year-03-01 $year-04-01 $asked | best 1 >"$tmp/month.theirs"
best_ms "$BENCH_TIMES" "$STINT" report cpu_hours --by account --from "$year" --to "$((year + 1))" --store "$tmp/store" >"$tmp/year.ours"
best_ms "$BENCH_TIMES" "$STINT" report cpu_hours --by account --from "$year-03" --to "$year-03" --store "$tmp/store" >"$tmp/month.ours"
theirs "$tmp/year" >"$tmp/year.want"
ours --from "$year" --to "$((year + 1))" >"$tmp/year.got"
cmp "$tmp/year.want" "$tmp/year.got" || die "THE ANSWERS DIFFER: $tmp/year.want (sacct), $tmp/year.got (stint)"

machine
heading "import of what sacct prints of $jobs jobs; other: Grid Engine's file of $(rows_of "$peer") rows (best of $BENCH_TIMES)"
rows_of_import "jobs with steps" steps "$text"
rows_of_import "jobs alone (-X)" x "$text.x"

heading "asking, $jobs jobs; other: sacct"
row "cpu time by account, all" "$(cat "$tmp/year.ours")" "$(cat "$tmp/year.theirs")" ms 0.1
row "cpu time by account, a month" "$(cat "$tmp/month.ours")" "$(cat "$tmp/month.theirs")" ms 0.1
row "import and ask; other: one sacct -X of all columns" "$(sum "$(best 1 <"$tmp/import.x")" "$(cat "$tmp/year.ours")")" "$(best 1 <"$text.x.cost")" ms ""
row "import; other: the sacct it is from" "$(best 1 <"$tmp/import.steps")" "$(best 1 <"$text.cost")" ms ""
row "  peak memory" "$(largest 3 <"$tmp/import.steps")" "$(largest 3 <"$text.cost")" KiB ""
rm -rf "$tmp/store" "$tmp/year" "$tmp/month"
