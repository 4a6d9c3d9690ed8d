/* SPDX-License-Identifier: MIT */
#include "source/common/instant.h"

#include "base/zone.h"

bool instant_take_mark(struct str *rest, const char *marks)
{
    if (rest->len == 0 || rest->ptr[0] == '\0' || !strchr(marks, rest->ptr[0])) {
        return false;
    }
    rest->ptr++;
    rest->len--;
    return true;
}

bool instant_take_civil(struct str *rest, const char *colons, struct civil *civil)
{
    return str_take_digits(rest, 4, &civil->year) && instant_take_mark(rest, "-") &&
           str_take_digits(rest, 2, &civil->month) && instant_take_mark(rest, "-") &&
           str_take_digits(rest, 2, &civil->day) && instant_take_mark(rest, "T _") &&
           str_take_digits(rest, 2, &civil->hour) && instant_take_mark(rest, colons) &&
           str_take_digits(rest, 2, &civil->minute) && instant_take_mark(rest, colons) &&
           str_take_digits(rest, 2, &civil->second) && civil_is_valid(*civil);
}

bool instant_take_fraction(struct str *rest, struct civil *civil)
{
    return !instant_take_mark(rest, ".") || civil_take_micro(rest, &civil->micro);
}

bool instant_read(struct str text, int64_t *out)
{
    struct civil civil = {0};
    int east_s = 0;
    if (!instant_take_civil(&text, ":", &civil) || !instant_take_fraction(&text, &civil) ||
        !civil_take_offset(&text, &east_s) || text.len > 0) {
        return false;
    }
    *out = zone_instant(NULL, civil) - east_s * SECOND_US;
    return *out > 0;
}
