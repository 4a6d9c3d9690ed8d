/* SPDX-License-Identifier: MIT */

/*
 * Years that do not begin in January: what their names mean, where they are cut, what they are called.
 * And periods moved along the calendar.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "support/expect.h"

static struct zone *open_zone(const char *name, int year_start)
{
    struct zone *zone = NULL;
    struct error err = {0};
    if (zone_open(name, &zone, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_int(zone_year_start(zone), 1);
    zone_start_year(zone, year_start);
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
    const char *zone;
    int year_start;
    const char *now; /* NULL: it does not matter */
    const char *from, *to;
};

static const struct span_row span_rows[] = {
    {"2025", "UTC", 1, NULL, "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"},
    {"FY2025", "UTC", 1, NULL, "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"},
    {"2025", "UTC", 2, NULL, "2024-02-01T00:00:00Z", "2025-02-01T00:00:00Z"},
    {"2025", "UTC", 7, NULL, "2024-07-01T00:00:00Z", "2025-07-01T00:00:00Z"},
    {"fy2025", "UTC", 7, NULL, "2024-07-01T00:00:00Z", "2025-07-01T00:00:00Z"},
    {"FY25", "UTC", 7, NULL, "2024-07-01T00:00:00Z", "2025-07-01T00:00:00Z"},
    {"FY17-Q2", "UTC", 10, NULL, "2017-01-01T00:00:00Z", "2017-04-01T00:00:00Z"},
    {"2025", "UTC", 12, NULL, "2024-12-01T00:00:00Z", "2025-12-01T00:00:00Z"},
    {"Jan", "UTC", 7, "2025-03-10T12:00", "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"},
    {"march", "UTC", 7, "2025-03-01T00:00", "2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z"},
    {"Apr", "UTC", 7, "2025-03-31T23:59", "2024-04-01T00:00:00Z", "2024-05-01T00:00:00Z"},
    {"now-7days", "UTC", 7, "2025-03-10T12:00", "2025-03-03T12:00:00Z", "2025-03-03T12:00:00Z"},
    {"now-90", "UTC", 7, "2025-03-10T12:00", "2025-03-10T11:58:30Z", "2025-03-10T11:58:30Z"},
    {"now-2hours", "UTC", 7, "2025-03-10T12:00", "2025-03-10T10:00:00Z",
     "2025-03-10T10:00:00Z"},
    {"2025-Q1", "UTC", 7, NULL, "2024-07-01T00:00:00Z", "2024-10-01T00:00:00Z"},
    {"2025-Q2", "UTC", 7, NULL, "2024-10-01T00:00:00Z", "2025-01-01T00:00:00Z"},
    {"FY2025-Q3", "UTC", 7, NULL, "2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"},
    {"2025-Q4", "UTC", 7, NULL, "2025-04-01T00:00:00Z", "2025-07-01T00:00:00Z"},
    {"2025-Q1", "UTC", 12, NULL, "2024-12-01T00:00:00Z", "2025-03-01T00:00:00Z"},
    {"2025-Q4", "UTC", 2, NULL, "2024-11-01T00:00:00Z", "2025-02-01T00:00:00Z"},
    /* months, weeks and days are those of the calendar */
    {"2025-03", "UTC", 7, NULL, "2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z"},
    {"2025-W01", "UTC", 7, NULL, "2024-12-30T00:00:00Z", "2025-01-06T00:00:00Z"},
    /* the last instant of a year and the first of the next */
    {"this-year", "UTC", 7, "2025-06-30T23:59:59.999999", "2024-07-01T00:00:00Z",
     "2025-07-01T00:00:00Z"},
    {"this-year", "UTC", 7, "2025-07-01T00:00", "2025-07-01T00:00:00Z", "2026-07-01T00:00:00Z"},
    {"last-year", "UTC", 7, "2025-07-01T00:00", "2024-07-01T00:00:00Z", "2025-07-01T00:00:00Z"},
    {"last-year", "UTC", 7, "2025-01-01T00:00", "2023-07-01T00:00:00Z", "2024-07-01T00:00:00Z"},
    {"this-quarter", "UTC", 12, "2025-02-28T12:00", "2024-12-01T00:00:00Z",
     "2025-03-01T00:00:00Z"},
    {"last-quarter", "UTC", 12, "2024-12-01T00:00", "2024-09-01T00:00:00Z",
     "2024-12-01T00:00:00Z"},
    /* clocks change within, and on the very day: Oslo in April, Havana's and Lord Howe's years */
    {"2025", "Europe/Oslo", 4, NULL, "2024-04-01T00:00:00+02:00", "2025-04-01T00:00:00+02:00"},
    {"2025-Q4", "Europe/Oslo", 4, NULL, "2025-01-01T00:00:00+01:00",
     "2025-04-01T00:00:00+02:00"},
    {"this-year", "Europe/Oslo", 4, "2025-03-31T22:30Z", "2025-04-01T00:00:00+02:00",
     "2026-04-01T00:00:00+02:00"},
    {"2009", "America/Sao_Paulo", 11, NULL, "2008-11-01T00:00:00-02:00",
     "2009-11-01T00:00:00-02:00"},
    {"2025", "Australia/Lord_Howe", 7, NULL, "2024-07-01T00:00:00+10:30",
     "2025-07-01T00:00:00+10:30"},
};

