#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The answers that sonalyze gives on its own test files: sonar/jobanalyzer/EXPECTED.md of $STINT_DATA. What stint has
# no command for, or does otherwise on purpose, is in docs/sources/sonar.md.
. "$(dirname "$0")/../support/sh.sh"

D=sonar/jobanalyzer

# read FILE: into a store of its own.
read_file() {
    rm -rf store
    run stint import sonar "$STINT_DATA/$D/$1" --cluster c
}

# list FIELDS [OPTION...]: of all samples.
list() {
    fields=$1
    shift
    stint samples --from 2000 --to 2030 -o "$fields" --format csv --no-header "$@"
}

it 'parse-data.csv: 7 records, GPUs in order'
if need_data $D/sonarlog/parse-data.csv; then
    read_file sonarlog/parse-data.csv
    expect_out 'larsbent,1089,1249151,"1,4,6",314,1
larsbent,1090,1249151,"4,5,6",8912,1
larsbent,1090,1249151,"3,5,6",9212,1
larsbent,1090,1249151,"2,5,6",9362,1
larsbent,1090,1249152,"4,5,7",9362,1
root,4079,4079,none,0,1
zabbix,,4093,none,7,6' list user,pid,job,gpus,cpu_time,processes --sort user
fi

it 'parse_infty.csv: the record of inf is dropped; the last line has no end yet'
if need_data $D/sonarlog/parse_infty.csv; then
    read_file sonarlog/parse_infty.csv
    expect_out_has "cannot read cpu% 'inf'"
    expect_out_has 'ends within a record'
    expect_out '1685424,0.02' list job,cpu_avg
    { cat "$STINT_DATA/$D/sonarlog/parse_infty.csv"; echo; } >ended.csv
    stint import sonar ended.csv --cluster c >/dev/null 2>&1
    expect_out '1685424,0.02
1685426,0.01' list job,cpu_avg
fi

for file in bad-timestamp bad-gpuset bad-timestamp-untagged bad-gpumask-untagged; do
    it "$file.csv: the good ones stay"
    if need_data $D/sonarlog/$file.csv; then
        read_file sonarlog/$file.csv
        expect_out '2288850,riccarsi
4079,root' list job,user --sort user
    fi
done

it 'regress_60: of equal times the first stays'
if need_data $D/sonarlog/regress_60_filter_dup_timestamps.csv; then
    read_file sonarlog/regress_60_filter_dup_timestamps.csv
    expect_out '314
316' list cpu_time
fi

it 'regress_63: a counter that goes back makes nothing negative'
if need_data $D/sonarlog/regress_63_filter_negative_utilization.csv; then
    read_file sonarlog/regress_63_filter_negative_utilization.csv
    expect_out '310,1
200,
910,1' list cpu_time,cpu_util
fi

it 'metadata_smoketest.csv: first and last of each host'
if need_data $D/sonarlog/metadata_smoketest.csv; then
    read_file sonarlog/metadata_smoketest.csv
    list node,time | sort >bounds
    expect_out 'ml1.hpc.uio.no,2023-09-02T22:00:01Z
ml1.hpc.uio.no,2023-09-10T22:05:01Z
ml8.hpc.uio.no,2023-09-01T22:00:03Z
ml8.hpc.uio.no,2023-09-13T22:00:02Z' cat bounds
fi

it 'old-old-data.csv: eight fields without names'
if need_data $D/sonarlog/old-old-data.csv; then
    read_file sonarlog/old-old-data.csv
    expect_out 'michaelm,9625735,2023-10-10T22:40:05.444741Z,64516096' list user,job,time,vmem --reverse -n 1
    expect_equal 8 "$(list time | wc -l)"
fi

it 'skip_heartbeat.csv: a heartbeat is no job'
if need_data $D/sonalyze/jobs/skip_heartbeat.csv; then
    read_file sonalyze/jobs/skip_heartbeat.csv
    expect_out_has '1 heartbeats'
    expect_out '1608145,einarvid' list job,user
fi

it 'aggregate_gpu.csv: jobs without and with a GPU'
if need_data $D/sonalyze/jobs/aggregate_gpu.csv; then
    read_file sonalyze/jobs/aggregate_gpu.csv
    expect_out 1269178 list job --gpus none
    expect_equal 0 "$(list job --gpus '!none' | wc -l)"
fi

it 'gpuset.csv: none, unknown and a set'
if need_data $D/sonalyze/load/gpuset.csv; then
    read_file sonalyze/load/gpuset.csv
    expect_out 'ml4,none
