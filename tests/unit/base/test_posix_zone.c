/* SPDX-License-Identifier: MIT */
#include "base/posix_zone.h"

#include <stdlib.h>

#include "base/civil.h"
#include "support/expect.h"

struct parse_row {
    const char *name;
    const char *text;
    bool valid;
    int32_t standard_s;
    int32_t summer_s; /* 0 if there is none */
};

static const struct parse_row parse_rows[] = {
    {"utc", "UTC0", true, 0, 0},
    {"west", "EST5", true, -18000, 0},
    {"minutes", "IST-5:30", true, 19800, 0},
    {"seconds", "LMT+0:01:15", true, -75, 0},
    {"quoted name", "<+0330>-3:30", true, 12600, 0},
    {"europe", "CET-1CEST,M3.5.0,M10.5.0/3", true, 3600, 7200},
    {"america", "EST5EDT,M3.2.0,M11.1.0", true, -18000, -14400},
    {"half an hour of summer", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", true, 37800, 39600},
    {"ireland's negative summer", "IST-1GMT0,M10.5.0,M3.5.0/1", true, 3600, 0},
    {"negative time", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", true, -7200, -3600},
    {"time of 167 hours", "AAA3BBB,M3.5.0/167,M10.5.0/-167", true, -10800, -7200},
    {"days of the year", "AAA3BBB,J60/1:30,300", true, -10800, -7200},
    {"empty", "", false, 0, 0},
    {"no offset", "CET", false, 0, 0},
    {"short name", "CE-1", false, 0, 0},
    {"short quoted name", "<+1>-1", false, 0, 0},
    {"quote left open", "<+0330-3:30", false, 0, 0},
    {"summer without days", "EST5EDT", false, 0, 0},
    {"one change", "EST5EDT,M3.2.0", false, 0, 0},
    {"month 13", "EST5EDT,M13.2.0,M11.1.0", false, 0, 0},
    {"month 0", "EST5EDT,M0.2.0,M11.1.0", false, 0, 0},
    {"week 0", "EST5EDT,M3.0.0,M11.1.0", false, 0, 0},
    {"week 6", "EST5EDT,M3.6.0,M11.1.0", false, 0, 0},
    {"weekday 7", "EST5EDT,M3.2.7,M11.1.0", false, 0, 0},
    {"julian 0", "EST5EDT,J0,J300", false, 0, 0},
    {"day 366", "EST5EDT,366,J300", false, 0, 0},
    {"offset of 25 hours", "EST25", false, 0, 0},
    {"offset of a billion", "EST99999999999999999999", false, 0, 0},
    {"time of 168 hours", "AAA3BBB,M3.5.0/168,M10.5.0", false, 0, 0},
    {"60 minutes", "EST5:60", false, 0, 0},
    {"rubbish after", "UTC0 ", false, 0, 0},
    {"a name of the database", "Europe/Oslo", false, 0, 0},
};

static void posix_zone_parse_reads(void **state)
{
    const struct parse_row *row = *state;
    struct posix_zone zone = {0};
    expect_int(posix_zone_parse(str_of(row->text), &zone), row->valid);
    expect_int(zone.standard_s, row->standard_s);
    expect_int(zone.has_summer ? zone.summer_s : 0, row->summer_s);
}

/* Every beginning of a rule, in memory of its own. */
static void posix_zone_parse_never_reads_beyond(void **state)
{
    (void)state;
    static const char *const rules[] = {"<+1030>-10:30:00<+11>-11:00:00,M10.1.0/2:30,M4.1.0/3",
                                        "AAA3BBB,J60/1:30,300/-2"};
    for (size_t r = 0; r < 2; r++) {
        for (size_t len = 0; len <= strlen(rules[r]); len++) {
            char *copy = malloc(len + 1);
            copy = realloc(copy, len > 0 ? len : 1);
            memcpy(copy, rules[r], len);
            struct posix_zone zone;
            (void)posix_zone_parse((struct str){copy, len}, &zone);
            free(copy);
        }
    }
}

static int64_t utc(int year, int month, int day, int hour, int minute)
{
    return civil_days(year, month, day) * 86400 + hour * 3600 + minute * 60;
}

static void expect_changes(const char *rule, int year, int64_t to_summer, int64_t to_standard)
{
    struct posix_zone zone;
    int64_t got_summer = 0;
    int64_t got_standard = 0;
    expect_true(posix_zone_parse(str_of(rule), &zone));
    posix_zone_changes(&zone, year, &got_summer, &got_standard);
    expect_int(got_summer, to_summer);
    expect_int(got_standard, to_standard);
}

static void changes_of_weekdays(void **state)
{
    (void)state;
    expect_changes("CET-1CEST,M3.5.0,M10.5.0/3", 2025, utc(2025, 3, 30, 1, 0),
                   utc(2025, 10, 26, 1, 0));
    expect_changes("EST5EDT,M3.2.0,M11.1.0", 2025, utc(2025, 3, 9, 7, 0),
                   utc(2025, 11, 2, 6, 0));
    expect_changes("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2025, utc(2025, 10, 4, 15, 30),
                   utc(2025, 4, 5, 15, 0));
    /* The first Sunday may be the month's first day, the fifth is its last. */
    expect_changes("UTC0UTX,M6.1.0/0,M8.5.0/1", 2025, utc(2025, 6, 1, 0, 0),
                   utc(2025, 8, 31, 0, 0));
}

static void changes_of_days_of_the_year(void **state)
{
    (void)state;
    /* J60 is 1 March in every year; 59 is 29 February in a leap year. */
    expect_changes("UTC0UTX,J60/0,J365/1", 2024, utc(2024, 3, 1, 0, 0),
                   utc(2024, 12, 31, 0, 0));
    expect_changes("UTC0UTX,J60/0,J365/1", 2025, utc(2025, 3, 1, 0, 0),
                   utc(2025, 12, 31, 0, 0));
    expect_changes("UTC0UTX,59/0,365/1", 2024, utc(2024, 2, 29, 0, 0), utc(2024, 12, 31, 0, 0));
    expect_changes("UTC0UTX,59/0,0/1", 2025, utc(2025, 3, 1, 0, 0), utc(2025, 1, 1, 0, 0));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, posix_zone_parse_reads, parse_rows);
    SUITE_TEST(&suite, posix_zone_parse_never_reads_beyond);
    SUITE_TEST(&suite, changes_of_weekdays);
    SUITE_TEST(&suite, changes_of_days_of_the_year);
    return suite_run(&suite, "posix_zone");
}
