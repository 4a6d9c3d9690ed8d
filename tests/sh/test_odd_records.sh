#!/bin/sh
# SPDX-License-Identifier: MIT
#
# One odd record, of whatever source and in whatever table, keeps no other out: it is read, or set aside and named.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures

# --- runs of a century -------------------------------------------------------------------------------

head='job,user,cpus,submit,start,end,state'
for field in job user cpus submit start end state; do echo "$field = $field"; done >map
run_of() { printf '%s,ann,%s,%s,%s,%s,done\n' "$1" "$2" "$3" "$3" "$4"; } # JOB CPUS START END

{
    echo $head
    run_of 1 4 1970-01-01T00:00:00Z 2106-02-07T00:00:00Z
    run_of 2 4 2024-01-01T00:00:00Z 9999-12-31T00:00:00Z
    run_of 3 4 2024-01-01T00:00:00Z 2024-01-01T01:00:00Z
    run_of 4 4 9999-01-01T00:00:00Z 9999-12-31T00:00:00Z
    run_of 5 4 1970-01-01T00:00:00Z 2024-01-01T01:00:00Z
} >long.csv
cat >long.swf <<'END'
; UnixStartTime: 0
1 0 0 4294967295 4 -1 -1 4 4294967295 -1 1 1 1 -1 1 1 -1 -1
2 1000000000 0 3600 4 -1 -1 4 3600 -1 1 1 1 -1 1 1 -1 -1
3 1000000000 0 1576800000 4 -1 -1 4 3600 -1 1 1 1 -1 1 1 -1 -1
4 253370764800 0 3600 4 -1 -1 4 3600 -1 1 1 1 -1 1 1 -1 -1
END
cat >long.sacct <<'END'
JobID|State|Submit|Start|End|AllocTRES|User|Account|Timelimit
1|COMPLETED|1970-01-01T00:00:00|1970-01-01T00:00:01|2106-02-07T00:00:00|cpu=8,gres/gpu=4|ann|x|10-00:00:00
2|COMPLETED|2025-12-30T00:00:00|2025-12-30T00:00:00|2026-01-02T00:00:00|cpu=1,gres/gpu=0|ann|x|3-00:00:00
3|COMPLETED|2025-12-30T00:00:00|2025-12-30T00:00:00|9999-01-02T00:00:00|cpu=1,gres/gpu=0|ann|x|3-00:00:00
END

rolled() { stint report cpu_hours --from 2001 --to 2025 --explain --format csv --store "$1" | grep -q 'rollup_month ('; }

# long SOURCE FILE ADDED REJECTED MONTHS [ARGUMENT...]: hours of summer and winter are told apart, for days of both have to be
# found. The sums are compared in the months in which something begins or ends, FROM,TO each: all days of a century take long.
long() {
    t_source=$1 t_file=$2 t_want="$3,$4" t_months=$5
    shift 5
    it "$t_file: runs of decades are imported, and the daily sums follow"
    run stint import "$t_source" "$@" --cluster c --store "$t_file.store" --format csv --no-header "$t_file"
    expect_equal "$t_want" "$(cut -d, -f4,8 "$OUT")"
    check rolled "$t_file.store"
    it "$t_file: the daily sums are those of the runs"
    for months in $t_months; do
        expect_exit 0 stint check --from "${months%,*}" --to "${months#*,}" --store "$t_file.store"
        expect_out_has ' 0 differ'
    done
}
export TZ=Europe/Oslo
edges='1970-01,1970-02 2105-12,2106-03'
long csv long.csv 3 2 "$edges 2023-10,2024-04" --map map
long swf long.swf 3 1 "$edges 2001-06,2001-12"
long slurm long.sacct 2 1 "$edges 2025-10,2026-04"

it 'a file that begins in 1970 covers the time from then on'
export TZ=UTC
run stint doctor --store long.csv.store
expect_out_has '3 runs from 1970-01-01T00:00:00Z to 2106-02-07T00:00:00Z'
expect_equal 1970-01-01T00:00:00Z "$(stint import csv --map map --cluster c --store again --format csv --no-header long.csv | cut -d, -f9)"

