/* SPDX-License-Identifier: MIT */
#include "service/usage/row_match.h"

#include <stdio.h>

#include "support/expect.h"

static void add_columns(struct table *table)
{
    table_column(table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "cpus", "CPUs", CELL_INT, UNIT_COUNT, COLUMN_DIMENSION);
}

/* A row; NULL and a negative number are absent. */
static void add_row(struct table *table, const char *user, int64_t cpus)
{
    size_t row = table_row(table);
    if (user) {
        table_set_text(table, 0, row, str_of(user));
    }
    if (cpus >= 0) {
        table_set_int(table, 1, row, cpus);
    }
}

static void rows_are_found_by_all_their_dimensions(void **state)
{
    (void)state;
    struct table table = {0}, like = {0};
    struct row_match match;
    add_columns(&table);
    add_columns(&like);
    add_row(&table, "alice", 1);
    add_row(&table, "alice", 2);
    add_row(&table, NULL, 1);
    add_row(&table, "", 1);
    add_row(&table, "bob", -1);
    const size_t none = table.row_count;

    static const struct {
        const char *user;
        int64_t cpus;
        size_t want;
    } rows[] = {{"alice", 2, 1}, {"alice", 1, 0}, {NULL, 1, 2},  {"", 1, 3},
                {"bob", -1, 4},  {"bob", 0, 5},   {"eve", 1, 5}, {NULL, -1, 5}};

    row_match_init(&match, &table, 2);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        add_row(&like, rows[i].user, rows[i].cpus);
        expect_true(row_match_find(&match, &like, i) == rows[i].want);
    }
    expect_true(none == 5);
    row_match_release(&match);
    table_release(&table);
    table_release(&like);
}

static void every_row_of_many_finds_itself(void **state)
{
    (void)state;
    struct table table = {0};
    struct row_match match;
    add_columns(&table);
    for (int i = 0; i < 5000; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "u%d", i / 3);
        add_row(&table, name, i % 3);
    }
    row_match_init(&match, &table, 2);
    for (size_t i = 0; i < table.row_count; i++) {
        expect_true(row_match_find(&match, &table, i) == i);
    }
    row_match_release(&match);
    table_release(&table);
}

static void an_empty_table_has_none(void **state)
{
    (void)state;
    struct table table = {0}, like = {0};
    struct row_match match;
    add_columns(&table);
    add_columns(&like);
    add_row(&like, "alice", 1);
    row_match_init(&match, &table, 2);
    expect_true(row_match_find(&match, &like, 0) == 0);
    row_match_release(&match);
    table_release(&table);
    table_release(&like);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, rows_are_found_by_all_their_dimensions);
    SUITE_TEST(&suite, every_row_of_many_finds_itself);
    SUITE_TEST(&suite, an_empty_table_has_none);
    return suite_run(&suite, "match");
}
