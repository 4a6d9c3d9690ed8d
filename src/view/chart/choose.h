/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From an answer to a picture: which kind it is follows from the question, unless one is wished
 * for.
 *
 *     keys of a row                          drawn as
 *     one name                               bar
 *     buckets of time                        bar when few and summable, else line
 *     months, each with the year it is of    line, a year each over the months
 *     buckets and names                      stacked when few, else area; line when not summable
 *     two names                              stacked, or heat when the second are many or not summable;
 *                                            heat for weekday by hour_of_day
 *     more names                             bar, names joined
 *     names that repeat (a listing)          box; without names, histogram
 *
 * pie, scatter, histogram, box, heat and calendar on request. Of several measures those in the
 * unit of the first are drawn together where the kind can, but the first alone where it has a
 * target; what is left out is noted under the picture.
 *
 * A row that is missing (a group that did nothing in a month) is a zero where values may be
 * summed, and a gap where not; a cell that is absent is a gap. But of a time of which there are
 * no data, of the cluster that a series is or of any, nothing is known: that is hatched, and no
 * zero.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "report/coverage.h"
#include "table/table.h"
#include "view/chart/chart.h"

struct chart_wish {
    struct str kind;   /* the null string: as follows from the question */
    const char *title; /* NULL: the table's, or made of the columns' labels */
    struct str notes;  /* lines to stand under the picture */
    const struct zone *zone;
    struct period period;  /* of the answer; from == to: not known */
    struct period covered; /* that there are data of; from == to: not known */
    int64_t now;           /* what lies after it has not happened; 0: not known */
    /* the same in parts, of each cluster; none: all that is covered is */
    const struct coverage_stretch *covers;
    size_t cover_count;
};

/*
 * Fills `out`, which the caller zeroed and releases. ERROR_USAGE says why the answer cannot be
 * drawn so, and which kinds fit. An answer without rows gives a chart without data.
 */
int chart_choose(const struct table *table, const struct chart_wish *wish, struct chart *out,
                 struct error *err) MUST_CHECK;
