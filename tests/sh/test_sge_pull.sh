#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real Grid Engine is pulled while its jobs wait, run and end: often, and once at the end. Both must give the same
# facts, and those of qacct.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/sge.sh"

it 'a real Grid Engine comes up'
sge_need || finish
check sge_up
[ "${status:?}" -eq 0 ] || finish

config() { # STORE
    mkdir -p "$1"
    cat >"$1/stint.conf" <<CONF
[cluster rowan]
scheduler = sge
sge_root = $SGE_ROOT
sge_cell = $SGE_CELL
qmaster_port = $SGE_QMASTER_PORT
timeout = 120
CONF
}
config often
config once

it 'the config is understood, and what would be asked is shown'
expect_exit 0 stint config check --store often
expect_out_has rowan
expect_exit 0 stint pull --dry-run --store often
expect_out_has "qstat -u '*' -r -xml"
expect_out_has "$SGE_ACCOUNTING"

it 'a cluster without jobs'
expect_exit 0 stint pull --store often

# A job that runs until the test lets it go: however slow the machine is, it is there when it is looked at.
parallel=$(echo "until [ -e '$BED/go' ]; do sleep 0.2; done" | sge_script games -N parallel -pe smp 4 -l h_rt=600)
held=$(sge_submit lp -N held -h sleep 1)
deleted=$(sge_submit lp -N deleted sleep 300)

field() { stint jobs --store often -j "$1" --from 1d --fields "$2" --format csv --no-header; }

it 'jobs that wait and run are there'
check bed_until $BED_LONG sge_state "$parallel" r
bed_until $BED_LONG sge_state "$deleted" r # a busy machine may have failed it
check stint pull --store often
expect_equal 'running,4,games,smp' "$(field "$parallel" class,cpus,user,parallel_env)"
expect_equal 'pending,,lp' "$(field "$held" class,cpus,user)"

it 'a pull that finds nothing new writes nothing but the sighting'
check qmod -d all.q long.q # so that nothing starts in between
check stint pull --store often
check stint pull --store often --format csv
expect_equal '0,0' "$(awk -F, '$2 == "queue" { print $7 "," $8 }' "$OUT")"

it 'nodes are as the queues are'
expect_equal draining "$(stint nodes --store often --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "class") c = i } NR == 2 { print $c }')"
check qmod -e all.q long.q

it 'and move on, however often they are looked at'
sge_submit news -N array -t 1-12:3 -tc 2 sleep 2 >/dev/null
sge_submit man -N gpu -l gpu=2 -q long.q -A loom sleep 3 >/dev/null
sge_submit lp -N false /bin/false >/dev/null
: >"$BED/go"
check qdel "$held"
qdel "$deleted" >/dev/null 2>&1 # a busy machine may have failed it before
i=0
while [ $i -lt 40 ] && ! sge_over; do
    expect_exit 0 stint pull --store often
    until_true past "$(date +%s)" # once a second
    i=$((i + 1))
done
check sge_wait
check stint pull --store often
check stint pull --store often
check stint pull --store once

# A job that was deleted before it began leaves no record: only who looked often has seen it.
facts_of() { stint jobs -j '>0' --store "$1" --fields all --format csv --no-header | awk -F, -v held="$held" '$0 !~ "held"' | sort; }
facts_of often >often.csv
facts_of once >once.csv

it 'often and once give the same facts'
expect_same once.csv often.csv
expect_equal "$(awk -F: '!/^#/ && $42 == "NONE"' "$SGE_ACCOUNTING" | wc -l)" "$(wc -l <often.csv)"

it 'what was deleted while it waited is over'
expect_equal 'other,vanished' "$(stint jobs -j "$held" --store often --fields class,flags --format csv --no-header | sed 's/,1024$/,vanished/')"

it 'wall time is that of qacct'
ours=$(stint report wall_hours --from 2d --store often --format csv --no-header | awk '{ printf "%.0f", $1 * 3600 }')
theirs=$(qacct | awk 'END { print $1 }')
expect_equal "$theirs" "$ours"

it 'a master that does not answer is a sentence, and nothing is lost'
check sge_kill qmaster
expect_exit 1 stint pull --store often
expect_err_has rowan
expect_err_has qstat
facts_of often >after.csv
expect_same once.csv after.csv
check sge_start qmaster
check stint pull --store often
facts_of often >after.csv
expect_same once.csv after.csv

finish
