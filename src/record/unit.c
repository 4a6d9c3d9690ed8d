/* SPDX-License-Identifier: MIT */
#include "record/unit.h"

const char *unit_name(enum unit unit)
{
    static const char *const names[UNIT_COUNT_OF] = {
        [UNIT_NONE] = "",
        [UNIT_COUNT] = "count",
        [UNIT_SECONDS] = "seconds",
        [UNIT_HOURS] = "hours",
        [UNIT_BYTES] = "bytes",
        [UNIT_GIB_SECONDS] = "GiB-seconds",
        [UNIT_GIB_HOURS] = "GiB-hours",
        [UNIT_JOULES] = "joules",
        [UNIT_MILLIJOULES] = "joules",
        [UNIT_INSTANT] = "time",
        [UNIT_RATIO] = "ratio",
        [UNIT_TRUTH] = "yes or no",
        [UNIT_SU] = "SU",
        [UNIT_MONEY] = "currency",
    };
    return names[unit];
}
