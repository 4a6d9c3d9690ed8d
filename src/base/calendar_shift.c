/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

/*
 * Periods moved along the calendar. Both ends are moved as civil times, so that a month stays a
 * month and a day of a clock change a day.
 */

static bool is_midnight(struct civil civil)
{
    return civil.hour == 0 && civil.minute == 0 && civil.second == 0 && civil.micro == 0;
}

/* 29 February a year earlier is the 28th. */
static struct civil year_before(struct civil civil)
{
    civil.year--;
    if (civil.month == 2 && civil.day == 29) {
        civil.day = 28;
    }
    return civil;
}

struct period calendar_year_before(struct period period, const struct zone *zone)
{
    struct civil from = zone_civil(zone, period.from), to = zone_civil(zone, period.to);
    const bool ends_day = is_midnight(to);
    to.day -= ends_day; /* the day it ends with, not the one after it */
    to = year_before(zone_civil(zone, zone_instant(zone, to)));
    to.day += ends_day;
    return (struct period){zone_instant(zone, year_before(from)), zone_instant(zone, to)};
}

struct period calendar_before(struct period period, const struct zone *zone)
{
    struct civil from = zone_civil(zone, period.from), to = zone_civil(zone, period.to);
    const bool whole_days = is_midnight(from) && is_midnight(to);
    if (whole_days && from.day == 1 && to.day == 1) {
        from.month -= (to.year - from.year) * 12 + to.month - from.month;
    } else if (whole_days) {
        from.day -= (int)(civil_days(to.year, to.month, to.day) -
                          civil_days(from.year, from.month, from.day));
    } else {
        return (struct period){period.from - (period.to - period.from), period.from};
    }
    return (struct period){zone_instant(zone, from), period.from};
}
