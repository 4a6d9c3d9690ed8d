/* SPDX-License-Identifier: MIT */

/*
 * Lines, points and boxes. One line is drawn in braille dots, finer than characters are;
 * several without colour, and all in ASCII, with a mark a series.
 */

#include <math.h>

#include "view/plot/term_canvas.h"

enum { ROWS = 16, BOX_VALUE = 10, FEW_POINTS = 60 /* that a dot of braille would not show */ };

static size_t tick_width(struct sketch *sketch, const struct scale *scale)
{
    size_t widest = 0;
    for (size_t i = 0; i < scale->count; i++) {
        size_t width = sketch_width(sketch, sketch_tick(sketch, scale, scale->ticks[i]));
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* The line below a canvas, and what stands at its two ends. */
static void add_foot(struct sketch *sketch, size_t label, size_t columns, struct str first,
                     struct str last)
{
    struct buf *out = sketch->out;
    buf_fill(out, ' ', label);
    buf_addz(out, sketch->style.ascii ? " +" : " └");
    for (size_t i = 0; i < columns; i++) {
        buf_addz(out, sketch->style.ascii ? "-" : "─");
    }
    buf_addc(out, '\n');
    buf_fill(out, ' ', label + 2);
    size_t half = columns / 2;
    if (str_eq(first, last)) { /* one moment has one name */
        sketch_left(sketch, first, columns);
    } else if (sketch_width(sketch, first) + sketch_width(sketch, last) + 2 <= columns) {
        size_t left = sketch_width(sketch, first);
        sketch_left(sketch, first, left);
        sketch_right(sketch, last, columns - left);
    } else {
        sketch_left(sketch, first, half);
        sketch_right(sketch, last, columns - half);
    }
    sketch_end(sketch);
}

static double slot(const struct chart *chart, size_t i)
{
    return ((double)i + 0.5) / (double)chart->category_count;
}

/* What a series reaches at a category: of bands, with all that is below it. */
static double top_of(const struct chart *chart, size_t series, size_t category)
{
    double sum = chart->series[series].values[category];
    for (size_t s = 0; chart->kind == CHART_AREA && s < series; s++) {
        sum += chart->series[s].present[category] ? chart->series[s].values[category] : 0;
    }
    return sum;
}

static void draw_series(struct sketch *sketch, struct canvas *canvas, const struct scale *scale,
                        size_t series, bool marks)
{
    const struct chart *chart = sketch->chart;
    const struct chart_series *s = &chart->series[series];
    const char *mark = sketch_dot(sketch, series, s->others);
    for (size_t i = 0; i < chart->category_count; i++) {
        if (!s->present[i]) {
            continue;
        }
        double y = scale_at(scale, top_of(chart, series, i));
        if (marks) {
            canvas_mark(canvas, slot(chart, i), y, mark, series);
        } else if (i > 0 && s->present[i - 1]) {
            canvas_line(canvas, slot(chart, i - 1),
                        scale_at(scale, top_of(chart, series, i - 1)), slot(chart, i), y,
                        series);
        } else {
            canvas_dot(canvas, slot(chart, i), y, series);
        }
    }
}

/* A dash in each column of the categories that have it; below what the series draw. */
static void draw_targets(struct sketch *sketch, struct canvas *canvas,
                         const struct scale *scale)
{
    const struct chart *chart = sketch->chart;
    for (size_t t = 0; t < chart->target_count; t++) {
        for (size_t column = 0; column < canvas->columns; column++) {
            const double x = ((double)column + 0.5) / (double)canvas->columns;
            const size_t category = (size_t)(x * (double)chart->category_count);
            double value;
            if (chart_target_at(chart, t, category, &value)) {
                canvas_mark(canvas, x, scale_at(scale, value), sketch_target(sketch, t, false),
                            chart->series_count + t);
            }
        }
    }
}

static void add_label(struct sketch *sketch, const char *label)
{
    if (label) {
        sketch_left(sketch, str_of(label), sketch->style.width);
        sketch_end(sketch);
    }
}

void plot_lines(struct sketch *sketch)
{
    const struct chart *chart = sketch->chart;
    double least = 0, greatest = 0;
    bool stacked = chart->kind == CHART_AREA;
    bool marks = sketch->style.ascii || chart->category_count == 1 ||
                 (chart->series_count > 1 && !sketch->style.colour);
    (stacked ? chart_stacked_range : chart_range)(chart, &least, &greatest);
    chart_range_to_targets(chart, &least, &greatest);
    struct scale scale = scale_make(least, greatest, chart->up.unit, 5);
    size_t label = tick_width(sketch, &scale);
    struct canvas canvas;
    canvas_init(&canvas, sketch->style.width - label - 2, ROWS);
    draw_targets(sketch, &canvas, &scale);
    for (size_t s = chart->series_count; s-- > 0;) {
        draw_series(sketch, &canvas, &scale, s, marks);
    }
    add_label(sketch, chart->up.label);
    canvas_print(sketch, &canvas, &scale, label);
    add_foot(sketch, label, canvas.columns, chart->categories[0].name,
             chart->categories[chart->category_count - 1].name);
    sketch_legend(sketch, sketch_dot);
    sketch_targets(sketch, false);
    canvas_release(&canvas);
}

/* --- points --- */

static struct scale scale_of(const struct chart *chart, size_t series, enum unit unit)
{
    struct chart one = *chart;
    double least = 0, greatest = 0;
    one.series = &chart->series[series];
    one.series_count = 1;
    chart_range(&one, &least, &greatest);
    return scale_wide(least, greatest, unit, 5);
}

void plot_points(struct sketch *sketch)
{
    const struct chart *chart = sketch->chart;
    struct scale across = scale_of(chart, 0, chart->across.unit);
    struct scale up = scale_of(chart, 1, chart->up.unit);
    size_t label = tick_width(sketch, &up);
    struct canvas canvas;
    canvas_init(&canvas, sketch->style.width - label - 2, ROWS);
    for (size_t i = 0; i < chart->category_count; i++) {
        if (chart->series[0].present[i] && chart->series[1].present[i]) {
            double x = scale_at(&across, chart->series[0].values[i]);
            double y = scale_at(&up, chart->series[1].values[i]);
            if (sketch->style.ascii || chart->category_count <= FEW_POINTS) {
                canvas_mark(&canvas, x, y, sketch_dot(sketch, 0, false), 0);
            } else {
                canvas_dot(&canvas, x, y, 0);
            }
        }
    }
    add_label(sketch, chart->up.label);
    canvas_print(sketch, &canvas, &up, label);
    struct buf low;
    buf_init(&low, 64);
    buf_add(&low, sketch_value(sketch, chart->across.unit, across.low));
    add_foot(sketch, label, canvas.columns, buf_str(&low),
             sketch_value(sketch, chart->across.unit, across.high));
    buf_fill(sketch->out, ' ', label + 2);
    add_label(sketch, chart->across.label);
    buf_release(&low);
    canvas_release(&canvas);
}

/* --- boxes --- */

static size_t column_of(const struct scale *scale, double value, size_t columns)
{
    return (size_t)llround(scale_at(scale, value) * (double)(columns - 1));
}

/* What stands at a column of a box whose five values are at the columns `at`. */
static const char *box_mark(const size_t at[CHART_BOX_SERIES], size_t column, bool ascii)
{
    if (column == at[2]) {
        return ascii ? "#" : "█";
    }
    if (column >= at[1] && column <= at[3]) {
        return ascii ? "=" : "▒";
    }
    if (column == at[0]) {
        return ascii ? "|" : "├";
    }
    if (column == at[4]) {
        return ascii ? "|" : "┤";
    }
    return column < at[0] ? " " : ascii ? "-" : "─";
}

/* "  ├───▒▒▒█▒▒▒▒▒──────┤" and the median. */
static void add_box(struct sketch *sketch, const struct scale *scale, size_t category,
                    size_t columns)
{
    const struct chart *chart = sketch->chart;
    size_t at[CHART_BOX_SERIES];
    for (size_t s = 0; s < CHART_BOX_SERIES; s++) {
        if (!chart->series[s].present[category]) {
            buf_addz(sketch->out, "---");
            return;
        }
        at[s] = column_of(scale, chart->series[s].values[category], columns);
    }
    for (size_t i = 0; i <= at[4]; i++) {
        buf_addz(sketch->out, box_mark(at, i, sketch->style.ascii));
    }
    buf_addc(sketch->out, ' ');
    buf_add(sketch->out,
            sketch_value(sketch, chart->up.unit, chart->series[2].values[category]));
}

void plot_boxes(struct sketch *sketch)
{
    const struct chart *chart = sketch->chart;
    double least = 0, greatest = 0;
    chart_range(chart, &least, &greatest);
    struct scale scale = scale_wide(least, greatest, chart->up.unit, 5);
    size_t name = sketch_names(sketch, false, sketch->style.width / 3);
    size_t columns = sketch->style.width - name - 2 - BOX_VALUE - 1;
    for (size_t c = 0; c < chart->category_count; c++) {
        sketch_left(sketch, chart->categories[c].name, name);
        buf_addz(sketch->out, sketch->style.ascii ? " |" : " │");
        add_box(sketch, &scale, c, columns);
        buf_addc(sketch->out, '\n');
    }
    struct buf low;
    buf_init(&low, 64);
    buf_add(&low, sketch_value(sketch, chart->up.unit, scale.low));
    add_foot(sketch, name, columns, buf_str(&low),
             sketch_value(sketch, chart->up.unit, scale.high));
    buf_fill(sketch->out, ' ', name + 2);
    buf_addf(sketch->out, "%s%s\n", chart->up.label ? chart->up.label : "",
             scale.logarithmic ? " (logarithmic)" : "");
    buf_release(&low);
}
