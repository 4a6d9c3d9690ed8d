/* SPDX-License-Identifier: MIT */

/*
 * Every measure at the edges of a period, worked out by hand.
 *
 * The period is one day, from hour 0 to hour 24; all times of a row are hours from its beginning.
 */
#include "support/expect.h"
#include "unit/report/ask.h"

#define H(hours) ((int64_t)(hours)*HOUR_US)

/* A time or number that a run does not tell. */
#define ABSENT INT64_MIN

enum { RUNS_MAX = 4 };

struct timed_run {
    int64_t submit, start, end, cpus;
    const char *user;
};

/* The order of a row's numbers. */
static const char *const ids[] = {"jobs",       "jobs_started", "jobs_active", "cpu_hours",
                                  "wall_hours", "wait_hours",   "users"};

enum { MEASURED = COUNT_OF(ids) };

struct edge_row {
    const char *name;
    struct timed_run runs[RUNS_MAX]; /* those with a user or any time but 0 */
    size_t count;
    int64_t now;
    int64_t want[MEASURED];
};

#define DAYS_LATER H(240)

static const struct edge_row edge_rows[] = {
    {"nothing at all is zero, not unknown", {{0}}, 0, DAYS_LATER, {0}},
    /* 3 h on 4 cpus; submitted 3 h before its start, outside the period. */
    {"inside", {{H(-1), H(2), H(5), 4, "ann"}}, 1, DAYS_LATER, {1, 1, 1, H(12), H(3), H(3), 1}},
    /* Midnight belongs to the day it begins. */
    {"starts at the first instant",
     {{H(0), H(0), H(6), 2, "ann"}},
     1,
     DAYS_LATER,
     {1, 1, 1, H(12), H(6), 0, 1}},
    /* Ended in this period, but nothing of it ran there. */
    {"ends at the first instant",
     {{H(-9), H(-6), H(0), 2, "ann"}},
     1,
     DAYS_LATER,
     {1, 0, 0, 0, 0, 0, 0}},
    {"starts at the instant after the last",
     {{H(20), H(24), H(30), 2, "ann"}},
     1,
     DAYS_LATER,
     {0}},
    /* 12 h on 3 cpus; the end lies in the next period. */
    {"ends at the instant after the last",
     {{H(10), H(12), H(24), 3, "ann"}},
     1,
     DAYS_LATER,
     {0, 1, 1, H(36), H(12), H(2), 1}},
    {"spans the whole period",
     {{H(-30), H(-24), H(48), 2, "ann"}},
     1,
     DAYS_LATER,
     {0, 0, 1, H(48), H(24), 0, 1}},
    {"is the whole period",
     {{H(0), H(0), H(24), 5, "ann"}},
     1,
     DAYS_LATER,
     {0, 1, 1, H(120), H(24), 0, 1}},
    /* Only 0 to 6 of -4 to 6; its start and so its wait belong to the day before. */
    {"starts before and ends inside",
     {{H(-10), H(-4), H(6), 2, "ann"}},
     1,
     DAYS_LATER,
     {1, 0, 1, H(12), H(6), 0, 1}},
    /* Only 10 to 24 of 10 to 40. */
    {"starts inside and ends after",
     {{H(5), H(10), H(40), 2, "ann"}},
     1,
     DAYS_LATER,
     {0, 1, 1, H(28), H(14), H(5), 1}},
    {"ends before the period", {{H(-9), H(-8), H(-2), 2, "ann"}}, 1, DAYS_LATER, {0}},
    {"starts after the period", {{H(25), H(26), H(30), 2, "ann"}}, 1, DAYS_LATER, {0}},
    {"ends one microsecond after the first instant",
     {{H(-9), H(-8), 1, 7, "ann"}},
     1,
     DAYS_LATER,
     {1, 0, 1, 7, 1, 0, 1}},
    {"starts one microsecond before the end",
     {{H(20), H(24) - 1, H(30), 7, "ann"}},
     1,
     DAYS_LATER,
     {0, 1, 1, 7, 1, H(4) - 1, 1}},

    /* A run of no length overlaps its instant. */
    {"no length, at the first instant",
     {{H(-1), H(0), H(0), 7, "ann"}},
     1,
     DAYS_LATER,
     {1, 1, 1, 0, 0, H(1), 1}},
    {"no length, inside",
     {{H(6), H(7), H(7), 7, "ann"}},
     1,
     DAYS_LATER,
     {1, 1, 1, 0, 0, H(1), 1}},
    {"no length, at the last instant",
     {{H(20), H(24) - 1, H(24) - 1, 7, "ann"}},
     1,
     DAYS_LATER,
     {1, 1, 1, 0, 0, H(4) - 1, 1}},
    {"no length, at the instant after the last",
     {{H(20), H(24), H(24), 7, "ann"}},
     1,
     DAYS_LATER,
     {0}},
    {"no length, just before the first instant",
     {{H(-3), -1, -1, 7, "ann"}},
     1,
     DAYS_LATER,
     {0}},

    /* A run without an end goes on: it counts up to now. */
    {"running, started inside, now inside",
     {{H(1), H(2), ABSENT, 3, "ann"}},
     1,
     H(10),
     {0, 1, 1, H(24), H(8), H(1), 1}},
    {"running, started inside, now after the period",
     {{H(1), H(2), ABSENT, 3, "ann"}},
     1,
     DAYS_LATER,
     {0, 1, 1, H(66), H(22), H(1), 1}},
    {"running, started before, now inside",
     {{H(-5), H(-2), ABSENT, 3, "ann"}},
     1,
     H(10),
     {0, 0, 1, H(30), H(10), 0, 1}},
    {"running, started before, now after the period",
     {{H(-5), H(-2), ABSENT, 3, "ann"}},
     1,
     DAYS_LATER,
     {0, 0, 1, H(72), H(24), 0, 1}},
    {"running, started before, now at the end",
     {{H(-5), H(-2), ABSENT, 3, "ann"}},
     1,
     H(24),
     {0, 0, 1, H(72), H(24), 0, 1}},
    {"running, started before, now at the first instant",
     {{H(-5), H(-2), ABSENT, 3, "ann"}},
     1,
     H(0),
     {0}},
    {"running, started before, now before the period",
     {{H(-5), H(-2), ABSENT, 3, "ann"}},
     1,
     H(-1),
     {0}},
    /* The cluster's clock is ahead of ours: no time has passed. */
    {"running, starts after now",
     {{H(4), H(5), ABSENT, 3, "ann"}},
     1,
     H(3),
     {0, 1, 1, 0, 0, H(1), 1}},
    {"running, starts at now",
     {{H(4), H(5), ABSENT, 3, "ann"}},
     1,
     H(5),
     {0, 1, 1, 0, 0, H(1), 1}},
    {"running, starts after the period",
     {{H(24), H(25), ABSENT, 3, "ann"}},
     1,
     DAYS_LATER,
     {0}},

    /* An end before the start is a broken clock: it took no time, at the instant it started. */
    {"end before start, both inside",
     {{H(1), H(6), H(4), 8, "ann"}},
     1,
     DAYS_LATER,
     {1, 1, 1, 0, 0, H(5), 1}},
    {"end before start, the end before the period",
     {{H(-5), H(2), H(-1), 8, "ann"}},
     1,
     DAYS_LATER,
     {0, 1, 1, 0, 0, H(7), 1}},
    {"end before start, the start after the period",
     {{H(20), H(25), H(23), 8, "ann"}},
     1,
     DAYS_LATER,
     {1, 0, 0, 0, 0, 0, 0}},
    {"end before start, both before the period",
     {{H(-9), H(-2), H(-3), 8, "ann"}},
     1,
     DAYS_LATER,
     {0}},
    {"end before start, around the period",
     {{H(-9), H(30), H(-3), 8, "ann"}},
     1,
     DAYS_LATER,
     {0}},

    /* Cancelled while waiting: whatever cpus the source names, it had none. */
    {"never started, ended inside", {{H(1), ABSENT, H(9), 4, "ann"}}, 1, DAYS_LATER, {0}},
    {"never started, still waiting", {{H(1), ABSENT, ABSENT, 4, "ann"}}, 1, DAYS_LATER, {0}},

    /* Unknown is unknown, and does not hide what is known. */
    {"cpus unknown",
     {{H(1), H(2), H(5), ABSENT, "ann"}},
     1,
     DAYS_LATER,
     {1, 1, 1, UNKNOWN, H(3), H(1), 1}},
    {"cpus unknown in one of two",
     {{H(1), H(2), H(5), ABSENT, "ann"}, {H(1), H(2), H(4), 6, "ann"}},
     2,
     DAYS_LATER,
     {2, 2, 2, H(12), H(5), H(2), 1}},
    {"cpus unknown of a run outside",
     {{H(-9), H(-8), H(-7), ABSENT, "ann"}},
     1,
     DAYS_LATER,
     {0}},
    {"cpus unknown of a run that ended as the period began",
     {{H(-9), H(-8), H(0), ABSENT, "ann"}},
     1,
     DAYS_LATER,
     {1, 0, 0, 0, 0, 0, 0}},
    {"no cpus is a known number",
     {{H(1), H(2), H(5), 0, "ann"}},
     1,
     DAYS_LATER,
     {1, 1, 1, 0, H(3), H(1), 1}},
    {"submission unknown",
     {{ABSENT, H(2), H(5), 2, "ann"}},
     1,
     DAYS_LATER,
     {1, 1, 1, H(6), H(3), UNKNOWN, 1}},
    {"submission unknown in one of two",
     {{ABSENT, H(2), H(5), 2, "ann"}, {H(1), H(5), H(6), 2, "ann"}},
     2,
     DAYS_LATER,
     {2, 2, 2, H(8), H(4), H(4), 1}},
    {"started before it was submitted: no wait, not a negative one",
     {{H(4), H(2), H(5), 2, "ann"}, {H(5), H(7), H(8), 2, "ann"}},
     2,
     DAYS_LATER,
     {2, 2, 2, H(8), H(4), H(2), 1}},

    /* Users are counted once each. */
    {"two runs of one user",
     {{H(1), H(2), H(5), 2, "ann"}, {H(1), H(2), H(5), 2, "ann"}},
     2,
     DAYS_LATER,
     {2, 2, 2, H(12), H(6), H(2), 1}},
    {"two users",
     {{H(1), H(2), H(5), 2, "ann"}, {H(1), H(2), H(5), 2, "bob"}},
     2,
     DAYS_LATER,
     {2, 2, 2, H(12), H(6), H(2), 2}},
    {"a user outside the period is none",
     {{H(1), H(2), H(5), 2, "ann"}, {H(-9), H(-8), H(0), 2, "bob"}},
     2,
     DAYS_LATER,
     {2, 1, 1, H(6), H(3), H(1), 1}},
    {"user unknown in one of two",
     {{H(1), H(2), H(5), 2, "ann"}, {H(1), H(2), H(5), 2, NULL}},
     2,
     DAYS_LATER,
     {2, 2, 2, H(12), H(6), H(2), 1}},
    {"user unknown",
     {{H(1), H(2), H(5), 2, NULL}},
     1,
     DAYS_LATER,
     {1, 1, 1, H(6), H(3), H(1), UNKNOWN}},
    {"several of all kinds",
     /* 6 to 8 of one cpu, 0 to 24 of two, 20 to 24 of ten, a running one from 12 on, 3 cpus */
     {{H(6), H(6), H(8), 1, "ann"},
      {H(-8), H(-4), H(30), 2, "bob"},
      {H(19), H(20), H(25), 10, "bob"},
      {H(8), H(12), ABSENT, 3, "cyd"}},
     4,
     DAYS_LATER,
     {1, 3, 4, H(2 + 48 + 40 + 36), H(2 + 24 + 4 + 12), H(0 + 1 + 4), 3}},
};

