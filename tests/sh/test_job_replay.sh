#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The advice of stint rightsize and of stint job, applied to the jobs of the demo site and replayed by another computation: no more of them fail than it says.
. "$(dirname "$0")/../support/sh.sh"

check stint demo --out site --as slurm --runs 4000 --users 12 --from 2025-01-01 --to 2025-03-31 --quiet
for folder in site/*/; do
    stint import slurm --cluster "$(basename "$folder")" "$folder"/* --zone UTC >/dev/null 2>&1
done
P='--from 2025-01-01 --to 2025-03-31 --zone UTC'

# bytes, seconds and cpus of "2304 MiB", "24:00:00", "3.0"
plain='function plain(text, parts) {
    if (split(text, parts, ":") == 3)
        return parts[1] * 3600 + parts[2] * 60 + parts[3]
    split(text, parts, " ")
    return parts[1] * (parts[2] == "MiB" ? 1048576 : parts[2] == "GiB" ? 1073741824 : 1)
}'
# failures RESOURCE ADVISED: the share of the runs in `jobs` that would not have had enough
failures() {
    awk -F, -v resource="$1" -v advised="$2" "$plain"'
        BEGIN { limit = plain(advised) }
        $1 != "completed" && $1 != "oom" && $1 != "timeout" { next }
        # one that did nothing until its limit fails anyway
        $1 == "timeout" && $6 != "" && $2 > 0 && $6 / $2 < 0.9 && $6 / $2 < 0.1 * $5 { next }
        resource == "memory of the run" && $4 != "" {
            n++
            # one that ran out needed more than it had: how much is not known
            had = $4 + 0 > $3 + 0 ? $4 : $3
            bad += $1 == "oom" ? had >= limit : $4 > limit
        }
        resource == "time" && $2 != "" {
            n++
            bad += $1 == "timeout" ? $2 >= limit : $2 > limit
        }
        # of less than a minute the mean says little; one that kept more at work on average would take longer than it did
        resource ~ /^cpus/ && $6 != "" && $2 > 60 && (resource == "cpus" || resource == "cpus of " ($5 + 0)) {
            n++
            bad += $6 / $2 > limit
        }
        END { printf "%.9f\n", n ? bad / n : 0 }' jobs
}
# together MEMORY TIME: the same of all at once: on the cpus that `sized` has for its size, work of n cpu seconds takes n / m seconds longer at most
together() {
    awk -F, -v memory="$1" -v time="$2" "$plain"'
        BEGIN { memory = memory == "" ? 1e300 : plain(memory); time = plain(time) }
        FNR == NR { if ($1 == "cpus") few[$3 + 0] = $6; else if ($1 ~ /^cpus of/) { split($1, words, " "); few[words[3] + 0] = $6 }; next }
        $1 != "completed" && $1 != "oom" && $1 != "timeout" { next }
        # one that did nothing until its limit fails anyway
        $1 == "timeout" && $6 != "" && $2 > 0 && $6 / $2 < 0.9 && $6 / $2 < 0.1 * $5 { next }
        {
            n++
            had = $4 + 0 > $3 + 0 ? $4 : $3
            cpus = few[$5 + 0]
            wall = $6 != "" && $2 > 60 && cpus > 0 && cpus < $5 ? $2 + $6 / cpus : $2
            bad += ($4 != "" && ($1 == "oom" ? had >= memory : $4 > memory)) || ($1 == "timeout" ? wall >= time : wall > time)
        }
        END { printf "%.9f\n", n ? bad / n : 0 }' sized jobs
}
exceeds() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b + 1e-6) }'; }

it 'no more runs of the demo site fail with what is advised than the advice says'
# shellcheck disable=SC2086
stint report jobs --by user,name $P --format csv --no-header -n 6 2>/dev/null | cut -d, -f1,2 >works
expect_equal 6 "$(wc -l <works)"
compared=0 wrong=
while IFS=, read -r user name; do
    # shellcheck disable=SC2086
    stint jobs -u "$user" --name "$name" $P --fields class,wall,mem,mem_peak,cpus,cpu_used -n 0 --format csv --no-header 2>/dev/null >jobs
    # shellcheck disable=SC2086
    stint rightsize -u "$user" --name "$name" $P --cover 90 --format csv --no-header 2>/dev/null >sized
    while IFS=, read -r resource runs asked used quantile advised said rest; do
        [ -n "$advised" ] || continue
        replayed=$(failures "$resource" "$advised")
        compared=$((compared + 1))
        ! exceeds "$replayed" "$said" || wrong="$wrong $user/$name/$resource:$replayed>$said($runs,$asked,$used,$quantile,$rest)"
    done <sized
    advised() { sed -n "s/^$1,.*/&/p" sized | cut -d, -f6; }
    all=$(together "$(advised 'memory of the run')" "$(advised time)")
    said=$(awk -F, '{ sum += $7 } END { print sum }' sized)
    ! exceeds "$all" "$said" || wrong="$wrong $user/$name/together:$all>$said"
done <works
expect_equal '' "$wrong"
check test "$compared" -ge 12

it 'a job that is run again with what stint job advises has enough, also if its work came in bursts'
# On m cpus work of n cpu seconds takes n / m seconds longer than it did at most.
# shellcheck disable=SC2086
stint jobs $P -s completed --wall '>10m' --fields id,cluster,wall,mem_peak,cpu_used,node_count,time_limit -n 25 --format csv --no-header 2>/dev/null >jobs
advised=0 wrong=
while IFS=, read -r id cluster wall peak used nodes limit; do
    stint job "$id" -M "$cluster" --width 300 2>/dev/null | grep '^Advice.* ask for ' >advice || continue
    advised=$((advised + 1))
    awk -v wall="$wall" -v peak="$peak" -v used="$used" -v nodes="$nodes" -v limit="$limit" '
        function after(text, flag) { return index(text, flag) ? substr(text, index(text, flag) + length(flag)) : "" }
        BEGIN { most = limit }
        {
            memory = after($0, "--mem="); time = after($0, "--time="); few = after($0, "--cpus-per-task=")
            if (memory != "")
                bad += (memory + 0) * (memory ~ /^[0-9]+G/ ? 1024 : 1) * 1048576 * nodes < peak
            if (time != "") {
                split(time, parts, ":")
                most = parts[1] * 3600 + parts[2] * 60
            }
            if (few != "")
                cpus = few + 0
            said += memory != "" || time != "" || few != "" || after($0, "--nodes=") != ""
        }
        END { exit bad > 0 || said != NR || (most > 0 && wall + (cpus > 0 ? used / cpus : 0) > most) }' advice || wrong="$wrong $id"
done <jobs
expect_equal '' "$wrong"
check test "$advised" -ge 5

finish
