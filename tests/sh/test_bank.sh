#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The bank from the command line: the worked example of docs/bank.md, twice is once, killed at any moment, many at once.
. "$(dirname "$0")/../support/sh.sh"

cat >map <<'MAP'
job = job
user = user
account = account
cpus = cpus
start = start
end = end
class := completed
MAP

# JOB ACCOUNT CPUS START END: imports one run
run_of() {
    printf 'job,user,account,cpus,start,end\n%s,bob,%s,%s,%s,%s\n' "$@" >"run$1.csv"
    stint import csv --map map --cluster birch --again "run$1.csv" >said 2>&1 || cat said
}

# ACCOUNT: what each of its allotments was granted and charged, what expired and is left
allotments() { stint bank allotments "$1" --format csv --no-header | cut -d, -f7-10 | tr '\n' ' '; }
balance() { stint bank balance "$1" --format csv --no-header | cut -d, -f6; }

it 'without a rate, a price is unknown, and the answer says what to do'
run_of 1 chem 4 2025-06-01T00:00:00 2025-06-01T10:00:00
expect_exit 0 stint report su --from 2025 --to 2025
expect_out_has 'no rate is defined; define what runs cost with: stint rate add'

it 'the example of the documentation comes out as it says'
check stint rate add cpu --cpu 1
run_of 1 chem 4 2025-06-01T00:00:00 2025-06-01T10:00:00
check stint bank open chem --from 2025-01-01
check stint bank grant chem 100 --from 2025-01-01 --to 2025-06-30
check stint bank grant chem 50 --from 2025-06-15 --to 2099
expect_equal '100,40,60,0 50,0,0,50 ' "$(allotments chem)"
run_of 2 chem 2 2025-06-30T12:00:00 2025-07-01T12:00:00
expect_equal '100,64,36,0 50,24,0,26 ' "$(allotments chem)"
run_of 3 chem 4 2025-07-02T00:00:00 2025-07-02T08:00:00
expect_equal '100,64,36,0 50,50,0,0 ' "$(allotments chem)"
expect_equal -6 "$(balance chem)"
run_of 4 chem 1 2025-06-02T00:00:00 2025-06-02T06:00:00
expect_equal '100,70,30,0 50,50,0,0 ' "$(allotments chem)"
check stint bank grant chem 10 --from 2025-07-01
expect_equal '100,70,30,0 50,50,0,0 10,6,0,4 ' "$(allotments chem)"
expect_equal 4 "$(balance chem)"
check stint bank check

it 'a statement begins and ends with what there was'
check stint bank statement chem --from 2025-06-01 --to 2025-06-30 --format csv
expect_out_has 'charge,birch,bob,-70'
expect_out_has 'opening balance,,,100'
expect_out_has 'grant,,,50'
expect_out_has 'closing balance,,,80'

it 'on a statement a grant counts on the day its allotment begins, what expires at its end'
check stint bank statement chem --from 2025-07-01 --to 2025-07-31 --format csv
expect_out_has 'opening balance,,,80'
expect_out_has 'grant,,,10'
expect_out_has 'expiry,,,-30'
expect_out_has 'charge,birch,bob,-56'
expect_out_has 'closing balance,,,4'
check stint bank statement chem --from 2025-01-01 --to 2025-01-31 --format csv
expect_out_has 'opening balance,,,0'
expect_out_has 'grant,,,100'

it 'a statement that reaches up to today says when the account runs out'
check stint bank statement chem --from 2025-07-01 --to today
expect_out_has 'at the rate of the last 30 days, what is free does not run out'
expect_equal 0 "$(grep -c 'will expire' "$OUT")" # the 4 SU have no end, and nothing is left of what ends in 2099

it 'only what ends next will expire, on the balance, the statement and in metrics'
check stint bank open two --from 2020-01-01
check stint bank grant two 42 --from 2020-01-01 --to 2089-12-31
check stint bank grant two 100 --from 2020-01-01 --to 2090-06-29
expect_equal '142 2090-01-01T00:00:00Z 42' "$(stint bank balance two --format csv --no-header | awk -F, '{ print $6, $9, $13 }')"
check stint bank statement two --from 2025-07-01 --to today
expect_out_has 'does not run out; 42 SU will expire on 2090-01-01'
check stint metrics
expect_out_has 'stint_bank_will_expire_su{account="two"} 42'

it 'runs are charged by account, project or user, and a kind that is none of these makes no account'
expect_exit 2 stint bank open ecol --draw group:ecol
expect_err_has "runs are charged by account:NAME, project:NAME or user:NAME, not 'group:ecol'"
expect_exit 1 stint bank balance ecol

