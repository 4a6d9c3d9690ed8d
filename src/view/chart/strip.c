/* SPDX-License-Identifier: MIT */
#include "view/chart/strip.h"

#include <math.h>
#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

static void add_percent(struct buf *out, const char *name, double share)
{
    buf_addf(out, " %s=\"", name);
    markup_number(out, share * 100);
    buf_addz(out, "%\"");
}

/* --- a line below a number --- */

enum { SPARK_HEIGHT = 26, SPARK_WIDTH = 1000 };

/*
 * Where values lie: a little below the least to a little above the greatest, or all of them in
 * the middle.
 */
struct span {
    double low, high;
};

static bool span_of(const struct spark *spark, struct span *span)
{
    double least = 0, greatest = 0;
    size_t found = 0;
    for (size_t i = 0; i < spark->count; i++) {
        if (isfinite(spark->values[i])) {
            least = found ? fmin(least, spark->values[i]) : spark->values[i];
            greatest = found ? fmax(greatest, spark->values[i]) : spark->values[i];
            found++;
        }
    }
    const double range = greatest > least ? greatest - least : fmax(fabs(greatest), 1);
    *span = (struct span){least - range * 0.15, greatest + range * 0.15};
    return found > 1;
}

static double spark_y(const struct span *span, double value)
{
    return SPARK_HEIGHT * (1 - (value - span->low) / (span->high - span->low));
}

/* The stretches between neighbours of which both are there: settled ones, or the others. */
static void add_line(struct buf *out, const struct spark *spark, const struct span *span,
                     bool settled)
{
    const size_t split = spark->count > spark->unsettled ? spark->count - spark->unsettled : 0;
    bool begun = false, drawing = false;
    for (size_t i = 1; i < spark->count; i++) {
        if (!isfinite(spark->values[i - 1]) || !isfinite(spark->values[i]) ||
            (i < split) != settled) {
            drawing = false;
            continue;
        }
        if (!begun) {
            buf_addf(out, "<path class=\"%s\"", settled ? "c-curve" : "c-part");
            look_colour(out, "stroke", spark->look);
            buf_addz(out, " d=\"");
            begun = true;
        }
        for (size_t k = drawing ? i : i - 1; k <= i; k++) {
            buf_addc(out, k == i ? 'L' : 'M');
            markup_number(out, SPARK_WIDTH * (double)k / (double)(spark->count - 1));
            buf_addc(out, ' ');
            markup_number(out, spark_y(span, spark->values[k]));
        }
        drawing = true;
    }
    buf_addz(out, begun ? "\"/>" : "");
}

void spark_page(struct buf *out, const struct spark *spark)
{
    struct span span;
    if (!span_of(spark, &span)) {
        return;
    }
    buf_addf(out,
             "<svg class=\"stint-chart c-spark\" width=\"100%%\" height=\"%d\" "
             "aria-hidden=\"true\"><svg class=\"c-stretch\" width=\"100%%\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">",
             SPARK_HEIGHT, SPARK_HEIGHT, SPARK_WIDTH, SPARK_HEIGHT);
    add_line(out, spark, &span, true);
    add_line(out, spark, &span, false);
    buf_addz(out, "</svg>");
    size_t last = spark->count;
    while (last > 0 && !isfinite(spark->values[last - 1])) {
        last--;
    }
    buf_addz(out, "<circle r=\"2.2\"");
    add_percent(out, "cx", (double)(last - 1) / (double)(spark->count - 1));
    buf_addz(out, " cy=\"");
    markup_number(out, spark_y(&span, spark->values[last - 1]));
    buf_addc(out, '"');
    look_colour(out, "fill", spark->look);
    buf_addz(out, "/></svg>\n");
}

/* --- what ran where and when --- */

enum { LANE = 18, LANE_BAR = 15, GANTT_FOOT = 36, TICKS_MAX = 7 };

