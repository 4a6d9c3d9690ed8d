/* SPDX-License-Identifier: MIT */
#include "view/chart/answer_shape.h"

#include <math.h>

#include "base/limit.h"
#include "report/catalog.h"
#include "view/chart/name_index.h"
#include "view/number.h"

/* What a bucket's label, as calendar_label writes it, is the label of. */
static enum bucket bucket_of(struct str label)
{
    if (label.len == 4) {
        return BUCKET_YEAR;
    }
    if (label.len == 7) {
        return label.ptr[5] == 'Q' ? BUCKET_QUARTER : BUCKET_MONTH;
    }
    return label.len == 8    ? BUCKET_WEEK
           : label.len == 10 ? BUCKET_DAY
           : label.len > 10  ? BUCKET_HOUR
                             : BUCKET_NONE;
}

/* Whether a column is an axis of time, of which every row has its instant. */
static bool is_time(const struct table *table, const struct column *column)
{
    bool all = column->type == CELL_INT && column->unit == UNIT_INSTANT && column->picture;
    for (size_t row = 0; all && row < table->row_count; row++) {
        all = column->present[row];
    }
    return all;
}

static bool is_number(const struct column *column)
{
    return column->role == COLUMN_MEASURE && column->type != CELL_TEXT &&
           column->unit != UNIT_INSTANT;
}

/* Whether the answer says itself which of its columns a picture is to show. */
static bool names_pictures(const struct table *table)
{
    bool any = false;
    for (size_t i = 0; i < table->column_count; i++) {
        any = any || (is_number(&table->columns[i]) && table->columns[i].picture);
    }
    return any;
}

static void sort_column(struct answer_shape *shape, size_t index)
{
    const struct table *table = shape->table;
    const struct column *column = &table->columns[index];
    if (is_number(column) && shape->measure_count < ANSWER_SHAPE_COLUMNS_MAX) {
        if (!shape->pictured || column->picture) {
            shape->measures[shape->measure_count++] = index;
        }
    } else if (column->role == COLUMN_TARGET || column->role == COLUMN_SHARED_TARGET) {
        const bool shared = column->role == COLUMN_SHARED_TARGET;
        if ((shared || shape->measure_count == 1) &&
            shape->target_count < ANSWER_SHAPE_TARGETS_MAX) {
            shape->targets[shape->target_count++] = index;
            shape->shared = shape->shared || shared;
        }
    } else if (column->role == COLUMN_DIMENSION && column->type == CELL_TEXT &&
               str_eq(str_of(column->id), STR("period"))) {
        shape->period = index;
        shape->has_period = true;
        shape->bucket = table->row_count > 0 && column->present[0]
                            ? bucket_of(column->cells[0].text)
                            : BUCKET_MONTH;
    } else if (column->role == COLUMN_DIMENSION && is_time(table, column)) {
        shape->period = index;
        shape->has_period = true;
        shape->moments = true;
        shape->bucket = BUCKET_HOUR;
    } else if (column->role == COLUMN_DIMENSION &&
               shape->name_count < ANSWER_SHAPE_COLUMNS_MAX) {
        shape->names[shape->name_count++] = index;
    }
}

/* A measure adds up over each dimension, or not at all. */
static bool is_additive(const struct table *table, const struct column *column)
{
    const struct measure *measure = measure_find(str_of(column->id));
    bool all = measure && measure->additive;
    for (size_t i = 0; all && i < table->column_count; i++) {
        const struct field *dimension = table->columns[i].role == COLUMN_DIMENSION
                                            ? dimension_find(str_of(table->columns[i].id))
                                            : NULL;
        all = !dimension || measure_adds_up(measure, dimension);
    }
    return column->additive || all;
}

static bool rows_are_unique(const struct answer_shape *shape)
{
    struct name_index seen = {0};
    struct buf name;
    bool unique = true;
    size_t columns[ANSWER_SHAPE_COLUMNS_MAX + 1], count = shape->name_count;
    for (size_t i = 0; i < count; i++) {
        columns[i] = shape->names[i];
    }
    if (shape->has_period) {
        columns[count++] = shape->period;
    }
    buf_init(&name, LIMIT_RECORD);
    for (size_t row = 0; row < shape->table->row_count && unique; row++) {
        buf_clear(&name);
        answer_shape_add_name(&name, shape, row, columns, count);
        unique = name_index_add(&seen, buf_str(&name)) == row;
    }
    buf_release(&name);
    name_index_release(&seen);
    return unique;
}

/* Measures that can share an axis: the first, and those after it in its unit. */
static size_t count_alike(const struct answer_shape *shape)
{
    const struct column *columns = shape->table->columns;
    size_t count = shape->measure_count > 0;
    while (count < shape->measure_count &&
           columns[shape->measures[count]].unit == columns[shape->measures[0]].unit &&
           is_additive(shape->table, &columns[shape->measures[count]]) == shape->additive) {
        count++;
    }
    return count;
}

void answer_shape_init(struct answer_shape *shape, const struct table *table,
                       const struct zone *zone)
{
    *shape =
        (struct answer_shape){.table = table, .zone = zone, .pictured = names_pictures(table)};
    for (size_t i = 0; i < table->column_count; i++) {
        sort_column(shape, i);
    }
    if (shape->measure_count == 0) {
        return;
    }
    shape->additive = is_additive(table, &table->columns[shape->measures[0]]);
    for (size_t row = 0; row < table->row_count && !shape->negative; row++) {
        shape->negative = answer_shape_value(shape, shape->measures[0], row) < 0;
    }
    shape->alike = count_alike(shape);
    shape->unique = rows_are_unique(shape);
}

const char *answer_shape_label(const struct answer_shape *shape, size_t column)
{
    const struct column *c = &shape->table->columns[column];
    return c->picture ? c->picture : c->label;
}

size_t answer_shape_keys(const struct answer_shape *shape)
{
    return shape->name_count + shape->has_period;
}

/* What a value is divided by for people to read it. */
static double divisor_of(enum unit unit)
{
    return unit == UNIT_HOURS         ? (double)HOUR_US
           : unit == UNIT_MILLIJOULES ? 1000.0
           : unit == UNIT_SECONDS || unit == UNIT_GIB_SECONDS || unit == UNIT_SU ||
                   unit == UNIT_MONEY
               ? (double)SECOND_US
               : 1;
}

double answer_shape_value(const struct answer_shape *shape, size_t column, size_t row)
{
    const struct column *c = &shape->table->columns[column];
    if (!c->present[row]) {
        return (double)NAN;
    }
    if (c->type == CELL_REAL) {
        return isfinite(c->cells[row].real) ? c->cells[row].real / divisor_of(c->unit)
                                            : (double)NAN;
    }
    return (double)table_wide(shape->table, column, row) / divisor_of(c->unit);
}

void answer_shape_add_name(struct buf *out, const struct answer_shape *shape, size_t row,
                           const size_t *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct column *column = &shape->table->columns[columns[i]];
        buf_addz(out, i > 0 ? " / " : "");
        if (column->present[row] && column->type == CELL_TEXT) {
            buf_add(out, column->cells[row].text);
        } else {
            number_human(out, shape->table, columns[i], row, shape->zone);
        }
    }
}