/* 2025-03-10T00:00Z */
static const int64_t day = INT64_C(1741564800) * SECOND_US;

/* One for all tests: each empties it first. */
static struct runs_store store;

static struct run make_run(const struct timed_run *from)
{
    struct run run = {0};
    if (from->submit != ABSENT) {
        RUN_SET(&run, submit, day + from->submit);
    }
    if (from->start != ABSENT) {
        RUN_SET(&run, start, day + from->start);
    }
    if (from->end != ABSENT) {
        RUN_SET(&run, end, day + from->end);
    } else {
        runs_always_seen(&run);
    }
    if (from->cpus != ABSENT) {
        RUN_SET(&run, cpus, from->cpus);
    }
    if (from->user) {
        RUN_SET(&run, user, str_of(from->user));
    }
    return run;
}

static void add_runs(const struct edge_row *row)
{
    struct run runs[RUNS_MAX];
    for (size_t i = 0; i < row->count; i++) {
        runs[i] = make_run(&row->runs[i]);
    }
    if (row->count > 0) {
        runs_add(&store, runs, row->count);
    }
}

static void expect_measured(const struct table *table, size_t row, const int64_t *want)
{
    for (size_t i = 0; i < MEASURED; i++) {
        int64_t got = ask_number(table, ids[i], row);
        if (got != want[i]) {
            expect_fail("%s is %" PRId64 ", want %" PRId64, ids[i], got, want[i]);
        }
    }
}

