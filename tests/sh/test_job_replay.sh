#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The advice of stint rightsize, applied to the jobs of the demo site and replayed by another computation: no more of them fail than it says.
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
        END { printf "%.9f\n", n ? bad / n : 0 }' jobs
}

it 'no more runs of the demo site fail with what is advised than the advice says'
# shellcheck disable=SC2086
stint report jobs --by user,name $P --format csv --no-header -n 6 2>/dev/null | cut -d, -f1,2 >works
expect_equal 6 "$(wc -l <works)"
compared=0 wrong=
while IFS=, read -r user name; do
    # shellcheck disable=SC2086
    stint jobs -u "$user" --name "$name" $P --fields class,wall,mem,mem_peak -n 0 --format csv --no-header 2>/dev/null >jobs
    # shellcheck disable=SC2086
    stint rightsize -u "$user" --name "$name" $P --cover 90 --format csv --no-header 2>/dev/null >sized
    while IFS=, read -r resource runs asked used quantile advised said rest; do
        case $resource in cpus) continue ;; esac
        replayed=$(failures "$resource" "$advised")
        compared=$((compared + 1))
        awk -v a="$replayed" -v b="$said" 'BEGIN { exit !(a <= b + 1e-6) }' || wrong="$wrong $user/$name/$resource:$replayed>$said($runs,$asked,$used,$quantile,$rest)"
    done <sized
done <works
expect_equal '' "$wrong"
check test "$compared" -ge 6

finish
