#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Samples of processes, from sonar's files into the store and out again: twice, in pieces, killed, broken.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/sonar

# import SOURCE FILE [OPTION...]: file_state,read,added,replaced,unchanged,parts,rejected of it.
import() {
    source=$1 file=$2
    shift 2
    stint import "$source" --format csv --no-header "$file" "$@" >.import 2>"$ERR"
    import_status=$?
    cut -d, -f2-8 .import
    return $import_status
}

# All that is known of all samples.
all() { stint samples --fields all --from 2000 --to 2030 --format csv; }

fresh() { rm -rf store; }

# --- into the store -----------------------------------------------------------------------------------

it 'a table is found by itself, read and listed'
expect_out 'new,5,5,0,0,0,0' import auto "$F/tagged.csv" --cluster alder
expect_exit 0 stint samples --from 2025-03 --to 2025-03 --format csv --fields time,node,user,job,command,processes,cpu_time,rss,gpus
cat >want <<'END'
time,node,user,job,command,processes,cpu_time,rss,gpus
2025-03-01T11:00:01Z,n1.alder,ann,4711,python,1,3400,,none
2025-03-01T11:00:01Z,n1.alder,ben,4712,mpi_solve,6,10192,,"1,4,6"
2025-03-01T11:05:01Z,n1.alder,ann,4711,python,1,3690,122880000,none
2025-03-01T11:15:01Z,g1.alder,cyd,4713,train,1,8,,
2025-03-01T11:15:01Z,g1.alder,_zombie_77,,"say ""no"", twice <defunct>",1,0,,none
END
expect_same want "$OUT"

it 'signs of life are told, not listed'
run stint import sonar "$F/tagged.csv" --cluster alder --again
expect_out_has '1 heartbeats without a process'

it 'again adds nothing, nor does --again'
expect_out 'unchanged,0,0,0,0,0,0' import sonar "$F/tagged.csv" --cluster alder
expect_out 'again,5,0,0,5,0,0' import sonar "$F/tagged.csv" --cluster alder --again

it 'JSON tells its cluster, and a stream of all kinds gives its samples'
fresh
expect_exit 1 import auto "$F/mixed.json"
expect_equal 'new,4,4,0,0,0,6' "$(cut -d, -f2-8 .import)"
expect_out 'alder
alder
alder
default' stint samples --from 2025-03 --to 2025-03 --fields cluster --sort cluster --format csv --no-header
stint quarantine --format csv >quarantine.csv
expect_equal 1 "$(grep -c "type 'sysinfo', about the hardware of a node" quarantine.csv)"
expect_equal 1 "$(grep -c "type 'job', about Slurm jobs" quarantine.csv)"
expect_equal 1 "$(grep -c "type 'cluster'" quarantine.csv)"
expect_equal 1 "$(grep -c 'sonar reports an error' quarantine.csv)"

it 'a file of nothing else is refused as a whole, by name'
sed -n 1p "$F/mixed.json" >sysinfo.json
expect_exit 1 stint import sonar sysinfo.json
expect_err_has "a sonar message of type 'sysinfo'"
expect_err_has 'nothing was imported'

it 'a driver that is given samples names the right one'
expect_exit 1 stint import sge "$F/tagged.csv"
expect_err_has 'it looks like sonar: stint import sonar'

it 'a bad record goes into quarantine, and the file goes on'
fresh
cat "$F/broken.csv" "$F/tagged.csv" >both.csv
expect_exit 1 import sonar both.csv --cluster alder
expect_equal 'new,5,5,0,0,0,27' "$(cut -d, -f2-8 .import)"
expect_equal 27 "$(stint quarantine --format csv --no-header | wc -l)"

it 'a dry run reads and counts, and changes nothing'
fresh
expect_out 'new,5,,,,0,0' import sonar "$F/tagged.csv" --dry-run
expect_exit 1 test -e store

it 'of two that differ the first stays, and that is said'
printf '%s\n' 'v=0.7.0,time=2025-03-01T12:00:00Z,host=n1,user=ann,job=1,pid=7,cmd=fit,cputime_sec=314' \
    'v=0.7.0,time=2025-03-01T12:00:00Z,host=n1,user=ann,job=1,pid=7,cmd=fit,cputime_sec=315' >twice.csv
