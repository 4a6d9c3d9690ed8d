/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A table on a terminal: aligned columns, numbers to the right, as wide as the terminal allows.
 *
 * When the table is too wide, text columns are shortened (with an ellipsis) down to a readable
 * minimum, longest first; if that is not enough, rows are broken into one "label value" block
 * each. Prose is not shortened: it moves below its row. Control characters in text are shown as
 * escapes: a job name cannot move the cursor.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/zone.h"
#include "table/table.h"

struct text_style {
    size_t width;            /* columns of the terminal; 0 is unlimited */
    bool colour;             /* bold headings, dim absent cells */
    bool ascii;              /* no box-drawing or ellipsis characters */
    bool header;             /* print headings */
    const struct zone *zone; /* for instants */
};

void text_table(struct buf *out, const struct table *table, const struct text_style *style);

/* One row as "Label  value" lines, absent ones left out: what `stint job` prints. */
void text_record(struct buf *out, const struct table *table, size_t row,
                 const struct text_style *style);

/*
 * Lines below an answer, each ended by a line break; names in them cannot move the cursor
 * either.
 */
void text_notes(struct buf *out, struct str notes, const struct text_style *style);
