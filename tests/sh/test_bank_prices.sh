#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prices of what else a scheduler counts, and quotes by what the scheduler bills.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bank.sh"

# slurm_run JOB ALLOC_TRES: a run of two hours of the account chem, which the database has.
slurm_run() {
    printf '%s\n' 'JobID|User|Account|Partition|State|NCPUS|Submit|Start|End|AllocTRES' \
        "$1|ann|chem|cpu|COMPLETED|4|2025-06-02T00:00:00|2025-06-02T00:00:00|2025-06-02T02:00:00|$2" >"job$1.txt"
    check stint import slurm --cluster birch --again "job$1.txt"
}
charged() { stint bank charges "birch:$1@1748822400" --format csv | of_column amount; }
of_column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at[name] != "" { sum += $at[name] } END { print sum }'; }

it 'a rate has prices of other resources, and none of them twice'
expect_exit 2 stint rate add bad --resources shard=1
expect_err_has 'write at most 8 prices'
expect_exit 2 stint rate add bad --resources license/m=1,license/m=2
expect_exit 2 stint rate add bad --resources license/m=-1
expect_exit 2 stint rate add bad --resources license/m=0.0000001
expect_exit 2 stint rate add bad --gpu 1 --resources gres/gpu:a100=2
expect_err_has 'a GPU has one price'
expect_exit 2 stint rate add bad --how recorded --resources license/m=1
expect_err_has 'with --how recorded nothing else has a price'
check stint rate add all --cpu 1 --resources license/matlab=0.5,gres/shard=0.333333
check stint bank open chem --from 2025-01-01
check stint bank grant chem 1000 --from 2025

it 'a run is charged for them, line by line'
slurm_run 1 billing=4,cpu=4,gres/shard=3,license/matlab=2,node=1
check stint rate test 1
expect_out_has 'license/matlab'
check stint bank balance chem --format csv
expect_equal 11.999998 "$(balance chem used)"
check stint report su --by job --from 2025-06 --format csv
expect_out_has 11.999998
check stint jobs --from 2025-06 --fields job,resources --format csv
expect_out_has '1,"gres/shard=3,license/matlab=2"'

it 'a run that had none of them pays for the rest'
slurm_run 2 billing=4,cpu=4,node=1
expect_equal 19.999998 "$(balance chem used)"

it 'where a record does not say how many there were, that is named, and nothing is charged'
slurm_run 3 ''
expect_equal 19.999998 "$(balance chem used)"
check stint rate test 3
expect_out_has 'how many license/matlab it had was not recorded'

it 'what was charged stays with its rate, and a correction goes by that'
check stint rate set all --resources license/matlab=100
slurm_run 1 billing=4,cpu=4,gres/shard=6,license/matlab=2,node=1
expect_equal 21.999996 "$(balance chem used)"
check stint bank check

it 'a receipt carries the prices, and the files alone verify it'
check stint bank receipt chem 2025-06 --output june.json
cat job1.txt job2.txt >all.txt
check stint bank verify june.json job1.txt job2.txt --cluster birch
sed 's/shard=6/shard=7/' job1.txt >other.txt
expect_exit 1 stint bank verify june.json other.txt job2.txt --cluster birch

it 'a job has them in its quote'
check stint quote --format csv -- -n 4 -t 2:00:00 -L matlab:1 -A chem
expect_out_has ',208,208,chem,'

# --- by metagroup -----------------------------------------------------------------------------------

it 'a rate for a metagroup is for the runs of its members, and of metagroups in it'
check stint metagroup add industry
check stint metagroup add acme
check stint member add industry metagroup acme
check stint member add acme user eve --to 2025-08-31
check stint rate add dear --cpu 10 --metagroup 'ind*' -M ash
check stint rate add usual --cpu 2 -M ash
check stint bank open geo --from 2025-01-01
check stint bank grant geo 1000 --from 2025
CLUSTER=ash
run_of 71 1 1 2025-08-31 eve geo
run_of 72 1 1 2025-09-01 eve geo
run_of 73 1 1 2025-08-31 bob geo
expect_equal 14 "$(balance geo used)"
check stint report su --by user --from 2025-08 --to 2025-09 -M ash --format csv
expect_out_has eve,12
expect_out_has bob,2
check stint report su --by metagroup --from 2025-08 --to 2025-09 -M ash --format csv
expect_out_has acme,10

it 'what was charged stays when its user turns out to have been in none'
check stint member remove acme user eve
run_of 71 2 1 2025-08-31 eve geo
expect_equal 24 "$(balance geo used)"
run_of 74 1 1 2025-08-31 eve geo
expect_equal 26 "$(balance geo used)"
check stint bank check
check stint bank receipt geo 2025-08 --output geo.json
check stint bank verify geo.json --map map --cluster ash run71.csv run73.csv run74.csv
check stint bank charges geo --from 2025-08 --to 2025-08 --format csv
expect_out_has '2 cpu'

