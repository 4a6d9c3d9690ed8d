#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Changes of the bank: who may move what, what a repeated --id answers, and that moving SU neither makes any nor keeps them from expiring.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

balance() { stint bank balance "$1" --format csv --no-header | cut -d, -f6; }
allotments() { stint bank allotments "$1" --format csv --no-header; }

for name in chem bio free; do check stint bank open $name --from 2020-01-01; done
check stint bank grant chem 100 --from 2020-01-01 --to 2098
check stint bank grant bio 10 --from 2020-01-01 --to 2099
check stint bank grant free unlimited --from 2020-01-01

# --- a repeated id ----------------------------------------------------------------------------------------

# twice COMMAND...: the second answers as the first did, and changes nothing.
twice() {
    check stint bank "$@"
    cp "$OUT" once
    expect_exit 0 stint bank "$@"
    expect_same once "$OUT"
}
it 'a transfer that is repeated answers as the first time, though there is less now'
twice transfer chem 60 --into bio --id t1 --format csv
expect_equal 40 "$(balance chem)"
check stint bank transfer chem 60 --into bio --id t1
expect_out_has "'t1' was posted before: nothing was changed"
it 'so does an adjustment, up and down'
twice adjust chem 35 --less --id a1 --format csv
twice adjust chem 1 --id a2 --format csv
expect_equal 6 "$(balance chem)"
it 'so does a grant, and one that is unlimited'
twice grant chem 4 --id g1 --from 2020-01-01 --format csv
twice grant free unlimited --id u1 --format csv
expect_equal 2 "$(allotments free | wc -l)"
it 'an id is of one change'
expect_exit 1 stint bank transfer chem 1 --into bio --id t1
expect_err_has "another entry has the id 't1'"
expect_exit 1 stint bank transfer bio 60 --into chem --id t1
expect_exit 1 stint bank adjust chem 35 --id a1
expect_exit 1 stint bank grant chem 35 --id a1
expect_exit 1 stint bank grant chem 5 --id u1
expect_exit 1 stint bank grant chem unlimited --id u1
expect_exit 1 stint bank grant chem unlimited --id a1
expect_equal 10 "$(balance chem)"
it 'and stays so in a dump'
check stint books dump --output books.json
check stint --store "$TMP/other" books restore books.json
expect_exit 0 stint --store "$TMP/other" bank grant free unlimited --id u1
expect_out_has 'was posted before'
check stint --store "$TMP/other" bank check

# --- nothing is made or kept from expiring ----------------------------------------------------------------

it 'nobody moves SU out of what is unlimited'
expect_exit 1 stint bank transfer free 1000 --into chem
expect_err_has "'free' is unlimited, and what is moved from there would come from nowhere"
it 'what is moved ends when it would have ended: there and back is no way around expiry'
check stint bank open short --from 2020-01-01
check stint bank open long --from 2020-01-01
check stint bank grant short 50 --from 2020-01-01 --to 2090
check stint bank grant long 5 --from 2020-01-01 --to 2095
check stint bank transfer short 50 --into long
expect_equal '2091-01-01 50,2096-01-01 5,' "$(allotments long | awk -F, '{ print $5, $10 }' | cut -c1-10,21- | tr '\n' ,)"
check stint bank transfer long 50 --into short
expect_equal 50 "$(balance short)"
expect_equal '2091-01-01' "$(allotments short | cut -d, -f 5 | cut -c1-10 | sort -u)"
it 'and is for the same clusters'
check stint bank grant short 7 --from 2020-01-01 --to 2080 --cluster birch
check stint bank transfer short 7 --into chem --allotment "$(allotments short | awk -F, '$6 == "birch" { print $1 }')"
expect_equal 'birch 7' "$(allotments chem | awk -F, '$6 != "any" { print $6, $10 }')"
check stint bank check

# --- who may ------------------------------------------------------------------------------------------------

token() { # NAME OPTION...
    t_name=$1
    shift
    stint token add "$t_name" "$@" --format csv --no-header | cut -d, -f 2 >"$t_name.token"
}
check token reads --role staff
check token both --role manager --accounts chem,bio,free
check token one --role manager --accounts chem
check token all --role admin
start_server
as() { # NAME COMMAND...
    t_token=$(cat "$1.token")
    shift
    STINT_TOKEN=$t_token stint bank --store "$TMP/nowhere" --server "$at" "$@"
}
it 'staff see every account, and move nothing'
expect_exit 0 as reads balance bio
expect_exit 1 as reads transfer chem 1 --into bio
expect_err_has "does not manage both 'chem' and 'bio'"
expect_exit 1 as reads transfer chem 1 --into bio --plan
it 'who manages one side moves nothing either, in neither direction'
expect_exit 1 as one transfer bio 1 --into chem
expect_exit 1 as one transfer chem 1 --into bio
expect_exit 1 as one grant chem 1
expect_exit 1 as one adjust chem 1
it 'who manages both does, and makes none'
expect_exit 0 as both transfer chem 1 --into bio
expect_exit 1 as both transfer free 1 --into bio
expect_err_has 'would come from nowhere'
it 'an admin may'
expect_exit 0 as all transfer bio 1 --into chem

finish
