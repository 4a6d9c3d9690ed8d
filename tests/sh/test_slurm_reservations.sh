#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Reservations of a real Slurm that are used in part: cpu hours and the idle part of reservations together are what
# sreport says is allocated, to the second.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

it 'a real Slurm comes up'
slurm_need || finish
check slurm_up
[ "${status:?}" -eq 0 ] || finish

cat >stint.conf <<CONF
[cluster rowan]
scheduler = slurm
slurm_conf = $SLURM_CONF
since = $(date -d -1day +%F)
CONF
pull() { stint pull --config "$TMP/stint.conf"; }

# --- what is reserved, and what runs ------------------------------------------------------------------

slurm_account physics games,man && slurm_account chemistry news,lp
reserve() { scontrol create reservation "$@"; }
go_on="until [ -e '$BED/go' ]; do sleep 0.2; done"

it 'three reservations: of an account, of two users, for maintenance'
check reserve reservationname=lab starttime=now duration=60 nodes=c3 accounts=chemistry
check reserve reservationname=class starttime=now duration=60 nodes=g1 users=games,news
check reserve reservationname=repair starttime=now duration=60 nodes=c2 users=root flags=maint
# sacct does not tell the reservation of a job that starts in the very second in which it begins.
begun() { [ "$(date +%s)" -gt $(($(slurm_sql -e "SELECT max(time_start) FROM ${SLURM_CLUSTER}_resv_table") + 1)) ] && all_written; }
all_written() { [ "$(slurm_sql -e "SELECT count(*) FROM ${SLURM_CLUSTER}_resv_table")" -ge 3 ]; }
check bed_until $BED_LONG begun
check slurm_submit lp --reservation=lab -t 30 -n2 --wrap "$go_on; sleep 3"
check slurm_submit news -t 30 -n3 --wrap "$go_on"
check slurm_submit games --reservation=class -p gpu -t 30 -n4 --wrap "$go_on; sleep 2"
check slurm_submit man -t 30 -n5 --wrap "$go_on; sleep 1"
all_run() { [ "$(squeue -h -o %T | sort | uniq -c | tr -d ' ')" = 4RUNNING ]; }
check bed_until $BED_LONG all_run
began=$(date +%s)
check pull
took=$(($(date +%s) - began + 1))
: >"$BED/go"
check slurm_wait

# They end by the clock, and are looked at before they do: as long after now as many pulls take on this machine.
it 'they end'
end=$(date -d "+$((20 + 8 * took)) seconds" +%FT%H:%M:%S)
for name in lab class repair; do
    check scontrol update reservationname=$name endtime="$end"
done
check pull
expect_exit 0 test "$(date +%FT%H:%M:%S)" '<' "$end"
none_left() { scontrol show reservation | grep -q '^No reservations'; }
check bed_until $BED_LONG none_left
check slurm_told
check pull

# --- hours --------------------------------------------------------------------------------------------

# Of all time: ours at the time it was, sreport's two hours earlier, in hours that are over.
seconds() { awk -F, '{ printf "%.0f\n", $1 * 3600 }'; }
used=$(stint report cpu_hours --from 1d --format csv --no-header | seconds)
stint reservations --from 1d --format tsv >reservations.tsv
column() { # NAME: of the reservations, with the name of each
    awk -F'\t' -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i; next } { printf "%s %.0f\n", $2, $c * 3600 }' reservations.tsv | sort
}
of() { column "$2" | sed -n "s/^$1 //p"; }

it 'they are listed, with what lay idle apart'
expect_equal 'class lab repair' "$(column cpu_hours_held | cut -d' ' -f1 | xargs)"
expect_equal 0 "$(of repair cpu_hours_used)"
for name in lab class; do
    expect_equal "$(of $name cpu_hours_idle)" $(($(of $name cpu_hours_held) - $(of $name cpu_hours_used)))
    expect_exit 0 test "$(of $name cpu_hours_used)" -gt 0
    expect_exit 0 test "$(of $name cpu_hours_idle)" -gt "$(of $name cpu_hours_used)"
done

it 'for people in 80 columns, with a total'
check stint reservations --from 1d --width 80
expect_out_has 'Idle h'
expect_equal '' "$(sed -n '/^Cluster/,/^$/p' "$OUT" | awk 'gsub(/─/, "-") + 1 && length > 80')"
expect_equal 2 "$(grep -c '^───' "$OUT")"

it 'picked by name; and none at all says why'
expect_equal "lab $(of lab cpu_hours_idle)" "$(stint reservations --from 1d --reservation 'l*' --format tsv --no-header | awk -F'\t' '{ printf "%s %.0f", $2, $12 * 3600 }')"
check stint reservations --from 2001 --to 2001
expect_out_has 'no reservation that matches the filters was seen'

it 'cpus and time are what Slurm wrote down'
slurm_sql -e "SELECT resv_name, sum((time_end - time_start) * substring_index(substring_index(tres, '1=', -1), ',', 1))
    FROM ${SLURM_CLUSTER}_resv_table GROUP BY resv_name ORDER BY resv_name" | tr '\t' ' ' >theirs
column cpu_hours_held >ours
expect_same theirs ours

it 'with it, cpu hours are what sreport calls allocated'
check slurm_past 7200
from=$(date -d -4hours +%FT%H:00:00) to=$(date +%FT%H:00:00)
utilization() { sreport -nP -t Seconds -T cpu cluster utilization start="$from" end="$to" format="$1"; }
expect_equal "$(utilization Allocated)" $((used + $(of lab cpu_hours_idle) + $(of class cpu_hours_idle)))

it 'and that for maintenance what it calls planned down'
expect_equal "$(utilization PlannedDown)" "$(of repair cpu_hours_held)"

it 'reservation by reservation'
sreport -nP -t Seconds -T cpu reservation utilization start="$from" end="$to" format=name,allocated,idle | sort >theirs
for name in class lab repair; do
    echo "$name|$(of $name cpu_hours_used)|$(of $name cpu_hours_idle)"
done >ours
expect_same theirs ours

# Whom sreport charges for what lay idle: it takes a reservation as used wholly while a job of any size runs in it, and
# divides the rest among the associations that may use it: an account's own, or each user's.
it 'sreport by account and user: what it adds to our cpu hours'
elapsed() { sacct -aDXnP -S "$(date -d -1day +%F)" -E now -o Reservation,ElapsedRaw | awk -F'|' -v name="$1" '$1 == name { s += $2 } END { print s }'; }
lab=$(($(of lab cpu_hours_held) - 16 * $(elapsed lab)))
class=$(($(of class cpu_hours_held) - 32 * $(elapsed class)))
stint report cpu_hours --by account,user --from 1d --format csv --no-header | awk -F, '{ printf "%s|%s %.0f\n", $1, $2, $3 * 3600 }' |
    awk -v lab="$lab" -v class="$class" -v repair="$(of repair cpu_hours_held)" '
        { used[$1] = $2 }
        END {
            used["physics|games"] += class / 2; used["chemistry|news"] += class / 2; used["root|root"] += repair
            for (who in used) { print who "|" used[who]; }
            for (who in used) { split(who, part, "|"); sum[part[1]] += used[who] }
            print "chemistry||" sum["chemistry"] + lab; print "physics||" sum["physics"]
            print "root||" sum["chemistry"] + sum["physics"] + sum["root"] + lab
        }' | sort >ours
sreport -nP -t Seconds -T cpu cluster AccountUtilizationByUser start="$from" end="$to" format=account,login,used | sort >theirs
expect_same theirs ours

finish
