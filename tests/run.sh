#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the tests and counts them: tests/run.sh [--slow] [NAME...], from the top of the tree, after the builds; with --slow, those of
# tests/slow and no others. `./run test` is what people type. tests/run.sh --targets [--slow] [NAME...] lists what has to be built for them.
#
# A job is one program that prints TAP: its plan (1..N) and a line a test, `ok - name`, `not ok - name`
# or `skip - name: reason` (cmocka's `# SKIP` also). A job that ends with another status than its lines
# say, prints fewer lines than planned, runs too long, or leaves a process or a file behind, is one more failure. Jobs are
#
#   unit/STATION/test_X    build/asan/tests/unit/...     from tests/unit/STATION/test_X.c
#   tsan/STATION/test_X_threads                          the same under the thread sanitizer
#   fuzz/X                 replay of tests/fuzz/corpus/X by build/asan/tests/fuzz/fuzz_X
#   sh/test_X              tests/sh/test_X.sh
#   slow/test_X            tests/slow/test_X.sh
#   golden/AREA            tests/golden/run.sh AREA
#   check/X                tools/check-X: one test each, by its exit status
#   build/X                a build made by ./run test
#
# STINT_FIGURES=yes writes the figures of a whole run into docs/testing.md: its counts, and the lines `figure - text` that jobs print.
#
# A line `timeout: SECONDS` in the head of a unit or shell test gives it another limit than the usual hour. Limits are for what hangs: a
# machine fifteen times slower than usual is within them.
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
    sh/* | slow/*) exec sh "tests/$1.sh" ;;
    golden/*)
        STINT=$PWD/build/asan/tests/watched-stint
        exec sh tests/golden/run.sh "${1#golden/}"
        ;;
    check/*) plain "tools/check-${1#check/}" ;;
    build/*) plain built "${1#build/}" ;;
    esac
}

# target_of NAME: what the job wants of build/asan.
target_of() {
    case $1 in
    unit/*) echo "tests/$1" ;;
    fuzz/*) echo "tests/fuzz/fuzz_${1#fuzz/}" ;;
    sh/test_faults | slow/test_faults | sh/test_store_torn | sh/test_backup) printf '%s\n' bin/stint tests/failing-writes.so ;; # and of build/clang: see run
    sh/test_world | slow/test_world) printf '%s\n' bin/stint tests/failing-writes.so tests/set-clock.so ;;
    slow/test_bank_bytes) printf '%s\n' bin/stint tests/unit/bank/test_mutated ;;
    slow/test_bank_stories) printf '%s\n' bin/stint tests/unit/bank/test_story ;;
    sh/test_agent_outages) printf '%s\n' bin/stint bin/stint-agent tests/set-clock.so ;;
    sh/test_bank_caps | sh/test_bank_messages) printf '%s\n' bin/stint tests/set-clock.so ;;
    sh/test_agent_gpus | sh/test_advice_slurm) printf '%s\n' bin/stint bin/stint-agent tests/fake/libnvidia-ml.so.1 ;;
    sh/* | slow/* | golden/* | check/docs)
        printf '%s\n' bin/stint bin/stint-agent
        case $1 in golden/*) echo tests/watched-stint ;; esac
        for tool in tests/tools/*.c; do
            echo "tests/$(basename "$tool" .c)"
        done
        ;;
    esac
}

source_of() {
    case $1 in
    unit/*) echo "tests/$1.c" ;;
    tsan/*) echo "tests/unit/${1#tsan/}.c" ;;
    sh/* | slow/*) echo "tests/$1.sh" ;;
    esac
}

# workers_in ROOM: the processes that work there, or have a file of it open.
workers_in() {
    find /proc/[0-9]*/cwd /proc/[0-9]*/fd -lname "$1/*" 2>/dev/null | cut -d/ -f3 | sort -u
}

