#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The pages and the metrics of a server: who sees what, logging in and out by forms, and what Prometheus gets.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

# page PATH CURL-OPTION...: as nobody in particular; the status stands last. staff PATH ...: as the user of this machine.
page() { t_path=$1; shift; curl -sS -w '\n%{http_code}\n' "$@" "$at$t_path"; }
staff() { t_path=$1; shift; curl -sS -w '\n%{http_code}\n' --unix-socket "$TMP/http" "$@" "http://stint$t_path"; }

check stint import sge --cluster c "$TESTS/fixtures/import/accounting"
check stint name add user ann 'Ann of the Moor'
password=$(stint user add vera --role staff --format csv --no-header 2>/dev/null | cut -d, -f 2)
start_server --prefix /stint

it 'the user of this machine sees numbers, with links below the prefix'
staff '/explore/jobs?by=user&from=2024&to=2025' >out
expect_equal 200 "$(tail -n 1 out)"
expect_exit 0 grep -q 'href="/stint/user/' out
expect_exit 0 grep -q 'href="/stint/static/stint.css"' out

it 'nobody in particular sees none of them, and is asked to log in'
page '/explore/jobs?by=user&from=2024&to=2025' >out
expect_equal 401 "$(tail -n 1 out)"
expect_exit 1 grep -q 'href="/stint/user/' out
expect_exit 0 grep -q 'href="/stint/login[^"]*">Log in</a> to see this page' out
expect_exit 1 grep -q 'needs the right\|send a token' out

it 'a wrong password leads back to the form, with a sentence'
page /login -d 'name=vera&password=wrong' >out
expect_equal 403 "$(tail -n 1 out)"
expect_exit 0 grep -q 'wrong name or password' out
expect_exit 1 grep -q 'value="wrong"' out

it 'a page of another site logs nobody in'
page /login -c other -o /dev/null -H 'Sec-Fetch-Site: cross-site' -d "name=vera&password=$password" >out
expect_equal 403 "$(tail -n 1 out)"
expect_exit 1 grep -q stint_session other

it 'the right one shows what staff see, until they log out by their own form'
page /login -c jar -o /dev/null -D head -H 'Sec-Fetch-Site: same-origin' -d "name=vera&password=$password" >out
expect_equal 303 "$(tail -n 1 out)"
expect_exit 0 grep -q 'HttpOnly; SameSite=Strict' head
page '/explore/jobs?by=user&from=2024&to=2025' -b jar >out
expect_exit 0 grep -q 'href="/stint/user/' out
page /logout -b jar -H "Origin: $at" -d 'csrf=guessed' >out
expect_equal 403 "$(tail -n 1 out)"
token=$(page / -b jar | sed -n 's/.*name="csrf" value="\([^"]*\)".*/\1/p')
page /logout -b jar -H "Origin: $at" -d "csrf=$token" >out
expect_equal 303 "$(tail -n 1 out)"
page '/explore/jobs?by=user&from=2024&to=2025' -b jar >out
expect_exit 1 grep -q 'href="/stint/user/' out

it 'metrics are for staff, in the form that is asked for'
page /metrics >out
expect_equal 401 "$(tail -n 1 out)"
staff /metrics >out
expect_equal 200 "$(tail -n 1 out)"
expect_exit 0 grep -q '^# TYPE stint_cpu_seconds_total counter$' out
expect_exit 1 grep -q '^# EOF$' out
staff /metrics -H 'Accept: application/openmetrics-text;version=1.0.0' >out
expect_exit 0 grep -q '^# TYPE stint_cpu_seconds counter$' out
expect_exit 0 grep -q '^# EOF$' out

it 'a counter is what the report says, in seconds'
want=$(stint report cpu_hours --from 1970-01-01 --to now --format csv --no-header | awk '{ printf "%.0f\n", $1 * 3600 }')
got=$(stint metrics | awk '/^stint_cpu_seconds_total/ { s += $NF } END { printf "%.0f\n", s }')
expect_equal "$want" "$got"

it 'jobs that ended are those of the report, class by class'
stint report jobs --by cluster,class --from 1970-01-01 --to now --format csv --no-header | sort >want
stint metrics | sed -n 's/^stint_jobs_ended_total{cluster="\(.*\)",class="\(.*\)"} \(.*\)/\1,\2,\3/p' | grep -v ',0$' | sort >got
check [ -s want ]
expect_same want got

it 'every sample belongs to the family announced before it'
stint metrics >out
expect_equal '' "$(awk '/^# TYPE/ { name = $3; next } /^#/ { next } { n = $1; sub(/\{.*/, "", n); if (n != name) print }' out)"

it 'what was shown a moment ago is made anew once something was written'
staff '/explore/jobs?by=cluster&from=2024&to=2025' >before
staff /metrics >metrics.before
check stint import sge --cluster late "$TESTS/fixtures/import/accounting"
staff '/explore/jobs?by=cluster&from=2024&to=2025' >out
staff /metrics >metrics
expect_equal '0 0' "$(grep -c '>late<' before) $(grep -c 'cluster="late"' metrics.before)"
expect_exit 0 grep -q '>late<' out
expect_exit 0 grep -q 'cluster="late"' metrics

it 'inside, staff see statements with their SQL and time, and what was imported last'
staff '/explore/jobs?by=user&from=2024&to=2025' >/dev/null
staff /inside >out
expect_equal 200 "$(tail -n 1 out)"
for title in 'Queries that took longest' 'The last pulls' 'The last imports' 'From cache' 'Peak memory'; do
    expect_exit 0 grep -q "$title" out
done
expect_exit 0 grep -q 'FROM runs' out
expect_exit 0 grep -q 'accounting' out
page /inside >out
expect_equal 401 "$(tail -n 1 out)"
expect_exit 1 grep -q 'FROM runs' out

it 'the audit log has who logged in, and who was refused, for admins only'
stint audit list --format csv >audit.csv
expect_equal 1 "$(grep -c ',vera,127.0.0.1,logged in' audit.csv)"
expect_equal 1 "$(grep -c ',vera,127.0.0.1,login refused' audit.csv)"
expect_equal 0 "$(stint audit list --who nobody --format csv --no-header | grep -c .)"
expect_equal 1 "$(stint audit list --limit 1 --format csv --no-header | grep -c .)"
staff '/answer/audit?action=list' >out
expect_exit 0 grep -q 'login refused' out
staff /admin >out
expect_exit 0 grep -q 'href="/stint/answer/audit?action=list"' out
reader=$(stint token add reader --role staff --format csv --no-header | cut -d, -f 2)
expect_equal 403 "$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $reader" "${at%/}/api/v1/audit?action=list")"

finish
