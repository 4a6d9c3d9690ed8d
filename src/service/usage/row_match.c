/* SPDX-License-Identifier: MIT */
#include "service/usage/row_match.h"

#include <stdlib.h>

#include "base/mem.h"

static uint64_t hash_row(const struct table *table, size_t row, size_t dimensions)
{
    uint64_t hash = 0;
    for (size_t c = 0; c < dimensions; c++) {
        struct str bytes = {0};
        int64_t number = 0;
        if (table_has(table, c, row) && table->columns[c].type == CELL_TEXT) {
            bytes = table->columns[c].cells[row].text;
        } else if (table_has(table, c, row)) {
            number = (int64_t)table_wide(table, c, row);
            bytes = (struct str){(const char *)&number, sizeof number};
        }
        hash = str_hash(bytes, hash + 1);
    }
    return hash;
}

static bool same_row(const struct table *a, size_t a_row, const struct table *b, size_t b_row,
                     size_t dimensions)
{
    for (size_t c = 0; c < dimensions; c++) {
        const bool has = table_has(a, c, a_row);
        if (has != table_has(b, c, b_row)) {
            return false;
        }
        if (has &&
            (a->columns[c].type == CELL_TEXT
                 ? !str_eq(a->columns[c].cells[a_row].text, b->columns[c].cells[b_row].text)
                 : table_wide(a, c, a_row) != table_wide(b, c, b_row))) {
            return false;
        }
    }
    return true;
}

void row_match_init(struct row_match *match, const struct table *table, size_t dimensions)
{
    size_t room = 16;
    while (room < 2 * table->row_count) {
        room *= 2;
    }
    *match = (struct row_match){table, dimensions, mem_alloc(room, sizeof(size_t)), room};
    for (size_t row = 0; row < table->row_count; row++) {
        size_t at = hash_row(table, row, dimensions) & (room - 1);
        while (match->slots[at]) {
            at = (at + 1) & (room - 1);
        }
        match->slots[at] = row + 1;
    }
}

void row_match_release(struct row_match *match)
{
    free(match->slots);
    *match = (struct row_match){0};
}

size_t row_match_find(const struct row_match *match, const struct table *like, size_t row)
{
    size_t at = hash_row(like, row, match->dimensions) & (match->room - 1);
    for (; match->slots[at]; at = (at + 1) & (match->room - 1)) {
        const size_t found = match->slots[at] - 1;
        if (same_row(match->table, found, like, row, match->dimensions)) {
            return found;
        }
    }
    return match->table->row_count;
}
