/* SPDX-License-Identifier: MIT */

/*
 * Statements: what is built, what is refused, what the dialect makes of words, and that every named one is known to the
 * engine.
 */
#include "facts/statement.h"

#include <stdio.h>
#include <string.h>

#include "facts/dialect.h"
#include "facts/duckdb/statements.h"
#include "report/sql/statements.h"
#include "support/expect.h"
#include "support/runs.h"

static struct statement sql;

static int begin(void **state)
{
    (void)state;
    statement_init(&sql);
    return 0;
}

static int end(void **state)
{
    (void)state;
    statement_release(&sql);
    return 0;
}

static void expect_sql(const char *text)
{
    struct error err = {0};
    expect_true(statement_finish(&sql, &err) == 0);
    expect_text(sql.sql.ptr, text);
}

static void text_numbers_names_and_values_stand_in_order(void **state)
{
    (void)state;
    statement_add(&sql, "SELECT ");
    statement_name(&sql, identifier_of(&run_fields[RUN_group]));
    statement_add(&sql, " FROM runs WHERE start < %d AND cluster = ", 7);
    statement_bind(&sql, FACTS_TEXT(STR("o'hare")));
    statement_add(&sql, " AND class = ");
    statement_literal(&sql, IDENTIFIER("failed"));
    expect_sql(
        "SELECT \"group\" FROM runs WHERE start < 7 AND cluster = ? AND class = 'failed'");
    expect_int((int64_t)sql.value_count, 1);
}

static void a_part_brings_its_values(void **state)
{
    (void)state;
    struct statement part;
    statement_init(&part);
    statement_add(&part, "job = ");
    statement_bind(&part, FACTS_INT(2));
    statement_add(&sql, "SELECT 1 WHERE 1 = ");
    statement_bind(&sql, FACTS_INT(1));
    statement_add(&sql, " AND ");
    statement_append(&sql, &part);
    statement_release(&part);
    expect_sql("SELECT 1 WHERE 1 = ? AND job = ?");
    expect_int(sql.values[1].integer, 2);
}

static void words_are_translated_inside_each_other(void **state)
{
    (void)state;
    statement_add(&sql, "SELECT @wide(sum(@divide(a, greatest(b, 1)))), '@wide(x)', \"@wide\"");
    expect_sql("SELECT (sum(((a) // (greatest(b, 1)))))::HUGEINT, '@wide(x)', \"@wide\"");
}

static void words_without_or_with_any_number_of_arguments(void **state)
{
    (void)state;
    statement_add(&sql, "SELECT * @exclude(a, \"b,c\"), @unknown_real()");
    expect_sql("SELECT * EXCLUDE (a, \"b,c\"), NULL::DOUBLE");
}

static void what_no_engine_knows_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"@nothing(1)", "@wide", "@wide(1", "@wide(1, 2)",
                                        "@divide(1)"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct error err = {0};
        statement_clear(&sql);
        statement_expression(&sql, (struct expression){wrong[i]});
        expect_true(statement_finish(&sql, &err) == ERROR_STORE);
    }
}

static void a_statement_that_did_not_fit_is_never_run(void **state)
{
    (void)state;
    struct error err = {0};
    for (int i = 0; i < 1 << 17; i++) {
        statement_add(&sql, "0123456789");
    }
    expect_true(statement_finish(&sql, &err) == ERROR_LIMIT);
    expect_text(err.text, "the query is too large");
}

static void more_values_than_allowed_are_refused(void **state)
{
    (void)state;
    struct error err = {0};
    for (int i = 0; i <= STATEMENT_VALUES_MAX; i++) {
        statement_bind(&sql, FACTS_INT(i));
    }
    expect_true(statement_finish(&sql, &err) == ERROR_USAGE);
    expect_int((int64_t)sql.value_count, STATEMENT_VALUES_MAX);
}

static void of_several_reasons_the_first_is_said(void **state)
{
    (void)state;
    struct error err = {0};
    statement_refuse(&sql, ERROR_USAGE, "first %d", 1);
    statement_refuse(&sql, ERROR_LIMIT, "second");
    expect_true(statement_finish(&sql, &err) == ERROR_USAGE);
    expect_text(err.text, "first 1");
}

