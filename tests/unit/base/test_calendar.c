/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

#include <stdlib.h>

#include "support/expect.h"

/* All is read in Oslo, at 14:30:15.5 on Wednesday 12 March 2025. */
static const struct civil now_civil = {2025, 3, 12, 14, 30, 15, 500000};

static struct zone *open_zone(const char *name)
{
    struct zone *zone = NULL;
    struct error err = {0};
    if (zone_open(name, &zone, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return zone;
}

static void expect_period(const struct zone *zone, struct period got, const char *from,
                          const char *to)
{
    char text[INSTANT_TEXT_MAX];
    expect_text(zone_print(zone, got.from, text), from);
    expect_text(zone_print(zone, got.to, text), to);
}

struct span_row {
    const char *name; /* also the text */
    const char *from;
    const char *to; /* NULL: an instant */
};

static const struct span_row span_rows[] = {
    {"2024", "2024-01-01T00:00:00+01:00", "2025-01-01T00:00:00+01:00"},
    {"1970", "1970-01-01T00:00:00+01:00", "1971-01-01T00:00:00+01:00"},
    {"2260", "2260-01-01T00:00:00+01:00", "2261-01-01T00:00:00+01:00"},
    {"2025-Q1", "2025-01-01T00:00:00+01:00", "2025-04-01T00:00:00+02:00"},
    {"2025-q4", "2025-10-01T00:00:00+02:00", "2026-01-01T00:00:00+01:00"},
    {"2025-03", "2025-03-01T00:00:00+01:00", "2025-04-01T00:00:00+02:00"},
    {"2024-12", "2024-12-01T00:00:00+01:00", "2025-01-01T00:00:00+01:00"},
    {"2024-02", "2024-02-01T00:00:00+01:00", "2024-03-01T00:00:00+01:00"},
    {"2025-W07", "2025-02-10T00:00:00+01:00", "2025-02-17T00:00:00+01:00"},
    {"2025-W01", "2024-12-30T00:00:00+01:00", "2025-01-06T00:00:00+01:00"},
    {"2020-W53", "2020-12-28T00:00:00+01:00", "2021-01-04T00:00:00+01:00"},
    {"2026-w53", "2026-12-28T00:00:00+01:00", "2027-01-04T00:00:00+01:00"},
    {"2021-W01", "2021-01-04T00:00:00+01:00", "2021-01-11T00:00:00+01:00"},
    {"2022-W01", "2022-01-03T00:00:00+01:00", "2022-01-10T00:00:00+01:00"},
    {"march", "2025-03-01T00:00:00+01:00", "2025-04-01T00:00:00+02:00"},
    {"Apr", "2024-04-01T00:00:00+02:00", "2024-05-01T00:00:00+02:00"},
    {"FEBRUARY", "2025-02-01T00:00:00+01:00", "2025-03-01T00:00:00+01:00"},
    {"now-90", "2025-03-12T14:28:45.500000+01:00", NULL},
    {"now-2h", "2025-03-12T12:30:15.500000+01:00", NULL},
    {"now-30min", "2025-03-12T14:00:15.500000+01:00", NULL},
    {"now-7days", "2025-03-05T14:30:15.500000+01:00", NULL},
    {"now-1week", "2025-03-05T14:30:15.500000+01:00", NULL},
    {"2025-03-01", "2025-03-01T00:00:00+01:00", "2025-03-02T00:00:00+01:00"},
    {"2024-02-29", "2024-02-29T00:00:00+01:00", "2024-03-01T00:00:00+01:00"},
    {"2025-12-31", "2025-12-31T00:00:00+01:00", "2026-01-01T00:00:00+01:00"},
    /* Days of 23 and of 25 hours. */
    {"2025-03-30", "2025-03-30T00:00:00+01:00", "2025-03-31T00:00:00+02:00"},
    {"2025-10-26", "2025-10-26T00:00:00+02:00", "2025-10-27T00:00:00+01:00"},
    {"2025-03-01T12:00", "2025-03-01T12:00:00+01:00", NULL},
    {"2025-03-01t12:00:30", "2025-03-01T12:00:30+01:00", NULL},
    {"2025-03-01T12:00:30.5", "2025-03-01T12:00:30.500000+01:00", NULL},
    {"2025-03-01T12:00:30.1234567", "2025-03-01T12:00:30.123456+01:00", NULL},
    {"2025-03-01 12:00", "2025-03-01T12:00:00+01:00", NULL},
    {"2025-03-01T12:00Z", "2025-03-01T13:00:00+01:00", NULL},
    {"2025-03-01T12:00:00.25Z", "2025-03-01T13:00:00.250000+01:00", NULL},
    {"2025-03-01T12:00+05:30", "2025-03-01T07:30:00+01:00", NULL},
    {"2025-03-01T12:00-0800", "2025-03-01T21:00:00+01:00", NULL},
    {"2025-03-01 12:00:00+01", "2025-03-01T12:00:00+01:00", NULL},
    {"2025-03-30T02:30", "2025-03-30T03:00:00+02:00", NULL},
    {"2025-10-26T02:30", "2025-10-26T02:30:00+02:00", NULL},
    {"2025-10-26T02:30+01:00", "2025-10-26T02:30:00+01:00", NULL},
    {"@1700000000", "2023-11-14T23:13:20+01:00", NULL},
    {"@1700000000.5", "2023-11-14T23:13:20.500000+01:00", NULL},
    {"@0", "1970-01-01T01:00:00+01:00", NULL},
    {"now", "2025-03-12T14:30:15.500000+01:00", NULL},
    {"NOW", "2025-03-12T14:30:15.500000+01:00", NULL},
    {" today ", "2025-03-12T00:00:00+01:00", "2025-03-13T00:00:00+01:00"},
    {"yesterday", "2025-03-11T00:00:00+01:00", "2025-03-12T00:00:00+01:00"},
    {"this-week", "2025-03-10T00:00:00+01:00", "2025-03-17T00:00:00+01:00"},
    {"last-week", "2025-03-03T00:00:00+01:00", "2025-03-10T00:00:00+01:00"},
    {"this-month", "2025-03-01T00:00:00+01:00", "2025-04-01T00:00:00+02:00"},
    {"last-month", "2025-02-01T00:00:00+01:00", "2025-03-01T00:00:00+01:00"},
    {"Last-Month", "2025-02-01T00:00:00+01:00", "2025-03-01T00:00:00+01:00"},
    {"this-quarter", "2025-01-01T00:00:00+01:00", "2025-04-01T00:00:00+02:00"},
    {"last-quarter", "2024-10-01T00:00:00+02:00", "2025-01-01T00:00:00+01:00"},
    {"this-year", "2025-01-01T00:00:00+01:00", "2026-01-01T00:00:00+01:00"},
    {"last-year", "2024-01-01T00:00:00+01:00", "2025-01-01T00:00:00+01:00"},
    {"90m", "2025-03-12T13:00:15.500000+01:00", NULL},
    {"6h", "2025-03-12T08:30:15.500000+01:00", NULL},
    {"0d", "2025-03-12T00:00:00+01:00", NULL},
    {"7d", "2025-03-05T00:00:00+01:00", NULL},
    {"4w", "2025-02-12T00:00:00+01:00", NULL},
    {"365D", "2024-03-12T00:00:00+01:00", NULL},
    {"150d", "2024-10-13T00:00:00+02:00", NULL},
};

static void calendar_span_reads(void **state)
{
    const struct span_row *row = *state;
    struct zone *zone = open_zone("Europe/Oslo");
    struct period got = {0};
    struct error err = {0};
    int64_t now = zone_instant(zone, now_civil);
    if (calendar_span(str_of(row->name), zone, now, &got, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_period(zone, got, row->from, row->to ? row->to : row->from);
    zone_close(zone);
}

struct bad_row {
    const char *name; /* also the text */
    const char *said;
};

#define HOW "write a date like 2025-03-01, a month 2025-03, 7d, or last-month"

static const struct bad_row bad_rows[] = {
    {"foo", "cannot read period 'foo': " HOW},
    {"", "cannot read period '': " HOW},
    {"20", HOW},
    {"20250301", HOW},
    {"2025-3-1", HOW},
    {"2025-03-1", HOW},
    {"2025-", HOW},
    {"2025/03/01", HOW},
    {"01.03.2025", HOW},
    {"-7d", HOW},
    {"7", HOW},
    {"7y", HOW},
    {"7.5d", HOW},
    {"d", HOW},
    {"last-day", HOW},
    {"last month", HOW},
    {"@", HOW},
    {"@x", HOW},
    {"2025-Q", HOW},
    {"2025-Q12", HOW},
    {"2025-W7", HOW},
    {"2025-W071", HOW},
    {"2025-03-01x", HOW},
    {"2025-03-01T", HOW},
    {"2025-03-01T12", HOW},
    {"2025-03-01T12:0", HOW},
    {"2025-03-01T12:00:", HOW},
    {"2025-03-01T12:00:00.", HOW},
    {"2025-03-01T24:00", HOW},
    {"2025-03-01T12:60", HOW},
    {"2025-03-01T12:00:60", HOW},
    {"2025-03-01T12:00+", HOW},
    {"2025-03-01T12:00+1", HOW},
    {"2025-03-01T12:00+01:", HOW},
    {"2025-03-01T12:00+24:00", HOW},
    {"2025-03-01T12:00Z+01:00", HOW},
    {"2025-03-01T12:00 UTC", HOW},
    {"2025-00", "cannot read period '2025-00': months are 01 to 12"},
    {"2025-13-01", "months are 01 to 12"},
    {"2025-02-29", "cannot read period '2025-02-29': the days of 2025-02 are 01 to 28"},
    {"2024-02-30", "the days of 2024-02 are 01 to 29"},
    {"2025-04-31T00:00", "the days of 2025-04 are 01 to 30"},
    {"2025-03-00", "the days of 2025-03 are 01 to 31"},
    {"2025-Q0", "quarters are Q1 to Q4"},
    {"2025-Q5", "quarters are Q1 to Q4"},
    {"2025-W53", "cannot read period '2025-W53': the weeks of 2025 are W01 to W52"},
    {"2020-W54", "the weeks of 2020 are W01 to W53"},
    {"now-7dayz", "cannot read period 'now-7dayz'"},
    {"now-", "cannot read period 'now-'"},
    {"2025-W00", "the weeks of 2025 are W01 to W52"},
    {"1969", "years are 1970 to 2260"},
    {"2261", "years are 1970 to 2260"},
    {"9999-12-31", "years are 1970 to 2260"},
    {"@-100000", "not in the years 1970 to 2260"},
    {"@9200000001", "not in the years 1970 to 2260"},
    {"@1700000000000", "not in the years 1970 to 2260"},
    {"30000d", "not in the years 1970 to 2260"},
    {"99999999w", "not in the years 1970 to 2260"},
    {"999999999999h", "not in the years 1970 to 2260"},
};

static void calendar_span_refuses(void **state)
{
    const struct bad_row *row = *state;
    struct zone *zone = open_zone("Europe/Oslo");
    struct period got = {1, 2};
    struct error err = {0};
    int64_t now = zone_instant(zone, now_civil);
    expect_int(calendar_span(str_of(row->name), zone, now, &got, &err), ERROR_USAGE);
    expect_contains(err.text, row->said);
    expect_int(got.from, 1);
    expect_int(got.to, 2);
    zone_close(zone);
}

static void a_long_text_is_not_repeated_whole(void **state)
{
    (void)state;
    struct zone *zone = open_zone("UTC");
    struct period got;
    struct error err = {0};
    char text[10000];
    memset(text, 'x', sizeof(text));
    expect_int(calendar_span((struct str){text, sizeof(text)}, zone, 0, &got, &err),
               ERROR_USAGE);
    expect_contains(err.text, "xxx': write a date");
    zone_close(zone);
}

struct period_row {
    const char *name;
    const char *from, *to;
    const char *start, *end;
};

#define NOW "2025-03-12T14:30:15.500000+01:00"

static const struct period_row period_rows[] = {
    {"dates include both ends", "2025-03-01", "2025-03-31", "2025-03-01T00:00:00+01:00",
     "2025-04-01T00:00:00+02:00"},
    {"one day", "2025-03-01", "2025-03-01", "2025-03-01T00:00:00+01:00",
     "2025-03-02T00:00:00+01:00"},
    {"months include both ends", "2025-01", "2025-02", "2025-01-01T00:00:00+01:00",
     "2025-03-01T00:00:00+01:00"},
    {"a time is the instant", "2025-03-01T12:00", "2025-03-01T13:00",
     "2025-03-01T12:00:00+01:00", "2025-03-01T13:00:00+01:00"},
    {"time to date", "2025-03-01T12:00", "2025-03-01", "2025-03-01T12:00:00+01:00",
     "2025-03-02T00:00:00+01:00"},
    {"year to date", "2024", "2024-06-30", "2024-01-01T00:00:00+01:00",
     "2024-07-01T00:00:00+02:00"},
    {"to yesterday", "7d", "yesterday", "2025-03-05T00:00:00+01:00",
     "2025-03-12T00:00:00+01:00"},
    {"to now", "yesterday", "now", "2025-03-11T00:00:00+01:00", NOW},
    {"to today", "2025-03-10", "today", "2025-03-10T00:00:00+01:00",
     "2025-03-13T00:00:00+01:00"},
    {"nothing: 30 days to now", "", "", "2025-02-10T14:30:15.500000+01:00", NOW},
    {"blanks are nothing", "  ", " ", "2025-02-10T14:30:15.500000+01:00", NOW},
    {"30 days before a date's end", "", "2025-01-31", "2025-01-02T00:00:00+01:00",
     "2025-02-01T00:00:00+01:00"},
    {"30 days over a clock change", "", "2025-04-10T12:00", "2025-03-11T12:00:00+01:00",
     "2025-04-10T12:00:00+02:00"},
    {"from a date to now", "2025-03-01", "", "2025-03-01T00:00:00+01:00", NOW},
    {"from a time to now", "2025-03-01T12:00", "", "2025-03-01T12:00:00+01:00", NOW},
    {"from today to now", "today", "", "2025-03-12T00:00:00+01:00", NOW},
    {"from yesterday to now", "yesterday", "", "2025-03-11T00:00:00+01:00", NOW},
    {"from 7d to now", "7d", "", "2025-03-05T00:00:00+01:00", NOW},
    {"from 6h to now", "6h", "", "2025-03-12T08:30:15.500000+01:00", NOW},
    {"from @ to now", "@1741000000", "", "2025-03-03T12:06:40+01:00", NOW},
    {"a year is its own end", "2024", "", "2024-01-01T00:00:00+01:00",
     "2025-01-01T00:00:00+01:00"},
    {"a month is its own end", "2025-02", "", "2025-02-01T00:00:00+01:00",
     "2025-03-01T00:00:00+01:00"},
    {"a quarter is its own end", "2024-Q4", "", "2024-10-01T00:00:00+02:00",
     "2025-01-01T00:00:00+01:00"},
    {"a week is its own end", "2025-W07", "", "2025-02-10T00:00:00+01:00",
     "2025-02-17T00:00:00+01:00"},
    {"last-month is its own end", "last-month", "", "2025-02-01T00:00:00+01:00",
     "2025-03-01T00:00:00+01:00"},
    {"this-month ends in the future", "this-month", "", "2025-03-01T00:00:00+01:00",
     "2025-04-01T00:00:00+02:00"},
    {"a month to come", "2025-12", "", "2025-12-01T00:00:00+01:00",
     "2026-01-01T00:00:00+01:00"},
};

static void calendar_period_is(void **state)
{
    const struct period_row *row = *state;
    struct zone *zone = open_zone("Europe/Oslo");
    struct period got = {0};
    struct error err = {0};
    int64_t now = zone_instant(zone, now_civil);
    if (calendar_period(str_of(row->from), str_of(row->to), zone, now, &got, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_period(zone, got, row->start, row->end);
    zone_close(zone);
}

struct bad_period_row {
    const char *name;
    const char *from, *to;
    const char *said;
};

static const struct bad_period_row bad_period_rows[] = {
    {"reversed", "2025-04-01", "2025-03-01",
     "the period is empty: it begins with '2025-04-01' (2025-04-01T00:00:00+02:00) and ends "
     "with "
     "'2025-03-01' (2025-03-02T00:00:00+01:00): write the earlier one first"},
    {"one instant", "2025-03-01T12:00", "2025-03-01T12:00", "write the earlier one first"},
    {"ends as it begins", "2025-03-02", "2025-03-01", "write the earlier one first"},
    {"from now to now", "now", "", "write an earlier start, or an end after it"},
    {"from a day to come", "2025-03-13", "",
     "the period is empty: '2025-03-13' begins at 2025-03-13T00:00:00+01:00 and it is "
     "2025-03-12T14:30:15.500000+01:00 now"},
    {"bad from", "foo", "2025", "cannot read period 'foo'"},
    {"bad to", "2025", "bar", "cannot read period 'bar'"},
};

static void calendar_period_refuses(void **state)
{
    const struct bad_period_row *row = *state;
    struct zone *zone = open_zone("Europe/Oslo");
    struct period got = {1, 2};
    struct error err = {0};
    int64_t now = zone_instant(zone, now_civil);
    expect_int(calendar_period(str_of(row->from), str_of(row->to), zone, now, &got, &err),
               ERROR_USAGE);
    expect_contains(err.text, row->said);
    expect_int(got.from, 1);
    zone_close(zone);
}

/* Every beginning of long forms, in memory of its own. */
static void calendar_span_never_reads_beyond(void **state)
{
    (void)state;
    static const char *const texts[] = {"2025-03-01T12:00:30.123456+01:00",
                                        "2025-W07",
                                        "2025-Q3",
                                        "@1700000000.25",
                                        "this-quarter",
                                        "120d"};
    struct zone *zone = open_zone("UTC");
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        for (size_t len = 0; len <= strlen(texts[t]); len++) {
            char *copy = malloc(len > 0 ? len : 1);
            memcpy(copy, texts[t], len);
            struct period got;
            (void)!calendar_span((struct str){copy, len}, zone, DAY_US * 20000, &got, NULL);
            free(copy);
        }
    }
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, calendar_span_reads, span_rows);
    SUITE_ROWS(&suite, calendar_span_refuses, bad_rows);
    SUITE_TEST(&suite, a_long_text_is_not_repeated_whole);
    SUITE_ROWS(&suite, calendar_period_is, period_rows);
    SUITE_ROWS(&suite, calendar_period_refuses, bad_period_rows);
    SUITE_TEST(&suite, calendar_span_never_reads_beyond);
    return suite_run(&suite, "calendar");
}
