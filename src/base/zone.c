/* SPDX-License-Identifier: MIT */
#include "base/zone.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/posix_zone.h"
#include "base/str.h"
#include "base/tzif.h"

#define LOCALTIME_PATH "/etc/localtime"
#define TIMEZONE_PATH  "/etc/timezone"

enum { NAME_MAX_BYTES = 255 };

#define DAY_S           INT64_C(86400)
#define WIDEST_OFFSET_S INT64_C(93600) /* 26 hours */

/* What an int64_t of microseconds can hold, less what offsets may add. */
#define MOMENT_LIMIT_S (INT64_MAX / SECOND_US - 2 * DAY_S)

static const char *const database_folders[] = {
    "/usr/share/zoneinfo",
    "/usr/lib/zoneinfo",
    "/usr/share/lib/zoneinfo",
    "/etc/zoneinfo",
};

struct zone {
    char *name;
    struct tzif tzif;
    int fiscal_month; /* that years begin with; 0: it was not set */
};

static int64_t floor_divide(int64_t value, int64_t by)
{
    int64_t quotient = value / by;
    return value % by < 0 ? quotient - 1 : quotient;
}

static struct zone *new_zone(struct str name, struct tzif tzif)
{
    struct zone *zone = mem_alloc(1, sizeof(*zone));
    zone->name = mem_alloc(name.len + 1, 1);
    memcpy(zone->name, name.ptr, name.len);
    zone->tzif = tzif;
    return zone;
}

static struct zone *new_utc(const char *name)
{
    return new_zone(str_of(name), (struct tzif){0});
}

static bool is_utc(const struct zone *zone)
{
    return zone->tzif.count == 0 && zone->tzif.before_s == 0;
}

/*
 * Whether a name may become a path below the database: plain letters, no empty part, none that
 * begins with a dot. So it cannot lead out of there.
 */
static bool is_name(struct str name)
{
    if (name.len == 0 || name.len > NAME_MAX_BYTES) {
        return false;
    }
    struct str rest = name;
    while (rest.ptr) {
        struct str part = str_cut(&rest, '/');
        if (part.len == 0 || part.ptr[0] == '.') {
            return false;
        }
        for (size_t i = 0; i < part.len; i++) {
            unsigned char byte = (unsigned char)part.ptr[i];
            bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
            bool digit = byte >= '0' && byte <= '9';
            if (!letter && !digit && byte != '_' && byte != '-' && byte != '+' && byte != '.') {
                return false;
            }
        }
    }
    return true;
}

static bool is_plain_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Whether there are zones below a folder: an image without tzdata may have an empty one. */
static bool is_database(const char *folder)
{
    struct stat st;
    char *path = file_join(folder, "Etc");
    bool found = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    free(path);
    return found;
}

static int open_path(const char *path, struct str name, struct zone **out, struct error *err)
{
    struct buf bytes;
    struct tzif tzif;
    buf_init(&bytes, LIMIT_ZONE_FILE);
    int rc = file_read(path, &bytes, err);
    if (rc == 0) {
        rc = tzif_decode(buf_str(&bytes), &tzif, err);
        if (rc != 0) {
            (void)error_prepend(err, "cannot use time zone file '%s': ", path);
        }
    }
    if (rc == 0) {
        *out = new_zone(name, tzif);
    }
    buf_release(&bytes);
    return rc;
}

/* Opens a name below one folder; ERROR_MISSING without a sentence if it is not there. */
static int open_below(const char *folder, const char *name, struct zone **out,
                      struct error *err)
{
    char *path = file_join(folder, name);
    int rc = is_plain_file(path) ? open_path(path, str_of(name), out, err) : ERROR_MISSING;
    free(path);
    return rc;
}

static int open_from_database(const char *name, struct zone **out, struct error *err)
{
    const char *own = getenv("TZDIR");
    bool has_database = false;
    if (own && own[0] != '\0') {
        has_database = is_database(own);
        int rc = open_below(own, name, out, err);
        if (rc != ERROR_MISSING) {
            return rc;
        }
    }
    for (size_t i = 0; i < COUNT_OF(database_folders); i++) {
        has_database = has_database || is_database(database_folders[i]);
        int rc = open_below(database_folders[i], name, out, err);
        if (rc != ERROR_MISSING) {
            return rc;
        }
    }
    return has_database ? error_set(err, ERROR_MISSING,
                                    "there is no time zone '%s': write a name of the tz "
                                    "database, such as Europe/Oslo, or UTC",
                                    name)
                        : error_set(err, ERROR_MISSING,
                                    "cannot find time zone '%s': this machine has no tz "
                                    "database: install the tzdata package, or use UTC",
                                    name);
}

