#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint import from the command line: what it says, and what it remembers of a file. The numbers are
# worked out in tests/fixtures/import/README.md.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import

# import NAME...: the CSV of an import without names and times: file_state,read,added,replaced,unchanged,parts,rejected
import() {
    stint import sge --cluster c --format csv --no-header "$@" >.import 2>"$ERR"
    import_status=$?
    cut -d, -f2-8 .import
    return $import_status
}

totals() {
    stint report jobs,cpu_hours,wall_hours --by user --sort user --from 2024 --to 2025 --format csv
}

# Everything but where it was read.
facts() { stint jobs --fields all --from 2000 --to 2030 --sort job --format csv; }

cat >usage.csv <<'END'
user,jobs,cpu_hours,wall_hours
ann,1,1,1
bob,3,6,1.5
cyd,1,32,2
dan,1,0,0
eve,2,8,4
END
cat >usage2.csv <<'END'
user,jobs,cpu_hours,wall_hours
ann,2,17,3
bob,3,6,1.5
cyd,1,32,2
dan,1,0,0
eve,2,8,4
fay,1,1,1
END

# --- one file ---------------------------------------------------------------------------------------

it 'a dry run counts and makes no store'
cp "$F/accounting" accounting
expect_out 'new,11,,,,2,0' import --dry-run accounting
expect_exit 1 test -e store

it 'without --cluster it says which name the runs have'
expect_exit 0 stint import sge --store unnamed "$F/accounting"
expect_out_has "the runs count under 'default'"

it 'a new file is read'
expect_out 'new,11,9,0,0,2,0' import accounting

it 'what was used is what the rows say'
expect_out usage.csv totals

it 'slave tasks are part of their run'
expect_out '3,350,"n01,n02,n03"' stint jobs -j 3 -o id,cpu_used,nodes --format csv --no-header

it 'nothing is read twice'
facts >first.csv
expect_out 'unchanged,0,0,0,0,0,0' import accounting
expect_out usage.csv totals


it 'a known file is read again when asked, and changes nothing'
expect_out 'again,11,0,0,11,0,0' import --again accounting
facts >again.csv
expect_exit 0 cmp first.csv again.csv

it 'a dry run changes nothing'
cp accounting other
cat "$F/accounting.more" >>other
expect_out 'new,13,,,,2,0' import --dry-run other
expect_out usage.csv totals

it 'a table says the same to people'
check stint import sge --cluster c accounting
expect_out_has 'unchanged'

# --- what happens to files --------------------------------------------------------------------------

it 'a file that grows is read from where it ended'
cat "$F/accounting.more" >>accounting
expect_out 'grown,2,2,0,0,0,0' import accounting
expect_out usage2.csv totals
facts >second.csv

it 'a file that was rotated is known under its new name'
mv accounting accounting.1
expect_out 'unchanged,0,0,0,0,0,0' import accounting.1

it 'and its successor is new'
{ head -n 4 "$F/accounting"; sed 's/:job:\([0-9]*\):/:job:10\1:/' "$F/accounting.more"; } >accounting
expect_out 'replaced,2,2,0,0,0,0' import accounting
expect_exit 0 import accounting.1
expect_equal 12 "$(facts | grep -vc '^c,10')" # the header and 11 runs of the first

for pack in gzip zstd; do
    it "a file compressed by $pack since is known"
    $pack -c <accounting.1 >accounting.1.$pack
    expect_out 'renamed,0,0,0,0,0,0' import accounting.1.$pack
    expect_out 'unchanged,0,0,0,0,0,0' import accounting.1.$pack
done

it 'a file that was truncated is read again, and nothing counts twice'
head -n 5 accounting >short
cat short >accounting
expect_out 'truncated,1,0,0,1,0,0' import accounting

it 'the same rows under another header are the same runs'
{ echo '# Version: 9'; grep -v '^#' "$F/accounting"; } >header
expect_out 'new,11,0,0,11,0,0' import header

it 'all in all nothing has changed'
facts | grep -v '^c,10' >third.csv
expect_same second.csv third.csv

# --- ends of files ----------------------------------------------------------------------------------

it 'an unfinished row is left'
STINT_STORE=$TMP/ends
size=$(wc -c <"$F/accounting")
head -c $((size - 100)) "$F/accounting" >growing
expect_out 'new,10,8,0,0,2,0' import growing

it 'and said to be left'
stint import sge --cluster c growing >"$OUT" 2>"$ERR"
cat "$OUT" "$ERR" >said
expect_exit 0 grep -q 'ends within a record, which is left to the next import' said

it 'and read when it is finished'
tail -c 100 "$F/accounting" >>growing
expect_out 'grown,1,1,0,0,0,0' import growing
expect_out usage.csv totals

