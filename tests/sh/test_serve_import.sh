#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Files of this machine, imported at a server elsewhere: it does what an import into a store here does, and says the same.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

F=$TESTS/fixtures/import

elsewhere() { stint "$@" --store "$TMP/nowhere" --server "$at"; }
here() { stint "$@" --store "$TMP/here"; }
# How long it took is another time each time.
columns() { cut -d, -f 1-10; }
jobs_known() { elsewhere report jobs --from 2000 --to 2030 --format csv --no-header; }

token() { stint token add "$1" --role "$2" --format csv --no-header | cut -d, -f 2; }
boss=$(token boss admin)
reader=$(token reader staff)
export STINT_TOKEN="$boss"
start_server --workers 1 --no-pull

it 'a file: the same table and exit status, and the same runs'
here import sge --cluster c "$F/accounting" --format csv >want.all 2>want.err
elsewhere import sge --cluster c "$F/accounting" --format csv >got.all 2>got.err
expect_equal 0 $?
columns <want.all >want
columns <got.all >got
expect_same want got
expect_same want.err got.err
here jobs --from 2000 --to 2030 --fields all --format jsonl >want
elsewhere jobs --from 2000 --to 2030 --fields all --format jsonl >got
expect_same want got

it 'the same file again, and compressed, is known'
gzip -c "$F/accounting" >accounting.gz
here import sge --cluster c "$F/accounting" accounting.gz --format csv 2>&1 | columns >want
elsewhere import sge --cluster c "$F/accounting" accounting.gz --format csv 2>&1 | columns >got
expect_same want got

it 'what comes by a pipe'
here import sge --cluster pipe - --format csv <"$F/accounting" 2>&1 | columns >want
elsewhere import sge --cluster pipe - --format csv <"$F/accounting" 2>&1 | columns >got
expect_same want got

it 'many pieces of a file'
grep -m 1 -v '^#' "$F/accounting" | awk -F: -v OFS=: '{ for (i = 1; i <= 12000; i++) { $6 = 100000 + i; print } }' >log
check [ "$(wc -c <log)" -gt 2000000 ]
check elsewhere import sge --cluster big log
expect_equal 12000 "$(elsewhere report jobs --cluster big --from 2000 --to 2030 --format csv --no-header)"

it 'a file that is not there: the same sentence, the same exit status'
expect_exit 1 here import sge --cluster c missing
cp "$ERR" want
expect_exit 1 elsewhere import sge --cluster c missing
expect_same want "$ERR"

it 'a script that is read for a question'
printf '#!/bin/sh\n#SBATCH -n 4\n#SBATCH -t 60\n' >script
here quote --script script >want 2>&1
status=$?
elsewhere quote --script script >got 2>&1
expect_equal $status $?
expect_same want got

it 'whoever may not import, may not from elsewhere'
before=$(jobs_known)
STINT_TOKEN=$reader expect_exit 1 elsewhere import sge --cluster d "$F/accounting"
expect_err_has 'import needs the role admin'
STINT_TOKEN='' expect_exit 1 elsewhere import sge --cluster d "$F/accounting"
expect_equal "$before" "$(jobs_known)"

it 'nobody sends into an import that there is not'
piece() { curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" --data-binary x "$at/api/v1/wire/$2"; }
expect_equal 404 "$(piece "$boss" AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA)"

it 'a file that is followed is read as it grows, until its reader is asked to end'
cp "$F/accounting" growing
"$STINT" import sge --cluster grows growing --follow --store "$TMP/nowhere" --server "$at" >follow.out 2>follow.err &
follow=$!
known_of() { elsewhere report jobs --cluster grows --from 2000 --to 2030 --format csv --no-header; }
grew() { [ "$(known_of)" = "$1" ]; }
first=$(here report jobs --cluster c --from 2000 --to 2030 --format csv --no-header)
until_true grew "$first"
head -n 5 log >>growing
until_true grew $((first + 5))
kill $follow
wait $follow
expect_equal 0 $?

it 'a server that is killed meanwhile: a sentence, and nothing is lost or doubled'
"$STINT" import sge --cluster grows growing --follow --store "$TMP/nowhere" --server "$at" >follow.out 2>follow.err &
follow=$!
head -n 9 log | tail -n 4 >>growing
until_true grew $((first + 9))
kill_server
wait $follow
expect_equal 1 $?
expect_exit 0 grep -q 'what was committed is kept' follow.err
start_server --workers 1 --no-pull
expect_equal $((first + 9)) "$(known_of)"
check elsewhere import sge --cluster grows growing
expect_equal $((first + 9)) "$(known_of)"
stop_server
check stint check

finish
