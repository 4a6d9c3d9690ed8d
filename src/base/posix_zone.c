/* SPDX-License-Identifier: MIT */
#include "base/posix_zone.h"

#include "base/civil.h"

enum { HOURS_IN_OFFSET = 24, HOURS_IN_TIME = 167, TWO_O_CLOCK = 2 * 3600 };

/*
 * Each take_* reads a piece at the start of `text` and moves past it; on false it is left
 * anywhere.
 */

static bool take_number(struct str *text, int max, int *out)
{
    int value = 0;
    size_t i = 0;
    for (; i < text->len && text->ptr[i] >= '0' && text->ptr[i] <= '9'; i++) {
        value = value * 10 + (text->ptr[i] - '0');
        if (value > max) {
            return false;
        }
    }
    text->ptr += i;
    text->len -= i;
    *out = value;
    return i > 0;
}

/* "CET" or "<+0330>"; what it says is not used. */
static bool take_name(struct str *text)
{
    size_t i = 0;
    if (str_take(text, '<')) {
        while (i < text->len && text->ptr[i] != '>') {
            i++;
        }
        text->ptr += i;
        text->len -= i;
        return i >= 3 && str_take(text, '>');
    }
    while (i < text->len && ((text->ptr[i] | 0x20) >= 'a' && (text->ptr[i] | 0x20) <= 'z')) {
        i++;
    }
    text->ptr += i;
    text->len -= i;
    return i >= 3;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool take_time(struct str *text, int max_hours, int32_t *out)
{
    bool minus = str_take(text, '-');
    if (!minus) {
        (void)str_take(text, '+');
    }
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    if (!take_number(text, max_hours, &hours) ||
        (str_take(text, ':') && (!take_number(text, 59, &minutes) ||
                                 (str_take(text, ':') && !take_number(text, 59, &seconds))))) {
        return false;
    }
    int32_t value = hours * 3600 + minutes * 60 + seconds;
    *out = minus ? -value : value;
    return true;
}

/* ",M3.5.0/3", ",J60", ",59/0:30". */
static bool take_change(struct str *text, struct posix_change *out)
{
    *out = (struct posix_change){.time_s = TWO_O_CLOCK};
    if (!str_take(text, ',')) {
        return false;
    }
    if (str_take(text, 'M')) {
        out->form = POSIX_MONTH_WEEK_DAY;
        if (!take_number(text, 12, &out->month) || out->month < 1 || !str_take(text, '.') ||
            !take_number(text, 5, &out->week) || out->week < 1 || !str_take(text, '.') ||
            !take_number(text, 6, &out->weekday)) {
            return false;
        }
    } else if (str_take(text, 'J')) {
        out->form = POSIX_JULIAN;
        if (!take_number(text, 365, &out->day) || out->day < 1) {
            return false;
        }
    } else {
        out->form = POSIX_DAY;
        if (!take_number(text, 365, &out->day)) {
            return false;
        }
    }
    return !str_take(text, '/') || take_time(text, HOURS_IN_TIME, &out->time_s);
}

bool posix_zone_parse(struct str text, struct posix_zone *out)
{
    struct posix_zone zone = {0};
    int32_t west = 0; /* POSIX counts west of Greenwich */
    if (!take_name(&text) || !take_time(&text, HOURS_IN_OFFSET, &west)) {
        return false;
    }
    zone.standard_s = -west;
    zone.summer_s = zone.standard_s + 3600;
    if (text.len > 0) {
        zone.has_summer = true;
        if (!take_name(&text)) {
            return false;
        }
        if (text.len > 0 && text.ptr[0] != ',') {
            if (!take_time(&text, HOURS_IN_OFFSET, &west)) {
                return false;
            }
            zone.summer_s = -west;
        }
        if (!take_change(&text, &zone.to_summer) || !take_change(&text, &zone.to_standard)) {
            return false;
        }
    }
    if (text.len > 0) {
        return false;
    }
    *out = zone;
    return true;
}

/* The day of a change, in days since 1970. */
static int64_t change_day(const struct posix_change *change, int64_t year)
{
    int64_t first = civil_days(year, 1, 1);
    if (change->form == POSIX_DAY) {
        return first + change->day;
    }
    if (change->form == POSIX_JULIAN) {
        bool leap = civil_days(year, 3, 1) - first == 60;
        return first + change->day - 1 + (leap && change->day >= 60);
    }
    int64_t month = civil_days(year, change->month, 1);
    int64_t next_month = civil_days(year, change->month + 1, 1);
    int weekday = (civil_weekday(civil_of_days(month)) + 1) % 7; /* from Sunday */
    int64_t day = month + (change->weekday - weekday + 7) % 7 + INT64_C(7) * (change->week - 1);
    return day < next_month ? day : day - 7;
}

void posix_zone_changes(const struct posix_zone *zone, int64_t year, int64_t *to_summer,
                        int64_t *to_standard)
{
    *to_summer =
        change_day(&zone->to_summer, year) * 86400 + zone->to_summer.time_s - zone->standard_s;
    *to_standard = change_day(&zone->to_standard, year) * 86400 + zone->to_standard.time_s -
                   zone->summer_s;
}
