/* SPDX-License-Identifier: MIT */
#include "base/civil.h"

/*
 * Years are counted from March, so that the leap day is a year's last, and in eras of 400
 * years, after which the calendar repeats.
 */

enum { ERA_YEARS = 400, ERA_DAYS = 146097, EPOCH_DAYS = 719468 /* 0000-03-01 to 1970-01-01 */ };

static int64_t floor_divide(int64_t value, int64_t by)
{
    int64_t quotient = value / by;
    return value % by < 0 ? quotient - 1 : quotient;
}

int64_t civil_days(int64_t year, int64_t month, int64_t day)
{
    int64_t from_march = month - 3;
    year += floor_divide(from_march, 12);
    from_march -= floor_divide(from_march, 12) * 12;
    int64_t era = floor_divide(year, ERA_YEARS);
    int64_t year_of_era = year - era * ERA_YEARS;
    /* Months from March have 31 30 31 30 31 days, twice and then some: 153 in five. */
    int64_t day_of_year = (153 * from_march + 2) / 5;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * ERA_DAYS + day_of_era + (day - 1) - EPOCH_DAYS;
}

struct civil civil_of_days(int64_t days)
{
    days += EPOCH_DAYS;
    int64_t era = floor_divide(days, ERA_DAYS);
    int64_t day_of_era = days - era * ERA_DAYS;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t from_march = (5 * day_of_year + 2) / 153;
    int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
    return (struct civil){
        .year = (int)(era * ERA_YEARS + year_of_era + (month <= 2)),
        .month = (int)month,
        .day = (int)(day_of_year - (153 * from_march + 2) / 5 + 1),
    };
}

int civil_weekday(struct civil civil)
{
    int64_t days = civil_days(civil.year, civil.month, civil.day) + 3; /* 1970: a Thursday */
    return (int)(days - floor_divide(days, 7) * 7);
}

void civil_iso_week(struct civil civil, int *year, int *week)
{
    int64_t thursday =
        civil_days(civil.year, civil.month, civil.day) - civil_weekday(civil) + 3;
    *year = civil_of_days(thursday).year;
    *week = (int)((thursday - civil_days(*year, 1, 1)) / 7) + 1;
}

int civil_month_days(int year, int month)
{
    return (int)(civil_days(year, month + 1, 1) - civil_days(year, month, 1));
}

bool civil_is_valid(struct civil civil)
{
    return civil.year >= CIVIL_FIRST_YEAR && civil.year <= CIVIL_LAST_YEAR &&
           civil.month >= 1 && civil.month <= 12 && civil.day >= 1 &&
           civil.day <= civil_month_days(civil.year, civil.month) && civil.hour < 24 &&
           civil.minute < 60 && civil.second <= 60;
}

int civil_month_of(struct str name)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12; i++) {
        if (str_eq_nocase(name, (struct str){months + 3 * i, 3})) {
            return i + 1;
        }
    }
    return 0;
}

bool civil_take_micro(struct str *rest, int *micro)
{
    const size_t before = rest->len;
    int unit = 1000000;
    int digit = 0;
    *micro = 0;
    while (str_take_digits(rest, 1, &digit)) {
        unit /= 10;
        *micro += digit * unit;
    }
    return rest->len < before;
}

/* hh, hhmm or hh:mm. */
static bool take_hours(struct str *rest, int *hours, int *minutes)
{
    size_t digits = 0;
    while (digits < rest->len && rest->ptr[digits] >= '0' && rest->ptr[digits] <= '9') {
        digits++;
    }
    *minutes = 0;
    if ((digits != 2 && digits != 4) || !str_take_digits(rest, 2, hours)) {
        return false;
    }
    return (digits == 2 && !str_take(rest, ':')) || str_take_digits(rest, 2, minutes);
}

bool civil_take_offset(struct str *rest, int *east_s)
{
    struct str after = *rest;
    int hours = 0;
    int minutes = 0;
    if (!str_take(&after, 'Z') && !str_take(&after, 'z')) {
        const bool west = str_take(&after, '-');
        if ((!west && !str_take(&after, '+')) || !take_hours(&after, &hours, &minutes) ||
            hours > 23 || minutes > 59) {
            return false;
        }
        hours = west ? -hours : hours;
        minutes = west ? -minutes : minutes;
    }
    *east_s = hours * 3600 + minutes * 60;
    *rest = after;
    return true;
}
