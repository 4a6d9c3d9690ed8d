/* SPDX-License-Identifier: MIT */

/*
 * Questions as a whole: the shape of an answer, its order, and numbers beyond 64 bits.
 */
#include "support/expect.h"
#include "support/facts_at.h"
#include "unit/report/ask.h"

static struct runs_store store;
static struct zone *utc;

/* 2025-03-10T00:00Z */
static const int64_t day = INT64_C(1741564800) * SECOND_US;

struct small_run {
    const char *cluster, *user, *group;
    int64_t start_h, end_h, cpus; /* hours of the day; cpus < 0: unknown */
};

static const struct small_run small_runs[] = {
    {"alder", "ann", "bio", 0, 4, 2},  /* 8 */
    {"alder", "bob", "bio", 0, 3, 1},  /* 3 */
    {"birch", "ann", "geo", 0, 1, 5},  /* 5 */
    {"birch", "cyd", NULL, 2, 4, 4},   /* 8 */
    {"birch", "dee", "geo", 2, 4, -1}, /* unknown */
    {"birch", NULL, "geo", 5, 6, 1},   /* 1 */
};

static void opens_a_store(void **state)
{
    (void)state;
    struct run runs[COUNT_OF(small_runs)] = {0};
    for (size_t i = 0; i < COUNT_OF(small_runs); i++) {
        const struct small_run *from = &small_runs[i];
        RUN_SET(&runs[i], cluster, str_of(from->cluster));
        RUN_SET(&runs[i], start, day + from->start_h * HOUR_US);
        RUN_SET(&runs[i], end, day + from->end_h * HOUR_US);
        if (from->user) {
            RUN_SET(&runs[i], user, str_of(from->user));
        }
        if (from->group) {
            RUN_SET(&runs[i], group, str_of(from->group));
        }
        if (from->cpus >= 0) {
            RUN_SET(&runs[i], cpus, from->cpus);
        }
    }
    utc = ask_zone("UTC");
    runs_open(&store);
    runs_add(&store, runs, COUNT_OF(runs));
}

static struct question whole_day(const char *what, const char *by)
{
    struct question question = {
        .period = {day, day + DAY_US},
        .zone = utc,
        .now = day + 2 * DAY_US,
    };
    ask_measures(&question, what);
    if (by) {
        ask_by(&question, by);
    }
    return question;
}