static int open_named(const char *name, struct zone **out, struct error *err)
{
    if (strcmp(name, "UTC") == 0 || strcmp(name, "Etc/UTC") == 0) {
        *out = new_utc(name);
        return 0;
    }
    int rc = is_name(str_of(name)) ? open_from_database(name, out, err) : ERROR_USAGE;
    if (rc != ERROR_MISSING && rc != ERROR_USAGE) {
        return rc;
    }
    struct posix_zone rule;
    if (posix_zone_parse(str_of(name), &rule)) {
        struct tzif tzif;
        tzif_of_rule(&rule, &tzif);
        *out = new_zone(str_of(name), tzif);
        return 0;
    }
    if (rc == ERROR_USAGE) {
        return error_set(err, ERROR_USAGE,
                         "'%s' cannot be a time zone: write a name of the tz database, such as "
                         "Europe/Oslo, or UTC",
                         name);
    }
    return rc;
}

/*
 * The name in a path such as /usr/share/zoneinfo/Europe/Oslo; the null string if it has none.
 */
static struct str name_in_path(struct str path)
{
    static const char mark[] = "zoneinfo/";
    const char *found = memmem(path.ptr, path.len, mark, sizeof(mark) - 1);
    if (!found) {
        return (struct str){0};
    }
    const char *start = found + sizeof(mark) - 1;
    struct str name = {start, path.len - (size_t)(start - path.ptr)};
    return is_name(name) ? name : (struct str){0};
}

/*
 * Puts the name of the system's zone into `out`: where /etc/localtime leads, or /etc/timezone.
 */
static void add_local_name(struct buf *out)
{
    char target[PATH_MAX];
    ssize_t length = readlink(LOCALTIME_PATH, target, sizeof(target));
    if (length > 0) {
        struct str name = name_in_path((struct str){target, (size_t)length});
        if (name.ptr) {
            buf_add(out, name);
            return;
        }
    }
    struct buf text;
    buf_init(&text, NAME_MAX_BYTES + 1);
    if (file_read(TIMEZONE_PATH, &text, NULL) == 0 && is_name(str_trim(buf_str(&text)))) {
        buf_add(out, str_trim(buf_str(&text)));
    } else {
        buf_addz(out, "localtime");
    }
    buf_release(&text);
}

static int open_localtime(struct zone **out, struct error *err)
{
    if (!is_plain_file(LOCALTIME_PATH)) {
        *out = new_utc("UTC");
        return 0;
    }
    struct buf name;
    buf_init(&name, PATH_MAX);
    add_local_name(&name);
    int rc = open_path(LOCALTIME_PATH, buf_str(&name), out, err);
    buf_release(&name);
    return rc;
}

/* TZ as the C library reads it, but that a zone which is not there is an error and not UTC. */
static int open_variable(const char *tz, struct zone **out, struct error *err)
{
    if (tz[0] == ':') {
        tz++;
    }
    if (tz[0] == '\0') {
        *out = new_utc("UTC");
        return 0;
    }
    if (strcmp(tz, LOCALTIME_PATH) == 0) {
        return open_localtime(out, err);
    }
    struct str inside = name_in_path(str_of(tz));
    int rc = open_named(inside.ptr ? inside.ptr : tz, out, err);
    if (rc != 0) {
        (void)error_prepend(err, "the variable TZ: ");
    }
    return rc;
}

int zone_open(const char *name, struct zone **out, struct error *err)
{
    if (name && name[0] != '\0') {
        return open_named(name, out, err);
    }
    const char *tz = getenv("TZ");
    return tz ? open_variable(tz, out, err) : open_localtime(out, err);
}

void zone_close(struct zone *zone)
{
    if (!zone) {
        return;
    }
    tzif_release(&zone->tzif);
    free(zone->name);
    free(zone);
}

const char *zone_name(const struct zone *zone)
{
    return zone->name;
}

void zone_start_year(struct zone *zone, int month)
{
    assert(month >= 1 && month <= 12);
    zone->fiscal_month = month;
}

int zone_year_start(const struct zone *zone)
{
    return zone->fiscal_month > 0 ? zone->fiscal_month : 1;
}

int zone_fiscal_month(const struct zone *zone)
{
    return zone->fiscal_month;
}

/*
 * Whole cycles of 400 years by which a moment lies beyond `end`, in seconds: less them it is at
 * `end` or at most a cycle before it, where the table has the same clock.
 */
static int64_t cycles_beyond(const struct tzif *tzif, int64_t moment_s, int64_t end_s)
{
    if (!tzif->repeats || moment_s <= end_s) {
        return 0;
    }
    return ((moment_s - end_s - 1) / TZIF_CYCLE_S + 1) * TZIF_CYCLE_S;
}

