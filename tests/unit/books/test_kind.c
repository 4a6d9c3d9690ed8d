/* SPDX-License-Identifier: MIT */

/* The table of kinds, and values in their one spelling. */
#include "books/kind.h"

#include <sqlite3.h>
#include <stdio.h>

#include "base/buf.h"
#include "books/books_migrations.h"
#include "books/packed_sql.h"
#include "record/run.h"
#include "unit/books/some_books.h"

/* The columns of a table as the migrations make it, "a b c". */
static const char *columns_of(sqlite3 *db, const char *table, char *out, size_t size)
{
    char sql[128];
    sqlite3_stmt *statement = NULL;
    size_t len = 0;
    (void)snprintf(sql, sizeof sql, "SELECT name, \"notnull\" FROM pragma_table_info('%s')",
                   table);
    expect_int(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        len += (size_t)snprintf(out + len, size - len, " %s%s",
                                (const char *)sqlite3_column_text(statement, 0),
                                sqlite3_column_int(statement, 1) ? "!" : "");
    }
    sqlite3_finalize(statement);
    return out;
}

static void the_schema_has_the_columns_of_the_kinds(void **state)
{
    (void)state;
    sqlite3 *db = NULL;
    expect_int(sqlite3_open(":memory:", &db), SQLITE_OK);
    expect_int(packed_sql_define(db), SQLITE_OK);
    for (size_t i = 0; i < books_migrations_count; i++) {
        expect_int(sqlite3_exec(db, books_migrations[i].sql, NULL, NULL, NULL), SQLITE_OK);
    }
    for (size_t k = 0; k < kind_count; k++) {
        char want[512], got[512] = "";
        int len = snprintf(want, sizeof want, " id");
        for (size_t i = 0; i < kinds[k].column_count; i++) {
            len +=
                snprintf(want + len, sizeof want - (size_t)len, " %s%s", kinds[k].columns[i].id,
                         kinds[k].columns[i].flags & KIND_REQUIRED ? "!" : "");
        }
        expect_text(columns_of(db, kinds[k].table, got, sizeof got), want);
    }
    sqlite3_close(db);
}

/* By it a dump of earlier books is known to be whole without the kind. */
static void a_kind_says_which_migration_made_it(void **state)
{
    (void)state;
    sqlite3 *db = NULL;
    int since[64] = {0};
    expect_true(kind_count <= COUNT_OF(since));
    expect_int(sqlite3_open(":memory:", &db), SQLITE_OK);
    expect_int(packed_sql_define(db), SQLITE_OK);
    for (size_t i = 0; i < books_migrations_count; i++) {
        expect_int(sqlite3_exec(db, books_migrations[i].sql, NULL, NULL, NULL), SQLITE_OK);
        for (size_t k = 0; k < kind_count; k++) {
            char got[512] = "";
            if (!since[k] && *columns_of(db, kinds[k].table, got, sizeof got)) {
                since[k] = books_migrations[i].number;
            }
        }
    }
    for (size_t k = 0; k < kind_count; k++) {
        if (since[k] != (kinds[k].since ? kinds[k].since : 1)) {
            expect_fail("%s: .since is not %d", kinds[k].name, since[k]);
        }
    }
    sqlite3_close(db);
}

/* A copy of a kind's row in another kind would be hard to see; so would a missing key. */
static void every_kind_is_whole(void **state)
{
    (void)state;
    for (size_t k = 0; k < kind_count; k++) {
        const struct kind *kind = &kinds[k];
        unsigned flags = 0;
        expect_true(kind->column_count <= KIND_COLUMNS_MAX);
        expect_true(kind_find(str_of(kind->name)) == kind);
        expect_true(kind_of_table(str_of(kind->table)) == kind);
        for (size_t i = 0; i < kind->column_count; i++) {
            const struct kind_column *column = &kind->columns[i];
            flags |= column->flags;
            expect_int((int64_t)kind_column(kind, column->id), (int64_t)i);
            expect_true(column->doc && *column->doc && column->label);
            expect_true((column->type == KIND_CHOICE) == (column->choices != NULL));
            expect_true(!(column->flags & KIND_OF_RUNS) || run_field_find(str_of(column->id)));
            /* what it refers to comes before it: a restore goes from the top */
            expect_true(!column->refers || kind_of_table(str_of(column->refers)) < kind);
        }
        expect_true(flags & KIND_KEY);
    }
}

struct value_row {
    const char *name;
    enum kind_type type;
    unsigned flags;
    const char *given, *want; /* NULL: refused */
};