it 'until somebody charges again by the members of today'
check stint bank charge --recharge --from 2025-08-01 --apply
expect_equal 10 "$(balance geo used)"
check stint bank check

# --- what the scheduler bills -----------------------------------------------------------------------

partition_of() { echo "PartitionName=$1 Default=${2:-NO} Nodes=n[1-2] MaxTime=1-00:00:00 DefaultTime=01:00:00 State=UP TotalCPUs=32 TotalNodes=2 ${3:-} TRES=cpu=32"; }
# look AGO [CPUS]: what the cluster said that long ago; the second node has that many cpus.
look() {
    at=$(date -u -d "-$1" +%FT%TZ)
    {
        partition_of cpu YES 'DefMemPerCPU=2048'
        partition_of fat NO 'DefMemPerNode=4096'
        partition_of whole NO 'OverSubscribe=EXCLUSIVE'
    } | sed '1s/$/ TRESBillingWeights=CPU=1.0,Mem=0.25G/; 2s/$/ TRESBillingWeights=CPU=0.5,Mem=1G,License\/matlab=10/' >partitions.txt
    printf '%s\n' 'NodeName=n1 CPUTot=16 RealMemory=65536 Partitions=cpu,fat,whole State=IDLE' \
        "NodeName=n2 CPUTot=${2:-16} RealMemory=65536 Partitions=cpu,fat,whole State=IDLE" >nodes.txt
    check stint import slurm --cluster oak --at "$at" partitions.txt
    check stint import slurm --cluster oak --at "$at" nodes.txt
}
quoted() { stint quote --format csv --no-header -- "$@" | cut -d, -f7; }

it 'by a rate that takes what is billed a job has no price before the partition is known'
check stint rate add slurm --how recorded -M oak
expect_exit 1 stint quote -- -n 4 -t 60 -M oak
expect_err_has "how partition '?' does is not known"
look '30 min'

it 'then it is what the scheduler will record'
expect_equal 6 "$(quoted -n 4 -t 60 -M oak)"
expect_equal 5 "$(quoted -n 4 -t 60 --mem 5G -M oak)"
expect_equal 6 "$(quoted -n 4 -t 60 -M oak -p fat)"
expect_equal 36 "$(quoted -n 4 -t 60 -M oak -p fat -L matlab:3)"
expect_equal 12 "$(quoted -n 4 -t 2:00:00 -M oak)"

it 'a job without a limit has that of its partition'
expect_equal 6 "$(quoted -n 4 -M oak)"

it 'whole nodes and all memory are what the nodes have'
expect_equal 16 "$(quoted -n 4 -t 60 -M oak -p whole)"
expect_equal 24 "$(quoted --exclusive -t 60 -M oak)"
expect_equal 32 "$(quoted -n 17 -t 60 -M oak -p whole)"
expect_equal 17 "$(quoted -n 1 --mem=0 -t 60 -M oak)"

it 'of nodes that differ the largest counts, and the answer says so'
look '10 min' 64
expect_equal 64 "$(quoted -n 4 -t 60 -M oak -p whole)"
check stint quote -- -n 4 -t 60 -M oak -p whole
expect_out_has 'nodes of partition whole differ'

# --- a second unit ----------------------------------------------------------------------------------

it 'a second unit stands beside the SU, and is added up nowhere'
used=$(balance chem used)
check stint bank balance chem --format csv
expect_equal 0 "$(stint bank balance chem --format csv | grep -c beside)"
printf '[bank]\nbeside = 0.02 EUR\n' >"$STINT_STORE/stint.conf"
check stint bank balance chem --format csv
expect_equal "$used" "$(balance chem used)"
expect_equal 0.44 "$(balance chem used_beside)"
check stint bank balance chem
expect_out_has 'EUR Used'
check stint bank statement chem --from 2025-06 --to 2025-06 --format csv
expect_out_has ,-21.999996,-0.44
check stint bank charges chem --from 2025-06 --to 2025-06 --format csv
expect_out_has amount_beside
check stint report su,cost --from 2025-06 -M birch --by user --format csv
check stint quote --format csv -- -n 4 -t 2:00:00 -A chem -M birch
expect_out_has total_beside
printf '[bank]\nbeside = EUR\n' >"$STINT_STORE/stint.conf"
expect_exit 1 stint config check
expect_err_has 'an amount above zero and a unit'
rm "$STINT_STORE/stint.conf"

finish
