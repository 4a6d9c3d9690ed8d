#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Snapshots of a Nomad cluster, from files into hours: against a second computation, and against the sums of the scripts
# that wrote such snapshots. See tests/support/nomad-story.mjs.
. "$(dirname "$0")/../support/sh.sh"

node "$TESTS/support/nomad-story.mjs" story || exit 1

import() { stint import nomad --zone Europe/Madrid --cluster c --format csv --no-header "$@" >.import; }

# hours FROM TO DIGITS: what each namespace used, rounded, or cut off to whole hours where DIGITS is `whole`.
hours() {
    stint report cpu_hours,gpu_hours,mem_gib_hours,disk_gib_hours --by account --sort account --from "$1" --to "$2" \
        --format csv --no-header | awk -F, -v digits="$3" '
        BEGIN { OFS = ","; print "account", "cpu", "gpu", "mem", "disk" }
        {
            for (i = 2; i <= 5; i++)
                $i = digits == "whole" ? int($i + 1e-6) : sprintf("%.*f", digits, $i)
            print
        }'
}

# Everything the store has of the runs but where they were read.
runs() {
    stint jobs --from 2025-01-01 --to 2025-03-01 --limit 0 --sort job_key --format csv --fields \
        job_key,attempt,name,user,account,partition,submit,start,end,state,class,cpus,req_cpus,mem,disk,gpus,request,command,seen,flags
}

# sightings CLASSES: the last of each run of these classes.
sightings() {
    stint jobs --from 2025-01-01 --to 2025-03-01 --class "$1" --limit 0 --format csv --no-header --fields seen | sort -u
}

# How many runs were found to have vanished.
flags_set() {
    stint jobs --from 2025-01-01 --to 2025-03-01 --limit 0 --format csv --no-header --fields flags |
        awk '$1 != 0 { n++ } END { print n + 0 }'
}

# How many waiting runs vanished although one of their job has started.
started_but_waiting() {
    stint jobs --from 2025-01-01 --to 2025-03-01 --limit 0 --format csv --no-header --fields name,job_key,flags,start |
        awk -F, '$4 != "" { started[$1] = 1 } $2 ~ /@/ && $3 != 0 { waits[$1] = 1 }
            END { for (name in waits) n += name in started; print n + 0 }'
}

