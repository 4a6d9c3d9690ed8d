/* SPDX-License-Identifier: MIT */
#include "base/zone.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "support/expect.h"

static struct zone *open_zone(const char *name)
{
    struct zone *zone = NULL;
    struct error err = {0};
    if (zone_open(name, &zone, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return zone;
}

/* Reads "2025-03-30T02:30:00" as written by the tables below. */
static struct civil civil_of(const char *text)
{
    struct civil civil = {0};
    int *const fields[] = {&civil.year, &civil.month,  &civil.day,
                           &civil.hour, &civil.minute, &civil.second};
    char *rest = NULL;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        *fields[i] = (int)strtol(text, &rest, 10);
        text = rest + 1;
    }
    return civil;
}

static bool same_civil(struct civil a, struct civil b)
{
    return a.year == b.year && a.month == b.month && a.day == b.day && a.hour == b.hour &&
           a.minute == b.minute && a.second == b.second && a.micro == b.micro;
}

struct civil_row {
    const char *name;
    const char *zone;
    const char *civil;
    const char *utc;  /* the instant it must be */
    const char *back; /* what that instant is in the zone */
};

static const struct civil_row civil_rows[] = {
    {"oslo winter", "Europe/Oslo", "2025-01-15T12:00:00", "2025-01-15T11:00:00Z",
     "2025-01-15T12:00:00+01:00"},
    {"oslo summer", "Europe/Oslo", "2025-07-15T12:00:00", "2025-07-15T10:00:00Z",
     "2025-07-15T12:00:00+02:00"},
    {"oslo before the gap", "Europe/Oslo", "2025-03-30T01:59:59", "2025-03-30T00:59:59Z",
     "2025-03-30T01:59:59+01:00"},
    {"oslo start of the gap", "Europe/Oslo", "2025-03-30T02:00:00", "2025-03-30T01:00:00Z",
     "2025-03-30T03:00:00+02:00"},
    {"oslo in the gap", "Europe/Oslo", "2025-03-30T02:30:00", "2025-03-30T01:00:00Z",
     "2025-03-30T03:00:00+02:00"},
    {"oslo after the gap", "Europe/Oslo", "2025-03-30T03:00:00", "2025-03-30T01:00:00Z",
     "2025-03-30T03:00:00+02:00"},
    {"oslo twice, first", "Europe/Oslo", "2025-10-26T02:30:00", "2025-10-26T00:30:00Z",
     "2025-10-26T02:30:00+02:00"},
    {"oslo start of twice", "Europe/Oslo", "2025-10-26T02:00:00", "2025-10-26T00:00:00Z",
     "2025-10-26T02:00:00+02:00"},
    {"oslo after twice", "Europe/Oslo", "2025-10-26T03:00:00", "2025-10-26T02:00:00Z",
     "2025-10-26T03:00:00+01:00"},
    {"new york gap", "America/New_York", "2025-03-09T02:30:00", "2025-03-09T07:00:00Z",
     "2025-03-09T03:00:00-04:00"},
    {"new york twice", "America/New_York", "2025-11-02T01:30:00", "2025-11-02T05:30:00Z",
     "2025-11-02T01:30:00-04:00"},
    {"new york 2150", "America/New_York", "2150-07-01T00:00:00", "2150-07-01T04:00:00Z",
     "2150-07-01T00:00:00-04:00"},
    {"lord howe gap of half an hour", "Australia/Lord_Howe", "2025-10-05T02:15:00",
     "2025-10-04T15:30:00Z", "2025-10-05T02:30:00+11:00"},
    {"lord howe twice", "Australia/Lord_Howe", "2025-04-06T01:45:00", "2025-04-05T14:45:00Z",
     "2025-04-06T01:45:00+11:00"},
    {"lord howe before twice", "Australia/Lord_Howe", "2025-04-06T01:29:00",
     "2025-04-05T14:29:00Z", "2025-04-06T01:29:00+11:00"},
    {"lord howe after twice", "Australia/Lord_Howe", "2025-04-06T02:00:00",
     "2025-04-05T15:30:00Z", "2025-04-06T02:00:00+10:30"},
    {"kolkata", "Asia/Kolkata", "2025-06-01T00:00:00", "2025-05-31T18:30:00Z",
     "2025-06-01T00:00:00+05:30"},
    {"midnight skipped", "America/Sao_Paulo", "2018-11-04T00:00:00", "2018-11-04T03:00:00Z",
     "2018-11-04T01:00:00-02:00"},
    {"midnight twice", "America/Havana", "2024-11-03T00:00:00", "2024-11-03T04:00:00Z",
     "2024-11-03T00:00:00-04:00"},
    {"a day skipped", "Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T10:00:00Z",
     "2011-12-31T00:00:00+14:00"},
    {"carried month and day", "Europe/Oslo", "2024-13-32T00:00:00", "2025-01-31T23:00:00Z",
     "2025-02-01T00:00:00+01:00"},
    {"carried hour", "Europe/Oslo", "2025-03-30T24:00:00", "2025-03-30T22:00:00Z",
     "2025-03-31T00:00:00+02:00"},
    {"oslo 2150 summer", "Europe/Oslo", "2150-07-01T00:00:00", "2150-06-30T22:00:00Z",
     "2150-07-01T00:00:00+02:00"},
    {"oslo 2150 gap", "Europe/Oslo", "2150-03-29T02:30:00", "2150-03-29T01:00:00Z",
     "2150-03-29T03:00:00+02:00"},
    {"oslo 2150 twice", "Europe/Oslo", "2150-10-25T02:30:00", "2150-10-25T00:30:00Z",
     "2150-10-25T02:30:00+02:00"},
    {"oslo in 3000, beyond the table", "Europe/Oslo", "3000-07-01T00:00:00",
     "3000-06-30T22:00:00Z", "3000-07-01T00:00:00+02:00"},
    {"posix rule", "CET-1CEST,M3.5.0,M10.5.0/3", "2025-07-01T00:00:00", "2025-06-30T22:00:00Z",
     "2025-07-01T00:00:00+02:00"},
    {"utc", "UTC", "1970-01-01T00:00:00", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
    {"london in winter is not utc", "Europe/London", "2025-01-01T00:00:00",
     "2025-01-01T00:00:00Z", "2025-01-01T00:00:00+00:00"},
};

static void zone_instant_of(void **state)
{
    const struct civil_row *row = *state;
    struct zone *zone = open_zone(row->zone);
    struct zone *utc = open_zone("UTC");
    char text[INSTANT_TEXT_MAX];
    int64_t instant = zone_instant(zone, civil_of(row->civil));
    expect_text(zone_print(utc, instant, text), row->utc);
    expect_text(zone_print(zone, instant, text), row->back);
    zone_close(utc);
    zone_close(zone);
}

static void no_zone_is_utc(void **state)
{
    (void)state;
    struct zone *utc = open_zone("UTC");
    struct civil civil = civil_of("2025-03-30T02:30:00");
    civil.micro = 1500000;
    expect_int(zone_instant(NULL, civil), zone_instant(utc, civil));
    civil = (struct civil){.year = 1, .month = 1, .day = 1, .micro = -1};
    expect_int(zone_instant(NULL, civil), zone_instant(utc, civil));
    zone_close(utc);
}

static void micros_are_kept(void **state)
{
    (void)state;
    struct zone *zone = open_zone("Europe/Oslo");
    struct civil civil = civil_of("2025-03-01T12:00:00");
    char text[INSTANT_TEXT_MAX];
    civil.micro = 50;
    expect_text(zone_print(zone, zone_instant(zone, civil), text),
                "2025-03-01T12:00:00.000050+01:00");
    civil.micro = 1500000;
    expect_text(zone_print(zone, zone_instant(zone, civil), text),
                "2025-03-01T12:00:01.500000+01:00");
    expect_text(zone_print(zone, -1, text), "1970-01-01T00:59:59.999999+01:00");
    expect_int(zone_civil(zone, -1).micro, 999999);
    zone_close(zone);
}

static void extremes_do_not_overflow(void **state)
{
    (void)state;
    static const char *const names[] = {"Europe/Oslo", "Australia/Lord_Howe", "UTC"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct zone *zone = open_zone(names[i]);
        char text[INSTANT_TEXT_MAX];
        expect_true(strlen(zone_print(zone, INT64_MAX, text)) < INSTANT_TEXT_MAX);
        expect_true(strlen(zone_print(zone, INT64_MIN, text)) < INSTANT_TEXT_MAX);
        struct civil far = {INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX};
        expect_true(zone_instant(zone, far) > INSTANT_MAX);
        struct civil early = {INT_MIN, INT_MIN, INT_MIN, INT_MIN, INT_MIN, INT_MIN, INT_MIN};
        expect_true(zone_instant(zone, early) < 0);
        zone_close(zone);
    }
}

/* The C library is not asked in the sources; here it is the witness. */
static struct tm *(*const libc_local)(const time_t *, struct tm *) = localtime_r;
static time_t (*const libc_moment)(struct tm *) = mktime;

static void use_libc_zone(const char *name)
{
    setenv("TZ", name, 1);
    tzset();
}

/* Both ways at one second, against localtime_r. */
static void compare_second(const struct zone *zone, const char *name, int64_t second)
{
    time_t moment = (time_t)second;
    struct tm tm;
    libc_local(&moment, &tm);
    int64_t instant = second * SECOND_US;
    struct civil got = zone_civil(zone, instant);
    struct civil want = {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                         tm.tm_min,         tm.tm_sec,     0};
    if (!same_civil(got, want) || zone_offset(zone, instant) != tm.tm_gmtoff) {
        expect_fail("%s at %lld: offset %d, libc says %ld", name, (long long)second,
                    zone_offset(zone, instant), tm.tm_gmtoff);
    }
    int64_t back = zone_instant(zone, got);
    if (back > instant || !same_civil(zone_civil(zone, back), got)) {
        expect_fail("%s at %lld: goes back to %lld", name, (long long)second, (long long)back);
    }
    if (back != instant) { /* shown twice: libc must find one of the two */
        tm.tm_isdst = -1;
        int64_t libc = (int64_t)libc_moment(&tm) * SECOND_US;
        expect_true(libc == back || libc == instant);
    }
}

static int64_t second_of(int year, int month, int day)
{
    return civil_days(year, month, day) * 86400;
}

/* Every half hour or so of some years, and a walk through all time. */
static void compare_zone(const char *name)
{
    static const int years[] = {1970, 2025, 2038, 2150};
    struct zone *zone = open_zone(name);
    use_libc_zone(name);
    for (size_t i = 0; i < COUNT_OF(years); i++) {
        for (int64_t s = second_of(years[i], 1, 1); s < second_of(years[i] + 1, 1, 1);
             s += 1801) {
            compare_second(zone, name, s);
        }
    }
    for (int64_t s = second_of(1900, 1, 1); s < second_of(2261, 1, 1); s += 86400 * 3 + 4567) {
        compare_second(zone, name, s);
    }
    zone_close(zone);
}

struct name_row {
    const char *name;
};

static const struct name_row libc_rows[] = {
    {"Europe/Oslo"},   {"America/New_York"},  {"Australia/Lord_Howe"}, {"Asia/Kolkata"},
    {"Europe/Dublin"}, {"America/Sao_Paulo"}, {"Africa/Casablanca"},   {"Antarctica/Troll"},
    {"Pacific/Apia"},  {"America/Nuuk"},      {"Asia/Tehran"},         {"Africa/Monrovia"},
};

static void zone_agrees_with_libc(void **state)
{
    const struct name_row *row = *state;
    compare_zone(row->name);
    unsetenv("TZ");
}

/* The hours around the change between two moments. */
static void compare_change(const struct zone *zone, const char *name, int64_t low, int64_t high)
{
    int32_t offset = zone_offset(zone, low * SECOND_US);
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (zone_offset(zone, middle * SECOND_US) == offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (int64_t s = high - 4 * 1800; s <= high + 4 * 1800; s += 1800) {
        compare_second(zone, name, s - 1);
        compare_second(zone, name, s);
    }
}

/* Around each of its changes, for every zone of the database. */
static void all_zones_agree_with_libc(void **state)
{
    (void)state;
    FILE *table = fopen("/usr/share/zoneinfo/tzdata.zi", "r");
    expect_true(table != NULL);
    char line[512];
    int count = 0;
    while (fgets(line, sizeof(line), table)) {
        if (line[0] != 'Z') { /* "Z Europe/Oslo 0:43 - LMT 1895" */
            continue;
        }
        char *name = line + 2;
        name[strcspn(name, " \n")] = '\0';
        struct zone *zone = open_zone(name);
        use_libc_zone(name);
        int32_t before = zone_offset(zone, second_of(1990, 1, 1) * SECOND_US);
        for (int64_t s = second_of(1990, 1, 1); s < second_of(2042, 1, 1); s += 14 * 86400) {
            compare_second(zone, name, s);
            int32_t after = zone_offset(zone, s * SECOND_US);
            if (after != before) {
                compare_change(zone, name, s - 14 * 86400, s);
            }
            before = after;
        }
        zone_close(zone);
        count++;
    }
    fclose(table);
    unsetenv("TZ");
    expect_true(count > 300);
}

struct bad_row {
    const char *name;
    const char *zone;
    int kind;
    const char *said;
};

static const struct bad_row bad_rows[] = {
    {"unknown", "Europe/Olso", ERROR_MISSING, "there is no time zone 'Europe/Olso'"},
    {"folder", "Europe", ERROR_MISSING, "there is no time zone 'Europe'"},
    {"not a zone", "tzdata.zi", ERROR_INPUT, "not a time zone file"},
    {"leads out", "../../../etc/passwd", ERROR_USAGE, "cannot be a time zone"},
    {"leads out inside", "Europe/../../../etc/passwd", ERROR_USAGE, "cannot be a time zone"},
    {"absolute", "/etc/localtime", ERROR_USAGE, "cannot be a time zone"},
    {"empty part", "Europe//Oslo", ERROR_USAGE, "cannot be a time zone"},
    {"trailing slash", "Europe/Oslo/", ERROR_USAGE, "cannot be a time zone"},
    {"hidden", "Europe/.Oslo", ERROR_USAGE, "cannot be a time zone"},
    {"blank", "Europe/Oslo ", ERROR_USAGE, "such as Europe/Oslo, or UTC"},
    {"posix rule without days", "CET-1CEST", ERROR_MISSING, "there is no time zone"},
};

static void zone_open_refuses(void **state)
{
    const struct bad_row *row = *state;
    struct zone *zone = NULL;
    struct error err = {0};
    expect_int(zone_open(row->zone, &zone, &err), row->kind);
    expect_int(err.kind, row->kind);
    expect_contains(err.text, row->said);
    expect_true(zone == NULL);
}

struct variable_row {
    const char *name;
    const char *tz; /* NULL: unset */
    int kind;       /* 0 or an error */
    const char *want;
};

static const struct variable_row variable_rows[] = {
    {"a name", "Europe/Oslo", 0, "Europe/Oslo"},
    {"a colon and a name", ":Europe/Oslo", 0, "Europe/Oslo"},
    {"a path of the database", ":/usr/share/zoneinfo/Asia/Kolkata", 0, "Asia/Kolkata"},
    {"empty is UTC", "", 0, "UTC"},
    {"colon alone is UTC", ":", 0, "UTC"},
    {"UTC", "UTC", 0, "UTC"},
    {"a rule", "CET-1CEST,M3.5.0,M10.5.0/3", 0, "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"UTC0", "UTC0", 0, "UTC0"},
    {"unknown", "Europe/Olso", ERROR_MISSING, "the variable TZ: there is no time zone"},
    {"another path", "/etc/passwd", ERROR_USAGE, "the variable TZ: '/etc/passwd' cannot be"},
};

static void zone_of_the_system_by_variable(void **state)
{
    const struct variable_row *row = *state;
    struct zone *zone = NULL;
    struct error err = {0};
    setenv("TZ", row->tz, 1);
    int rc = zone_open("", &zone, &err);
    unsetenv("TZ");
    expect_int(rc, row->kind);
    if (rc == 0) {
        expect_text(zone_name(zone), row->want);
    } else {
        expect_contains(err.text, row->want);
    }
    zone_close(zone);
}

static void zone_of_the_system_by_localtime(void **state)
{
    (void)state;
    unsetenv("TZ");
    tzset();
    struct zone *zone = open_zone(NULL);
    for (int64_t s = second_of(1980, 1, 1); s < second_of(2040, 1, 1); s += 1000003) {
        compare_second(zone, zone_name(zone), s);
    }
    setenv("TZ", ":/etc/localtime", 1);
    struct zone *same = open_zone(NULL);
    unsetenv("TZ");
    expect_text(zone_name(same), zone_name(zone));
    zone_close(same);
    zone_close(zone);
}

/* A database of our own in TZDIR comes before the system's. */
static void tzdir_is_looked_at_first(void **state)
{
    (void)state;
    struct error err = {0};
    struct zone *zone = NULL;
    char folder[] = "/tmp/stint-zone-XXXXXX";
    expect_true(mkdtemp(folder) != NULL);
    setenv("TZDIR", folder, 1);
    zone_close(open_zone("Europe/Oslo")); /* falls through to the system's */

    char *path = file_join(folder, "Broken");
    expect_int(file_write(path, STR("TZif2 and nothing more"), &err), 0);
    expect_int(zone_open("Broken", &zone, &err), ERROR_INPUT);
    expect_contains(err.text, "cannot use time zone file '/tmp/stint-zone-");

    struct buf large;
    buf_init(&large, 4 << 20);
    buf_fill(&large, 'x', 2 << 20);
    expect_int(file_write(path, buf_str(&large), &err), 0);
    expect_int(zone_open("Broken", &zone, &err), ERROR_LIMIT);
    buf_release(&large);

    unsetenv("TZDIR");
    unlink(path);
    rmdir(folder);
    free(path);
}

static void utc_needs_no_database(void **state)
{
    (void)state;
    setenv("TZDIR", "/nowhere", 1);
    struct zone *zone = open_zone("Etc/UTC");
    expect_text(zone_name(zone), "Etc/UTC");
    expect_int(zone_offset(zone, INSTANT_MAX), 0);
    zone_close(zone);
    unsetenv("TZDIR");
    zone_close(NULL);
}

int main(void)
{
    struct suite suite = {0};
    unsetenv("TZ");
    unsetenv("TZDIR");
    SUITE_ROWS(&suite, zone_instant_of, civil_rows);
    SUITE_TEST(&suite, no_zone_is_utc);
    SUITE_TEST(&suite, micros_are_kept);
    SUITE_TEST(&suite, extremes_do_not_overflow);
    SUITE_ROWS(&suite, zone_agrees_with_libc, libc_rows);
    SUITE_TEST(&suite, all_zones_agree_with_libc);
    SUITE_ROWS(&suite, zone_open_refuses, bad_rows);
    SUITE_ROWS(&suite, zone_of_the_system_by_variable, variable_rows);
    SUITE_TEST(&suite, zone_of_the_system_by_localtime);
    SUITE_TEST(&suite, tzdir_is_looked_at_first);
    SUITE_TEST(&suite, utc_needs_no_database);
    return suite_run(&suite, "zone");
}
