#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Memory that the system refuses (ulimit -v), from less than it takes to begin to enough: what is there afterwards is what
# was there or all that should be, and it ends with a sentence.
#
# By the stint of build/clang: a sanitizer wants more addresses than a limit leaves.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import
plain=$TOP/build/clang/bin/stint

tell() { stint jobs --fields job,task,user,start,end,cpus,cpu_used,class --from 2000 --to 2030 --sort job --format csv --store "$1"; }
import_more() { "$plain" import sge --cluster c "$F/accounting.more" --store store; }
fresh() { rm -rf store && cp -R before store; }

it 'with all the memory there is'
check stint import sge --cluster c "$F/accounting" --store before
tell before >before.csv
fresh
check import_more
tell store >after.csv
expect_exit 1 cmp -s before.csv after.csv

# limited KILOBYTES: the first complaint, or none; how it ended is in `ended`.
limited() {
    fresh
    (ulimit -v "$1" && import_more) >out 2>err
    echo $? >ended
    tell store >now.csv 2>told || { echo "what is there cannot be read: $(cat told)"; return; }
    case $(cat ended) in
    0) cmp -s after.csv now.csv || echo 'it succeeded with other facts than with all the memory' ;;
    1)
        grep -q '^stint: .' err || echo "no sentence: $(cat err)"
        cmp -s before.csv now.csv || cmp -s after.csv now.csv || echo 'what is there is neither what was nor what should be'
        ;;
    *) echo "it was ended by something else: $(cat ended)" ;;
    esac
}

# How much is enough depends on the number of cores.
sentences=0
kilobytes=20000
: >ended
until [ "$(cat ended)" = 0 ] || [ $kilobytes -gt 60000000 ]; do
    it "with $kilobytes kB"
    expect_equal '' "$(limited $kilobytes)"
    [ "$(cat ended)" != 1 ] || sentences=$((sentences + 1))
    echo "# status $(cat ended): $(head -n 1 err | cut -c 1-120)"
    kilobytes=$((kilobytes * 9 / 8))
done

it 'at last it is enough'
expect_equal 0 "$(cat ended)"

it 'and mostly it was a sentence'
expect_exit 0 test $sentences -ge 5

finish
