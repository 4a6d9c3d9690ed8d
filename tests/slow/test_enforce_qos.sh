#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Which limits of a QOS override the limit by which an account is stopped, on a real Slurm: every cell of the table in
# docs/enforcement.md, by a job that is submitted to it.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

slurm_need || finish
slurm_up
sacctmgr -i add qos wide >/dev/null
tried=0

has_settled() { # JOB: it runs, has ended, or waits for a limit
    state=$(squeue -h -j "$1" -o '%T %r' 2>/dev/null)
    case $state in
    'PENDING Assoc'* | 'PENDING QOS'*) return 0 ;;
    PENDING*) return 1 ;;
    esac
}

# stops LIMIT_OF_ACCOUNT LIMITS_OF_QOS...: prints whether a job of the account is stopped.
stops() {
    limit=$1
    shift
    slurm_account "acc$tried" games >/dev/null 2>&1
    sacctmgr -i modify user games where account="acc$tried" set qos+=wide defaultqos=wide >/dev/null
    sacctmgr -i modify qos wide set GrpTRESMins=billing=-1 GrpTRESRunMins=billing=-1 GrpJobs=-1 GrpSubmitJobs=-1 GrpTRES=cpu=-1 >/dev/null
    [ $# -eq 0 ] || sacctmgr -i modify qos wide set "$@" >/dev/null
    sacctmgr -i modify account "acc$tried" set "$limit" >/dev/null
    if ! job=$(slurm_submit games -A "acc$tried" --qos wide -n1 -t 5 --wrap true 2>/dev/null) || [ -z "$job" ]; then
        echo yes
        return
    fi
    until_true has_settled "$job"
    has_settled "$job"
    scancel "$job" 2>/dev/null
    case $state in
    PENDING*) echo yes ;;
    *) echo no ;;
    esac
}

# What is set in each mode, in the order of the columns.
modes='GrpTRESMins=billing=0 GrpTRESRunMins=billing=0 GrpSubmitJobs=0 GrpJobs=0'
row() { # WANTED LIMITS_OF_QOS...
    wanted=$1
    shift
    it "a QOS with ${*:-no limit}"
    got=
    for mode in $modes; do
        tried=$((tried + 1)) # an account of its own
        got="$got${got:+ }$(stops "$mode" "$@")"
    done
    expect_equal "$wanted" "$got"
}
row 'yes yes yes yes'
row 'no yes yes yes' GrpTRESMins=billing=100000
row 'yes no yes yes' GrpTRESRunMins=billing=100000
row 'yes yes yes no' GrpJobs=50
row 'yes no yes no' GrpTRESRunMins=billing=100000 GrpJobs=50
row 'yes yes no yes' GrpSubmitJobs=50
row 'yes yes yes yes' GrpTRES=cpu=50
finish
