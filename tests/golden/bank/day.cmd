# The life of an account as slurm_bank's users know it: insert, check at 60, 90 and 100 %, over the limit, add, release, end
# of the proposal. What depends on today (when it runs out) is cut off.
export STINT_STORE="$PWD/store"
printf 'job = job\nuser = user\naccount = account\nbilling = billing\nstart = start\nend = end\nclass := completed\n' >map
say() { printf '\n$ %s\n' "$*"; }
shown() { say stint "$@" && stint "$@"; }
balance() { say "stint bank balance $1" && stint bank balance "$1" --format csv | cut -d, -f1-8; }
notices() { say "stint bank notices${*:+ $*}" && stint bank notices "$@" --format csv 2>/dev/null | cut -d, -f1-5; }
day() { # DAY BILLING_HOURS: a job of the account on that day
    printf 'job,user,account,billing,start,end\n%s,ann,proj1,%s,2025-03-%02dT09:00:00,2025-03-%02dT10:00:00\n' "$1" "$2" "$1" "$1" >run.csv
    say "a job of $2 billing hours"
    stint import csv --map map --cluster birch --again --quiet run.csv >/dev/null
}

stint rate add slurm --how recorded >/dev/null
printf '{"count":1,"results":[{"id":1,"account":"proj1","su_limit_hrs":10000,"date":"2025-03-01","upper_limit_informed":false,"lower_limit_informed":false,"max_limit_informed":false}],"meta":{}}\n' >bank.json

echo '# insert'
stint bank open proj1 --from 2025-03-01 >/dev/null
stint bank grant proj1 10000 --from 2025-03-01 --to 2099-02-28 --note 'proposal 1' >/dev/null
balance proj1

echo
echo '# check_service_units_limit'
day 3 5000
notices
day 4 1200
notices
notices --apply
notices
day 5 2900
notices --apply
balance proj1

echo
echo '# the limit is reached, and passed: each said once'
day 6 900
notices --apply
day 7 500
notices
balance proj1

echo
echo '# hold: nothing more may start, and what is done about it is a program of the site'
printf '#!/bin/sh\ncat >"$PWD/plan.json"\n' >hold
chmod +x hold
printf '[enforce birch]\ndriver = program\nprogram = %s\nmax_share = 100\ncoverage = 1s\n' "$PWD/hold" >stint.conf
# Nobody is stopped on data that are old: another account has a job today.
now=$(date +%s)
printf 'job,user,account,billing,start,end\n99,bob,other,1,%s,%s\n' $((now - 60)) "$now" >run.csv
stint import csv --map map --cluster birch --quiet run.csv >/dev/null
enforce() {
    rm -f plan.json
    say "stint bank $*"
    stint bank "$@" --config stint.conf --format csv --no-header | cut -d, -f2-9,11
    [ ! -e plan.json ] || cat plan.json
}
enforce enforce
enforce enforce --apply
enforce enforce --apply

echo
echo '# add: what was owed is paid, and there is room again'
say stint bank grant proj1 2000 --allotment 1
stint bank grant proj1 2000 --allotment 1 >/dev/null
balance proj1
enforce enforce --apply
say stint bank statement proj1
stint bank statement proj1 --from 2025-03-01 --to 2025-03-31 --format csv

echo
echo '# release_hold: whatever the balance is'
day 8 5000
enforce enforce --apply
enforce release proj1 --apply

echo
echo '# end of a proposal: what is left expires, also when nobody looked'
stint bank open proj2 --from 2024-01-01 >/dev/null
say stint bank grant proj2 300 --from 2024-01-01 --to 2024-12-31
stint bank grant proj2 300 --from 2024-01-01 --to 2024-12-31 >/dev/null
say stint bank allotments proj2
stint bank allotments proj2 --format csv | cut -d, -f2,3,5-10

echo
echo '# dump, and read again'
STINT_STORE="$PWD/other"
stint bank import bank.json >/dev/null 2>&1
say stint bank dump
stint bank dump | tee dumped.json
STINT_STORE="$PWD/third"
stint bank import dumped.json >/dev/null 2>&1
stint bank dump >again.json
cmp dumped.json again.json && cmp bank.json again.json && echo 'the same again'

echo
STINT_STORE="$PWD/store"
say stint bank check
stint bank check | sed -E 's/(head of the ledger, link )[0-9]+: [0-9a-f]+/\1N: DIGEST/'
