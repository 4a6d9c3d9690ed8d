/* SPDX-License-Identifier: MIT */
#include "view/text/cell_text.h"

#include <math.h>

#include "base/printable.h"
#include "base/rune.h"
#include "view/number.h"

static struct str skip(struct str text, size_t len)
{
    return (struct str){text.ptr + len, text.len - len};
}

void cell_text_text(struct buf *out, struct str text, bool ascii)
{
    printable_add(out, text, ascii);
}

bool cell_text_is_absent(const struct table *table, size_t column, size_t row)
{
    const struct column *c = &table->columns[column];
    return !c->present[row] || (c->type == CELL_REAL && !isfinite(c->cells[row].real));
}

void cell_text_cell(struct buf *out, const struct table *table, size_t column, size_t row,
                    const struct text_style *style)
{
    const struct column *c = &table->columns[column];
    if (c->type == CELL_TEXT && c->present[row]) {
        cell_text_text(out, c->cells[row].text, style->ascii);
    } else {
        number_human(out, table, column, row, style->zone);
    }
    if (c->stars) { /* digits stay below each other */
        buf_addz(out, c->stars[row] ? " *" : "  ");
    }
}

/* Bytes at the start that take at most `width` columns, marks on the last letter included. */
static size_t fitting_length(struct str text, size_t width)
{
    size_t taken = 0;
    size_t columns = 0;
    while (taken < text.len) {
        uint32_t rune = 0;
        size_t len = rune_decode(skip(text, taken), &rune);
        columns += len ? rune_width(rune) : 1;
        if (columns > width) {
            break;
        }
        taken += len ? len : 1;
    }
    return taken;
}

void cell_text_cut(struct buf *out, struct str text, size_t width, bool ascii)
{
    if (fitting_length(text, width) == text.len) {
        buf_add(out, text);
    } else if (width > 0) {
        buf_add(out, (struct str){text.ptr, fitting_length(text, width - 1)});
        buf_addz(out, ascii ? "~" : "\xe2\x80\xa6");
    }
}

/*
 * Where to break a line of which `len` bytes fit: after its last blank, if words come before
 * it.
 */
static size_t break_length(struct str text, size_t len)
{
    if (len == text.len || text.ptr[len] == ' ') {
        return len;
    }
    size_t indent = 0;
    while (indent < len && text.ptr[indent] == ' ') {
        indent++;
    }
    size_t end = len;
    while (end > indent && text.ptr[end - 1] != ' ') {
        end--;
    }
    return end > indent ? end : len;
}

struct str cell_text_line(struct str *rest, size_t width)
{
    size_t len = break_length(*rest, fitting_length(*rest, width));
    if (len == 0 && rest->len > 0) {
        uint32_t rune = 0;
        len = rune_decode(*rest, &rune);
        len = len ? len : 1;
    }
    struct str line = {rest->ptr, len};
    *rest = skip(*rest, len);
    while (rest->len > 0 && rest->ptr[0] == ' ') {
        *rest = skip(*rest, 1);
    }
    while (line.len > 0 && line.ptr[line.len - 1] == ' ') {
        line.len--;
    }
    return line;
}
