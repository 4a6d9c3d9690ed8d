/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One run from two records of it, field by field: record/precedence.h says which of them a field is taken from, and
 * `field_origins` of the merged row keeps the origin of each field, so that a third record is weighed against each of
 * them, and the order in which they come does not matter. Inside facts/ only.
 *
 * Whether and how a run ended is taken from one record as a whole. One that has its end wins, of two such the one with
 * more weight. Then one of a log or a database that says it is over; then the latest observation of a run that goes on:
 * a listing's is of the moment it was made, that of a log or database of the run's start, or else of its submission,
 * since an accounting database may lag behind. So no listing takes the end of a run away, and no lagging database its start.
 * What vanished (vanished.h) is an observation of when it was last seen, rather than an end.
 *
 * The start is a value like others; but a run that was started again, as two listings show, holds its resources since
 * the first start, and one that a listing shows to wait again has none.
 *
 * Records of one file and origin are versions of one record: the later one takes the place of the earlier, and what it
 * does not have any more is gone.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "facts/facts.h"

/*
 * Merges the rows that the temporary table `pairs` names: old_row of `runs`, and new_row of `table`, which has the columns
 * of runs. Into the temporary table `outcomes`: old_row, new_row and the columns of MERGE_OUTCOME of each pair; and into
 * `merged`: old_row, new_row and the columns of runs, where the merged row is neither the older nor the newer one.
 */
int merge_pairs(struct facts *facts, const char *table, struct error *err) MUST_CHECK;

/*
 * Of a merged row, booleans: it says just what the older or the newer row does (but for the batch); the run has ended by
 * it; the standing (end, class, start, tasks) is another.
 */
#define MERGE_OUTCOME "is_old, is_new, ends, moves"

/* The merged row as a row of runs: what stands after SELECT. */
#define MERGE_ROW "* EXCLUDE (old_row, new_row)"

/* "...": whether the record n knows a field of the run that o does not; aliases of runs. */
void merge_add_learns(struct buf *sql);

/* "...": as SQL text, the origin of the record that says how a run stands; `of` is an alias of runs. */
void merge_add_standing_origin(struct buf *sql, const char *of);
