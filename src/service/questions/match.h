/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Finds the row of a table that is about the same thing as a row of another: whose first columns,
 * the dimensions, are equal, absent ones included. Inside service/ only.
 */

#include "table/table.h"

struct match {
    const struct table *table;
    size_t dimensions;
    size_t *slots; /* row + 1 at the place of its hash, 0 where there is none; owned */
    size_t room;   /* a power of two, larger than the rows */
};

/* Both tables live longer than the match. */
void match_init(struct match *match, const struct table *table, size_t dimensions);
void match_release(struct match *match);

/* The row of the table; its row count if there is none. */
size_t match_find(const struct match *match, const struct table *like, size_t row);