ml5,
ml6,"1,3"' list node,gpus
fi

it 'json_output.csv: cpu from the counter, 58, 18 and 231 percent'
if need_data $D/sonalyze/load/json_output.csv; then
    read_file sonalyze/load/json_output.csv
    list node,cpu_util | awk -F, '{ printf "%s %d\n", $1, 100 * $2 + 1e-9 }' >series
    expect_out 'ml4.hpc.uio.no 58
ml8.hpc.uio.no 18
ml8.hpc.uio.no 231' cat series
fi

it 'profile/smoketest.csv: cpu of a job through its life, to the percent'
if need_data $D/sonalyze/profile/smoketest.csv; then
    read_file sonalyze/profile/smoketest.csv
    for command in bwa samtools; do
        echo $command $(list cpu_util -j 1119125 --command $command | awk '{ printf "%.0f\n", 100 * $1 }')
    done >profile
    expect_out 'bwa 3075 3094 3092 3078 3093 3080 3091 3091 3077
samtools 11 12 11 14 11 10 13' cat profile
    expect_out '2023-10-21T08:45:00Z' list time --command samtools -n 1
fi

it 'select_from_to.csv: nothing leaks in from the days around'
if need_data $D/sonalyze/source/select_from_to.csv; then
    read_file sonalyze/source/select_from_to.csv
    stint samples --zone UTC --from 2023-10-03 --to 2023-10-03 -o job,time --format csv --no-header >day
    expect_equal '3485500' "$(cut -d, -f1 day | sort -u)"
    expect_equal '2023-10-03T00:00' "$(cut -d, -f2 day | head -n 1 | cut -c 1-16)"
    expect_equal '2023-10-03T23:55' "$(cut -d, -f2 day | tail -n 1 | cut -c 1-16)"
    expect_equal 19 "$(list time | wc -l)"
fi

it 'r630_compress_hosts: one job on three hosts, each a sample of its own'
if need_data $D/sonalyze/jobs/r630_compress_hosts.csv; then
    read_file sonalyze/jobs/r630_compress_hosts.csv
    expect_out 'c1-10.fox,937627,0
c1-18.fox,937627,0
c1-19.fox,937627,0' sh -c '"$STINT" samples -j 937627 -o node,job,epoch --format csv --no-header | sort -u'
fi

# jobs FILE [OPTION...]: jobs of a file, a line each.
jobs() { stint samples --jobs --from 2000 --to 2030 --format csv --no-header "$@"; }

it 'running_and_completed.csv: what runs has the last record of its host'
if need_data $D/sonalyze/jobs/running_and_completed.csv; then
    read_file sonalyze/jobs/running_and_completed.csv
    jobs | awk -F, '{ print $3, $1, $6 }' | sort >found
    expect_out 'ml4.hpc.uio.no 1269178 running
ml8.hpc.uio.no 2092901 running
ml8.hpc.uio.no 90548 ended' cat found
fi

it 'r630_compress_hosts: one job over its hosts, and without epoch three'
if need_data $D/sonalyze/jobs/r630_compress_hosts.csv; then
    read_file sonalyze/jobs/r630_compress_hosts.csv
    expect_out '937627,c,"c1-10.fox,c1-18.fox,c1-19.fox",ec-testuser,rosetta_scripts,running,2024-10-22T01:05:01Z,2024-10-22T01:20:01Z,30729,,5804609536' jobs
fi
if need_data $D/sonalyze/jobs/r630_compress_hosts_noepoch.csv; then
    read_file sonalyze/jobs/r630_compress_hosts_noepoch.csv
    jobs | cut -d, -f1,3,9 >found
    expect_out '937627,c1-10.fox,5769
937627,c1-18.fox,4799
937627,c1-19.fox,20161' cat found
fi

it 'select_command.csv, select_user.csv: jobs are chosen by program and user'
if need_data $D/sonalyze/jobs/select_command.csv; then
    read_file sonalyze/jobs/select_command.csv
    jobs --command python2 | cut -d, -f1,5 >found
    expect_out 1269177,python2 cat found
    read_file sonalyze/jobs/select_user.csv
    jobs -u zappa | cut -d, -f1,4 >found
    expect_out 1269179,zappa cat found
    expect_exit 2 stint samples --jobs --cpu_util '<5%'
    expect_err_has '--cpu_util selects samples, not jobs'
fi

