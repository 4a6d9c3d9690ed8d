#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Many changes from a sheet, planned and made once; and accounts from elsewhere: any table of slurm_bank, limits of sacctmgr, balances.
. "$(dirname "$0")/../support/sh.sh"

balance() { stint bank balance "$1" --format csv --no-header | cut -d, -f6; }
entries() { stint bank history --format csv --no-header | grep -c .; }
check stint bank open chem 100 --from 2025-01-01
check stint bank open bio --from 2025-01-01
cat >call.csv <<'END'
action,account,amount,to,note,into,allotment
grant,bio,50,2098-12-31,"call 8, second round",,
adjust,chem,-10,,,,1
set,chem,120,,,,1
transfer,chem,20,,,bio,
open,geo,7,2099-12-31,new,,
grant,geo,unlimited,,,,
END

it 'a plan first, with the balance of every account it touches, and nothing changed'
before=$(entries)
check stint bank bulk call.csv --format csv --no-header
expect_equal 'bio,0,70,70,70
chem,100,0,100,100
geo,,,,' "$(cat "$OUT")"
check stint bank bulk call.csv
expect_out_has 'nothing was changed, this is the plan'
expect_equal "$before" "$(entries)"
expect_equal 100 "$(balance chem)"

it 'then all of it, in one transaction'
check stint bank bulk call.csv --apply
expect_out_has '6 changes made'
expect_equal 100 "$(balance chem)"
expect_equal 70 "$(balance bio)"
expect_equal 1 "$(stint bank history bio --format csv | grep -c 'call 8, second round')"
check stint bank check

it 'the same file again changes nothing'
made=$(entries)
check stint bank bulk call.csv --apply
expect_out_has 'was posted before: nothing was changed'
expect_equal "$made" "$(entries)"
expect_equal 70 "$(balance bio)"

it 'a row of its own key is known in any file'
printf 'key,action,account,amount\nk1,grant,bio,5\n' >one.csv
printf 'action,account,amount,key\ngrant,bio,5,k1\ngrant,bio,1,k2\n' >two.csv
check stint bank bulk one.csv --apply
check stint bank bulk two.csv --apply
expect_equal 76 "$(balance bio)"

it 'one bad row, and none is made; it is named by its line'
for row in 'grant,nobody,5' 'mint,bio,5' 'grant,bio,-5' 'grant,bio,many' 'adjust,bio,-1000' 'void,bio,' 'grant,,5' 'transfer,bio,5'; do
    printf 'action,account,amount\ngrant,bio,1\n%s\n' "$row" >bad.csv
    run stint bank bulk bad.csv --apply
    expect_equal 'fails, line 3' "$([ "$status" -ne 0 ] && echo fails), $(grep -o 'line 3' "$ERR")"
done
expect_equal 76 "$(balance bio)"
printf 'action,account,amount,colour\ngrant,bio,1,red\n' >bad.csv
expect_exit 1 stint bank bulk bad.csv
expect_err_has 'colour'
printf 'action,account,amount,into\ngrant,bio,1,chem\n' >bad.csv
expect_exit 2 stint bank bulk bad.csv
expect_err_has 'grant does not take --into'

it 'slurm_bank: whatever its table is called, without an end that nobody set'
sqlite3 bank.db 'CREATE TABLE "my ""bank" (id INTEGER PRIMARY KEY, account TEXT, su_limit_hrs INTEGER, date DATE,
    upper_limit_informed BOOLEAN, lower_limit_informed BOOLEAN, max_limit_informed BOOLEAN)' 'CREATE TABLE other (x)' \
    "INSERT INTO \"my \"\"bank\" VALUES (1, 'proj1', 10000, '2024-04-08', 0, 1, 0)"
check stint bank import bank.db --store a
expect_equal '10000,' "$(stint bank allotments proj1 --store a --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 2 { print $c["granted"] "," $c["to"] }')"
check stint bank import bank.db --store b --days 365
expect_equal 2025-04-08 "$(stint bank allotments proj1 --store b --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 2 { print substr($c["to"], 1, 10) }')"

it 'usage of before the limit was modified counts, as there, with --from'
printf 'job = job\nuser = user\naccount = account\ncpus = cpus\nstart = start\nend = end\nclass := completed\n' >map
printf 'job,user,account,cpus,start,end\n1,ann,proj1,10,2024-02-01T00:00:00,2024-02-01T10:00:00\n' >runs.csv
for store in c d; do
    stint rate add cpu --cpu 1 --store $store >/dev/null
    stint import csv --map map --cluster birch runs.csv --store $store >/dev/null 2>&1
done
check stint bank import bank.db --store c
expect_equal 10000 "$(stint bank balance proj1 --store c --format csv --no-header | cut -d, -f6)"
check stint bank import bank.db --store d --from 2024-01-01
expect_equal 9900 "$(stint bank balance proj1 --store d --format csv --no-header | cut -d, -f6)"

it 'limits of sacctmgr -P, in hours: of accounts, not of users'
printf 'Cluster|Account|User|GrpTRESMins|\nc|root|||\nc|chem||billing=60000,cpu=1|\nc|chem|ann|billing=60|\nc|bio||cpu=90|\n' >assoc.txt
check stint bank import assoc.txt --store e
expect_out_has "'root' has no limit there and was passed over"
expect_equal 'bio,1.5
chem,1000' "$(stint bank balance --store e --format csv --no-header | cut -d, -f1,6)"

it 'a plain sheet of balances'
printf 'account,balance,to\nphys,12.5,2099-12-31\nmath,3,\n' >balances.csv
check stint bank import balances.csv --store f
expect_equal 'math,3
phys,12.5' "$(stint bank balance --store f --format csv --no-header | cut -d, -f1,6)"
printf 'account,colour\nx,red\n' >bad.csv
expect_exit 1 stint bank import bad.csv --store f
expect_err_has 'this is not a file of slurm_bank'
: >empty.csv
expect_exit 1 stint bank import empty.csv --store f

it 'an account is opened with the charges of its runs, or not at all'
printf 'job,user,account,cpus,start,end\n1,ann,new,10,2025-02-01T00:00:00,2025-02-01T10:00:00\n' >runs.csv
printf 'account,balance,from\nnew,1000,2025-01-01\n' >new.csv
printf 'action,account,amount,from\nopen,new,1000,2025-01-01\n' >open.csv
for way in 'open new 1000 --from 2025-01-01' 'import new.csv' 'bulk open.csv --apply'; do
    rm -rf g
    check stint rate add cpu --cpu 1 --store g
    check stint import csv --map map --cluster birch runs.csv --store g
    mv g/facts.duckdb kept.duckdb
    echo 'these are no facts' >g/facts.duckdb
    # shellcheck disable=SC2086 # several words
    expect_exit 1 stint bank $way --store g
    mv kept.duckdb g/facts.duckdb
    expect_exit 1 stint bank balance new --store g
    # shellcheck disable=SC2086
    check stint bank $way --store g
    expect_equal 900 "$(stint bank balance new --store g --format csv --no-header | cut -d, -f6)"
done
finish