static void a_fiscal_year_is_named_after_the_one_it_ends_in(void **state)
{
    const struct span_row *row = *state;
    struct zone *zone = open_zone(row->zone, row->year_start);
    struct period now = {0}, got = {0};
    struct error err = {0};
    if (row->now && calendar_span(str_of(row->now), zone, 0, &now, &err) != 0) {
        expect_fail("%s", err.text);
    }
    if (calendar_span(str_of(row->name), zone, now.from, &got, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_period(zone, got, row->from, row->to);
    zone_close(zone);
}

static void fiscal_names_that_mean_nothing_are_refused(void **state)
{
    static const char *const texts[] = {"FY",        "F2025",     "FY5",       "FY2025-",
                                        "FY2025-03", "FY2025-W1", "FY2025-Q5", "FY1970",
                                        "1970",      "FY2261",    "FY2025Q1"};
    (void)state;
    struct zone *zone = open_zone("UTC", 7);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct period got;
        struct error err = {0};
        expect_int(calendar_span(str_of(texts[i]), zone, 0, &got, &err), ERROR_USAGE);
        expect_contains(err.text, texts[i]);
    }
    zone_close(zone);
}

static void a_fiscal_year_that_nobody_defined_is_refused(void **state)
{
    (void)state;
    struct zone *zone = NULL;
    struct period got;
    struct error err = {0};
    expect_int(zone_open("UTC", &zone, &err), 0);
    expect_int(zone_fiscal_month(zone), 0);
    expect_int(calendar_span(STR("FY2017"), zone, 0, &got, &err), ERROR_USAGE);
    expect_contains(err.text, "--year-starts MONTH, or year_starts = MONTH in [site]");
    expect_int(calendar_span(STR("FY17-Q3"), zone, 0, &got, &err), ERROR_USAGE);
    zone_start_year(zone, 1); /* somebody says that it is the calendar's */
    expect_int(calendar_span(STR("FY2017"), zone, 0, &got, &err), 0);
    expect_period(zone, got, "2017-01-01T00:00:00Z", "2018-01-01T00:00:00Z");
    zone_close(zone);
}

struct edges_row {
    const char *name;
    const char *zone;
    int year_start;
    const char *from, *to;
    enum bucket bucket;
    const char *want; /* label=hours of each bucket */
};

static const struct edges_row edges_rows[] = {
    {"years", "UTC", 7, "2023-06-30", "2025-07-01", BUCKET_YEAR,
     "FY2023=8760 FY2024=8784 FY2025=8760 FY2026=8760"},
    {"quarters", "UTC", 10, "2024-09-30", "2025-04-01", BUCKET_QUARTER,
     "FY2024-Q4=2208 FY2025-Q1=2208 FY2025-Q2=2160 FY2025-Q3=2184"},
    {"quarters of a zone with clock changes", "Europe/Oslo", 4, "2024-12-31", "2025-04-01",
     BUCKET_QUARTER, "FY2025-Q3=2209 FY2025-Q4=2159 FY2026-Q1=2184"},
    {"quarters over new year", "Europe/Oslo", 12, "2024-12-31", "2025-03-01", BUCKET_QUARTER,
     "FY2025-Q1=2160 FY2025-Q2=2207"},
    {"a year of half an hour's clock change", "Australia/Lord_Howe", 4, "2025-04-01",
     "2025-04-01", BUCKET_YEAR, "FY2026=8760"},
    {"years from January are plain", "UTC", 1, "2024-12-31", "2025-01-01", BUCKET_YEAR,
     "2024=8784 2025=8760"},
    {"months are the calendar's", "UTC", 7, "2025-06-30", "2025-07-01", BUCKET_MONTH,
     "2025-06=720 2025-07=744"},
};

static void fiscal_edges_and_labels(void **state)
{
    const struct edges_row *row = *state;
    struct zone *zone = open_zone(row->zone, row->year_start);
    struct period period = {0};
    struct error err = {0};
    struct buf got;
    int64_t *edges = NULL;
    size_t count = 0;
    buf_init(&got, 10000);
    if (calendar_period(str_of(row->from), str_of(row->to), zone, 0, &period, &err) != 0 ||
        calendar_edges(period, row->bucket, zone, &edges, &count, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < count; i++) {
        char label[BUCKET_LABEL_MAX];
        struct period back = {0};
        calendar_label(edges[i], row->bucket, zone, label);
        buf_addf(&got, "%s%s=%g", i > 0 ? " " : "", label,
                 (double)(edges[i + 1] - edges[i]) / (double)HOUR_US);
        expect_int(calendar_span(str_of(label), zone, 0, &back, &err), 0); /* and back again */
        expect_true(back.from == edges[i] && back.to == edges[i + 1]);
    }
    expect_text(got.ptr, row->want);
    buf_release(&got);
    free(edges);
    zone_close(zone);
}

struct shift_row {
    const char *name;
    const char *zone;
    const char *from, *to;
    struct period (*shift)(struct period period, const struct zone *zone);
    const char *want_from, *want_to;
};

static const struct shift_row shift_rows[] = {
    {"before a month comes a month", "UTC", "2025-03", "2025-03", calendar_before,
     "2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"},
    {"before a quarter a quarter", "UTC", "2025-Q1", "2025-Q1", calendar_before,
     "2024-10-01T00:00:00Z", "2025-01-01T00:00:00Z"},
    {"before a leap year a plain one", "UTC", "2024", "2024", calendar_before,
     "2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z"},
    {"before days as many days", "UTC", "2025-03-03", "2025-03-09", calendar_before,
     "2025-02-24T00:00:00Z", "2025-03-03T00:00:00Z"},
    {"before a day of 23 hours one of 24", "Europe/Oslo", "2025-03-30", "2025-03-30",
     calendar_before, "2025-03-29T00:00:00+01:00", "2025-03-30T00:00:00+01:00"},
    {"before a day of 24 hours one of 25", "Europe/Oslo", "2025-10-27", "2025-10-27",
     calendar_before, "2025-10-26T00:00:00+02:00", "2025-10-27T00:00:00+01:00"},
    {"before hours as much time", "UTC", "2025-03-01T12:00", "2025-03-01T18:00",
     calendar_before, "2025-03-01T06:00:00Z", "2025-03-01T12:00:00Z"},
    {"a month a year ago", "Europe/Oslo", "2025-03", "2025-03", calendar_year_before,
     "2024-03-01T00:00:00+01:00", "2024-04-01T00:00:00+02:00"},
    {"a leap day", "UTC", "2024-02-29", "2024-02-29", calendar_year_before,
     "2023-02-28T00:00:00Z", "2023-03-01T00:00:00Z"},
    {"up to the day before it", "UTC", "2024-02-01", "2024-02-28", calendar_year_before,
     "2023-02-01T00:00:00Z", "2023-03-01T00:00:00Z"},
    {"a leap year", "UTC", "2024", "2024", calendar_year_before, "2023-01-01T00:00:00Z",
     "2024-01-01T00:00:00Z"},
    {"the year after a leap year", "UTC", "2025-02", "2025-02", calendar_year_before,
     "2024-02-01T00:00:00Z", "2024-02-29T00:00:00Z"},
    {"an instant a year ago, in winter time then", "Europe/Oslo", "2025-03-30T12:00",
     "2025-03-31T12:00", calendar_year_before, "2024-03-30T12:00:00+01:00",
     "2024-03-31T12:00:00+02:00"},
};

static void a_period_is_moved_along_the_calendar(void **state)
{
    const struct shift_row *row = *state;
    struct zone *zone = open_zone(row->zone, 1);
    struct period period = {0};
    struct error err = {0};
    if (calendar_period(str_of(row->from), str_of(row->to), zone, 0, &period, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_period(zone, row->shift(period, zone), row->want_from, row->want_to);
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_fiscal_year_is_named_after_the_one_it_ends_in, span_rows);
    SUITE_TEST(&suite, fiscal_names_that_mean_nothing_are_refused);
    SUITE_TEST(&suite, a_fiscal_year_that_nobody_defined_is_refused);
    SUITE_ROWS(&suite, fiscal_edges_and_labels, edges_rows);
    SUITE_ROWS(&suite, a_period_is_moved_along_the_calendar, shift_rows);
    return suite_run(&suite, "fiscal");
}