static int by_beginning(const void *a, const void *b, void *context)
{
    const struct gantt_bar *bars = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return bars[x].from != bars[y].from ? (bars[x].from > bars[y].from ? 1 : -1)
                                        : (x > y) - (x < y);
}

size_t gantt_lanes(const struct gantt *gantt, size_t *lanes)
{
    size_t *order = mem_alloc(gantt->count + 1, sizeof *order);
    int64_t *ends = mem_alloc(gantt->count + 1, sizeof *ends);
    size_t used = 0;
    for (size_t i = 0; i < gantt->count; i++) {
        order[i] = i;
    }
    qsort_r(order, gantt->count, sizeof *order, by_beginning, (void *)(uintptr_t)gantt->bars);
    for (size_t i = 0; i < gantt->count; i++) {
        const struct gantt_bar *bar = &gantt->bars[order[i]];
        size_t lane = 0;
        while (lane < used && ends[lane] > bar->from) {
            lane++;
        }
        used += lane == used;
        ends[lane] = bar->to > bar->from ? bar->to : bar->from + 1;
        lanes[order[i]] = lane;
    }
    free(order);
    free(ends);
    return used;
}

static double share_of(const struct gantt *gantt, int64_t instant)
{
    const double length = (double)(gantt->period.to - gantt->period.from);
    return fmax(0, fmin(1, (double)(instant - gantt->period.from) / length));
}

static void draw_bar(struct buf *out, const struct gantt *gantt, const struct gantt_bar *bar,
                     size_t lane)
{
    const double from = share_of(gantt, bar->from), to = share_of(gantt, bar->to);
    if (bar->url.len > 0) {
        buf_addz(out, "<a href=\"");
        markup_text(out, bar->url);
        buf_addz(out, "\">");
    }
    buf_addz(out, "<svg class=\"c-bar\"");
    add_percent(out, "x", from);
    add_percent(out, "width", fmax(to - from, 0.001));
    buf_addf(out, " y=\"%zu\" height=\"%d\"><title>", lane * LANE, LANE_BAR);
    markup_text(out, bar->about.len > 0 ? bar->about : bar->name);
    buf_addf(out, "</title><rect width=\"100%%\" height=\"%d\"", LANE_BAR);
    look_fill(out, bar->look, !bar->going);
    buf_addf(out, "/><text x=\"5\" y=\"11.5\" class=\"%s\">", bar->going ? "c-name" : "c-on");
    markup_text(out, bar->name);
    buf_addz(out, bar->url.len > 0 ? "</text></svg></a>\n" : "</text></svg>\n");
}

/* Buckets whose edges are labelled, so that they are at most TICKS_MAX. */
static const struct tick_rule {
    enum bucket bucket;
    int every; /* of the day's hours, or of days */
} tick_rules[] = {
    {BUCKET_HOUR, 1}, {BUCKET_HOUR, 3}, {BUCKET_HOUR, 6},  {BUCKET_HOUR, 12}, {BUCKET_DAY, 1},
    {BUCKET_DAY, 2},  {BUCKET_DAY, 7},  {BUCKET_MONTH, 1}, {BUCKET_MONTH, 3}, {BUCKET_YEAR, 1},
};

static void draw_tick(struct buf *out, const struct gantt *gantt, const struct civil *at,
                      int64_t instant, enum bucket bucket, double height)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const double share = share_of(gantt, instant);
    const char *month = months[(at->month + 11) % 12];
    buf_addz(out, "<line class=\"c-grid\"");
    add_percent(out, "x1", share);
    add_percent(out, "x2", share);
    buf_addf(out, " y1=\"0\" y2=\"%.0f\"/><text class=\"c-tick\"", height);
    add_percent(out, "x", share);
    buf_addf(out, " y=\"%.0f\" text-anchor=\"%s\">", height + 14,
             share < 0.04   ? "start"
             : share > 0.96 ? "end"
                            : "middle");
    if (bucket == BUCKET_HOUR && at->hour > 0) {
        buf_addf(out, "%02d:%02d", at->hour, at->minute);
    } else if (bucket == BUCKET_HOUR || bucket == BUCKET_DAY) {
        buf_addf(out, "%d %s", at->day, month);
    } else {
        buf_addf(out, bucket == BUCKET_MONTH && at->month > 1 ? "%s" : "%s %d", month,
                 at->year);
    }
    buf_addz(out, "</text>\n");
}

