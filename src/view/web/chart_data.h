/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The numbers of a chart as JSON, for the script of the pages to answer with where its drawing
 * (chart_page) is touched: values under the pointer, series switched off, a stretch of time
 * marked. How it looks is in the drawing alone.
 *
 *     {"kind": "stacked", "bucket": "month", "up": "CPU hours", "unit": "hours",
 *      "categories": [{"name": "2025-03"}, {"name": "2025-04", "partial": true}],
 *      "series": [{"name": "Birch", "id": "birch", "values": [12.5, null],
 *                  "low": [null, null], "high": [null, null]}],
 *      "targets": [{"label": "target", "values": [20, 20]}],
 *      "explore": "/explore?measure=cpu_hours&by=cluster", "dimensions": ["cluster"]}
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
    /*
     * names that are shown, and what they stand for where that is something else; NULL: they
     * are the same
     */
    const struct table *table;
};

/* Kinds whose values can be touched; others show theirs as the browser shows tips. */
bool chart_data_can(const struct chart *chart);

void chart_data_write(struct buf *out, const struct chart *chart,
                      const struct chart_data_way *way);
