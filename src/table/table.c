/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

void table_release(struct table *table)
{
    if (!table) {
        return;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        free(table->columns[i].cells);
        free(table->columns[i].present);
        free(table->columns[i].names);
    }
    free(table->columns);
    arena_release(&table->names);
    arena_release(&table->arena);
    *table = (struct table){0};
}

size_t table_column(struct table *table, const char *id, const char *label, enum cell_type type,
                    enum unit unit, enum column_role role)
{
    assert(table->row_count == 0);
    size_t index = table->column_count++;
    table->columns = mem_resize(table->columns, table->column_count, sizeof(struct column));
    table->columns[index] = (struct column){
        .id = arena_text(&table->names, str_of(id)),
        .label = arena_text(&table->names, str_of(label)),
        .type = type,
        .unit = unit,
        .role = role,
    };
    return index;
}

void table_columns(struct table *table, const struct heading *headings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct heading *h = &headings[i];
        table_column(table, h->id, h->label, h->type, h->unit, h->role);
    }
}

void table_clear(struct table *table)
{
    arena_reset(&table->arena);
    table->row_count = 0;
}

size_t table_row(struct table *table)
{
    if (table->row_count == table->row_room) {
        table->row_room = table->row_room ? table->row_room * 2 : 64;
        for (size_t i = 0; i < table->column_count; i++) {
            struct column *column = &table->columns[i];
            column->cells = mem_resize(column->cells, table->row_room, sizeof(union cell));
            column->present = mem_resize(column->present, table->row_room, sizeof(bool));
            if (column->names) {
                column->names =
                    mem_resize(column->names, table->row_room, sizeof(*column->names));
            }
        }
    }
    for (size_t i = 0; i < table->column_count; i++) {
        table->columns[i].present[table->row_count] = false;
        if (table->columns[i].names) {
            table->columns[i].names[table->row_count] = (struct str){0};
        }
    }
    return table->row_count++;
}

/* The cell to be written, marked as present. */
static union cell *cell_of(struct table *table, size_t column, size_t row, enum cell_type type)
{
    assert(column < table->column_count && row < table->row_count);
    assert(table->columns[column].type == type);
    table->columns[column].present[row] = true;
    return &table->columns[column].cells[row];
}

void table_set_text(struct table *table, size_t column, size_t row, struct str text)
{
    cell_of(table, column, row, CELL_TEXT)->text = arena_copy(&table->arena, text);
}

void table_set_name(struct table *table, size_t column, size_t row, struct str name)
{
    struct column *c = &table->columns[column];
    assert(column < table->column_count && row < table->row_count && c->type == CELL_TEXT);
    if (!c->names) {
        c->names = mem_alloc(table->row_room, sizeof(*c->names));
    }
    c->names[row] = name.ptr ? arena_copy(&table->arena, name) : name;
}

/* Texts with the names that stand for them. */
static union cell *named_cells(const struct table *table, const struct column *column)
{
    union cell *cells = mem_alloc(table->row_count + 1, sizeof(*cells));
    for (size_t row = 0; row < table->row_count; row++) {
        cells[row] = column->cells[row];
        if (column->names[row].ptr) {
            cells[row].text = column->names[row];
        }
    }
    return cells;
}

void table_seen(const struct table *table, enum column_audience by, struct table *out)
{
    *out = *table;
    out->columns = mem_alloc(table->column_count + 1, sizeof(*out->columns));
    out->column_count = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct column *from = &table->columns[c];
        struct column *to = &out->columns[out->column_count];
        if (from->audience != COLUMN_FOR_ALL && from->audience != by) {
            continue;
        }
        *to = *from;
        to->names = by == COLUMN_FOR_PEOPLE ? from->names : NULL;
        to->cells = to->names ? named_cells(table, from) : from->cells;
        out->column_count++;
    }
}

void table_seen_release(struct table *seen)
{
    for (size_t c = 0; c < seen->column_count; c++) {
        if (seen->columns[c].names) {
            free(seen->columns[c].cells);
        }
    }
    free(seen->columns);
    *seen = (struct table){0};
}

void table_set_int(struct table *table, size_t column, size_t row, int64_t value)
{
    cell_of(table, column, row, CELL_INT)->integer = value;
}

void table_set_wide(struct table *table, size_t column, size_t row, wide_int value)
{
    cell_of(table, column, row, CELL_WIDE)->wide = value;
}

void table_set_real(struct table *table, size_t column, size_t row, double value)
{
    cell_of(table, column, row, CELL_REAL)->real = value;
}

wide_int table_wide(const struct table *table, size_t column, size_t row)
{
    const struct column *c = &table->columns[column];
    assert(c->type == CELL_INT || c->type == CELL_WIDE);
    return c->type == CELL_INT ? c->cells[row].integer : c->cells[row].wide;
}

double table_real(const struct table *table, size_t column, size_t row)
{
    const struct column *c = &table->columns[column];
    return c->type == CELL_REAL ? c->cells[row].real : (double)table_wide(table, column, row);
}

void table_picture(struct table *table, size_t column, const char *name, bool additive)
{
    struct column *c = &table->columns[column];
    c->picture = name ? arena_text(&table->names, str_of(name)) : NULL;
    c->additive = additive;
}

size_t table_column_like(struct table *table, const struct column *column)
{
    size_t index = table_column(table, column->id, column->label, column->type, column->unit,
                                column->role);
    table_picture(table, index, column->picture, column->additive);
    table->columns[index].audience = column->audience;
    return index;
}

void table_copy_cell(const struct table *from, size_t column, size_t row, struct table *to,
                     size_t to_column, size_t to_row)
{
    if (!table_has(from, column, row)) {
        to->columns[to_column].present[to_row] = false;
        return;
    }
    const union cell cell = from->columns[column].cells[row];
    const enum cell_type type = from->columns[column].type;
    if (type == CELL_TEXT) {
        const struct str *names = from->columns[column].names;
        table_set_text(to, to_column, to_row, cell.text);
        if (names && names[row].ptr) {
            table_set_name(to, to_column, to_row, names[row]);
        }
    } else {
        *cell_of(to, to_column, to_row, type) = cell;
    }
}

void table_copy_rows(const struct table *from, struct table *to)
{
    for (size_t row = 0; row < from->row_count; row++) {
        table_row(to);
        for (size_t c = 0; c < to->column_count; c++) {
            table_copy_cell(from, c, row, to, c, row);
        }
    }
}

void table_copy(const struct table *from, struct table *to)
{
    for (size_t c = 0; c < from->column_count; c++) {
        table_column_like(to, &from->columns[c]);
    }
    table_copy_rows(from, to);
}

size_t table_find(const struct table *table, const char *id)
{
    size_t c = 0;
    while (c < table->column_count && !str_eq(str_of(table->columns[c].id), str_of(id))) {
        c++;
    }
    return c;
}

bool column_is_right(const struct column *column)
{
    return column->type != CELL_TEXT && column->unit != UNIT_INSTANT;
}
