/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <stdio.h>

#include "support/expect.h"

static void an_empty_table_can_be_released(void **state)
{
    (void)state;
    struct table table = {0};
    table_release(&table);
    table_release(NULL);
}

static void new_cells_are_absent(void **state)
{
    (void)state;
    struct table table = {0};
    expect_int((int64_t)table_column(&table, "a", "A", CELL_INT, UNIT_COUNT, COLUMN_MEASURE),
               0);
    expect_int((int64_t)table_column(&table, "b", "B", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION),
               1);
    for (size_t i = 0; i < 1000; i++) {
        expect_int((int64_t)table_row(&table), (int64_t)i);
        expect_false(table_has(&table, 0, i));
        expect_false(table_has(&table, 1, i));
        if (i % 2) {
            table_set_int(&table, 0, i, (int64_t)i);
        }
    }
    for (size_t i = 0; i < 1000; i++) {
        expect_int(table_has(&table, 0, i), i % 2);
        expect_true(!table_has(&table, 0, i) ||
                    table.columns[0].cells[i].integer == (int64_t)i);
    }
    table_release(&table);
}

static void text_is_copied(void **state)
{
    (void)state;
    struct table table = {0};
    char id[] = "id", text[] = "some text";
    size_t column = table_column(&table, id, id, CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    size_t row = table_row(&table);
    table_set_text(&table, column, row, (struct str){text, 9});
    id[0] = text[0] = '?';
    expect_text(table.columns[0].id, "id");
    expect_text(table.columns[0].label, "id");
    expect_text_n(table.columns[0].cells[0].text.ptr, table.columns[0].cells[0].text.len,
                  "some text");
    table_set_text(&table, column, row, STR("")); /* present, and empty */
    expect_true(table_has(&table, column, row));
    expect_uint(table.columns[0].cells[0].text.len, 0);
    table_release(&table);
}

static void integers_of_both_widths_are_wide(void **state)
{
    (void)state;
    struct table table = {0};
    table_column(&table, "i", "I", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_column(&table, "w", "W", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    table_column(&table, "r", "R", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    table_row(&table);
    table_set_int(&table, 0, 0, INT64_MIN);
    table_set_wide(&table, 1, 0, (wide_int)INT64_MAX * 4);
    table_set_real(&table, 2, 0, 0.125);
    expect_true(table_wide(&table, 0, 0) == INT64_MIN);
    expect_true(table_wide(&table, 1, 0) == (wide_int)INT64_MAX * 4);
    expect_double(table.columns[2].cells[0].real, 0.125, 0);
    table_release(&table);
}

static void columns_come_in_the_order_of_their_headings(void **state)
{
    static const struct heading headings[] = {
        {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        {"cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE},
    };
    (void)state;
    struct table table = {0};
    table_columns(&table, headings, 2);
    expect_uint(table.column_count, 2);
    for (size_t i = 0; i < table.column_count; i++) {
        expect_text(table.columns[i].id, headings[i].id);
        expect_text(table.columns[i].label, headings[i].label);
        expect_int(table.columns[i].type, headings[i].type);
        expect_int(table.columns[i].unit, headings[i].unit);
        expect_int(table.columns[i].role, headings[i].role);
    }
    table_release(&table);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, an_empty_table_can_be_released);
    SUITE_TEST(&suite, columns_come_in_the_order_of_their_headings);
    SUITE_TEST(&suite, new_cells_are_absent);
    SUITE_TEST(&suite, text_is_copied);
    SUITE_TEST(&suite, integers_of_both_widths_are_wide);
    return suite_run(&suite, "table");
}
