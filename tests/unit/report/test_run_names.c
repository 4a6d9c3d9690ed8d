/* SPDX-License-Identifier: MIT */

/*
 * Names of runs in a store: the engine writes the same ones as record/run_id.c does, no two runs share one,
 * and the filter on jobs finds the run of a name and no other.
 */
#include "base/limit.h"
#include "base/mem.h"
#include "facts/statement.h"
#include "record/run_id.h"
#include "report/filter.h"
#include "support/chance.h"
#include "support/runs.h"

#include <stdlib.h>

static struct runs_store store;

enum { RUNS = 400, TEXT_MAX = 12 };

/* --- identities ------------------------------------------------------------------------------- */

static const enum run_field keys[] = {RUN_cluster, RUN_job, RUN_job_key,
                                      RUN_task,    RUN_het, RUN_attempt};

static int64_t any_number(struct chance *chance)
{
    static const int64_t odd[] = {0, -1, 1, 999999, 1000000, 1000001, INT64_MIN, INT64_MAX};
    return chance_of(chance, 50) ? odd[chance_below(chance, COUNT_OF(odd))]
                                 : chance_below(chance, INT64_C(1) << 52);
}

/* Text as stores have it: UTF-8, with every byte that a name has to escape. */
static struct str any_text(struct chance *chance, struct arena *arena)
{
    static const char *const pieces[] = {"a", "Z",  "0",    "_",        "-",
                                         ".", "~",  "=",    "%",        ":",
                                         "+", "@",  "/",    ",",        "*",
                                         " ", "\t", "\x7f", "\xc3\xa9", "?",
                                         "!", "#",  "=2",   "%2F",      "\xf0\x9f\x8c\xb2",
                                         "'"};
    struct buf text;
    buf_init(&text, LIMIT_TEXT_FIELD);
    const int64_t count = 1 + chance_below(chance, TEXT_MAX);
    for (int64_t i = 0; i < count; i++) {
        buf_addz(&text, pieces[chance_below(chance, COUNT_OF(pieces))]);
    }
    const struct str copy = arena_copy(arena, buf_str(&text));
    buf_release(&text);
    return copy;
}

static void any_identity(struct chance *chance, struct arena *arena, struct run *run)
{
    const bool numbered = chance_of(chance, 60);
    *run = (struct run){0};
    RUN_SET(run, cluster, any_text(chance, arena));
    if (numbered) {
        RUN_SET(run, job, any_number(chance));
    }
    if (!numbered || chance_of(chance, 10)) {
        RUN_SET(run, job_key, any_text(chance, arena));
    }
    if (chance_of(chance, 40)) {
        RUN_SET(run, task, any_number(chance));
    }
    if (chance_of(chance, 30)) {
        RUN_SET(run, het, any_number(chance));
    }
    if (chance_of(chance, 80)) {
        RUN_SET(run, attempt, any_number(chance));
    }
}

static struct facts_value value_of(const struct run *run, enum run_field field)
{
    const char *member = (const char *)run + run_fields[field].offset;
    if (!run_has(run, field)) {
        return FACTS_NULL;
    }
    return run_fields[field].type == FIELD_TEXT
               ? FACTS_TEXT(*(const struct str *)(const void *)member)
               : FACTS_INT(*(const int64_t *)(const void *)member);
}

/* Straight into the table: what no feed would give, too. The line says which it is. */
static void put(const struct run *run, int64_t line)
{
    struct error err = {0};
    struct facts_value values[COUNT_OF(keys) + 1];
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        values[i] = value_of(run, keys[i]);
    }
    values[COUNT_OF(keys)] = FACTS_INT(line);
    if (facts_execute(store.facts,
                      "INSERT INTO runs (cluster, job, job_key, task, het, attempt, line) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?)",
                      (struct facts_values){values, COUNT_OF(values)}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static struct run runs[RUNS];

static void opens_a_store(void **state)
{
    (void)state;
    static struct arena arena;
    struct chance chance;
    chance_init(&chance, 11);
    for (int64_t i = 0; i < RUNS; i++) {
        any_identity(&chance, &arena, &runs[i]);
        put(&runs[i], i);
    }
}

/* --- claims ----------------------------------------------------------------------------------- */

static void the_engine_writes_the_same_names(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err = {0};
    struct buf id;
    buf_init(&id, LIMIT_SQL);
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT line, @run_id(cluster) FROM runs ORDER BY 1");
    if (statement_query(store.facts, &sql, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_uint(table.row_count, RUNS);
    for (size_t row = 0; row < table.row_count; row++) {
        const struct str got = table.columns[1].cells[row].text;
        buf_clear(&id);
        run_id_print(&runs[row], &id);
        if (!str_eq(got, buf_str(&id))) {
            expect_fail("the engine writes '%.*s', C '%s'", STR_ARG(got), id.ptr);
        }
    }
    buf_release(&id);
    statement_release(&sql);
    table_release(&table);
}

static void names_are_as_many_as_identities(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t off = -1;
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT count(DISTINCT (cluster, job, job_key, task, het, attempt)) - "
                        "count(DISTINCT @run_id(cluster)) FROM runs");
    if (statement_number(store.facts, &sql, &off, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
    statement_release(&sql);
    expect_int(off, 0);
}

static void the_filter_on_jobs_finds_the_run_of_a_name_and_no_other(void **state)
{
    (void)state;
    struct statement sql;
    struct buf id;
    buf_init(&id, LIMIT_SQL);
    statement_init(&sql);
    for (size_t i = 0; i < RUNS; i += 3) {
        struct filter filter = {0};
        struct error err = {0};
        struct table table = {0};
        int failed;
        buf_clear(&id);
        statement_clear(&sql);
        run_id_print(&runs[i], &id);
        statement_add(&sql,
                      "SELECT min(line), count(DISTINCT @run_id(cluster)) FROM runs WHERE "
                      "true");
        failed = filter_add(&filter, &run_fields[RUN_job], buf_str(&id), &err);
        filter_sql(&filter, NULL, 0, &sql);
        failed = failed ? failed : statement_query(store.facts, &sql, &table, &err);
        if (failed) {
            expect_fail("%s", err.text);
        }
        expect_int((int64_t)table_wide(&table, 1, 0), 1);
        expect_true((size_t)table_wide(&table, 0, 0) <= i);
        table_release(&table);
    }
    statement_release(&sql);
    buf_release(&id);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store);
    SUITE_TEST(&suite, the_engine_writes_the_same_names);
    SUITE_TEST(&suite, names_are_as_many_as_identities);
    SUITE_TEST(&suite, the_filter_on_jobs_finds_the_run_of_a_name_and_no_other);
    return runs_suite(&suite, &store, "run_names");
}