run stint import sonar twice.csv
expect_out_has '1 ignored: same process and time as an earlier sample'
expect_out 314 stint samples --from 2025-03 --to 2025-03 -o cpu_time --format csv --no-header

# --- in pieces ----------------------------------------------------------------------------------------

# samples FROM TO: of 40 processes, every minute from FROM to TO. The last one of each minute is two rolled up.
samples() {
    awk -v from="$1" -v to="$2" 'BEGIN {
        for (minute = from; minute < to; minute++)
            for (pid = 1; pid <= 40; pid++)
                printf "v=0.14.0,time=2025-03-%02dT%02d:%02d:00Z,host=n%d,user=u%d,cmd=c%d,job=%d,pid=%d,cpu%%=%d.5,cpukib=%d,rssanonkib=%d,cputime_sec=%d%s\n",
                    1 + int(minute / 1440), int(minute / 60) % 24, minute % 60, pid % 4, pid % 5, pid % 3, 100 + pid % 9,
                    pid < 40 ? pid : 0, pid, pid * 1000, pid * 500, minute * pid, pid < 40 ? "" : ",rolledup=1"
    }'
}

fresh
samples 0 500 >whole.csv
it 'a large table'
expect_out 'new,20000,20000,0,0,0,0' import sonar whole.csv --cluster c
all >whole.want

it 'overlapping pieces, in any order, are the same'
fresh
samples 300 500 >late.csv
samples 0 200 >early.csv
samples 150 350 >middle.csv
expect_out 'new,8000,8000,0,0,0,0' import sonar late.csv --cluster c
expect_out 'new,8000,8000,0,0,0,0' import sonar early.csv --cluster c
expect_out 'new,8000,4000,0,4000,0,0' import sonar middle.csv --cluster c
all >pieces.got
expect_same whole.want pieces.got

it 'a file that grows is read from where it ended, half a line left alone'
fresh
head -c 1000003 whole.csv >grows.csv
run stint import sonar grows.csv --cluster c
expect_out_has 'ends within a record, which is left to the next import'
cat whole.csv >grows.csv
stint import sonar grows.csv --cluster c --format csv --no-header >.import 2>"$ERR"
expect_equal grown "$(cut -d, -f2 .import)"
all >grown.got
expect_same whole.want grown.got

it 'compressed it is the same file'
gzip -c whole.csv >whole.csv.gz
zstd -q -c whole.csv >whole.csv.zst
expect_out 'renamed,0,0,0,0,0,0' import sonar whole.csv.gz --cluster c
fresh
expect_out 'new,20000,20000,0,0,0,0' import sonar whole.csv.zst --cluster c
all >zst.got
expect_same whole.want zst.got

it 'from a pipe, and again from a pipe'
fresh
cat whole.csv | stint import sonar - --cluster c --format csv --no-header 2>"$ERR" | cut -d, -f2-8 >got
expect_equal 'new,20000,20000,0,0,0,0' "$(cat got)"
cat whole.csv | stint import sonar - --cluster c --format csv --no-header 2>"$ERR" | cut -d, -f2-8 >got
expect_equal 'new,20000,0,0,20000,0,0' "$(cat got)"

# --- killed -------------------------------------------------------------------------------------------

samples 0 3000 >large.csv
fresh
begun=$(date +%s%3N)
check stint import sonar large.csv --cluster c
took=$(($(date +%s%3N) - begun))
counted() { stint samples --from 2000 --to 2030 -o time --format csv --no-header | wc -l; }
summed() { stint samples --from 2000 --to 2030 -o cpu_time,rss --format csv --no-header | cksum; }
it 'a kill -9 at any moment loses nothing, and a rerun completes'
expect_equal 120000 "$(counted)"
want=$(summed)
fresh
kills=0
span=$took
while :; do
    "$STINT" import sonar large.csv --cluster c >/dev/null 2>&1 &
    pid=$!
    pause $span
    kill -9 $pid 2>/dev/null
    if wait $pid 2>/dev/null; then
        break
    fi
    kills=$((kills + 1))
    span=$((span + span / 4))
