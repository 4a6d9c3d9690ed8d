/* SPDX-License-Identifier: MIT */
#include "view/export/formats.h"
#include "view/export/line_format.h"

/*
 * A line a row and a tab between cells, always: what would break that is written \t \n \r \\,
 * as PostgreSQL and MySQL write and read it. So cut and awk need to know nothing of quotes.
 */

static const char *replacement(char byte, char before)
{
    (void)before;
    switch (byte) {
    case '\t':
        return "\\t";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\\':
        return "\\\\";
    default:
        return NULL;
    }
}

static void tsv_text(struct buf *out, struct str text)
{
    line_format_escape(out, text, replacement);
}

static const struct line_format tsv_format = {
    .start = "",
    .between = "\t",
    .end = "\n",
    .defusable = true,
    .text = tsv_text,
};

void tsv_begin(struct buf *out, const struct table *columns, const struct export_style *style)
{
    line_format_begin(out, columns, style, &tsv_format);
}

void tsv_rows(struct buf *out, const struct table *rows, const struct export_style *style,
              bool first)
{
    (void)first;
    line_format_rows(out, rows, style, &tsv_format);
}
