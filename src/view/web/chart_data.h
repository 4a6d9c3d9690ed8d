/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A chart as JSON, for the script of the pages to draw it again where it can be touched: values under the pointer, series
 * switched off, a stretch of time marked. What is drawn is the same: the names, values and gaps of the chart.
 *
 *     {"kind": "stacked", "bucket": "month", "up": "CPU hours", "unit": "hours",
 *      "categories": [{"name": "2025-03"}, {"name": "2025-04", "partial": true}],
 *      "series": [{"name": "Birch", "id": "birch", "colour": "#1d5f91", "dark": "#56a3dc", "values": [12.5, null]}],
 *      "targets": [{"label": "target", "values": [20, 20]}],
 *      "explore": "/explore?measure=cpu_hours&by=cluster", "dimensions": ["cluster"]}
 *
 * A heat map has no colours of series but a ramp of them, "ramp": ["#eef3fa", ...], from zero to the largest.
 */

#include "base/buf.h"
#include "table/table.h"
#include "view/chart/chart.h"

enum { CHART_DATA_DIMENSIONS_MAX = 2 };

/* Where a click leads. */
struct chart_data_way {
    const char *explore; /* address of the question that gave the answer; NULL: it has none */
    /* what the names of the answer are names of, in its order; fewer if it has fewer */
    const char *dimensions[CHART_DATA_DIMENSIONS_MAX];
    /* names that are shown, and what they stand for where that is something else; NULL: they are the same */
    const struct table *table;
};

/* Kinds that can be written so; others stay the picture they are. */
bool chart_data_can(const struct chart *chart);

void chart_data_write(struct buf *out, const struct chart *chart,
                      const struct chart_data_way *way);
