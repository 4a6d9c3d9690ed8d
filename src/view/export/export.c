/* SPDX-License-Identifier: MIT */
#include "view/export/export.h"

#include "view/export/formats.h"

static void nothing(struct buf *out, const struct export_style *style, bool empty)
{
    (void)out, (void)style, (void)empty;
}

const struct export_format export_formats[] = {
    {"csv", "comma-separated values (RFC 4180)", csv_begin, csv_rows, nothing},
    {"tsv", "tab-separated values; \\t \\n \\r \\\\ are escapes within text", tsv_begin,
     tsv_rows, nothing},
    {"json", "an array of objects, one per line", objects_begin, objects_rows, objects_end},
    {"jsonl", "an object a line", objects_lines_begin, objects_lines_rows, nothing},
    {"markdown", "a table for GitHub Flavored Markdown", markdown_begin, markdown_rows,
     nothing},
    {0},
};

const struct export_format *export_find(struct str name)
{
    for (const struct export_format *format = export_formats; format->name; format++) {
        if (str_eq(str_of(format->name), name)) {
            return format;
        }
    }
    return NULL;
}

void export_write(struct buf *out, const struct export_format *format,
                  const struct table *table, const struct export_style *style)
{
    format->begin(out, table, style);
    format->rows(out, table, style, true);
    format->end(out, style, table->row_count == 0);
}
