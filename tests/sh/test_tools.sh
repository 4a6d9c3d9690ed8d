#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The checks themselves: each sees what it is there to see.
. "$(dirname "$0")/../support/sh.sh"

mkdir -p src/base src/record src/facts src/view/text src/facts/duckdb

it 'layers: downward is allowed'
echo '#include "base/str.h"' >src/record/run.c
echo '#include "table/table.h"' >src/view/text/table.c
echo '#include <duckdb.h>' >src/facts/duckdb/store.c
expect_exit 0 "$TOP/tools/check-layers" "$TMP/src"

it 'layers: upward is not'
echo '#include "record/run.h"' >src/base/str.c
expect_exit 1 "$TOP/tools/check-layers" "$TMP/src"
expect_out_has 'src/base/str.c:1: base may not include record/run.h'
rm src/base/str.c

it 'layers: a view sees the table and nothing else of the facts'
echo '#include "facts/store.h"' >src/view/text/table.c
expect_exit 1 "$TOP/tools/check-layers" "$TMP/src"
expect_out_has 'view/text may not include facts/store.h'
rm src/view/text/table.c

it 'layers: only the facts know DuckDB'
echo '#include <duckdb.h>' >src/record/run.c
expect_exit 1 "$TOP/tools/check-layers" "$TMP/src"
expect_out_has 'record may not include duckdb.h'

it 'layers: drivers do not know each other'
mkdir -p src/source/one src/source/two src/source/common
touch src/source/two/two.h src/source/common/record_text.h
printf '#include "source/%s"\n' common/text.h two/two.h >src/source/one/one.c
expect_exit 1 "$TOP/tools/check-layers" "$TMP/src"
expect_out_has 'src/source/one/one.c:2: source/one may not include source/two/two.h'
mv src/source/one/one.c src/source/source_drivers.c
rm src/record/run.c
expect_exit 0 "$TOP/tools/check-layers" "$TMP/src"
rm -r src/source

it 'layers: SQL is written where it belongs'
echo '    query("SELECT DISTINCT cluster FROM runs");' >src/record/run.c
expect_exit 1 "$TOP/tools/check-layers" "$TMP/src"
expect_out_has 'src/record/run.c:1: record writes SQL'
mv src/record/run.c src/facts/duckdb/duck_query.c
expect_exit 0 "$TOP/tools/check-layers" "$TMP/src"
rm src/facts/duckdb/duck_query.c

it 'layers: an include is a path from src'
echo '#include "run.h"' >src/record/run.c
expect_exit 1 "$TOP/tools/check-layers" "$TMP/src"
expect_out_has 'include "run.h" by its path from src/'

it 'banned: a call is found'
echo '    strcpy(a, b);' >src/record/run.c
expect_exit 1 "$TOP/tools/check-banned" "$TMP/src"
expect_out_has 'strcpy: use'

it 'banned: a comment or a longer name is none'
printf '%s\n' ' * unlike strcpy(), this knows its size' 'my_strcpy(a, b);' 'reader->gets(x);' >src/record/run.c
expect_exit 0 "$TOP/tools/check-banned" "$TMP/src"

it 'banned: notes to oneself'
printf '/* %s: later */\n' "TO""DO" >src/record/run.c
expect_exit 1 "$TOP/tools/check-banned" "$TMP/src"

it 'exports: what no other file uses is found, and what a test or a macro uses is not'
mkdir -p exports/src exports/tests
cat >exports/src/box.h <<'EOF'
/* box_open is named in a comment, which is no use. */
int box_open(int key);
int box_close(int key,
              int twice);
extern const int box_sizes[];
int box_log(int level);
#define BOX_LOG() box_log(1)
EOF
cat >exports/src/box.c <<'EOF'
const int box_sizes[] = {1};
int box_open(int key)
{
    return box_close(key, 0);
}
int box_close(int key, int twice)
{
    return key + twice;
}
int box_log(int level)
{
    return level;
}
EOF
echo 'static int test(void) { return box_sizes[0]; }' >exports/tests/test_box.c
expect_exit 1 "$TOP/tools/check-exports" "$TMP/exports/src" "$TMP/exports/tests"
expect_out_has 'box.h:2: box_open is used by no other file'
expect_out_has 'box.h:3: box_close is used by no other file'
expect_equal 2 "$(wc -l <"$OUT" | tr -d ' ')"
echo 'static int more(void) { return box_open(box_close(0, 1)); }' >>exports/tests/test_box.c
expect_exit 0 "$TOP/tools/check-exports" "$TMP/exports/src" "$TMP/exports/tests"

it 'programs: what a package of the list brings may be called'
cat >script.sh <<'EOF'
#!/bin/sh
# frobnicate in a comment
say() { printf '%s\n' "$*"; }
case $1 in
frobnicate) say frobnicate ;;
esac
cat <<END
frobnicate
END
for word in frobnicate; do
    sqlite3 "$word" 'select 1' | awk '{ print frobnicate }' >frobnicate
done
EOF
expect_exit 0 "$TOP/tools/check-programs" "$TMP/script.sh"

# One script of all of them: each call looks through the lists of every package.
cat >calls <<'EOF'
frobnicate -x
echo "a $(frobnicate)"
true && ! frobnicate
if x=1 frobnicate; then :; fi
ls | xargs -n 1 frobnicate
expect_exit 0 frobnicate
timeout -k 1 5 env A=b frobnicate
sh -c 'cd / && frobnicate'
case a in a) frobnicate ;; esac
/usr/bin/frobnicate
EOF
{ echo '#!/bin/sh' && cat calls; } >script.sh
"$TOP/tools/check-programs" "$TMP/script.sh" >said.programs
number=1
while read -r line; do
    number=$((number + 1))
    it "programs: what no package brings may not: $line"
    expect_exit 0 grep -q "script.sh:$number: 'frobnicate' is of no package" said.programs
