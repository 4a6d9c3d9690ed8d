#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every bench works, at its smallest size; those that take longer are in tests/slow/test_bench.sh.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bench.sh"

it 'each bench is run by a test'
expect_equal "$(cd "$TOP/bench" && ls ./*.sh | sed 's|^./||; s|\.sh$||' | grep -vx before | sort)" \
    "$(benches_in "$TESTS/sh/test_bench.sh" "$TESTS/slow/test_bench.sh")"

bench report BENCH_RUNS=2000
bench rollup BENCH_RUNS=2000
bench start BENCH_RUNS=2000
bench doctor BENCH_RUNS=2000
bench stream BENCH_RUNS=2000
bench chart BENCH_RUNS=2000 BENCH_POINTS=100
bench import BENCH_RUNS=2000
bench bank BENCH_RUNS=2000 BENCH_ACCOUNTS=10
bench job BENCH_NODES=2 BENCH_MINUTES=10
bench pull BENCH_JOBS=100

it 'a bench whose answers differ fails'
mkdir -p wrong/bin
ln -s "${STINT%/bin/stint}/CMakeCache.txt" wrong/CMakeCache.txt
cat >wrong/bin/stint <<END
#!/bin/sh
case " \$* " in
*' --explain '* | *' --version '*) exec "$STINT" "\$@" ;;
*' report '*' csv '*) "$STINT" "\$@" | sed '\$s/[0-9]\$/&1/; \$s/,\([0-9]\)/,9\1/g' ;;
*) exec "$STINT" "\$@" ;;
esac
END
chmod +x wrong/bin/stint
expect_exit 1 env STINT="$TMP/wrong/bin/stint" BENCH_FOLDER="$TMP/bench" BENCH_TIMES=1 BENCH_RUNS=2000 sh "$TOP/bench/report.sh"
expect_err_has 'THE ANSWERS DIFFER'

finish