it 'sums of a month that do not fit into 64 bits are kept all the same'
{
    echo $head
    run_of 1 16000000 2024-05-01T00:00:00Z 2024-05-07T00:00:00Z
    run_of 2 16000000 2024-05-01T00:00:00Z 2024-05-07T00:00:00Z
    run_of 3 4 2024-05-01T00:00:00Z 2024-05-07T00:00:00Z
} >wide.csv
check stint import csv --map map --cluster c --store wide wide.csv
expect_exit 1 grep -q 'daily sums' "$OUT"
check rolled wide
expect_out 4608000576 stint report cpu_hours --from 2024-05 --to 2024-05 --format csv --no-header --store wide

it 'and by what is imported later'
{ echo $head; run_of 4 1 2024-05-08T00:00:00Z 2024-05-08T10:00:00Z; } >later.csv
check stint import csv --map map --cluster c --store wide later.csv
check rolled wide
expect_out 4608000586 stint report cpu_hours --from 2024-05 --to 2024-05 --format csv --no-header --store wide

# --- people ------------------------------------------------------------------------------------------

it 'a login that the books do not take keeps nobody else out, and is named'
{
    echo $head
    printf '1,ann,1,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-02T00:00:00Z,done\n'
    printf '2,a\001b,1,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-02T00:00:00Z,done\n'
    printf '3,%s,1,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-02T00:00:00Z,done\n' "$(head -c 3000 /dev/zero | tr '\0' q)"
    printf '4,c:x,1,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-02T00:00:00Z,done\n'
    printf '5,zed,1,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-02T00:00:00Z,done\n'
} >logins.csv
check stint import csv --map map --cluster c --store people logins.csv
check stint people sync --store people
expect_out_has "ignored: login 'a\\x01b' on c: person contains a control character"
expect_out_has "qqq' on c: person is 3000 bytes long"
expect_out_has "ignored: login 'c:x' on c"
expect_equal 'ann zed' "$(stint people list --store people --format csv --no-header | cut -d, -f2 | xargs)"

# --- every table that a record can reach -------------------------------------------------------------

# odd HOW FILE NEEDLE: the first record that has the text NEEDLE has it with something odd in it; nothing else changes.
odd() {
    node -e '
        const fs = require("fs");
        const [how, file, needle] = process.argv.slice(1);
        const text = fs.readFileSync(file, "latin1"), at = text.indexOf(needle);
        if (at < 0) throw new Error(needle + " is not in " + file);
        const odd = { byte: needle + "\xe9", nul: needle + "\0", long: needle + "x".repeat(1 << 20) }[how];
        fs.writeFileSync("odd", text.slice(0, at) + odd + text.slice(at + needle.length), "latin1");
    ' "$@"
}

stored() { # WHAT CLUSTER: how many rows of it
    case $1 in
    runs) stint jobs -M "$2" --from 1970 --to 2100 --limit 0 -o id --format csv --no-header ;;
    samples) stint samples -M "$2" --from 1970 --to 2100 --format csv --no-header ;;
    esac 2>/dev/null | wc -l
}

