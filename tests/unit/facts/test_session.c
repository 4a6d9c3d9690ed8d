/* SPDX-License-Identifier: MIT */

/*
 * Many connections in one store: one that writes and some that read, in one process.
 */

#include "facts/session.h"

#include "facts/append.h"
#include "facts/duckdb/facts_internal.h"
#include "record/scope.h"
#include "unit/ingest/own_toy.h"

static int64_t number(struct facts *facts, const char *sql)
{
    struct error err = {0};
    int64_t value = 0;
    if (facts_number(facts, sql, (struct facts_values){0}, &value, NULL, &err) != 0) {
        expect_fail("%s: %s", sql, err.text);
    }
    return value;
}

static void execute(struct facts *facts, const char *sql)
{
    struct error err = {0};
    if (facts_execute(facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s: %s", sql, err.text);
    }
}

static struct facts *reader_of(struct facts *writer, const struct stop *stop)
{
    struct facts *reader = NULL;
    struct error err = {0};
    expect_int(facts_open(facts_store(writer), FACTS_READ, stop, &reader, &err), 0);
    return reader;
}

#define COUNT_RUNS "SELECT count(*) FROM runs"

static void a_reader_sees_what_is_committed_and_nothing_else(void **state)
{
    (void)state;
    struct error err = {0};
    expect_int(facts_begin(toy.facts, &err), 0);
    execute(toy.facts, "INSERT INTO runs (job, batch) VALUES (1, 1)");
    struct facts *reader = reader_of(toy.facts, NULL);
    expect_int(number(reader, COUNT_RUNS), 0);
    expect_int(facts_commit(toy.facts, &err), 0);
    expect_int(number(reader, COUNT_RUNS), 0); /* one snapshot, until it is closed */
    facts_close(reader);
    reader = reader_of(toy.facts, NULL);
    expect_int(number(reader, COUNT_RUNS), 1);
    facts_close(reader);
}

static void a_batch_that_is_not_settled_is_not_there_for_readers(void **state)
{
    (void)state;
    execute(toy.facts, "INSERT INTO runs (job, batch) VALUES (1, 1), (2, 1), (1, 2)");
    execute(toy.facts, "INSERT INTO parts (job, batch) VALUES (7, 2)");
    execute(toy.facts, "INSERT INTO unsettled VALUES (2, 0, 0, true)");
    struct facts *reader = reader_of(toy.facts, NULL);
    expect_int(number(reader, COUNT_RUNS), 2);
    expect_int(number(reader, "SELECT count(rowid) FROM runs"), 2);
    expect_int(number(reader, "SELECT count(*) FROM parts"), 0);
    execute(toy.facts, "DELETE FROM runs WHERE batch = 1 AND job = 1");
    execute(toy.facts, "DELETE FROM unsettled");
    expect_int(number(reader, COUNT_RUNS), 2);
    facts_close(reader);
    reader = reader_of(toy.facts, NULL);
    expect_int(number(reader, "SELECT sum(batch)::BIGINT FROM runs"), 3);
    expect_int(number(reader, "SELECT count(*) FROM parts"), 1);
    facts_close(reader);
}

/* What hides the batch must not show what the reader may not see. */
static void nor_does_it_show_others_runs_to_one_who_sees_their_own(void **state)
{
    (void)state;
    const struct str ann = STR("ann");
    const struct scope scope = {.logins = &ann, .login_count = 1};
    struct error err = {0};
    execute(toy.facts, "INSERT INTO runs (job, batch, \"user\") VALUES (1, 1, 'ann'), "
                       "(2, 1, 'bob'), (3, 2, 'ann')");
    execute(toy.facts, "INSERT INTO unsettled VALUES (2, 0, 0, true)");
    struct facts *reader = reader_of(toy.facts, NULL);
    expect_int(facts_restrict(reader, &scope, &err), 0);
    expect_int(number(reader, "SELECT sum(job)::BIGINT FROM runs"), 1);
    facts_close(reader);
    execute(toy.facts, "DELETE FROM unsettled");
    reader = reader_of(toy.facts, NULL);
    expect_int(facts_restrict(reader, &scope, &err), 0);
    expect_int(number(reader, "SELECT sum(job)::BIGINT FROM runs"), 4);
    expect_true(facts_execute(reader, "SELEC", (struct facts_values){0}, NULL, &err) != 0);
    expect_int(number(reader, "SELECT sum(job)::BIGINT FROM runs"), 4); /* nor a failure */
    facts_close(reader);
}

/* Job 7 was chem's, then bio's: numbers are used again, and every cluster has its own. */
static void samples_of_another_job_with_the_same_number_are_not_shown(void **state)
{
    (void)state;
    const struct str chem = STR("chem");
    const struct scope scope = {.accounts = &chem, .account_count = 1};
    struct error err = {0};
    execute(toy.facts,
            "INSERT INTO runs (cluster, job, batch, \"user\", account, start, until) VALUES "
            "('c', 7, 1, 'ann', 'chem', 100, 200), ('c', 7, 1, 'bob', 'bio', 300, 400), "
            "('d', 7, 1, 'cyd', 'bio', 100, 200), ('c', 8, 1, 'dan', 'bio', 100, 200)");
    execute(toy.facts,
            "INSERT INTO samples (cluster, job, \"time\", \"user\", cpu_time_us) VALUES "
            "('c', 7, 99, 'eve', 1), ('c', 7, 100, 'ann', 10), "
            "('c', 7, 200, 'ann', 100), ('c', 7, 201, 'eve', 1000), "
            "('c', 7, 350, 'bob', 10000), ('d', 7, 150, 'cyd', 100000), "
            "('c', 8, 150, 'dan', 1000000)");
    /* a process group of that number, on a node without a batch system */
    execute(toy.facts,
            "INSERT INTO samples (cluster, job, \"time\", \"user\", cpu_time_us, epoch) "
            "VALUES ('c', 7, 150, 'eve', 10000000, 5)");
    struct facts *reader = reader_of(toy.facts, NULL);
    expect_int(facts_restrict(reader, &scope, &err), 0);
    expect_int(number(reader, "SELECT sum(cpu_time_us)::BIGINT FROM samples"), 110);
    facts_close(reader);
}

static void a_failed_statement_begins_another_snapshot(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t value;
    struct facts *reader = reader_of(toy.facts, NULL);
    expect_int(number(reader, COUNT_RUNS), 0);
    execute(toy.facts, "INSERT INTO runs (job, batch) VALUES (1, 1)");
    expect_int(facts_number(reader, "SELECT 9223372036854775807::BIGINT * 2::BIGINT",
                            (struct facts_values){0}, &value, NULL, &err),
               ERROR_LIMIT);
    expect_int(number(reader, COUNT_RUNS), 1);
    facts_close(reader);
}

static void two_readers_have_temporary_tables_of_one_name(void **state)
{
    (void)state;
    static const char *const columns[] = {"n"};
    const int64_t one = 1, two = 2;
    struct error err = {0};
    struct facts *a = reader_of(toy.facts, NULL), *b = reader_of(toy.facts, NULL);
    expect_int(facts_load_integers(a, "mine", columns, 1, &one, 1, &err), 0);
    expect_int(facts_load_integers(b, "mine", columns, 1, &two, 1, &err), 0);
    expect_int(number(a, "SELECT sum(n)::BIGINT FROM mine"), 1);
    expect_int(number(b, "SELECT sum(n)::BIGINT FROM mine"), 2);
    facts_close(a);
    facts_close(b);
}

/* The sum of a temporary table, as a reader keeps it. */
static int64_t kept_sum(struct facts *reader, const int64_t *rows, size_t count)
{
    static const char *const columns[] = {"n"};
    struct error err = {0};
    struct table sum = {0};
    expect_int(facts_load_integers(reader, "mine", columns, 1, rows, count, &err), 0);
    expect_int(facts_query_kept(reader, "SELECT coalesce(sum(n), 0)::BIGINT FROM mine",
                                (struct facts_values){0}, &sum, &err),
               0);
    const int64_t value = (int64_t)table_wide(&sum, 0, 0);
    table_release(&sum);
    return value;
}

static void what_is_kept_goes_with_the_temporary_tables_it_names(void **state)
{
    (void)state;
    static const int64_t rows[] = {1, 2, 4, 8};
    struct error err = {0};
    int64_t value;
    struct facts *reader = reader_of(toy.facts, NULL);
    expect_int(kept_sum(reader, rows, 2), 3);
    expect_int(kept_sum(reader, rows, 2), 3);
    expect_int(kept_sum(reader, rows + 1, 2), 6);
    expect_int(kept_sum(reader, rows, 2), 3);
    expect_int(kept_sum(reader, rows, 0), 0);
    /* more contents than are remembered */
    for (int64_t i = 0; i < 40; i++) {
        expect_int(kept_sum(reader, &i, 1), i);
    }
    expect_int(kept_sum(reader, rows, 2), 3);
    /* a failure takes the tables with it, and what was said of them */
    expect_int(facts_number(reader, "SELECT 9223372036854775807::BIGINT * 2::BIGINT",
                            (struct facts_values){0}, &value, NULL, &err),
               ERROR_LIMIT);
    expect_int(kept_sum(reader, rows, 2), 3);
    facts_close(reader);
}

static void a_table_that_is_made_by_a_statement_is_made_once_for_its_values(void **state)
{
    (void)state;
    static const char make[] = "CREATE OR REPLACE TEMP TABLE made AS SELECT ?::BIGINT AS n";
    struct error err = {0};
    struct facts *reader = reader_of(toy.facts, NULL);
    for (int64_t i = 0; i < 6; i++) {
        const struct facts_value value = FACTS_INT(i / 2 % 2);
        struct table found = {0};
        expect_int(
            facts_make_kept(reader, "made", make, (struct facts_values){&value, 1}, &err), 0);
        expect_int(facts_query_kept(reader, "SELECT n FROM made", (struct facts_values){0},
                                    &found, &err),
                   0);
        expect_int((int64_t)table_wide(&found, 0, 0), i / 2 % 2);
        table_release(&found);
    }
    facts_close(reader);
}

static const char *const odd_values[] = {
    "alice",
    "",
    "o'brien",
    "''''",
    "what?",
    "x\\'",
    "-- no",
    "one\ntwo",
    "1'::BIGINT + '1",
    "'; DROP TABLE runs; --",
    "\xe6\x97\xa5\xe6\x9c\xac 'x'",
    "$1",
    "%s",
    "E'\\x41'",
};

/* Values come out as they went in, whether the engine gets them bound or in the text, each in its place. */
static void a_value_is_a_value(void **state)
{
    (void)state;
    struct facts *reader = reader_of(toy.facts, NULL);
    for (size_t i = 0; i < COUNT_OF(odd_values); i++) {
        const struct str text = str_of(odd_values[i]);
        const struct facts_value values[] = {FACTS_TEXT(text), FACTS_INT(-7), FACTS_TEXT(text)};
        struct error err = {0};
        struct table found = {0};
        expect_int(facts_query(reader,
                               "SELECT ? AS a, '?' AS b, ? AS c, \"d?\" || ? AS d FROM (SELECT "
                               "'x''?' AS \"d?\")",
                               (struct facts_values){values, COUNT_OF(values)}, &found, &err),
                   0);
        const struct str a = found.columns[0].cells[0].text;
        const struct str d = found.columns[3].cells[0].text;
        expect_text_n(a.ptr, a.len, odd_values[i]);
        expect_text_n(found.columns[1].cells[0].text.ptr, 1, "?");
        expect_int((int64_t)table_wide(&found, 2, 0), -7);
        expect_uint(d.len, text.len + 3);
        expect_text_n(d.ptr + 3, d.len - 3, odd_values[i]);
        table_release(&found);
    }
    expect_int(number(reader, COUNT_RUNS), 0);
    facts_close(reader);
}

static void a_stop_ends_a_question(void **state)
{
    (void)state;
    struct stop stop = {0};
    struct facts *reader = reader_of(toy.facts, &stop);
    stop.deadline_us = stop_clock() + 50000;
    struct error err = {0};
    int64_t value;
    /* would take minutes */
    expect_int(facts_number(reader,
                            "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE "
                            "(a.range * b.range) % 7 = 3",
                            (struct facts_values){0}, &value, NULL, &err),
               ERROR_STOPPED);
    expect_contains(err.text, "longer than allowed");
    facts_close(reader);
    expect_int(number(toy.facts, "SELECT 42"), 42);
}

static void one_connection_writes_at_a_time(void **state)
{
    (void)state;
    struct stop stop = {.asked = 1};
    struct facts *other = NULL;
    struct error err = {0};
    struct store *store = facts_store(toy.facts);
    expect_int(facts_open(store, FACTS_WRITE, &stop, &other, &err), ERROR_STOPPED);
    facts_close(toy.facts);
    expect_int(facts_open(store, FACTS_WRITE, &stop, &other, &err), 0);
    toy.facts = other;
}

static void a_store_for_reading_is_not_written_to(void **state)
{
    (void)state;
    struct error err = {0};
    struct facts *other = NULL;
    toy_away(&toy);
    expect_int(facts_at(toy.store, FACTS_READ, &toy.facts, &err), 0);
    expect_int(facts_open(facts_store(toy.facts), FACTS_WRITE, NULL, &other, &err),
               ERROR_STORE);
    expect_true(other == NULL);
}

static void readers_get_memory_and_give_it_back(void **state)
{
    (void)state;
    static const char sql[] = "SELECT (regexp_extract(current_setting('memory_limit'), "
                              "'[0-9]+'))::BIGINT";
    struct error err = {0};
    const int64_t before = number(toy.facts, sql);
    struct facts *reader = reader_of(toy.facts, NULL);
    const int64_t beside = number(toy.facts, sql);
    expect_true(beside > before);
    expect_int(facts_prepare_bulk(toy.facts, &err), 0);
    expect_true(number(toy.facts, sql) >= beside);
    facts_close(reader);
    struct store *store = facts_store(toy.facts);
    facts_close(toy.facts);
    expect_int(facts_open(store, FACTS_WRITE, NULL, &toy.facts, &err), 0);
    expect_int(number(toy.facts, sql), before);
}

/* --- sessions --------------------------------------------------------------------------------- */

static void a_session_reads_one_snapshot_and_begins_anew_to_write(void **state)
{
    (void)state;
    struct session session = {.folder = toy.store};
    struct facts *first = NULL, *second = NULL;
    struct error err = {0};
    toy_away(&toy);
    expect_int(session_facts(&session, FACTS_READ, &first, &err), 0);
    expect_int(session_facts(&session, FACTS_READ, &second, &err), 0);
    expect_true(first == second);
    expect_int(session_facts(&session, FACTS_WRITE, &first, &err), 0);
    execute(first, "INSERT INTO runs (job, batch) VALUES (1, 1)");
    expect_int(session_facts(&session, FACTS_READ, &second, &err),
               0); /* one that writes reads */
    expect_true(first == second);
    session_close(&session);
    toy_back(&toy); /* nobody holds it */
    expect_int(number(toy.facts, COUNT_RUNS), 1);
}

static void a_session_in_a_store_leaves_it_open(void **state)
{
    (void)state;
    struct session session = {.store = facts_store(toy.facts)};
    struct facts *facts = NULL;
    struct error err = {0};
    expect_int(session_facts(&session, FACTS_READ, &facts, &err), 0);
    expect_int(number(facts, COUNT_RUNS), 0);
    session_close(&session);
    session_close(&session); /* once more is no harm */
    expect_int(number(toy.facts, COUNT_RUNS), 0);
}

struct seen {
    int opened, closing;
};

static void on_opened(void *owner, struct store *store)
{
    struct seen *seen = owner;
    seen->opened += store != NULL;
}

static void on_closing(void *owner, struct store *store)
{
    struct seen *seen = owner;
    seen->closing += store != NULL;
}

static void whoever_owns_the_store_hears_of_it_when_it_is_to_be_written(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct session session = {
        .folder = toy.store, .opened = on_opened, .closing = on_closing, .owner = &seen};
    struct facts *facts = NULL;
    struct error err = {0};
    toy_away(&toy);
    expect_int(session_facts(&session, FACTS_READ, &facts, &err), 0);
    session_close(&session);
    expect_int(seen.opened + seen.closing, 0);
    expect_int(session_facts(&session, FACTS_WRITE, &facts, &err), 0);
    expect_int(seen.opened, 1);
    session_close(&session);
    expect_int(seen.closing, 1);
    toy_back(&toy);
}

#define ADD(function) suite_test_with(&suite, #function, function, open_toy, close_toy, NULL)

int main(void)
{
    struct suite suite = {0};
    ADD(a_reader_sees_what_is_committed_and_nothing_else);
    ADD(a_batch_that_is_not_settled_is_not_there_for_readers);
    ADD(nor_does_it_show_others_runs_to_one_who_sees_their_own);
    ADD(samples_of_another_job_with_the_same_number_are_not_shown);
    ADD(a_failed_statement_begins_another_snapshot);
    ADD(two_readers_have_temporary_tables_of_one_name);
    ADD(what_is_kept_goes_with_the_temporary_tables_it_names);
    ADD(a_table_that_is_made_by_a_statement_is_made_once_for_its_values);
    ADD(a_value_is_a_value);
    ADD(a_stop_ends_a_question);
    ADD(one_connection_writes_at_a_time);
    ADD(a_store_for_reading_is_not_written_to);
    ADD(readers_get_memory_and_give_it_back);
    ADD(a_session_reads_one_snapshot_and_begins_anew_to_write);
    ADD(a_session_in_a_store_leaves_it_open);
    ADD(whoever_owns_the_store_hears_of_it_when_it_is_to_be_written);
    return suite_run(&suite, "session");
}
