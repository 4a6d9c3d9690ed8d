#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Files of a store that were damaged are noticed, and named with what to do; a full disk and a killed writer keep no reader out.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import

# damage FILE FROM STEP: eight bytes of each STEP are others
damage() {
    node -e '
        const fs = require("fs"), [file, from, step] = process.argv.slice(1);
        const fd = fs.openSync(file, "r+"), size = fs.fstatSync(fd).size;
        for (let at = +from; at + 8 < size; at += +step) fs.writeSync(fd, Buffer.from("DAMAGED!"), 0, 8, at);
    ' "$@"
}

# --- the store ---------------------------------------------------------------------------------------

stint demo --out site --runs 10000 --from 2024 --to 2024 --quiet >/dev/null 2>&1
check stint import sge --cluster a site/alder/accounting --quiet

it 'a whole store can be read'
run stint doctor --deep
expect_out_has 'tables of the store can be read'

it 'a damaged block is said to be one, and what to do'
damage store/facts.duckdb 799720 786432
expect_exit 1 stint jobs --from 2024 --to 2024 --fields all --format csv
expect_err_has "'$STINT_STORE/facts.duckdb' is damaged or its disk fails: move the file away and import everything again, or restore a copy of it"

it 'doctor --deep finds it, whether other checks do or not'
expect_exit 1 stint doctor --deep
expect_out_has 'is damaged or its disk fails'
expect_exit 1 grep -q 'tables of the store can be read' "$OUT"

it 'doctor reports it as a finding and looks at the rest'
expect_exit 1 stint doctor
expect_out_has 'books'

it 'what it says helps'
mv store/facts.duckdb aside
check stint import sge --cluster a site/alder/accounting --quiet
run stint doctor --deep
expect_out_has 'tables of the store can be read'

# --- the books ---------------------------------------------------------------------------------------

{
    echo name,note
    i=0
    while [ $((i += 1)) -le 2000 ]; do echo "m$i,a note that takes some room on its page so that there are many pages"; done
} >sheet.csv
check stint metagroup import sheet.csv

it 'a dump of whole books'
check stint books dump --output good.json
expect_equal 4000 "$(grep -c '"name":"m' good.json)" # rows, and the history of them
run stint doctor --deep
expect_out_has 'all of the books can be read'

it 'a dump does not replace another unasked'
cp good.json kept.json
expect_exit 2 stint books dump --output good.json
expect_err_has "'good.json' exists: set another file with --output, or replace it with --replace"
expect_same kept.json good.json
check stint books dump --output good.json --replace
expect_same kept.json good.json

it 'damaged books are not dumped, and a dump that is there stays'
sqlite3 store/books.sqlite 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null 2>&1 || node -e '
    const { DatabaseSync } = require("node:sqlite");
    new DatabaseSync(process.argv[1]).exec("PRAGMA wal_checkpoint(TRUNCATE)");' store/books.sqlite 2>/dev/null
damage store/books.sqlite 40960 8192
expect_exit 1 stint books dump --output good.json --replace
expect_err_has 'restore the last dump: stint books restore FILE'
expect_same kept.json good.json
expect_exit 1 stint books dump --output new.json
expect_exit 1 test -e new.json

it 'doctor --deep finds damaged books'
expect_exit 1 stint doctor --deep
expect_out_has 'restore the last dump: stint books restore FILE'

it 'what it says helps'
mkdir old
mv store/books.sqlite* old
check stint books restore good.json
expect_equal 2000 "$(stint metagroup list --format csv --no-header | wc -l)"

# --- a user who may only read ------------------------------------------------------------------------

it 'after a kill, a user who may only read can'
if [ "$(id -u)" -ne 0 ]; then
    t_skip "$t_name" 'needs root, to be somebody else'
else
    other='setpriv --reuid=65534 --regid=65534 --clear-groups'
    # as it is installed, where everybody may enter: this tree may lie in somebody's home
    mkdir -p installed/bin installed/lib/stint
    cp "$STINT" installed/bin/stint
    cp "$TOP/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so" installed/lib/stint
    program=$PWD/installed/bin/stint
    chmod 755 "$TMP" "$HOME"
    chmod -R a+rX store
    report() { stint report jobs --from 2024 --to 2024 --by cluster --format csv --no-header; }
    report >want.csv
    for i in 1 2 3 4; do
        "$STINT" import sge --cluster a site/birch/accounting --again --quiet >/dev/null 2>&1 &
        pid=$!
        # it has begun to write when the log is there, or it is over
        while kill -0 $pid 2>/dev/null && [ ! -s store/facts.duckdb.wal ]; do sleep 0.01; done
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        # shellcheck disable=SC2086 # several words
        expect_exit 0 $other "$program" report jobs --from 2024 --to 2024 --by cluster --format csv --no-header --store store
        # shellcheck disable=SC2086
        expect_exit 0 $other "$program" metagroup list --format csv --no-header --store store
        "$STINT" import sge --cluster a site/birch/accounting --again --quiet >/dev/null 2>&1
    done
fi

# --- a disk without a byte ---------------------------------------------------------------------------

it 'a disk with no byte left: reports work'
mkdir full
t_at_exit='umount full'
if need_mount full; then
    mount -t tmpfs -o size=16m stint-test full
    check stint import sge --cluster a site/alder/accounting --store full/store --quiet
    check stint metagroup add m --store full/store
    check stint report jobs --from 2024 --to 2024 --store full/store --format csv
    cp "$OUT" want.csv
    cat /dev/zero >full/rest 2>/dev/null
    expect_equal 0 "$(df --output=avail full | tail -n 1 | tr -d ' ')"
    expect_out want.csv stint report jobs --from 2024 --to 2024 --store full/store --format csv
    check stint metagroup list --store full/store
    check stint jobs --from 2024 --to 2024 --limit 5 --sort cpu_used --store full/store
    run stint doctor --deep --store full/store
    expect_out_has 'tables of the store can be read'
fi

finish
