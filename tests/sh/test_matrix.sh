#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Who may ask what, whatever way they come in: every operation x role (and each right) x way, what is allowed and what is denied; that nothing in a request
# shows more; and that no name attacks whoever reads it. One server, whose site is tests/support/hostile_site.sh.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"
. "$TESTS/support/hostile_site.sh"

# --- the people -----------------------------------------------------------------------------------------

# A token and a user of each role, who count ann's runs as their own and manage her group and account. A Unix user has a role by rule;
# one without is a stranger, who has no runs.
rights='--logins ann --groups anngro --accounts annacc'
password='correct horse battery'
mkdir -p "$STINT_STORE"
{ echo '[serve]' && trust_proxy; } >"$STINT_STORE/stint.conf"
cat >>"$STINT_STORE/stint.conf" <<'CONF'

[access clerks]
users = daemon
role = manager
manages_groups = anngro
manages_accounts = annacc

[access operators]
users = bin
role = staff
CONF
start_server
hostile_site

# shellcheck disable=SC2086 # words
token() { stint token add "t-$1" --role "$1" $rights --format csv --no-header 2>>"$ERR" | cut -d, -f 2; }
csrf_of() { sed 's/.*"csrf":"\([^"]*\)".*/\1/'; }
# entry ROLE JSON: a line of a way
entry() { printf ', "%s": {%s}\n' "$1" "$2"; }
logged_in() {
    # shellcheck disable=SC2086
    stint user add "p-$1" --role "$1" $rights --password "$password" >/dev/null
    curl -sS -o /dev/null -c jar --data-urlencode "name=p-$1" --data-urlencode "password=$password" "$at/api/v1/login"
    entry "$1" "\"headers\": {\"Cookie\": \"stint_session=$(awk '/stint_session/ { print $7 }' jar)\"}, \"csrf\": \"$(curl -sS -b jar "$at/api/v1/whoami" | csrf_of)\""
}
roles='user manager staff admin'
single='own managed all transfer money books access samples chores'
{
    printf '{"at": "%s", "store": "%s", "asker": "%s",\n' "$at" "$STINT_STORE" "$TMP/asker"
    printf '"operations": [%s], "ways": {\n' "$(stint help --names | sed 's/.*/"&"/' | paste -s -d ,)"
    echo '"token": {"anyone": {}'
    for role in agent $roles operator treasurer; do
        token "$role" >"token.$role"
        entry "$role" "\"headers\": {\"Authorization\": \"Bearer $(cat "token.$role")\"}"
    done
    echo '}, "token of one right": {"anyone": {}'
    for right in $single; do
        # shellcheck disable=SC2086 # words
        entry "$right" "\"headers\": {\"Authorization\": \"Bearer $(stint token add "r-$right" --role admin --rights "$right" $rights --format csv --no-header 2>>"$ERR" | cut -d, -f 2)\"}"
    done
    echo '}, "session": {"forms": true, "anyone": {}'
    for role in $roles; do logged_in "$role"; done
    echo '}, "proxy": {"forms": true, "anyone": {}'
    for role in $roles; do
        entry "$role" "\"headers\": {\"X-Remote-User\": \"p-$role\", \"X-Proxy-Secret\": \"$proxy_secret\"}"
    done
    echo '}, "token, from a command line elsewhere": {"kind": "remote", "anyone": {}'
    for role in $roles; do entry "$role" "\"environment\": {\"STINT_TOKEN\": \"$(cat "token.$role")\"}"; done
    if [ "$(id -u)" -eq 0 ]; then
        printf '}, "the Unix socket": {"kind": "uids", "user": {"uid": 3, "stranger": true, "socket": "%s/http"}, "manager": {"uid": 1, "socket": "%s/http"}' "$TMP" "$TMP"
        printf ', "staff": {"uid": 2, "socket": "%s/http"}, "admin": {"uid": 0, "socket": "%s/http"}' "$TMP" "$TMP"
        printf '}, "the socket of the store": {"kind": "store", "staff": {"uid": 2}, "admin": {"uid": 0}'
    fi
    printf '}}, "hostile": {"job": "70003"'
    for name in user group account project department partition qos reservation gpu_type name node cluster metagroup; do printf ', "%s": %s' $name "$(node -p 'JSON.stringify(require("fs").readFileSync(process.argv[1], "utf8"))' "hostile.$name")"; done
    echo '}}'
} >people.json
for name in door matrix matrix_rows pages hidden inert; do cp "$TESTS/support/$name.mjs" .; done
cp "${STINT%/bin/stint}/tests/asker" .

# asked PROGRAM [WORD]...: prints what is wrong. looked: at how much.
asked() {
    node "$@" >said 2>&1
    sed '/^[0-9]* looked at$/d' said | head -n 20
}
looked() { sed -n 's/ looked at$//p' said; }

# --- every operation, every role, every way ---------------------------------------------------------------

it 'every operation, by every role and every way: what is allowed and what is denied'
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 . "$STINT_STORE"
    chgrp 2 "$STINT_STORE/facts.duckdb"
    chmod 640 "$STINT_STORE/facts.duckdb"
    chmod 644 people.json
    chmod 666 http
    stop_server
    start_server
    sed "s|\"at\": \"[^\"]*\"|\"at\": \"$at\"|" people.json >people.new && cp people.new people.json
    chmod 666 http
fi
expect_equal '' "$(asked matrix.mjs)"
check [ "$(looked)" -gt 2000 ]

# --- nothing shows more -------------------------------------------------------------------------------------

it 'nothing in a request, nor what was made for somebody else, shows more than one may see'
expect_equal '' "$(asked hidden.mjs "$TOP/src/serve/pages/pages.c")"
check [ "$(looked)" -gt 200 ]

# --- no name attacks its reader -----------------------------------------------------------------------------

it 'no name leaves its place, in pages, pictures, tables, JSON and metrics'
expect_equal '' "$(asked inert.mjs)"
check [ "$(looked)" -gt 60 ]
expect_exit 0 xmllint --noout shown.*.svg
expect_no_err
expect_exit 0 promtool check metrics <metrics
expect_equal '' "$(cat "$OUT" "$ERR")"

finish
