#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the tests and counts them: tests/run.sh [NAME...], from the top of the tree, after the builds.
# `./run test` is what people type.
#
# A job is one program that prints TAP: its plan (1..N) and a line a test, `ok - name`, `not ok - name`
# or `skip - name: reason` (cmocka's `# SKIP` also). A job that ends with another status than its lines
# say, prints fewer lines than planned, runs too long, or leaves a process or a file behind, is one more failure. Jobs are
#
#   unit/STATION/test_X    build/asan/tests/unit/...     from tests/unit/STATION/test_X.c
#   tsan/STATION/test_X_threads                          the same under the thread sanitizer
#   fuzz/X                 replay of tests/fuzz/corpus/X by build/asan/tests/fuzz/fuzz_X
#   sh/test_X              tests/sh/test_X.sh
#   golden/AREA            tests/golden/run.sh AREA
#   check/X                tools/check-X: one test each, by its exit status
#   build/X                a build made by ./run test
#
# A line `timeout: SECONDS` in the head of a unit or shell test gives it more than the usual 600.
set -u

logs=build/asan/test-logs

# --- one job: tests/run.sh --job NAME ---------------------------------------------------------------

plain() { # a program that only has an exit status becomes TAP
    echo 1..1
    if "$@" 2>&1; then
        echo "ok 1 - passes"
    else
        echo "not ok 1 - passes"
    fi
}

built() {
    cat "build/built/$1.log"
    [ -e "build/built/$1.ok" ]
}

start() { # start NAME: becomes the job
    case $1 in
    unit/*) exec "build/asan/tests/$1" ;;
    tsan/*) exec "build/tsan/tests/unit/${1#tsan/}" ;;
    fuzz/*)
        corpus=tests/fuzz/corpus/${1#fuzz/}
        [ -d "$corpus" ] || { echo 1..1; echo "not ok 1 - there is no $corpus"; exit 1; }
        exec "build/asan/tests/fuzz/fuzz_${1#fuzz/}" "$corpus"
        ;;
    sh/*) exec sh "tests/$1.sh" ;;
    golden/*) exec sh tests/golden/run.sh "${1#golden/}" ;;
    check/*) plain "tools/check-${1#check/}" ;;
    build/*) plain built "${1#build/}" ;;
    esac
}

source_of() {
    case $1 in
    unit/*) echo "tests/$1.c" ;;
    tsan/*) echo "tests/unit/${1#tsan/}.c" ;;
    sh/*) echo "tests/$1.sh" ;;
    esac
}

# workers_in ROOM: the processes that work there, or have a file of it open.
workers_in() {
    find /proc/[0-9]*/cwd /proc/[0-9]*/fd -lname "$1/*" 2>/dev/null | cut -d/ -f3 | sort -u
}

# left_behind ROOM: a line for each thing that a job did not take away; it goes now. What is on its way out may take a
# moment.
left_behind() {
    waits=0
    while [ -n "$(workers_in "$1")" ] && [ $waits -lt 30 ]; do
        sleep 0.1
        waits=$((waits + 1))
    done
    for process in $(workers_in "$1"); do
        echo "not ok - leaves no process behind: $(tr '\0' ' ' <"/proc/$process/cmdline")"
        kill -s KILL "$process"
    done
    for file in $(ls -A "$1"); do
        echo "not ok - leaves no file behind: $file"
    done
    rm -rf "$1"
}

run_job() {
    log=$logs/$(echo "$1" | tr / .)
    source=$(source_of "$1")
    seconds=
    if [ -n "$source" ]; then
        seconds=$(sed -n '1,30s/.*timeout: *\([0-9][0-9]*\).*/\1/p' "$source" | head -n 1)
    fi
    seconds=${seconds:-600}
    # Without a room there is no count, which is a failure below.
    room=$(mktemp -d "${TMPDIR:-/tmp}/stint-job.XXXXXX") && chmod 755 "$room" || return
    begun=$(date +%s%N)
    TMPDIR=$room timeout -k 10 "$seconds" sh tests/run.sh --start "$1" >"$log.log" 2>&1 </dev/null
    status=$?
    echo $((($(date +%s%N) - begun) / 1000000)) "$1" >"$log.time"
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
        echo "not ok - ran longer than $seconds s or was killed (status $status)" >>"$log.log"
    fi
    left_behind "$room" >>"$log.log"
    # Into $log.count: passed, failed, skipped, name.
    awk -v job="$1" -v status=$status '
        /^1\.\.[0-9]+/ { plan += substr($1, 4); planned = 1 }
        /^(not )?ok .*# SKIP/ || /^skip / { skipped++; next }
        /^ok / { passed++ }
        /^not ok / { failed++ }
        END {
            if (!planned || passed + failed + skipped < plan || (status != 0 && !failed))
                failed++
            print passed + 0, failed + 0, skipped + 0, job
        }' "$log.log" >"$log.count"
    if awk '{ exit $2 > 0 }' "$log.count"; then
        return
    fi
    # One write, so that two failing jobs do not mix their logs.
    printf '%s\n' "--- FAILED $1 (status $status), $log.log" \
        "$(grep -v '^ok \|^# ' "$log.log" | tail -n 60)"
}

