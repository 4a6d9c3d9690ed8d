/* SPDX-License-Identifier: MIT */
#include "view/export/line_format.h"

#include <string.h>

#include "base/limit.h"
#include "base/printable.h"
#include "view/number.h"

static void write_header(struct buf *out, const struct table *table,
                         const struct line_format *format)
{
    buf_addz(out, format->start);
    for (size_t i = 0; i < table->column_count; i++) {
        buf_addz(out, i > 0 ? format->between : "");
        format->text(out,
                     str_of(format->human ? table->columns[i].label : table->columns[i].id));
    }
    buf_addz(out, format->end);
    if (format->after_header) {
        format->after_header(out, table);
    }
}

/* What spreadsheets take for a formula, by its first character. */
static bool is_formula(struct str text)
{
    return text.len > 0 && strchr("=+-@\t\r", text.ptr[0]) && text.ptr[0] != '\0';
}

/*
 * What the format escapes by itself comes first, so that its own escapes of a line break or a
 * backslash stay what they are; what is left then becomes visible, which neither quotes nor
 * separators are affected by.
 */
static void write_visible(struct buf *out, struct str text, const struct line_format *format)
{
    if (printable_is_plain(text)) {
        format->text(out, text);
        return;
    }
    struct buf escaped;
    buf_init(&escaped, LIMIT_OUTPUT);
    format->text(&escaped, text);
    printable_add(out, buf_str(&escaped), false);
    out->overflow |= escaped.overflow;
    buf_release(&escaped);
}

static void write_text(struct buf *out, struct str text, const struct export_style *style,
                       const struct line_format *format, bool raw)
{
    struct buf defused;
    buf_init(&defused, LIMIT_OUTPUT);
    if (style->defused && format->defusable && is_formula(text)) {
        buf_addc(&defused, '\'');
        buf_add(&defused, text);
        text = buf_str(&defused);
    }
    if (raw) {
        format->text(out, text);
    } else {
        write_visible(out, text, format);
    }
    buf_release(&defused);
}

static void write_row(struct buf *out, const struct table *table, size_t row,
                      const struct export_style *style, const struct line_format *format)
{
    const struct zone *zone = style->zone;
    const bool raw = style->raw || table->raw;
    struct str between = str_of(format->between);
    buf_addz(out, format->start);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        if (i > 0) {
            buf_add(out, between);
        }
        if (!column->present[row] && !format->human) {
            continue;
        }
        if (format->human && (!column->present[row] || column->type != CELL_TEXT)) {
            number_human(out, table, i, row, zone);
        } else if (column->type == CELL_TEXT) {
            write_text(out, column->cells[row].text, style, format, raw);
        } else {
            number_exact(out, table, i, row, zone);
        }
    }
    if (format->lone && table->column_count == 1 && !table_has(table, 0, row)) {
        buf_addz(out, format->lone);
    }
    buf_addz(out, format->end);
}

void line_format_begin(struct buf *out, const struct table *columns,
                       const struct export_style *style, const struct line_format *format)
{
    if (style->header && columns->column_count > 0) {
        write_header(out, columns, format);
    }
}

void line_format_rows(struct buf *out, const struct table *rows,
                      const struct export_style *style, const struct line_format *format)
{
    for (size_t row = 0; rows->column_count > 0 && row < rows->row_count && !out->overflow;
         row++) {
        write_row(out, rows, row, style, format);
    }
}

void line_format_escape(struct buf *out, struct str text,
                        const char *(*replacement)(char byte, char before))
{
    size_t start = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char *escape = replacement(text.ptr[i], i > 0 ? text.ptr[i - 1] : ' ');
        if (escape) {
            buf_add(out, (struct str){text.ptr + start, i - start});
            buf_addz(out, escape);
            start = i + 1;
        }
    }
    buf_add(out, (struct str){text.ptr + start, text.len - start});
}