done <calls
it 'programs: and then the check fails'
expect_exit 1 "$TOP/tools/check-programs" "$TMP/script.sh"

it 'programs: with the folder as PATH no other is found'
check "$TOP/tools/check-programs" --path "$TMP/path"
expect_exit 0 env PATH="$TMP/path" sqlite3 :memory: 'select 1'
other=frobnicate
expect_exit 127 env PATH="$TMP/path" "$other"
expect_exit 0 test -e "$TMP/path/awk"

it 'migrations: text arrives as it is written'
mkdir sql
printf '%s\n' "select 'a;b\"c\\n[1] \${X} ??=';" >sql/001-first.sql
echo 'select 2;' >sql/002-second-one.sql
expect_exit 0 cmake -DDIR="$TMP/sql" -DFOLDER=facts/duckdb -DARRAY=migrations -DOUTPUT="$TMP/migrations.c" -P "$TOP/cmake/embed-migrations.cmake"
mkdir -p facts/duckdb
cat >facts/duckdb/migrations.h <<'EOF'
#include <stddef.h>
struct migration {
    int number;
    const char *name;
    const char *sql;
};
extern const struct migration migrations[];
extern const size_t migrations_count;
EOF
cat >print.c <<'EOF'
#include <stdio.h>
#include "facts/duckdb/migrations.h"
int main(void)
{
    for (size_t i = 0; i < migrations_count; i++) {
        printf("%d %s %s", migrations[i].number, migrations[i].name, migrations[i].sql);
    }
}
EOF
expect_exit 0 gcc -std=c17 -I. -o print print.c migrations.c
expect_out "1 first $(cat sql/001-first.sql)
2 second-one select 2;" ./print

it 'migrations: a gap stops the build'
mv sql/002-second-one.sql sql/003-second-one.sql
expect_exit 1 cmake -DDIR="$TMP/sql" -DFOLDER=facts/duckdb -DARRAY=migrations -DOUTPUT="$TMP/migrations.c" -P "$TOP/cmake/embed-migrations.cmake"
expect_err_has 'expected migration 2 here'

# The runner, on a tree of its own with tests whose outcome is known.
mkdir -p tree/tests/sh
cp "$TOP/tests/run.sh" tree/tests/
cd tree || exit 1
printf 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2\n' >tests/sh/test_fine.sh

it 'runner: counts what passed'
run sh tests/run.sh
expect_equal '2 passed, 0 failed' "$(tail -n 1 "$OUT")"
expect_equal 0 "$status"

it 'runner: counts failures and skips'
printf 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "skip 3 - c: no data"; echo 1..3; exit 1\n' >tests/sh/test_mixed.sh
run sh tests/run.sh
expect_equal '3 passed, 1 failed, 1 skipped' "$(tail -n 1 "$OUT")"
expect_equal 1 "$status"
expect_out_has 'not ok 2 - b'
rm tests/sh/test_mixed.sh

it 'runner: a test that ends early has failed'
printf 'echo "1..3"; echo "ok 1 - a"\n' >tests/sh/test_short.sh
run sh tests/run.sh
expect_equal '3 passed, 1 failed' "$(tail -n 1 "$OUT")"
rm tests/sh/test_short.sh

it 'runner: a test without plan has failed'
printf 'exit 0\n' >tests/sh/test_empty.sh
run sh tests/run.sh
expect_equal '2 passed, 1 failed' "$(tail -n 1 "$OUT")"
rm tests/sh/test_empty.sh

it 'runner: a bad status without a failed line is a failure'
printf 'echo 1..1; echo "ok 1 - a"; exit 99\n' >tests/sh/test_leak.sh
run sh tests/run.sh
expect_equal '3 passed, 1 failed' "$(tail -n 1 "$OUT")"
rm tests/sh/test_leak.sh

it 'runner: a test that hangs is ended'
printf '# timeout: 1\nsleep 60\n' >tests/sh/test_hangs.sh
run sh tests/run.sh
expect_out_has 'ran longer than 1 s'
expect_equal 1 "$status"

it 'runner: rooms of runs that were killed are removed, those of others are not'
rooms=${TMPDIR:-/tmp}
mkdir -p "$rooms/stint-job.999999999.x/left" "$rooms/stint-programs.999999999.x" "$rooms/stint-job.$$.y"
run sh tests/run.sh fine
expect_equal "stint-job.$$.y" "$(cd "$rooms" && echo stint-job.*.[xy] stint-programs.*.x | sed 's/ stint-programs.*//')"
rmdir "$rooms/stint-job.$$.y"

it 'runner: takes names'
run sh tests/run.sh fine
expect_equal '2 passed, 0 failed' "$(tail -n 1 "$OUT")"
expect_exit 1 sh tests/run.sh nonesuch

it 'runner: takes names of files'
cp tests/sh/test_fine.sh tests/sh/test_fine_too.sh
run sh tests/run.sh sh/test_fine.sh
expect_equal '2 passed, 0 failed' "$(tail -n 1 "$OUT")"

it 'runner: a name that no test has is an error beside others'
expect_exit 1 sh tests/run.sh fine nonesuch
expect_err_has 'no test matches: nonesuch'

finish
