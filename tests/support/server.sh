# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# A server for shell tests, after sh.sh:
#
#     . "$TESTS/support/server.sh"
#     start_server --prefix /stint
#     curl -sS "$at/api/v1/health"
#     curl -sS --unix-socket "$TMP/http" http://stint/api/v1/health
#     stop_server
#
# It is stopped at the end of the test in any case; a test that sets t_at_exit itself calls stop_server there.
# shellcheck disable=SC2034 # for the test
server=
server_listens=127.0.0.1:0 # a free port, another one each time: other tests may take the one that a server gave back
server_files=              # how many files it may have open; empty: as many as the test
t_at_exit=stop_server

# start_server OPTION...: on $server_listens and on a Unix socket; its address is in $at, its process in $server, what it says in
# server.out and server.err.
start_server() {
    : >server.err
    (
        # shellcheck disable=SC3045 # dash has it
        [ -z "$server_files" ] || ulimit -n "$server_files"
        exec "$STINT" serve --listen "$server_listens" --listen "local=unix:$TMP/http" "$@" >server.out 2>server.err
    ) &
    server=$!
    until_true grep -q 'serving.* on local=unix' server.err
    at=$(sed -n 's/.* on [a-z]*=*\(https*:\/\/[^ ]*\)$/\1/p' server.err | head -n 1)
}

# trust_proxy: the lines of [serve] in stint.conf by which a client of this machine that knows $proxy_secret is the proxy of the
# next server. proxy_says NAME CURL-OPTION...: asks as it, on behalf of a user.
proxy_secret=of-the-proxy-and-of-nobody-else
trust_proxy() {
    server_listens=proxy=127.0.0.1:0
    (umask 077 && echo "$proxy_secret" >"$TMP/proxy.secret")
    printf 'proxy = 127.0.0.1\nproxy_secret_file = %s\nproxy_groups = X-Remote-Groups\n' "$TMP/proxy.secret"
}
proxy_says() {
    t_named=$1
    shift
    curl -sS -H "X-Proxy-Secret: $proxy_secret" -H "X-Remote-User: $t_named" "$@"
}

# stop_server: and its status is in $server_status.
stop_server() {
    [ -z "$server" ] || kill "$server" 2>/dev/null
    [ -z "$server" ] || wait "$server"
    server_status=$?
    server=
}

# kill_server: without a chance to tidy up.
kill_server() {
    kill -9 "$server"
    wait "$server" 2>/dev/null
    server=
}
