#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A process that keeps the store and does what changes it for all who ask, as a server does: what is read stays with whoever asks, and
# what comes back is the same to the byte as without it, but for how long it took.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import

stint import sge --cluster c "$F/accounting" >/dev/null
cp -r store twin
sed '2s/.*/no record/' "$F/accounting" >spoilt
gzip -c "$F/accounting" >packed.gz

hold_store store --all

# both ARGUMENT...: an import here, and one by the process that has the store.
both() {
    "$STINT" import sge --format csv --store twin "$@" >here.out 2>here.err 3>&-
    here=$?
    "$STINT" import sge --format csv "$@" >there.out 2>there.err 3>&-
    expect_equal $here $?
    expect_equal "$(sed 's/,[^,]*$//' here.out)" "$(sed 's/,[^,]*$//' there.out)"
    expect_equal "$(cat here.err)" "$(cat there.err)"
}

it 'a file is imported'
both --cluster g "$F/accounting"
expect_equal 0 $here

it 'a file that is known is not read again'
both --cluster g "$F/accounting"
expect_equal 1 "$(grep -c ,unchanged,0,0,0 there.out)"

it 'bad records are kept aside, and the status says so'
both --cluster g spoilt
expect_equal 1 $here

it 'a name that was mistyped'
both --cluster g nowhere
expect_equal 1 "$(grep -c "cannot open 'nowhere'" there.err)"

it 'a folder'
mkdir folder
both --cluster g folder

it 'standard input, and several files of which one fails'
for at in 'twin here' 'store there'; do
    # shellcheck disable=SC2086 # two words
    set -- $at
    "$STINT" import sge --format csv --store "$1" --cluster h - <"$F/accounting.more" >"$2.out" 2>"$2.err"
    cat "$F/accounting.more" | "$STINT" import sge --format csv --store "$1" --cluster i - >>"$2.out" 2>>"$2.err"
    "$STINT" import sge --format csv --store "$1" --cluster k nowhere packed.gz "$F/accounting" elsewhere >>"$2.out" 2>>"$2.err"
done
expect_equal "$(sed 's/,[^,]*$//' here.out)" "$(sed 's/,[^,]*$//' there.out)"
expect_equal "$(cat here.err)" "$(cat there.err)"
expect_equal 7 "$(wc -l <there.out)"

it 'what else changes the store'
expect_exit 0 stint rollup
expect_exit 0 stint quarantine --clear --format csv --no-header
expect_equal 1 "$(cat "$OUT")"

# said COUNT: so many times the follower said what it read.
said() { [ "$(grep -c 'grows: read' follow.err)" -ge "$1" ]; }

it 'a file is followed, until that is interrupted'
cp "$F/accounting" grows
"$STINT" import sge --cluster l --follow grows >follow.out 2>follow.err 3>&- &
follower=$!
until_true said 1
cat "$F/accounting.more" >>grows
until_true said 2
kill -TERM $follower
wait $follower
expect_equal 0 $?
expect_equal '' "$(grep -v '^stint: grows: read [0-9]*, added [0-9]*, rejected 0$' follow.err)"

it 'nothing waits when it ends, and all is there'
"$STINT" import sge --cluster m --follow grows >follow.out 2>follow.err 3>&- &
follower=$!
until_true said 1
release_store
expect_equal 0 $?
cat "$F/accounting" | sed 's/:1$/:2/' >>grows
until_true said 2
kill -TERM $follower
wait $follower
expect_equal 0 $?
of() { stint report jobs,cpu_hours --from 2024 --to 2025 --format csv --no-header --by cluster -M 'c,g,h,i,k' "$@"; }
expect_equal "$(of --store twin)" "$(of)"
expect_exit 0 stint check --format csv

finish
