/* SPDX-License-Identifier: MIT */
#include "base/attribute.h"
#include "base/zone.h"
#include "facts/facts.h"
#include "record/run.h"
#include "support/expect.h"
#include "support/runs.h"

/*
 * Tasks of an array that wait are one record. It shrinks while tasks leave it, and the last one takes
 * its number: then nothing waits any more, whatever was imported when.
 */

#define SUBMIT (INT64_C(1740816000) * SECOND_US)

static struct run make_run(int64_t job)
{
    struct run run = {0};
    RUN_SET(&run, cluster, STR("toy"));
    RUN_SET(&run, job, job);
    RUN_SET(&run, array_job, job);
    RUN_SET(&run, attempt, SUBMIT);
    RUN_SET(&run, submit, SUBMIT);
    return run;
}

static struct run waiting(int64_t job, int64_t count)
{
    struct run run = make_run(job);
    RUN_SET(&run, task_count, count);
    RUN_SET(&run, class, run_class_name(CLASS_PENDING));
    return run;
}

static struct run cancelled(int64_t job, int64_t count)
{
    struct run run = waiting(job, count);
    RUN_SET(&run, class, run_class_name(CLASS_CANCELLED));
    RUN_SET(&run, end, SUBMIT + DAY_US);
    return run;
}

/* A task that left; `raw` is the number it got. */
static struct run task(int64_t job, int64_t index, int64_t raw)
{
    struct run run = make_run(job);
    RUN_SET(&run, task, index);
    RUN_SET(&run, job_raw, raw);
    RUN_SET(&run, start, SUBMIT + HOUR_US);
    RUN_SET(&run, class, run_class_name(CLASS_RUNNING));
    return run;
}

static int64_t ask(struct runs_store *store, const char *sql)
{
    int64_t number = -1;
    struct error err = {0};
    if (facts_number(store->facts, sql, (struct facts_values){0}, &number, NULL, &err)) {
        expect_fail("%s", err.text);
    }
    return number;
}

#define WAITING "SELECT coalesce(sum(task_count), 0)::BIGINT FROM runs WHERE class = 'pending'"
#define ALL     "SELECT count(*) FROM runs"

struct story_row {
    const char *name;
    struct run (*make[4])(void);
    int64_t waiting; /* tasks, in the end */
    int64_t runs;
};

static struct run three_wait(void)
{
    return waiting(7, 3);
}

static struct run two_wait(void)
{
    return waiting(7, 2);
}

static struct run two_cancelled(void)
{
    return cancelled(7, 2);
}

static struct run first_left(void)
{
    return task(7, 1, 8);
}

static struct run last_left(void)
{
    return task(7, 3, 7);
}

static struct run last_left_later(void)
{
    struct run run = task(7, 3, 7);
    RUN_SET(&run, attempt, SUBMIT + DAY_US); /* requeued: a new submission */
    return run;
}

static struct run last_of_another(void)
{
    return task(9, 3, 9);
}

static const struct story_row story_rows[] = {
    {"a record that shrinks is replaced", {three_wait, first_left, two_wait}, 2, 2},
    {"it goes with the last task", {three_wait, first_left, last_left}, 0, 2},
    {"an older record does not come back", {last_left, first_left, three_wait}, 0, 2},
    {"also if that was requeued since", {three_wait, last_left_later}, 0, 1},
    {"a task that got a number of its own takes nothing away", {three_wait, first_left}, 3, 2},
    {"nor does one of another array", {three_wait, last_of_another}, 3, 2},
    {"tasks cancelled together stay", {two_cancelled, last_left}, 0, 2},
};

static void each_in_an_import_of_its_own(void **state)
{
    const struct story_row *row = *state;
    struct runs_store store;
    int64_t rows = 0;
    runs_open(&store);
    for (size_t i = 0; i < COUNT_OF(row->make) && row->make[i]; i++) {
        struct run run = row->make[i]();
        struct append_counts counts;
        runs_put(&store, &run, 1, &counts);
        rows += counts.added;
    }
    expect_int(ask(&store, WAITING), row->waiting);
    expect_int(ask(&store, ALL), row->runs);
    expect_int(rows, row->runs);
    runs_close(&store);
}

static void all_in_one_import(void **state)
{
    const struct story_row *row = *state;
    struct runs_store store;
    struct run runs[COUNT_OF(row->make)];
    size_t count = 0;
    runs_open(&store);
    for (; count < COUNT_OF(row->make) && row->make[count]; count++) {
        runs[count] = row->make[count]();
    }
    struct append_counts counts;
    runs_put(&store, runs, count, &counts);
    expect_int(counts.added, row->runs);
    expect_int(ask(&store, WAITING), row->waiting);
    expect_int(ask(&store, ALL), row->runs);
    runs_close(&store);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, each_in_an_import_of_its_own, story_rows);
    SUITE_ROWS(&suite, all_in_one_import, story_rows);
    return suite_run(&suite, "waiting_tasks");
}
