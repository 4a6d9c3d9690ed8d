#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How callers are identified is a property of the listener: open, local or proxy, behind a real nginx. And what a browser sends
# without its user's knowledge changes nothing.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

role_of() { sed 's/.*"role":"\([^"]*\)".*/\1/'; }
name_of() { sed 's/.*"name":"\([^"]*\)".*/\1/'; }
csrf_of() { sed 's/.*"csrf":"\([^"]*\)".*/\1/'; }
code() { "$@" -o /dev/null -w '%{http_code}'; }

stint import sge --cluster c "$TESTS/fixtures/import/accounting" >/dev/null
check stint user add vera --role admin --password 'correct horse battery'
check stint user add ann --role user --password 'correct horse battery'

# --- nginx -----------------------------------------------------------------------------------------------

nginx=
# start_nginx LINE...: in front of $upstream, with these lines in its location, on the Unix socket $TMP/front; started again in place.
start_nginx() {
    stop_nginx
    mkdir -p nginx
    # As root, its workers are www-data, as on a site; otherwise they are whoever runs the test.
    worker=$([ "$(id -u)" -eq 0 ] && echo 'user www-data;')
    {
        echo "$worker daemon off; pid $TMP/nginx/pid; error_log $TMP/nginx/error; events { } http { access_log off;"
        for folder in client_body proxy fastcgi uwsgi scgi; do echo "${folder}_temp_path $TMP/nginx/$folder;"; done
        echo "server { listen unix:$TMP/front; location / { proxy_pass $upstream;"
        printf '%s\n' 'proxy_set_header Host $host;' "$@"
        echo '} } }'
    } >nginx/conf
    # what workers make lies below $TMP, which only the test's user may enter
    chmod 755 "$TMP"
    nginx -p "$TMP/nginx" -c "$TMP/nginx/conf" -e "$TMP/nginx/error" 2>nginx/said &
    nginx=$!
    until_true test -S "$TMP/front"
}
stop_nginx() {
    [ -z "$nginx" ] || kill "$nginx"
    [ -z "$nginx" ] || wait "$nginx"
    nginx=
    rm -f "$TMP/front"
}
end_servers() { stop_nginx; stop_server; }
t_at_exit=end_servers
# front PATH CURL-OPTION...: as a browser does.
front() { t_path=$1; shift; curl -sS --unix-socket "$TMP/front" "$@" "http://stint.example$t_path"; }

it 'a Unix socket is open: who comes through nginx is nobody until they log in'
server_listens=unix:$TMP/open
"$STINT" serve --listen "unix:$TMP/open" --listen "local=unix:$TMP/http" >server.out 2>server.err &
server=$!
until_true grep -q 'serving.* on local=unix' server.err
upstream=http://unix:$TMP/open:
start_nginx 'proxy_set_header X-Remote-User "";'
expect_equal anyone "$(front /api/v1/whoami | role_of)"
expect_equal 401 "$(code front /api/v1/doctor)"
expect_equal 204 "$(code front /api/v1/login -c jar -d 'name=vera&password=correct+horse+battery')"
expect_equal admin "$(front /api/v1/whoami -b jar | role_of)"
expect_equal admin "$(curl -sS --unix-socket "$TMP/http" http://x/api/v1/whoami | role_of)"
expect_equal anyone "$(curl -sS --unix-socket "$TMP/open" http://x/api/v1/whoami -H 'X-Remote-User: vera' | role_of)"

it 'no cache keeps what is for one reader, and every reply says what it depends on'
for path in / /api/v1/whoami /api/v1/report?measure=jobs /api/v1/no /no /login; do
    front "$path" -b jar -D head -o /dev/null
    expect_equal 'Cache-Control: private, no-store' "$(grep -i '^cache-control' head | tr -d '\r')"
    expect_equal 1 "$(grep -ic '^vary:.*cookie' head)"
done

it 'a form needs the token of its page and the origin of this site'
csrf=$(front /api/v1/whoami -b jar | csrf_of)
add() { t_word=$1; shift; code front /api/v1/metagroup -b jar -d "action=add&word=$t_word" "$@"; }
expect_equal 403 "$(add a -H "X-CSRF-Token: $csrf")"
expect_equal 403 "$(add a -H "X-CSRF-Token: $csrf" -H 'Origin: https://elsewhere.example')"
expect_equal 403 "$(add a -H "X-CSRF-Token: $csrf" -H 'Origin: null')"
expect_equal 403 "$(add a -H "X-CSRF-Token: $csrf" -H 'Origin: http://stint.example.elsewhere.example')"
expect_equal 403 "$(add a -H 'Origin: http://stint.example')"
expect_equal 200 "$(add a -H "X-CSRF-Token: $csrf" -H 'Origin: http://stint.example')"
expect_equal 200 "$(add b -H "X-CSRF-Token: $csrf" -H 'Referer: http://stint.example/page')"
expect_equal 403 "$(code front /api/v1/login -H 'Origin: https://elsewhere.example' -d 'name=vera&password=correct+horse+battery')"

