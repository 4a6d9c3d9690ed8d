#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Jobs that a real Grid Engine runs past midnight, twice. Its reporting file then has a row for each day of a job, and
# the last one is no more than the rest: whatever is imported of it and of the accounting file, and in which order,
# each run is there once, as long as it was. See docs/sources/sge.md, "The reporting file".
#
# The master writes of a midnight only what ran for a minute by then: so long it takes. timeout: 1800
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/sge.sh"

it 'a real Grid Engine comes up'
sge_need || finish
check sge_up
[ "${status:?}" -eq 0 ] || finish

# --- jobs -------------------------------------------------------------------------------------------

# Some cpu time each second, until the test says so.
busy() { echo "until [ -e '$BED/go' ]; do i=0; while [ \$i -lt 9999 ]; do i=\$((i + 1)); done; sleep 0.2; done"; }

# told WHAT: rows of the reporting file, by failure code and exit status
told() { awk -F: -v what="$1" '$2 == "acct" && $(NF - 33) ":" $(NF - 32) == what' "$SGE_REPORTING"; }
has_told() { [ "$(told "$1" | wc -l)" -eq "$2" ]; }
running() { [ "$(qstat -u '*' | awk '$5 == "r" || $5 == "Rr"' | wc -l)" -eq 4 ]; }
a_minute_on() { [ "$(date +%s)" -ge $((began + 62)) ]; }

it 'jobs run past midnight'
plain=$(busy | sge_script games -N plain -pe smp 2 -l h_rt=600)
again=$(busy | sge_script news -N again -r y)
array=$(busy | sge_script man -N array -t 1-2)
check bed_until $BED_LONG running
[ "${status:?}" -eq 0 ] || finish
began=$(date +%s)
check bed_until 120 a_minute_on
check sge_midnight
check bed_until $BED_LONG has_told 0:-1 4
[ "$status" -eq 0 ] || finish

it 'what goes on is not in it, as it is not in the accounting file'
check stint import sge --cluster rowan --store early "$SGE_REPORTING"
expect_equal '' "$(stint jobs -j '>0' --store early --format csv --no-header)"

it 'a listing tells of it, and the rows of midnight change nothing'
mkdir listed
cat >listed/stint.conf <<CONF
[cluster rowan]
scheduler = sge
sge_root = $SGE_ROOT
sge_cell = $SGE_CELL
qmaster_port = $SGE_QMASTER_PORT
timeout = 120
CONF
going() { stint jobs -j '>0' --store listed --fields job,task,class,cpus --format csv --no-header | sort; }
check stint pull --store listed
going >going.csv
expect_equal 4 "$(grep -c ,running, going.csv)"
check stint import sge --cluster rowan --store listed "$SGE_REPORTING"
going >going.again.csv
expect_same going.csv going.again.csv

it 'one is given up, and another midnight comes'
check qmod -rj "$again"
check bed_until $BED_LONG has_told 25:-1 1
check bed_until $BED_LONG running
check sge_midnight
check bed_until $BED_LONG has_told 0:-1 7

it 'they end'
: >"$BED/go"
check sge_wait
check bed_until $BED_LONG has_told 0:0 4
cp "$SGE_REPORTING" reporting
cp "$SGE_ACCOUNTING" accounting

# --- what the files have ----------------------------------------------------------------------------

# The sum of a job's cpu time, and the number of rows it stands in.
cpu_of() { # FILE JOB FIELDS-BEFORE
    awk -F: -v job="$2" -v more="$3" '!/^#/ && (!more || $2 == "acct") && $(6 + more) == job { s += $(NF - 8); n++ } END { printf "%.3f %d\n", s, n }' "$1"
}

it 'the days of a job add up to what the accounting file has in one row'
whole=$(cpu_of accounting "$plain" 0)
days=$(cpu_of reporting "$plain" 2)
expect_equal "${whole% *} 1" "$whole"
expect_equal "${whole% *} 3" "$days"

it 'the last of them begins where the one before ends'
expect_equal "$(told 0:-1 | awk -F: -v job="$plain" '$8 == job { end = $(NF - 34) } END { print end }')" \
    "$(told 0:0 | awk -F: -v job="$plain" '$8 == job { print $(NF - 35) }')"

# --- what becomes of them ----------------------------------------------------------------------------

import() { # STORE FILE...
    import_store=$1
    shift
    check stint import sge --cluster rowan --store "$import_store" "$@"
}

it 'each can be read, alone and after the other'
import accounting.store accounting
import alone.store reporting
import before.store reporting
import before.store accounting
import after.store accounting
import after.store reporting
import together.store reporting accounting
import early reporting  # which it has seen the beginning of
import listed reporting # and has been told of the jobs by qstat
check stint pull --store listed

# All but where it was read, and what the last row of the days does not tell.
facts() {
    stint jobs -j '>0' --store "$1" --fields all --format tsv | awk -F'\t' '
        NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /^(file|line|batch|digest|seen|flags|cpu_used|mem_integral|io|io_wait|mem_peak|mem_basis|vmem_peak|cpu_efficiency)$/ }
        { out = ""; for (i = 1; i <= NF; i++) if (keep[i]) out = out "\t" $i; print out }' | sort
}
used() { stint jobs -j '>0' --store "$1" --fields job,task,start,cpu_used,mem_integral,io,io_wait,mem_peak,mem_basis,vmem_peak --format csv --no-header | sort; }

it 'whatever is imported, each run is there once and as the accounting file has it'
facts accounting.store >want
expect_equal 6 "$(wc -l <want)" # a head, a job, two tasks of one array, two attempts of one job
expect_equal 5 "$(awk -F: '!/^#/' accounting | wc -l)"
for store in alone before after together early listed; do
    [ -d $store ] || store=$store.store
    facts $store >got
    expect_same want got
done

it 'and has the sums of the accounting file, where that was read too, before or after'
used accounting.store >want
for store in before.store after.store together.store listed; do
    used $store >got
    expect_same want got
done

it 'what only the days tell is unknown, not too little'
expect_equal "$plain,," "$(stint jobs -j "$plain" --store alone.store --fields job,cpu_used,mem_peak --format csv --no-header)"

it 'qacct says the same'
qacct -f accounting -j '*' >qacct.txt 2>"$ERR"
stint jobs -j '>0' --store before.store --fields all --format json --no-header >runs.json
check node "$TESTS/support/qacct.mjs" qacct.txt runs.json
theirs=$(qacct -f accounting | awk 'END { print $1 }')
for store in accounting.store alone.store after.store; do
    expect_equal "$theirs" "$(stint report wall_hours --from 2d --store $store --format csv --no-header | awk '{ printf "%.0f", $1 * 3600 }')"
done

finish
