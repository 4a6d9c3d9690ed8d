/* SPDX-License-Identifier: MIT */
#include "view/text/layout.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "view/text/cell_text.h"

/*
 * Columns start as wide as their widest cell. If that is too much, one cap is found for all
 * columns of text, the widest that fits; so the longest lose first and those below the cap lose
 * nothing. Numbers are never cut: half a number is a lie.
 */

enum { READABLE = 8 }; /* text is not cut below this */

static size_t natural_width(const struct table *table, size_t column,
                            const struct text_style *style, struct buf *scratch)
{
    size_t widest = 0;
    if (style->header) {
        buf_clear(scratch);
        cell_text_text(scratch, str_of(table->columns[column].label), style->ascii);
        widest = str_width(buf_str(scratch));
    }
    for (size_t row = 0; row < table->row_count; row++) {
        buf_clear(scratch);
        cell_text_cell(scratch, table, column, row, style);
        size_t width = str_width(buf_str(scratch));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static bool is_cut(const struct table *table, const size_t *widths, size_t column, size_t cap)
{
    return table->columns[column].type == CELL_TEXT && widths[column] > cap;
}

static size_t total_width(const struct table *table, const size_t *widths, size_t cap)
{
    size_t total = LAYOUT_GAP * (table->column_count - 1);
    for (size_t i = 0; i < table->column_count; i++) {
        total += is_cut(table, widths, i, cap) ? cap : widths[i];
    }
    return total;
}

/* The widest cap that fits; READABLE fits, `wide` does not. */
static size_t find_cap(const struct table *table, const size_t *widths, size_t wide,
                       size_t room)
{
    size_t fits = READABLE;
    while (wide - fits > 1) {
        size_t middle = fits + (wide - fits) / 2;
        if (total_width(table, widths, middle) <= room) {
            fits = middle;
        } else {
            wide = middle;
        }
    }
    return fits;
}

/*
 * Cuts columns of text to a cap; what is left over goes, a column each, to the first of them.
 */
static void apply_cap(const struct table *table, size_t *widths, size_t cap, size_t room)
{
    size_t spare = room - total_width(table, widths, cap);
    for (size_t i = 0; i < table->column_count; i++) {
        if (is_cut(table, widths, i, cap)) {
            widths[i] = spare > 0 ? cap + 1 : cap;
            spare -= spare > 0;
        }
    }
}

void layout_init(struct layout *layout, const struct table *table,
                 const struct text_style *style)
{
    *layout =
        (struct layout){.widths = mem_alloc(table->column_count, sizeof(size_t)), .fits = true};
    size_t *widths = layout->widths;
    size_t widest = 0;
    struct buf scratch;
    buf_init(&scratch, LIMIT_OUTPUT);
    for (size_t i = 0; i < table->column_count; i++) {
        widths[i] = natural_width(table, i, style, &scratch);
        widest = widths[i] > widest ? widths[i] : widest;
    }
    buf_release(&scratch);
    if (style->width == 0 || total_width(table, widths, widest) <= style->width) {
        return;
    }
    layout->fits = total_width(table, widths, READABLE) <= style->width;
    if (layout->fits) {
        layout->cut = true;
        apply_cap(table, widths, find_cap(table, widths, widest, style->width), style->width);
    }
}

void layout_release(struct layout *layout)
{
    if (!layout) {
        return;
    }
    free(layout->widths);
    *layout = (struct layout){0};
}
