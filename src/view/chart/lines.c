/* SPDX-License-Identifier: MIT */

/*
 * Lines and bands over time. Where there is no value the line ends, and begins again behind it;
 * to and from a bucket that is not whole it is dotted. Series are named where they end.
 */

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

enum {
    LINES_HEIGHT = 420,
    LINES_HEIGHT_PAGE = 250,
    MARKERS_MAX = 36, /* points a line; beyond that they would touch */
    DENSE = 20000,    /* points a line; beyond that only what a pixel can show is drawn */
};

static double lines_height(const struct sheet *sheet)
{
    return sheet->fluid ? LINES_HEIGHT_PAGE : LINES_HEIGHT;
}

static void add_point(struct buf *out, char command, double x, double y)
{
    buf_addc(out, command);
    markup_number(out, x);
    buf_addc(out, ' ');
    markup_number(out, y);
}

/*
 * A series on its way into a path. `tops` are the values to draw, which for a stack are sums.
 */
struct curve {
    struct sheet *sheet;
    struct box plot;
    const struct scale *scale;
    const struct chart_series *series;
    const double *tops;
    size_t look;
};

static double x_of(const struct curve *curve, size_t i)
{
    return axis_slot(curve->plot, curve->sheet->chart->category_count, i);
}

static double y_of(const struct curve *curve, size_t i)
{
    return axis_y(curve->plot, curve->scale, curve->tops[i]);
}

/* A value that is expected has a range. */
static bool has_range(const struct curve *curve, size_t i)
{
    return curve->series->low && isfinite(curve->series->low[i]);
}

static bool is_partial(const struct curve *curve, size_t i)
{
    return curve->sheet->chart->categories[i].partial || has_range(curve, i);
}

/*
 * Of a very long line, the points a column of pixels can show: first, least, greatest and last
 * of each half pixel.
 */
static bool is_shown(const struct curve *curve, size_t i)
{
    size_t count = curve->sheet->chart->category_count;
    size_t group = count / DENSE + 1;
    if (group == 1) {
        return true;
    }
    size_t from = i - i % group, to = from + group < count ? from + group : count;
    bool least = true, greatest = true;
    for (size_t k = from; k < to; k++) {
        double here = curve->tops[i], there = curve->tops[k];
        least = least && (here < there || (here == there && i <= k));
        greatest = greatest && (here > there || (here == there && i <= k));
    }
    return i == from || i + 1 == to || least || greatest;
}

/* The segments between neighbours that are both there; whole ones or the others. */
static void draw_segments(const struct curve *curve, bool partial)
{
    struct buf *out = curve->sheet->out;
    const struct chart *chart = curve->sheet->chart;
    bool drawing = false, begun = false;
    for (size_t i = 1; i < chart->category_count; i++) {
        bool both = curve->series->present[i - 1] && curve->series->present[i] &&
                    (is_partial(curve, i - 1) || is_partial(curve, i)) == partial;
        if (!both) {
            drawing = false;
            continue;
        }
        if (!begun) {
            buf_addf(out, "<path class=\"%s\"", partial ? "c-part" : "c-curve");
            look_stroke(out, curve->look, chart->series_count > 1);
            buf_addz(out, " d=\"");
            begun = true;
        }
        if (!drawing) {
            add_point(out, 'M', x_of(curve, i - 1), y_of(curve, i - 1));
            drawing = true;
        }
        if (is_shown(curve, i)) {
            add_point(out, 'L', x_of(curve, i), y_of(curve, i));
        }
    }
    buf_addz(out, begun ? "\"/>\n" : "");
}

/*
 * From the last value that is known, the band widens to the ranges of those that are expected.
 */
static void draw_range(const struct curve *curve)
{
    struct buf *out = curve->sheet->out;
    const struct chart_series *series = curve->series;
    const size_t count = curve->sheet->chart->category_count;
    size_t first = 0, last;
    while (first < count && !has_range(curve, first)) {
        first++;
    }
    for (last = first; last + 1 < count && has_range(curve, last + 1);) {
        last++;
    }
    if (first == count) {
        return;
    }
    first -= first > 0 && series->present[first - 1];
    buf_addz(out, "<path class=\"c-band\"");
    look_fill(out, curve->look, true);
    buf_addz(out, " d=\"");
    for (size_t i = first; i <= last; i++) {
        const double high = has_range(curve, i) ? series->high[i] : curve->tops[i];
        add_point(out, i == first ? 'M' : 'L', x_of(curve, i),
                  axis_y(curve->plot, curve->scale, high));
    }
    for (size_t i = last + 1; i-- > first;) {
        const double low = has_range(curve, i) ? series->low[i] : curve->tops[i];
        add_point(out, 'L', x_of(curve, i), axis_y(curve->plot, curve->scale, low));
    }
    buf_addz(out, "Z\"/>\n");
}