it 'old-old-data.csv: when a job ends and its memory, 1 GB to the full one'
if need_data $D/sonarlog/old-old-data.csv; then
    read_file sonarlog/old-old-data.csv
    jobs -j 9625735 -u michaelm | cut -d, -f1,8,11 >found
    expect_equal '9625735,2023-10-10T22:40' "$(cut -c 1-24 found)"
    expect_equal 1 "$(awk -F, '{ printf "%d", ($3 + 1073741823) / 1073741824 }' found)"
fi

# sonar's own files: each message is read, or refused by its name.
it 'sonar/util: samples in both forms are read'
if need_data sonar/util/formats/testdata/oldfmt_samples.csv; then
    rm -rf store
    expect_exit 0 stint import auto "$STINT_DATA/sonar/util/formats/testdata/oldfmt_samples.csv" --format csv --no-header
    expect_equal 68 "$(cut -d, -f4 "$OUT")"
    expect_exit 1 stint import auto "$STINT_DATA/sonar/util/formats/testdata/newfmt_samples.json" --format csv --no-header
    expect_err_has 'format 37 of sonar, of which only 0 is known'
    expect_out 4 sh -c '"$STINT" samples -M mlx.hpc.uio.no --from 2025-04 --to 2025-04 -o pid --format csv --no-header | wc -l'
fi

it 'sonar/util: the others are refused by name'
for row in newfmt_sysinfo.json:sysinfo newfmt_slurmjobs.json:jobs newfmt_cluster.json:cluster oldfmt_sysinfo.json:sysinfo \
    oldfmt_slurmjobs.csv:Slurm; do
    if need_data sonar/util/formats/testdata/"${row%:*}"; then
        expect_exit 1 stint import auto "$STINT_DATA/sonar/util/formats/testdata/${row%:*}"
        expect_err_has "${row#*:}"
        expect_err_has 'nothing was imported'
    fi
done


it 'profile/smoketest2.csv: a job of two hosts, each process on its own'
if need_data $D/sonalyze/profile/smoketest2.csv; then
    read_file sonalyze/profile/smoketest2.csv
    for process in ml9:bwa ml8:xbwa ml9:samtools ml8:xsamtools; do
        echo "$process" $(list cpu_util -j 1119125 -w "${process%:*}.hpc.uio.no" --command "${process#*:}" | awk '{ printf "%.0f\n", 100 * $1 }')
    done >profile
    expect_out 'ml9:bwa 3075 3094 3092 3078 3093 3080 3091 3091 3077
ml8:xbwa 13075 3094 3092 3078 3093 3080 3091 3091 3077
ml9:samtools 11 12 11 14 11 10 13
ml8:xsamtools 111 12 11 14 11 10 13' cat profile
    # virtual memory in whole GB
    expect_out '5 259 262' sh -c '"$STINT" samples --from 2023-10-21 --to 2023-10-21 -w ml9.hpc.uio.no -o vmem --format csv --no-header |
        awk "{ print int(\$1 / 1073741824) }" | sort -nu | paste -sd" " -'
fi

it 'whitebox-intermingled.csv: a record without a user and one with a broken number are dropped; so is one whose field has no name'
if need_data $D/sonarlog/whitebox-intermingled.csv; then
    read_file sonarlog/whitebox-intermingled.csv
    expect_out_has '1 heartbeats'
    expect_out '1090,1249151,"2,5,6",9362
1090,1249151,"3,5,6",9212
1090,1249152,"4,5,7",9362' sh -c '"$STINT" samples --from 2000 --to 2030 -o pid,job,gpus,cpu_time --format csv --no-header | sort'
    stint quarantine --format csv --no-header >kept 2>/dev/null
    expect_equal 3 "$(wc -l <kept)"
    expect_equal 1 "$(grep -c 'cores192' kept)"
fi

it 'whitebox-untagged-intermingled.csv: two of seven are whole'
if need_data $D/sonarlog/whitebox-untagged-intermingled.csv; then
    read_file sonarlog/whitebox-untagged-intermingled.csv
    expect_out 'ml3.hpc.uio.no,larsbent,python
ml4.hpc.uio.no,larsbent,python' list node,user,command
    expect_equal 5 "$(stint quarantine --format csv --no-header 2>/dev/null | wc -l)"
fi

it 'whitebox-logclean.csv: seven stay, unsorted ones are compared in order of time, and each host by itself'
if need_data $D/sonarlog/whitebox-logclean.csv; then
    read_file sonarlog/whitebox-logclean.csv
    expect_equal 7 "$(list time | wc -l)"
    expect_out 'ml4.hpc.uio.no,8912,14.737
