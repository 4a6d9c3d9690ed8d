#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Requests for allotments: asking, deciding once, renewing, who sees and decides what, pages and messages.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

balance() { stint bank balance "$1" --format csv --no-header | cut -d, -f6; }
field() { stint request show "$1" --format csv --no-header | cut -d, -f"$2"; } # REQUEST COLUMN
for name in chem bio; do check stint bank open $name --from 2020-01-01; done
check stint bank grant chem 100 --from 2026-01-01 --to 2026-12-31
check stint bank grant bio 40 --from 2020-01-01 --to 2090
check stint bank draw chem user:ann --apply

# --- by hand, as admin --------------------------------------------------------------------------------------

it 'what is asked for is listed until it is decided, and posts nothing'
expect_exit 0 stint request list
expect_out_has 'no request is open'
was=$(balance chem)
check stint request add chem 500.5 --to 2098-06-30 --note 'a second series'
expect_equal '1,chem,500.5,2098-06-30,a second series,open' "$(stint request list --format csv --no-header | cut -d, -f1-3,5,8,9)"
expect_equal "$was" "$(balance chem)"
it 'it needs an account, an amount above zero, a reason, and an end that is not over'
expect_exit 2 stint request add chem 5
expect_err_has 'say why: --note TEXT'
expect_exit 2 stint request add chem --note x
expect_err_has 'say how much'
expect_exit 2 stint request add chem 0 --note x
expect_exit 2 stint request add chem 0.0000001 --note x
expect_exit 2 stint request add
expect_exit 2 stint request add chem 5 --to 2001 --note x
expect_err_has '2001-12-31 is over'
expect_exit 2 stint request add chem 5 --from 2095 --to 2094 --note x
expect_exit 2 stint request add chem 5 --source bio --note x
expect_err_has 'add does not take --source'
expect_exit 2 stint request add "ch
em" 5 --note x
expect_err_has 'the account has a control character'
expect_exit 2 stint request add '' 5 --note x
expect_err_has 'the account is empty'
expect_exit 2 stint request add chem 5 --note "$(printf '%4097s' x)"
expect_err_has '--note is longer than 4096 bytes'
it 'approving posts a grant that names the request, once'
check stint request approve 1 300 --to 2097-12-31 --note 'half of it'
expect_equal 'approved,300,half of it' "$(field 1 9,10,14)"
entry=$(field 1 11)
expect_equal 'grant,300,"request 1 of' "$(stint bank history chem --format csv --no-header | tail -n 1 | cut -d, -f3,4,8 | cut -d' ' -f1-3 | sed 's/,request/,"request/')"
expect_equal '2098-01-01 300' "$(stint bank allotments chem --format csv --no-header | tail -n 1 | awk -F, '{ print substr($5, 1, 10), $7 }')"
then=$(balance chem)
check stint request approve 1
expect_out_has 'was approved before: nothing was changed'
check stint request approve 1 300
expect_exit 1 stint request approve 1 301
expect_err_has 'was approved by'
expect_exit 1 stint request decline 1 --note no
expect_exit 1 stint request withdraw 1
expect_equal "$then" "$(balance chem)"
expect_equal "$entry" "$(field 1 11)"
it 'nobody takes the id of an approval'
check stint request add chem 1 --note 'a little'
expect_exit 2 stint bank grant chem 7 --id 'request 2'
expect_err_has 'are those of approved requests'
check stint request approve 2
it 'declining needs a reason and posts nothing'
check stint request add chem 9 --note 'more'
expect_exit 2 stint request decline 3
then=$(balance chem)
check stint request decline 3 --note 'the call is closed'
check stint request decline 3 --note 'again'
expect_out_has 'was declined before'
expect_equal 'declined,,the call is closed' "$(field 3 9,10,14)"
expect_exit 1 stint request approve 3
expect_equal "$then" "$(balance chem)"
it 'of an account that is not there yet can be asked for, and it is opened first'
check stint request add newlab 20 --to 2099 --note 'a new group'
expect_exit 1 stint request approve 4
expect_err_has "there is no account 'newlab' yet: open it first"
check stint bank open newlab
check stint request approve 4
expect_equal 20 "$(balance newlab)"
it 'a renewal is as much for as long, after the last allotment, and asked for once'
check stint bank open term --from 2020-01-01
check stint bank grant term 60 --from 2090-01-01 --to 2090-12-31
check stint request add term --renew --note 'it goes on'
expect_equal '60,2091-01-01,2091-12-31' "$(field 5 3-5)"
expect_exit 1 stint request add term --renew --note 'it goes on'
expect_err_has 'request 5 is open'
check stint request approve 5
expect_equal '2092-01-01 60' "$(stint bank allotments term --format csv --no-header | tail -n 1 | awk -F, '{ print substr($5, 1, 10), $7 }')"
expect_exit 1 stint request add newlab2 --renew --note x
check stint bank grant newlab unlimited
check stint bank open ever
check stint bank grant ever 5
expect_exit 1 stint request add ever --renew --note x
it 'what is no request is said'
expect_exit 1 stint request show 99
expect_err_has 'there is no request 99'
expect_exit 2 stint request approve chem
expect_exit 2 stint request show
it 'requests and decisions are in the chain and in a dump'
check stint bank check
check stint books dump --output dump.json
check stint --store "$TMP/copy" books restore dump.json
expect_equal "$(stint request list --all --format csv)" "$(stint --store "$TMP/copy" request list --all --format csv)"
check stint --store "$TMP/copy" bank check