it 'the hours are those of a second computation'
expect_exit 0 import story/snapshots/*.json
expect_out story/usage.csv hours 2025-02-01 2025-02-01 6
expect_out story/usage-cut.csv hours 2025-02-01 2025-02-01T20:00 6
runs >in-order.csv

it 'and up to the last snapshot those of the scripts, which cut off hours'
expect_out story/steps.csv hours 2025-02-01 2025-02-01T20:00 whole

it 'who never counted what came after it'
expect_out story/tail.csv hours 2025-02-01T20:00 2025-02-02T00:00 6
expect_exit 1 cmp -s story/usage.csv story/usage-cut.csv

it 'all that is in no snapshot any more has ended'
expect_out 2025-02-02T08:00:00Z sightings running,pending

it 'nothing waits once it has started'
expect_out 0 started_but_waiting

it 'again changes nothing'
expect_exit 0 import story/snapshots/*.json
expect_out unchanged sh -c 'cut -d, -f2 .import | sort -u'
runs >again.csv
expect_exit 0 cmp in-order.csv again.csv

it 'the gap and the age are told'
expect_exit 0 stint doctor
expect_out_has 'no snapshot of c between 2025-02-01T08:00:00Z and 2025-02-01T16:00:00Z'
expect_out_has 'usually every 4 hours; the newest is of'
expect_out_has 'are they still taken, and imported?'

it 'the order does not matter'
rm -rf store
# shellcheck disable=SC2046 # names without blanks
expect_exit 0 import $(printf '%s\n' story/snapshots/*.json | sort -r)
runs >backwards.csv
expect_exit 0 cmp in-order.csv backwards.csv
rm -rf store
# shellcheck disable=SC2046
expect_exit 0 import $(printf '%s\n' story/snapshots/*.json | sort -t: -k2 -s | awk '{ print ($0 ~ /T(04|16|08)/), $0 }' |
    sort -s -n | cut -d' ' -f2)
runs >shuffled.csv
expect_exit 0 cmp in-order.csv shuffled.csv

it 'the same bytes of another time are another sighting'
rm -rf store
mkdir same
for t in 00 04; do
    cp story/snapshots/2025-02-01T04:00:00.json "same/2025-02-01T$t:30:00.json"
done
expect_exit 0 import same/*.json
expect_out 2 grep -c ',new,' .import
expect_out 2025-02-01T04:30:00Z sightings running

# --- allocations of a file that does not say when it was written ------------------------------------------

it 'an allocation that a later snapshot lacks is over since it last changed'
mkdir list
printf '{"ID":"%s","JobID":"j","ClientStatus":"running","CreateTime":1738368000000000000,"ModifyTime":%s,
    "TaskStates":{"main":{"StartedAt":"2025-02-01T00:00:30Z"}}}\n' \
    listed 1738378800000000000 unlisted 1738378800000000000 starting 1738368000000000000 >list/allocations.json
printf '{"default":[{"job_ID":"j","status":"running","alloc_ID":"listed","alloc_start":"2025-02-01T00:00:30Z"}]}\n' \
    >list/2025-02-01T06:00:00.json
listed() {
    rm -rf store
    for file; do
        import "$file" || return
    done
    stint jobs --from 2025-02-01 --to 2025-02-01 --format csv --no-header --sort job_key --fields job_key,end,class,flags |
        sed 's/2025-02-01T//; s/,0$//; s/,[0-9]*$/,flagged/'
}
want='listed,,running
starting,00:00:30Z,other,flagged
unlisted,03:00:00Z,other,flagged'
expect_out "$want" listed list/allocations.json list/2025-02-01T06:00:00.json
expect_out "$want" listed list/2025-02-01T06:00:00.json list/allocations.json

it 'a file that is called by its time says when'
cp list/allocations.json list/2025-02-01T05-00-00.json
expect_out "$(echo "$want" | sed 's/,0[03]:00:[03]0Z/,05:00:00Z/')" listed list/2025-02-01T05-00-00.json list/2025-02-01T06:00:00.json

it 'one that is newer than the last snapshot goes on'
sed 's/1738378800/1738418400/' list/allocations.json >list/newer.json
listed list/2025-02-01T06:00:00.json list/newer.json >.newer
expect_out 'unlisted,,running' grep ^unlisted .newer

it 'the key of the owner is what the user says it is'
printf '{"vo":[{"job_ID":"j","status":"running","submit_time":"2025-02-01 00:00:00","alloc_ID":"a","alloc_start":"2025-02-01T01:00:00Z",
    "alloc_end":null,"resources":{"cpu_num":2},"owner":"u1","who":"ann","owner_email":"a@b.example"}]}\n' >list/2025-02-01T09:00:00.json
rm -rf store
expect_exit 0 import --owner who list/2025-02-01T09:00:00.json
expect_out ann stint jobs --from 2025-02-01 --to 2025-02-01 --format csv --no-header --fields user
expect_exit 0 import --again list/2025-02-01T09:00:00.json
expect_out u1 stint jobs --from 2025-02-01 --to 2025-02-01 --format csv --no-header --fields user
expect_exit 0 stint people sync
expect_out 'u1,a@b.example' sh -c '"$STINT" people list --format csv --no-header | cut -d, -f2,4'
expect_exit 2 stint import slurm --owner who list/2025-02-01T09:00:00.json
expect_err_has 'not for slurm'

# --- what snapshots say of one allocation, in either order ----------------------------------------------

# snapshot HOUR STATUS START END: of one job at that hour.
snapshot() {
    [ "$3" = null ] || set -- "$1" "$2" "\"2025-02-01T$3Z\"" "$4"
    [ "$4" = null ] || set -- "$1" "$2" "$3" "\"2025-02-01T$4Z\""
    printf '{"vo":[{"job_ID":"j","status":"%s","submit_time":"2025-02-01 00:00:00","alloc_ID":"a","alloc_start":%s,
        "alloc_end":%s,"resources":{"cpu_num":2}}]}\n' "$2" "$3" "$4" >"one/2025-02-01T$1:00:00.json"
}

# told: start, end and class of the run, and whether it is flagged, after each order.
told() {
    for order in '' -r; do
        rm -rf store
        # shellcheck disable=SC2046
        import $(printf '%s\n' one/*.json | sort $order) || return
        stint jobs --from 2025-02-01 --to 2025-02-01 --format csv --no-header --fields start,end,class,flags
    done | sed 's/2025-02-01T//g; s/,0$//; s/,[0-9]*$/,flagged/'
    rm -f one/*
}

mkdir one

it 'one that was started again has run since its first start'
snapshot 02 running 01:00:00 null
snapshot 06 running 05:00:00 null
snapshot 10 complete 05:00:00 07:30:00
expect_out '01:00:00Z,07:30:00Z,completed
01:00:00Z,07:30:00Z,completed' told

it 'one that is dead without an end has not run up to that sighting'
snapshot 02 running 01:00:00 null
snapshot 06 dead 01:00:00 null
snapshot 10 dead 01:00:00 null
expect_out '01:00:00Z,02:00:00Z,other,flagged
01:00:00Z,02:00:00Z,other,flagged' told

it 'a true end stays, whatever was seen later'
snapshot 02 running 01:00:00 null
snapshot 06 complete 01:00:00 05:00:00
snapshot 10 running 01:00:00 null
expect_out '01:00:00Z,05:00:00Z,completed
01:00:00Z,05:00:00Z,completed' told

it 'one that is missed by a snapshot and seen again goes on'
snapshot 02 running 01:00:00 null
echo '{"vo":[]}' >one/2025-02-01T06:00:00.json
snapshot 10 running 01:00:00 null
expect_out '01:00:00Z,,running
01:00:00Z,,running' told

it 'half a snapshot ends nothing'
rm -rf store
expect_exit 0 import same/*.json
head -c 3000 story/snapshots/2025-02-01T20:00:00.json >same/2025-02-01T08:30:00.json
stint import nomad --zone Europe/Madrid --cluster c same/2025-02-01T08:30:00.json >"$OUT" 2>&1
expect_out 0 flags_set

it 'a snapshot without a time in its name is refused, with what to do'
cp story/snapshots/2025-02-01T04:00:00.json same/latest.json
expect_exit 1 stint import nomad --cluster c same/latest.json
expect_err_has 'the file name must be its time in UTC'

finish
