/* SPDX-License-Identifier: MIT */
#include "view/export/export.h"

#include "view/export/formats.h"

const struct export_format export_formats[] = {
    {"csv", "comma-separated values (RFC 4180)", csv_write},
    {"tsv", "tab-separated values, with \\t \\n \\r \\\\ for what is in the text", tsv_write},
    {"json", "an array of objects, one a line", objects_write},
    {"jsonl", "an object a line", objects_write_lines},
    {"markdown", "a table for GitHub Flavored Markdown", markdown_write},
    {NULL, NULL, NULL},
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
