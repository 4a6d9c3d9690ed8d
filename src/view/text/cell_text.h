/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What of a cell reaches the terminal: text without control characters, cut or broken to a
 * number of columns. For view/text and view/plot only.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "table/table.h"
#include "view/text/text.h"

/*
 * Adds `text` as base/printable.h has it. Everything below works on text that went through
 * here.
 */
void cell_text_text(struct buf *out, struct str text, bool ascii);

/* Whether there is no value, a ratio of nothing to nothing included. */
bool cell_text_is_absent(const struct table *table, size_t column, size_t row);

/* Adds the cell as people read it; --- when absent. */
void cell_text_cell(struct buf *out, const struct table *table, size_t column, size_t row,
                    const struct text_style *style);

/* Adds `text` in at most `width` columns, the last of them an ellipsis if it had to be cut. */
void cell_text_cut(struct buf *out, struct str text, size_t width, bool ascii);

/*
 * Takes the next line of at most `width` columns off `rest`, broken at a blank where there is
 * one. Gives at least one character, so that it always ends.
 */
struct str cell_text_line(struct str *rest, size_t width);
