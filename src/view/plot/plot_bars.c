/* SPDX-License-Identifier: MIT */

/*
 * A line a bar: name, bar, value. What is below zero goes to the left of the line that stands
 * at zero. Bars of time that are more than a screen become a line instead.
 */

#include <math.h>

#include "view/plot/term_canvas.h"

enum { NAME_PART = 3, VALUE_WIDTH = 10, ROWS_MAX = 100 };

/* Where bars are: columns for the name, and for the bar on both sides of zero. */
struct lanes {
    size_t name, bar;
    double least, greatest;
};

static double part_of(const struct lanes *lanes, double value)
{
    double range = fmax(lanes->greatest, 0) - fmin(lanes->least, 0);
    return range > 0 ? value / range * (double)lanes->bar : 0;
}

/* Columns left of zero. */
static size_t left_of(const struct lanes *lanes)
{
    return lanes->least < 0 ? (size_t)llround(part_of(lanes, -lanes->least)) : 0;
}

/* A bar to the right that ends within a character, where blocks can. */
static void add_bar(struct sketch *sketch, double columns, size_t series, bool others,
                    const char *fill)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    bool fine =
        !sketch->style.ascii && fill[0] == "█"[0] && fill[1] == "█"[1] && fill[2] == "█"[2];
    size_t parts = (size_t)llround(fmax(columns, 0) * 8);
    parts = columns > 0 && parts == 0 ? 1 : parts;
    size_t whole = fine ? parts / 8 : (size_t)llround(fmax(columns, columns > 0 ? 0.5 : 0));
    sketch_mark(sketch, fill, whole, series, others);
    if (fine && parts % 8) {
        sketch_mark(sketch, eighths[parts % 8], 1, series, others);
    }
}

/* A target of a category, and the column from zero on at which it stands. */
struct target_line {
    size_t column, target;
};

/* The targets of a category, by ascending columns, of those at the same column the first. */
static size_t find_targets(const struct sketch *sketch, const struct lanes *lanes,
                           size_t category, struct target_line lines[CHART_TARGETS_MAX])
{
    size_t count = 0;
    for (size_t t = 0; t < sketch->chart->target_count; t++) {
        double value;
        if (!chart_target_at(sketch->chart, t, category, &value) || value <= 0) {
            continue;
        }
        size_t column = (size_t)fmax(ceil(part_of(lanes, value)) - 1, 0), place = count;
        while (place > 0 && lines[place - 1].column > column) {
            place--;
        }
        if (place == 0 || lines[place - 1].column != column) {
            for (size_t i = count++; i > place; i--) {
                lines[i] = lines[i - 1];
            }
            lines[place] = (struct target_line){column, t};
        }
    }
    return count;
}

/* A bar with the marks of its targets in it, or behind its end. */
static void add_bar_with_targets(struct sketch *sketch, const struct lanes *lanes,
                                 double columns, size_t series, size_t category, bool others)
{
    const char *fill = sketch_fill(sketch, series, others);
    struct target_line lines[CHART_TARGETS_MAX];
    size_t done = 0;
    const size_t count = find_targets(sketch, lanes, category, lines);
    for (size_t i = 0; i < count; i++) {
        const size_t at = lines[i].column;
        const double until = fmin(columns, (double)at);
        if (until > (double)done) {
            const size_t whole = (size_t)llround(until - (double)done);
            sketch_mark(sketch, fill, whole, series, others);
            done += whole;
        }
        buf_fill(sketch->out, ' ', at > done ? at - done : 0);
        buf_addz(sketch->out, sketch_target(sketch, lines[i].target, true));
        done = at + 1;
    }
    if (columns > (double)done) {
        add_bar(sketch, columns - (double)done, series, others, fill);
    }
}

/* The line at zero, between what is below and what is above it. */
static void add_zero(struct sketch *sketch)
{
    buf_addz(sketch->out, sketch->style.ascii ? "|" : "│");
}

/* The part of a bar below zero: whole columns, or a stroke beside the line where it is less. */
static void add_below(struct sketch *sketch, const struct lanes *lanes, double columns,
                      size_t series, bool others)
{
    const size_t left = left_of(lanes);
    size_t back = columns < 0 ? (size_t)llround(fmin(-columns, (double)left)) : 0;
    const char *fill = sketch_fill(sketch, series, others);
    if (columns < 0 && back == 0 && left > 0 && !sketch->style.ascii) {
        fill = "▕";
        back = 1;
    }
    buf_fill(sketch->out, ' ', left - back);
    sketch_mark(sketch, fill, back, series, others);
}

