/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Finds the row of a table that is about the same thing as a row of another: whose first
 * columns, the dimensions, are equal, absent ones included. Inside service/ only.
 */

#include "table/table.h"

struct row_match {
    const struct table *table;
    size_t dimensions;
    size_t *slots; /* row + 1 at the place of its hash, 0: free; owned */
    size_t room;   /* a power of two, larger than the rows */
};

/* Both tables live longer than the match. */
void row_match_init(struct row_match *match, const struct table *table, size_t dimensions);
void row_match_release(struct row_match *match);

/* The row of the table; its row count if no row matches. */
size_t row_match_find(const struct row_match *match, const struct table *like, size_t row);
