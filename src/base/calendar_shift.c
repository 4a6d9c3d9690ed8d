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

struct period calendar_year_before(struct period period, const struct zone *zone)
{
    struct civil from = zone_civil(zone, period.from), to = zone_civil(zone, period.to);
    from.year--;
    to.year--;
    return (struct period){zone_instant(zone, from), zone_instant(zone, to)};
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
