/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a number counts. Values are kept as integers in a small fixed unit (microseconds,
 * bytes); this says which, and so how a view has to print them.
 */

enum unit {
    UNIT_NONE,    /* text, or a plain number such as an exit code */
    UNIT_COUNT,   /* jobs, cpus, lines */
    UNIT_SECONDS, /* kept in microseconds; machine formats print seconds */
    UNIT_HOURS, /* resource x time, kept in resource-microseconds; printed as resource-hours */
    UNIT_BYTES, /* kept in bytes */
    UNIT_GIB_SECONDS, /* memory x time, kept in GiB-microseconds */
    UNIT_GIB_HOURS,   /* memory x time, kept in byte-microseconds; printed as GiB-hours */
    UNIT_JOULES,
    UNIT_MILLIJOULES, /* kept in thousandths; printed as joules with as many decimals as there are */
    UNIT_INSTANT, /* microseconds since 1970, UTC; printed as ISO 8601 */
    UNIT_RATIO,   /* 0..1, a real number; tables print percent */
    UNIT_TRUTH,   /* 0 or 1; machine formats print false and true */
    UNIT_SU, /* service units, kept in millionths; printed with as many decimals as there are */
    UNIT_MONEY,    /* of a currency, likewise */
    UNIT_COUNT_OF, /* number of enumerators */
};

/* "seconds", "bytes", ...; "" for UNIT_NONE. */
const char *unit_name(enum unit unit);