ml4.hpc.uio.no,9212,1
ml4.hpc.uio.no,9362,0.5
ml5.hpc.uio.no,9362,1.28' list node,cpu_time,cpu_util --pid 1090
fi

it 'whitebox-tree: a folder of days, of which everything but samples is refused by name'
if need_data $D/sonarlog/whitebox-tree; then
    rm -rf store
    stint import sonar --cluster c "$STINT_DATA/$D"/sonarlog/whitebox-tree/2023/05/*/[ab].csv >/dev/null 2>&1
    list user,pid,job,gpus,cpu_time --sort user >tree
    read_file sonarlog/parse-data.csv
    list user,pid,job,gpus,cpu_time --sort user >flat
    expect_same flat tree
    expect_exit 1 stint import auto "$STINT_DATA/$D/sonarlog/whitebox-tree/2023/05/31/sysinfo-b.json"
    expect_err_has "node information of an old sonar ('sysinfo')"
    expect_exit 1 stint import auto "$STINT_DATA/$D/sonarlog/whitebox-tree/2023/05/31/bughunt.csv"
fi

it 'parse_gpufail.csv: a card that fails'
if need_data $D/sonarlog/parse_gpufail.csv; then
    read_file sonarlog/parse_gpufail.csv
    expect_out 'einarvid,1
sinbad,0' list user,gpu_fail --sort user
fi

it 'top/simple-input.csv: samples of three login nodes; the load of each core is not kept'
if need_data $D/sonalyze/top/simple-input.csv; then
    read_file sonalyze/top/simple-input.csv
    expect_out '12 login-1
15 login-3
15 login-4' sh -c '"$STINT" samples --from 2024-06-28 --to 2024-06-28 --zone UTC -o node --format csv --no-header | sort | uniq -c | sed "s/^ *//"'
    # the ninth line is a lone v
    expect_equal 1 "$(stint quarantine --format csv --no-header 2>/dev/null | wc -l)"
fi

it 'sonalyzed: a job of 20 minutes with 14 GB; what comes twice is there once; hardware is refused by name'
if need_data $D/sonalyzed/obsolete/cluster1-samples.csv; then
    read_file sonalyzed/obsolete/cluster1-samples.csv
    jobs -j 2712710 >found
    expect_equal '2712710 c1.cluster1.naic.com hermanno running 2023-09-14T22:00:02Z 2023-09-14T22:20:02Z' \
        "$(awk -F, '{ print $1, $3, $4, $6, $7, $8 }' found)"
    # 6.8 % on average, then 8, 1, 6 and 1 s of five minutes each: sonalyze says 3 % on average and 7 % at most
    expect_equal '3 7 14' "$(list cpu_util,vmem -j 2712710 |
        awk -F, '{ n++; s += $1; p = $1 > p ? $1 : p; m = $2 > m ? $2 : m } END { printf "%d %.0f %.0f", int(100 * s / n + 0.999), 100 * p, m / 1073741824 }')"
    all=$(list time | wc -l)
    stint import sonar --cluster c "$STINT_DATA/$D/sonalyze/add/smoketest-sample-data1.csv" >/dev/null 2>&1
    expect_equal $((2 * all)) "$(list time | wc -l)" # the same samples, of a host of another name
    { head -40 "$STINT_DATA/$D/sonalyzed/obsolete/cluster1-samples.csv"; cat "$STINT_DATA/$D/sonalyzed/obsolete/cluster1-samples.csv"; } >twice.csv
    stint import sonar --cluster c twice.csv >/dev/null 2>&1
    expect_equal $((2 * all)) "$(list time | wc -l)"
fi
for each in 1:slurm-monitor 2:naic-monitor; do
    if need_data $D/sonalyzed/cluster${each%:*}-samples.json; then
        rm -rf store
        check stint import sonar "$STINT_DATA/$D/sonalyzed/cluster${each%:*}-samples.json"
        node -e 'const { jobs } = JSON.parse(require("fs").readFileSync(process.argv[1])).data.attributes;
            for (const job of jobs) for (const one of job.processes) console.log([job.job, job.user, one.pid || "", one.cmd, one.cpu_time || 0].join());' \
            "$STINT_DATA/$D/sonalyzed/cluster${each%:*}-samples.json" | sort >theirs
        list job,user,pid,command,cpu_time -M "cluster${each%:*}.naic.com" -w "${each#*:}.uio.no" | sort >ours
        expect_same theirs ours
        expect_exit 1 stint import auto "$STINT_DATA/$D/sonalyzed/cluster${each%:*}-sysinfo.json"
        expect_err_has 'about the hardware of a node'
    fi
