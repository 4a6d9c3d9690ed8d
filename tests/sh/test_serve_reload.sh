#!/bin/sh
# SPDX-License-Identifier: MIT
#
# SIGHUP: stint serve reads stint.conf, the certificate and the key again, and refuses or cuts no request meanwhile.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

F=$TESTS/fixtures/import
made=0

# certificate NAME: a new one, in cert.pem and key.pem
certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
        -addext "subjectAltName=IP:127.0.0.1" -keyout key.pem -out cert.pem 2>/dev/null
    cp cert.pem "$1.pem"
}

# settings LINE...: are stint.conf
settings() { printf '%s\n' "$@" >store/stint.conf; }

# reload WORDS: and waits until the server says how it went, once more than before
reload() {
    made=$((made + 1))
    kill -HUP "$server"
    until_true has_said "$made" "$1"
}
has_said() { grep -E 'reloaded the settings|not reloaded' server.err | sed -n "$1p" | grep -q "$2"; }

status_of() { curl -sS -o /dev/null -w '%{http_code}' --cacert "$1.pem" "$at$2"; }
zone_of() { curl -sS --cacert "$1.pem" "$at/api/v1/site" | sed 's/.*"zone": *"\([^"]*\)".*/\1/'; }
jobs_known() { curl -sS --unix-socket "$TMP/http" 'http://x/api/v1/report.csv?measure=jobs&from=2024&to=2025' | tail -n 1; }
knows() { [ "$(jobs_known)" = "$1" ]; }
threads() { find "/proc/$server/task" -mindepth 1 -maxdepth 1 | wc -l; }
has_threads() { [ "$(threads)" -le "$1" ]; }
total='/api/v1/report.csv?measure=jobs&from=2024&to=2025'

mkdir store
stint import sge --cluster c "$F/accounting" >/dev/null
settings '[site]' 'zone = UTC' '[serve]' 'anyone = nothing'
certificate first
start_server --tls-cert cert.pem --tls-key key.pem
threads_before=$(threads)

it 'stint.conf is read again: who may see what, the zone, the address'
expect_equal 401 "$(status_of first "$total")"
expect_equal UTC "$(zone_of first)"
settings '[site]' 'zone = Europe/Berlin' '[serve]' 'anyone = totals' 'address = https://stint.example.org'
reload 'reloaded the settings of .*stint.conf'
expect_equal 200 "$(status_of first "$total")"
expect_equal Europe/Berlin "$(zone_of first)"
expect_out 'https://stint.example.org/explore/jobs' stint open report jobs

it 'certificate and key are read again'
certificate second
expect_equal 200 "$(status_of first "$total")"
reload 'reloaded the settings'
expect_equal 200 "$(status_of second "$total")"
expect_exit 60 curl -sS --cacert first.pem "$at$total"

it 'what a new section follows is followed, what an old one followed no longer'
cp "$F/accounting" log
settings '[serve]' 'anyone = nothing' '[follow grid]' 'source = sge' "file = $TMP/log" 'cluster = d'
reload 'reloaded the settings'
until_true knows 16
expect_equal 16 "$(jobs_known)"
expect_equal 401 "$(status_of second "$total")"
settings '[serve]' 'anyone = totals'
reload 'reloaded the settings'
cat "$F/accounting.more" >>log
cp log other
settings '[serve]' 'anyone = totals' '[follow other]' 'source = sge' "file = $TMP/other" 'cluster = e'
reload 'reloaded the settings'
until_true knows 26
expect_equal 26 "$(jobs_known)"

it 'settings that are wrong are said, and the previous ones stay in use'
settings '[serve]' 'anyone = everything'
reload 'not reloaded, the previous ones stay in use: .*anyone'
expect_equal 200 "$(status_of second "$total")"
settings '[serve]' 'anyone = totals'
cp key.pem good.pem
echo nonsense >key.pem
reload 'not reloaded, the previous ones stay in use: .*certificate'
expect_equal 200 "$(status_of second "$total")"
rm key.pem
reload 'not reloaded, the previous ones stay in use: .*key.pem'
expect_equal 200 "$(status_of second "$total")"
mv good.pem key.pem
reload 'reloaded the settings'

it 'no request is refused or cut meanwhile, on new connections and on those that stay open'
: >codes
(
    while [ ! -e enough ]; do
        curl -sS -o /dev/null -w '%{http_code}\n' --cacert second.pem "$at$total" -o /dev/null "$at$total&by=cluster" >>codes 2>>cut
    done
) &
asker=$!
for round in 1 2 3 4 5; do
    asked=$(wc -l <codes)
    reload 'reloaded the settings'
    until_true eval '[ "$(wc -l <codes)" -gt "$asked" ]'
done
: >enough
wait "$asker"
expect_equal 200 "$(sort -u codes)"
expect_equal '' "$(cat cut)"

it 'what is no longer used is released'
check until_true has_threads "$threads_before"

it 'it ends as before'
stop_server
expect_equal 0 "$server_status"

it 'signals that come faster than it reloads are one, and it ends also while it reloads'
start_server
for round in 1 2 3 4 5 6 7 8 9 10; do
    kill -HUP "$server"
done
stop_server
expect_equal 0 "$server_status"

finish
