#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Notices of the bank as messages: who gets them, once each, one message a day, by sendmail, SMTP and webhook.
. "$(dirname "$0")/../support/sh.sh"

office=
t_at_exit=stop_office
stop_office() { [ -z "$office" ] || kill "$office" 2>/dev/null; }
# Certificates: of an authority, of the servers, and of one that nobody knows.
{
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=test authority" -keyout ca.key -out ca.pem &&
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=a stranger" -keyout stranger.key -out stranger.pem &&
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=post office" -keyout key.pem -out cert.csr &&
        echo "subjectAltName=IP:127.0.0.1" >cert.ext &&
        openssl x509 -req -in cert.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile cert.ext -out cert.pem
} >openssl.log 2>&1 || cat openssl.log
node "$TESTS/tools/post-office.mjs" "$TMP" &
office=$!

mkdir bin
cat >bin/sendmail <<'SH'
#!/bin/sh
[ ! -e "${0%/*}/full" ] || { echo 'queue is full' >&2; exit 75; }
: >"${0%/*}/began"
while [ -e "${0%/*}/slow" ]; do sleep 0.1; done
n=$(($(ls "${0%/*}" | grep -c '^sent') + 1))
{ echo "$@"; cat; } >"${0%/*}/sent-$n"
SH
chmod +x bin/sendmail
conf() { printf '%s\n' "$@" >stint.conf; }
notices() { stint bank notices --config "$TMP/stint.conf" "$@"; }
sent() { ls bin | grep -c '^sent'; }
mail='[mail]
from = stint@example.org'
conf "$mail" "sendmail = $TMP/bin/sendmail"

# chem: bob used 95 of 100, ann manages it. bio: bob used 65 of 100, and nobody manages it. geo: nobody has an address.
printf 'job = job\nuser = user\naccount = account\ncpus = cpus\nstart = start\nend = end\nclass := completed\n' >map
set_clock 2026-03-20T12:00
now=$(date -d 2026-03-20T12:00 +%s)
printf 'job,user,account,cpus,start,end\n1,bob,chem,95,%d,%d\n2,bob,bio,65,%d,%d\n3,eve,geo,100,%d,%d\n' \
    $((now - 7200)) $((now - 3600)) $((now - 7200)) $((now - 3600)) $((now - 7200)) $((now - 3600)) >runs.csv
stint import csv --map map --cluster birch runs.csv >/dev/null
stint rate add cpu --cpu 1 >/dev/null
for account in chem bio geo; do
    stint bank open $account --from 2025-01-01 >/dev/null
    stint bank grant $account 100 --from 2025-01-01 >/dev/null
done
stint people add bob --logins bob --email bob@example.org >/dev/null
stint people add ann --logins ann --email ann@example.org >/dev/null
stint user add ann --role manager --accounts chem >/dev/null 2>&1

it 'without --apply nothing is sent, and it is shown who would get it'
check notices --format csv --no-header
expect_out_has 'chem,1,90 %'
expect_out_has ',ann@example.org'
expect_out_has ',bob@example.org'
expect_equal 0 "$(sent)"

it 'a program that fails sends nothing, and says why'
touch bin/full
expect_exit 1 notices --apply
expect_err_has 'queue is full'
expect_err_has 'what was not sent is sent by the next call'
rm bin/full

it 'managers get it, else those who used it, and it is said where nobody has an address'
check notices --apply
expect_equal 2 "$(sent)"
expect_out_has '2 messages were sent'
expect_out_has "nobody of account 'geo' has an address"
cat bin/sent-* >all
expect_equal 1 "$(grep -c -- '-i -f stint@example.org -- ann@example.org' all)"
expect_equal 1 "$(grep -c '^Subject: Service units: chem: 90 %$' all)"
expect_equal 1 "$(grep -c '^chem: 90 % of 100 SU are used (95 SU), 5 SU are left$' all)"
expect_equal 1 "$(grep -c '^bio: 60 % of 100 SU are used (65 SU), 35 SU are left$' all)"