/* Values are bound by position: an argument that is used twice or moved would take another's. */
static void the_engine_says_every_word_and_keeps_the_order_of_values(void **state)
{
    (void)state;
    const struct dialect *dialect = dialect_of_engine();
    for (size_t word = 0; word < DIALECT_WORD_COUNT; word++) {
        const char *template = dialect->templates[word];
        expect_true(template != NULL);
        char next = '1';
        for (const char *c = template; (c = strchr(c, '$')) != NULL; c++) {
            /* a name or an expression over columns is said twice, and never bound */
            if (word != DIALECT_asof && word != DIALECT_part && c[1] != '*') {
                expect_true(c[1] == next++);
            }
        }
    }
}

/* --- named ones --------------------------------------------------------------------------------- */

/* What statements are made to join with, as the code that loads it declares it. */
static const char *const temporary[] = {
    ("CREATE TEMP TABLE new_owners (cluster VARCHAR, login VARCHAR, name VARCHAR, email "
     "VARCHAR, "
     "told BIGINT)"),
    "CREATE TEMP TABLE pairs (old_row BIGINT, new_row BIGINT)",
    "CREATE TEMP TABLE outcomes (old_row BIGINT, new_row BIGINT, is_old BOOLEAN, is_new "
    "BOOLEAN, ends BOOLEAN, moves BOOLEAN)",
    "CREATE TEMP TABLE merged AS SELECT rowid AS old_row, * FROM runs LIMIT 0",
    "CREATE TEMP TABLE repeats (fresh BIGINT, same BOOLEAN)",
    "CREATE TEMP TABLE twins (fresh BIGINT, old BIGINT, same BOOLEAN, again BOOLEAN)",
    "CREATE TEMP TABLE waits_expected (digest BIGINT, \"start\" BIGINT)",
};

/* How many values a statement takes: its ?, or the highest of its $1, $2, ... */
static size_t count_values(const char *text)
{
    size_t unnumbered = 0, highest = 0;
    for (const char *c = text; *c; c++) {
        unnumbered += *c == '?';
        if (*c == '$' && (size_t)(c[1] - '0') <= 9 && (size_t)(c[1] - '0') > highest) {
            highest = (size_t)(c[1] - '0');
        }
    }
    return unnumbered ? unnumbered : highest;
}

static void expect_prepared(struct facts *facts, const struct named_statement *statements,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct error err = {0};
        statement_clear(&sql);
        const bool runs = strncmp(statements[i].sql, "CREATE", 6) == 0 ||
                          strncmp(statements[i].sql, "DROP", 4) == 0;
        statement_add(&sql, runs ? "" : "PREPARE named AS "); /* of tables: they are run */
        statement_expression(&sql, (struct expression){statements[i].sql});
        for (size_t v = runs ? count_values(statements[i].sql) : 0; v > 0; v--) {
            statement_value(&sql, FACTS_INT(0));
        }
        if (statement_execute(facts, &sql, NULL, &err)) {
            printf("%s: %s\n", statements[i].name, err.text);
            expect_true(false);
        }
        expect_true(runs || facts_execute(facts, "DEALLOCATE named", (struct facts_values){0},
                                          NULL, &err) == 0);
    }
}

static void every_named_statement_is_known_to_the_engine(void **state)
{
    (void)state;
    struct runs_store store;
    struct error err = {0};
    runs_open(&store);
    for (size_t i = 0; i < COUNT_OF(temporary); i++) {
        expect_true(facts_execute(store.facts, temporary[i], (struct facts_values){0}, NULL,
                                  &err) == 0);
    }
    expect_true(facts_statements_count > 20 && report_statements_count > 10);
    expect_prepared(store.facts, facts_statements, facts_statements_count);
    expect_prepared(store.facts, report_statements, report_statements_count);
    runs_close(&store);
}

#define STATEMENT_TEST(suite, function)                                                        \
    suite_test_with((suite), #function, (function), begin, end, NULL)

int main(void)
{
    struct suite suite = {0};
    STATEMENT_TEST(&suite, text_numbers_names_and_values_stand_in_order);
    STATEMENT_TEST(&suite, a_part_brings_its_values);
    STATEMENT_TEST(&suite, words_are_translated_inside_each_other);
    STATEMENT_TEST(&suite, words_without_or_with_any_number_of_arguments);
    STATEMENT_TEST(&suite, what_no_engine_knows_is_refused);
    STATEMENT_TEST(&suite, a_statement_that_did_not_fit_is_never_run);
    STATEMENT_TEST(&suite, more_values_than_allowed_are_refused);
    STATEMENT_TEST(&suite, of_several_reasons_the_first_is_said);
    STATEMENT_TEST(&suite, the_engine_says_every_word_and_keeps_the_order_of_values);
    STATEMENT_TEST(&suite, every_named_statement_is_known_to_the_engine);
    return suite_run(&suite, "statement");
}
