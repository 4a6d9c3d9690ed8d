#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What belongs to somebody in the books, saved views and tokens of one's own: who sees it, who changes it, and that nothing in
# a request gets around that.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

# as WHO PATH CURL-OPTION...: with the cookie of a log-in. code ...: the status only.
as() { t_who=$1; t_path=$2; shift 2; curl -sS -b "jar.$t_who" -H "Origin: $at" -H "X-CSRF-Token: $(cat "csrf.$t_who")" "$@" "$at/api/v1/$t_path"; }
code() { "$@" -o /dev/null -w '%{http_code}'; }
names() { as "$1" 'view.csv?action=list' | tail -n +2 | cut -d, -f 2 | sort | tr '\n' ' '; }

# person NAME ROLE: a user who has logged in.
person() {
    t_password=$(stint user add "$1" --role "$2" --format csv --no-header 2>/dev/null | cut -d, -f 2)
    curl -sS -c "jar.$1" -o /dev/null -d "name=$1&password=$t_password" "$at/api/v1/login"
    curl -sS -b "jar.$1" "$at/api/v1/whoami" | sed -n 's/.*"csrf":"\([^"]*\)".*/\1/p' >"csrf.$1"
}

check stint import sge --cluster c "$TESTS/fixtures/import/accounting"
start_server
person ann user
person bob user
person meg manager
person sue staff
person root2 admin

it 'a view is seen by its owner and by those it is shared with, from that role on'
expect_equal 200 "$(code as ann view -d 'action=add&name=mine&question=/explore/jobs')"
expect_equal 200 "$(code as ann view -d 'action=add&name=ours&question=/explore/jobs&share=manager')"
expect_equal 200 "$(code as ann view -d 'action=add&name=all&question=/explore/jobs&share=user')"
expect_equal 'all mine ours ' "$(names ann)"
expect_equal 'all ' "$(names bob)"
expect_equal 'all ours ' "$(names meg)"
expect_equal 'all ours ' "$(names sue)"
expect_equal 'all mine ours ' "$(names root2)"

it 'two people may call theirs the same'
expect_equal 200 "$(code as bob view -d 'action=add&name=mine&question=/jobs')"
expect_equal 'all mine ' "$(names bob)"

it 'what was made for one is not given to another who may see as much'
person sam staff
expect_equal 200 "$(code as sue view -d 'action=add&name=sues&question=/jobs')"
expect_equal 200 "$(code as sue token -d 'action=add&word=phone')"
expect_equal 'all ours sues ' "$(names sue)"
expect_equal 'all ours ' "$(names sam)"
expect_equal sue/phone "$(as sue 'token.csv?action=list' | tail -n +2 | cut -d, -f 2)"
expect_equal '' "$(as sam 'token.csv?action=list' | tail -n +2)"
tag=$(as sue 'view?action=list' -o /dev/null -D - | tr -d '\r' | sed -n 's/^ETag: //p')
expect_equal 304 "$(code as sue 'view?action=list' -H "If-None-Match: $tag")"
expect_equal 200 "$(code as sam 'view?action=list' -H "If-None-Match: $tag")"

it 'nobody changes or removes what is not theirs, by name or by number'
for change in 'action=remove&word=1' 'action=set&word=1&question=/' 'action=set&word=3&name=x'; do
    expect_equal 404 "$(code as bob view -d "$change")"
done
expect_equal "$(as bob view -d 'action=remove&word=nil' | sed "s/'nil'/'N'/")" "$(as bob view -d 'action=remove&word=ours' | sed "s/'ours'/'N'/")"
expect_equal 400 "$(code as bob view -d 'action=add&name=x&question=/&owner=ann')"
expect_equal 400 "$(code as bob view -d 'action=set&word=mine&owner=ann')"
expect_equal 'all mine ours ' "$(names ann)"

it 'a view leads nowhere else'
for question in https://evil.example //evil.example 'javascript:alert(1)' '/\evil.example'; do
    expect_equal 400 "$(code as bob view --data-urlencode 'action=add' --data-urlencode 'name=evil' --data-urlencode "question=$question")"
done

it 'a token of one'"'"'s own may do what its owner may, and is seen by nobody else'
token=$(as ann token.csv -d 'action=add&word=laptop' | tail -n 1 | cut -d, -f 2)
ask() { t_path=$1; shift; curl -sS -H "Authorization: Bearer $token" "$@" "$at/api/v1/$t_path"; }
expect_equal '{"name":"token ann/laptop","role":"user","rights":["own"],"logins":["ann"]}' "$(ask whoami)"
expect_equal 0 "$(as bob 'token.csv?action=list' | tail -n +2 | grep -c .)"
expect_equal 400 "$(code as bob token -d 'action=revoke&word=ann/laptop')"
expect_equal 400 "$(code as bob token -d 'action=revoke&word=nobody/laptop')"
expect_equal 400 "$(code as bob token -d 'action=add&word=x&role=admin')"
expect_equal 400 "$(code as bob token -d 'action=add&word=x&logins=ann')"
expect_equal 403 "$(code ask token -d 'action=add&word=more')"
expect_equal 200 "$(code ask whoami)"

it 'it has the rights that it was made for, of those that its owner has by now, and ends with them'
check stint user set ann --role staff
expect_equal '"rights":["own"]' "$(ask whoami | grep -o '"rights":[^]]*]')"
expect_equal 400 "$(code as ann token -d 'action=add&word=more&rights=all,money')"
expect_equal 400 "$(code as ann token -d 'action=add&word=more&rights=king')"
more=$(as ann token.csv -d 'action=add&word=more&rights=all' | tail -n 1 | cut -d, -f 2)
rights_of() { curl -sS -H "Authorization: Bearer $1" "$at/api/v1/whoami" | grep -o '"rights":[^]]*]'; }
expect_equal '"rights":["all"]' "$(rights_of "$more")"
check stint user set ann --role user
expect_equal '"rights":[]' "$(rights_of "$more")"
check stint user remove ann
expect_equal 401 "$(code ask whoami)"

it 'what changes something is posted'
expect_equal 400 "$(code as bob 'view?action=add&name=got&question=/')"
expect_equal 400 "$(code as bob 'token?action=add&word=got')"
expect_equal 'all mine ' "$(names bob)"

it 'a form of another site changes nothing'
expect_equal 403 "$(code as bob view -H 'Sec-Fetch-Site: cross-site' -d 'action=add&name=x&question=/')"
expect_equal 403 "$(curl -sS -b jar.bob -o /dev/null -w '%{http_code}' -d 'action=add&name=x&question=/&csrf=guessed' "$at/do/view")"

it 'what changed is told to those who listen, once'
curl -sS -b jar.bob "$at/api/v1/events" >first
id=$(sed -n 's/^id: //p' first)
expect_exit 0 grep -q '^event: change$' first
expect_equal '' "$(curl -sS -b jar.bob -H "Last-Event-ID: $id" "$at/api/v1/events" | grep '^event')"
expect_equal 200 "$(code as bob view -d 'action=add&name=later&question=/')"
expect_equal 'event: change' "$(curl -sS -b jar.bob -H "Last-Event-ID: $id" "$at/api/v1/events" | grep '^event')"
expect_equal 401 "$(curl -sS -o /dev/null -w '%{http_code}' "$at/api/v1/events")"

finish
