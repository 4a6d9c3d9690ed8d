#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Accounts of the bank whose runs a parent pays for: what they used is charged to the allotments of the parent, once, whatever happens to it
# afterwards.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"
. "$TESTS/support/server.sh"

both() { # COLUMN: of the parent and of the two below it
    printf '%s %s %s\n' "$(balance physics "$1")" "$(balance optics "$1")" "$(balance solids "$1")"
}
statement() { stint bank statement "$1" --from 2025-06-01 --to 2025-06-30 --format csv --no-header; }

check stint rate add cpu --cpu 1 --free node_fail
check stint bank open physics --from 2025-01-01
check stint bank grant physics 1000 --from 2025-01-01
check stint bank open optics --from 2025-01-01 --parent physics
check stint bank open solids --from 2025-01-01
check stint bank set solids --parent physics
run_of 1 10 10 2025-06-01 ann physics
run_of 2 20 10 2025-06-02 bob optics
run_of 3 30 10 2025-06-03 cid solids

it 'what accounts used is paid by their parent, once'
expect_equal '600 200 300' "$(both used)"
expect_equal '400 400 400' "$(both free)"
expect_equal '400  ' "$(both balance)"
expect_equal ' physics physics' "$(both parent)"
expect_equal 600 "$(allotment physics charged)"
check stint bank check
stint bank history physics --format csv >entries
expect_equal '' "$(grep -c -e optics -e solids entries | grep -v '^0$')"

it 'a statement of the parent has all of it, one of an account what is its own'
expect_equal 'opening balance,,,1000
charge,birch,cid,-300
charge,birch,bob,-200
charge,birch,ann,-100
closing balance,,,400' "$(statement physics)"
expect_equal 'opening balance,,,0
paid by physics,,,200
charge,birch,bob,-200
closing balance,,,0' "$(statement optics)"
expect_equal 3 "$(stint bank charges physics --format csv --no-header | wc -l)"
expect_equal 1 "$(stint bank charges optics --format csv --no-header | wc -l)"

it 'a parent lists those that it pays for'
expect_equal 'optics solids ' "$(stint bank balance --parent physics --format csv --no-header | cut -d, -f1 | tr '\n' ' ')"
check stint bank balance --parent optics
expect_out_has 'it pays for no other account'
expect_exit 1 stint bank balance --parent nix

it 'a ceiling limits one of them, and one of the parent all of them'
check stint cap add optics all --amount 250
expect_equal '400 50 400' "$(both free)"
check stint cap add physics all --share 62
expect_equal '20 20 20' "$(both free)"
expect_equal 'all,allotment,620,600,0,20' "$(stint bank caps physics --format csv --no-header | cut -d, -f2,3,5-8)"
check stint quote -- -n 30 -t 60 -A optics
expect_out_has 'everybody together has 20 SU left of a cap of 620 in physics: the job does not fit'
check stint cap remove physics all
check stint cap set optics all --amount 100
expect_equal 'ok over ok' "$(both state)"
expect_equal -100 "$(balance optics free)"
check stint cap remove optics all

it 'what their running jobs hold is held at the parent, and is not moved away'
check stint bank open other --from 2025-01-01
printf '%s\n' 'JobID|User|Account|State|NCPUS|Submit|Start|End|Timelimit' \
    "9|bob|optics|RUNNING|10|$(date +%F)T00:00:00|$(date +%F)T00:00:00|Unknown|1-06:00:00" >running.txt
check stint import slurm --cluster birch running.txt
expect_equal '300 300 0' "$(both held)"
expect_equal '100 100 100' "$(both free)"
expect_exit 1 stint bank transfer physics 101 --into other
check stint bank transfer physics 100 --into other
check stint bank transfer other 100 --into physics
check stint bank check

it 'a corrected record and a refund go back to the parent'
run_of 2 15 10 2025-06-02 bob optics
expect_equal '550 150 300' "$(both used)"
check stint bank refund 2 50
expect_equal '500' "$(balance physics used)"
expect_equal 50 "$(allotment physics refunded)"
check stint bank check
run_of 2 1 10 2025-06-02 bob optics
check stint bank check
expect_equal 400 "$(balance physics used)"
expect_equal 10 "$(allotment physics refunded)"
run_of 2 15 10 2025-06-02 bob solids
check stint bank check
expect_equal '500 0 450' "$(both used)"
expect_equal 50 "$(allotment physics refunded)"
run_of 2 15 10 2025-06-02 bob optics
check stint bank check

it 'an account with a parent has nothing of its own'
expect_exit 1 stint bank grant optics 10
expect_err_has 'the account has a parent that pays for it'
expect_exit 1 stint bank transfer other 0.000001 --into optics
expect_exit 1 stint bank set optics --overdraft 10
expect_err_has "the overdraft is that of 'physics'"
expect_exit 1 stint bank close-period optics --to 2025-06-30
expect_err_has 'stint bank close-period physics'
expect_exit 1 stint invoice draft optics --from 2025-06
expect_err_has 'is on the invoices of its parent'

