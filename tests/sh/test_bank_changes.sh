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
    cut -d, -f 1-9 "$OUT" >once # without the time at which it runs out, which may be now
    expect_exit 0 stint bank "$@"
    cut -d, -f 1-9 "$OUT" >again
    expect_same once again
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
it 'a receiver that carries what is left over is no way around it either'
check stint bank open keeps --from 2020-01-01
check stint bank grant keeps 5 --from 2020-01-01 --to 2085 --carry 100
check stint bank transfer short 8 --into keeps
expect_equal '5 8 ' "$(allotments keeps | cut -d, -f 10 | tr '\n' ' ')"
check stint bank transfer keeps 8 --into short
expect_equal 50 "$(balance short)"
it 'what is not transferable stays, also in what follows, and is moved only within the account'
check stint bank open stuck --from 2020-01-01
check stint bank grant stuck 30 --from 2020-01-01 --to 2070 --transferable no
expect_exit 1 stint bank transfer stuck 3 --into short
expect_err_has 'is not transferable: what is left of it is spent there'
check stint bank extend stuck --to 2071
expect_equal 'no no ' "$(allotments stuck | awk -F, '{ print $NF }' | tr '\n' ' ')"
expect_exit 1 stint bank transfer stuck 3 --into short
check stint bank grant stuck 4 --from 2020-01-01 --to 2075
check stint bank transfer stuck 3 --into short
expect_equal 'no 0,no 30,yes 1,' "$(allotments stuck | awk -F, '{ print $NF, $10 }' | tr '\n' ,)"
expect_exit 1 stint bank transfer stuck 3 --into short --allotment "$(allotments stuck | awk -F, '$10 == 30 { print $1 }')"
check stint bank open renewed --from 2020-01-01
check stint bank grant renewed 9 --from 2020-01-01 --to 2025-12-31 --then 9 --transferable no
expect_equal no "$(allotments renewed | awk -F, '{ print $NF }' | sort -u)"
expect_exit 2 stint bank grant stuck 4 --transferable perhaps
it 'which is in the chain of the ledger and in a dump'
check stint books dump --output stays.json
check stint --store "$TMP/stays" books restore stays.json
expect_equal 'no no yes ' "$(stint --store "$TMP/stays" bank allotments stuck --format csv --no-header | awk -F, '{ print $NF }' | tr '\n' ' ')"
check stint --store "$TMP/stays" bank check
it 'and is for the same clusters'
check stint bank grant short 7 --from 2020-01-01 --to 2080 --cluster birch
check stint bank transfer short 7 --into chem --allotment "$(allotments short | awk -F, '$6 == "birch" { print $1 }')"
expect_equal 'birch 7' "$(allotments chem | awk -F, '$6 != "any" { print $6, $10 }')"
check stint bank check

# --- an allotment is changed ------------------------------------------------------------------------------

cat >map <<'MAP'
job = job
user = user
account = account
cpus = cpus
start = start
end = end
class := completed
MAP
cat >runs.csv <<'CSV'
job,user,account,cpus,start,end
1,ann,lab,3,2026-01-10T00:00:00Z,2026-01-10T10:00:00Z
CSV
one() { allotments lab | awk -F, -v n="$1" '$1 == n'; }
number() { allotments lab | cut -d, -f 1 | sort -n | tail -n 1; }
it 'an account is opened with an amount in one go'
check stint import csv --map map --cluster c --zone UTC runs.csv
check stint rate add cpu --cpu 1
check stint bank open lab 100 --from 2026-01-01 --to 2090
expect_equal 70 "$(balance lab)"
expect_exit 2 stint bank open lab2 --to 2090
expect_exit 1 stint bank balance lab2
first=$(number)
it 'an allotment is set to an amount, up and down, but to no less than what is gone'
twice adjust lab 150 --set --id s1 --format csv
expect_equal 120 "$(balance lab)"
twice adjust lab 50 --set --id s2 --format csv
expect_equal 20 "$(balance lab)"
check stint bank adjust lab 50 --set
expect_out_has "allotment $first is of 50 SU already"
expect_exit 1 stint bank adjust lab 29.9 --set
expect_err_has '30 SU of allotment'
expect_exit 2 stint bank adjust lab 5 --set --less
expect_exit 1 stint bank adjust free 5 --set
expect_err_has 'is unlimited'
check stint bank adjust lab 30 --set
expect_equal 0 "$(balance lab)"
check stint bank adjust lab 50 --set
it 'what is left gets a later end, also what running jobs hold'
printf 'JobID|User|Account|State|NCPUS|Submit|Start|End|Timelimit\n9|ann|lab|RUNNING|1|%s|%s|Unknown|15:00:00\n' \
    "$(date -d -2minutes +%FT%T)" "$(date -d -1minute +%FT%T)" >running.txt
check stint import slurm --cluster rowan running.txt
expect_equal 15 "$(stint bank balance lab --format csv --no-header | cut -d, -f 7)"
expect_exit 1 stint bank transfer lab 20 --into chem
expect_exit 2 stint bank extend lab
expect_err_has 'say until when'
expect_exit 1 stint bank extend lab --to 2089
expect_exit 1 stint bank extend lab --to 2090
expect_err_has 'does not end before that day'
twice extend lab --to 2095 --id x1 --format csv
expect_equal 20 "$(balance lab)"
expect_equal '2096-01-01T00:00:00Z 20' "$(one "$(number)" | awk -F, '{ print $5, $10 }')"
expect_equal 0 "$(one "$first" | cut -d, -f 10)"
it 'a grant is void: what is left of it is taken back'
check stint bank grant lab 1000 --from 2020-01-01
expect_exit 2 stint bank void lab
twice void lab --allotment "$(number)" --id v1 --format csv
expect_equal 20 "$(balance lab)"
check stint bank void lab --allotment "$(number)"
expect_out_has 'nothing is left of allotment'
it 'a debt is written off, all of it or a part, and nothing more can be spent'
expect_exit 1 stint bank writeoff lab
expect_err_has "'lab' owes 0 SU"
sed 's/^1,/2,/; s/,3,/,10,/; s/01-10/01-11/g' runs.csv >more.csv
check stint import csv --map map --cluster c --zone UTC more.csv
expect_equal '-80' "$(balance lab)"
twice writeoff lab 30 --id w1 --format csv
expect_equal '-50' "$(balance lab)"
expect_exit 1 stint bank writeoff lab 50.000001
check stint bank writeoff lab --note 'decision of the board'
expect_equal 0 "$(balance lab)"
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
expect_err_has 'bank transfer needs the right transfer'
expect_exit 1 as reads transfer chem 1 --into bio --plan
check token named --role staff --accounts chem,bio
expect_exit 1 as named transfer chem 1 --into bio
expect_err_has 'bank transfer needs the right transfer'
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