/* Markers on all points of a short line; on a long one only where a point has no neighbour. */
static void draw_markers(const struct curve *curve)
{
    const struct chart *chart = curve->sheet->chart;
    const bool *present = curve->series->present;
    size_t count = chart->category_count;
    for (size_t i = 0; i < count; i++) {
        bool lone = !(i > 0 && present[i - 1]) && !(i + 1 < count && present[i + 1]);
        /* of many days ahead the points would hide their line */
        const bool dense = has_range(curve, i) && count > MARKERS_MAX && i + 1 < count;
        bool wanted =
            curve->sheet->fluid ? is_partial(curve, i) && !dense : count <= MARKERS_MAX;
        if (present[i] && (wanted || lone)) {
            pen_tip_begin(curve->sheet, (size_t)(curve->series - chart->series), i,
                          chart->series_count > 1 ? curve->series->name : (struct str){0});
            look_marker(curve->sheet, curve->look, x_of(curve, i), y_of(curve, i),
                        is_partial(curve, i));
            pen_tip_end(curve->sheet);
        }
    }
}

/* The height at which a series ends, for its name. */
static double end_of(const struct curve *curve)
{
    for (size_t i = curve->sheet->chart->category_count; i-- > 0;) {
        if (curve->series->present[i]) {
            return y_of(curve, i);
        }
    }
    return (double)NAN;
}

static struct box lines_plot(struct sheet *sheet, const struct scale *scale)
{
    const struct chart *chart = sheet->chart;
    struct box plot =
        axis_upright_plot(sheet, scale, sheet->fluid ? 8 : label_ends_width(chart));
    plot.height -= axis_categories_height(chart, plot.width);
    sheet_plot(sheet, plot);
    sheet_axis(sheet, scale, true);
    return plot;
}

/* Without script a page tells the values of a bucket where a pointer rests above it. */
static void draw_columns(struct sheet *sheet, struct box plot)
{
    const struct chart *chart = sheet->chart;
    const double slot = plot.width / (double)chart->category_count;
    for (size_t c = 0; sheet->fluid && !sheet->lean && c < chart->category_count; c++) {
        struct buf *out = sheet->out;
        buf_addz(out, "<g class=\"c-column\"><title>");
        markup_text(out, chart->categories[c].name);
        for (size_t s = 0; s < chart->series_count; s++) {
            const struct chart_series *series = &chart->series[s];
            buf_addz(out, "\n");
            markup_text(out, series->name);
            buf_addz(out, series->name.len ? ": " : "");
            scale_value(out, chart->up.unit,
                        series->present[c] ? series->values[c] : (double)NAN);
        }
        buf_addz(out, "</title>");
        pen_rect(sheet,
                 (struct box){axis_slot(plot, chart->category_count, c) - slot / 2, plot.y,
                              slot, plot.height},
                 NULL, NULL);
        buf_addz(out, "</g>\n");
    }
}

/* On a page the script may take a series out. */
static void begin_series(struct sheet *sheet, size_t series)
{
    if (sheet->fluid) {
        buf_addf(sheet->out, "<g data-s=\"%zu\">\n", series);
    }
    pen_stretch_begin(sheet);
}

static void end_series(struct sheet *sheet)
{
    buf_addz(sheet->out, sheet->fluid ? "</g>\n" : "");
}

static void draw_lines(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double least, greatest;
    axis_range(chart, false, &least, &greatest);
    struct scale scale = scale_make(least, greatest, chart->up.unit, 6);
    struct box plot = lines_plot(sheet, &scale);
    double *ends = mem_alloc(chart->series_count, sizeof *ends);
    axis_upright(sheet, plot, &scale, chart->up.label);
    axis_unrecorded(sheet, plot);
    axis_categories(sheet, plot);
    for (size_t s = chart->series_count; s-- > 0;) {
        struct curve curve = {sheet,
                              plot,
                              &scale,
                              &chart->series[s],
                              chart->series[s].values,
                              look_series(chart, s)};
        begin_series(sheet, s);
        draw_range(&curve);
        draw_segments(&curve, false);
        draw_segments(&curve, true);
        pen_stretch_end(sheet);
        draw_markers(&curve);
        end_series(sheet);
        ends[s] = end_of(&curve);
    }
    axis_targets(sheet, plot, &scale, true);
    label_ends(sheet, plot, ends);
    draw_columns(sheet, plot);
    free(ends);
}

