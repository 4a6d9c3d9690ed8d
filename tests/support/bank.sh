# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# Runs for tests of the bank: sourced after sh.sh.
#
#     run_of JOB CPUS HOURS [DAY [USER [ACCOUNT [NAME]]]]     imports one run, again if it is there, of the cluster $CLUSTER
#     allotment ACCOUNT COLUMN        a column of its allotments, in their order
#     balance ACCOUNT COLUMN          a column of its balance
#
# A day is like 2025-06-01, and the run begins at its midnight. Files stay: run$JOB.csv.

CLUSTER=birch

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

run_of() {
    printf 'job,name,user,account,cpus,start,end\n%s,%s,%s,%s,%s,%sT00:00:00,%sT%02d:00:00\n' "$1" "${7:-x}" "${5:-bob}" \
        "${6:-chem}" "$2" "${4:-2025-06-01}" "${4:-2025-06-01}" "$3" >"run$1.csv"
    check stint import csv --map map --cluster "$CLUSTER" --again "run$1.csv"
}

# NAME COLUMN: of a CSV table on stdin, that column of the rows whose `account` is NAME
of_account() {
    awk -F, -v name="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["account"] == name { print $at[column] }'
}
allotment() { stint bank allotments "$1" --format csv | of_account "$1" "$2"; }
balance() { stint bank balance "$1" --format csv | of_account "$1" "$2"; }