it 'each is sent once'
check notices --apply
expect_equal 2 "$(sent)"

it 'one message a day, with all that is new, from the template of the site'
mkdir templates
printf 'Subject: {{subject}} (stint)\n\nHello {{to}}\n{{notices}}' >templates/notices.txt
conf "$mail" "sendmail = $TMP/bin/sendmail" 'staff = staff@example.org' '[site]' "templates = $TMP/templates" '[bank]' 'levels = 50, 75'
check notices --apply
expect_equal 3 "$(sent)" # to the staff about geo; bob got one today
expect_equal 1 "$(grep -c '^Hello staff@example.org$' bin/sent-3)"
check notices --apply --format csv --no-header
expect_out_has 'chem,1,75 %'
expect_equal 3 "$(sent)"
sqlite3 "$STINT_STORE/books.sqlite" 'UPDATE bank_message SET "at" = "at" - 86400000000'
check notices --apply
expect_equal 5 "$(sent)"
cat bin/sent-4 bin/sent-5 >all
expect_equal 2 "$(grep -c '^Subject: .*(stint)$' all)"
check notices --apply --format csv --no-header
expect_equal '' "$(cat "$OUT")"

it 'by SMTP, and a refusal is quoted and repeats nothing'
until_true test -e smtp
until_true test -e webhook
stint bank open smtp --from 2025-01-01 --draw account:other >/dev/null 2>&1
for account in chem bio; do stint bank grant $account 1 --from 2025-01-01 --to 2026-04-09 >/dev/null; done
sqlite3 "$STINT_STORE/books.sqlite" 'UPDATE bank_message SET "at" = "at" - 86400000000'
conf "$mail" "smtp = $(cat smtp)"
touch refuse
expect_exit 1 notices --apply
expect_err_has "$(cat smtp)"
expect_err_has '550'
rm refuse
check notices --apply
expect_equal 2 "$(ls | grep -c '^mail-')"
cat mail-* >all
expect_equal 1 "$(grep -c '^RCPT TO:<ann@example.org>' all)"
expect_equal 1 "$(grep -c '^MAIL FROM:<stint@example.org>' mail-1)"

it 'a webhook gets JSON, with its token'
sqlite3 "$STINT_STORE/books.sqlite" 'UPDATE bank_message SET "at" = "at" - 86400000000'
conf '[webhook]' "address = $(cat webhook)/hook" 'token = secret'
stint bank grant geo 1 --from 2025-01-01 --to 2026-04-09 >/dev/null
touch refuse
expect_exit 1 notices --apply
expect_err_has 'it answered status 503'
rm refuse
check notices --apply
expect_equal '/hook Bearer secret' "$(head -n 1 hook-1)"
expect_equal 1 "$(grep -c '^{"to":"","subject":"Service units: .*"text":".*geo: the allotment of 1 SU ends in' hook-1)"

# --- encrypted, with a login ------------------------------------------------------------------------------

# another: there is something to tell chem's manager again, a day later.
another() {
    sqlite3 "$STINT_STORE/books.sqlite" "UPDATE bank_message SET \"at\" = \"at\" - 86400000000"
    stint bank grant chem 1 --from 2025-01-01 --to 2026-04-09 >/dev/null
}
mails() { ls | grep -c "^mail-"; }
guarded() { # ADDRESS AUTHORITY PASSWORD
    conf "$mail" "smtp = $1" "ca = $TMP/$2" "user = stint" "password = $3" "timeout = 60s"
}
until_true test -e smtp-starttls
until_true test -e smtps
until_true test -e webhook-tls
for name in smtp-starttls smtps; do
    it "by $name: a server that nobody vouches for, or that does not know the password, gets nothing"
    another
    was=$(mails)
    guarded "$(cat $name)" stranger.pem secret
    expect_exit 1 notices --apply
    expect_err_has certificate
    guarded "$(cat $name)" ca.pem wrong
    expect_exit 1 notices --apply
    expect_err_has "$(cat $name)"
    expect_equal "$was" "$(mails)"

    it "by $name with a login it is sent, encrypted"
    guarded "$(cat $name)" ca.pem secret
    check notices --apply
    expect_equal $((was + 1)) "$(mails)"
    expect_equal 1 "$(grep -c "^secure MAIL FROM:<stint@example.org>" "mail-$((was + 1))")"
