/* SPDX-License-Identifier: MIT */

/*
 * Series over the calendar, worked out by hand: clock changes, edges of buckets, years, and what is
 * unknown in one bucket and known in another. Times of runs are those of the row's zone.
 */
#include "support/expect.h"
#include "unit/report/ask.h"

enum { RUNS_MAX = 5 };

struct text_run {
    const char *start, *end; /* NULL: absent; a row's runs end at the first without a start */
    int64_t cpus;            /* 0: absent */
    const char *user;
};

struct series_row {
    const char *name;
    const char *zone, *from, *to;
    enum bucket bucket;
    const char *by; /* NULL: none */
    const char *measures;
    struct text_run runs[RUNS_MAX];
    const char *now; /* NULL: long after */
    const char *want;
};

static const struct series_row series_rows[] = {
    /* Clocks go from 2 to 3 on 30 March: that day has 23 hours, and a run through it 2 x 23. */
    {.name = "a run over the spring change",
     .zone = "Europe/Oslo",
     .from = "2025-03-28",
     .to = "2025-04-01",
     .bucket = BUCKET_DAY,
     .measures = "cpu_hours,wall_hours,jobs_active",
     .runs = {{"2025-03-29T00:00", "2025-04-01T00:00", 2, "ann"}},
     .want = "2025-03-28 0h 0h 0\n"
             "2025-03-29 48h 24h 1\n"
             "2025-03-30 46h 23h 1\n"
             "2025-03-31 48h 24h 1\n"
             "2025-04-01 0h 0h 0\n"},
    /* And back from 3 to 2 on 26 October: 25 hours. Noon to noon is 12, 25, 12. */
    {.name = "a run over the autumn change",
     .zone = "Europe/Oslo",
     .from = "2025-10-25",
     .to = "2025-10-27",
     .bucket = BUCKET_DAY,
     .measures = "cpu_hours,wall_hours,jobs,jobs_started",
     .runs = {{"2025-10-25T12:00", "2025-10-27T12:00", 4, "ann"}},
     .want = "2025-10-25 48h 12h 0 1\n"
             "2025-10-26 100h 25h 0 0\n"
             "2025-10-27 48h 12h 1 0\n"},
    /* 2:00 to 3:00 does not exist: the hour after 1:00 is 3:00. */
    {.name = "hours of the spring change",
     .zone = "Europe/Oslo",
     .from = "2025-03-30T01:00",
     .to = "2025-03-30T04:00",
     .bucket = BUCKET_HOUR,
     .measures = "wall_hours",
     .runs = {{"2025-03-30T01:30", "2025-03-30T03:30", 1, "ann"}},
     .want = "2025-03-30T01:00 0.50h\n2025-03-30T03:00 0.50h\n"},
    /* 2:00 to 3:00 comes twice: 01:30 to 03:30 is three hours. */
    {.name = "hours of the autumn change",
     .zone = "Europe/Oslo",
     .from = "2025-10-26T01:00",
     .to = "2025-10-26T04:00",
     .bucket = BUCKET_HOUR,
     .measures = "wall_hours,jobs_active",
     .runs = {{"2025-10-26T01:30", "2025-10-26T03:30", 1, "ann"}},
     .want = "2025-10-26T01:00 0.50h 1\n"
             "2025-10-26T02:00+02:00 1h 1\n"
             "2025-10-26T02:00+01:00 1h 1\n"
             "2025-10-26T03:00 0.50h 1\n"},
    /* Lord Howe goes back by half an hour: 24.5. */
    {.name = "a change of half an hour",
     .zone = "Australia/Lord_Howe",
     .from = "2025-04-05",
     .to = "2025-04-07",
     .bucket = BUCKET_DAY,
     .measures = "cpu_hours",
     .runs = {{"2025-04-05T00:00", "2025-04-08T00:00", 2, "ann"}},
     .want = "2025-04-05 48h\n2025-04-06 49h\n2025-04-07 48h\n"},
    /* A zone of 5 h 45: its midnights are not on our hours. */
    {.name = "a zone off the hour",
     .zone = "Asia/Kathmandu",
     .from = "2025-03-01",
     .to = "2025-03-02",
     .bucket = BUCKET_DAY,
     .measures = "wall_hours",
     .runs = {{"2025-03-01T22:00", "2025-03-02T01:00", 1, "ann"}},
     .want = "2025-03-01 2h\n2025-03-02 1h\n"},

    /* New year: 10 h in each. A leap February has 696 hours. */
    {.name = "a run across the year, by year",
     .zone = "UTC",
     .from = "2024",
     .to = "2025",
     .bucket = BUCKET_YEAR,
     .measures = "cpu_hours,jobs,jobs_started,jobs_active,users",
     .runs = {{"2024-12-31T14:00", "2025-01-01T10:00", 3, "ann"}},
     .want = "2024 30h 0 1 1 1\n2025 30h 1 0 1 1\n"},
    {.name = "a run through a leap February",
     .zone = "UTC",
     .from = "2024-01",
     .to = "2024-03",
     .bucket = BUCKET_MONTH,
     .measures = "wall_hours",
     .runs = {{"2024-01-31T00:00", "2024-03-02T00:00", 1, "ann"}},
     .want = "2024-01 24h\n2024-02 696h\n2024-03 24h\n"},
    /* 2024-12-30 is the Monday of 2025-W01. */
    {.name = "weeks across the year",
     .zone = "UTC",
     .from = "2024-12-28",
     .to = "2025-01-06",
     .bucket = BUCKET_WEEK,
     .measures = "wall_hours",
     .runs = {{"2024-12-29T12:00", "2025-01-06T12:00", 1, "ann"}},
     .want = "2024-W52 12h\n2025-W01 168h\n2025-W02 12h\n"},
    /* Quarter hours of a run in three quarters: 30 and 31 of the days at its ends. */
    {.name = "quarters",
     .zone = "UTC",
     .from = "2025-Q1",
     .to = "2025-Q4",
     .bucket = BUCKET_QUARTER,
     .measures = "wall_hours,jobs_active",
     .runs = {{"2025-03-31T00:00", "2025-07-01T00:00", 1, "ann"}},
     .want = "2025-Q1 24h 1\n2025-Q2 2184h 1\n2025-Q3 0h 0\n2025-Q4 0h 0\n"},

    /* On edges: midnight belongs to the day it begins. */
    {.name = "ends at an edge between buckets",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-03",
     .bucket = BUCKET_DAY,
     .measures = "wall_hours,jobs,jobs_started,jobs_active",
     .runs = {{"2025-03-01T20:00", "2025-03-02T00:00", 1, "ann"}},
     .want = "2025-03-01 4h 0 1 1\n2025-03-02 0h 1 0 0\n2025-03-03 0h 0 0 0\n"},
    {.name = "starts at an edge between buckets",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-03",
     .bucket = BUCKET_DAY,
     .measures = "wall_hours,jobs,jobs_started,jobs_active",
     .runs = {{"2025-03-02T00:00", "2025-03-02T05:00", 1, "ann"}},
     .want = "2025-03-01 0h 0 0 0\n2025-03-02 5h 1 1 1\n2025-03-03 0h 0 0 0\n"},
    {.name = "no length, at an edge between buckets",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-03",
     .bucket = BUCKET_DAY,
     .measures = "wall_hours,jobs,jobs_started,jobs_active,users",
     .runs = {{"2025-03-02T00:00", "2025-03-02T00:00", 1, "ann"}},
     .want = "2025-03-01 0h 0 0 0 0\n2025-03-02 0h 1 1 1 1\n2025-03-03 0h 0 0 0 0\n"},
    {.name = "from edge to edge",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-03",
     .bucket = BUCKET_DAY,
     .measures = "cpu_hours,jobs_active",
     .runs = {{"2025-03-01T00:00", "2025-03-04T00:00", 2, "ann"}},
     .want = "2025-03-01 48h 1\n2025-03-02 48h 1\n2025-03-03 48h 1\n"},

    /* A period that begins and ends inside buckets counts its own part of them: 18 and 6. */
    {.name = "a period inside its buckets",
     .zone = "UTC",
     .from = "2025-03-01T06:00",
     .to = "2025-03-02T06:00",
     .bucket = BUCKET_DAY,
     .measures = "wall_hours,jobs_started,jobs",
     .runs = {{"2025-03-01T00:00", "2025-03-03T00:00", 1, "ann"},
              {"2025-03-01T05:00", "2025-03-01T05:30", 1, "ann"},
              {"2025-03-02T05:59", "2025-03-02T05:59", 1, "ann"}},
     .want = "2025-03-01 18h 0 0\n2025-03-02 6h 1 1\n"},
    {.name = "a period inside one bucket",
     .zone = "UTC",
     .from = "2025-03-01T06:00",
     .to = "2025-03-01T07:00",
     .bucket = BUCKET_YEAR,
     .measures = "wall_hours,jobs_active",
     .runs = {{"2024-03-01T00:00", "2026-03-03T00:00", 1, "ann"}},
     .want = "2025 1h 1\n"},

    /* What goes on counts up to now, and not beyond. */
    {.name = "still running",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-04",
     .bucket = BUCKET_DAY,
     .measures = "cpu_hours,jobs_active,users",
     .runs = {{"2025-03-01T12:00", NULL, 2, "ann"}},
     .now = "2025-03-03T06:00",
     .want = "2025-03-01 24h 1 1\n2025-03-02 48h 1 1\n2025-03-03 12h 1 1\n2025-03-04 0h 0 0\n"},

    /* Unknown where runs took place and none tells; zero where nothing did. */
    {.name = "cpus unknown in one bucket",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-04",
     .bucket = BUCKET_DAY,
     .measures = "cpu_hours,wall_hours",
     .runs = {{"2025-03-01T12:00", "2025-03-01T13:00", 5, "ann"},
              {"2025-03-02T12:00", "2025-03-02T13:00", 0, "ann"},
              {"2025-03-04T12:00", "2025-03-04T14:00", 0, "ann"},
              {"2025-03-04T12:00", "2025-03-04T14:00", 1, "ann"}},
     .want = "2025-03-01 5h 1h\n2025-03-02 --- 1h\n2025-03-03 0h 0h\n2025-03-04 2h 4h\n"},
    {.name = "cpus unknown throughout",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-04",
     .bucket = BUCKET_DAY,
     .measures = "cpu_hours,jobs_active",
     .runs = {{"2025-03-02T12:00", "2025-03-03T12:00", 0, "ann"}},
     .want = "2025-03-01 0h 0\n2025-03-02 --- 1\n2025-03-03 --- 1\n2025-03-04 0h 0\n"},
    {.name = "users unknown in one bucket",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-03",
     .bucket = BUCKET_DAY,
     .measures = "users",
     .runs = {{"2025-03-01T12:00", "2025-03-01T13:00", 1, NULL},
              {"2025-03-02T12:00", "2025-03-02T13:00", 1, NULL},
              {"2025-03-02T12:00", "2025-03-02T13:00", 1, "ann"},
              {"2025-03-02T14:00", "2025-03-02T15:00", 1, "bob"}},
     .want = "2025-03-01 ---\n2025-03-02 2\n2025-03-03 0\n"},

    /* By group: buckets in order, in each the largest first; who did nothing is not there. */
    {.name = "a series for each user",
     .zone = "UTC",
     .from = "2025-03-01",
     .to = "2025-03-03",
     .bucket = BUCKET_DAY,
     .by = "user",
     .measures = "cpu_hours,jobs",
     .runs = {{"2025-03-01T12:00", "2025-03-02T12:00", 1, "ann"},
              {"2025-03-02T00:00", "2025-03-02T10:00", 4, "bob"},
              {"2025-03-02T00:00", "2025-03-02T03:00", 0, "cyd"},
              {"2025-03-03T00:00", "2025-03-03T02:00", 1, NULL}},
     .want = "ann 2025-03-01 12h 0\n"
             "bob 2025-03-02 40h 1\n"
             "ann 2025-03-02 12h 1\n"
             "cyd 2025-03-02 --- 1\n"
             "--- 2025-03-03 2h 1\n"},
};

