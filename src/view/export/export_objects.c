/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "view/export/formats.h"
#include "view/number.h"

/*
 * Rows as JSON objects: in an array, an object a line so that it can be read and compared, or
 * just the lines. Numbers keep every digit; a reader that wants floating point may round them
 * itself.
 */

enum { NUMBER_MAX = 512 }; /* bytes of a number: the largest double has 309 digits */

static void write_cell(struct json *json, const struct table *table, size_t column, size_t row,
                       const struct zone *zone, struct buf *number)
{
    const struct column *c = &table->columns[column];
    json_put_key(json, c->id);
    if (c->type == CELL_TEXT && c->present[row]) {
        json_put_text(json, c->cells[row].text);
        return;
    }
    buf_clear(number);
    number_exact(number, table, column, row, zone);
    if (number->len == 0) { /* absent, or a ratio of nothing to nothing */
        json_put_null(json);
    } else if (c->unit == UNIT_INSTANT) {
        json_put_text(json, buf_str(number));
    } else {
        json_put_number(json, buf_str(number));
    }
}

static void write_object(struct buf *out, const struct table *table, size_t row,
                         const struct zone *zone, struct buf *number)
{
    struct json json = {.out = out};
    json_begin_object(&json);
    for (size_t i = 0; i < table->column_count; i++) {
        write_cell(&json, table, i, row, zone, number);
    }
    json_end_level(&json);
}

/* All rows, with `before` in front of each, but in front of the very first `before_first`. */
static void write_objects(struct buf *out, const struct table *table, const struct zone *zone,
                          const char *before_first, const char *before, const char *after)
{
    struct buf number;
    buf_init(&number, NUMBER_MAX);
    for (size_t row = 0; row < table->row_count && !out->overflow; row++) {
        buf_addz(out, row > 0 ? before : before_first);
        write_object(out, table, row, zone, &number);
        buf_addz(out, after);
    }
    buf_release(&number);
}

void objects_begin(struct buf *out, const struct table *columns,
                   const struct export_style *style)
{
    (void)columns, (void)style;
    buf_addc(out, '[');
}

void objects_rows(struct buf *out, const struct table *rows, const struct export_style *style,
                  bool first)
{
    write_objects(out, rows, style->zone, first ? "\n" : ",\n", ",\n", "");
}

void objects_end(struct buf *out, const struct export_style *style, bool empty)
{
    (void)style;
    buf_addz(out, empty ? "]\n" : "\n]\n");
}

void objects_lines_begin(struct buf *out, const struct table *columns,
                         const struct export_style *style)
{
    (void)out, (void)columns, (void)style;
}

void objects_lines_rows(struct buf *out, const struct table *rows,
                        const struct export_style *style, bool first)
{
    (void)first;
    write_objects(out, rows, style->zone, "", "", "\n");
}
