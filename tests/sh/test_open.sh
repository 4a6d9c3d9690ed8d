#!/bin/sh
# SPDX-License-Identifier: MIT
#
# From a question on the command line to its page: stint open, and the last line of a report on a terminal.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

# page LINK: its text, as the user of this machine.
page() { curl -sS --unix-socket "$TMP/http" "http://stint/stint${1#"$at"}"; }
# typed COMMAND: its last line on a terminal
typed() { script -qec "$1" /dev/null </dev/null | tr -d '\r' | tail -n 1; }

stint import sge --cluster c "$TESTS/fixtures/import/accounting" >/dev/null

it 'without a server there is no page, and it says how to get one'
expect_exit 1 stint open report jobs
expect_err_has "start one with stint serve"

start_server --prefix /stint

it 'prints the page of a question, with its parameters'
expect_out "$at/" stint open
expect_out "$at/explore/jobs,cpu_hours?by=user&from=2024&to=2025" stint open report jobs,cpu_hours --by user --from 2024 --to 2025
expect_out "$at/explore/jobs,cpu_hours" stint open report jobs cpu_hours
expect_out "$at/answer/usage?user=alice" stint open usage -u alice
expect_out "$at/jobs?user=alice&from=30d" stint open jobs -u alice
expect_out "$at/job/4711" stint open job 4711

it 'what is asked wrongly is refused as the command would'
expect_exit 2 stint open report jobs --evrey day
expect_exit 2 stint open reprot
expect_err_has "did you mean 'stint report'"
expect_exit 2 stint open import sge x
expect_err_has 'there is no page for stint import'

it 'opens it with the browser that is named'
printf '#!/bin/sh\nprintf "%%s" "$1" >"%s/opened"\n' "$TMP" >browser
chmod +x browser
check env BROWSER="$TMP/browser" "$STINT" open report jobs --browser
expect_equal "$at/explore/jobs" "$(cat opened)"
expect_exit 1 env BROWSER="$TMP/nothing" "$STINT" open report jobs --browser
expect_err_has 'set $BROWSER'

it 'a report on a terminal ends with the link to its page, which answers the same'
if need_terminal; then
    expect_equal "$at/answer/usage?from=2024&to=2025&by=user" "$(typed "$STINT usage --from 2024 --to 2025 --by user")"
    stint report jobs --by user --from 2024 --to 2025 --format csv | sed -n '2,$s/,.*//p' | while read -r name; do
        [ -z "$name" ] || page "$(typed "$STINT report jobs --by user --from 2024 --to 2025")" | grep -c ">$name<" >/dev/null || echo "$name"
    done >missing
    expect_equal '' "$(cat missing)"
    expect_equal '' "$(typed "$STINT report jobs --from 2024 --to 2025 --quiet" | grep http)"
    expect_equal '' "$(typed "$STINT report jobs --from 2024 --to 2025 --format csv" | grep http)"
    expect_equal '' "$(typed "$STINT metagroup add science" | grep http)"
    expect_equal '' "$(stint report jobs --from 2024 --to 2025 | grep http)"
fi

it 'a question without a page of its own is answered at /answer, one that changes something is not'
page "$at/answer/usage?from=2024&to=2025" >usage.html
check grep -q 'stint usage --from 2024 --to 2025' usage.html
expect_equal 404 "$(curl -sS -o /dev/null -w '%{http_code}' --unix-socket "$TMP/http" 'http://stint/stint/answer/metagroup?action=add&word=arts')"
expect_equal 404 "$(curl -sS -o /dev/null -w '%{http_code}' --unix-socket "$TMP/http" 'http://stint/stint/answer/nothing')"
expect_equal 0 "$(stint metagroup list --format csv | grep -c arts)"
stop_server

it 'the address that stint.conf names is the one that is printed'
printf '[serve]\naddress = https://stint.example.org/\n' >"$STINT_STORE/stint.conf"
start_server --prefix /stint
expect_out 'https://stint.example.org/explore/jobs' stint open report jobs
expect_out 'https://elsewhere.example/explore/jobs' stint open report jobs --server https://elsewhere.example/

finish
