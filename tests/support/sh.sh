# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What a shell test begins with:
#
#     #!/bin/sh
#     # SPDX-License-Identifier: MIT
#     . "$(dirname "$0")/../support/sh.sh"
#
#     it 'says its version'
#     expect_exit 0 stint version
#     expect_out_has 0.1
#
#     it 'counts the lines of a real log'
#     if need_data sge/accounting; then
#         expect_out "$TESTS/fixtures/counted.txt" stint import sge "$STINT_DATA/sge/accounting"
#     fi
#
#     finish
#
# `it NAME` names the checks that follow, up to the next `it`; each check prints one TAP line. A script
# that ends without `finish` counts as failed.
#
# Given to the script: stint (the program under test, also "$STINT"), TMP (a folder of its own, the
# working directory, removed at the end), TOP (the top of the tree), TESTS (its tests/), and after every
# command run by a check: status, and the files OUT and ERR. HOME and STINT_STORE lie in TMP.
set -u

TESTS=$(cd "$(dirname "$0")/.." && pwd)
TOP=$(cd "$TESTS/.." && pwd)
STINT=${STINT:-$TOP/build/asan/bin/stint}
TMP=$(mktemp -d "${TMPDIR:-/tmp}/stint-test.XXXXXX") || exit 1
HOME=$TMP/home
STINT_STORE=$TMP/store
export TESTS TOP STINT TMP HOME STINT_STORE LC_ALL=C TZ=UTC
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME COLUMNS STINT_CONFIG STINT_SERVER STINT_ZONE
mkdir -p "$HOME"
t_at_exit= # a command more, for what a test brought up
trap '$t_at_exit; rm -rf "$TMP"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$TMP" || exit 1

OUT=$TMP/.out
ERR=$TMP/.err
: >"$OUT"
: >"$ERR"
status=0
t_name=
t_part=0
t_count=0
t_failed=0

stint() { "$STINT" "$@"; }

# --- results ----------------------------------------------------------------------------------------