case ${1:-} in
--start)
    start "$2"
    exit
    ;;
--job)
    run_job "$2"
    exit 0
    ;;
esac

# --- all jobs ---------------------------------------------------------------------------------------

list_jobs() {
    for file in build/built/*.log; do
        [ ! -e "$file" ] || echo "build/$(basename "$file" .log)"
    done
    for file in tools/check-*; do
        [ ! -e "$file" ] || echo "check/${file#tools/check-}"
    done
    find tests/unit -name 'test_*.c' 2>/dev/null | sed 's|^tests/||; s|\.c$||' | sort
    if [ -e build/built/tsan.ok ]; then
        find tests/unit -name 'test_*_threads.c' | sed 's|^tests/unit|tsan|; s|\.c$||' | sort
    fi
    find tests/fuzz -name 'fuzz_*.c' 2>/dev/null | sed 's|.*/fuzz_|fuzz/|; s|\.c$||' | sort
    find tests/sh -name 'test_*.sh' 2>/dev/null | sed 's|^tests/||; s|\.sh$||' | sort
    find tests/golden -name '*.cmd' 2>/dev/null | sed 's|^tests/||; s|/[^/]*$||' | sort -u
}

choose() {
    if [ $# -eq 0 ]; then
        cat
    else
        for part; do
            printf '%s\n' "$part"
        done >"$logs/chosen"
        grep -F -f "$logs/chosen"
    fi
}

rm -rf "$logs"
mkdir -p "$logs"

# The same output everywhere, and sanitizers that cannot be mistaken for a command's own failure.
export LC_ALL=C TZ=UTC
export CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS="exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
# Leaks of libraries that are loaded for pictures are listed there, with their reason.
export LSAN_OPTIONS="exitcode=99:suppressions=$PWD/tests/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export TSAN_OPTIONS="exitcode=99:halt_on_error=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
STINT=$PWD/build/asan/bin/stint
export STINT
unset STINT_STORE

# What the packages of tools/packages.txt bring, and no other program: a test that calls one fails here as it would on a
# machine that has nothing else.
if [ -x tools/check-programs ] && command -v dpkg-query >/dev/null; then
    programs=$PWD/build/asan/programs
    rm -rf "$programs"
    tools/check-programs --path "$programs" || exit 1
    PATH=$programs
    export PATH
fi

list_jobs | choose "$@" >"$logs/jobs"
if [ ! -s "$logs/jobs" ]; then
    echo "no test matches: $*" >&2
    exit 1
fi
echo "running $(wc -l <"$logs/jobs") test programs; their output is in $logs"
xargs -P "${STINT_TEST_JOBS:-$(nproc)}" -n 1 sh tests/run.sh --job <"$logs/jobs"

cat "$logs"/*.time | sort -rn | head -n 5 |
    awk '$1 >= 1000 { printf "%s %s %.1f s", n++ ? "," : "slowest:", $2, $1 / 1000 } END { if (n) print "" }'
cat "$logs"/*.count 2>/dev/null | awk '
    FILENAME != "-" { jobs[$1]; next }
    { delete jobs[$4] }
    { passed += $1; failed += $2; skipped += $3; if ($2) names = names " " $4 }
    END {
        for (job in jobs) { # it ended without a word
            failed++
            names = names " " job
        }
        if (names) print "failed:" names
        printf "%d passed, %d failed", passed, failed
        if (skipped) printf ", %d skipped", skipped
        print ""
        exit failed > 0
    }' "$logs/jobs" -
