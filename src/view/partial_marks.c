/* SPDX-License-Identifier: MIT */
#include "view/partial_marks.h"

static bool is_hidden(const struct column *column)
{
    return column->role == COLUMN_MARK || column->role == COLUMN_TARGET ||
           column->role == COLUMN_STAR;
}

bool partial_marks_is(const struct table *table)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (is_hidden(&table->columns[c])) {
            return true;
        }
    }
    return false;
}

static bool has_mark(const struct table *table, size_t row)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].role == COLUMN_MARK && table_has(table, c, row) &&
            table_wide(table, c, row) != 0) {
            return true;
        }
    }
    return false;
}

static void copy_row(const struct table *table, size_t row, struct table *out)
{
    const bool marked = has_mark(table, row);
    size_t to = 0;
    table_row(out);
    for (size_t c = 0; c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        if (is_hidden(column)) {
            continue;
        }
        if (marked && str_eq(str_of(column->id), STR("period")) && table_has(table, c, row)) {
            table_set_text(
                out, to, row,
                str_of(arena_printf(&out->arena, "%.*s *", STR_ARG(column->cells[row].text))));
        } else {
            table_copy_cell(table, c, row, out, to, row);
        }
        to++;
    }
}

/* Behind which cells of the column before `mark` a star stands; NULL: behind none. */
static const bool *stars_of(const struct table *table, size_t mark, struct arena *arena)
{
    bool *stars = arena_alloc(arena, table->row_count * sizeof(*stars) + 1);
    bool any = false;
    for (size_t row = 0; row < table->row_count; row++) {
        stars[row] = table_has(table, mark - 1, row) && table_has(table, mark, row) &&
                     table_wide(table, mark, row) != 0;
        any = any || stars[row];
    }
    return any ? stars : NULL;
}

void partial_marks_table(const struct table *table, struct table *out)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (!is_hidden(&table->columns[c])) {
            table_column_like(out, &table->columns[c]);
        }
    }
    for (size_t row = 0; row < table->row_count; row++) {
        copy_row(table, row, out);
    }
    for (size_t c = 1, to = 0; c < table->column_count; c++) {
        to += !is_hidden(&table->columns[c]);
        if (table->columns[c].role == COLUMN_STAR) {
            out->columns[to].stars = stars_of(table, c, &out->arena);
        }
    }
    out->title = table->title;
    out->footer_count = table->footer_count;
    out->in_sequence = table->in_sequence;
}
