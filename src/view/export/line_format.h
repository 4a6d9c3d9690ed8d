/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The formats that write a row as a line of cells differ in a few bytes and in how they write
 * text; that difference is a `struct line_format`, and the walk over the table is here. For
 * view/export only.
 */

#include "base/buf.h"
#include "base/str.h"
#include "table/table.h"
#include "view/export/export.h"

struct line_format {
    const char *start;   /* before the first cell */
    const char *between; /* two cells */
    const char *end;     /* after the last, the newline included */
    bool human; /* for people: labels, numbers as tables have them, --- for what is absent */
    bool defusable;   /* read by spreadsheets: see export_style */
    const char *lone; /* an absent cell without neighbours, lest its line be empty; or NULL */

    /* Writes one cell of text. */
    void (*text)(struct buf *out, struct str text);

    /* Writes what comes between the heading row and the others; NULL for nothing. */
    void (*after_header)(struct buf *out, const struct table *table);
};

void line_format_begin(struct buf *out, const struct table *columns,
                       const struct export_style *style, const struct line_format *format);
void line_format_rows(struct buf *out, const struct table *rows,
                      const struct export_style *style, const struct line_format *format);

/*
 * Adds `text` with some bytes replaced: `replacement` gives what to write for a byte, knowing
 * the one before it (a blank at the start), or NULL to leave it.
 */
void line_format_escape(struct buf *out, struct str text,
                        const char *(*replacement)(char byte, char before));
