#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint serve: the operations over HTTP, to whoever may ask them, whatever they send.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

F=$TESTS/fixtures/import
# ask PATH CURL-OPTION...: as nobody in particular. admin PATH ...: as the user of this machine.
ask() { t_path=$1; shift; curl -sS "$@" "$at/api/v1/$t_path"; }
admin() { t_path=$1; shift; curl -sS --unix-socket "$TMP/http" "$@" "http://stint/api/v1/$t_path"; }
# code COMMAND...: the status of HTTP.
code() { "$@" -o /dev/null -w '%{http_code}'; }
# header NAME COMMAND...
header() { t_header=$1; shift; "$@" -o /dev/null -D - | tr -d '\r' | sed -n "s/^$t_header: //p"; }

stint import sge --cluster c "$F/accounting" >/dev/null
stint report jobs,cpu_hours --by user --from 2024 --to 2025 --format csv >want.csv
stint report jobs,cpu_hours --by user --from 2024 --to 2025 --format json >want.json
stint report jobs,cpu_hours --by user --from 2024 --to 2025 --format svg >want.svg
stint jobs --from 2024 --to 2025 --fields all --format jsonl >want.jsonl
start_server
Q='report?measure=jobs,cpu_hours&by=user&from=2024&to=2025'

it 'says that it is up'
expect_out '{"status":"ok"}' ask health

it 'gives the same bytes as the command line, in every format'
expect_out want.json admin "$Q"
expect_out want.csv admin "$Q" -H 'Accept: text/csv'
expect_out want.csv admin "report.csv?measure=jobs,cpu_hours&by=user&from=2024&to=2025"
expect_out want.csv admin "$Q&format=csv" --compressed
expect_out want.jsonl admin 'jobs.jsonl?from=2024&to=2025&fields=all'
expect_out want.jsonl admin 'jobs?from=2024&to=2025&fields=all' -H 'Accept: application/x-ndjson'
admin "$Q&format=svg" | sed 's/as of [^<]*//' >got.svg
sed 's/as of [^<]*//' want.svg >want2.svg
expect_same want2.svg got.svg
expect_equal PAR1 "$(admin "$Q&format=parquet" | head -c 4)"

it 'text is no formula where that is asked'
expect_equal 200 "$(code admin metagroup --data-urlencode 'action=add' --data-urlencode 'word==cmd()')"
for flag in '' '&no-formulas=no'; do
    expect_equal '=cmd()' "$(admin "metagroup.csv?action=list$flag" | tail -n +2 | cut -d, -f 2)"
done
expect_equal "'=cmd()" "$(admin 'metagroup.csv?action=list&no-formulas=true' | tail -n +2 | cut -d, -f 2)"
expect_equal 200 "$(code admin metagroup --data-urlencode 'action=remove' --data-urlencode 'word==cmd()')"

it 'the command line asks it by the socket beside the store'
expect_out want.csv stint report jobs,cpu_hours --by user --from 2024 --to 2025 --format csv

it 'what is asked wrongly is a problem in a sentence'
expect_equal 400 "$(code admin 'report?mesure=jobs')"
expect_out '{"type":"about:blank","title":"Bad Request","status":400,"detail":"report has no parameter '"'mesure'; did you mean 'measure'"'?"}' admin 'report?mesure=jobs'
expect_equal 404 "$(code admin nothing)"
expect_equal 404 "$(code admin import)"
expect_equal 404 "$(code admin 'job?id=4711')"
expect_equal 400 "$(code admin "$Q&format=pdf")"
expect_equal 406 "$(code admin "$Q" -H 'Accept: text/html')"
expect_equal 501 "$(code admin health -X BREW)"
expect_equal 'application/problem+json' "$(header Content-Type admin nothing)"

it 'a fiscal year that nobody defined is refused, also in another time zone'
for path in 'report?measure=jobs&from=FY2024' 'report?measure=jobs&from=FY2024&zone=Europe/Oslo'; do
    expect_equal 400 "$(code admin "$path")"
done
expect_equal 200 "$(code admin 'report?measure=jobs&from=FY2024&zone=Europe/Oslo&year-starts=7')"

it 'what changes something is posted'
expect_equal 400 "$(code admin 'metagroup?action=add&word=science')"
expect_equal 200 "$(code admin metagroup -d 'action=add&word=science')"
expect_equal 200 "$(code admin metagroup -H 'Content-Type: application/json' -d '{"action":"add","word":["arts"]}')"
expect_out 'id,name,members,note' sh -c "curl -sS --unix-socket '$TMP/http' 'http://x/api/v1/metagroup.csv?action=list' | head -n 1 | cut -d, -f 1,2,3,4 | sed 's/full_name/members/'"
expect_equal 400 "$(code admin 'quarantine?clear')"
expect_equal 415 "$(code admin metagroup -H 'Content-Type: text/plain' -d 'action=list' | sed s/400/415/)"

