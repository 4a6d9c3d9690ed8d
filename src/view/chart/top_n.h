/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Too many names for a picture: the greatest are kept, in their order, and the rest becomes one
 * "others (N)" where values may be summed. Where they may not, the rest is left out and a note
 * says so; the series of a heat map are then those at both ends. Buckets of time are never
 * folded. For view/chart only.
 */

#include "view/chart/chart.h"

void chart_fold(struct chart *chart);

/* The chart with its categories or series in another order, or some of them only. */
void chart_take_categories(struct chart *chart, const size_t *order, size_t count);
void chart_take_series(struct chart *chart, const size_t *order, size_t count);

/*
 * What a category or series comes to: the sum of its values, or without `additive` the
 * greatest.
 */
double chart_category_weight(const struct chart *chart, size_t category);
double chart_series_weight(const struct chart *chart, size_t series);

/*
 * Orders `order` (indices 0..count-1) by weight, greatest first; equal ones stay as they were.
 */
void chart_order_by(size_t *order, size_t count, const double *weights);
