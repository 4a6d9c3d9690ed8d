/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Notes what changes among the runs, for roll-ups (sql/facts/schema/003-rollups.sql) and for
 * the change feed (facts/changes.h). Code that inserts, updates or deletes rows of `runs` calls
 * one of these in the same transaction. Inside facts/ only.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/changes.h"
#include "facts/facts.h"

/* Runs of this batch were written; their span is the caller's to note (changed_span). */
int changed_batch(struct facts *facts, int64_t batch, struct error *err) MUST_CHECK;

/*
 * Runs of the clusters that a statement gives in the column `cluster`, otherwise unchanged,
 * have this `seen` now.
 */
int changed_seen(struct facts *facts, const char *clusters, int64_t seen,
                 struct error *err) MUST_CHECK;

/* For roll-ups alone: the runs of this span are not the same any more. */
int changed_span(struct facts *facts, int64_t first_time, int64_t last_time,
                 struct error *err) MUST_CHECK;

/*
 * The same of the runs whose row ids are in `column` of the temporary table `rows`: as they are
 * now.
 */
int changed_spans(struct facts *facts, const char *rows, const char *column,
                  struct error *err) MUST_CHECK;

/*
 * The runs whose row ids are in `column` of the temporary table `rows` change: both kinds of
 * notes. Before they are deleted; after they are updated.
 */
int changed_runs(struct facts *facts, enum change_kind kind, const char *rows,
                 const char *column, struct error *err) MUST_CHECK;

/*
 * For the feed alone: `altered` is a statement that gives run_row and kind, which may be NULL
 * for those to be left out.
 */
int changed_feed(struct facts *facts, const char *altered, struct error *err) MUST_CHECK;