it 'a copy of the file of the books has the ledger, and its sums are right'
mkdir copied
sqlite3 "$STINT_STORE/books.sqlite" ".backup copied/books.sqlite"
check stint bank check --store copied
expect_equal "$(balance chem)" "$(stint bank balance chem --store copied --format csv --no-header | cut -d, -f6)"

it 'metrics have what accounts have'
check stint metrics
expect_out_has 'stint_bank_balance_su{account="chem"} 4'
expect_out_has 'stint_bank_granted_su{account="chem"} '

it 'the same again changes nothing'
stint bank history --format csv >before
run_of 1 chem 4 2025-06-01T00:00:00 2025-06-01T10:00:00
check stint bank charge
check stint bank charge --recharge --from 2025-01-01 --apply
stint bank history --format csv >after
expect_same before after
check stint bank grant chem 5 --id invoice-7 --from 2025-07-01
check stint bank grant chem 5 --id invoice-7 --from 2025-07-01
expect_out_has 'was posted before'
expect_equal 9 "$(balance chem)"
expect_exit 1 stint bank grant chem 6 --id invoice-7
expect_err_has "another entry has the id 'invoice-7'"

it 'a corrected record costs the difference'
run_of 3 chem 4 2025-07-02T00:00:00 2025-07-02T09:00:00
expect_equal 5 "$(balance chem)"
run_of 3 chem 4 2025-07-02T00:00:00 2025-07-02T08:00:00
expect_equal 9 "$(balance chem)"

it 'a refund gives back what a run was charged, and no more'
check stint bank refund 3 10 --note 'disk failure'
expect_equal 19 "$(balance chem)"
expect_exit 1 stint bank refund 3 23
expect_err_has 'was charged 32 SU, of which 10 were refunded'
check stint bank refund birch:3 22
check stint bank check
expect_exit 1 stint bank refund 4711
expect_err_has "no run '4711' was charged"

it 'a price is explained line by line'
expect_equal 1 "$(stint rate test 3 | grep -c ' cpu *4 *1 *8 *32 *SU')"
check stint rate test 3 --format csv
expect_out_has 'cpu,4,1,8,32,SU'
expect_out_has 'price,,,,32,SU'

it 'a new rate holds for old runs only when asked'
check stint rate add cpu --cpu 2 --from 2025-07-01
check stint bank charge
was=$(balance chem)
expect_exit 2 stint bank charge --recharge
expect_err_has 'say from when on'
check stint bank charge --recharge --from 2025-07-01 --format csv
expect_out_has 'chem,2,32,64,32'
expect_equal "$was" "$(balance chem)"
check stint bank charge --recharge --from 2025-07-01 --apply
expect_equal $((was - 32)) "$(balance chem)"
check stint bank charge --recharge --from 2025-07-01
expect_out_has 'the present rates give every run the price it was charged'
check stint bank check

it 'amounts are exact or refused'
check stint bank open small
expect_exit 2 stint bank set small --overdraft lots
expect_err_has "--overdraft: 'lots' is neither none, nor an amount such as 500, nor a share such as 10%"
expect_exit 2 stint bank set small --overdraft 0.00001%
expect_err_has 'a share has at most four decimals'
expect_exit 0 stint bank grant small 1 --from 2020-01-01 --to 2020-12-31
expect_out_has "when the account was opened, are not charged"
for i in 1 2 3; do
    check stint bank grant small 0.1
done
expect_equal 0.3 "$(balance small)"
expect_exit 2 stint bank grant small 0.0000001
expect_err_has 'more than six decimals'
expect_exit 2 stint bank grant small 9223372036854.775808
expect_err_has 'is too large'
expect_exit 2 stint bank grant small 0
expect_exit 2 stint bank grant small nan
expect_exit 1 stint bank grant smal 1
expect_err_has "did you mean 'small'?"
check stint bank open free
check stint bank grant free unlimited
check stint bank balance free --format csv
expect_out_has 'free,unlimited,'

it 'many at once: nothing is lost, nothing is overdrawn'
check stint bank open rich
check stint bank open poor
check stint bank grant rich 10
check stint bank grant poor 1
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    {
        until stint bank transfer rich 1 --into poor --id "t$i" >/dev/null 2>"err$i"; do
            grep -q 'another process is changing' "err$i" || break
        done
    } &
done
wait
expect_equal 0 "$(balance rich)"
expect_equal 11 "$(balance poor)"
check stint bank check