it 'a last row without line end counts, once'
head -c $((size - 1)) "$F/accounting" >bare
STINT_STORE=$TMP/bare-store
expect_out 'new,11,9,0,0,2,0' import bare
expect_out 'grown,1,0,0,1,0,0' import bare
echo >>bare
cat "$F/accounting.more" >>bare
expect_out 'grown,3,2,0,1,0,0' import bare
expect_out usage2.csv totals

it 'a header alone is nothing wrong, and may grow'
STINT_STORE=$TMP/header-store
head -n 4 "$F/accounting" >begun
expect_out 'new,0,0,0,0,0,0' import begun
expect_out 'unchanged,0,0,0,0,0,0' import begun
cp "$F/accounting" begun
expect_out 'grown,11,9,0,0,2,0' import begun

# --- several files, pipes, clusters -----------------------------------------------------------------

it 'several files in one command'
STINT_STORE=$TMP/several
{ head -n 4 "$F/accounting"; cat "$F/accounting.more"; } >later
cp "$F/accounting" accounting
check import accounting later accounting
expect_out usage2.csv totals

it 'one that cannot be read does not keep out the others'
STINT_STORE=$TMP/several2
expect_exit 1 import accounting nowhere later nothing
expect_err_has "'nowhere'"
expect_err_has "'nothing'"
expect_out usage2.csv totals

it 'standard input'
STINT_STORE=$TMP/pipe
import - <accounting >piped
expect_equal 'new,11,9,0,0,2,0' "$(cat piped)"
cat accounting "$F/accounting.more" | import - >piped
expect_equal 'new,13,2,0,11,0,0' "$(cat piped)"
expect_out usage2.csv totals

it 'standard input may be compressed'
STINT_STORE=$TMP/pipe-gz
gzip -c accounting | import - >piped
expect_equal 'new,11,9,0,0,2,0' "$(cat piped)"
expect_out usage.csv totals

it 'two clusters may use the same numbers'
STINT_STORE=$TMP/clusters
check stint import sge --cluster east accounting
check stint import sge --cluster west accounting later
expect_out 'cluster,jobs,cpu_hours
west,10,64
east,8,47' stint report jobs,cpu_hours --by cluster --from 2024 --to 2025 --format csv

it 'the kind of file is found out'
STINT_STORE=$TMP/auto
check stint import auto --cluster c accounting
expect_out usage.csv totals

it 'a name need not be UTF-8'
STINT_STORE=$TMP/latin
name=$(printf 'acc\351unting')
cp accounting "$name"
expect_out 'new,11,9,0,0,2,0' import "$name"
expect_out 'unchanged,0,0,0,0,0,0' import "$name"

it 'a cluster has a name'
expect_exit 2 stint import sge --cluster '' accounting
expect_err_has 'cluster'

it 'doctor is content'
STINT_STORE=$TMP/several
run stint doctor --format csv
expect_out_has 'c (sge),ok,'
expect_exit 1 grep -q 'wait for their run' "$OUT"

it 'doctor tells of slave tasks without a run'
STINT_STORE=$TMP/orphan-store
grep -v ':3:sge:.*:NONE:1048576.000000:0:0$' accounting >orphans
check import orphans
run stint doctor --format csv
expect_out_has '2 parts of parallel runs wait for their run'

it 'until it comes'
check import accounting
expect_out usage.csv totals
run stint doctor --format csv
expect_exit 1 grep -q 'wait for their run' "$OUT"

# Rows of the day, -1 in place of an exit status, are in the row of the ended job again.
it 'the reporting file is as good as the accounting file'
STINT_STORE=$TMP/reporting-store
{
    echo 1704067200:new_job:1704067200:5:-1:NONE:a:ann:ann::d:sge:1024
    sed -n '/^all/s/^/1704067200:acct:/p' "$F/accounting"
    sed -n '/^all/s/^/1704067200:acct:/p' "$F/accounting" | awk -F: -v OFS=: '{ $15 = -1; print }'
} >reporting
check import reporting
facts >told.csv
STINT_STORE=$TMP/beside-store
grep '^all' "$F/accounting" >beside
check import beside
expect_out told.csv facts

# A file of 64 MiB and more is read with other settings of the engine (facts_prepare_bulk).
it 'a large file gives the same facts as a small one'
STINT_STORE=$TMP/large-store
{
    cat "$F/accounting"
    head -c 68000000 /dev/zero | tr '\0' '#' | fold -w 30000
    echo
    cat "$F/accounting.more"
} >large
check import large
facts >told.csv
STINT_STORE=$TMP/small-store
cat "$F/accounting" "$F/accounting.more" >small
check import small
expect_out told.csv facts
rm large

finish
