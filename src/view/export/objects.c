/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "view/export/formats.h"
#include "view/number.h"

/*
 * Rows as JSON objects: in an array, an object a line so that it can be read and compared, or just
 * the lines. Numbers keep every digit; a reader that wants floating point may round them itself.
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

/* All rows, with `first` in front of the first and `between` any two. */
static void write_objects(struct buf *out, const struct table *table, const struct zone *zone,
                          const char *first, const char *between)
{
    struct buf number;
    buf_init(&number, NUMBER_MAX);
    for (size_t row = 0; row < table->row_count && !out->overflow; row++) {
        struct json json = {.out = out};
        buf_addz(out, row > 0 ? between : first);
        json_begin_object(&json);
        for (size_t i = 0; i < table->column_count; i++) {
            write_cell(&json, table, i, row, zone, &number);
        }
        json_end_level(&json);
    }
    buf_release(&number);
}

void objects_write(struct buf *out, const struct table *table, const struct export_style *style)
{
    buf_addc(out, '[');
    write_objects(out, table, style->zone, "\n", ",\n");
    buf_addz(out, table->row_count > 0 ? "\n]\n" : "]\n");
}

void objects_write_lines(struct buf *out, const struct table *table,
                         const struct export_style *style)
{
    write_objects(out, table, style->zone, "", "\n");
    buf_addz(out, table->row_count > 0 ? "\n" : "");
}