it 'killed at any moment, the next charges what is missing and nothing twice'
seq 100 1099 | awk 'BEGIN { print "job,user,account,cpus,start,end" }
    { d = 1 + $1 % 28; printf "%d,u%d,kill,1,2025-03-%02dT00:00:00,2025-03-%02dT01:00:00\n", $1, $1 % 7, d, d }' >many.csv
check stint bank open kill --from 2025-01-01
check stint bank grant kill 5000 --from 2025-01-01
longest=400
kills=0
for i in $(seq 1 60); do
    "$STINT" import csv --map map --cluster birch --again many.csv >/dev/null 2>&1 &
    pid=$!
    pause "$longest"
    kill -9 $pid 2>/dev/null
    if wait $pid 2>/dev/null; then
        longest=$((longest * 4 / 5 + 1))
        test "$kills" -ge 3 && break
    else
        kills=$((kills + 1))
        longest=$((longest * 5 / 4 + 1))
    fi
done
expect_exit 0 test "$kills" -ge 3
check stint import csv --map map --cluster birch many.csv
check stint bank charge
check stint bank check
expect_equal 4000 "$(balance kill)"

it 'the files of slurm_bank are read, and written the same'
printf '%s\n' '{"count":3,"results":[{"id":1,"account":"proj1","su_limit_hrs":10000,"date":"2024-04-08","upper_limit_informed":false,"lower_limit_informed":true,"max_limit_informed":false},{"id":4,"account":"proj2","su_limit_hrs":-1,"date":"2024-05-01","upper_limit_informed":false,"lower_limit_informed":false,"max_limit_informed":false},{"id":5,"account":"proj3","su_limit_hrs":1,"date":"2024-06-30","upper_limit_informed":true,"lower_limit_informed":true,"max_limit_informed":true}],"meta":{}}' >seed.json
check stint bank import seed.json --store other
stint bank dump --store other >dumped.json
expect_same seed.json dumped.json
check stint bank import dumped.json --store third
stint bank dump --store third >again.json
expect_same seed.json again.json
stint bank dump --csv --store other >dumped.csv
expect_equal 'id,account,su_limit_hrs,date,upper_limit_informed,lower_limit_informed,max_limit_informed
1,proj1,10000,2024-04-08,False,True,False
4,proj2,-1,2024-05-01,False,False,False
5,proj3,1,2024-06-30,True,True,True' "$(cat dumped.csv)"
check stint bank import dumped.csv --store fourth
stint bank dump --csv --store fourth >again.csv
expect_same dumped.csv again.csv
sqlite3 bank.db 'CREATE TABLE sbank (id INTEGER PRIMARY KEY, account TEXT, su_limit_hrs INTEGER, date DATE,
    upper_limit_informed BOOLEAN, lower_limit_informed BOOLEAN, max_limit_informed BOOLEAN)' \
    "INSERT INTO sbank VALUES (1, 'proj1', 10000, '2024-04-08', 0, 1, 0), (4, 'proj2', -1, '2024-05-01', 0, 0, 0),
    (5, 'proj3', 1, '2024-06-30', 1, 1, 1)"
check stint bank import bank.db --store fifth
stint bank dump --store fifth >again.json
expect_same seed.json again.json
sqlite3 strange.db 'CREATE TABLE other (id INTEGER)'
expect_exit 1 stint bank import strange.db --store fifth
expect_err_has 'none of its tables has all columns of slurm_bank'
sqlite3 strange.db 'CREATE TABLE sbank (id INTEGER, account TEXT)'
expect_exit 1 stint bank import strange.db --store fifth
expect_err_has 'none of its tables'
head -c 5000 bank.db >half.db
expect_exit 1 stint bank import half.db --store fifth
stint bank dump --store fifth >again.json
expect_same seed.json again.json
check stint bank grant proj3 7.5 --from 2024-07-30 --to 2099 --store fifth # both hold: the limit there is of both
expect_equal 2024-06-30 "$(stint bank dump --csv --store fifth | sed -n 's/.*,proj3,[^,]*,\([^,]*\),.*/\1/p')"
expect_equal 8.5 "$(stint bank dump --csv --store fifth | sed -n 's/.*,proj3,\([^,]*\),.*/\1/p')"
printf 'id,account,su_limit_hrs,date,upper_limit_informed,lower_limit_informed,max_limit_informed\n7,proj9,500,2024-04-08,0,1,0\n' >seed.csv
check stint bank import seed.csv --store other
stint bank allotments proj9 --store other --format csv --no-header | cut -d, -f2,7 >was
expect_equal 'proj9,500' "$(cat was)"
printf 'account,su_limit_hrs,date\nbad,-5,2024-04-08\n' >bad.csv
expect_exit 1 stint bank import bad.csv --store other
expect_err_has 'or -1 for unlimited'

