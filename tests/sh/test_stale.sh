#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A Slurm whose programs are scripts. While they fail, commands, row formats, the API and pages say as of when they are and warn, until
# it answers again; what jobs wait for survives kill -9.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

mkdir bin good bad store
cat >stint.conf <<END
[site]
zone = UTC
[cluster oak]
scheduler = slurm
bin = $TMP/bin
every = 1
END
STINT_CONFIG=$TMP/stint.conf
STINT_STORE=$TMP/store
export STINT_CONFIG STINT_STORE

echo 'NodeName=n1 CPUAlloc=2 CPUTot=8 RealMemory=1000 AllocMem=100 State=MIXED Partitions=main CfgTRES=cpu=8,mem=1000M AllocTRES=cpu=2' >node
echo 'PartitionName=main State=UP Nodes=n1 TotalNodes=1 TotalCPUs=8 MaxTime=1-00:00:00 MaxNodes=1 Default=YES' >partition
echo "ReservationName=course StartTime=2026-01-01T00:00:00 EndTime=2099-01-01T00:00:00 Nodes=n1 NodeCnt=1 CoreCnt=8 Users=(null) Accounts=phys Flags=SPEC_NODES TRES=cpu=8" >reservation
number() { printf '{"set":true,"infinite":false,"number":%s}' "$1"; }
printf '{"jobs":[{"job_id":7,"user_name":"ann","account":"phys","partition":"main","job_state":["PENDING"],"state_reason":"REASON","submit_time":%s,"cpus":%s,"priority":%s}],"last_update":%s,"meta":{"slurm":{"version":{"major":"24"}}},"errors":[]}\n' \
    "$(number $(($(date +%s) - 60)))" "$(number 4)" "$(number 10)" "$(number NOW)" >queue

# What works: the reason of the job is another one each time.
cat >good/squeue <<END
#!/bin/sh
n=\$(cat $TMP/count 2>/dev/null || echo 0)
echo \$((n + 1)) >$TMP/count.new && mv $TMP/count.new $TMP/count
[ \$((n % 2)) = 0 ] && reason=Priority || reason=Resources
sed "s/NOW/\$(date +%s)/; s/REASON/\$reason/" $TMP/queue
END
printf '#!/bin/sh\nfor what; do :; done\ncat %s/$what\n' "$TMP" >good/scontrol
cat >good/sacct <<'END'
#!/bin/sh
columns=JobID,JobIDRaw,State,Submit,Eligible,Start,End,Suspended,TimelimitRaw,ExitCode,Partition,QOS,Account,User,NNodes,NCPUS,ReqCPUS,ReqTRES,AllocTRES,Elapsed,NodeList,JobName
[ "$1" != -e ] || { echo "$columns" | tr , ' '; exit 0; }
for word; do
    case $word in --delimiter=*) delimiter=${word#*=} ;; esac
    [ "$before" != -o ] || asked=$word
    before=$word
done
echo "$asked" | sed "s/,/$delimiter/g"
END
for program in squeue scontrol sinfo sacct; do
    printf '#!/bin/sh\necho asked >>%s/asked\necho "Unable to contact slurm controller" >&2\nexit 1\n' "$TMP" >bad/$program
done
chmod +x good/* bad/*
cp good/* bin

it 'periods of waiting are whole after kill -9'
# the third listing is asked for when two are stored
for round in one two three; do
    before=$(cat count 2>/dev/null || echo 0)
    "$STINT" pull --every 1 >/dev/null 2>&1 &
    pull=$!
    went_on() { [ "$(cat count 2>/dev/null || echo 0)" -ge $((before + 3)) ]; }
    until_true went_on
    kill -9 $pull
    wait $pull 2>/dev/null
done
check stint pull
check stint waits --periods --from 1d --format csv --no-header
cp "$OUT" periods
expect_equal yes "$([ "$(wc -l <periods)" -ge 2 ] && echo yes)"
# each ends where the next begins, the last has not ended, and two that follow each other have different reasons
expect_equal '' "$(sort -t, -k12 periods | awk -F, 'NR > 1 && ($12 != until || $14 == reason) { print } { until = $13; reason = $14 } END { if (until != "") print "ended" }')"
check stint check

it 'the sum by cause is that of the periods'
check stint waits --from 1d --format csv --no-header
expect_equal 1,1 "$(cut -d, -f2 "$OUT" | sort -u | xargs),$(cut -d, -f2 "$OUT" | sort -u | wc -l)"

then=$(stint nodes --zone UTC | sed -n 's/^as of \([^ ]*\) .*/\1/p')
cp bad/* bin

it 'once two intervals have passed, commands say as of when they are and that this is old'
is_old() { stint nodes --format csv 2>&1 >/dev/null | grep -q 'old data: nodes of oak'; }
until_true is_old
for command in nodes queue 'soonest --cpus 1'; do
    # shellcheck disable=SC2086 # words
    check stint $command
    expect_out_has 'old data: '
done
check stint nodes
expect_out_has "as of $then"
check stint reservations --from 1d
expect_out_has 'old data: reservations of oak are as of '
check stint reservations --from 2025-01-01 --to 2025-01-02
expect_equal 0 "$(grep -c 'old data' "$OUT")"

it 'formats of rows have their rows on stdout and the warning on stderr'
for format in csv tsv json jsonl markdown; do
    check stint nodes --format $format
    expect_equal 0 "$(grep -c 'old data' "$OUT")"
    expect_err_has 'old data: nodes of oak are as of '
done
check stint queue --format parquet --output queue.parquet
expect_err_has 'old data: jobs of oak'
check stint nodes --format csv --quiet
expect_no_err

it 'a server whose scheduler fails serves what it has'
start_server
until_true test -s asked
page() { curl -sS --unix-socket "$TMP/http" "http://stint$1"; }

it 'the API says so in headers, also from its cache, in every format of rows'
for format in csv json jsonl tsv parquet markdown; do
    for again in no yes; do
        curl -sS --unix-socket "$TMP/http" -o /dev/null -D heads "http://stint/api/v1/nodes.$format?fields=node"
        expect_equal "$then" "$(tr -d '\r' <heads | sed -n 's/^stint-as-of: //Ip')"
        expect_equal 1 "$(grep -ci '^warning: 110 stint "old data: nodes of oak' heads)"
    done
done
curl -sS --unix-socket "$TMP/http" -o /dev/null -D heads 'http://stint/api/v1/usage.csv?from=2025-01-01&to=2025-01-02'
expect_equal 0 "$(grep -ci '^warning' heads)"
check page /api/v1/nodes.answer
expect_out_has 'old data: nodes of oak'

it 'pages show as of when they are, and warn'
for path in /live /live/nodes /live/gpus '/live/soonest?cpus=1'; do
    check page "$path"
    expect_out_has 'old data: '
    expect_out_has 'its scheduler has not answered since'
done

it 'commands that the server answers say the same'
check stint nodes --format csv
expect_err_has 'old data: nodes of oak'

it 'once the scheduler answers, nothing is old'
cp good/* bin
is_fresh() { [ -z "$(stint nodes --format csv 2>&1 >/dev/null)" ] && [ -z "$(stint queue --format csv 2>&1 >/dev/null)" ]; }
until_true is_fresh
fresh_page() { page /live/nodes >fresh && ! grep -q 'old data' fresh; }
until_true fresh_page
finish