static const struct value_row value_rows[] = {
    {"a name", KIND_NAME, 0, "ann", "ann"},
    {"blanks around go", KIND_NAME, 0, "  ann \n", "ann"},
    {"nothing is absent", KIND_NAME, 0, "", ""},
    {"blanks are nothing", KIND_NAME, 0, " \t", ""},
    {"quotes", KIND_NAME, 0, "a'b\"c;--", "a'b\"c;--"},
    {"a line break in a name", KIND_NAME, 0, "a\nb", NULL},
    {"an escape in a name", KIND_NAME, 0, "a\x1b[2Jb", NULL},
    {"a line break in a text", KIND_TEXT, 0, "a\nb", "a\nb"},
    {"an escape in a text", KIND_TEXT, 0, "a\x1b[2Jb", NULL},
    {"not UTF-8", KIND_NAME, 0, "j\xf6rg", NULL},
    {"overlong UTF-8", KIND_TEXT, 0, "a\xc0\x80", NULL},
    {"a choice", KIND_CHOICE, 0, "two", "two"},
    {"not a choice", KIND_CHOICE, 0, "three", NULL},
    {"half a choice", KIND_CHOICE, 0, "tw", NULL},
    {"a date", KIND_DATE, KIND_FIRST, "2025-03-01", "2025-03-01"},
    {"a year begins", KIND_DATE, KIND_FIRST, "2024", "2024-01-01"},
    {"a year ends", KIND_DATE, KIND_LAST, "2024", "2024-12-31"},
    {"a quarter ends", KIND_DATE, KIND_LAST, "2024-Q1", "2024-03-31"},
    {"a February ends", KIND_DATE, KIND_LAST, "2024-02", "2024-02-29"},
    {"today", KIND_DATE, KIND_LAST, "today", "2025-03-20"},
    {"no date", KIND_DATE, KIND_FIRST, "2025-02-30", NULL},
    {"an instant is no day", KIND_DATE, KIND_FIRST, "2025-03-01T12:00", NULL},
    {"a day as a time", KIND_TIME, KIND_FIRST, "2025-03-01", "2025-03-01"},
    {"an instant", KIND_TIME, KIND_LAST, "2025-03-01T12:00", "2025-03-01T11:00:00Z"},
    {"an instant of elsewhere", KIND_TIME, KIND_LAST, "2025-03-01T12:00+05:30",
     "2025-03-01T06:30:00Z"},
    {"an amount", KIND_AMOUNT, 0, "1500.50", "1500.5"},
    {"an amount with an exponent", KIND_AMOUNT, 0, "2e6", "2000000"},
    {"the smallest amount", KIND_AMOUNT, 0, "0.000001", "0.000001"},
    {"no amount", KIND_AMOUNT, 0, "0", "0"},
    {"less than nothing", KIND_AMOUNT, 0, "-1", NULL},
    {"not a number", KIND_AMOUNT, 0, "many", NULL},
    {"a number too large", KIND_AMOUNT, 0, "1e13", NULL},
    {"logins", KIND_LOGINS, 0, " b, alder:a ,b,, ", "alder:a,b"},
    {"no logins", KIND_LOGINS, 0, ",,", ""},
    {"a measure", KIND_MEASURE, 0, "jobs", "jobs"},
    {"no measure", KIND_MEASURE, 0, "jbos", NULL},
    {"a dimension", KIND_DIMENSION, 0, "user", "user"},
    {"no dimension", KIND_DIMENSION, 0, "moon", NULL},
};

static void a_value_has_one_spelling(void **state)
{
    const struct value_row *row = *state;
    struct some_books some;
    struct arena arena = {0};
    struct error err = {0};
    struct str out = {0}, again = {0};
    const struct kind_column column = {
        .id = "it", .type = row->type, .flags = row->flags, .choices = "one two"};
    some_world(&some, "Europe/Oslo");
    int failed = kind_read(&some.world.kind, &column, str_of(row->given), &arena, &out, &err);
    expect_int(failed, row->want ? 0 : ERROR_USAGE);
    if (row->want) {
        expect_text_n(out.ptr, out.len, row->want);
        expect_true((out.ptr == NULL) == (*row->want == '\0'));
        expect_int(kind_read(&some.world.kind, &column, out, &arena, &again, &err), 0);
        expect_true(str_eq(out, again));
    } else {
        expect_true(str_is_utf8(str_of(err.text)));
    }
    arena_release(&arena);
    some_close(&some);
}

static void a_value_of_a_megabyte_is_refused(void **state)
{
    (void)state;
    struct some_books some;
    struct arena arena = {0};
    struct error err = {0};
    struct str out = {0};
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_fill(&text, 'x', 1 << 20);
    some_world(&some, "UTC");
    for (size_t k = 0; k < kind_count; k++) {
        for (size_t i = 0; i < kinds[k].column_count; i++) {
            expect_int(kind_read(&some.world.kind, &kinds[k].columns[i], buf_str(&text), &arena,
                                 &out, &err),
                       ERROR_USAGE);
            expect_contains(err.text, "1048576 bytes long");
        }
    }
    buf_release(&text);
    arena_release(&arena);
    some_close(&some);
}

/* 2025-03-30 has 23 hours in Oslo, 2025-10-26 has 25. */
static void days_are_those_of_the_zone(void **state)
{
    (void)state;
    struct some_books some;
    const struct kind_column first = {.type = KIND_DATE, .flags = KIND_FIRST},
                             last = {.type = KIND_DATE, .flags = KIND_LAST};
    some_world(&some, "Europe/Oslo");
    expect_int(kind_instant(some.zone, &last, STR("2025-03-30")) -
                   kind_instant(some.zone, &first, STR("2025-03-30")),
               23 * HOUR_US);
    expect_int(kind_instant(some.zone, &last, STR("2025-10-26")) -
                   kind_instant(some.zone, &first, STR("2025-10-26")),
               25 * HOUR_US);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, the_schema_has_the_columns_of_the_kinds);
    SUITE_TEST(&suite, a_kind_says_which_migration_made_it);
    SUITE_TEST(&suite, every_kind_is_whole);
    SUITE_ROWS(&suite, a_value_has_one_spelling, value_rows);
    SUITE_TEST(&suite, a_value_of_a_megabyte_is_refused);
    SUITE_TEST(&suite, days_are_those_of_the_zone);
    return suite_run(&suite, "kind");
}