done
echo "# $kills kills"
expect_equal 120000 "$(counted)"
expect_equal "$want" "$(summed)"
expect_out 'unchanged,0,0,0,0,0,0' import sonar large.csv --cluster c

# --- questions ----------------------------------------------------------------------------------------

fresh
check stint import sonar whole.csv --cluster c

it 'filters are those of every field'
expect_out 500 sh -c '"$STINT" samples -j 107 -w n3 --pid 7 -o time --format csv --no-header | wc -l'
expect_out 240 sh -c '"$STINT" samples -u u1,u2 --command "c*" -M c --pid 1..2 --from 2025-03-01 --to 2025-03-01T02:00 -o time --format csv --no-header | wc -l'
expect_out 60 sh -c '"$STINT" samples --rss ">=10M" --from 2025-03-01T00:00 --to 2025-03-01T00:03 -o pid --format csv --no-header | wc -l'
expect_out 60 sh -c '"$STINT" samples --pid --- --from 2025-03-01T00:00 --to 2025-03-01T01:00 -o pid --format csv --no-header | wc -l'

it 'cpu use is that of the counter: process 39 uses 39 s a minute'
expect_out '0.65' stint samples --pid 39 --from 2025-03-01T03:00 --to 2025-03-01T03:01 -o cpu_util --format csv --no-header
expect_out '1' sh -c '"$STINT" samples --cpu_util ">64%" --pid 1..39 --from 2025-03-01T03:00 --to 2025-03-01T03:01 -o pid --format csv --no-header | wc -l'

it 'every format writes them'
for format in csv tsv json jsonl markdown html table; do
    check stint samples -j 107 -n 5 --format $format
done
check stint samples -j 107 --format parquet --output got.parquet

it 'nodes of one name on two clusters are told apart'
expect_out 'time,cluster,node' sh -c '"$STINT" samples -j 107 -n 5 --format csv 2>/dev/null | head -n 1 | cut -d, -f1-3'
expect_out 'c' sh -c '"$STINT" samples -j 107 -n 5 --format csv --no-header 2>/dev/null | cut -d, -f2 | sort -u'

it 'a field that is not there is named, and the nearest'
expect_exit 2 stint samples --fields node,comand
expect_err_has "did you mean 'command'"

it 'an empty answer says where there is something'
expect_exit 0 stint samples --from 2020 --to 2020
expect_out_has 'the store has samples from 2025-03-01T00:00:00Z to 2025-03-01T08:19:00Z'
expect_exit 0 stint samples -u nobody --from 2025-03 --to 2025-03
expect_out_has 'no sample in this period matches the filters'

it 'a store without samples says how to begin'
STINT_STORE=$TMP/other
check stint import sge --cluster c "$TESTS/fixtures/import/accounting"
expect_exit 0 stint samples
expect_out_has 'the store has no samples yet; to import some: stint import sonar FILE'

it 'samples do not change what is said of runs'
stint report jobs,cpu_hours --from 2000 --to 2030 --format csv >runs.want
check stint import sonar whole.csv --cluster c
expect_out runs.want stint report jobs,cpu_hours --from 2000 --to 2030 --format csv

it 'doctor says how far they reach'
STINT_STORE=$TMP/store
run stint doctor --format csv
expect_out_has '20000 samples of processes on 4 nodes, from 2025-03-01T00:00:00Z to 2025-03-01T08:19:00Z'
expect_equal 0 "$(grep -c 'held no runs' "$OUT")"
expect_out_has 'the newest sample is'

it "what stint-agent does not tell is absent, and what it tells to be 0 is 0"
STINT_STORE=$TMP/agents
check stint import sonar "$TESTS/fixtures/sampler/node.json"
expect_out ',_unknown_' stint samples --pid 901 --from 2026-01 --to 2026-01 -o job,command --format csv --no-header
expect_out '4711,sort <defunct>,,,' stint samples --pid 702 --from 2026-01 --to 2026-01 -o job,command,rss,gpu_util,gpus --format csv --no-header
expect_out '4711,,10240' stint samples --pid 710 --from 2026-01 --to 2026-01 -o job,cpu_time,rss --format csv --no-header
expect_out '0,1' stint samples --pid 802 --from 2026-01 --to 2026-01 -o cpu_time,processes --format csv --no-header

finish