static struct question day_question(const struct edge_row *row, const struct zone *zone)
{
    struct question question = {
        .period = {day, day + H(24)},
        .zone = zone,
        .now = day + row->now,
    };
    for (size_t i = 0; i < MEASURED; i++) {
        question.measures[question.measure_count++] = measure_find(str_of(ids[i]));
    }
    return question;
}

/* Asked as a whole, and as the middle one of three days. */
static void measures_at_the_edge(void **state)
{
    const struct edge_row *row = *state;
    struct table table;
    struct zone *zone = ask_zone("UTC");
    runs_clear(&store);
    add_runs(row);
    struct question question = day_question(row, zone);
    ask(store.facts, &question, &table);
    expect_uint(table.row_count, 1);
    expect_measured(&table, 0, row->want);
    table_release(&table);

    question.bucket = BUCKET_DAY;
    question.period = (struct period){day - H(24), day + H(48)};
    ask(store.facts, &question, &table);
    expect_uint(table.row_count, 3);
    expect_measured(&table, 1, row->want);
    table_release(&table);
    zone_close(zone);
}

/* Each measure asked for alone gives what it gives among others. */
static void a_measure_alone_is_the_same(void **state)
{
    (void)state;
    const struct edge_row *row = &edge_rows[COUNT_OF(edge_rows) - 1];
    struct zone *zone = ask_zone("UTC");
    runs_clear(&store);
    add_runs(row);
    for (size_t i = 0; i < MEASURED; i++) {
        for (enum bucket bucket = BUCKET_NONE; bucket <= BUCKET_DAY; bucket += BUCKET_DAY) {
            struct question question = day_question(row, zone);
            struct table table;
            question.measures[0] = question.measures[i];
            question.measure_count = 1;
            question.bucket = bucket;
            ask(store.facts, &question, &table);
            expect_uint(table.row_count, 1);
            expect_int(ask_number(&table, ids[i], 0), row->want[i]);
            table_release(&table);
        }
    }
    zone_close(zone);
}

