/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A table as bytes for other programs. One function a format, all with the same shape; the list
 * of formats is the table in export.c.
 *
 * Machine formats carry full precision (see view/number.h), column ids as names, and empty
 * (CSV, TSV) or null (JSON) for what is absent. Markdown is read by people: labels, and numbers
 * as tables have them.
 *
 * Text is quoted and escaped as the format wants it. In CSV, TSV and Markdown control
 * characters and others that are not seen are visible besides, as in tables (base/printable.h):
 * these are looked at on terminals, too. Tables to be read back and `raw` have the bytes
 * themselves. JSON has escapes of its own.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/zone.h"
#include "table/table.h"

struct export_style {
    bool header;             /* CSV, TSV, Markdown: write the heading row */
    const struct zone *zone; /* for instants */
    /* CSV, TSV: text that a spreadsheet would take for a formula has ' before it */
    bool defused;
    bool raw; /* CSV, TSV, Markdown: text as it was recorded; a table may ask for it as well */
};

/*
 * A writer has three parts, so that an answer can be written while it is still found: what
 * comes before the first row, rows, and what comes after the last.
 */
struct export_format {
    const char *name;    /* as in --format NAME */
    const char *summary; /* one line for --help */
    void (*begin)(struct buf *out, const struct table *columns,
                  const struct export_style *style);
    /* `first`: no row was written before */
    void (*rows)(struct buf *out, const struct table *rows, const struct export_style *style,
                 bool first);
    void (*end)(struct buf *out, const struct export_style *style, bool empty);
};

/*
 * csv (RFC 4180), tsv, json (an array of objects), jsonl (an object a line), markdown. NULL
 * name ends it.
 */
extern const struct export_format export_formats[];

const struct export_format *export_find(struct str name); /* NULL: unknown */

/* A whole table at once. */
void export_write(struct buf *out, const struct export_format *format,
                  const struct table *table, const struct export_style *style);