# sweep: the rooms of jobs and runs that were killed, which could not take them away. A room has the process of its owner in its name.
sweep() {
    for room in "${TMPDIR:-/tmp}"/stint-job.*.* "${TMPDIR:-/tmp}"/stint-programs.*.*; do
        owner=${room##*/stint-*[a-z].}
        if [ -d "$room" ] && [ ! -e "/proc/${owner%%.*}" ] && [ -z "$(workers_in "$room")" ]; then
            rm -rf "$room"
        fi
    done
}

# left_behind ROOM: a line for each thing that a job did not take away; it goes now. What is on its way out may take a
# moment.
left_behind() {
    waits=0
    while left=$(workers_in "$1") && [ -n "$left" ] && [ $waits -lt 600 ]; do
        sleep 0.1
        waits=$((waits + 1))
    done
    for process in $left; do
        echo "not ok - leaves no process behind: $(tr '\0' ' ' <"/proc/$process/cmdline")"
        kill -s KILL "$process"
    done
    # shellcheck disable=SC2045 # names of ours
    for file in $(ls -A "$1"); do
        echo "not ok - leaves no file behind: $file"
    done
    rm -rf "$1"
}

# limit_of NAME: the seconds it may take.
limit_of() {
    source=$(source_of "$1")
    seconds=
    if [ -n "$source" ]; then
        seconds=$(sed -n '1,30s/.*timeout: *\([0-9][0-9]*\).*/\1/p' "$source" | head -n 1)
    fi
    echo "${seconds:-3600}"
}

# cpu_ms FILE: of what `times` wrote there, the processor time of the children.
cpu_ms() {
    awk -F '[ms ]+' 'NR == 2 { printf "%d", ($1 * 60 + $2 + $3 * 60 + $4) * 1000 }' "$1"
}

run_job() {
    log=$logs/$(echo "$1" | tr / .)
    seconds=$(limit_of "$1")
    # Without a room there is no count, which is a failure below.
    room=$(mktemp -d "${TMPDIR:-/tmp}/stint-job.$$.XXXXXX") && chmod 755 "$room" || return
    begun=$(date +%s%N)
    TMPDIR=$room timeout -k 10 "$seconds" sh tests/run.sh --start "$1" >"$log.log" 2>&1 </dev/null
    status=$?
    times >"$log.cpu"
    echo $((($(date +%s%N) - begun) / 1000000)) "$1" "$(cpu_ms "$log.cpu")" >"$log.time"
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
    if [ -n "$slow" ]; then
        find tests/slow -name 'test_*.sh' | sed 's|^tests/||; s|\.sh$||' | sort
        return
    fi
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

# choose [NAME...]: the jobs whose names contain one of these; one with the end of a file's name is the end of a job's name.
choose() {
    if [ $# -eq 0 ]; then
        cat
    else
        awk 'BEGIN {
                count = ARGC
                for (i = 1; i < count; i++) { name[i] = ARGV[i]; ends[i] = sub(/\.(sh|c)$/, "", name[i]); ARGV[i] = "" }
            }
            function fits(i) { return ends[i] ? substr($0, length($0) - length(name[i]) + 1) == name[i] : index($0, name[i]) }
            { for (i = 1; i < count; i++) if (fits(i)) { print; next } }' "$@"
    fi
}

# in_order: the longest first, so that no core waits for the last one: as long as the last time here, or as tests/times.txt has it.
in_order() {
    cat tests/times.txt "$took" 2>/dev/null |
        awk 'FILENAME == "-" { ms[$2] = $1; next } { print ($1 in ms ? ms[$1] : 2000), $1 }' - "$1" |
        sort -k1,1nr -k2 | cut -d' ' -f2
}

# beds: the jobs that bring up a scheduler. They wait most of their time, so they run beside those that keep the cores busy.
beds() {
    grep -lE '^\. .*support/(slurm|sge)\.sh' tests/sh/*.sh tests/slow/*.sh | sed 's|^tests/||; s|\.sh$||'
}

# The file system that jobs write in: memory, where there is enough of it and programs may lie there. Stores are written
# to disk before a command ends, and on one disk that is what most jobs would wait for.
room_of_jobs() {
    if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && ! grep -qE ' /dev/shm [a-z]+ [^ ]*noexec' /proc/mounts &&
        df -Pk /dev/shm | awk 'NR == 2 { exit $4 < 2000000 }'; then
        TMPDIR=/dev/shm
        export TMPDIR
    fi
}

slow=
targets=
while :; do
    case ${1:-} in
    --targets) targets=yes ;;
    --slow) slow=yes ;;
    *) break ;;
    esac
    shift
done
if [ -n "$targets" ]; then
    list_jobs | choose "$@" | while read -r job; do
        target_of "$job"
    done | sort -u
    exit
fi

took=build/asan/test-times
rm -rf "$logs"
mkdir -p "$logs"
room_of_jobs
sweep

# The same output everywhere, and sanitizers that cannot be mistaken for a command's own failure.
export LC_ALL=C TZ=UTC
export CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS="exitcode=99:malloc_context_size=8:detect_stack_use_after_return=1:strict_string_checks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
# Leaks of libraries that are loaded for pictures are listed there, with their reason.
export LSAN_OPTIONS="exitcode=99:suppressions=$PWD/tests/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export TSAN_OPTIONS="exitcode=99:halt_on_error=1:suppressions=$PWD/tests/tsan.supp${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
STINT=$PWD/build/asan/bin/stint
export STINT
unset STINT_STORE

outside=$PATH
builds=${STINT_TEST_BUILDS:-} # a command; not for tests of this script itself
unset STINT_TEST_BUILDS
# What the packages of tools/packages.txt bring, and no other program: a test that calls one fails here as it would on a
# machine that has nothing else.
if [ -x tools/check-programs ] && command -v dpkg-query >/dev/null; then
    programs=$PWD/build/asan/programs
    if [ -z "$(find "$programs" -newer tools/packages.txt -newer /var/lib/dpkg/status 2>/dev/null)" ]; then
        rm -rf "$programs"
        tools/check-programs --path "$programs" || exit 1
    fi
    # Where everybody may enter, as users of real schedulers do: this tree may lie in somebody's home.
    path=$(mktemp -d "${TMPDIR:-/tmp}/stint-programs.$$.XXXXXX") || exit 1
    trap 'rm -rf "$path"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    chmod 755 "$path" && cp -P "$programs"/* "$path/" || exit 1
    PATH=$path
    export PATH
fi

# choose_jobs NAME...: into $logs/jobs, in the order in which they begin.
choose_jobs() {
    list_jobs | choose "$@" >"$logs/chosen"
    in_order "$logs/chosen" >"$logs/jobs"
}

# Half as many more than cores: what starts servers and commands waits a good part of its time.
cores=$(nproc)
workers=${STINT_TEST_JOBS:-$((cores + (cores + 1) / 2))}
begun=$(date +%s)
beds >"$logs/beds"
choose_jobs "$@"
grep -Fx -f "$logs/beds" "$logs/jobs" >"$logs/first"
xargs -r -P "$workers" -n 1 sh tests/run.sh --job <"$logs/first" &
# While these wait for their schedulers, the cores are free for the builds that other tests want: see ./run.
if [ -n "$builds" ]; then
    PATH=$outside sh -c "$builds"
    choose_jobs "$@"
fi
for name; do
    choose "$name" <"$logs/chosen" | grep -q . || { echo "no test matches: $name" >&2 && exit 1; }
done
echo "running $(wc -l <"$logs/jobs") test programs; their output is in $logs"
grep -vFx -f "$logs/beds" "$logs/jobs" | xargs -r -P "$workers" -n 1 sh tests/run.sh --job
wait
cat "$logs"/*.time >>"$took"
tail -n 2000 "$took" >"$took.new" && mv "$took.new" "$took"

# write_figures SECONDS: of this tier, between its marks.
write_figures() {
    tier=normal
    [ -z "$slow" ] || tier=slow
    {
        printf '%s, %d cores, %d minutes:\n\n' "$(date -u +%F)" "$cores" $((($1 + 59) / 60))
        printf '| kind | programs | passed | failed | skipped |\n| --- | --: | --: | --: | --: |\n'
        cat "$logs"/*.count | awk '
            { split($4, kind, "/"); programs[kind[1]]++; passed[kind[1]] += $1; failed[kind[1]] += $2; skipped[kind[1]] += $3 }
            END { for (k in programs) printf "| `%s` | %d | %d | %d | %d |\n", k, programs[k], passed[k], failed[k], skipped[k] }' | sort
        echo
        cat "$logs"/*.log | sed -n 's/^figure - /- /p' | sort
    } >"$logs/figures"
    awk -v file="$logs/figures" -v mark="<!-- written by tests/run.sh: $tier -->" '
        $0 == mark { print; print ""; while ((getline line < file) > 0) print line; print ""; inside = 1; next }
        /^<!-- end -->$/ { inside = 0 }
        !inside' docs/testing.md >"$logs/testing.md" && cp "$logs/testing.md" docs/testing.md
}
if [ -n "${STINT_FIGURES:-}" ] && [ $# -eq 0 ]; then
    write_figures $(($(date +%s) - begun))
fi

cat "$logs"/*.time | sort -rn | head -n 5 |
    awk '$1 >= 1000 { printf "%s %s %.1f s", n++ ? "," : "slowest:", $2, $1 / 1000 } END { if (n) print "" }'
cat "$logs"/*.time | awk -v took=$(($(date +%s) - begun)) -v workers="$workers" '
    { cpu += $3 }
    END { printf "%d s by %d at a time, %d s of processor time\n", took, workers, cpu / 1000 }'
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