static struct runs_store store;

static size_t make_runs(const struct series_row *row, const struct zone *zone, struct run *runs)
{
    size_t count = 0;
    for (; count < RUNS_MAX && row->runs[count].start; count++) {
        const struct text_run *from = &row->runs[count];
        struct run run = {0};
        RUN_SET(&run, start, ask_instant(zone, from->start));
        if (from->end) {
            RUN_SET(&run, end, ask_instant(zone, from->end));
        } else {
            runs_always_seen(&run);
        }
        if (from->cpus > 0) {
            RUN_SET(&run, cpus, from->cpus);
        }
        if (from->user) {
            RUN_SET(&run, user, str_of(from->user));
        }
        runs[count] = run;
    }
    return count;
}

static void series_of(void **state)
{
    const struct series_row *row = *state;
    struct zone *zone = ask_zone(row->zone);
    struct run runs[RUNS_MAX];
    size_t count = make_runs(row, zone, runs);
    runs_clear(&store);
    runs_add(&store, runs, count);
    struct question question = {
        .period = ask_period(zone, row->from, row->to),
        .bucket = row->bucket,
        .zone = zone,
        .now = ask_instant(zone, row->now ? row->now : "2040-01-01"),
    };
    ask_measures(&question, row->measures);
    if (row->by) {
        ask_by(&question, row->by);
    }
    expect_answer(store.facts, &question, row->want);
    zone_close(zone);
}

