/* SPDX-License-Identifier: MIT */
#include "view/export/formats.h"
#include "view/export/line_format.h"

/*
 * RFC 4180, but for the line end, which is a newline as everywhere on Unix. Readers that know
 * absence take an empty cell for it; so empty text is written as "". Line breaks are in quotes
 * as the RFC has them only where text is raw (export_style).
 */

static bool is_special(char byte)
{
    return byte == ',' || byte == '"' || byte == '\n' || byte == '\r';
}

/* Besides what the RFC asks for, blanks at the ends are quoted: many readers strip them. */
static bool needs_quotes(struct str text)
{
    if (text.len == 0 || text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ' ||
        text.ptr[0] == '\t' || text.ptr[text.len - 1] == '\t') {
        return true;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (is_special(text.ptr[i])) {
            return true;
        }
    }
    return false;
}

static void csv_text(struct buf *out, struct str text)
{
    if (!needs_quotes(text)) {
        buf_add(out, text);
        return;
    }
    buf_addc(out, '"');
    while (text.ptr) {
        buf_add(out, str_cut(&text, '"'));
        if (text.ptr) {
            buf_addz(out, "\"\"");
        }
    }
    buf_addc(out, '"');
}

static const struct line_format csv_format = {
    .start = "",
    .between = ",",
    .end = "\n",
    .lone = "\"\"",
    .defusable = true,
    .text = csv_text,
};

void csv_begin(struct buf *out, const struct table *columns, const struct export_style *style)
{
    line_format_begin(out, columns, style, &csv_format);
}

void csv_rows(struct buf *out, const struct table *rows, const struct export_style *style,
              bool first)
{
    (void)first;
    line_format_rows(out, rows, style, &csv_format);
}
