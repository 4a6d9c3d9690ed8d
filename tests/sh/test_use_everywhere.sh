#!/bin/sh
# SPDX-License-Identifier: MIT
#
# One figure for one run and resource, wherever it is shown: runs and samples by chance, asked for on the command line, by the API
# and on pages, and compared with what tests/support/uses.mjs works out second by second. STINT_SEED='N ...' tries other seeds.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

uses=$TESTS/support/uses.mjs

for seed in ${STINT_SEED:-4 9}; do
    it "every answer has the same figures, which follow from what is covered (seed $seed)"
    mkdir "$seed" && cd "$seed" || exit 1
    check node "$uses" make "$seed"
    export STINT_STORE="$PWD/store" STINT_CONFIG="$PWD/stint.conf"
    check stint import slurm --cluster c1 --zone UTC c1.psv
    check stint import slurm --cluster c2 --zone UTC c2.psv
    check stint import sonar samples.json
    start_server
    expect_equal 'the same' "$(node "$uses" compare "$seed" "$TMP/http" 2>&1)"
    stop_server
    cd "$TMP" || exit 1
done

finish