static int32_t offset_at(const struct tzif *tzif, int64_t moment_s)
{
    if (tzif->count == 0) {
        return tzif->before_s;
    }
    moment_s -= cycles_beyond(tzif, moment_s, tzif->at_s[tzif->count - 1]);
    size_t i = tzif_find(tzif, moment_s);
    return i == SIZE_MAX ? tzif->before_s : tzif->offset_s[i];
}

int32_t zone_offset(const struct zone *zone, int64_t instant)
{
    return offset_at(&zone->tzif, floor_divide(instant, SECOND_US));
}

struct civil zone_civil(const struct zone *zone, int64_t instant)
{
    int64_t moment_s = floor_divide(instant, SECOND_US);
    int64_t local_s = moment_s + offset_at(&zone->tzif, moment_s);
    int64_t days = floor_divide(local_s, DAY_S);
    int second = (int)(local_s - days * DAY_S);
    struct civil civil = civil_of_days(days);
    civil.hour = second / 3600;
    civil.minute = second / 60 % 60;
    civil.second = second % 60;
    civil.micro = (int)((instant % SECOND_US + SECOND_US) % SECOND_US);
    return civil;
}

/* Seconds on a clock that shows `civil` and has never changed. */
static int64_t local_seconds(struct civil civil)
{
    int64_t days = civil_days(civil.year, civil.month, civil.day);
    int64_t seconds = days * DAY_S + civil.hour * INT64_C(3600) + civil.minute * INT64_C(60) +
                      civil.second + floor_divide(civil.micro, SECOND_US);
    if (seconds > MOMENT_LIMIT_S) {
        return MOMENT_LIMIT_S;
    }
    return seconds < -MOMENT_LIMIT_S ? -MOMENT_LIMIT_S : seconds;
}

/*
 * Tries one offset after the other, from one that held for certain before the clock showed
 * this, until the clock did show it while the offset held. If it would have been shown only
 * before an offset began, that change skipped it.
 */
int64_t zone_instant(const struct zone *zone, struct civil civil)
{
    int64_t local_s = local_seconds(civil);
    int64_t micro = civil.micro - floor_divide(civil.micro, SECOND_US) * SECOND_US;
    if (!zone) {
        return local_s * SECOND_US + micro;
    }
    const struct tzif *tzif = &zone->tzif;
    if (tzif->count == 0) {
        return (local_s - tzif->before_s) * SECOND_US + micro;
    }
    int64_t beyond_s =
        cycles_beyond(tzif, local_s, tzif->at_s[tzif->count - 1] - 2 * WIDEST_OFFSET_S);
    local_s -= beyond_s;
    size_t i = tzif_find(tzif, local_s - WIDEST_OFFSET_S);
    int64_t moment_s = local_s - (i == SIZE_MAX ? tzif->before_s : tzif->offset_s[i]);
    while (i + 1 < tzif->count && moment_s >= tzif->at_s[i + 1]) {
        i++;
        moment_s = local_s - tzif->offset_s[i];
        if (moment_s < tzif->at_s[i]) {
            return (tzif->at_s[i] + beyond_s) * SECOND_US;
        }
    }
    return (moment_s + beyond_s) * SECOND_US + micro;
}

/* Writes `mark` and a number of at least `width` digits; returns the place after them. */
static char *put_number(char *at, char mark, int number, int width)
{
    char digits[12];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || count < width);
    *at++ = mark;
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

/* "+01:00"; the seconds that zones had before railways only where there are some. */
static char *put_offset(char *at, int32_t offset)
{
    int32_t east = offset < 0 ? -offset : offset;
    at = put_number(at, offset < 0 ? '-' : '+', east / 3600, 2);
    at = put_number(at, ':', east / 60 % 60, 2);
    return east % 60 != 0 ? put_number(at, ':', east % 60, 2) : at;
}

const char *zone_print(const struct zone *zone, int64_t instant, char text[INSTANT_TEXT_MAX])
{
    struct civil civil = zone_civil(zone, instant);
    char *at = put_number(text, '-', civil.year < 0 ? -civil.year : civil.year, 4);
    if (civil.year >= 0) { /* the mark was a minus */
        memmove(text, text + 1, (size_t)(--at - text));
    }
    at = put_number(at, '-', civil.month, 2);
    at = put_number(at, '-', civil.day, 2);
    at = put_number(at, 'T', civil.hour, 2);
    at = put_number(at, ':', civil.minute, 2);
    at = put_number(at, ':', civil.second, 2);
    if (civil.micro != 0) {
        at = put_number(at, '.', civil.micro, 6);
    }
    if (is_utc(zone)) {
        *at++ = 'Z';
    } else {
        at = put_offset(at, zone_offset(zone, instant));
    }
    *at = '\0';
    return text;
}
