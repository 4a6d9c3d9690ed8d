#!/bin/sh
# SPDX-License-Identifier: MIT
#
# One figure for one run and resource, wherever it is shown: runs and samples by chance, each run of a user of its own, so that
# reports by user are about one run each.
. "$(dirname "$0")/../support/sh.sh"

uses=$TESTS/support/uses.mjs
P='--from 2026-03-01 --to 2026-03-03 --zone UTC'
FIELDS=id,user,cpu_efficiency,mem_efficiency

# show SEED: asks everywhere
show() {
    seed=$1
    stint="stint --store store$seed"
    node "$uses" make "$seed"
    check $stint import slurm --cluster c --zone UTC sacct.psv
    check $stint import sonar samples.json
    # shellcheck disable=SC2086
    {
        $stint jobs $P -o $FIELDS --format json >jobs
        $stint jobs -j 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 -o $FIELDS --format json >named
        $stint efficiency --by job $P --format json >by_job
        $stint efficiency --by user $P --format json >by_user
        for id in 1 2 3 4; do
            $stint job $id --format json >job.$id
            $stint job $id --zone UTC --width 100 >$id.screen
        done
    } 2>"$ERR"
}

for seed in 1 2; do
    it "every answer has the same figures, which follow from what is covered (seed $seed)"
    show $seed
    expect_equal 'the same' "$(node "$uses" compare $seed jobs named by_job by_user job.1 job.2 job.3 job.4 1.screen 2.screen 3.screen 4.screen)"
done

finish
