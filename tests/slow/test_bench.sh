#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The benches that take longer than others, at their smallest size: see tests/sh/test_bench.sh. timeout: 3600
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bench.sh"

bench agent BENCH_PROCESSES=5 BENCH_TURNS=2 BENCH_LOOKS=10
bench concurrent BENCH_RUNS=3000 BENCH_SECONDS=3
bench crowd BENCH_RUNS=3000 BENCH_SECONDS=2 CROWD_UNREAD=20 CROWD_SLOW=5 CROWD_HONEST=5 CROWD_EVERY=1
bench intake BENCH_NODES=5 BENCH_MINUTES=1 BENCH_BEFORE=1
bench serve BENCH_RUNS=3000 BENCH_IMPORT=3000 BENCH_SECONDS=1 BENCH_NODES=20
bench slurm BENCH_JOBS=201
bench soak BENCH_RUNS=3000 SOAK_SECONDS=3 SOAK_CLIENTS=2 SOAK_EVERY=1 SOAK_RUNS=1000

finish