done

it 'api2: nine looks at five processes, and the cpu time between them'
if need_data $D/sonalyze/api2/data-dir/my.cluster.no/2026/03/11; then
    rm -rf store
    check stint import sonar "$STINT_DATA/$D/sonalyze/api2/data-dir/my.cluster.no/2026/03/11/0+sample-naic-monitor.json"
    expect_equal 9 "$(list time | sort -u | wc -l)"
    expect_equal "1924802 1924810 1924812 1925089 3074935" "$(list pid | sort -u | paste -sd" " -)"
    # of the second: 3 s in 30, none, none, 1 s
    expect_equal "0.1 0 0 0.033" "$(list cpu_util --pid 1924812 | sed -n 2,5p | cut -c 1-5 | paste -sd" " -)"
fi

# --- naicreport: what was reported before is not reported again ---------------------------------------------

# Its input is what sonalyze says of jobs on hosts without a scheduler. Here these jobs become samples again, one each ten minutes, of which stint finds the same.
cat >samples_of.mjs <<'END'
import { readFileSync } from 'fs';
const field = (line, name) => { const m = line.match(new RegExp(`"${name}=([^"]*)"|(?:^|,)${name}=([^,]*)`)); return m ? m[1] ?? m[2] : ''; };
const newest = new Map();
for (const line of readFileSync(process.argv[2], 'utf8').trim().split('\n'))
    newest.set(field(line, 'jobm').replace(/[<>!]/, ''), line);
for (const [job, line] of newest) {
    const from = Date.parse(field(line, 'start').replace(' ', 'T') + ':00Z'), to = Date.parse(field(line, 'end').replace(' ', 'T') + ':00Z');
    const cpus = field(line, 'tag') === 'cpuhog' ? (field(line, 'rcpu-avg') * field(line, 'cpu-peak')) / field(line, 'rcpu-peak') / 100 : 0;
    for (let time = from; ; time = Math.min(time + 600000, to)) {
        field(line, 'cmd').split(',').forEach((cmd, i) => console.log(`v=0.13.0,time=${new Date(time).toISOString().slice(0, 19)}Z,host=${field(line, 'host')},` +
            `user=${field(line, 'user')},job=${job},epoch=1,pid=${Number(job) + i},cmd=${cmd},gpus=none,cputime_sec=${Math.round((cpus * (time - from)) / 1000)}`));
        if (time === to)
            break;
    }
}
END
# told FILE RULE: to whom a message is written of what is in it, and that counts as told
told() {
    node samples_of.mjs "$STINT_DATA/$D/naicreport/$1" >jobs.csv && stint import sonar --cluster ml jobs.csv >/dev/null 2>"$ERR"
    STINT_CONFIG=$PWD/ml.conf stint hogs --rule "$2" --from 2023-09-27 --to 2023-10-25 --zone UTC --message --apply 2>"$ERR" | sed -n 's/^To: //p' | sort | paste -sd' ' -
}
cat >ml.conf <<'END'
[hog zombies]
threshold = 0
time = 30m
[hog ml-cpuhogs]
like = login-nodes
nodes = ml*
END

it 'deadweight: three people have processes that nobody waits for; of the next report two more'
if need_data $D/naicreport/deadweight/deadweight1.csv; then
    rm -rf store
    expect_equal 'jonaslsa limeng tobiaslo' "$(told deadweight/deadweight1.csv zombies)"
    expect_equal 'joachipo poyenyt' "$(told deadweight/deadweight2.csv zombies)"
    expect_equal '' "$(told deadweight/deadweight2.csv zombies)"
    expect_exit 1 stint import auto "$STINT_DATA/$D/naicreport/deadweight/deadweight1.csv"
    expect_err_has 'does not look like any accounting file'
fi

it 'ml-cpuhog: four people compute without GPUs; whoever was told this month is not told again'
if need_data $D/naicreport/ml-cpuhog/cpuhog1.csv; then
    rm -rf store
    expect_equal 'daniehh einarvid pubuduss tsauren' "$(told ml-cpuhog/cpuhog1.csv ml-cpuhogs)"
    expect_equal '' "$(told ml-cpuhog/cpuhog2.csv ml-cpuhogs)"
    expect_equal 'einarvid ml2 python3' "$(list user,node,command -j 2826710 | sort -u | tr ',' ' ')"
fi

finish
