#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every command that changes the bank, killed at any moment: it has happened or it has not, all
# sums are right, and what it had left to charge is charged later. STINT_KILLS says how often each
# is killed. timeout: 7200
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"

wanted=${STINT_KILLS:-7}

# Whatever an answer of the bank goes by, without times of posting.
state() {
    sqlite3 "$STINT_STORE/books.sqlite" \
        'SELECT name, opened, closed, overdraft, overdraft_micro, held, note FROM bank_account ORDER BY name' \
        'SELECT d.kind, d.name, a.name, d.cluster, d."from", d."to" FROM bank_draw d JOIN bank_account a ON a.id = d.account ORDER BY 1, 2, 3, 4, 5' \
        'SELECT a.name, p.kind, l."from", l."to", l.note, p."in" - p."out", p.charged, p.expired, p.refunded
            FROM bank_pot p LEFT JOIN bank_account a ON a.id = p.account LEFT JOIN bank_allotment l ON l.id = p.allotment ORDER BY 1, 2, 3, 4, 5, 6' \
        'SELECT a.name, u.stretch, u.amount FROM bank_used u JOIN bank_account a ON a.id = u.account WHERE u.amount <> 0 ORDER BY 1, 2' \
        'SELECT name, cpu, gpu, note FROM rate ORDER BY 1; SELECT account, user, amount FROM cap ORDER BY 1, 2' \
        'SELECT account, name FROM customer; SELECT account, day FROM bank_closing ORDER BY 1, 2; SELECT name FROM metagroup' \
        'SELECT account, basis, "from", "to", replaces FROM bank_invoice ORDER BY id' \
        'SELECT account, amount FROM bank_request ORDER BY id; SELECT request, what, amount FROM bank_decision ORDER BY id'
}

# runs MORE: eight, with as many CPUs as their number and MORE
runs() {
    awk -v more="$1" 'BEGIN {
        split("bob ann zoe", user, " ")
        split("chem bio poor geo", account, " ")
        print "job,name,user,account,cpus,start,end"
        for (job = 1; job <= 8; job++)
            printf "%d,x,%s,%s,%d,2025-06-0%dT00:00:00,2025-06-0%dT10:00:00\n", job, user[job % 3 + 1],
                account[job % 4 + 1], job + more, job, job
    }'
}

commands() {
    cat <<'END'
rate add gpu --gpu 2
rate set 1 --cpu 3
rate remove 1
cap add chem bob --amount 5
cap remove chem zoe
customer add chem --name Chemistry
metagroup add science
bank open geo 100 --from 2025-01-01
bank set chem --overdraft 10%
bank close bio --to 2025-06-02
bank draw bio user:zoe --from 2025-06-02 --apply
bank close-period --to 2025-06-02 --apply
bank grant chem 50 --from 2025-01-01 --to 2090-12-31
bank transfer chem 5 --into bio
bank adjust chem 5 --less
bank extend chem --allotment 1 --to 2098-12-31
bank void chem --allotment 1
bank writeoff poor
bank refund birch:1 2
bank bulk sheet.csv --apply
bank charge --recharge --from 2025-01-01 --apply
bank import accounts.csv
import csv --map map --cluster birch --again more.csv
request add chem 5 --to 2098-12-31 --note more
request approve 1
request decline 1 --note no
request withdraw 1
invoice issue chem --from 2025-06 --price 0.02 --unit EUR --close
invoice credit 1
invoice correct 1 --apply
books restore dumped.json --replace
END
}

check stint rate add cpu --cpu 1
check stint bank open chem --from 2025-01-01
check stint bank grant chem 1000 --from 2025-01-01 --to 2090-12-31
check stint bank open bio --from 2025-01-01
check stint bank grant bio 10 --from 2025-01-01
check stint bank open poor --from 2025-01-01
runs 0 >runs.csv
runs 2 >more.csv
check stint import csv --map map --cluster birch runs.csv
check stint rate set 1 --cpu 2
check stint request add chem 7 --to 2098-12-31 --note first
printf 'action,account,amount,into\ngrant,chem,5,\nopen,geo,7,\ntransfer,chem,3,bio\nset,bio,30,\n' >sheet.csv
printf 'account,balance,from\ngeo,50,2025-01-01\nlaw,10,2025-01-01\n' >accounts.csv
check stint books dump --output dumped.json
check stint bank refund birch:4 1
check stint rate add other --cpu 2 --partition none
check stint cap add chem zoe --amount 7
check stint invoice issue bio --from 2025-06
run_of 9 4 2 2025-06-09 zoe bio
mv store kept

# fresh: the store as it was before a command
fresh() { rm -rf store && cp -r kept store; }

# kill_it COMMAND...: with longer and shorter pauses before the kill, until it was killed as often as it is to be
kill_it() {
    kills=0
    tries=0
    longest=200
    while [ $kills -lt "$wanted" ] && [ $((tries += 1)) -le $((25 * wanted)) ]; do
        fresh
        "$STINT" "$@" >"$OUT" 2>"$ERR" &
        pid=$!
        pause "$longest"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        ended=$?
        if [ $ended -eq 0 ]; then
            longest=$((longest * 4 / 5 + 1))
            continue
        fi
        expect_equal 137 $ended
        longest=$((longest * 5 / 4 + 1))
        kills=$((kills + 1))
        check stint bank charge
        state >now
        if cmp -s now before; then
            undone=$((undone + 1))
        else
            expect_same after now
        fi
        check stint bank check --quiet
    done
    total=$((total + kills))
}

total=0
undone=0
commands >list
while read -r line <&3; do
    it "$line"
    # shellcheck disable=SC2086 # words of a command
    set -- $line
    fresh
    check stint bank charge
    state >before
    fresh
    check stint "$@"
    check stint bank charge
    state >after
    expect_exit 1 cmp -s before after
    kill_it "$@"
done 3<list

echo "# $undone of $total had not happened"
it 'each command was killed as often as it is to be'
expect_exit 0 test "$total" -ge $((wanted * $(wc -l <list)))
finish