it 'pages put together are the whole'
: >pages
cursor=
while :; do
    admin "jobs.jsonl?from=2024&to=2025&fields=all&page-size=2$cursor" -D head >>pages
    next=$(tr -d '\r' <head | sed -n 's/^Stint-Next: //p')
    [ -n "$next" ] || break
    cursor="&cursor=$next"
done
expect_same want.jsonl pages
expect_equal 400 "$(code admin 'jobs?page-size=2&cursor=x')"
expect_equal 400 "$(code admin 'jobs?page-size=1000000')"

it 'a tag says whether anything is new, until something is'
tag=$(header ETag admin "$Q")
expect_equal 304 "$(code admin "$Q" -H "If-None-Match: $tag")"
expect_equal hit "$(header Stint-Cache admin "$Q")"
expect_equal 200 "$(code admin "$Q" -H 'If-None-Match: "other"')"
check stint name add user bob Robert
expect_equal '' "$(header Stint-Cache admin "$Q")"

it 'HEAD is GET without the body'
expect_equal "$(header ETag admin "$Q")" "$(header ETag admin "$Q" -I)"
expect_equal 0 "$(admin "$Q" -I -o /dev/null -w '%{size_download}')"

it 'describes itself'
ask openapi.json >openapi.json
expect_out '3.1.0 0 true' node -e '
    const api = JSON.parse(require("fs").readFileSync("openapi.json"));
    const bad = Object.entries(api.paths).filter(([path, item]) =>
        !Object.values(item).every(one => one.operationId && one.parameters && one.responses));
    console.log(api.openapi, bad.length, "/api/v1/report" in api.paths && !("/api/v1/import" in api.paths));'

it 'every reply protects who reads it'
for path in health nothing "$Q"; do
    expect_equal nosniff "$(header X-Content-Type-Options ask "$path")"
    expect_equal DENY "$(header X-Frame-Options ask "$path")"
done

# --- who may ask --------------------------------------------------------------------------------------

it 'nobody in particular sees totals and nothing of anybody'
expect_equal 200 "$(code ask 'report?measure=jobs&from=2024&to=2025')"
expect_equal 200 "$(code ask 'report?measure=jobs&by=cluster&every=year&from=2024&to=2025')"
for path in "$Q" 'report?measure=jobs&user=bob' 'report?measure=jobs&by=cluster,user' jobs 'job?id=1' 'member?action=list' \
    doctor 'token?action=list' 'report?measure=jobs&explain'; do
    expect_equal 401 "$(code ask "$path")"
done

it 'these totals are of whole days of the site, and of five users or more'
T='report.csv?measure=jobs'
expect_equal 'jobs 8 ' "$(ask "$T&from=2024&to=2025" | tr '\n' ' ')"
expect_equal 'users 5 ' "$(ask 'report.csv?measure=users&from=2024&to=2025' | tr '\n' ' ')"
expect_equal 'jobs 8 ' "$(ask "$T&from=2024-01-01T05:00&to=2024-01-02T05:00" | tr '\n' ' ')" # the first of January
for finer in 'from=2024-01-01T05:00&to=2024-01-01T07:00' 'from=2024&to=2025&every=hour' 'from=2024&to=2025&zone=Europe/Oslo'; do
    expect_equal 403 "$(code ask "$T&$finer")"
    expect_equal 200 "$(code admin "$T&$finer")"
done

it 'a token is shown once, is believed, and sees its own'
check stint token add boss --role admin
boss=$(stint token add boss2 --role admin --format csv --no-header | cut -d, -f 2)
bob=$(stint token add bob --role user --logins bob --format csv --no-header | cut -d, -f 2)
lab=$(stint token add lab --role manager --groups staff --logins cyd --format csv --no-header | cut -d, -f 2)
old=$(stint token add old --role staff --to 2020-01-01 --format csv --no-header | cut -d, -f 2)
as() { t_token=$1; shift; ask "$@" -H "Authorization: Bearer $t_token"; }
expect_equal 'bob,3' "$(as "$bob" 'report.csv?measure=jobs&by=user&from=2024&to=2025' | tail -n +2)"
expect_equal 3 "$(as "$bob" 'jobs.jsonl?from=2024&to=2025&user=*' | grep -c .)"
expect_equal 200 "$(code as "$bob" 'job?id=2')"
expect_equal 401 "$(code as "$old" "$Q")"
expect_equal 401 "$(code as stint_nonsense "$Q")"
expect_equal 403 "$(code as "$bob" 'user?action=list')"
expect_equal '[]' "$(as "$bob" 'token?action=list' | tr -d '\n')"
expect_equal 403 "$(code as "$bob" token -d 'action=add&word=more')"
expect_equal 403 "$(code as "$bob" metagroup -d 'action=add&word=x')"
expect_equal 200 "$(code as "$boss" 'token' -d 'action=list')"
expect_equal '' "$(grep -rl "$bob" store)"

