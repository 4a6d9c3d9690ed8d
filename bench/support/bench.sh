# SPDX-License-Identifier: MIT
#
# What the benchmarks share; each sources this first. They print tables and marks, and fail only if
# something does not work at all, or two answers that should be the same differ: being slow is not an error. See
# docs/performance.md.
#
# From the environment:
#   STINT          the program (build/release/bin/stint)
#   BENCH_FOLDER   where everything is made (build/bench)
#   BENCH_CFLAGS   to link with the libraries of the program, if they need some
#   BENCH_RUNS     size: rows of the file that is imported, runs that are reported on (5 and 20 million)
#   BENCH_TIMES    how often each thing is timed; the best counts (5)
#   BENCH_QACCT    most rows given to qacct; beyond it, its time is scaled up, and so marked (5000000)
set -u
cd "$(dirname "$0")/.." || exit 1

STINT=${STINT:-$PWD/build/release/bin/stint}
BENCH_TIMES=${BENCH_TIMES:-5}
BENCH_QACCT=${BENCH_QACCT:-5000000}
bench=${BENCH_FOLDER:-$PWD/build/bench} # an absolute path
build=${STINT%/bin/stint} # what else was built with the program
tmp=$bench/tmp
export LC_ALL=C TZ=UTC
unset STINT_STORE

die() {
    printf '%s\n' "bench: $*" >&2
    exit 1
}

# Progress is talk and goes to stderr; tables are data.
note() { printf '%s\n' "bench: $*" >&2; }

# differs WORDS: two answers are not the same. agree: there was none of that; what a bench that compares ends with.
differs() {
    note "THE ANSWERS DIFFER: $*"
    : >"$tmp/differs"
}
agree() { [ ! -e "$tmp/differs" ]; }

[ -x "$STINT" ] || die "there is no '$STINT'; build it with: ./run build"
mkdir -p "$bench/bin" "$tmp" && rm -f "$tmp/differs" || exit 1

# --- the two helpers, compiled when their source is newer ---------------------------------------------

from_cache() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

compile() { # compile NAME [ARGUMENT...]
    name=$1
    shift
    if [ -z "$(find "$bench/bin/$name" -newer "bench/$name.c" 2>/dev/null)" ]; then
        "${CC:-gcc}" -O2 -std=c17 -D_GNU_SOURCE -Wall -Wextra -o "$bench/bin/$name" "bench/$name.c" "$@" ||
            die "bench/$name.c does not compile"
    fi
}

compile measure
duckdb=$(from_cache DUCKDB_LIBRARY)
[ -n "$duckdb" ] || die "'$build' does not say where DuckDB is; ./run build"
compile sql -isystem "$(from_cache DUCKDB_INCLUDE_DIR)" "$duckdb" -Wl,-rpath,"$(dirname "$duckdb")"
measure=$bench/bin/measure
sql=$bench/bin/sql

# --- what is measured on ------------------------------------------------------------------------------

# The eight years the made-up site lives in, and one of them.
site_from=2018-01-01 site_to=2025-12-31
year=2024

# make_site FILE RUNS [ROWS]: one accounting file of all the demo's clusters, in the order in which the runs
# ended, made once. The rows of slave tasks come on top of the runs; ROWS cuts it there.
make_site() {
    [ ! -s "$1" ] || return 0
    note "making $1"
    rm -rf "$tmp/site"
    "$STINT" demo --out "$tmp/site" --runs "$2" --from "$site_from" --to "$site_to" --as sge --quiet >/dev/null ||
        die "the demo made no files"
    for part in "$tmp"/site/*/accounting; do
        grep -av '^#' "$part" >"$part.rows"
        rm "$part"
    done
    sort -m -t: -k11,11n "$tmp"/site/*/accounting.rows | head -n "${3:-999999999}" >"$1.part" &&
        mv "$1.part" "$1" || die "cannot make '$1'"
    rm -rf "$tmp/site"
}

# accounting ROWS: the name of an accounting file of that many rows.
accounting() {
    make_site "$bench/accounting-$1" "$1" "$1" && echo "$bench/accounting-$1"
}

