/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Two tables of one shape (tally_columns), compared cell by cell; and the rows of one, added
 * up, with a total. What differs is reported to the watcher of `with`, and in the end what was
 * compared. Inside report/ only.
 */

#include "report/verify/recompute.h"

struct comparison_side {
    const char *name; /* who says so */
    const struct table *table;
};

/* Which measures a side says; NULL: all. */
typedef bool comparison_knows(const struct measure *measure);

/* Rows are those of one name, in whatever order; `named` is whether they have any. */
void comparison_of_rows(const struct recompute *with, const struct recompute_cut *cut,
                        bool named, struct comparison_side a, struct comparison_side b,
                        comparison_knows *knows);

/* The sum of the rows of `parts`, which have names, against the one row of `total`. */
void comparison_of_sums(const struct recompute *with, const struct recompute_cut *cut,
                        struct comparison_side total, const struct table *parts,
                        comparison_knows *knows);
