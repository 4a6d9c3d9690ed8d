/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Small drawings of a page without a legend of their own: a line below a number, and what ran
 * where and when. Each is one <svg> (in a <div> where it has labels) of any width: across in
 * percent, down in pixels, without style attributes. They have the looks of charts, by the
 * rules that chart_css adds to the style sheet and the patterns of chart_patterns.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"

/*
 * The last so many values, without an axis: how it goes, not how much it is. Lines break where
 * a value is not a finite number; the last `unsettled` ones are not over, and the line to them
 * is dotted. The end is a point. Without two values nothing is drawn. For readers of a screen
 * the number beside it has to do.
 */
struct spark {
    const double *values;
    size_t count, unsettled;
    size_t look; /* that of a series of a chart: 0 is blue, 2 green */
};

void spark_page(struct buf *out, const struct spark *spark);

/*
 * What ran at a place, as bars over time. Bars that overlap lie in lanes below each other, in
 * the order of their beginnings; what began before the period or goes on after it reaches to
 * its edge. One that is not over is hatched. Names stand in the bars as far as there is room,
 * all that is known of one in its tip.
 */
struct gantt_bar {
    int64_t from, to; /* instants */
    struct str name;
    struct str about; /* what the tip says; the null string: the name */
    struct str url;   /* the null string: it leads nowhere */
    size_t look;
    bool going; /* it is not over */
};

struct gantt {
    struct period period;
    const struct zone *zone;
    const struct gantt_bar *bars;
    size_t count;
    const char *label; /* what it shows, for readers of a screen */
};

/* Beyond so many lanes nothing is drawn; a sentence below says how many bars are left out. */
enum { GANTT_LANES_MAX = 40 };

/* The lane of each bar, from 0; returns how many lanes there are. `lanes` has room for all. */
size_t gantt_lanes(const struct gantt *gantt, size_t *lanes);

int gantt_page(struct buf *out, const struct gantt *gantt, struct error *err) MUST_CHECK;
