#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Pages of the bank: balances, lights and what a job costs; whoever looks sees the accounts they are in or manage, and of the
# others nothing.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

cat >map <<'MAP'
job = job
user = user
account = account
cpus = cpus
start = start
end = end
class := completed
MAP
cat >runs.csv <<'END2'
job,user,account,cpus,start,end
1,ann,chem,4,2026-01-10T00:00:00Z,2026-01-10T10:00:00Z
2,bob,bio,2,2026-01-11T00:00:00Z,2026-01-11T10:00:00Z
3,cat,chem,1,2026-01-12T00:00:00Z,2026-01-12T10:00:00Z
END2
check stint import csv --map map --cluster c --zone UTC runs.csv
check stint rate add cpu --cpu 1
for account in chem:100 bio:15; do
    check stint bank open "${account%:*}" --from 2026-01-01
    check stint bank grant "${account%:*}" "${account#*:}" --from 2026-01-01 --to 2099 --note 'call 7'
done
check stint bank charge --recharge --from 2026-01-01 --apply

it 'the balance day by day is what was granted less what was used'
stint bank days chem --from 2026-01-09 --to 2026-01-13 --zone UTC --format csv >days.csv
expect_equal 'period,granted,charged,expired,balance,forecast,forecast_recent,refunded
2026-01-09,0,0,0,100,,,0
2026-01-10,0,40,0,60,,,0
2026-01-11,0,0,0,60,,,0
2026-01-12,0,10,0,50,,,0
2026-01-13,0,0,0,50,,,0' "$(cat days.csv)"
expect_equal "$(stint bank balance chem --format csv --no-header | cut -d, -f6)" \
    "$(stint bank days chem --from 2d --format csv --no-header | awk -F, '$5 != "" { b = $5 } END { print b }')"

it 'it goes on from today by a forecast that begins with the balance'
stint bank days chem --from 1d --format csv --no-header >days.csv
expect_equal '50,50,50' "$(awk -F, '$5 != "" && $6 != ""' days.csv | cut -d, -f5-7)"
expect_exit 0 stint bank days chem --from 30d --format svg
expect_out_has 'class="c-band"'

it 'what an account owes does not vanish in a forecast'
expect_exit 0 stint bank days bio --from 30d --format svg
expect_equal 0 "$(grep -c 'class="c-band"' "$OUT")"

expect_exit 1 stint bank days chemistry
expect_exit 2 stint bank days

for name in ann bob; do
    stint user add $name --role user --format csv --no-header 2>/dev/null | cut -d, -f 2 >"$name.password"
done
stint user add mia --role manager --accounts bio --format csv --no-header 2>/dev/null | cut -d, -f 2 >mia.password
stint user add max --role manager --accounts chem,bio --format csv --no-header 2>/dev/null | cut -d, -f 2 >max.password
stint user add vera --role staff --format csv --no-header 2>/dev/null | cut -d, -f 2 >vera.password
start_server
for name in ann bob mia max vera; do
    curl -sS -o /dev/null -c "$name.jar" --data-urlencode "name=$name" --data-urlencode "password=$(cat $name.password)" "$at/login"
done
# page NAME PATH: as they see it; the status stands last
page() { curl -sS -w '\n%{http_code}\n' -b "$1.jar" "$at$2" >out; }

it 'staff see all accounts, with a light each that leads to its page'
page vera /bank
expect_equal 200 "$(tail -n 1 out)"
expect_exit 0 grep -q 'href="/bank/chem"' out
expect_exit 0 grep -q 'href="/bank/bio"' out
expect_exit 0 grep -q 'light-ok">ok' out
expect_exit 0 grep -q 'light-over">over' out

it "an account's page has its balance over time, its allotments, and who used what"
page vera '/bank/chem?from=2026-01-01'
expect_equal 200 "$(tail -n 1 out)"
for what in 'Balance over time' 'class="c-band"' Allotments 'call 7' 'href="/user/ann"' 'href="/user/cat"' 'href="/account/chem"'; do
    expect_exit 0 grep -qF "$what" out
done

it 'a user sees the accounts they are in, and of others who use them no name'
page ann /bank
expect_exit 0 grep -q 'href="/bank/chem"' out
expect_exit 1 grep -q 'bio' out
page ann '/bank/chem?from=2026-01-01'
expect_exit 0 grep -qF 'href="/user/ann"' out
expect_exit 0 grep -qF 'charges of others' out
expect_exit 1 grep -qF 'href="/user/cat"' out

it 'the page of whoever looks has their balance'
page ann /me
expect_exit 0 grep -qF 'My balance' out
expect_exit 0 grep -qF 'href="/bank/chem"' out
expect_exit 1 grep -qF 'href="/bank/bio"' out

it 'a share of the whole is said of what one sees all of'
page ann '/account/chem?from=2026-01-01&to=2026-01-31'
expect_exit 0 grep -qF 'CPU hours over time' out
expect_exit 1 grep -qF 'Share of all' out
page vera '/account/chem?from=2026-01-01&to=2026-01-31'
expect_exit 0 grep -qF 'Share of all CPU hours' out