# --- who may ------------------------------------------------------------------------------------------------

for name in ann bob; do
    stint user add $name --role user --format csv --no-header 2>/dev/null | cut -d, -f 2 >"$name.password"
done
stint user add mia --role manager --accounts chem --format csv --no-header 2>/dev/null | cut -d, -f 2 >mia.password
stint user add max --role manager --accounts chem,bio --format csv --no-header 2>/dev/null | cut -d, -f 2 >max.password
stint user add vera --role staff --format csv --no-header 2>/dev/null | cut -d, -f 2 >vera.password
stint user add tim --role treasurer --format csv --no-header 2>/dev/null | cut -d, -f 2 >tim.password
start_server
for name in ann bob mia max vera tim; do
    curl -sS -o /dev/null -c "$name.jar" --data-urlencode "name=$name" --data-urlencode "password=$(cat $name.password)" "$at/login"
done
# send NAME FIELD=VALUE...: the form, with the token of their page; the status is the answer
send() {
    t_name=$1
    shift
    for t_field; do
        shift
        set -- "$@" --data-urlencode "$t_field"
    done
    t_token=$(curl -sS -b "$t_name.jar" "$at/requests" | sed -n 's/.*name="csrf" value="\([^"]*\)".*/\1/p' | head -n 1)
    curl -sS -o out -w '%{http_code}' -b "$t_name.jar" -H "Origin: $at" -d "csrf=$t_token" -d back=/requests "$@" "$at/do/request"
}
# sees NAME: numbers of the requests that are open to them
sees() { curl -sS -b "$1.jar" "$at/api/v1/request?action=list&format=csv" | sed 1d | cut -d, -f1 | tr '\n' ' '; }