it 'on a local socket, a page in a browser needs the token, too; programs do not'
local_add() { t_word=$1; shift; code curl -sS --unix-socket "$TMP/http" -d "action=add&word=$t_word" "$@" http://x/api/v1/metagroup; }
expect_equal 200 "$(local_add c)"
expect_equal 403 "$(local_add d -H 'Origin: https://elsewhere.example')"
expect_equal 403 "$(local_add d -H 'Origin: http://x')"
token=$(curl -sS --unix-socket "$TMP/http" http://x/api/v1/whoami | csrf_of)
expect_equal 200 "$(local_add d -H 'Origin: http://x' -H "X-CSRF-Token: $token")"
stop_server

it 'a proxy on a Unix socket is recognised by its user'
if need_root; then
    printf '[serve]\nlisten = proxy=unix:%s, local=unix:%s\nproxy_uids = www-data\n' "$TMP/upstream" "$TMP/http" >"$STINT_STORE/stint.conf"
    "$STINT" serve >server.out 2>server.err &
    server=$!
    until_true grep -q 'serving.* on local=unix' server.err
    upstream=http://unix:$TMP/upstream:
    start_nginx 'proxy_set_header X-Remote-User $http_test_user;' 'proxy_set_header X-Forwarded-For $http_test_client;'
    expect_equal admin "$(front /api/v1/whoami -H 'Test-User: vera' | role_of)"
    expect_equal ann "$(front /api/v1/whoami -H 'Test-User: ann' | name_of)"
    expect_equal anyone "$(front /api/v1/whoami | role_of)"

    it 'another user of the machine cannot speak for it'
    expect_equal anyone "$(curl -sS --unix-socket "$TMP/upstream" http://x/api/v1/whoami -H 'X-Remote-User: vera' | role_of)"
    expect_equal anyone "$(setpriv --reuid 65534 --regid 65534 --clear-groups curl -sS --unix-socket "$TMP/upstream" http://x/api/v1/whoami -H 'X-Remote-User: vera' | role_of)"

    it 'groups are not read from a proxy unless stint.conf names their header'
    expect_equal user "$(front /api/v1/whoami -H 'Test-User: ann' -H 'X-Remote-Groups: root' | role_of)"

    it 'a page elsewhere cannot add an administrator in the name of one'
    evil() { code front /api/v1/user -H 'Test-User: vera' -d 'action=add&word=eve&role=admin&password=correct+horse+battery' "$@"; }
    expect_equal 403 "$(evil)"
    expect_equal 403 "$(evil -H 'Origin: https://elsewhere.example')"
    expect_equal 403 "$(evil -H 'Origin: http://stint.example')"
    csrf=$(front /api/v1/whoami -H 'Test-User: ann' | csrf_of)
    expect_equal 403 "$(evil -H 'Origin: http://stint.example' -H "X-CSRF-Token: $csrf")"
    csrf=$(front /api/v1/whoami -H 'Test-User: vera' | csrf_of)
    expect_equal 403 "$(evil -H 'Origin: https://elsewhere.example' -H "X-CSRF-Token: $csrf")"
    expect_equal '' "$(stint user list --format csv | grep eve)"
    expect_equal 200 "$(evil -H 'Origin: http://stint.example' -H "X-CSRF-Token: $csrf")"
    token=$(stint token add program --role admin --format csv --no-header | cut -d, -f 2)
    expect_equal 200 "$(code front /api/v1/metagroup -H "Authorization: Bearer $token" -d 'action=add&word=by-program')"

    it 'failed log-ins count for the client that the proxy names, not for the proxy nor for the name'
    : >tries
    wrong() {
        echo >>tries
        code front /api/v1/login -H "Test-Client: $1" -d "name=$2&password=wrong"
    }
    right() {
        echo >>tries
        code front /api/v1/login -H "Test-Client: $1" -b wait -c wait -d 'name=ann&password=correct+horse+battery'
    }
    i=0
    while [ $i -lt 12 ]; do
        wrong '203.0.113.9, 198.51.100.7' ann >/dev/null
        i=$((i + 1))
    done
    expect_equal 429 "$(wrong '198.51.100.7' ann)"
    expect_equal 403 "$(wrong '203.0.113.9' ann)"
    : >wait
    expect_equal 204 "$(right '203.0.113.10')"

    it 'the right password gets in after a wait, from the address of those who fail, too'
    : >wait
    expect_equal 429 "$(right '198.51.100.7')"
    gets_in() { [ "$(right '198.51.100.7')" = 204 ]; }
    check until_true gets_in
    expect_equal 429 "$(wrong '198.51.100.7' ann)"

    it 'refusals are counted: a line for the first of a client in a minute, one for its others, and 30 clients a minute'
    took=$(cut -d. -f1 /proc/uptime)
    i=0
    while [ $i -lt 70 ]; do # more than 30 in one minute also where another one begins meanwhile
        wrong "192.0.2.$i" eve >/dev/null
        i=$((i + 1))
    done
    stop_server
    took=$(($(cut -d. -f1 /proc/uptime) - took))
    stint audit list --limit 100000 --format csv --no-header >audit
    # All are there, one by one or counted: of all tries, two got in.
    expect_equal $(($(wc -l <tries) - 2)) "$(awk '/login refused|login tried too often/ { n++ } match($0, /refused [0-9]+ more/) { n += substr($0, RSTART + 8) } END { print n }' audit)"
    expect_exit 0 grep -q '198.51.100.7,refused [0-9]* more times' audit
    [ $took -ge 55 ] || expect_exit 0 grep -q 'several addresses,refused' audit
    stop_server
fi
stop_nginx

it 'a proxy with an address of this machine needs a secret that no other process has'
printf '[serve]\nproxy = 127.0.0.1\n' >"$STINT_STORE/stint.conf"
expect_exit 2 stint serve --listen proxy=127.0.0.1:0
expect_err_has 'could pretend to be the proxy'
expect_exit 2 stint serve --listen 127.0.0.1:0
expect_err_has 'no listener is for it'
expect_exit 2 stint serve --listen "proxy=unix:$TMP/upstream"
expect_err_has proxy_uids
expect_exit 2 stint serve --listen local=127.0.0.1:0
expect_err_has 'cannot be local'
expect_exit 2 stint serve --listen nobody=127.0.0.1:0
echo short >"$TMP/proxy.secret"
printf '[serve]\nproxy = 127.0.0.1\nproxy_secret_file = %s\n' "$TMP/proxy.secret" >"$STINT_STORE/stint.conf"
expect_exit 1 stint serve --listen proxy=127.0.0.1:0
expect_err_has 'shorter than 16'
{ echo '[serve]' && trust_proxy; } >"$STINT_STORE/stint.conf"
start_server
expect_equal admin "$(proxy_says vera "$at/api/v1/whoami" | role_of)"
expect_equal anyone "$(curl -sS -H 'X-Remote-User: vera' "$at/api/v1/whoami" | role_of)"
expect_equal anyone "$(curl -sS -H 'X-Remote-User: vera' -H "X-Proxy-Secret: guessed" "$at/api/v1/whoami" | role_of)"
stop_server

it 'a head that can be read in two ways is refused, and no header is dropped unseen'
{ echo '[serve]' && trust_proxy; } >"$STINT_STORE/stint.conf"
start_server
many=
i=0
while [ $i -lt 70 ]; do
    many="$many -H X-A$i:b"
    i=$((i + 1))
done
# shellcheck disable=SC2086 # words
expect_equal 431 "$(code proxy_says ann $many -H 'X-Remote-User: vera' "$at/api/v1/whoami")"
raw() { # TEXT: sends a request byte by byte as given, prints the status of the reply
    printf "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n$1\r\nConnection: close\r\n\r\n" |
        curl -sS --http0.9 -m 600 "telnet://${at#http://}" | sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p'
}
expect_equal 200 "$(raw 'X-A: b')"
expect_equal 400 "$(raw 'X-A : b')"
expect_equal 400 "$(raw 'X\tA: b')"
expect_equal 400 "$(raw 'X-A: b\rX-B: c')"
expect_equal 400 "$(raw 'X-A: \001')"
stop_server

# What is said of the address comes before what is said of the next one, which start_server waits for.
rm -f "$STINT_STORE/stint.conf"
it 'an address that others reach without encryption is warned of, and no other'
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>/dev/null
warnings() { # LISTEN OPTION...
    server_listens=$1
    shift
    start_server "$@"
    grep -c 'warning: passwords and tokens sent to .* unencrypted' server.err
    stop_server
}
expect_equal 1 "$(warnings 0.0.0.0:0)"
expect_equal 0 "$(warnings 0.0.0.0:0 --tls-cert cert.pem --tls-key key.pem)"
expect_equal 0 "$(warnings 127.0.0.1:0)"

it 'cookies are for encrypted connections only where browsers reach the server by https'
printf '[serve]\naddress = https://stint.example\n' >"$STINT_STORE/stint.conf"
server_listens=127.0.0.1:0
start_server
curl -sS -D head -o /dev/null -d 'name=vera&password=correct+horse+battery' "$at/api/v1/login"
expect_equal 1 "$(grep -ic '^set-cookie:.*; secure' head)"
expect_equal 1 "$(grep -ic '^strict-transport-security: max-age=' head)"
stop_server

finish
