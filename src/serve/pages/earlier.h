/* SPDX-License-Identifier: MIT */
#pragma once

/* What was in another period, beside a chart over time. Inside serve/pages. */

#include "serve/pages/panel.h"
#include "view/chart/chart.h"

/*
 * Adds it as ticks to the chart of a report over `period`: of the period "with", which is
 * "previous" or "last-year". Nothing where the chart is of something else, or where nothing is
 * known of that time.
 */
void earlier_add(struct page_view *view, struct chart *chart, const struct request *request,
                 struct period period, struct str with);
