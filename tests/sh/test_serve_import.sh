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
expect_err_has 'import needs the right'
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
check stint check --from 2024-01-01 --to 2024-01-07

# --- encrypted ----------------------------------------------------------------------------------------

openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=stint -addext subjectAltName=IP:127.0.0.1 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -days 2 -subj /CN=other -addext subjectAltName=IP:127.0.0.1 2>/dev/null
start_server --workers 1 --no-pull --tls-cert cert.pem --tls-key key.pem
before=$(STINT_CA=$TMP/cert.pem jobs_known)

it 'over https a file is imported as over http, by whoever trusts the server'
expect_equal https "${at%%:*}"
STINT_CA=$TMP/cert.pem check elsewhere import sge --cluster tls "$F/accounting"
fields='job,task,user,group,account,partition,node,cpus,submit,start,end,class,cpu_used,mem_peak'
STINT_CA=$TMP/cert.pem elsewhere jobs --cluster tls --from 2000 --to 2030 --fields $fields --format csv >got
here jobs --cluster c --from 2000 --to 2030 --fields $fields --format csv >want
expect_same want got

it 'who does not trust it sends nothing, and is told why'
for authority in '' "$TMP/other.pem"; do
    STINT_CA=$authority expect_exit 1 elsewhere import sge --cluster tls2 "$F/accounting"
    expect_err_has "cannot query '$at': SSL certificate problem"
    expect_err_has STINT_CA
    STINT_CA=$authority expect_exit 1 elsewhere report jobs
done
STINT_CA=$TMP/missing.pem expect_exit 1 elsewhere report jobs
at=http://${at#https://} expect_exit 1 elsewhere report jobs
STINT_CA=$TMP/cert.pem expect_exit 1 elsewhere report jobs --cluster tls2 --from 2000 --to 2030
expect_err_has "no run has cluster 'tls2'"

it 'on a terminal it shows how far it is'
if need_terminal; then
    export STINT_CA="$TMP/cert.pem"
    script -qec "'$STINT' import sge --cluster seen '$TMP/log' --store '$TMP/nowhere' --server '$at'" /dev/null >typed 2>&1 </dev/null
    expect_equal 0 $?
    expect_exit 0 grep -aqE 'log.*[0-9]+ ?%|[0-9]+ ?%.*log' typed
    expect_equal $((before + first + 12000)) "$(jobs_known)"
    unset STINT_CA
fi

finish
