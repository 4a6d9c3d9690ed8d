/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The matrix of a chart from the rows of an answer. For view/chart only; choose.h is the door.
 */

#include "base/attribute.h"
#include "view/chart/choose.h"
#include "view/chart/shape.h"

/* Each fills categories, series and labels of a chart whose kind is set. */
int build_grid(struct chart *chart, const struct shape *shape, const struct chart_wish *wish,
               struct error *err) MUST_CHECK;
int build_bins(struct chart *chart, const struct shape *shape, const struct chart_wish *wish,
               struct error *err) MUST_CHECK;
int build_boxes(struct chart *chart, const struct shape *shape, const struct chart_wish *wish,
                struct error *err) MUST_CHECK;
int build_points(struct chart *chart, const struct shape *shape, const struct chart_wish *wish,
                 struct error *err) MUST_CHECK;

/* How many measures a chart of that kind draws, from the first on. */
size_t build_measures(enum chart_kind kind, const struct shape *shape);

/* "Group", or "Group, user" for several columns; lives in the chart. */
const char *build_label(struct chart *chart, const struct shape *shape, const size_t *columns,
                        size_t count);
