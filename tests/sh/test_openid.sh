#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Logging in with OpenID Connect, at a small provider of our own: what is believed, and what is not.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/browser.sh"
. "$TESTS/support/server.sh"

provider=
t_at_exit=stop_all

stop_all() {
    stop_server
    [ -z "$provider" ] || kill "$provider" 2>/dev/null
}

# person USER GROUPS-JSON WRONG [ALGORITHM]: whom the provider lets in next, and what is wrong with what it says.
person() { printf '{"user":"%s","groups":%s,"wrong":"%s","algorithm":"%s"}' "$1" "$2" "$3" "${4:-RS256}" >person.json; }
# log_in: the whole way, as a browser goes it; what it ends with is in the files page and head. Its cookies are in the file jar.
log_in() {
    rm -f jar
    curl -sS -L --max-redirs 5 -c jar -b jar -D head -o page "$at/login/openid?$1"
}
last_status() { tr -d '\r' <head | sed -n 's/^HTTP[^ ]* \([0-9]*\).*/\1/p' | tail -n 1; }
whoami() { curl -sS -b jar "$at/api/v1/whoami" | sed 's/.*"name":"\([^"]*\)","role":"\([^"]*\)".*/\1 \2/'; }

stint import sge --cluster c "$TESTS/fixtures/import/accounting" >/dev/null
node "$TESTS/tools/openid-provider.mjs" "$TMP" &
provider=$!
until_true test -s issuer
issuer=$(cat issuer)

it 'a provider that is not encrypted is refused, unless it is on this machine'
printf '[openid]\nissuer = http://provider.example\nclient_id = stint\n' >"$STINT_STORE/stint.conf"
expect_exit 2 stint serve --listen 127.0.0.1:0
expect_err_has 'issuer must begin with https://'
printf '[openid]\nissuer = http://127.0.0.1.example.org\nclient_id = stint\n' >"$STINT_STORE/stint.conf"
expect_exit 2 stint serve --listen 127.0.0.1:0

cat >"$STINT_STORE/stint.conf" <<CONF
[openid]
issuer = $issuer
client_id = stint
client_secret = s cret
label = Example University

[access operators]
groups = hpc-staff
role = staff

[access lead]
groups = chem-pi
role = manager
manages_groups = staff
CONF
expect_equal 0 "$(stint config show | grep -c 's cret')"
start_server --prefix /stint

it 'the page for logging in offers it, and leads back to where one was'
curl -sS "$at/explore/jobs?by=user" >out
check grep -q 'href="/stint/login?back=%2Fexplore%2Fjobs%3Fby%3Duser"' out
curl -sS "$at/login?back=%2Fjobs" >out
check grep -q 'href="/stint/login/openid?back=%2Fjobs">Log in with Example University' out

it 'who comes back from the provider is logged in, under their name'
person bob '["students"]' ''
log_in 'back=/jobs%3Ffrom%3D2024'
expect_equal 200 "$(last_status)"
check grep -q '^Refresh: 0; url=/stint/jobs?from=2024' head
expect_equal 'bob user' "$(whoami)"
expect_equal 3 "$(curl -sS -b jar "$at/api/v1/jobs.csv?from=2024&to=2025" | tail -n +2 | grep -c .)"
expect_equal 1 "$(grep -c '#HttpOnly.*stint_session' jar)"
check grep -q 'authorize code openid profile S256 64' asked
expect_equal '' "$(grep -rl "$(awk '/stint_session/ { print $7 }' jar)" "$STINT_STORE")"

it 'a browser goes that way'
claims openid.mjs "$at" 'Example University' bob

it 'claims become roles by the rules, and hold for as long as the log-in'
person ann '["x","hpc-staff"]' ''
log_in ''
expect_equal 'ann staff' "$(whoami)"
person zoe '"chem-pi"' ''
log_in ''
expect_equal 'zoe manager' "$(whoami)"
stop_server
start_server --prefix /stint
expect_equal 'zoe manager' "$(whoami)"

it 'a session that was changed to have other groups is none'
groups=$(printf 'hpc-staff' | base64 | tr -d '=')
sed "s/\(stint_session.[A-Za-z0-9_-]*\)\..*/\1.$groups/" jar >forged
mv forged jar
expect_equal 'anyone anyone' "$(whoami)"

it 'ES256 is believed as RS256 is, and so is a key that is new'
person eve '[]' '' ES256
log_in ''
expect_equal 'eve user' "$(whoami)"
person eve '[]' rotated
log_in ''
expect_equal 'eve user' "$(whoami)"
person eve '[]' 'two audiences'
log_in ''
expect_equal 'eve user' "$(whoami)"