/* A clock that changes by odd seconds needs other slots than whole quarters of an hour. */
static void odd_clocks_count_exactly(void **state)
{
    (void)state;
    struct zone *zone = ask_zone("AAA0:00:07BBB-1:00:13,M3.5.0/2,M10.5.0/3");
    struct run run = {0};
    RUN_SET(&run, start, ask_instant(zone, "2025-03-29"));
    RUN_SET(&run, end, ask_instant(zone, "2025-04-01"));
    RUN_SET(&run, cpus, 1);
    runs_clear(&store);
    runs_add(&store, &run, 1);
    struct question question = {
        .period = ask_period(zone, "2025-03-29", "2025-03-31"),
        .bucket = BUCKET_DAY,
        .zone = zone,
        .now = run.end,
    };
    ask_measures(&question, "cpu_hours");
    /* 24 h; 24 h less an hour and 20 seconds; 24 h */
    expect_answer(store.facts, &question,
                  "2025-03-29 24h\n2025-03-30 82780000000us\n2025-03-31 24h\n");
    zone_close(zone);
}

static void too_many_buckets_are_refused(void **state)
{
    (void)state;
    struct zone *zone = ask_zone("UTC");
    struct table table = {0};
    struct error err = {0};
    struct question question = {
        .period = ask_period(zone, "1990", "2020"),
        .bucket = BUCKET_HOUR,
        .zone = zone,
    };
    ask_measures(&question, "jobs");
    expect_int(question_ask(store.facts, &question, &table, &err), ERROR_LIMIT);
    expect_contains(err.text, "more than 200000 hours");
    table_release(&table);
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, series_of, series_rows);
    SUITE_TEST(&suite, odd_clocks_count_exactly);
    SUITE_TEST(&suite, too_many_buckets_are_refused);
    return runs_suite(&suite, &store, "buckets");
}
