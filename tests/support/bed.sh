#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A bed: daemons of somebody else's system, run in a folder of their own for as long as a test lasts. slurm.sh
# and sge.sh lie on it; a test sources one of these (or both), not this file.
#
# Whoever has a file in the folder open for writing is of the bed (a daemon writes its log there), and so are its
# children. They are found by that and ended by pid: a pid that was given anew is never hit, and what a daemon left
# behind goes too. Looking at the files of others takes root, as do the daemons.
#
# BED is the folder in use: pid/NAME and log/NAME.* of each daemon, env with what a shell needs to talk to them, and
# whatever they want themselves. BEDS are all there are. A bed goes when the shell that made it ends, by whatever
# signal.

BED_HOME=${TESTS:-$(cd "$(dirname "$0")/.." && pwd)}/support
BED=
BEDS=

# bed_need WHAT WHY: true if WHY is empty. Without root the current test is skipped; any other reason is a failure, for
# ./run test installs what is wanted.
bed_need() {
    need_root || return 1
    [ -n "$2" ] || return 0
    t_next_name "$1"
    t_fail "${t_this:?}" "$2"
    return 1
}

# --- the folder -------------------------------------------------------------------------------------

# bed_make WHAT [DIR]: a new one. Others may enter it, for jobs are other people's.
bed_make() {
    umask 022
    if [ $# -gt 1 ]; then
        mkdir -p "$2" && BED=$(cd "$2" && pwd) || return 1
        [ -z "$(ls -A "$BED")" ] || { echo "'$BED' is not empty" >&2; return 1; }
    else
        BED=$(mktemp -d "${TMPDIR:-/tmp}/stint-$1.XXXXXX") || return 1
    fi
    BEDS="$BEDS $BED"
    [ -n "${BED_STAYS:-}" ] || bed_tie
    chmod 755 "$BED" && mkdir "$BED/pid" "$BED/log" || return 1
    bed_as nobody test -x "$BED" || { echo "others cannot enter '$BED'; choose another folder" >&2; return 1; }
}

# bed_tie: the bed goes with this shell. The trap does it in order (in a test that of sh.sh), the watcher when there
# was no time for traps.
bed_tie() {
    if [ -n "${t_count:-}" ]; then
        t_at_exit=bed_down_all
    else
        trap bed_down_all EXIT
    fi
    setsid sh "$BED_HOME/bed.sh" watch $$ "$BED" >/dev/null 2>&1 </dev/null &
}

# bed_down: ends everything at once and removes the folder: nothing in it is worth an orderly end.
bed_down() {
    [ -d "$BED/pid" ] || return 0
    bed_round=0
    while [ $bed_round -lt 600 ]; do
        bed_left=$(bed_pids)
        [ -n "$bed_left" ] || break
        # shellcheck disable=SC2086 # a list of words
        kill -s KILL $bed_left 2>/dev/null
        bed_round=$((bed_round + 1))
        sleep 0.1
    done
    [ -n "$bed_left" ] || bed_reap "$BED"/pid/*
    rm -rf "$BED"
}

bed_down_all() {
    for BED in $BEDS; do
        bed_down
    done
}

# --- daemons ----------------------------------------------------------------------------------------

# bed_start NAME COMMAND...: a daemon that stays in the foreground.
bed_start() {
    bed_name=$1
    shift
    # A session of its own: a signal for the test's group is not for the daemons.
    setsid "$@" >>"$BED/log/$bed_name.out" 2>&1 </dev/null &
    echo $! >"$BED/pid/$bed_name"
}

# bed_kill NAME [SIGNAL]: ends a daemon, and waits until it has gone.
bed_kill() {
    bed_pid=$(cat "$BED/pid/$1") || return 1
    bed_owns "$bed_pid" || return 0
    kill -s "${2:-KILL}" "$bed_pid"
    bed_until $BED_LONG bed_gone "$bed_pid" && bed_reap "$bed_pid"
}

# bed_writers [PID]: those that write in the folder, or the one if it does.
bed_writers() {
    # shellcheck disable=SC2086,SC2231 # a pattern
    find /proc/${1:-[0-9]*}/fd -lname "$BED/*" -perm -u+w 2>/dev/null | cut -d/ -f3 | sort -u
}

bed_owns() { [ -n "$(bed_writers "$1")" ]; }
bed_gone() { ! bed_owns "$1"; }

# bed_pids: all processes of the bed.
bed_pids() {
    bed_found=$(bed_writers | grep -vx $$)
    ps -e -o pid= -o ppid= | awk -v found="$bed_found" '
        BEGIN { split(found, list, "\n"); for (i in list) ours[list[i]] }
        { parent[$1] = $2 }
        END {
            for (pid in parent)
                for (p = pid; p > 1; p = parent[p])
                    if (p in ours) { print pid; break }
        }'
}

# bed_failed NAME: says what the daemon said last, and fails.
bed_failed() {
    echo "$1 does not come up:" >&2
    for bed_log in "$BED/log/$1".*; do
        tail -n 20 "$bed_log" >&2
    done
    return 1
}

# bed_reap PID|FILE...: no zombies, where they are children of this shell.
bed_reap() {
    for bed_dead; do
        [ ! -f "$bed_dead" ] || bed_dead=$(cat "$bed_dead")
        wait "$bed_dead" 2>/dev/null || :
    done
}

# bed_until SECONDS COMMAND...: tries it ten times a second until it succeeds. The limit is for what never comes: on a
# busy machine everything takes its time, so BED_LONG where nothing else is meant.
BED_LONG=900
bed_until() {
    bed_end=$(($(bed_clock) + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$(bed_clock)" -lt $bed_end ] || return 1
        sleep 0.1
    done
}
bed_clock() { cut -d. -f1 /proc/uptime; }

# bed_port COUNT: the first of so many ports in a row that nobody uses, below those the kernel gives out. Beds
# that are made at one time begin to look at different places; and each first writes down which it means to use, and
# then looks at what others wrote, for it is seconds until a daemon listens there.
bed_port() {
    bed_try=0
    while [ $bed_try -lt 500 ]; do
        bed_base=$((20000 + ($$ + bed_try * 7) % 500 * 24))
        echo $bed_base >"$BED/port"
        if ! bed_port_claimed && bed_ports_free $bed_base "$1"; then
            echo $bed_base
            return
        fi
        bed_try=$((bed_try + 1))
    done
    return 1
}

bed_port_claimed() { # by another bed than this one, which may lie in the room of another job of tests/run.sh
    for bed_other in "${TMPDIR:-/tmp}"/stint-*/port "${TMPDIR:-/tmp}"/../stint-job.*/stint-*/port; do
        [ "$bed_other" -ef "$BED/port" ] || ! grep -qsx "$bed_base" "$bed_other" || return 0
    done
    return 1
}

bed_ports_free() { # FIRST COUNT
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v first="$1" -v count="$2" '
        function number(hex, i, n) {
            for (i = 1; i <= length(hex); i++)
                n = n * 16 + index("123456789ABCDEF", substr(hex, i, 1))
            return n
        }
        split($2, part, ":") == 2 {
            port = number(part[2])
            if (port >= first && port < first + count)
                used = 1
        }
        END { exit used }'
}

# --- using them -------------------------------------------------------------------------------------

# bed_as USER COMMAND...: as that user, in a folder everybody has.
bed_as() {
    bed_user=$1
    shift
    (cd / && exec setpriv --reuid "$bed_user" --regid "$(id -g "$bed_user")" --init-groups \
        env HOME=/ USER="$bed_user" LOGNAME="$bed_user" "$@")
}

# bed_alone FILE: it was started, not sourced.
bed_alone() { [ "${0##*/}" = "$1" ] && [ "$(cd "$(dirname "$0")" 2>/dev/null && pwd)" = "$BED_HOME" ]; }

# bed_command WHAT up|down DIR: slurm.sh and sge.sh as commands of their own.
bed_command() {
    case ${2:-} in
    up | down) [ $# -eq 3 ] ;;
    *) false ;;
    esac || { echo "usage: $0 up|down DIR" >&2; exit 2; }
    bed_why=$("$1_lacks")
    [ -z "$bed_why" ] || { echo "$0: $bed_why" >&2; exit 1; }
    BED_STAYS=yes
    if [ "$2" = up ]; then
        "$1_up" "$3" || { echo "$0: it does not come up; $0 down $3 removes what is there" >&2; exit 1; }
        echo "up; now type: . $BED/env"
    else
        [ -d "$3/pid" ] || { echo "$0: there is no bed in '$3'" >&2; exit 1; }
        BED=$(cd "$3" && pwd) && bed_down
    fi
}

# bed.sh watch PID BED: see bed_tie. It ends by itself within half a second of the bed.
if bed_alone bed.sh && [ "${1:-}" = watch ]; then
    BED=$3
    while kill -0 "$2" 2>/dev/null && [ -d "$BED" ]; do
        sleep 0.5
    done
    bed_down
fi