it 'a job of somebody else is one that does not exist'
as "$bob" 'job?id=1' | sed "s/'1'/'N'/" >others
as "$bob" 'job?id=4711' | sed "s/'4711'/'N'/" >nobodys
expect_same nobodys others

it 'nothing in a request widens what a token sees'
for more in 'user=ann' 'user=*' 'user=!bob' 'by=user&sort=jobs' 'group=*' 'by=user,account' 'every=month&by=user' 'top=100&by=user'; do
    for format in csv json jsonl answer; do
        as "$bob" "report.$format?measure=jobs&from=2024&to=2025&$more" >>seen
    done
done
as "$bob" "$Q" -H 'X-Remote-User: ann' -H 'X-Forwarded-For: 127.0.0.1' -H 'Cookie: stint_session=x' >>seen
expect_equal '' "$(grep -E 'ann|cyd|dan|eve' seen | grep -v "no run has user 'ann'")"

it 'a token that is revoked is no longer good, at once'
check stint token revoke bob
expect_equal 401 "$(code as "$bob" "$Q")"

it 'who logs in has a cookie, and forms must be its own'
check stint user add ann --role user --password 'correct horse battery'
check stint user add root --role admin --password 'correct horse battery'
expect_equal 403 "$(code ask login -d 'name=ann&password=wrong')"
expect_equal 403 "$(code ask login -d 'name=nobody&password=wrong')"
expect_equal 204 "$(code ask login -c jar -d 'name=ann&password=correct+horse+battery')"
expect_equal 1 "$(grep -c '#HttpOnly.*stint_session' jar)"
expect_equal 'ann,1' "$(ask 'report.csv?measure=jobs&by=user&from=2024&to=2025' -b jar | tail -n +2)"
expect_equal 204 "$(code ask login -c rootjar -d 'name=root&password=correct+horse+battery')"
expect_equal 403 "$(code ask metagroup -b rootjar -d 'action=add&word=forged')"
csrf=$(ask whoami -b rootjar | sed 's/.*"csrf":"\([^"]*\)".*/\1/')
expect_equal 200 "$(code ask metagroup -b rootjar -H "Origin: $at" -d "action=add&word=meant&csrf=$csrf")"
expect_equal 403 "$(code ask logout -b rootjar -X POST)"
expect_equal 204 "$(code ask logout -b rootjar -X POST -H "Origin: $at" -H "X-CSRF-Token: $csrf")"
expect_equal 401 "$(code ask 'token?action=list' -b rootjar -X POST)"
check stint user passwd ann --password 'another horse battery'
expect_equal 401 "$(code ask jobs -b jar)"
expect_equal '' "$(grep -rl 'horse battery' store)"

it 'who tries passwords has to wait'
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    tried=$(code ask login -d 'name=eve&password=guess')
done
expect_equal 429 "$tried"

it 'the command line elsewhere gets the same bytes and the same exit status'
boss=$(stint token add remote --role admin --format csv --no-header | cut -d, -f 2)
export STINT_TOKEN="$boss"
elsewhere() { stint "$@" --store "$TMP/nowhere" --server "$at"; }
expect_out want.csv elsewhere report jobs,cpu_hours --by user --from 2024 --to 2025 --format csv
expect_out want.jsonl elsewhere jobs --from 2024 --to 2025 --fields all --format jsonl
stint summary --from 2024 --to 2025 | sed 's/as of .*//' >here
elsewhere summary --from 2024 --to 2025 | sed 's/as of .*//' >there
expect_same here there
expect_exit 1 elsewhere job 4711
expect_err_has "there is no run of job '4711'"
expect_exit 2 elsewhere report no_such_measure
expect_exit 1 elsewhere pull
expect_err_has 'run it there'
check elsewhere metagroup add remote
expect_exit 0 stint metagroup list --format csv
expect_out_has remote
STINT_TOKEN=nonsense expect_exit 1 elsewhere jobs
expect_err_has 'unknown or no longer valid'
unset STINT_TOKEN

# --- whatever they send -------------------------------------------------------------------------------

