/* SPDX-License-Identifier: MIT */

/*
 * The runs that changed, by the feed: each once, whichever way it changed, and as they are now.
 */
#include "facts/changed_runs.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/zone.h"
#include "facts/changes.h"
#include "support/runs.h"

#define SUBMIT (INT64_C(1740816000) * SECOND_US)

static struct runs_store store;

static int open_store(void **state)
{
    (void)state;
    runs_open(&store);
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    runs_close(&store);
    return 0;
}

static void execute(const char *sql)
{
    struct error err = {0};
    if (facts_execute(store.facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static int64_t latest(void)
{
    struct error err = {0};
    int64_t seq = -1;
    if (changes_latest(store.facts, &seq, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return seq;
}

/* How often each of the first jobs came, there or gone, and how many others. */
struct seen {
    int there[10], gone[10];
    int64_t others;
};

static int take(void *context, const struct table *chunk, struct error *err)
{
    struct seen *seen = context;
    struct run run = {0};
    (void)err;
    for (size_t i = 0; i < chunk->row_count; i++) {
        const bool there = changed_runs_read(&changed_columns_all, chunk, i, &run);
        const size_t job = RUN_HAS(&run, job) ? (size_t)run.job : 0; /* 0: it has a key */
        if (job >= COUNT_OF(seen->there)) {
            seen->others++;
        } else {
            (there ? seen->there : seen->gone)[job]++;
        }
    }
    return 0;
}

/* "1 5 gone 7": what changed since, which is moved on. */
static void expect_changed(int64_t *since, const char *want)
{
    struct error err = {0};
    struct seen seen = {0};
    struct buf got;
    const int64_t upto = latest();
    buf_init(&got, LIMIT_SQL);
    if (changed_runs_by_feed(store.facts, *since, upto, &changed_columns_all,
                             &(struct table_sink){&seen, take}, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (int job = 0; job < (int)COUNT_OF(seen.there); job++) {
        for (int i = 0; i < seen.there[job]; i++) {
            buf_addf(&got, "%s%d", got.len ? " " : "", job);
        }
        for (int i = 0; i < seen.gone[job]; i++) {
            buf_addf(&got, "%sgone %d", got.len ? " " : "", job);
        }
    }
    expect_text(got.ptr ? got.ptr : "", want);
    expect_true(seen.others == 0);
    buf_release(&got);
    *since = upto;
}

static struct run run_of(int64_t job, enum run_class class)
{
    struct run run = {0};
    RUN_SET(&run, job, job);
    RUN_SET(&run, attempt, SUBMIT);
    RUN_SET(&run, submit, SUBMIT);
    RUN_SET(&run, start, SUBMIT + HOUR_US);
    RUN_SET(&run, class, run_class_name(class));
    if (run_class_is_over(run.class)) {
        RUN_SET(&run, end, SUBMIT + DAY_US);
    }
    return run;
}

static void put(const struct run *runs, size_t count)
{
    struct append_counts counts;
    runs_put(&store, runs, count, &counts);
}

/* A change of a run where it is, as what looks for those that vanished makes it. */
static void change_in_place(const char *kind, int64_t job)
{
    char sql[256];
    snprintf(sql, sizeof(sql),
             "INSERT INTO changes (kind, batch, cluster, job, job_key, task, het, attempt) "
             "SELECT '%s', batch, cluster, job, job_key, task, het, attempt FROM runs WHERE "
             "job = %" PRId64,
             kind, job);
    execute(sql);
}

static void each_run_that_changed_comes_once(void **state)
{
    (void)state;
    int64_t since = 0;
    const struct run first[] = {run_of(1, CLASS_COMPLETED), run_of(2, CLASS_RUNNING),
                                run_of(3, CLASS_RUNNING), run_of(4, CLASS_COMPLETED)};
    const struct run second[] = {run_of(1, CLASS_FAILED), run_of(5, CLASS_COMPLETED)};
    const struct run third[] = {run_of(2, CLASS_TIMEOUT)};
    put(first, COUNT_OF(first));
    expect_changed(&since, "1 2 3 4");
    put(second, COUNT_OF(second));
    expect_changed(&since, "1 5");
    put(third, COUNT_OF(third));
    change_in_place("ended", 3);
    change_in_place("replaced", 3);
    expect_changed(&since, "2 3");
    expect_changed(&since, "");
    change_in_place("removed", 4);
    change_in_place("removed", 5); /* and it came again */
    execute("DELETE FROM runs WHERE job = 4");
    expect_changed(&since, "gone 4");
    since = 0;
    expect_changed(&since, "1 2 3 gone 4 5");
}

static void a_batch_between_two_that_were_added_is_not_read(void **state)
{
    (void)state;
    int64_t since = 0;
    const struct run first[] = {run_of(1, CLASS_COMPLETED)};
    const struct run second[] = {run_of(2, CLASS_COMPLETED)};
    const struct run third[] = {run_of(3, CLASS_COMPLETED)};
    put(first, 1);
    put(second, 1);
    put(third, 1);
    execute("DELETE FROM changes WHERE batch = (SELECT batch FROM runs WHERE job = 2)");
    expect_changed(&since, "1 3");
    execute("INSERT INTO changes (kind, batch) SELECT 'all', batch FROM runs WHERE job = 2");
    expect_changed(&since, "1 2");
}

static void a_run_without_a_number_is_found_by_its_key(void **state)
{
    (void)state;
    int64_t since = 0;
    const struct run first[] = {run_of(1, CLASS_COMPLETED), run_of(2, CLASS_COMPLETED)};
    put(first, COUNT_OF(first));
    execute("UPDATE runs SET job = NULL, job_key = 'web/0' WHERE job = 1");
    since = latest();
    execute("INSERT INTO changes (kind, batch, cluster, job_key, task, het, attempt) SELECT "
            "'replaced', batch, cluster, job_key, task, het, attempt FROM runs WHERE job IS "
            "NULL");
    change_in_place("replaced", 2);
    expect_changed(&since, "0 2");
}

/* As many runs as the memory of a process that writes cannot keep at once. */
static void a_few_among_millions_need_no_more_memory_than_a_few(void **state)
{
    (void)state;
    const struct run first[] = {run_of(1, CLASS_COMPLETED), run_of(2, CLASS_COMPLETED),
                                run_of(3, CLASS_COMPLETED)};
    put(first, COUNT_OF(first));
    execute("INSERT INTO runs (cluster, job, job_key, attempt, batch) SELECT 'toy', i, 'a job "
            "whose name takes some room ' || i, i * 7, 1 FROM range(4, 1200000) t(i)");
    int64_t since = latest();
    change_in_place("replaced", 1);
    change_in_place("removed", 2);
    execute("DELETE FROM runs WHERE job = 2");
    change_in_place("replaced", 1000000);
    change_in_place("removed", 1000000);
    struct error err = {0};
    struct seen seen = {0};
    if (changed_runs_by_feed(store.facts, since, latest(), &changed_columns_all,
                             &(struct table_sink){&seen, take}, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_true(seen.there[1] == 1 && seen.gone[2] == 1 && seen.others == 1);
}

int main(void)
{
    struct suite suite = {0};

#define IN_A_STORE(name) suite_test_with(&suite, #name, name, open_store, close_store, NULL)

    IN_A_STORE(each_run_that_changed_comes_once);
    IN_A_STORE(a_batch_between_two_that_were_added_is_not_read);
    IN_A_STORE(a_run_without_a_number_is_found_by_its_key);
    IN_A_STORE(a_few_among_millions_need_no_more_memory_than_a_few);
    return suite_run(&suite, "changed_runs");
}
