/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A zone written as a rule, as the TZ variable and the last line of a TZif file have it:
 * "CET-1CEST,M3.5.0,M10.5.0/3" (POSIX.1-2017, 8.3; RFC 8536, 3.3.1 widens the hours to +-167).
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * When in a year clocks change: a day, and seconds from that day's midnight by the old clock.
 */
struct posix_change {
    enum { POSIX_MONTH_WEEK_DAY, POSIX_JULIAN, POSIX_DAY } form;

    int month, week, weekday; /* Mm.w.d: weekday 0 is Sunday, week 5 the last */
    int day;                  /* Jn from 1 without leap day, or n from 0 with it */
    int32_t time_s;
};

struct posix_zone {
    int32_t standard_s; /* seconds east of UTC */
    int32_t summer_s;
    bool has_summer;
    struct posix_change to_summer, to_standard;
};

/* Reads all of `text`; false if it is not such a rule. Summer time without its days is not. */
bool posix_zone_parse(struct str text, struct posix_zone *out);

/* The two moments, in seconds since 1970 UTC, at which clocks change in a year. */
void posix_zone_changes(const struct posix_zone *zone, int64_t year, int64_t *to_summer,
                        int64_t *to_standard);
