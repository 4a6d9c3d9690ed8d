#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint job for real jobs of $STINT_DATA, against the screens in tests/screens: every scheduler, and every way to end.
# UPDATE=1 writes them anew; read the diff.
. "$(dirname "$0")/../support/sh.sh"

# screen NAME ID...: what people see of a job at 80 columns; logins of people elsewhere are not kept.
shown() { stint job "$@" --zone UTC --width 80 | sed 's/^Who        bkd,/Who        someone,/'; }
screen() {
    name=$1
    shift
    it "$name"
    [ -n "${UPDATE:-}" ] && shown "$@" >"$TESTS/screens/$name"
    expect_out "$TESTS/screens/$name" shown "$@"
}

D=slurm/live-22.05
if need_data $D/sacct-D-steps.psv; then
    export STINT_STORE="$PWD/slurm"
    stint import slurm --zone UTC --cluster c "$STINT_DATA/$D/sacct-D-steps.psv" >/dev/null 2>&1
    screen slurm-finished 3
    screen slurm-failed 9
    screen slurm-timed-out slurm-11.out
    screen slurm-array 1
    screen slurm-some-tasks '1_[2-3,5]'
    screen slurm-requeued 15.batch
    screen slurm-never-started 14
    screen slurm-gpus 5
fi

D=slurm/cost-simulator
if need_data $D/sacct-output.txt; then
    export STINT_STORE="$PWD/memory"
    sed -n '/^OUT_OF_MEMORY|67108865|/p' "$STINT_DATA/$D/sacct-output.txt" | head -1 | cut -d'|' -f1-13 >oom.psv
    stint import slurm --zone UTC --cluster c --columns State,JobID,NNodes,ReqMem,NCPUS,Comment,Submit,Eligible,Start,Elapsed,Suspended,End,ExitCode oom.psv >/dev/null 2>&1
    screen slurm-out-of-memory 67108865
fi

D=slurm/exporter-rivosinc/fixtures
if need_data $D/squeue_out.json; then
    export STINT_STORE="$PWD/running"
    stint import slurm --cluster c "$STINT_DATA/$D/squeue_out.json" >/dev/null 2>&1
    running=$(stint jobs -s R --from 2000 --to now --fields id --format csv --no-header | sort -n | head -1)
    screen slurm-running "$running"
fi

D=sge/live-8.1.9
if need_data $D/accounting; then
    export STINT_STORE="$PWD/sge"
    stint import sge --zone UTC --cluster g "$STINT_DATA/$D/accounting" >/dev/null 2>&1
    screen sge-finished 2
    screen sge-timed-out 7
    screen sge-array 1
fi

if need_data pbs/pbs-2026.log; then
    export STINT_STORE="$PWD/pbs"
    stint import pbs --zone UTC --cluster p "$STINT_DATA/pbs/pbs-2026.log" >/dev/null 2>&1
    screen pbs-finished 2281314
fi

D=lsf/issues/gl-16
if need_data $D/lsb.acct.issue-gl-16; then
    export STINT_STORE="$PWD/lsf"
    stint import lsf --zone UTC --cluster l "$STINT_DATA/$D/lsb.acct.issue-gl-16" >/dev/null 2>&1
    lsf=$(stint jobs -s cancelled --from 2000 --to now --fields id --format csv --no-header | head -1)
    screen lsf-cancelled "$lsf"
fi
finish
