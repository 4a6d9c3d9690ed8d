# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# A bench at its smallest size, after sh.sh, with the program under test: whether it works, and whether the answers that it compares
# are the same. What it measures is no concern of a test.
#
#     bench report BENCH_RUNS=2000

# benches_in FILE...: the benches that these tests run
benches_in() { sed -n 's/^bench \([a-z]*\).*/\1/p' "$@" | sort -u; }

bench() { # NAME VARIABLE=VALUE...
    t_bench=$1
    shift
    it "bench/$t_bench works"
    mkdir -p "$TMP/bench"
    expect_exit 0 env BENCH_FOLDER="$TMP/bench" BENCH_CFLAGS='-fsanitize=address,undefined' BENCH_TIMES=1 BENCH_STARTS=1 \
        BENCH_QACCT=1000 "$@" sh "$TOP/bench/$t_bench.sh"
}