/*
 * A broken record: it started, it failed, and when is not told. It may not count up to now for all
 * time to come; nor did it take no time at all.
 */
static void a_run_that_ended_nobody_knows_when(void **state)
{
    (void)state;
    struct zone *zone = ask_zone("UTC");
    struct run run = {0};
    RUN_SET(&run, start, day + H(2));
    RUN_SET(&run, cpus, 4);
    RUN_SET(&run, user, STR("ann"));
    RUN_SET(&run, class, STR("failed"));
    runs_clear(&store);
    runs_add(&store, &run, 1);
    struct question question = {
        .period = {day, day + H(72)},
        .zone = zone,
        .bucket = BUCKET_DAY,
        .now = day + DAYS_LATER,
    };
    ask_measures(&question, "jobs,jobs_started,jobs_active,cpu_hours,wall_hours,users");
    expect_answer(store.facts, &question,
                  "2025-03-10 0 1 1 --- --- 1\n"
                  "2025-03-11 0 0 0 0h 0h 0\n"
                  "2025-03-12 0 0 0 0h 0h 0\n");
    question.bucket = BUCKET_NONE;
    expect_answer(store.facts, &question, "0 1 1 --- --- 1\n");

    /* Beside one that is known, it does not hide it; and one that goes on counts up to now. */
    RUN_SET(&run, class, STR("running"));
    runs_always_seen(&run);
    runs_add(&store, &run, 1);
    expect_answer(store.facts, &question, "0 2 2 280h 70h 1\n");
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, measures_at_the_edge, edge_rows);
    SUITE_TEST(&suite, a_measure_alone_is_the_same);
    SUITE_TEST(&suite, a_run_that_ended_nobody_knows_when);
    return runs_suite(&suite, &store, "measures");
}