it 'what the provider says wrongly is not believed'
while read -r wrong; do
    person root '["hpc-staff"]' "$wrong"
    log_in ''
    expect_equal "$wrong: 403 anyone anyone" "$wrong: $(last_status) $(whoami)"
    # failures by address are limited: begin anew
    stop_server
    start_server --prefix /stint
done <<WRONG
nonce
no nonce
issuer
audience
audiences
party
expired
no end
future
early
signature
changed
none
mixed
crit
weak
no key
user
odd user
rubbish
WRONG

it 'the page says why'
person root '[]' expired
log_in ''
check grep -q 'the login failed: the ID token has expired' page
person root '[]' none
log_in ''
check grep -q 'not signed with RS256 or ES256' page

it 'nobody finishes a log-in in the browser of another'
person bob '[]' ''
curl -sS -c jar -o /dev/null -D head "$at/login/openid"
way=$(tr -d '\r' <head | sed -n 's/^Location: //p')
back=$(curl -sS -o /dev/null -D - "$way" | tr -d '\r' | sed -n 's/^Location: //p')
expect_equal 403 "$(curl -sS -o /dev/null -w '%{http_code}' "$back")"
rm -f other
curl -sS -c other -o /dev/null "$at/login/openid"
expect_equal 403 "$(curl -sS -b other -o /dev/null -w '%{http_code}' "$back")"
expect_equal 403 "$(curl -sS -b jar -o /dev/null -w '%{http_code}' "$(echo "$back" | sed 's/state=./state=x/')")"
expect_equal 403 "$(curl -sS -b jar -o /dev/null -w '%{http_code}' "$back&iss=https://elsewhere.example")"
expect_equal 403 "$(curl -sS -b jar -o /dev/null -w '%{http_code}' "$at/login/openid/return?error=access_denied&$(echo "$back" | grep -o 'state=[^&]*')")"
expect_equal 200 "$(curl -sS -b jar -o /dev/null -w '%{http_code}' "$back")"

it 'a code is good once'
expect_equal 502 "$(curl -sS -b jar -o /dev/null -w '%{http_code}' "$back")"

it 'no way leads to another site'
for back in '//evil.example' 'https://evil.example' '/%5Cevil.example' '/x%3B%20url=https://evil.example'; do
    person bob '[]' ''
    log_in "back=$back"
    expect_equal '0; url=/stint/' "$(tr -d '\r' <head | sed -n 's/^Refresh: //p')"
done

it 'a log-in ends when one logs out'
csrf=$(curl -sS -b jar "$at/api/v1/whoami" | sed 's/.*"csrf":"\([^"]*\)".*/\1/')
cp jar kept
expect_equal 204 "$(curl -sS -b jar -o /dev/null -w '%{http_code}' -X POST -H "Origin: $at" -H "X-CSRF-Token: $csrf" "$at/api/v1/logout")"
cp kept jar
expect_equal 'anyone anyone' "$(whoami)"

it 'a provider that is not there is said, and passwords still work'
stop_server
kill "$provider"
wait "$provider" 2>/dev/null
provider=
start_server --prefix /stint
expect_equal 502 "$(curl -sS -o page -w '%{http_code}' "$at/login/openid")"
check grep -q 'the provider of logins cannot be used' page
check stint user add pat --role user --password 'correct horse battery'
expect_equal 204 "$(curl -sS -o /dev/null -w '%{http_code}' -d 'name=pat&password=correct+horse+battery' "$at/api/v1/login")"

it 'a provider that hangs is asked once in half a minute, and keeps nobody waiting'
stop_server
cat >hang.mjs <<'END'
import net from 'node:net';
import fs from 'node:fs';
const held = [];
const hangs = net.createServer(one => { held.push(one); one.on('error', () => {}); fs.appendFileSync('came', '.'); });
hangs.listen(0, '127.0.0.1', () => fs.writeFileSync('hangs', String(hangs.address().port)));
END
node hang.mjs &
provider=$!
until_true test -s hangs
printf '[openid]\nissuer = http://127.0.0.1:%s\nclient_id = stint\n' "$(cat hangs)" >"$STINT_STORE/stint.conf"
start_server --workers 1
clock() { cut -d. -f1 /proc/uptime; }
began=$(clock)
curl -sS -o /dev/null "$at/login/openid" &
first=$!
until_true test -s came
for i in 1 2 3 4; do
    curl -sS -o out -w '%{http_code}\n' "$at/login/openid"
    curl -sS -o /dev/null -w '%{http_code}\n' "$at/api/v1/report?measure=jobs&from=2024"
done >codes
expect_equal '200 ' "$(sed -n 'n;p' codes | sort -u | tr '\n' ' ')"
expect_equal 0 "$(sed -n 'p;n' codes | grep -c 200)"
wait $first
check [ "$(wc -c <came)" -le $((1 + ($(clock) - began) / 30)) ]

finish