t_ok() { t_count=$((t_count + 1)); printf 'ok %d - %s\n' $t_count "$1"; }
t_skip() { t_count=$((t_count + 1)); printf 'skip %d - %s: %s\n' $t_count "$1" "$2"; }
t_fail() { # NAME [DETAIL]
    t_count=$((t_count + 1))
    t_failed=$((t_failed + 1))
    printf 'not ok %d - %s\n' $t_count "$1"
    [ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/    /'
}

it() { t_name=$1; t_part=0; }

# The name of the next check: what `it` said, numbered from the second on, or else $1.
t_next_name() {
    t_part=$((t_part + 1))
    if [ -z "$t_name" ]; then
        t_this=$1
    elif [ $t_part -eq 1 ]; then
        t_this=$t_name
    else
        t_this="$t_name ($t_part)"
    fi
}

# The last command's words, for a failed check.
t_heard() {
    printf 'exit status %d\n' "$status"
    [ ! -s "$OUT" ] || { echo 'stdout:'; head -n 20 "$OUT" | cut -c 1-300; }
    [ ! -s "$ERR" ] || { echo 'stderr:'; tail -n 40 "$ERR" | cut -c 1-300; }
}

finish() {
    echo "1..$t_count"
    [ $t_failed -eq 0 ]
    exit
}

# --- checks -----------------------------------------------------------------------------------------

# run COMMAND...: no check, but status, OUT and ERR are as after one. Stdin is the caller's.
run() {
    "$@" >"$OUT" 2>"$ERR"
    status=$?
    return 0
}

# check COMMAND...: it succeeds.
check() { expect_exit 0 "$@"; }

# expect_exit STATUS COMMAND...
expect_exit() {
    t_want=$1
    shift
    run "$@"
    t_next_name "$* exits $t_want"
    if [ $status -eq "$t_want" ]; then
        t_ok "$t_this"
    else
        t_fail "$t_this" "$* should exit $t_want
$(t_heard)"
    fi
}

# expect_out WANT COMMAND...: exits 0 and prints the file WANT, or the text if there is no such file.
# A text need not end in a newline.
expect_out() {
    t_want=$1
    shift
    run "$@"
    t_next_name "output of $*"
    if [ -f "$t_want" ]; then
        cp "$t_want" "$TMP/.want"
    else
        printf '%s\n' "$t_want" >"$TMP/.want"
    fi
    if [ $status -ne 0 ]; then
        t_fail "$t_this" "$(t_heard)"
    elif t_diff=$(diff -u "$TMP/.want" "$OUT"); then
        t_ok "$t_this"
    else
        t_fail "$t_this" "$(printf '%s\n' "$t_diff" | head -n 40)"
    fi
}

t_has() { # FILE TEXT LABEL
    t_next_name "$3 has '$2'"
    if grep -qF -e "$2" "$1"; then
        t_ok "$t_this"
    else
        t_fail "$t_this" "$3 should have: $2
$(t_heard)"
    fi
}

# expect_out_has TEXT, expect_err_has TEXT: in what the last command printed. A fixed text of one line.
expect_out_has() { t_has "$OUT" "$1" stdout; }
expect_err_has() { t_has "$ERR" "$1" stderr; }

# expect_no_out, expect_no_err: the last command printed nothing there.
t_empty() {
    t_next_name "$2 is empty"
    if [ -s "$1" ]; then
        t_fail "$t_this" "$(t_heard)"
    else
        t_ok "$t_this"
    fi
}
expect_no_out() { t_empty "$OUT" stdout; }
expect_no_err() { t_empty "$ERR" stderr; }

# expect_same FILE FILE: the same bytes; the first is what is wanted.
expect_same() {
    t_next_name "$2 is as $1"
    if cmp -s "$1" "$2"; then
        t_ok "$t_this"
    else
        t_fail "$t_this" "$(diff -u "$1" "$2" 2>&1 | head -n 40)"
    fi
}

# expect_equal WANT GOT: two texts.
expect_equal() {
    t_next_name "'$2' is '$1'"
    if [ "$1" = "$2" ]; then
        t_ok "$t_this"
    else
        t_fail "$t_this" "want: $1
got:  $2"
    fi
}

# --- waiting ----------------------------------------------------------------------------------------

# until_true COMMAND...: tries it until it succeeds, ten times a second at first; what takes seconds is not asked for so often, since
# asking takes time from what is waited for. Its end, after five minutes, is for what never comes, and is a failure.
until_true() {
    t_tries=0
    until "$@" >/dev/null 2>&1; do
        [ $t_tries -lt 3000 ] || { t_fail "$* comes true within five minutes"; return 1; }
        if [ $t_tries -lt 20 ]; then
            sleep 0.1
            t_tries=$((t_tries + 1))
        else
            sleep 0.2
            t_tries=$((t_tries + 2))
        fi
    done
}

# past SECONDS: the clock is beyond that second; for what is told apart by the second.
past() { [ "$(date +%s)" -gt "$1" ]; }

# set_clock TIME: for what `stint` begins it is TIME now (UTC), and goes on from there: no day ends between two answers, nor a month.
set_clock() {
    echo $(($(date -d "$1" +%s) - $(date +%s))) >"$TMP/.clock"
    stint() {
        CLOCK_OFFSET=$TMP/.clock LD_PRELOAD=${STINT%/bin/stint}/tests/set-clock.so \
            ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$STINT" "$@"
    }
}

# --- a process that has a store -----------------------------------------------------------------------

# hold_store STORE [--silent | --all]: tests/tools/holder.c has the store, until release_store, whose status is its own. What it
# says is in $TMP/held. With --all it also does what changes the store: many commands one after the other cost less so, since
# none of them opens the store and closes it again. Commands in the background take 3>&-.
hold_store() {
    [ -p "$TMP/keep" ] || mkfifo "$TMP/keep"
    : >"$TMP/held"
    "${STINT%/bin/stint}/tests/holder" "$@" <"$TMP/keep" >"$TMP/held" 2>&1 &
    holder=$!
    exec 3>"$TMP/keep"
    until_true grep -q ready "$TMP/held"
}

release_store() {
    exec 3>&-
    wait "$holder"
}

# --- chance -----------------------------------------------------------------------------------------

# pause MILLISECONDS: sleeps for less than that, by chance. Another row of pauses in every run, unless
# STINT_SEED is what a run printed. Not for a subshell: there the row would not go on.
pause() {
    if [ -z "${t_seed:-}" ]; then
        t_seed=${STINT_SEED:-$(date +%s)}
        echo "# STINT_SEED=$t_seed"
        t_seed=$((t_seed % 2147483648))
    fi
    t_seed=$(((t_seed * 1103515245 + 12345) % 2147483648))
    t_pause=$((t_seed / 65536 % $1))
    sleep "$((t_pause / 1000)).$(printf %03d $((t_pause % 1000)))"
}

# --- what a test may lack ---------------------------------------------------------------------------
#
# The data of STINT_DATA, and what this user or this kernel does not allow: these are all the reasons to skip.
#
#   need_data        real logs
#   need_root        becoming another user; daemons that do (tests/support/bed.sh)
#   need_mount       a file system of a test's own
#   need_terminal    a pseudo-terminal
#   need_cgroup_mount     something at /sys/fs/cgroup, without which slurmd does not start
#   need_control_groups   version 1 of them, for the Slurm of Debian 12 (test_agent_slurm.sh)
#
# A program is none: tools/packages.txt names its package, and ./run test installs it.

# need_data PATH: $STINT_DATA/PATH is there, or the current test is skipped.
need_data() {
    if [ -n "${STINT_DATA:-}" ] && [ -e "$STINT_DATA/$1" ]; then
        return 0
    fi
    t_next_name "$1"
    t_skip "$t_this" "needs $1 under \$STINT_DATA"
    return 1
}

# t_lacks WHAT REASON: the current test is skipped.
t_lacks() {
    t_next_name "$1"
    t_skip "$t_this" "$2"
    return 1
}

# need_root: this user may become another, or the current test is skipped.
need_root() {
    { [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --clear-groups true; } 2>/dev/null ||
        t_lacks root 'it takes root to be another user'
}

# need_mount FOLDER: a file system in memory may be mounted there, or the current test is skipped.
need_mount() {
    if mount -t tmpfs -o size=1m stint-test "$1" 2>/dev/null; then
        umount "$1"
    else
        t_lacks mount 'this user may not mount a file system'
    fi
}

# need_cgroup_mount: control groups of some version, or the current test is skipped.
need_cgroup_mount() {
    grep -q ' /sys/fs/cgroup' /proc/mounts || t_lacks 'control groups' 'nothing is mounted at /sys/fs/cgroup'
}

# need_control_groups FOLDER: of version 1, writable there, or the current test is skipped.
need_control_groups() {
    [ -w "$1/cgroup.procs" ] || t_lacks 'control groups' "there are no control groups of version 1 in $1"
}

# need_terminal: a pseudo-terminal can be made for a command (by script(1), in a sandbox not always), or
# the current test is skipped.
need_terminal() {
    script -qec 'test -t 1' /dev/null >/dev/null 2>&1 </dev/null ||
        t_lacks 'on a terminal' 'no pseudo-terminal can be made here'
}
