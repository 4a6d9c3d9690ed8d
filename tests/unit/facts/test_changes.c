/* SPDX-License-Identifier: MIT */

/*
 * The change feed: every change of a run is in it, in the transaction that made it; bulk is a row; and what is
 * old can be forgotten. That a copy made by the feed alone is the same as the store is also looked at by
 * whatever imports and pulls in tests (support/follower.h).
 */
#include "facts/changes.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/zone.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/migrations.h"
#include "support/facts_at.h"
#include "support/follower.h"
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

static void follow(void)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/copy.duckdb", store.folder);
    follower_follow(store.facts, path);
}

static int64_t number(const char *sql)
{
    struct error err = {0};
    int64_t value = -1;
    if (facts_number(store.facts, sql, (struct facts_values){0}, &value, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return value;
}

static void execute(const char *sql)
{
    struct error err = {0};
    if (facts_execute(store.facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

/* --- steps and what the feed says of them ------------------------------------------------------- */

/* "added 1; ended job 7; ": what came after `since`, which is moved on. */
static void expect_news(int64_t *since, const char *want)
{
    struct error err = {0};
    struct table news = {0};
    struct buf got;
    buf_init(&got, LIMIT_SQL);
    if (changes_since(store.facts, *since, 1000, &news, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t row = 0; row < news.row_count; row++) {
        const struct str kind = news.columns[CHANGES_KIND].cells[row].text;
        buf_addf(&got, "%s%.*s", row ? ", " : "", STR_ARG(kind));
        if (table_has(&news, CHANGES_CLUSTER + 1, row)) {
            buf_addf(&got, " job %d", (int)table_wide(&news, CHANGES_CLUSTER + 1, row));
        } else {
            buf_addf(&got, " %d", (int)table_wide(&news, CHANGES_BATCH, row));
        }
        expect_true(table_wide(&news, CHANGES_SEQ, row) > *since);
        *since = (int64_t)table_wide(&news, CHANGES_SEQ, row);
    }
    expect_text(got.ptr, want);
    buf_release(&got);
    table_release(&news);
    follow();
}

static struct run run_of(int64_t job, enum run_class class)
{
    struct run run = {0};
    RUN_SET(&run, job, job);
    RUN_SET(&run, attempt, SUBMIT);
    RUN_SET(&run, submit, SUBMIT);
    RUN_SET(&run, class, run_class_name(class));
    if (class != CLASS_PENDING) {
        RUN_SET(&run, start, SUBMIT + HOUR_US);
    }
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

static void an_import_is_a_row_and_what_it_replaces_a_row_each(void **state)
{
    (void)state;
    int64_t since = 0;
    const struct run first[] = {run_of(1, CLASS_COMPLETED), run_of(2, CLASS_RUNNING),
                                run_of(3, CLASS_PENDING), run_of(4, CLASS_COMPLETED)};
    const struct run second[] = {run_of(1, CLASS_FAILED), run_of(5, CLASS_COMPLETED)};
    const struct run third[] = {run_of(2, CLASS_TIMEOUT)};
    const struct run fourth[] = {run_of(3, CLASS_RUNNING)};
    const struct run older[] = {run_of(2, CLASS_RUNNING)};
    put(first, COUNT_OF(first));
    expect_news(&since, "added 1");
    put(second, COUNT_OF(second));
    expect_news(&since, "added 2, replaced job 1");
    put(third, COUNT_OF(third));
    expect_news(&since, "added 3, ended job 2");
    put(fourth, COUNT_OF(fourth));
    expect_news(&since, "added 4, replaced job 3");
    put(older, COUNT_OF(older)); /* gives way to what is there */
    expect_news(&since, "");
}

static void what_is_outgrown_is_removed(void **state)
{
    (void)state;
    int64_t since = 0;
    struct run waiting = run_of(7, CLASS_PENDING), last = run_of(7, CLASS_RUNNING);
    RUN_SET(&waiting, task_count, 3);
    RUN_SET(&last, task, 3);
    RUN_SET(&last, job_raw, 7);
    put(&waiting, 1);
    expect_news(&since, "added 1");
    put(&last, 1);
    expect_news(&since, "added 2, removed job 7");
    expect_int(number("SELECT count(*) FROM runs"), 1);
}

static void what_learns_from_a_record_that_gives_way_is_said_to(void **state)
{
    (void)state;
    int64_t since = 0;
    struct run seen = run_of(7, CLASS_RUNNING), again = seen;
    RUN_SET(&seen, seen, SUBMIT + 9 * HOUR_US);
    RUN_SET(&again, seen, SUBMIT + 2 * HOUR_US);
    RUN_SET(&again, start, SUBMIT);
    put(&seen, 1);
    expect_news(&since, "added 1");
    put(&again, 1); /* it started earlier, but was seen later */
    expect_news(&since, "replaced job 7");
    expect_int(number("SELECT start FROM runs"), SUBMIT);
}

static void what_is_rolled_back_is_not_in_the_feed(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t since = 0, latest = -1;
    const struct run one = run_of(1, CLASS_COMPLETED), two = run_of(2, CLASS_COMPLETED);
    put(&one, 1);
    expect_news(&since, "added 1");
    expect_int(facts_begin(store.facts, &err), 0);
    execute("INSERT INTO changes (kind, batch) VALUES ('added', 99)");
    facts_rollback(store.facts);
    expect_int(changes_latest(store.facts, &latest, &err), 0);
    expect_int(latest, since);
    put(&two, 1);
    expect_news(&since, "added 2");
}

/* --- pruning ---------------------------------------------------------------------------------- */

static void prune(int64_t seq)
{
    struct error err = {0};
    expect_int(facts_begin(store.facts, &err), 0);
    expect_int(changes_prune(store.facts, seq, &err), 0);
    expect_int(facts_commit(store.facts, &err), 0);
}

static void a_reader_who_comes_too_late_begins_again(void **state)
{
    (void)state;
    struct error err = {0};
    struct table news = {0};
    int64_t since = 0, late;
    const struct run first[] = {run_of(1, CLASS_COMPLETED), run_of(2, CLASS_RUNNING)};
    const struct run third = run_of(3, CLASS_COMPLETED), second = run_of(2, CLASS_FAILED);
    put(first, COUNT_OF(first));
    expect_news(&since, "added 1");
    late = since;
    put(&second, 1);
    put(&third, 1);
    int64_t latest = 0;
    expect_int(changes_latest(store.facts, &latest, &err), 0);
    prune(latest - 1);
    expect_int(changes_since(store.facts, late, 10, &news, &err), ERROR_MISSING);
    expect_contains(err.text, "begin again from 0");
    table_release(&news);
    since = 0;
    expect_news(&since, "all 2, added 3");
    since = latest - 1;
    expect_news(&since, "added 3");
    prune(latest);
    expect_news(&since, ""); /* who has read all of it is not disturbed */
}

static void the_feed_stays_small_by_itself(void **state)
{
    (void)state;
    const struct run one = run_of(1, CLASS_COMPLETED);
    char sql[160];
    put(&one, 1);
    follow();
    snprintf(sql, sizeof(sql),
             "INSERT INTO changes (kind, cluster, job) SELECT 'removed', 'gone', range FROM "
             "range(%d)",
             2 * CHANGES_KEPT);
    execute(sql);
    put(&one, 1); /* replaces */
    expect_int(number("SELECT count(*) FROM changes"), CHANGES_KEPT + 2);
    expect_int(number("SELECT count(*) FROM changes WHERE kind = 'all'"), 1);
    expect_int(number("SELECT seq - (SELECT min(seq) FROM changes) FROM changes WHERE kind = "
                      "'all'"),
               0);
    follow();
}

/* --- stores of before ------------------------------------------------------------------------- */

/* A store as the version before left it: its schema, and two batches of runs. */
static void make_store_of_schema_8(const char *folder)
{
    struct store *opened = NULL;
    struct facts *raw = NULL;
    struct error err = {0};
    char path[128];
    snprintf(path, sizeof(path), "%s/facts.duckdb", folder);
    expect_int(store_open_file(path, FACTS_WRITE, &opened, &err), 0);
    expect_int(facts_open(opened, FACTS_WRITE, NULL, &raw, &err), 0);

    static const char *const rows[] = {
        "CREATE TABLE migrations (number INTEGER NOT NULL, name VARCHAR NOT NULL, applied "
        "TIMESTAMP NOT NULL)",
        "INSERT INTO migrations SELECT unnest([1, 2, 3, 4, 5, 6, 7, 8]), 'step', "
        "now()::TIMESTAMP",
        "INSERT INTO runs (cluster, job, attempt, submit, start, \"end\", \"until\", class, "
        "flags, "
        "cpus, batch, line, digest) VALUES "
        "('toy', 1, 1740816000000000, 1740816000000000, 1740819600000000, 1740823200000000, "
        "1740823200000000, 'completed', 0, 4, 1, 1, 11), "
        "('toy', 2, 1740816000000000, 1740816000000000, 1740819600000000, NULL, "
        "9223372036854775807, 'running', 0, 8, 2, 1, 12)",
    };

    for (size_t i = 0; i < migrations_count && migrations[i].number <= 8; i++) {
        expect_int(facts_execute(raw, migrations[i].sql, (struct facts_values){0}, NULL, &err),
                   0);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_int(facts_execute(raw, rows[i], (struct facts_values){0}, NULL, &err), 0);
    }
    facts_close(raw);
    store_close(opened);
}

static void a_store_of_the_version_before_has_a_feed_of_all_that_is_there(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t since = 0;
    facts_leave(store.facts);
    runs_remove_folder(store.folder);
    expect_int(mkdir(store.folder, 0700), 0);
    make_store_of_schema_8(store.folder);
    if (facts_at(store.folder, FACTS_WRITE, &store.facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
    store.batch = 2;
    expect_news(&since, "all 2");
    expect_int(number("SELECT count(*) FROM runs"), 2);
    const struct run ended = run_of(2, CLASS_COMPLETED);
    put(&ended, 1);
    expect_news(&since, "added 3, ended job 2");
    expect_int(number("SELECT count(*) FROM runs"), 2);
}

static void the_feed_has_the_columns_of_the_identity(void **state)
{
    (void)state;
    struct error err = {0};
    struct table columns = {0};
    size_t row = 0;
    if (facts_query(store.facts,
                    "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = "
                    "'changes' ORDER BY column_index",
                    (struct facts_values){0}, &columns, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & FIELD_KEY) {
            const size_t at = CHANGES_CLUSTER + row++;
            expect_true(at < columns.row_count);
            expect_text(columns.columns[0].cells[at].text.ptr, run_fields[i].member);
            expect_text(columns.columns[1].cells[at].text.ptr,
                        run_fields[i].type == FIELD_TEXT ? "VARCHAR" : "BIGINT");
        }
    }
    expect_uint(columns.row_count, CHANGES_CLUSTER + row);
    table_release(&columns);
}

int main(void)
{
    struct suite suite = {0};

#define IN_A_STORE(name) suite_test_with(&suite, #name, name, open_store, close_store, NULL)

    IN_A_STORE(an_import_is_a_row_and_what_it_replaces_a_row_each);
    IN_A_STORE(what_is_outgrown_is_removed);
    IN_A_STORE(what_learns_from_a_record_that_gives_way_is_said_to);
    IN_A_STORE(what_is_rolled_back_is_not_in_the_feed);
    IN_A_STORE(a_reader_who_comes_too_late_begins_again);
    IN_A_STORE(the_feed_stays_small_by_itself);
    IN_A_STORE(a_store_of_the_version_before_has_a_feed_of_all_that_is_there);
    IN_A_STORE(the_feed_has_the_columns_of_the_identity);
    return suite_run(&suite, "changes");
}
