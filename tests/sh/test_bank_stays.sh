#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What was charged stays: a charge is pinned to the rates that made it, whatever becomes of rates, records, dumps and facts.
. "$(dirname "$0")/../support/sh.sh"

cat >map <<'MAP'
job = job
name = name
user = user
account = account
cpus = cpus
start = start
end = end
class := completed
MAP

# JOB CPUS HOURS [NAME]: imports one run
run_of() {
    printf 'job,name,user,account,cpus,start,end\n%s,%s,bob,chem,%s,2025-06-01T00:00:00,2025-06-01T%02d:00:00\n' \
        "$1" "${4:-x}" "$2" "$3" >"run$1.csv"
    check stint import csv --map map --cluster birch --again "run$1.csv"
}
used() { stint bank allotments chem --format csv --no-header | cut -d, -f8; }

check stint rate add cpu --cpu 1
check stint bank open chem --from 2025-01-01
check stint bank grant chem 10000 --from 2025-01-01 --to 2099

it 'a rate that is changed in place leaves what was charged, and prices what comes'
run_of 1 1 10
expect_equal 10 "$(used)"
check stint rate set 1 --cpu 7
run_of 1 1 10 renamed
expect_equal 10 "$(used)"
run_of 2 1 10
expect_equal 80 "$(used)"

it 'a correction that changes the price goes by the rates of then, once and twice'
run_of 1 1 11
expect_equal 81 "$(used)"
run_of 1 1 12
expect_equal 82 "$(used)"

it 'a rate that is removed leaves what was charged'
check stint rate remove 1
run_of 1 1 12 again
run_of 2 1 10 again
expect_equal 82 "$(used)"
run_of 1 1 10
expect_equal 80 "$(used)"
check stint bank check

it 'a run that no rate fits is said, with what charges it once one does'
run_of 5 1 10
expect_out_has 'could not be charged: no rate fits it; add the rate, then: stint bank charge --recharge --from DAY --apply'
expect_equal 80 "$(used)"

it 'restored books and facts made again leave it too'
check stint rate add cpu --cpu 100
check stint books dump --output dumped.json
rm -f "$STINT_STORE"/books.sqlite* "$STINT_STORE"/facts.duckdb*
check stint books restore dumped.json
check stint import csv --map map --cluster birch run2.csv run1.csv
expect_equal 80 "$(used)"
check stint bank check

it 'a run that its rate let go free stays free'
check stint rate add free --cpu 1 -M pine --free completed
printf 'job,name,user,account,cpus,start,end\n9,x,bob,chem,1,2025-06-02T00:00:00,2025-06-02T01:00:00\n' >free.csv
check stint import csv --map map --cluster pine free.csv
expect_equal 80 "$(used)"
check stint rate remove 3
sed -i 's/,x,/,y,/' free.csv
check stint import csv --map map --cluster pine --again free.csv
expect_equal 80 "$(used)"

it 'only --recharge goes by the rates of today, and says by how much before it does'
check stint bank charge --recharge --from 2025-01-01 --format csv
expect_out_has 'chem,5,80,2100,2020'
expect_equal 80 "$(used)"
check stint bank charge --recharge --from 2025-01-01 --to 2025-06-01 --apply --note 'by decision 7'
expect_equal 2000 "$(used)"
check stint bank history chem
expect_out_has 'by decision 7'
check stint bank check

it 'a rate for an account stays with its charges as well'
check stint rate add guests --cpu 50 --account chem
run_of 7 1 2
expect_equal 2100 "$(used)"
check stint rate set 4 --cpu 60
run_of 7 1 3
expect_equal 2150 "$(used)"
finish