it 'of an account that is not theirs they get what they get of one that does not exist'
page ann /bank/bio
expect_equal 404 "$(tail -n 1 out)"
sed 's/bio/NAME/g; /As of/d' out >there
page ann /bank/nix
sed 's/nix/NAME/g; /As of/d' out >nowhere
expect_same there nowhere
expect_equal 404 "$(curl -sS -o /dev/null -w '%{http_code}' -b ann.jar "$at/api/v1/bank?action=days&word=bio")"

it 'a manager sees the accounts they manage, with names'
page mia /bank
expect_exit 0 grep -q 'href="/bank/bio"' out
expect_exit 1 grep -q '\<chem\>' out
page mia '/bank/bio?from=2026-01-01'
expect_exit 0 grep -qF 'href="/user/bob"' out
page mia /bank/chem
expect_equal 404 "$(tail -n 1 out)"

balance() { stint bank balance "$1" --format csv --no-header | cut -d, -f6; }
# send NAME FIELD=VALUE...: the form of a transfer, with the token of their pages; the status is the answer
send() {
    t_name=$1
    shift
    for t_field; do
        shift
        set -- "$@" --data-urlencode "$t_field"
    done
    t_token=$(curl -sS -b "$t_name.jar" "$at/bank" | sed -n 's/.*name="csrf" value="\([^"]*\)".*/\1/p' | head -n 1)
    curl -sS -o out -w '%{http_code}' -b "$t_name.jar" -H "Origin: $at" -d "csrf=$t_token" -d back=/bank/chem -d action=transfer "$@" "$at/do/bank"
}

it 'whoever manages both accounts sees what a transfer would do, and nothing is done'
page max '/bank/chem?amount=7.5&into=bio'
expect_equal 200 "$(tail -n 1 out)"
expect_exit 0 grep -qF 'Transfer 7.5 SU to bio' out
expect_exit 0 grep -qF '>-7.5<' out
expect_exit 0 grep -qF '>42.5<' out
expect_equal '50 -5' "$(balance chem) $(balance bio)"

it 'the button carries it out, once however often it is sent'
id=$(sed -n 's/.*name="id" value="\([^"]*\)".*/\1/p' out)
expect_equal 303 "$(send max word=chem word=7.5 into=bio note=swap id="$id")"
expect_equal '42.5 2.5' "$(balance chem) $(balance bio)"
expect_equal 303 "$(send max word=chem word=7.5 into=bio note=swap id="$id")"
expect_equal '42.5 2.5' "$(balance chem) $(balance bio)"
expect_equal 'transfer 7.5 max swap' "$(stint bank history chem --format csv --no-header | tail -n 1 | cut -d, -f3,4,7,8 | tr , ' ')"

it 'what cannot be done is said in the place of the plan, which has no button'
page max '/bank/chem?amount=1000&into=bio'
expect_exit 0 grep -qF 'has no allotment that holds now with a balance of 1000' out
expect_exit 1 grep -qF 'type="submit">Transfer' out
page max '/bank/chem?amount=-1&into=bio'
expect_exit 0 grep -qF 'the amount must be more than 0' out
page mia '/bank/bio?amount=1&into=chem'
expect_exit 0 grep -qF "class=\"failure\"" out
sed 's/\<chem\>/NAME/g; /As of/d' out >there
page mia '/bank/bio?amount=1&into=zzzz'
sed 's/zzzz/NAME/g; /As of/d' out >nowhere
expect_same there nowhere

it 'nobody else can: not a user, not who manages one side, not without the token of the form'
page ann '/bank/chem?amount=1&into=bio'
expect_exit 1 grep -qF 'Transfer to another account' out
expect_exit 1 grep -qF 'type="submit">Transfer' out
expect_equal 403 "$(send ann word=chem word=1 into=bio)"
expect_equal 404 "$(send mia word=bio word=1 into=chem)"
expect_equal 403 "$(curl -sS -o /dev/null -w '%{http_code}' -b max.jar -H "Origin: $at" -d 'csrf=guessed&back=/bank&action=transfer&word=chem&word=1&into=bio' "$at/do/bank")"
expect_equal '42.5 2.5' "$(balance chem) $(balance bio)"

it 'nobody in particular sees none of it'
curl -sS "$at/bank" >out
expect_exit 1 grep -q '\<chem\>' out
curl -sS "$at/bank/chem" >out
expect_exit 1 grep -q 'Allotments' out

it 'a quote is asked by a form, and what is wrong with it is said there'
page ann '/quote?cpus=4&time=2%3A00%3A00&account=chem'
expect_exit 0 grep -qF '>8<' out
expect_exit 0 grep -qF 'href="/bank/chem"' out
page ann '/quote?flags=-pe+mpi+8+-l+h_rt%3D1%3A00%3A00+-P+chem'
expect_equal 200 "$(tail -n 1 out)"
page ann '/quote?cpus=many&time=2'
expect_equal 200 "$(tail -n 1 out)"
expect_exit 0 grep -qF 'class="failure"' out
expect_exit 0 grep -qF 'value="many"' out

finish
