#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint serve at work: what it follows and takes in is in its answers at once, also after it was killed.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

F=$TESTS/fixtures/import

jobs_known() { curl -sS --unix-socket "$TMP/http" 'http://x/api/v1/report.csv?measure=jobs&from=2024&to=2025' | tail -n 1; }
knows() { [ "$(jobs_known)" = "$1" ]; }

it 'a file of stint.conf is followed'
mkdir store
cp "$F/accounting" log
printf '[follow grid]\nsource = sge\nfile = %s/log\ncluster = c\n' "$TMP" >store/stint.conf
check stint config check
start_server
until_true knows 8
expect_equal 8 "$(jobs_known)"
cat "$F/accounting.more" >>log
until_true knows 10
expect_equal 10 "$(jobs_known)"

it 'what is imported through it is in the next answer, cached or not'
expect_equal 10 "$(jobs_known)"
check stint import sge --cluster d "$F/accounting"
expect_equal 18 "$(jobs_known)"

it 'killed, it leaves the store whole, and the next one goes on'
kill_server
expect_out 'jobs
18' stint report jobs --from 2024 --to 2025 --format csv
start_server
expect_equal 18 "$(jobs_known)"

it 'follows nothing where it is not to'
stop_server
expect_equal 0 "$server_status"
sed 's/:1:sge:/:99:sge:/; 1q' "$F/accounting" >>log
start_server --no-pull
expect_equal 18 "$(jobs_known)"
stop_server

it 'a section that cannot be is said before it begins'
printf '[follow grid]\nsource = sge\n' >store/stint.conf
expect_exit 1 stint serve --listen "unix:$TMP/http"
expect_err_has "this section needs 'file = ...'"
printf '[serve]\nanyone = everything\n' >store/stint.conf
expect_exit 1 stint serve --listen "unix:$TMP/http"
expect_err_has 'anyone'

finish
