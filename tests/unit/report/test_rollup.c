/* SPDX-License-Identifier: MIT */

/*
 * Roll-ups give the same answers as the runs, whatever is asked, and whatever happened to the runs in
 * between. Every question is asked both ways, and the answers are compared as they would be printed.
 */

#include "report/rollup/rollup.h"

#include <stdio.h>

#include "unit/report/ask.h"
#include "view/export/export.h"

enum { RUNS = 1200, DAYS = 120 };

static struct runs_store store;
static struct zone *oslo, *utc;
static uint64_t random_state = 88172645463325252;

static int64_t random_below(int64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int64_t)(random_state >> 11) % limit;
}

/* 2025-01-15 in Oslo: the days until May hold a clock change. */
static int64_t begin(void)
{
    return ask_instant(oslo, "2025-01-15");
}

static struct str one_of(const char *const *names, size_t count)
{
    return str_of(names[random_below((int64_t)count)]);
}

/* All oddities: never started, no length, backwards, unknown cpus, suspended, ended nobody knows when. */
static struct run random_run(bool open)
{
    static const char *const users[] = {"ann", "bob", "cy", "di"};
    static const char *const groups[] = {"chem", "geo"};
    static const char *const classes[] = {"completed", "failed", "timeout", "cancelled"};
    struct run run = {0};
    int64_t submit = begin() + random_below(DAYS * DAY_US);
    int64_t start = submit + random_below(2 * HOUR_US);
    int64_t lengths[] = {0, -5, random_below(HOUR_US), random_below(DAY_US),
                         random_below(30 * DAY_US)};
    RUN_SET(&run, user, one_of(users, COUNT_OF(users)));
    RUN_SET(&run, submit, submit);
    RUN_SET(&run, class, open ? STR("running") : one_of(classes, COUNT_OF(classes)));
    if (random_below(3)) {
        RUN_SET(&run, group, one_of(groups, COUNT_OF(groups)));
    }
    if (!open && random_below(20) == 0) {
        return run; /* never started */
    }
    if (random_below(40) == 0) {
        start = start - start % DAY_US - HOUR_US; /* on an edge: midnight in Oslo in winter */
    }
    RUN_SET(&run, start, start);
    if (open && random_below(10)) {
        RUN_SET(&run, seen, start + random_below(DAYS * DAY_US));
    }
    if (!open && random_below(30)) {
        RUN_SET(&run, end, start + lengths[random_below(COUNT_OF(lengths))]);
    }
    if (random_below(10)) {
        RUN_SET(&run, cpus, 1 + random_below(64));
    }
    if (random_below(4)) {
        RUN_SET(&run, cpu_used_us, random_below(DAY_US));
    }
    if (random_below(15) == 0) {
        RUN_SET(&run, suspended_us, random_below(2 * HOUR_US));
    }
    return run;
}

static void add_random_runs(size_t count, bool open)
{
    struct run *runs = calloc(count, sizeof(*runs));
    for (size_t i = 0; i < count; i++) {
        runs[i] = random_run(open);
    }
    runs_add(&store, runs, count);
    free(runs);
}

