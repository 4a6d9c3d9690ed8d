#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Golden tests: tests/golden/run.sh [--update] [AREA | AREA/CASE]...
#
#   AREA/setup.sh    optional; run once in the folder all cases of the area share ("$AREA"), to make
#                    the store ("$STINT_STORE") or other things they read
#   AREA/CASE.cmd    shell lines, run in an empty folder of their own, with `stint` in the PATH
#   AREA/CASE.out    what it prints; no file, nothing
#   AREA/CASE.err    what it says on stderr; no file, nothing
#   AREA/CASE.exit   its exit status; no file, 0
#
# A case may name "$FIXTURES" (tests/fixtures), "$AREA" and "$CASES" (the folder of its .cmd). In what
# it prints these three, its working folder and the top of the tree are written as $FIXTURES, $AREA,
# $CASES, $PWD and $TOP. A case that changes a store makes its own. --update writes what came instead of
# comparing.
set -u
cd "$(dirname "$0")/../.." || exit 1

TOP=$PWD
STINT=${STINT:-$TOP/build/asan/bin/stint}
golden=$TOP/tests/golden
work=$(mktemp -d "${TMPDIR:-/tmp}/stint-golden.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$work/bin" "$work/home"
ln -s "$STINT" "$work/bin/stint"
FIXTURES=$TOP/tests/fixtures
HOME=$work/home
PATH=$work/bin:$PATH
export STINT TOP FIXTURES HOME PATH LC_ALL=C TZ=UTC
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME COLUMNS STINT_CONFIG STINT_SERVER STINT_ZONE

update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
count=0
failed=0

masked() { # FILE: with the folders of this run by name
    sed -e "s|$work/run/[^/ ]*|\$PWD|g" -e "s|$AREA|\$AREA|g" -e "s|$FIXTURES|\$FIXTURES|g" \
        -e "s|$CASES|\$CASES|g" -e "s|$TOP|\$TOP|g" "$1"
}

store() { # FILE WANTED: the file holds what came, or is gone if that is nothing
    if [ -s "$1" ]; then
        cp "$1" "$2"
    else
        rm -f "$2"
    fi
}

wanted() { # WANTED: the file, or nothing
    [ -e "$1" ] || return 0
    cat "$1"
}

run_case() { # CASES CASE
    got=$work/got/$2
    mkdir -p "$work/got" "$work/run/$2"
    (cd "$work/run/$2" && exec sh "$1/$2.cmd") >"$got.raw-out" 2>"$got.raw-err" </dev/null
    status=$?
    masked "$got.raw-out" >"$got.out"
    masked "$got.raw-err" >"$got.err"
    : >"$got.exit"
    [ $status -eq 0 ] || echo $status >"$got.exit"
    count=$((count + 1))
    if [ -n "$update" ]; then
        for kind in out err exit; do
            store "$got.$kind" "$1/$2.$kind"
        done
    fi
    differs=
    for kind in out err exit; do
        wanted "$1/$2.$kind" >"$got.want"
        if ! diff -u --label "want: $2.$kind" --label "got: $2.$kind" "$got.want" "$got.$kind" >"$got.diff"; then
            differs=1
            head -n 60 "$got.diff" | sed 's/^/    /'
        fi
    done
    if [ -n "$differs" ]; then
        failed=$((failed + 1))
        echo "not ok $count - $2"
    else
        echo "ok $count - $2"
    fi
}

run_area() { # AREA [CASE]
    CASES=$golden/$1
    [ -d "$CASES" ] || { echo "there is no tests/golden/$1" >&2; exit 2; }
    AREA=$work/area/$1
    STINT_STORE=$AREA/store
    export AREA CASES STINT_STORE
    mkdir -p "$AREA"
    if [ -e "$CASES/setup.sh" ] && ! (cd "$AREA" && sh "$CASES/setup.sh") >"$work/setup.log" 2>&1 </dev/null; then
        sed 's/^/    /' "$work/setup.log"
        count=$((count + 1))
        failed=$((failed + 1))
        echo "not ok $count - $1/setup.sh"
        return
    fi
    for file in "$CASES"/${2:-*}.cmd; do
        [ -e "$file" ] || { echo "there is no ${file#"$TOP"/}" >&2; exit 2; }
        run_case "$CASES" "$(basename "$file" .cmd)"
    done
    rm -rf "$AREA" "$work/got" "$work/run"
}

if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # names of folders, no blanks
    set -- $(find "$golden" -name '*.cmd' | sed "s|^$golden/||; s|/[^/]*\$||" | sort -u)
fi
for name; do
    name=${name#tests/golden/}
    name=${name%.cmd}
    name=${name%/}
    if [ -d "$golden/$name" ]; then
        run_area "$name"
    else
        run_area "$(dirname "$name")" "$(basename "$name")"
    fi
done
echo "1..$count"
[ $failed -eq 0 ]