static void add_value(struct sketch *sketch, const struct lanes *lanes, size_t series,
                      size_t category)
{
    const struct chart *chart = sketch->chart;
    const struct chart_series *s = &chart->series[series];
    bool others = chart->series_count > 1 ? s->others : chart->categories[category].others;
    double columns = s->present[category] ? part_of(lanes, s->values[category]) : 0;
    add_below(sketch, lanes, columns, series, others);
    add_zero(sketch);
    add_bar_with_targets(sketch, lanes, columns, series, category, others);
    buf_addc(sketch->out, ' ');
    buf_add(sketch->out, s->present[category]
                             ? sketch_value(sketch, chart->up.unit, s->values[category])
                             : STR("---"));
}

static void add_share(struct sketch *sketch, size_t category, double total)
{
    const struct chart_series *series = &sketch->chart->series[0];
    if (series->present[category] && total > 0) {
        buf_addz(sketch->out, ", ");
        buf_add(sketch->out,
                sketch_value(sketch, UNIT_RATIO, series->values[category] / total));
    }
}

/*
 * How far from zero the pieces before series `end` reach together, of those above zero or
 * below.
 */
static size_t reach_of(const struct sketch *sketch, const struct lanes *lanes, size_t category,
                       size_t end, bool below)
{
    double sum = 0;
    for (size_t s = 0; s < end; s++) {
        const struct chart_series *series = &sketch->chart->series[s];
        if (series->present[category] && (series->values[category] < 0) == below) {
            sum += fabs(series->values[category]);
        }
    }
    return (size_t)llround(part_of(lanes, sum));
}

static void add_piece(struct sketch *sketch, const struct lanes *lanes, size_t category,
                      size_t series, bool below)
{
    const bool others = sketch->chart->series[series].others;
    const size_t columns = reach_of(sketch, lanes, category, series + 1, below) -
                           reach_of(sketch, lanes, category, series, below);
    sketch_mark(sketch, sketch_fill(sketch, series, others), columns, series, others);
}

/* Pieces on both sides of zero, the first series next to it; then what they come to. */
static void add_stack(struct sketch *sketch, const struct lanes *lanes, size_t category)
{
    const struct chart *chart = sketch->chart;
    const size_t count = chart->series_count, left = left_of(lanes);
    const size_t below = reach_of(sketch, lanes, category, count, true);
    double total = 0;
    bool any = false;
    buf_fill(sketch->out, ' ', left > below ? left - below : 0);
    for (size_t s = count; s-- > 0;) {
        add_piece(sketch, lanes, category, s, true);
    }
    add_zero(sketch);
    for (size_t s = 0; s < count; s++) {
        add_piece(sketch, lanes, category, s, false);
        total += chart->series[s].present[category] ? chart->series[s].values[category] : 0;
        any = any || chart->series[s].present[category];
    }
    buf_addc(sketch->out, ' ');
    buf_add(sketch->out, any ? sketch_value(sketch, chart->up.unit, total) : STR("---"));
}

static struct lanes lanes_of(struct sketch *sketch, bool stacked)
{
    const struct chart *chart = sketch->chart;
    struct lanes lanes = {0};
    if (!(stacked ? chart_stacked_range : chart_range)(chart, &lanes.least, &lanes.greatest)) {
        lanes.greatest = 1;
    }
    if (!stacked) {
        chart_range_to_targets(chart, &lanes.least, &lanes.greatest);
    }
    size_t width = sketch->style.width;
    lanes.name = sketch_names(sketch, false, width / NAME_PART);
    size_t value = VALUE_WIDTH + (chart->kind == CHART_PIE ? 8 : 0);
    lanes.bar = width - lanes.name - 2 - value - 1;
    return lanes;
}

static double total_of(const struct chart *chart)
{
    double total = 0;
    for (size_t c = 0; c < chart->category_count; c++) {
        total += chart->series[0].present[c] ? chart->series[0].values[c] : 0;
    }
    return total;
}

void plot_bars(struct sketch *sketch)
{
    const struct chart *chart = sketch->chart;
    bool stacked = chart->kind == CHART_STACKED;
    if (chart->category_count > ROWS_MAX) {
        plot_lines(sketch);
        return;
    }
    struct lanes lanes = lanes_of(sketch, stacked);
    double total = total_of(chart);
    for (size_t c = 0; c < chart->category_count; c++) {
        for (size_t s = 0; s < (stacked ? 1 : chart->series_count); s++) {
            sketch_left(sketch, s == 0 ? chart->categories[c].name : STR(""), lanes.name);
            buf_addc(sketch->out, ' ');
            if (stacked) {
                add_stack(sketch, &lanes, c);
            } else {
                add_value(sketch, &lanes, s, c);
            }
            if (chart->kind == CHART_PIE) {
                add_share(sketch, c, total);
            }
            buf_addz(sketch->out, chart->categories[c].partial ? " *\n" : "\n");
        }
    }
    if (chart_names_series(chart) || (chart->target_count > 0 && !stacked)) {
        buf_addc(sketch->out, '\n');
        sketch_legend(sketch, sketch_fill);
    }
    if (!stacked) {
        sketch_targets(sketch, true);
    }
}
