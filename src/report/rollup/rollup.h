/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Roll-ups: for every day and every month of the site's calendar, the sums of all additive
 * measures by the dimensions that most questions are about. They are kept in the store beside
 * the facts and made again, after an import, for the time whose runs it changed.
 *
 * They are used where they give the same answer to the last digit, and never otherwise. A
 * stretch of a question's period is taken from them when
 *   - every measure is a sum, or a number of runs or of different users or accounts and the roll-up
 *     covers the whole period;
 *   - every dimension and filter is one of theirs;
 *   - it begins and ends with a day (a month) of the zone they were made in, and time is cut up no finer;
 *   - nothing has changed since.
 * What is left of the period comes from the facts, and so do runs that have not ended, whose
 * amounts grow.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "report/question.h"
#include "report/rollup/store_state.h"
#include "report/sql/sql.h"

/*
 * Brings the roll-ups up to date. Needs a store opened for writing, outside a transaction. Ends
 * between two steps where the connection's stop is set: the rest stays due.
 */
int rollup_refresh(struct facts *facts, const struct zone *zone, struct error *err) MUST_CHECK;

/* Whether something was written that they are without; reads only. */
int rollup_is_due(struct facts *facts, bool *due, struct error *err) MUST_CHECK;

/*
 * Opens the zone the store's roll-ups are of; *out is NULL if it has no roll-ups, or nobody here
 * knows it.
 */
int rollup_stored_zone(struct facts *facts, struct zone **out, struct error *err) MUST_CHECK;

/*
 * The same after `changed` runs were written, but only where it does not take long beside the
 * writing: where these are not very many, nor the runs of all the time that has changed since
 * it was last done. *left says that it was left to rollup_refresh. Nothing changed: nothing is
 * done.
 */
int rollup_follow(struct facts *facts, const struct zone *zone, int64_t changed, bool *left,
                  struct error *err) MUST_CHECK;

/* The stretches that the period of a question is answered in, in order; inside report/ only. */
int rollup_cover(const struct store_state *standing, const struct question *question,
                 struct sql_segment segments[SQL_SEGMENTS_MAX], size_t *count,
                 struct error *err) MUST_CHECK;

/*
 * The measure that says whether a roll-up's row has any run of this kind; NULL: it is not
 * rolled up.
 */
const struct measure *rollup_indicator(enum measure_kind kind);

/* The measure whose column of a roll-up has this one's sums; NULL: none. */
const struct measure *rollup_column(const struct measure *measure);

/*
 * The whole days of the calendar within a period; from == to if it holds no whole day. Inside report/
 * only.
 */
int rollup_whole_days(struct period period, const struct zone *zone, struct period *out,
                      struct error *err) MUST_CHECK;
