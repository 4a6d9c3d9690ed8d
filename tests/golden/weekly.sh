# SPDX-License-Identifier: MIT
#
# The accounting of a cluster with one user and one job of one cpu every Wednesday at midnight (UTC): for
# ten hours in each of the 52 weeks of 2023, for ten and fourteen in turn in the first 22 of 2024.
awk 'BEGIN {
    print "# Version: 8.1.9"
    for (i = 0; i < 52 + 22; i++) {
        start = 1672790400 + i * 604800
        hours = i < 52 ? 10 : i % 2 ? 14 : 10
        printf "all.q:oak1:moss:mira:tick:%d:sge:0:%d:%d:%d:0:0:%d:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:", \
            i + 1, start - 600, start, start + hours * 3600, hours * 3600
        printf "forest:science:NONE:1:0:%d:0:0:-l h_rt=86400:0:NONE:1073741824:0:0\n", hours * 1800
    }
}'