static void refresh(const struct zone *zone)
{
    struct error err = {0};
    if (rollup_refresh(store.facts, zone, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

/* The answer as CSV; the caller releases it. */
static void answer_of(struct question *question, enum question_path path, struct buf *out)
{
    struct table table;
    const struct export_style style = {.header = true, .zone = question->zone};
    question->path = path;
    ask(store.facts, question, &table);
    buf_init(out, 1 << 24);
    export_write(out, export_find(STR("csv")), &table, &style);
    table_release(&table);
}

static void expect_both_ways_the_same(struct question *question)
{
    struct buf rolled, plain;
    answer_of(question, PATH_ANY, &rolled);
    answer_of(question, PATH_FACTS, &plain);
    expect_text(rolled.ptr, plain.ptr);
    buf_release(&rolled);
    buf_release(&plain);
}

/* Where the answer would come from. */
static void expect_path(struct question *question, const char *path)
{
    struct table table = {0};
    struct error err = {0};
    question->path = PATH_ANY;
    expect_int(question_explain(store.facts, question, &table, &err), 0);
    expect_contains(ask_text(&table, "path", 0).ptr, path);
    table_release(&table);
}

static struct question question_of(const char *measures_, const char *by, enum bucket bucket,
                                   const char *from, const char *to)
{
    struct question question = {.zone = oslo, .bucket = bucket};
    question.period = ask_period(oslo, from, to);
    question.now = ask_instant(oslo, "2025-04-20T11:30");
    ask_measures(&question, measures_);
    if (by) {
        ask_by(&question, by);
    }
    return question;
}

#define SUMS                                                                                   \
    "cpu_hours,wall_hours,jobs,jobs_started,jobs_submitted,jobs_never_started,jobs_failed,"    \
    "wait_hours,cpu_used_hours,running_avg"

static const struct {
    const char *measures, *by;
    enum bucket bucket;
    const char *from, *to, *path;
} rows[] = {
    {SUMS, NULL, BUCKET_NONE, "2025-02", "2025-04", "rollup_month ("},
    {SUMS, "user", BUCKET_NONE, "2025-02", "2025-04", "rollup_month ("},
    {SUMS, "user,group", BUCKET_MONTH, "2025-02", "2025-04", "rollup_month ("},
    {SUMS, "group", BUCKET_QUARTER, "2025-01", "2025-12", "rollup_month ("},
    {SUMS, "cluster", BUCKET_DAY, "2025-03-20", "2025-04-10", "rollup_day ("},
    {SUMS, NULL, BUCKET_WEEK, "2025-02-03", "2025-04-13", "rollup_day ("},
    {SUMS, "weekday", BUCKET_NONE, "2025-02-03", "2025-04-13", "rollup_day ("},
    {SUMS, "user", BUCKET_NONE, "2025-02-10T13:30", "2025-04-10T01:15", "rollup_month ("},
    {SUMS, "user", BUCKET_MONTH, "2025-02-10T13:30", "2025-04-10T01:15", "rollup_day ("},
    {SUMS, NULL, BUCKET_HOUR, "2025-03-29", "2025-03-31", "runs ("},
    {SUMS, "hour_of_day", BUCKET_NONE, "2025-02", "2025-04", "runs ("},
    {SUMS, "class", BUCKET_NONE, "2025-02", "2025-04", "runs ("},
    {SUMS ",wait_median", NULL, BUCKET_NONE, "2025-02", "2025-04", "runs ("},
    {SUMS, "user", BUCKET_NONE, "2025-02-10T13:30", "2025-02-10T15:30", "runs ("},
    {"users,jobs_active,cpu_hours", NULL, BUCKET_NONE, "2025-02", "2025-04", "rollup_month ("},
    {"users,jobs_active", "group", BUCKET_QUARTER, "2025-01", "2025-06", "rollup_month ("},
    {"users,jobs_active", "group", BUCKET_WEEK, "2025-02-03", "2025-04-13", "rollup_day ("},
    {"users,jobs_active", NULL, BUCKET_NONE, "2025-02-03T01:00", "2025-04-13", "runs ("},
    {"users,jobs_active", "weekday", BUCKET_NONE, "2025-02-03", "2025-04-13", "runs ("},
};

static void expect_all_rows(bool as_planned)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct question question =
            question_of(rows[i].measures, rows[i].by, rows[i].bucket, rows[i].from, rows[i].to);
        if (as_planned) {
            expect_path(&question, rows[i].path);
        }
        expect_both_ways_the_same(&question);
        ask_where(&question, "user", "ann,c*");
        expect_both_ways_the_same(&question);
    }
}

static void opens(void **state)
{
    (void)state;
    oslo = ask_zone("Europe/Oslo");
    utc = ask_zone("UTC");
    runs_open(&store);
}

static void without_roll_ups_the_runs_answer(void **state)
{
    (void)state;
    struct question question = question_of(SUMS, "user", BUCKET_NONE, "2025-02", "2025-04");
    add_random_runs(RUNS, false);
    expect_path(&question, "runs (");
}

static void answers_are_the_same_both_ways(void **state)
{
    (void)state;
    refresh(oslo);
    expect_all_rows(true);
}

static void expect_due(bool wanted)
{
    struct error err = {0};
    bool due = !wanted;
    expect_int(rollup_is_due(store.facts, &due, &err), 0);
    expect_int(due, wanted);
}

static void what_changed_is_seen_before_it_is_rolled_up(void **state)
{
    (void)state;
    struct question question = question_of(SUMS, "user", BUCKET_NONE, "2025-02", "2025-04");
    add_random_runs(100, false);
    expect_path(&question, "runs (");
    expect_both_ways_the_same(&question);
    expect_due(true);
    refresh(oslo);
    expect_due(false);
    expect_path(&question, "rollup_month (");
    expect_all_rows(true);
}

static bool follow(int64_t changed)
{
    struct error err = {0};
    bool left = false;
    if (rollup_follow(store.facts, oslo, changed, &left, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return left;
}

static void execute(const char *sql)
{
    struct error err = {0};
    if (facts_execute(store.facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

/* After an import of a few runs the roll-ups follow; not after one of very many, nor one that changed nothing. */
static void they_follow_what_changed_unless_it_is_much(void **state)
{
    (void)state;
    struct question question = question_of(SUMS, "user", BUCKET_NONE, "2025-02", "2025-04");
    add_random_runs(100, false);
    expect_true(!follow(0));
    expect_path(&question, "runs (");
    expect_true(follow(200001));
    expect_path(&question, "runs (");
    expect_true(!follow(100));
    expect_path(&question, "rollup_month (");
    expect_both_ways_the_same(&question);

    /* two million runs of the days that changed are too many, of other days they do not matter */
    execute(
        "INSERT INTO runs (cluster, job, attempt, batch, submit, start, \"end\", until) SELECT "
        "'many', range, 0, 0, 0, 0, 1, 1 FROM range(2000001)");
    add_random_runs(10, false);
    expect_true(!follow(10));
    execute(
        "UPDATE runs SET start = 1740000000000000, until = 1740000000000001 WHERE cluster = "
        "'many'");
    add_random_runs(10, false);
    expect_true(follow(10));
    expect_path(&question, "runs (");
    execute("DELETE FROM runs WHERE cluster = 'many'");
    expect_true(!follow(10));
    expect_path(&question, "rollup_month (");
}

static void roll_ups_of_another_zone_are_not_used(void **state)
{
    (void)state;
    struct question question = question_of(SUMS, "user", BUCKET_DAY, "2025-02", "2025-04");
    refresh(utc);
    expect_path(&question, "runs (");
    expect_both_ways_the_same(&question);
    refresh(oslo);
    expect_path(&question, "rollup_day (");
}

static void runs_that_go_on_come_from_the_facts(void **state)
{
    (void)state;
    struct question question = question_of(SUMS, "user", BUCKET_NONE, "2025-02", "2025-04");
    struct question users = question_of("users", NULL, BUCKET_NONE, "2025-02", "2025-04");
    add_random_runs(50, true);
    refresh(oslo);
    expect_path(&question, "runs, runs still running");
    expect_path(&users, "runs (");
    expect_all_rows(false);
}

static void closes(void **state)
{
    (void)state;
    runs_close(&store);
    zone_close(oslo);
    zone_close(utc);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens);
    SUITE_TEST(&suite, without_roll_ups_the_runs_answer);
    SUITE_TEST(&suite, answers_are_the_same_both_ways);
    SUITE_TEST(&suite, what_changed_is_seen_before_it_is_rolled_up);
    SUITE_TEST(&suite, they_follow_what_changed_unless_it_is_much);
    SUITE_TEST(&suite, roll_ups_of_another_zone_are_not_used);
    SUITE_TEST(&suite, runs_that_go_on_come_from_the_facts);
    SUITE_TEST(&suite, closes);
    return suite_run(&suite, "rollup");
}
