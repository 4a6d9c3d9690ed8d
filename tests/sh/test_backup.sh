#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint backup: what is restored is what was there, whatever happens meanwhile; what is damaged is said, and restored nowhere.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

F=$TESTS/fixtures/import
tools=$(dirname "$STINT")/../tests

backup() { stint backup "$@" --folder bk; }
names() { backup list --format csv --no-header | cut -d, -f1; }
# All that is in a store.
tell() {
    stint jobs --fields job,task,user,start,end,cpus,cpu_used,class --from 2000 --to 2030 --sort job --format csv --store "$1"
    stint metagroup list --format csv --store "$1"
    stint bank statement sge --from 2024 --to 2024 --format csv --store "$1"
    stint bank check --quiet --store "$1"
}

it 'a folder is needed'
expect_exit 2 stint backup make
expect_err_has '--folder DIR'
expect_exit 1 backup verify
expect_err_has "there is no backup in 'bk'"
expect_exit 1 backup list
expect_err_has "there is no backup in 'bk': no such folder"
mkdir empty
check stint backup list --folder empty
expect_out_has 'no rows'
rmdir empty

it 'a backup of a store with charges'
check stint import sge --cluster c "$F/accounting"
check stint metagroup add old
check stint rate add cpu --cpu 1
check stint bank open sge --from 2024-01-01
check stint bank grant sge 100 --from 2024-01-01
check stint bank charge
check backup make
tell store >first.tell
expect_equal 1 "$(names | wc -l)"
expect_equal 700 "$(stat -c %a bk)"
first=$(names)

it 'another one takes what has changed'
check stint metagroup add new
check stint import sge --cluster c "$F/accounting.more"
check backup make --format csv --no-header
added=$(cut -d, -f6 "$OUT") size=$(cut -d, -f5 "$OUT")
check test "$added" -gt 0
check test "$added" -lt "$size"
tell store >second.tell
check backup make --format csv --no-header
expect_equal 0 "$(cut -d, -f6 "$OUT")"

it 'verified, and restored, each is what was there'
check backup verify
expect_out_has 'compared'
check backup verify "$first"
check backup restore "$first" --store one
tell one >now
check cmp first.tell now
check backup restore --store two
tell two >now
check cmp second.tell now
check stint check --store two
check stint doctor --store two

it 'a store that is there is not overwritten'
expect_exit 1 backup restore "$first" --store two
expect_err_has 'add --replace'
tell two >now
check cmp second.tell now
check backup restore "$first" --store two --replace
tell two >now
check cmp first.tell now
expect_equal 1 "$(find two -name 'before-restore-*' | wc -l)"
tell two/before-restore-* >now
check cmp second.tell now
expect_exit 1 backup restore 20200101T000000Z --store three
expect_err_has 'there is no backup'

it 'killed at any change of a file, it leaves the backups that were there'
rm -rf bk
check backup make
cp -R bk before
n=1 killed=0
while [ $n -le 60 ]; do
    rm -rf bk
    cp -R before bk
    stint metagroup add "more$n" >out 2>err
    (
        export FAIL_AT=$n FAIL_HOW=kill FAIL_UNDER="$TMP/bk" LD_PRELOAD="$tools/failing-writes.so"
        export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
        stint backup make --folder bk
    ) >out 2>err
    status=$?
    [ $status -eq 137 ] || break
    killed=$((killed + 1))
    what=
    case $(names | wc -l) in
    1 | 2) ;;
    *) what="backups: $(names)" ;;
    esac
    stint backup verify --folder bk >out 2>err || what="$what $(cat err)"
    stint backup make --folder bk --keep 1 >out 2>err || what="$what $(cat err)"
    stint backup verify --folder bk >out 2>err || what="$what $(cat err)"
    if [ -z "$what" ]; then t_ok "change $n"; else t_fail "change $n" "$what"; fi
    n=$((n + 7))
done
it 'it was killed'
check test $killed -ge 3

it 'old ones are removed, and their pieces'
check stint metagroup add last
check backup make
check backup make --keep 1
expect_equal 1 "$(names | wc -l)"
expect_equal 0 "$(find bk -name '*.part' | wc -l)"
check backup verify
used=$(cat bk/2*Z* | grep '^piece ' | sort -u | wc -l)
expect_equal "$used" "$(find bk/pieces -type f | wc -l)"

it 'what is damaged is said, and nothing is put in place'
cp -R bk sound
piece=$(find bk/pieces -type f -size +8k | sort | head -n 1)
printf x | dd of="$piece" bs=1 seek=100 conv=notrunc 2>err
expect_exit 1 backup verify
expect_err_has 'a piece of the backup is damaged'
expect_exit 1 backup restore --store four
check test ! -e four/facts.duckdb
rm "$piece"
expect_exit 1 backup verify
expect_err_has 'a piece of the backup is missing'
rm -rf bk
cp -R sound bk
last=$(names)
sed -i 's/^fact version .*/fact version 9/' "bk/$last"
expect_exit 1 backup verify
expect_err_has 'its text is not what was written'
expect_exit 1 backup list
rm -rf bk
cp -R sound bk
head -c 200 "sound/$last" >"bk/$last"
expect_exit 1 backup verify
expect_err_has 'damaged'
rm -rf bk
cp -R sound bk

it 'while a server runs, and by itself'
printf '[backup]\nfolder = %s/served\nkeep = 3\n' "$TMP" >store/stint.conf
start_server
check stint backup make
check stint import sge --cluster d "$F/accounting"
check stint backup make
expect_exit 1 stint backup make --folder elsewhere
expect_err_has 'leave --folder out'
expect_exit 1 stint backup restore --replace
expect_err_has 'is in use by process'
check stint backup list
stop_server
check stint backup verify
check stint backup restore --store five --folder "$TMP/served"
tell store >want
tell five >now
check cmp want now
printf '[backup]\nfolder = %s/daily\nevery = 1d\n' "$TMP" >store/stint.conf
start_server
made() { [ -n "$(stint backup list --format csv --no-header)" ]; }
until_true made
stop_server
check stint backup verify
start_server
stop_server
expect_equal 1 "$(stint backup list --format csv --no-header | wc -l)"

finish