it 'a level is told once, also when nobody looked for a while'
check stint bank open level --from 2025-01-01
check stint bank grant level 100 --from 2025-01-01
run_of 5000 level 95 2025-02-01T00:00:00 2025-02-01T01:00:00
check stint bank notices --format csv
expect_out_has 'level,'
expect_out_has ',90 %,'
check stint bank notices --apply
stint bank notices --format csv --no-header | grep -c '^level' >left
expect_equal 0 "$(cat left)"
check stint bank adjust level 500
run_of 5001 level 505 2025-02-02T00:00:00 2025-02-02T01:00:00
stint bank notices --format csv --no-header | grep '^level' | cut -d, -f3 >left
expect_equal '100 %' "$(cat left)"

it 'nobody is told of the allotments of an account that is closed'
check stint bank open shut --from 2025-01-01
check stint bank grant shut 5 --to "$(date -d '+5 days' +%F)"
check stint bank notices --format csv
expect_out_has 'shut,'
check stint bank close shut
expect_equal 0 "$(stint bank notices --format csv | grep -c '^shut,')"

it 'day by day, what was added later counts when it was added, as on a statement'
check stint bank days level --from 2025-01-01 --to 2025-01-01 --format csv --no-header
expect_equal '2025-01-01,100,0,0,100,,,0' "$(cat "$OUT")"
check stint bank days level --from 1d --to now --format csv --no-header
expect_equal '500,0,0,0' "$(cut -d, -f2-5 "$OUT" | grep '^500,')"

it 'at an end a share is carried over, and the rest expires'
check stint bank open carry --from 2024-01-01
check stint bank grant carry 100 --from 2024-01-01 --to 2024-12-31 --carry 50
check stint bank grant carry 50 --from 2025-01-01 --to 2099
expect_equal '100,0,50,0 50,0,0,100 ' "$(allotments carry)"
# which of its allotments: the first is carried over to the second
expect_equal 1 "$(stint bank history carry --format csv --no-header | awk -F, '$3 == "carry-over" { print $12 - $11 }')"
run_of 6000 carry 20 2024-05-01T00:00:00 2024-05-01T01:00:00
expect_equal '100,20,40,0 50,0,0,90 ' "$(allotments carry)"
run_of 6001 carry 80 2024-05-02T00:00:00 2024-05-02T01:00:00
expect_equal '100,100,0,0 50,0,0,50 ' "$(allotments carry)"
run_of 6001 carry 60 2024-05-02T00:00:00 2024-05-02T01:00:00
expect_equal '100,80,10,0 50,0,0,60 ' "$(allotments carry)"
check stint bank check

it 'a default allotment follows, again and again'
check stint bank open default --from 2024-01-01
check stint bank grant default 100 --from 2024-01-01 --to 2024-06-30 --then 10
check stint bank allotments default --format csv
expect_out_has 'default,grant,2024-01-01T00:00:00Z,2024-07-01T00:00:00Z,any,100,0,100,0,'
expect_out_has 'default,default,2024-07-01T00:00:00Z,2024-12-30T00:00:00Z,any,10,0,10,0,'
stint bank allotments default --format csv --no-header | wc -l >was
check stint bank charge
expect_equal "$(cat was)" "$(stint bank allotments default --format csv --no-header | wc -l)"
check stint bank check
expect_exit 2 stint bank grant default 5 --then 1
expect_err_has 'add --to'

it 'a job has its price before it is submitted'
check stint bank open quoted --from 2025-01-01
check stint bank grant quoted 100 --from 2025-01-01 --to 2098
check stint bank grant quoted 1000 --from 2099
check stint quote --format csv -- -n 4 -t 2:00:00 -A quoted
expect_out_has ',16,16,quoted,100,now,'
check stint quote --format csv -- -n 4 -t 2:00:00 -a 1-10 -A quoted
expect_out_has ',16,160,quoted,100,later,2099-01-01T00:00:00Z,'
printf '#!/bin/sh\n#SBATCH -n 4 -t 60\n#SBATCH --account=quoted\nsrun x\n' >job.sh
check stint quote --script job.sh --format csv
expect_out_has ',8,8,quoted,100,now,'
check stint quote --script job.sh --format csv -- -n 400 -t 100:00:00
expect_out_has ',quoted,100,no,'
check stint quote --format csv -- -n 4 -t 2:00:00 -A quoted : -n 1 : -n 1 -t 60
expect_out_has ',22,22,quoted,100,now,'
check stint quote -- -n 4 -t 2:00:00 -A quoted --mincpus 9 --mem=0
expect_out_has "'--mincpus' is not understood"
expect_out_has 'all memory of its nodes (--mem=0)'
expect_exit 2 stint quote -- -n 4
expect_err_has 'has no time limit'
expect_exit 2 stint quote -- -n four -t 60
expect_err_has "--ntasks: 'four' is not a number"