static void an_answer_has_ids_labels_units_and_roles(void **state)
{
    (void)state;
    struct question question = whole_day("cpu_hours,jobs", "user,cpus");
    question.bucket = BUCKET_DAY;
    struct table table;
    ask(store.facts, &question, &table);
    expect_uint(table.column_count, 5);

    static const struct {
        const char *id, *label;
        enum cell_type type;
        enum unit unit;
        enum column_role role;
    } want[] = {
        {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        {"cpus", "CPUs", CELL_INT, UNIT_COUNT, COLUMN_DIMENSION},
        {"period", "Period", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        {"cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE},
        {"jobs", "Jobs", CELL_WIDE, UNIT_COUNT, COLUMN_MEASURE},
    };

    for (size_t i = 0; i < COUNT_OF(want); i++) {
        expect_text(table.columns[i].id, want[i].id);
        expect_text(table.columns[i].label, want[i].label);
        expect_int(table.columns[i].type, want[i].type);
        expect_int(table.columns[i].unit, want[i].unit);
        expect_int(table.columns[i].role, want[i].role);
    }
    table_release(&table);
}

static void rows_come_by_the_first_measure_then_by_dimensions(void **state)
{
    (void)state;
    struct question question = whole_day("cpu_hours,jobs", "user");
    /* ann 8 + 5; cyd 8; bob 3; nobody 1; what is unknown comes last */
    expect_answer(store.facts, &question,
                  "ann 13h 2\ncyd 8h 1\nbob 3h 1\n--- 1h 1\ndee --- 1\n");
    question = whole_day("jobs,cpu_hours", "user");
    expect_answer(store.facts, &question,
                  "ann 2 13h\nbob 1 3h\ncyd 1 8h\ndee 1 ---\n--- 1 1h\n");
}

struct order_row {
    const char *name;
    const char *sort;
    bool ascending;
    int64_t limit;
    const char *want;
};

static const struct order_row order_rows[] = {
    {"the largest three", NULL, false, 3, "ann 13h 2\ncyd 8h 1\nbob 3h 1\n"},
    {"the smallest two: what is unknown is not small", NULL, true, 2, "--- 1h 1\nbob 3h 1\n"},
    {"by another measure", "jobs", false, 2, "ann 13h 2\nbob 3h 1\n"},
    {"by a dimension", "user", true, 0, "ann 13h 2\nbob 3h 1\ncyd 8h 1\ndee --- 1\n--- 1h 1\n"},
    {"by a dimension, backwards", "user", false, 2, "dee --- 1\ncyd 8h 1\n"},
    {"more than there are", NULL, false, 99,
     "ann 13h 2\ncyd 8h 1\nbob 3h 1\n--- 1h 1\ndee --- 1\n"},
};

static void rows_in_order(void **state)
{
    const struct order_row *row = *state;
    struct question question = whole_day("cpu_hours,jobs", "user");
    question.sort = row->sort;
    question.ascending = row->ascending;
    question.limit = row->limit;
    expect_answer(store.facts, &question, row->want);
}

static void sorting_by_what_is_not_there_is_refused(void **state)
{
    (void)state;
    struct question question = whole_day("cpu_hours", "user");
    struct table table = {0};
    struct error err = {0};
    question.sort = "wall_hours";
    expect_int(question_ask(store.facts, &question, &table, &err), ERROR_USAGE);
    expect_contains(err.text, "cannot sort by 'wall_hours'");
    table_release(&table);
}

static void several_dimensions_at_once(void **state)
{
    (void)state;
    struct question question = whole_day("cpu_hours,users", "cluster,group");
    expect_answer(store.facts, &question, "alder bio 11h 2\nbirch --- 8h 1\nbirch geo 6h 2\n");
}

static void a_number_can_be_a_dimension(void **state)
{
    (void)state;
    struct question question = whole_day("jobs", "cpus");
    expect_answer(store.facts, &question, "1 2\n2 1\n4 1\n5 1\n--- 1\n");
}

static void the_same_answer_through_a_reader(void **state)
{
    (void)state;
    struct question question = whole_day("cpu_hours,users", "cluster");
    struct error err = {0};
    facts_leave(store.facts);
    if (facts_at(store.folder, FACTS_READ, &store.facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_answer(store.facts, &question, "birch 14h 3\nalder 11h 2\n");
    question.bucket = BUCKET_DAY;
    expect_answer(store.facts, &question, "birch 2025-03-10 14h 3\nalder 2025-03-10 11h 2\n");
    facts_leave(store.facts);
    if (facts_at(store.folder, FACTS_WRITE, &store.facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void the_statement_can_be_seen(void **state)
{
    (void)state;
    struct question question = whole_day("cpu_hours", "user");
    struct error err = {0};
    struct table table = {0};
    ask_where(&question, "user", "x'; DROP TABLE runs; --");
    expect_int(question_explain(store.facts, &question, &table, &err), 0);
    expect_text(ask_text(&table, "path", 0).ptr,
                "runs (2025-03-10T00:00:00Z to 2025-03-11T00:00:00Z)");
    const char *sql = ask_text(&table, "sql", 0).ptr;
    expect_contains(sql, "SELECT");
    expect_contains(sql, "\"user\" = ?");
    expect_true(strstr(sql, "DROP") == NULL);
    table_release(&table);
}

/* Once the engine failed on this, and took the store down with it. */
static void amounts_and_distinct_counts_of_some_runs_in_one_series(void **state)
{
    (void)state;
    struct question question = whole_day("cpu_hours,users,jobs_active", NULL);
    ask_where(&question, "cluster", "b*");
    ask_where(&question, "cpus", ">0");
    question.bucket = BUCKET_DAY;
    expect_answer(store.facts, &question, "2025-03-10 14h 2 3\n");
    ask_by(&question, "group");
    expect_answer(store.facts, &question, "--- 2025-03-10 8h 1 1\ngeo 2025-03-10 6h 1 2\n");
}

static void expect_wide(const struct table *table, const char *id, size_t row, wide_int want)
{
    size_t column = ask_column(table, id);
    expect_true(table_has(table, column, row));
    wide_int got = table_wide(table, column, row);
    if (got != want) {
        expect_fail("%s is %.20Lg, want %.20Lg", id, (long double)got, (long double)want);
    }
}

/*
 * As many cpus as a run may have, for more than the week it takes for cpus x microseconds to pass
 * 2^63: only a run that goes on gets there, for one that has ended so would be refused.
 */
static void one_run_beyond_64_bits_is_exact(void **state)
{
    (void)state;
    struct run run = {0};
    RUN_SET(&run, start, day + 1);
    RUN_SET(&run, cpus, RUN_CPUS_MAX);
    runs_always_seen(&run);
    runs_clear(&store);
    runs_add(&store, &run, 1);
    struct question question = whole_day("cpu_hours,wall_hours", NULL);
    struct table table;
    question.period.to = question.now = day + 365 * DAY_US;
    ask(store.facts, &question, &table);
    expect_wide(&table, "cpu_hours", 0, (wide_int)RUN_CPUS_MAX * (365 * DAY_US - 1));
    expect_wide(&table, "wall_hours", 0, 365 * DAY_US - 1);
    table_release(&table);

    /* 2025-03-10 to 2026-03-10: the year's days from 10 March, 297, less a microsecond; then 68 */
    question.bucket = BUCKET_YEAR;
    ask(store.facts, &question, &table);
    expect_uint(table.row_count, 2);
    expect_wide(&table, "cpu_hours", 0, (wide_int)RUN_CPUS_MAX * (297 * DAY_US - 1));
    expect_wide(&table, "cpu_hours", 1, (wide_int)RUN_CPUS_MAX * (68 * DAY_US));
    table_release(&table);
}

/* Each run fits 64 bits, their sum does not. */
static void a_sum_beyond_64_bits_is_exact(void **state)
{
    (void)state;

    enum { MANY = 100 };
    static struct run runs[MANY];
    for (size_t i = 0; i < MANY; i++) {
        runs[i] = (struct run){0};
        RUN_SET(&runs[i], start, day);
        RUN_SET(&runs[i], end, day + 6 * DAY_US);
        RUN_SET(&runs[i], cpus, RUN_CPUS_MAX - (int64_t)i);
    }
    runs_clear(&store);
    runs_add(&store, runs, MANY);
    struct question question = whole_day("cpu_hours,wall_hours", NULL);
    struct table table;
    question.period.to = day + 30 * DAY_US;
    const wide_int cpus = (wide_int)RUN_CPUS_MAX * MANY - MANY * (MANY - 1) / 2;
    for (question.bucket = BUCKET_NONE; question.bucket <= BUCKET_YEAR; question.bucket++) {
        if (question.bucket == BUCKET_NONE || question.bucket == BUCKET_YEAR) {
            ask(store.facts, &question, &table);
            expect_wide(&table, "cpu_hours", 0, cpus * 6 * DAY_US);
            expect_wide(&table, "wall_hours", 0, (wide_int)MANY * 6 * DAY_US);
            table_release(&table);
        }
    }
}

static void an_empty_store_has_zeros_and_no_groups(void **state)
{
    (void)state;
    runs_clear(&store);
    struct question question = whole_day("jobs,cpu_hours,users", NULL);
    expect_answer(store.facts, &question, "0 0h 0\n");
    question.bucket = BUCKET_MONTH;
    expect_answer(store.facts, &question, "2025-03 0 0h 0\n");
    ask_by(&question, "user");
    expect_answer(store.facts, &question, "");
    question.bucket = BUCKET_NONE;
    expect_answer(store.facts, &question, "");
}

static void closes_the_store(void **state)
{
    (void)state;
    zone_close(utc);
    runs_close(&store);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store);
    SUITE_TEST(&suite, an_answer_has_ids_labels_units_and_roles);
    SUITE_TEST(&suite, rows_come_by_the_first_measure_then_by_dimensions);
    SUITE_ROWS(&suite, rows_in_order, order_rows);
    SUITE_TEST(&suite, sorting_by_what_is_not_there_is_refused);
    SUITE_TEST(&suite, several_dimensions_at_once);
    SUITE_TEST(&suite, a_number_can_be_a_dimension);
    SUITE_TEST(&suite, the_same_answer_through_a_reader);
    SUITE_TEST(&suite, the_statement_can_be_seen);
    SUITE_TEST(&suite, amounts_and_distinct_counts_of_some_runs_in_one_series);
    SUITE_TEST(&suite, one_run_beyond_64_bits_is_exact);
    SUITE_TEST(&suite, a_sum_beyond_64_bits_is_exact);
    SUITE_TEST(&suite, an_empty_store_has_zeros_and_no_groups);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "question");
}
