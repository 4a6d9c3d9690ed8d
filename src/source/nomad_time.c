/* SPDX-License-Identifier: MIT */
#include "base/civil.h"
#include "source/nomad_record.h"

/* Takes one of the bytes in `marks`. */
static bool take_mark(struct str *rest, const char *marks)
{
    if (rest->len == 0 || rest->ptr[0] == '\0' || !strchr(marks, rest->ptr[0])) {
        return false;
    }
    rest->ptr++;
    rest->len--;
    return true;
}

/* Takes date and time of day without its fraction; `colons` are the marks allowed between the parts. */
static bool take_civil(struct str *rest, const char *colons, struct civil *civil)
{
    return str_take_digits(rest, 4, &civil->year) && take_mark(rest, "-") &&
           str_take_digits(rest, 2, &civil->month) && take_mark(rest, "-") &&
           str_take_digits(rest, 2, &civil->day) && take_mark(rest, "T _") &&
           str_take_digits(rest, 2, &civil->hour) && take_mark(rest, colons) &&
           str_take_digits(rest, 2, &civil->minute) && take_mark(rest, colons) &&
           str_take_digits(rest, 2, &civil->second) && civil_is_valid(*civil);
}

/* A point and decimals, or nothing. */
static bool take_fraction(struct str *rest, struct civil *civil)
{
    return !take_mark(rest, ".") || civil_take_micro(rest, &civil->micro);
}

bool nomad_time(struct str text, int64_t *out)
{
    struct civil civil = {0};
    int east_s = 0;
    if (!take_civil(&text, ":", &civil) || !take_fraction(&text, &civil) ||
        !civil_take_offset(&text, &east_s) || text.len > 0) {
        return false;
    }
    *out = zone_instant(NULL, civil) - east_s * SECOND_US;
    return *out > 0;
}

bool nomad_time_local(struct str text, const struct zone *zone, int64_t *out)
{
    struct civil civil = {0};
    if (nomad_time(text, out)) {
        return true;
    }
    if (!take_civil(&text, ":", &civil) || !take_fraction(&text, &civil) || text.len > 0) {
        return false;
    }
    *out = zone_instant(zone, civil);
    return *out > 0;
}

bool nomad_time_of_name(struct str path, int64_t *out)
{
    const char *slash = path.len > 0 ? memrchr(path.ptr, '/', path.len) : NULL;
    struct str name = path;
    if (slash) {
        name = (struct str){slash + 1, path.len - (size_t)(slash + 1 - path.ptr)};
    }
    struct civil civil = {0};
    if (!take_civil(&name, ":-_", &civil)) {
        return false;
    }
    struct str fraction = name; /* 10:00:00.json has none */
    if (take_fraction(&fraction, &civil)) {
        name = fraction;
    }
    (void)take_mark(&name, "Zz");
    *out = zone_instant(NULL, civil);
    return *out > 0 && (name.len == 0 || name.ptr[0] == '.');
}