const struct drawer line_drawer = {lines_height, draw_lines, false, true, true};

/* --- bands --- */

/* One stretch of a band, `from` to `to`, both included. */
static void draw_stretch(const struct curve *curve, const double *bottoms, size_t from,
                         size_t to)
{
    struct buf *out = curve->sheet->out;
    double half = curve->plot.width / (double)curve->sheet->chart->category_count / 2;
    double more = from == to ? half * 0.8 : 0; /* a single bucket has a width, too */
    buf_addz(out, "<path class=\"c-piece\"");
    look_fill(out, curve->look, true);
    buf_addz(out, " d=\"");
    add_point(out, 'M', x_of(curve, from) - more, y_of(curve, from));
    for (size_t i = from; i <= to; i++) {
        if (is_shown(curve, i)) {
            add_point(out, 'L', x_of(curve, i) + (i == to ? more : 0), y_of(curve, i));
        }
    }
    for (size_t i = to + 1; i-- > from;) {
        if (is_shown(curve, i)) {
            double y = axis_y(curve->plot, curve->scale, bottoms[i]);
            add_point(out, 'L', x_of(curve, i) + (i == to ? more : 0), y);
        }
    }
    if (from == to) {
        add_point(out, 'L', x_of(curve, from) - more,
                  axis_y(curve->plot, curve->scale, bottoms[from]));
    }
    buf_addz(out, "Z\"/>\n");
}

static void draw_band(const struct curve *curve, const double *bottoms)
{
    size_t count = curve->sheet->chart->category_count;
    for (size_t i = 0; i < count; i++) {
        if (!curve->series->present[i]) {
            continue;
        }
        size_t from = i;
        while (i + 1 < count && curve->series->present[i + 1]) {
            i++;
        }
        draw_stretch(curve, bottoms, from, i);
    }
}

/*
 * A veil of stripes over buckets that are not whole: what is below is hatched in its own
 * colours.
 */
static void veil_partial(struct sheet *sheet, struct box plot)
{
    const struct chart *chart = sheet->chart;
    double slot = plot.width / (double)chart->category_count;
    for (size_t i = 0; i < chart->category_count; i++) {
        if (chart->categories[i].partial) {
            double x = axis_slot(plot, chart->category_count, i);
            pen_rect(sheet, (struct box){x - slot / 2, plot.y, slot, plot.height}, NULL,
                     " fill=\"url(#stint-veil)\"");
        }
    }
}

static void draw_areas(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    size_t count = chart->category_count;
    double least, greatest;
    axis_range(chart, true, &least, &greatest);
    struct scale scale = scale_make(least, greatest, chart->up.unit, 6);
    struct box plot = lines_plot(sheet, &scale);
    double *ends = mem_alloc(chart->series_count, sizeof *ends);
    double *bottoms = mem_alloc(count, sizeof *bottoms), *tops = mem_alloc(count, sizeof *tops);
    axis_upright(sheet, plot, &scale, chart->up.label);
    axis_unrecorded(sheet, plot);
    for (size_t s = 0; s < chart->series_count; s++) {
        const struct chart_series *series = &chart->series[s];
        for (size_t i = 0; i < count; i++) {
            tops[i] = bottoms[i] + (series->present[i] ? series->values[i] : 0);
        }
        struct curve curve = {sheet, plot, &scale, series, tops, look_series(chart, s)};
        begin_series(sheet, s);
        draw_band(&curve, bottoms);
        pen_stretch_end(sheet);
        end_series(sheet);
        double end = end_of(&curve);
        ends[s] =
            isfinite(end) ? (end + axis_y(plot, &scale, bottoms[count - 1])) / 2 : (double)NAN;
        double *swapped = bottoms;
        bottoms = tops;
        tops = swapped;
    }
    veil_partial(sheet, plot);
    axis_categories(sheet, plot);
    axis_targets(sheet, plot, &scale, true);
    label_ends(sheet, plot, ends);
    draw_columns(sheet, plot);
    free(ends);
    free(bottoms);
    free(tops);
}

const struct drawer area_drawer = {lines_height, draw_areas, false, true, true};
