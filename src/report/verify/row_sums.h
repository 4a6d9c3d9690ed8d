/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Measures summed run by run, in C: the way without SQL, to compare with (see recompute.h). It
 * goes by what a run says of itself, its start, end and class, and not by what the store has
 * worked out from these.
 *
 * A tally has the size of a few sums whatever it has seen. So measures that need all values at
 * once are not in it: quantiles, numbers of different values, peaks.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/calendar.h"
#include "record/run.h"
#include "report/catalog.h"
#include "report/verify/node_split.h"
#include "table/table.h"

/* What is kept for one measure. */
struct row_sums_cell {
    wide_int sum;   /* or the largest, or the smallest */
    wide_int whole; /* what the sum is a share of */
    int64_t seen;   /* runs that the measure looks at */
    int64_t known;  /* those of them that tell the value */
};

enum { ROW_SUMS_MEASURES = 48 };

/* A zeroed one is of nothing. */
struct row_sums {
    struct row_sums_cell cells[ROW_SUMS_MEASURES];
};

/* The measures of a tally, from 0 to ROW_SUMS_MEASURES - 1. */
const struct measure *row_sums_measure(size_t index);

/* The fields of a run that are looked at; false beyond the last. */
bool row_sums_field(size_t index, enum run_field *out);

/* Whether a run has anything to do with a period. */
bool row_sums_touches(const struct run *run, struct period period, int64_t now);

/* Adds what it has to do with it. */
void row_sums_add(struct row_sums *tally, const struct run *run, struct period period,
                  int64_t now);

/* The same of a run on one of its nodes. */
void row_sums_add_part(struct row_sums *tally, const struct run *run,
                       const struct node_split_cut *cut, struct period period, int64_t now);

/* Adds a column for the row's name, if rows have one, and one for each measure. */
void row_sums_columns(struct table *table, bool named);

/*
 * Sets the cells of `row` from column `first` on: one for each measure, absent where it is
 * unknown.
 */
void row_sums_set(const struct row_sums *tally, struct table *table, size_t first, size_t row);
