#!/bin/sh
# SPDX-License-Identifier: MIT
#
# One number, however it is asked for: by the command line alone, through the socket, from elsewhere, over the API and on a
# page. Of every measure there is.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

F=$TESTS/fixtures
stint import sge --cluster grid "$F/import/accounting" >/dev/null
stint import slurm --cluster slurm "$F/slurm/sacct-22.05" >/dev/null
stint measures --format csv --no-header | cut -d, -f 1 >measures
all=$(paste -s -d , measures)
from='--by cluster --from 2020 --to 2025'
period='by=cluster&from=2020&to=2025'

# shellcheck disable=SC2086 # words
asked() { stint report "$all" $from "$@"; }
asked --format csv >want.csv

it 'the numbers to compare are there'
expect_equal 3 "$(wc -l <want.csv)"
check [ "$(wc -l <measures)" -gt 60 ]

start_server

it 'through the socket'
expect_out want.csv asked --format csv

it 'from elsewhere'
STINT_TOKEN=$(stint token add remote --role staff --format csv --no-header | cut -d, -f 2)
export STINT_TOKEN
expect_out want.csv asked --format csv --store "$TMP/nowhere" --server "$at"

it 'over the API'
expect_out want.csv curl -sS -H "Authorization: Bearer $STINT_TOKEN" "$at/api/v1/report.csv?measure=$all&$period"

# Alone, since a table of all measures has rows that one of them alone would not have.
it 'on a page, for every measure'
: >differ
while read -r measure; do
    # shellcheck disable=SC2086 # words
    stint report "$measure" $from --format markdown | sed -n '/^| *\(grid\|slurm\) /p' | tr -d ' ' | tr '|' ' ' >want
    curl -sS --unix-socket "$TMP/http" "http://x/explore/$measure?$period" >page
    sed -n 's/<span title="\([^"]*\)">[^<]*<\/span>/\1/g; s/^<tr><td[^>]*><a[^>]*>\(grid\|slurm\)<\/a><\/td><td[^>]*>\([^<]*\)<.*<\/tr>$/ \1|\2 /p' page |
        sed 's/<[^>]*>//g; s/&nbsp;//g; s/&lt;/</g' | tr -d ' ' | tr '|' ' ' | sed 's/.*/ & /' >got
    cmp -s want got || { echo "$measure"; diff want got; } >>differ
    cat got >>seen
done <measures
expect_equal '' "$(cat differ)"
check [ "$(wc -l <seen)" -gt 100 ]

finish