it 'by a form: a user asks, and sees their own'
expect_equal 303 "$(send ann action=add word=chem word=7 to=2099-12-31 note='for <b>work</b>')"
expect_equal 303 "$(send bob action=add word=secret word=8 note=because)"
expect_equal '6  7 ' "$(sees ann) $(sees bob)"
curl -sS -b ann.jar "$at/requests" >out
expect_exit 0 grep -qF 'for &lt;b&gt;work&lt;/b&gt;' out
expect_exit 1 grep -qF '>Decide<' out
it 'managers see those of their accounts, staff all'
expect_equal '6 |6 |6 7 |6 7 ' "$(sees mia)|$(sees max)|$(sees vera)|$(sees tim)"
curl -sS -b mia.jar "$at/requests" >out
expect_exit 0 grep -qF '>Decide<' out
it 'what is not theirs to see is not there'
expect_equal 404 "$(send mia action=decline word=7 note=no)"
expect_equal 404 "$(send bob action=withdraw word=6)"
it 'users and staff decide nothing; nobody withdraws what is not theirs'
expect_equal 403 "$(send ann action=approve word=6)"
expect_equal 403 "$(send vera action=approve word=6)"
expect_equal 403 "$(send max action=withdraw word=6)"
it 'a manager makes no SU: they pay from an account that they manage'
was="$(balance chem) $(balance bio)"
expect_equal 403 "$(send mia action=approve word=6)"
expect_exit 0 grep -qF -- '--source ACCOUNT' out
expect_equal 404 "$(send mia action=approve word=6 source=bio)"
expect_equal 400 "$(send max action=approve word=6 source=bio to=2099-01-01)"
expect_equal "$was" "$(balance chem) $(balance bio)"
expect_equal 303 "$(send max action=approve word=6 word=5 source=bio)"
expect_equal 303 "$(send max action=approve word=6 source=bio)"
expect_equal 'approved,5' "$(field 6 9,10)"
expect_equal 35 "$(balance bio)"
expect_equal 'transfer,5' "$(stint bank history bio --format csv --no-header | tail -n 1 | cut -d, -f3,4)"
it 'nobody decides about their own'
expect_equal 303 "$(send tim action=add word=chem word=9 note=me)"
expect_equal 403 "$(send tim action=approve word=8)"
expect_exit 0 grep -qF 'nobody decides about their own request' out
expect_equal 403 "$(send tim action=decline word=8 note=no)"
expect_equal 303 "$(send tim action=withdraw word=8)"
expect_equal withdrawn "$(field 8 9)"
expect_equal 303 "$(send max action=add word=chem word=9 note=me)"
expect_equal 403 "$(send max action=approve word=9 source=bio)"
expect_equal 303 "$(send tim action=approve word=9 word=2)"
expect_equal 'approved,2,tim' "$(field 9 9,10,12)"
it 'a treasurer declines; what is decided is not open any more'
expect_equal 303 "$(send tim action=decline word=7 note='no such project')"
expect_equal '||' "$(sees bob)|$(sees mia)|$(sees vera)"
it 'one person has a limited number of open requests'
n=0
while [ $n -lt 20 ]; do
    n=$((n + 1))
    send ann action=add word=chem word=1 note=more >/dev/null
done
expect_equal 409 "$(send ann action=add word=chem word=1 note=more)"
expect_exit 0 grep -qF 'has 20 open requests' out
check stint bank check

# --- messages -----------------------------------------------------------------------------------------------

mkdir bin
cat >bin/sendmail <<'SH'
#!/bin/sh
n=$(($(ls "${0%/*}" | grep -c '^sent') + 1))
{ echo "$@"; cat; } >"${0%/*}/sent-$n"
SH
chmod +x bin/sendmail
printf '[mail]\nfrom = stint@example.org\nstaff = staff@example.org\nsendmail = %s\n' "$TMP/bin/sendmail" >stint.conf
messages() { stint request messages --config "$TMP/stint.conf" "$@"; }
sent() { ls bin | grep -c '^sent'; }
stop_server
export STINT_STORE="$TMP/mail"
check stint bank open chem
check stint people add ann --logins ann --email ann@example.org
check stint people add mia --logins mia --email mia@example.org
stint user add mia --role manager --accounts chem >/dev/null 2>&1
check stint request add chem 3 --note 'please'
it 'those who decide are told what is asked for, staff among them; first as a plan'
check messages --format csv --no-header
expect_equal '1,open,chem,mia@example.org 1,open,chem,staff@example.org' "$(messages --format csv --no-header 2>/dev/null | tr '\n' ' ' | sed 's/ $//')"
expect_equal 0 "$(sent)"
expect_exit 1 stint request messages --apply
it 'each once'
check messages --apply
expect_equal 2 "$(sent)"
expect_exit 0 grep -qF 'SU for chem: please' bin/sent-1
check messages --apply
expect_out_has 'nothing new'
expect_equal 2 "$(sent)"
it 'who asked is told what was decided, if they have an address'
check stint people add me --logins "$(id -un)" --email me@example.org
check stint request decline 1 --note 'not this year'
check messages --apply
expect_equal 3 "$(sent)"
expect_exit 0 grep -qF 'me@example.org' bin/sent-3
expect_exit 0 grep -qF 'not this year' bin/sent-3
check messages --apply
expect_equal 3 "$(sent)"

it 'a server sends them by itself, each once'
printf '[bank]\nrequests = 1s\n' >>stint.conf
check stint request add chem 4 --note 'again, please'
start_server --config "$TMP/stint.conf"
until_true test -e bin/sent-5
stop_server
check messages --apply
expect_out_has 'nothing new'
expect_equal 5 "$(sent)"

finish