done

it 'a password is not sent where there is no TLS'
another
was=$(mails)
guarded "$(cat smtp)" ca.pem secret
expect_exit 1 notices --apply
expect_err_has "$(cat smtp)"
expect_equal "$was" "$(mails)"

it 'a webhook by https is checked by the authority that the site names'
conf "[webhook]" "address = $(cat webhook-tls)/hook" "ca = $TMP/stranger.pem"
was=$(ls | grep -c "^hook-")
expect_exit 1 notices --apply
expect_err_has certificate
expect_equal "$was" "$(ls | grep -c "^hook-")"
conf "[webhook]" "address = $(cat webhook-tls)/hook" "ca = $TMP/ca.pem"
check notices --apply
expect_equal $((was + 1)) "$(ls | grep -c "^hook-")"

# --- a server in trouble ----------------------------------------------------------------------------------

for trouble in hang drop; do
    it "a mail server that takes the connection, and then: $trouble"
    another
    was=$(mails)
    conf "$mail" "smtp = $(cat smtp)" "timeout = 2s"
    touch $trouble
    expect_exit 1 notices --apply
    expect_err_has "$(cat smtp)"
    expect_err_has "what was not sent is sent by the next call"
    rm $trouble
    expect_equal "$was" "$(mails)"
    conf "$mail" "smtp = $(cat smtp)"
    check notices --apply
    expect_equal $((was + 1)) "$(mails)"
    check notices --apply
    expect_equal $((was + 1)) "$(mails)"
done

it 'nobody listens'
another
conf "$mail" "smtp = smtp://127.0.0.1:1"
expect_exit 1 notices --apply
expect_err_has "smtp://127.0.0.1:1"

# --- many at once ------------------------------------------------------------------------------------------

it 'while one sends, another is refused'
was=$(sent)
conf "$mail" "sendmail = $TMP/bin/sendmail"
rm -f bin/began
touch bin/slow
notices --apply >first 2>&1 &
first=$!
until_true test -e bin/began
expect_exit 1 notices --apply
expect_err_has "another 'stint bank notices --apply' is running"
rm bin/slow
wait $first
expect_equal $((was + 1)) "$(sent)"

it 'several at once send each message once'
another
pids=
for n in 1 2 3 4; do
    notices --apply >"at-once-$n" 2>&1 &
    pids="$pids $!"
done
for pid in $pids; do wait "$pid"; done
expect_equal $((was + 2)) "$(sent)"

it 'who got what is forgotten when it decides nothing any more, and nothing is sent again'
conf "$mail" "sendmail = $TMP/bin/sendmail" 'staff = staff@example.org'
check notices --apply
messages() { sqlite3 "$STINT_STORE/books.sqlite" 'SELECT count(*) FROM bank_message'; }
was=$(messages)
expect_exit 0 test "$was" -gt 0
sqlite3 "$STINT_STORE/books.sqlite" 'UPDATE bank_message SET "at" = "at" - 8 * 86400000000;
    DELETE FROM bank_notice_sent WHERE allotment = 1 AND what = "90 %"'
before=$(sent)
check notices --apply --format csv --no-header
expect_equal "$before" "$(sent)"
expect_exit 0 test "$(messages)" -lt "$was"
expect_equal 0 "$(messages)"

it 'levels that are none are refused with a sentence'
conf '[bank]' 'levels = many'
expect_exit 1 notices
expect_err_has "'levels' of [bank] in stint.conf is a list"

finish