it 'a dump of the books has the ledger, and restored it is the same to the byte'
check stint books dump --output books.json
expect_no_err
cp -r "$STINT_STORE" restored
rm -f restored/books.sqlite*
check stint books restore books.json --store restored
check stint books dump --store restored --output books-again.json
expect_same books.json books-again.json
check stint bank check --store restored
for what in allotments history; do
    stint bank $what --format csv >was
    stint bank $what --format csv --store restored >is
    expect_same was is
done
check stint bank charge --store restored --format csv --no-header
expect_equal '0,0' "$(cut -d, -f2-3 "$OUT")"

it 'books with a ledger are replaced when asked, also by a dump on one line, compressed'
expect_exit 1 stint books restore books.json --store restored
expect_err_has 'are not empty'
stint bank grant chem 1 --store restored >/dev/null
tr -d '\n' <books.json | gzip >pressed.json.gz
check stint books restore pressed.json.gz --replace --store restored
expect_out_has 'the previous books are in'
stint books dump --store restored >books-again.json
expect_same books.json books-again.json
check stint bank check --store restored
expect_equal 'an entry is never removed: correct it by another' \
    "$(sqlite3 restored/books.sqlite 'DELETE FROM bank_entry' 2>&1 | grep -o 'an entry.*another')"

it 'a dump whose ledger breaks a rule is refused as a whole, and says where'
for damage in 's/"amount":[0-9]*,"at"/"amount":0,"at"/' 's/^{"id":\([0-9]*\),"key":"e\([0-9]*\)"/{"id":\1,"key":"same"/' \
    's/"lines":\[\["[^"]*",0/"lines":[["x","0"/' 's/"kind":"grant","from":1/"kind":"grant","to_":1,"from":1/' \
    's/"amount":\([0-9]*\),"at"/"amount":9\10000000000000,"at"/'; do
    sed "$damage" books.json >damaged.json
    expect_exit 1 stint books restore damaged.json --store refused
    expect_err_has "cannot restore 'damaged.json': bank_"
done
stint bank balance --store refused --format csv --no-header >left
expect_equal '' "$(cat left)"

it 'prices are a measure like any other'
check stint report su,cpu_hours --by account --from 2025-07-02 --to 2025-07-02 --format csv
expect_out_has 'chem,64,32'

it 'books of an older stint have the same charges, and charging them again posts nothing'
cat >tasks.map <<'MAP'
job = job
task = task
user = user
account = account
cpus = cpus
start = start
end = end
class := completed
MAP
stint import csv --map tasks.map --cluster b/irch --store old "$TESTS/fixtures/books/bank-012.csv" >/dev/null
rm -f old/books.sqlite*
sqlite3 old/books.sqlite <"$TESTS/fixtures/books/bank-012.sql"
check stint bank check --store old
expect_out_has '19 entries and 12 charges of runs were added up: all sums are right'
expect_equal '100,67.499931,32.500069,0 100,6,96,0 50,24,0,26 ' \
    "$(stint bank allotments --store old --format csv --no-header | sort | cut -d, -f7-10 | tr '\n' ' ')"
check stint bank statement chem --store old --from 2025-06-03 --to 2025-06-03 --format csv
expect_out_has 'charge,b/irch,bob,-3.499931'
check stint bank charge --recharge --from 2025-01-01 --apply --store old --format csv --no-header
expect_equal 0 "$(wc -l <"$OUT")"
expect_exit 1 stint bank refund 3 5 --store old
expect_err_has 'was charged 6 SU, of which 2 were refunded'
expect_exit 2 stint bank refund 100 --store old
expect_err_has 'several runs are meant; choose one: b=2Firch:100.'
check stint bank refund 100.77 --store old
check stint bank check --store old

it 'options that an action does not take are refused'
expect_exit 2 stint bank balance chem --note x
expect_err_has 'balance does not take --note'
expect_exit 2 stint bank check chem
expect_err_has "check does not take 'chem'"

finish