# spared SOURCE FILE WHAT NEEDLE: of what the file has all but one record at most is stored, whatever is odd about that one. Each
# way of being odd is a cluster of its own, in the one store of all files.
spared() {
    t_file=${2#*/}
    stint import "$1" --cluster "$t_file" "$F/$2" >/dev/null 2>&1
    t_all=$(stored "$3" "$t_file")
    it "$2: there is something to keep ($3)"
    check test "$t_all" -gt 1
    for how in byte nul long; do
        it "$2: one odd record ($how) keeps no other out of the $3"
        check odd $how "$F/$2" "$4"
        run stint import "$1" --cluster "$how-$t_file" odd
        t_status=$status
        check test "$(stored "$3" "$how-$t_file")" -ge $((t_all - 1))
        it "$2: and is named where it was set aside ($how)"
        if [ $t_status -ne 0 ]; then
            check test "$(stint quarantine -M "$how-$t_file" --format csv --no-header | wc -l)" -ge 1
        fi
    done
}

hold_store "$STINT_STORE" --all
spared sge sge/son-of-grid-engine-8.1 runs scan
spared sge sge/open-cluster-scheduler-9.jsonl runs w:ave
spared slurm slurm/sacct-22.05 runs relax
spared slurm slurm/sacct-24.11.json runs 'sbatch -N2'
spared pbs pbs/pbs-professional-2022 runs jobname=relax
spared lsf lsf/lsf-10.1 runs train
spared htcondor htcondor/history runs /home/ann/rel
spared htcondor htcondor/jsonl runs 'via condor_rm'
spared htcondor htcondor/json runs 'via condor_rm'
spared htcondor htcondor/xml runs /home/ann/rel
spared nomad nomad/allocations.jsonl runs org/img
spared nomad nomad/allocations.json runs vo.demo
spared sonar sonar/agent.json samples two-mig
spared sonar sonar/tagged.csv samples mpi_solve

# begun SOURCE FILE [BEGINNING]: a first line that is too long, of which the head of the file is only a part, keeps no other record out.
begun() {
    it "$2: a first record of more than a MiB keeps no other out"
    rm -rf "$STINT_STORE"
    stint import "$1" --cluster c "$F/$2" >/dev/null 2>&1
    t_all=$(stored runs)
    rm -rf "$STINT_STORE"
    { printf %s "${3-}"; head -c 1100000 /dev/zero | tr "\0" x; echo; cat "$F/$2"; } >odd
    run stint import "$1" --cluster c odd
    expect_equal "$t_all" "$(stored runs)"
    check test "$(stint quarantine --format csv --no-header | wc -l)" -ge 1
}
begun sge sge/son-of-grid-engine-8.1
begun pbs pbs/pbs-professional-2022
begun lsf lsf/lsf-10.1
begun htcondor htcondor/jsonl '{"Args":"'
begun nomad nomad/allocations.jsonl

it 'a command line that is not UTF-8 keeps no process of its node out'
check odd byte "$F/sonar/agent.json" all-known
check stint import sonar --cluster utf8 odd
check test "$(stored samples utf8)" -eq 8

it 'doctor sees the store, and whoever had it ends well'
run stint doctor
expect_exit 1 grep -qE 'Sanitizer|runtime error' "$OUT" "$ERR"
expect_exit 0 release_store
expect_equal ready "$(cat held)"

# --- what a cluster has besides runs ----------------------------------------------------------------

for node in c1 c2 c3; do
    printf 'NodeName=%s Arch=x86_64 CoresPerSocket=4\n   CPUAlloc=0 CPUTot=8 RealMemory=16000 Sockets=2 State=IDLE\n' $node
    printf '   Partitions=cpu\n   Reason=why-%s [root@2026-01-01T00:00:00]\n\n' $node
done >nodes.txt
for name in r1 r2 r3; do
    printf 'ReservationName=%s StartTime=2026-11-16T00:00:00 EndTime=2026-11-17T00:00:00\n' $name
    printf '   Nodes=c1 NodeCnt=1 CoreCnt=8 Flags=\n   Users=who-%s Accounts=(null) State=ACTIVE\n\n' $name
done >reservations.txt

for what in nodes reservations; do
    for how in byte nul long; do
        it "one of three $what is odd ($how): all three are recorded"
        rm -rf "$STINT_STORE"
        check odd $how $what.txt $([ $what = nodes ] && echo why-c2 || echo who-r2)
        [ $what = nodes ] || touch -d 2026-11-16T12:00:00Z odd
        check stint import slurm --cluster c odd
        [ $how != long ] || expect_out_has "2' has a $([ $what = nodes ] && echo reason || echo users) of more than 64 KiB, which is not recorded"
        if [ $what = nodes ]; then
            run stint nodes --format csv --no-header
        else
            run stint reservations --from 2026-11-16 --to 2026-11-17 --format csv --no-header
        fi
        expect_equal 3 "$(wc -l <"$OUT")"
    done
done

finish
