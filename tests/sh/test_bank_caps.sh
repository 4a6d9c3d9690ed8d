#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Caps: how much of an account each user may use in a month, a quarter, a year, or the time of its allotments.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"

this_month=2026-03-01
last_month=2026-02-01
set_clock 2026-03-20T12:00
left() { stint bank caps "${1:-chem}" --format csv --no-header | cut -d, -f2,3,5-8; }

check stint rate add cpu --cpu 1
check stint bank open chem --from 2020-01-01
check stint bank grant chem 1000 --from "$last_month"
check stint bank open bio --from 2020-01-01
run_of 1 10 1 "$this_month" bob
run_of 2 7 1 "$this_month" ann
run_of 3 100 1 "$last_month" bob
run_of 4 50 1 "$this_month" bob bio

it 'a cap is an amount or a share, of a user or of each one'
expect_exit 2 stint cap add chem bob
expect_err_has 'either --amount SU, or --share PERCENT'
expect_exit 2 stint cap add chem bob --amount 1 --share 1
expect_exit 2 stint cap add chem bob --share 101
expect_exit 2 stint cap add chem bob --amount 5 --per day
check stint cap add chem '*' --amount 12 --per month
check stint cap add chem bob --share 10
expect_exit 1 stint cap add chem bob --amount 3
expect_equal 'ann,month,12,7,0,5
*,month,12,0,0,12' "$(left | grep month)"
expect_equal 'bob,allotment,100,110,0,-10' "$(left | grep allotment)"

it 'an account that the bank does not have is noted, with the nearest'
check stint cap add chm bob --amount 1
expect_out_has "there is no account of the bank 'chm'; did you mean 'chem'?"
expect_out_has 'this cap waits until it is opened'
check stint cap set chm bob --amount 2
expect_out_has "'chm'"
check stint cap remove chm bob
check stint customer add chm --name Chemistry
expect_out_has 'this customer waits until it is opened'
check stint customer remove chm

it 'a user with several goes by all of them, and no more by those of each one'
check stint cap add chem bob --amount 40 --per month
expect_equal 'bob,month,40,10,0,30' "$(left | grep bob,month)"
expect_equal '' "$(left bio)"

it 'what running jobs may still cost counts, and is their user'\''s'
printf '%s\n' 'JobID|User|Account|State|NCPUS|Submit|Start|End|Timelimit' \
    "9|ann|chem|RUNNING|3|2026-03-20T00:00:00|2026-03-20T00:00:00|Unknown|2-00:00:00" >running.txt
check stint import slurm --cluster birch running.txt
expect_equal 'ann,month,12,7,144,-139' "$(left | grep ann,)"
check stint bank check

it 'a cap that does not hold yet, or any more, is not shown'
check stint cap add bio bob --amount 1 --from 2099-01-01
check stint cap add bio '*' --amount 1 --to 2020-01-01
expect_equal '' "$(left bio)"

it 'a dump has them and whose jobs hold what, and restored they are the same'
left >was
check stint books dump --output dump.json
rm -f "$STINT_STORE"/books.sqlite*
check stint books restore dump.json
expect_equal "$(cat was)" "$(left)"
check stint bank check

it 'a ceiling is what all users together may use, and the balance says so'
check stint cap add bio all --amount 80 --per month
check stint bank grant bio 100 --from "$last_month"
expect_equal all,month,80,50,0,30 "$(left bio)"
expect_equal 50,30,ok "$(balance bio balance),$(balance bio free),$(balance bio state)"
check stint bank balance bio
expect_out_has 'all may use 80 SU of bio per month, and have 30 left'
printf '%s\n' 'JobID|User|Account|State|NCPUS|Submit|Start|End|Timelimit' \
    "10|zoe|bio|RUNNING|1|$(date +%F)T00:00:00|$(date +%F)T00:00:00|Unknown|1-06:00:00" >running2.txt
check stint import slurm --cluster birch running2.txt
expect_equal 'all,month,80,50,30,0' "$(left bio | grep month)"
expect_equal 50,0,over "$(balance bio balance),$(balance bio free),$(balance bio state)"
check stint cap remove bio all
check stint cap add bio all --amount 85
check stint quote -- -n 10 -t 60 -A bio
expect_out_has 'everybody together has 5 SU left of a cap of 85 in bio: the job does not fit'
expect_equal 5,ok "$(balance bio free),$(balance bio state)"
check stint bank check

it 'users see themselves, and what each one may use'
me=$(id -un)
run_of 11 1 1 "$this_month" "$me"
check stint balance
expect_out_has "$me may use 12 SU of chem per month, and has 11 left"

it 'a quote goes by what is left of them'
check stint quote --format csv -- -n 2 -t 60 -A chem
expect_out_has ',2,2,chem,'
expect_out_has ',now,'
check stint quote --format csv -- -n 12 -t 60 -A chem
expect_out_has ",later,$(date -d "$this_month +1 month" +%F)T00:00:00Z,"
check stint quote -- -n 12 -t 60 -A chem
expect_out_has "$me has 11 SU left of a cap of 12 in chem: the job does not fit"
check stint quote --format csv -- -n 13 -t 60 -A chem
expect_out_has ',no,'
finish
