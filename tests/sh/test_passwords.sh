#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Passwords that people change themselves, tokens that go with them, and secrets in files.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

check stint user add ann --role user --password 'correct horse battery'
check stint user add bob --role user --password 'correct horse battery'
start_server
code() { "$@" -o /dev/null -w '%{http_code}'; }
ask() { t_path=$1; shift; curl -sS "$@" "$at/api/v1/$t_path"; }
log_in() { code ask login -c "$1.jar" --data-urlencode "name=$1" --data-urlencode "password=$2"; }
csrf_of() { ask whoami -b "$1.jar" | sed 's/.*"csrf":"\([^"]*\)".*/\1/'; }
# changes USER FIELD...: posts the form of /me.
changes() {
    t_who=$1
    shift
    code curl -sS -b "$t_who.jar" -H "Origin: $at" -d "csrf=$(csrf_of "$t_who")&back=/me&action=passwd&$1" "$at/do/user"
}

it 'people change their own password, with the one they have, and nobody else'"'"'s'
expect_equal 204 "$(log_in ann 'correct horse battery')"
check sh -c "curl -sS -b ann.jar '$at/me' | grep -q 'My password'"
token=$(ask token.csv -b ann.jar -H "Origin: $at" -H "X-CSRF-Token: $(csrf_of ann)" -d 'action=add&word=laptop' | tail -n 1 | cut -d, -f 2)
bearer() { code ask whoami -H "Authorization: Bearer $token"; }
expect_equal 200 "$(bearer)"
expect_equal 403 "$(changes ann 'word=ann&old=wrong&password=another+horse+battery')"
expect_equal 403 "$(changes ann 'word=ann&password=another+horse+battery')"
expect_equal 403 "$(changes ann 'word=bob&old=correct+horse+battery&password=another+horse+battery')"
expect_equal 400 "$(changes ann 'word=ann&old=correct+horse+battery&password=short')"
expect_equal 403 "$(code ask user -H "Authorization: Bearer $token" -d 'action=passwd&word=ann&old=correct+horse+battery&password=another+horse+battery')"
expect_equal 303 "$(changes ann 'word=ann&old=correct+horse+battery&password=another+horse+battery')"
expect_equal 401 "$(code ask jobs -b ann.jar)"
expect_equal 403 "$(log_in ann 'correct horse battery')"
expect_equal 204 "$(log_in ann 'another horse battery')"

it 'tokens stay unless they are to be revoked, too'
expect_equal 200 "$(bearer)"
check stint user passwd ann --password 'yet another horse' --revoke-tokens
expect_equal 401 "$(bearer)"

it 'form tokens of who has no session are the same after a restart'
local_csrf() { curl -sS --unix-socket "$TMP/http" http://x/api/v1/whoami | sed 's/.*"csrf":"\([^"]*\)".*/\1/'; }
before=$(local_csrf)
stop_server
start_server
expect_equal "$before" "$(local_csrf)"
stop_server

it 'secrets of stint.conf may lie in files, and config check warns of those that others can read'
(umask 077 && echo 'hunter two' >mail.secret)
printf '[mail]\nfrom = stint@example.org\nsmtp = smtp://localhost\nuser = stint\npassword_file = %s\n' "$TMP/mail.secret" >"$STINT_STORE/stint.conf"
expect_exit 0 stint config check
check [ -z "$(grep -i 'can read\|cannot read' "$OUT")" ]
expect_exit 0 stint config show
expect_out_has '(set)'
chmod 644 mail.secret
expect_exit 0 stint config check
expect_out_has "every user of this machine can read the secret 'password'"
rm mail.secret
expect_exit 0 stint config check
expect_out_has 'cannot read the secret in'
printf '[mail]\nfrom = stint@example.org\nsmtp = smtp://localhost\nuser = stint\npassword = hunter\n' >"$STINT_STORE/stint.conf"
chmod 644 "$STINT_STORE/stint.conf"
expect_exit 0 stint config check
expect_out_has 'or put it into a file of its own'
chmod 600 "$STINT_STORE/stint.conf"
expect_exit 0 stint config check
check [ -z "$(grep -i 'can read' "$OUT")" ]
echo 'password_file = /nowhere' >>"$STINT_STORE/stint.conf"
expect_exit 1 stint config check
expect_err_has 'both set'

finish