it 'a parent has none itself, stays, and is not closed before those that it pays for'
expect_exit 1 stint bank open deeper --from 2025-01-01 --parent optics
expect_err_has 'a parent has no parent of its own'
expect_exit 1 stint bank set physics --parent other
expect_exit 2 stint bank set other --parent other
expect_exit 1 stint bank set optics --parent other
expect_exit 1 stint bank set other --parent physics
expect_err_has 'nothing was granted, charged, closed or invoiced'
expect_exit 1 stint bank open older --from 2024-01-01 --parent physics
expect_err_has "'physics' is not open for as long as 'older'"
expect_exit 1 stint bank close physics
expect_err_has "pays for the runs of 'optics': close that one first"
expect_equal '' "$(stint bank balance --format csv --no-header | grep older)"

it 'who manages the parent sees all of them and decides their ceilings; who manages one sees no other'
for account in physics optics; do
    stint token add "$account" --role manager --accounts "$account" --format csv --no-header 2>/dev/null | cut -d, -f 2 >"$account.token"
done
stint user add bob --role user --logins bob >/dev/null 2>&1
stint token add bob --role user --logins bob --format csv --no-header 2>/dev/null | cut -d, -f 2 >bob.token
start_server
as() { # NAME WORD...
    token=$(cat "$1.token")
    shift
    STINT_TOKEN=$token stint "$@" --store "$TMP/nowhere" --server "$at"
}
seen() { as "$1" bank balance --format csv --no-header | cut -d, -f1 | tr '\n' ' '; }
expect_equal 'optics physics solids ' "$(seen physics)"
expect_equal 'optics ' "$(seen optics)"
expect_equal 'optics ' "$(seen bob)"
check as physics bank ceiling optics 40% --note 'until the call'
check as physics bank ceiling optics 300 --per month
expect_equal 'all,month,300
all,allotment,400' "$(as optics bank caps optics --format csv --no-header | cut -d, -f2,3,5 | sort -r)"
check as physics bank ceiling optics 200 --per month
check as physics bank ceiling optics none
expect_exit 1 as physics bank ceiling optics none
expect_equal all,month,200 "$(as optics bank caps optics --format csv --no-header | cut -d, -f2,3,5)"
expect_exit 1 as optics bank ceiling optics 900 --per month
expect_err_has 'decided by those who manage its parent'
expect_exit 1 as physics bank ceiling physics 900
expect_exit 1 as bob bank ceiling optics 900
expect_exit 1 as optics bank ceiling solids 900
check stint bank ceiling optics none --per month
page() { curl -sS -H "Authorization: Bearer $(cat "$1.token")" "$at/bank/$2"; }
expect_equal 2 "$(page physics physics | grep -o 'href="/bank/\(optics\|solids\)"' | sort -u | wc -l)"
expect_equal '1 0' "$(page optics 'optics?from=2025-06-01&to=2025-06-30' | grep -c 'paid by physics') $(page optics optics | grep -c -e solids -e 'it pays for')"
stop_server

it 'a receipt of the parent has all runs, and is verified by accounting files'
check stint bank receipt physics 2025-06 --output june.json
check stint bank verify june.json run1.csv run2.csv run3.csv --map map --cluster birch

it 'a closed period of the parent is closed for those that it pays for'
statement physics >june
statement optics >june.optics
check stint bank close-period --to 2025-06-30 --apply
run_of 4 5 10 2025-06-04 bob optics
run_of 3 20 10 2025-06-03 cid solids
expect_equal "$(cat june)" "$(statement physics)"
expect_equal "$(cat june.optics)" "$(statement optics)"
expect_equal 'correction of closed 2025-06-03 to 2025-06-03,birch,cid,100
correction of closed 2025-06-04 to 2025-06-04,birch,bob,-50' \
    "$(stint bank statement physics --from 2025-07-01 --to 2025-07-31 --format csv --no-header | grep correction | sort)"
check stint bank check

it 'journals for other programs balance'
check stint bank export --output su.beancount
expect_equal 0 "$(grep -c -i -e optics -e solids su.beancount)"
check stint bank export --as ledger --output su.ledger

it 'a dump has it all, and restored it is the same'
both used >was
both free >>was
statement physics >>was
check stint books dump --output dump.json
rm -f "$STINT_STORE"/books.sqlite*
check stint books restore dump.json
both used >is
both free >>is
statement physics >>is
expect_equal "$(cat was)" "$(cat is)"
check stint bank check
expect_exit 1 stint bank grant optics 10

it 'of a parent that is used up staff are told once, and not of those that it pays for'
run_of 9 30000 10 2025-08-02 dan optics
stint token add vera --role staff --format csv --no-header 2>/dev/null | cut -d, -f 2 >vera.token
start_server
curl -sS -H "Authorization: Bearer $(cat vera.token)" "$at/attention" >out
expect_equal 'Account physics is used up' "$(grep -o 'Account [a-z]* is used up' out)"
stop_server

finish