/* Labels of one rule, or only how many there would be. */
static int draw_ticks(struct buf *out, const struct gantt *gantt, const struct tick_rule *rule,
                      double height, size_t *count, struct error *err)
{
    int64_t *edges;
    size_t buckets;
    const int failed =
        calendar_edges(gantt->period, rule->bucket, gantt->zone, &edges, &buckets, err);
    *count = 0;
    if (failed) {
        return failed;
    }
    for (size_t i = 0; i <= buckets; i++) {
        const struct civil at = zone_civil(gantt->zone, edges[i]);
        const int number = rule->bucket == BUCKET_HOUR    ? at.hour
                           : rule->bucket == BUCKET_DAY   ? at.day - 1
                           : rule->bucket == BUCKET_MONTH ? at.month - 1
                                                          : at.year;
        if (edges[i] < gantt->period.from || edges[i] > gantt->period.to ||
            number % rule->every != 0) {
            continue;
        }
        (*count)++;
        if (out) {
            draw_tick(out, gantt, &at, edges[i], rule->bucket, height);
        }
    }
    free(edges);
    return 0;
}

static int draw_time(struct buf *out, const struct gantt *gantt, double height,
                     struct error *err)
{
    /* In a year there are few days, but many hours: not even tried. */
    const bool hours = gantt->period.to - gantt->period.from <= 7 * DAY_US;
    for (size_t i = hours ? 0 : 4; i < COUNT_OF(tick_rules); i++) {
        size_t count;
        int failed = draw_ticks(NULL, gantt, &tick_rules[i], height, &count, err);
        if (failed) {
            return failed;
        }
        if (count <= TICKS_MAX) {
            return draw_ticks(out, gantt, &tick_rules[i], height, &count, err);
        }
    }
    return 0;
}

int gantt_page(struct buf *out, const struct gantt *gantt, struct error *err)
{
    size_t *lanes = mem_alloc(gantt->count + 1, sizeof *lanes), left = 0;
    const size_t all = gantt_lanes(gantt, lanes);
    const size_t shown = all < GANTT_LANES_MAX ? all : GANTT_LANES_MAX;
    const double height = (double)(shown * LANE);
    if (gantt->period.from >= gantt->period.to) {
        free(lanes);
        return error_set(err, ERROR_USAGE, "the period is empty");
    }
    buf_addf(out,
             "<div class=\"c-plot\"><svg class=\"stint-chart c-gantt\" role=\"group\" "
             "width=\"100%%\" height=\"%.0f\" aria-label=\"",
             height + GANTT_FOOT);
    markup_text(out, str_of(gantt->label));
    buf_addz(out, "\">\n");
    const int failed = draw_time(out, gantt, height, err);
    for (size_t i = 0; i < gantt->count; i++) {
        const struct gantt_bar *bar = &gantt->bars[i];
        const bool within = bar->to > gantt->period.from && bar->from < gantt->period.to;
        if (within && lanes[i] < shown) {
            draw_bar(out, gantt, bar, lanes[i]);
        }
        left += within && lanes[i] >= shown;
    }
    buf_addf(out,
             "<line class=\"c-base\" x1=\"0\" x2=\"100%%\" y1=\"%.0f\" y2=\"%.0f\"/></svg>"
             "</div>\n",
             height, height);
    if (left > 0) {
        buf_addf(out, "<p class=\"note\">%zu more ran at the same time.</p>\n", left);
    }
    free(lanes);
    return failed;
}