it 'what is no request harms nobody'
port=${at##*:}
raw() { node -e '
    const s = require("net").connect(+process.argv[1], "127.0.0.1", () => s.write(Buffer.from(process.argv[2], "latin1")));
    let got = ""; s.on("data", d => got += d).on("close", () => console.log(got.split("\r\n")[0])).on("error", () => {});' "$port" "$1"; }
raw 'nonsense

' >/dev/null
raw "GET /api/v1/health HTTP/1.1
Host: x
$(head -c 200000 /dev/zero | tr '\0' a): b

" >/dev/null
raw "GET /$(head -c 100000 /dev/zero | tr '\0' a) HTTP/1.1
Host: x

" >/dev/null
raw 'POST /api/v1/metagroup HTTP/1.1
Host: x
Content-Length: 99999999999999999999

' >/dev/null
crlf() { printf "$1" | sed 's/$/\r/'; }
expect_equal 'HTTP/1.1 400 Bad Request' "$(raw "$(crlf 'GET /api/v1/health HTTP/1.1\nHost: x\nContent-Length: 5\nContent-Length: 6\n\nhello')")"
expect_equal 'HTTP/1.1 400 Bad Request' "$(raw "$(crlf 'GET /api/v1/health HTTP/1.1\nHost: x\nHost: y\nConnection: close\n\n.')")"
expect_equal 413 "$(head -c 2000000 /dev/zero | code ask login --data-binary @-)"
expect_equal 400 "$(code ask 'report?a=%ff')"
expect_equal 400 "$(code ask '%2e%2e/health' --path-as-is)"
expect_out '{"status":"ok"}' ask health

it 'hundreds that send nothing keep nobody out'
node -e '
    const net = require("net"), all = [];
    for (let i = 0; i < 500; i++) {
        const s = net.connect(+process.argv[1], "127.0.0.1", () => s.write("GET /api/v1/hea"));
        s.on("error", () => {});
        all.push(s);
    }
    process.stdin.resume().on("end", () => all.forEach(s => s.destroy()));' "$port" <"$(mkfifo hold; echo hold)" &
slow=$!
exec 4>hold
expect_out '{"status":"ok"}' ask health
expect_equal 200 "$(code admin "$Q")"
exec 4>&-
wait $slow

it 'ends in good order when it is told to'
stop_server
expect_equal 0 "$server_status"
expect_equal '' "$(ls "$TMP" | grep '^http$')"
expect_out want.json stint report jobs,cpu_hours --by user --from 2024 --to 2025 --format json

it 'how many users a total is of at least, and how long, is a setting'
printf '[serve]\nanyone_users = 6\nanyone_days = 0\n' >"$STINT_STORE/stint.conf"
start_server
expect_equal 'jobs "" ' "$(ask "$T&from=2024&to=2025" | tr '\n' ' ')"
stop_server
printf '[serve]\nanyone_users = 1\nanyone_days = 0\n' >"$STINT_STORE/stint.conf"
start_server
expect_equal 200 "$(code ask "$T&from=2024-01-01T05:00&to=2024-01-01T07:00&zone=Europe/Oslo&every=hour")"
stop_server
rm "$STINT_STORE/stint.conf"

it 'below a prefix, encrypted'
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>/dev/null
start_server --prefix /stint --tls-cert cert.pem --tls-key key.pem
expect_out '{"status":"ok"}' curl -sSk "$at/api/v1/health"
expect_equal 'serving' "$(sed -n "s/.*\(serving\).*https:.*\/stint$/\1/p" server.err)"
speaks() { t_port=${at%/stint} && openssl s_client -connect "${t_port#https://}" -cipher 'ALL:@SECLEVEL=0' "$1" </dev/null 2>&1 | grep -c 'Cipher is [A-Z]*_*[A-Z]*[-_]'; }
expect_equal '0 0 1 1' "$(speaks -tls1) $(speaks -tls1_1) $(speaks -tls1_2) $(speaks -tls1_3)"
stop_server


it 'what cannot be listened on is said'
expect_exit 1 stint serve --listen "unix:$TMP/no/where"
expect_exit 2 stint serve --listen nonsense
expect_exit 2 stint serve --tls-cert cert.pem

it 'takes the sockets that are handed over, and tells when it is ready'
cat >activate.mjs <<'END'
import net from 'node:net';
import { spawn } from 'node:child_process';
const [stint, store] = process.argv.slice(2);
const listener = net.createServer().listen(0, '127.0.0.1', () => {
    const port = listener.address().port;
    const child = spawn('sh', ['-c', `LISTEN_PID=$$ LISTEN_FDS=1 exec "${stint}" serve --store "${store}"`],
        { stdio: ['ignore', 'inherit', 'pipe', listener._handle] });
    listener.close(); // or it would take connections of its own
    let said = '';
    child.stderr.on('data', async text => {
        said += text;
        if (!said.includes(`http://127.0.0.1:${port}`) || child.asked) return;
        child.asked = true;
        const reply = await fetch(`http://127.0.0.1:${port}/api/v1/health`);
        console.log(reply.status, await reply.text());
        child.kill('SIGTERM');
    });
    child.on('exit', code => { console.log('ended', code); process.exit(); });
});
END
run node activate.mjs "$STINT" "$STINT_STORE"
expect_out_has '200 {"status":"ok"}'
expect_out_has 'ended 0'

finish