# store_of RUNS: the name of a store with that many runs, made once.
store_of() {
    if [ ! -e "$bench/store-$1/done" ]; then
        make_site "$bench/site-$1" "$1" || exit 1
        note "importing $bench/site-$1"
        rm -rf "$bench/store-$1"
        "$STINT" import sge --cluster site --store "$bench/store-$1" --quiet "$bench/site-$1" >/dev/null ||
            die "the import failed"
        rm "$bench/site-$1"
        : >"$bench/store-$1/done"
    fi
    echo "$bench/store-$1"
}

have_qacct() { command -v qacct >/dev/null; }

# --- figures ------------------------------------------------------------------------------------------

# Of lines of numbers on stdin, of column $1: the smallest, the middle one, the largest.
best() { sort -n -k"$1,$1" | awk -v c="$1" 'NR == 1 { print $c }'; }
median() { sort -n -k"$1,$1" | awk -v c="$1" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'; }
largest() { sort -rn -k"$1,$1" | awk -v c="$1" 'NR == 1 { print $c }'; }

sum() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a + b }'; }

# Wall time in ms of a command run TIMES times: best_ms TIMES COMMAND..., median_ms TIMES COMMAND...
wall_ms() {
    statistic=$1 times=$2
    shift 2
    "$measure" -n "$times" -o "$tmp/wall" "$@" || die "'$*' failed"
    "$statistic" 1 <"$tmp/wall"
}
best_ms() { wall_ms best "$@"; }
median_ms() { wall_ms median "$@"; }

# qacct_ms ROWS ARGUMENT...: time of qacct on a file of that many rows, scaled up beyond BENCH_QACCT; nothing
# where there is no qacct.
qacct_ms() {
    have_qacct || return 0
    all=$1 some=$(($1 < BENCH_QACCT ? $1 : BENCH_QACCT))
    shift
    file=$(accounting "$some") || exit 1
    note "qacct on $some rows"
    [ "$some" -eq "$all" ] || note "its time is scaled up to $all rows"
    cat "$file" >/dev/null
    best_ms 2 qacct "$@" -f "$file" | awk -v k="$all" -v n="$some" '{ print $1 * k / n }'
}

# --- the table ----------------------------------------------------------------------------------------

machine() {
    model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    memory=$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)
    echo "$("$STINT" --version), DuckDB $("$sql" -a :memory: 'SELECT version()'), $(date +%F)"
    echo "$(nproc) cores of ${model:-unknown kind}, $memory, $(uname -sr), load $(cut -d' ' -f1 /proc/loadavg)"
}

heading() { # heading TITLE
    printf '\n%s\n\n' "$1"
    printf '%-44s %12s %12s %8s  %s\n' what stint other ratio target
    printf '%-44s %12s %12s %8s  %s\n' "$(printf '%44s' '' | tr ' ' -)" ------------ ------------ -------- ------
}

# row WHAT OURS THEIRS UNIT TARGET: a line of the table. OURS and THEIRS are in ms (printed as ms or s)
# or KiB (printed as MiB); THEIRS may be empty. TARGET bounds the ratio OURS / THEIRS, or OURS itself
# if THEIRS is empty; it may be empty too.
row() {
    awk -v what="$1" -v ours="$2" -v theirs="$3" -v unit="$4" -v target="$5" '
        function shown(x) {
            if (x == "")
                return "---"
            if (unit == "KiB")
                return sprintf("%.0f MiB", x / 1024)
            return x < 1000 ? sprintf("%.1f ms", x) : sprintf("%.2f s", x / 1000)
        }
        BEGIN {
            value = theirs != "" ? ours / theirs : ours
            mark = ""
            if (target != "" && ours != "")
                mark = "<= " (theirs != "" ? target : shown(target)) (value <= target ? "  PASS" : "  over the target")
            if (theirs == "")
                quotient = ""
            else
                quotient = sprintf(value < 0.1 ? "%.4f" : "%.2f", value)
            printf "%-44s %12s %12s %8s  %s\n", what, shown(ours), shown(theirs), quotient, mark
        }'
}
