/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The matrix of a chart from the rows of an answer. For view/chart only; choose.h is the door.
 */

#include "base/attribute.h"
#include "view/chart/answer_shape.h"
#include "view/chart/choose.h"

/* Each fills categories, series and labels of a chart whose kind is set. */
int build_grid(struct chart *chart, const struct answer_shape *shape,
               const struct chart_wish *wish, struct error *err) MUST_CHECK;
int build_bins(struct chart *chart, const struct answer_shape *shape,
               const struct chart_wish *wish, struct error *err) MUST_CHECK;
int build_boxes(struct chart *chart, const struct answer_shape *shape,
                const struct chart_wish *wish, struct error *err) MUST_CHECK;
int build_points(struct chart *chart, const struct answer_shape *shape,
                 const struct chart_wish *wish, struct error *err) MUST_CHECK;

/*
 * Makes of months in a row the years over the months, each a line, where the answer says of
 * each month which year it is of; leaves the chart as it is where it cannot. Values of months
 * that are not whole are those with a range (chart_band).
 */
void build_years(struct chart *chart, const struct table *table);

/*
 * Takes the columns "low" and "high" that stand beside the measure as the ranges of its values,
 * which may be ahead.
 */
void build_ranges(struct chart *chart, const struct answer_shape *shape);

/* How many measures a chart of that kind draws, from the first on. */
size_t build_measures(enum chart_kind kind, const struct answer_shape *shape);

/* "Group", or "Group, user" for several columns; lives in the chart. */
const char *build_label(struct chart *chart, const struct answer_shape *shape,
                        const size_t *columns, size_t count);
