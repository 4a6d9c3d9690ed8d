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

finish
