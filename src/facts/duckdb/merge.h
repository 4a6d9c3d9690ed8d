/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Rows of runs merged with other records of the same runs, by record/run_merge.h. Inside facts/
 * only.
 */

#include <stdbool.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "facts/statement.h"

/*
 * Merges the rows that the temporary table `pairs` names: old_row of `runs`, and new_row of
 * `table`, which has the columns of runs. Into the temporary table `outcomes`: old_row, new_row
 * and, as booleans, what struct run_merge says of each pair; and into `merged`, if it is
 * wanted: old_row and the columns of runs, where the merged row is neither the older nor the
 * newer one.
 */
int merge_pairs(struct facts *facts, struct identifier table, bool with_merged,
                struct error *err) MUST_CHECK;

/* "...": whether the record n knows a field of the run that o does not; aliases of runs. */
void merge_add_learns(struct statement *sql);

/* "...": as text, the origin of the record that says which state a row of runs is in. */
void merge_add_state_origin(struct statement *sql);
