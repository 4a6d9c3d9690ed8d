/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/limit.h"
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

static struct period period_of(const char *from, const char *to, const struct zone *zone)
{
    struct period period = {0};
    struct error err = {0};
    if (calendar_period(str_of(from), str_of(to), zone, 0, &period, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return period;
}

/* What is true of all edges: they ascend and cover the period, the outer ones just so. */
static void expect_cover(const int64_t *edges, size_t count, struct period period)
{
    expect_true(count >= 1);
    expect_true(edges[0] <= period.from && edges[1] > period.from);
    expect_true(edges[count] >= period.to && edges[count - 1] < period.to);
    for (size_t i = 0; i < count; i++) {
        expect_true(edges[i] < edges[i + 1]);
    }
}

struct edges_row {
    const char *name;
    const char *zone;
    const char *from, *to;
    enum bucket bucket;
    const char *want; /* label=hours of each bucket */
};

static const struct edges_row edges_rows[] = {
    {"days of March's clock change", "Europe/Oslo", "2025-03-29", "2025-03-31", BUCKET_DAY,
     "2025-03-29=24 2025-03-30=23 2025-03-31=24"},
    {"days of October's clock change", "Europe/Oslo", "2025-10-25", "2025-10-27", BUCKET_DAY,
     "2025-10-25=24 2025-10-26=25 2025-10-27=24"},
    {"days of lord howe", "Australia/Lord_Howe", "2025-04-06", "2025-04-06", BUCKET_DAY,
     "2025-04-06=24.5"},
    {"an instant inside a day", "UTC", "2025-03-01T12:00", "2025-03-01T13:00", BUCKET_DAY,
     "2025-03-01=24"},
    {"to a midnight", "UTC", "2025-03-01T12:00", "2025-03-02T00:00", BUCKET_DAY,
     "2025-03-01=24"},
    {"leap day", "UTC", "2024-02-28", "2024-03-01", BUCKET_DAY,
     "2024-02-28=24 2024-02-29=24 2024-03-01=24"},
    {"midnight that is skipped", "America/Sao_Paulo", "2018-11-03", "2018-11-04", BUCKET_DAY,
     "2018-11-03=24 2018-11-04=23"},
    {"midnight that comes twice", "America/Havana", "2024-11-02", "2024-11-04", BUCKET_DAY,
     "2024-11-02=24 2024-11-03=25 2024-11-04=24"},
    {"a day that is skipped", "Pacific/Apia", "2011-12-29", "2011-12-31", BUCKET_DAY,
     "2011-12-29=24 2011-12-31=24"},
    {"weeks from Monday", "Europe/Oslo", "2025-02-26", "2025-03-10", BUCKET_WEEK,
     "2025-W09=168 2025-W10=168 2025-W11=168"},
    {"week of the clock change", "Europe/Oslo", "2025-03-26", "2025-03-26", BUCKET_WEEK,
     "2025-W13=167"},
    {"week 53", "UTC", "2020-12-27", "2021-01-04", BUCKET_WEEK,
     "2020-W52=168 2020-W53=168 2021-W01=168"},
    {"week 1 in the old year", "UTC", "2024-12-30", "2024-12-30", BUCKET_WEEK, "2025-W01=168"},
    {"months", "Europe/Oslo", "2025-01-15", "2025-03-15", BUCKET_MONTH,
     "2025-01=744 2025-02=672 2025-03=743"},
    {"february of a leap year", "UTC", "2024-02", "2024-02", BUCKET_MONTH, "2024-02=696"},
    {"quarters", "Europe/Oslo", "2024-12-31", "2025-04-01", BUCKET_QUARTER,
     "2024-Q4=2209 2025-Q1=2159 2025-Q2=2184"},
    {"years", "UTC", "2023-06-01", "2025-01-01", BUCKET_YEAR, "2023=8760 2024=8784 2025=8760"},
    {"hours", "UTC", "2025-03-01T12:30", "2025-03-01T14:00", BUCKET_HOUR,
     "2025-03-01T12:00=1 2025-03-01T13:00=1"},
    {"hours of a half hour zone", "Asia/Kolkata", "2025-03-01T12:30", "2025-03-01T13:10",
     BUCKET_HOUR, "2025-03-01T12:00=1 2025-03-01T13:00=1"},
    {"hours over a gap", "Europe/Oslo", "2025-03-30T01:00", "2025-03-30T04:00", BUCKET_HOUR,
     "2025-03-30T01:00=1 2025-03-30T03:00=1"},
    {"hours that come twice", "Europe/Oslo", "2025-10-26T01:00", "2025-10-26T04:00",
     BUCKET_HOUR,
     "2025-10-26T01:00=1 2025-10-26T02:00+02:00=1 2025-10-26T02:00+01:00=1 "
     "2025-10-26T03:00=1"},
    {"half an hour forward", "Australia/Lord_Howe", "2025-10-05T01:00", "2025-10-05T04:00",
     BUCKET_HOUR, "2025-10-05T01:00=1 2025-10-05T02:30=0.5 2025-10-05T03:00=1"},
    {"half an hour back", "Australia/Lord_Howe", "2025-04-06T01:00", "2025-04-06T03:00",
     BUCKET_HOUR, "2025-04-06T01:00=1 2025-04-06T01:30+10:30=0.5 2025-04-06T02:00=1"},
    {"from inside the half hour", "Australia/Lord_Howe", "2025-04-06T01:45:00.5+10:30",
     "2025-04-06T01:50+10:30", BUCKET_HOUR, "2025-04-06T01:30+10:30=0.5"},
    {"from just after the change", "Australia/Lord_Howe", "2025-04-06T01:30:00.000001+10:30",
     "2025-04-06T01:50+10:30", BUCKET_HOUR, "2025-04-06T01:30+10:30=0.5"},
    {"hours of 1970", "Europe/Oslo", "1970-01-01T00:30", "1970-01-01T01:30", BUCKET_HOUR,
     "1970-01-01T00:00=1 1970-01-01T01:00=1"},
};

static void calendar_edges_and_labels(void **state)
{
    const struct edges_row *row = *state;
    struct zone *zone = open_zone(row->zone);
    struct period period = period_of(row->from, row->to, zone);
    int64_t *edges = NULL;
    size_t count = 0;
    struct error err = {0};
    expect_int(calendar_edges(period, row->bucket, zone, &edges, &count, &err), 0);
    expect_cover(edges, count, period);
    struct buf got;
    buf_init(&got, 10000);
    for (size_t i = 0; i < count; i++) {
        char label[BUCKET_LABEL_MAX];
        buf_addf(&got, "%s%s=%g", i > 0 ? " " : "",
                 calendar_label(edges[i], row->bucket, zone, label),
                 (double)(edges[i + 1] - edges[i]) / (double)HOUR_US);
    }
    expect_text(got.ptr, row->want);
    buf_release(&got);
    free(edges);
    zone_close(zone);
}

static void none_is_the_period_itself(void **state)
{
    (void)state;
    struct zone *zone = open_zone("UTC");
    int64_t *edges = NULL;
    size_t count = 0;
    struct error err = {0};
    char label[BUCKET_LABEL_MAX] = "x";
    struct period period = {17, 4711};
    expect_int(calendar_edges(period, BUCKET_NONE, zone, &edges, &count, &err), 0);
    expect_uint(count, 1);
    expect_int(edges[0], 17);
    expect_int(edges[1], 4711);
    expect_text(calendar_label(17, BUCKET_NONE, zone, label), "");
    free(edges);
    zone_close(zone);
}

static void an_instant_has_the_bucket_it_lies_in(void **state)
{
    (void)state;
    struct zone *zone = open_zone("Europe/Oslo");
    for (int bucket = BUCKET_HOUR; bucket <= BUCKET_YEAR; bucket++) {
        for (int64_t at = 0; at <= DAY_US; at += DAY_US) {
            struct period instant = {at, at};
            int64_t *edges = NULL;
            size_t count = 0;
            struct error err = {0};
            expect_int(calendar_edges(instant, (enum bucket)bucket, zone, &edges, &count, &err),
                       0);
            expect_uint(count, 1);
            expect_true(edges[0] <= at && edges[1] > at);
            free(edges);
        }
    }
    zone_close(zone);
}

static void too_many_buckets_are_a_limit(void **state)
{
    (void)state;
    struct zone *zone = open_zone("UTC");
    int64_t *edges = NULL;
    size_t count = 0;
    struct error err = {0};
    struct period period = {0, LIMIT_BUCKETS * HOUR_US};
    expect_int(calendar_edges(period, BUCKET_HOUR, zone, &edges, &count, &err), 0);
    expect_uint(count, LIMIT_BUCKETS);
    free(edges);
    period.to++;
    expect_int(calendar_edges(period, BUCKET_HOUR, zone, &edges, &count, &err), ERROR_LIMIT);
    expect_text(err.text,
                "the period has more than 200000 hours: write a shorter one, or count "
                "by something longer");
    zone_close(zone);
}

struct name_row {
    const char *name;
};

static const struct name_row zone_rows[] = {
    {"Europe/Oslo"},    {"America/New_York"}, {"Australia/Lord_Howe"}, {"Asia/Kolkata"},
    {"America/Havana"}, {"America/St_Johns"}, {"Pacific/Apia"},        {"Antarctica/Troll"},
};

/* Thirty years in every zone and bucket: edges cover, and no two labels that follow are equal. */
static void edges_of_thirty_years(void **state)
{
    const struct name_row *row = *state;
    struct zone *zone = open_zone(row->name);
    for (int bucket = BUCKET_HOUR; bucket <= BUCKET_YEAR; bucket++) {
        struct period period =
            period_of(bucket == BUCKET_HOUR ? "2009-05-05T05:05" : "2000-05-05T05:05",
                      "2030-05-05T05:05", zone);
        int64_t *edges = NULL;
        size_t count = 0;
        struct error err = {0};
        expect_int(calendar_edges(period, (enum bucket)bucket, zone, &edges, &count, &err), 0);
        expect_cover(edges, count, period);
        char labels[2][BUCKET_LABEL_MAX] = {"", ""};
        for (size_t i = 0; i < count; i++) {
            calendar_label(edges[i], (enum bucket)bucket, zone, labels[i % 2]);
            if (strcmp(labels[0], labels[1]) == 0) {
                expect_fail("%s comes twice", labels[0]);
            }
        }
        free(edges);
    }
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, calendar_edges_and_labels, edges_rows);
    SUITE_TEST(&suite, none_is_the_period_itself);
    SUITE_TEST(&suite, an_instant_has_the_bucket_it_lies_in);
    SUITE_TEST(&suite, too_many_buckets_are_a_limit);
    SUITE_ROWS(&suite, edges_of_thirty_years, zone_rows);
    return suite_run(&suite, "calendar_edges");
}
