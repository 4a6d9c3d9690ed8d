/* SPDX-License-Identifier: MIT */

/*
 * Pictures of how values are spread: bins, quartiles, points.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "view/chart/build.h"
#include "view/chart/name_index.h"
#include "view/chart/scale.h"

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The values of a measure that are there, sorted; the caller frees them. */
static double *values_of(const struct answer_shape *shape, size_t column, size_t *count)
{
    double *values = mem_alloc(shape->table->row_count + 1, sizeof *values);
    *count = 0;
    for (size_t row = 0; row < shape->table->row_count; row++) {
        double value = answer_shape_value(shape, column, row);
        if (isfinite(value)) {
            values[(*count)++] = value;
        }
    }
    qsort(values, *count, sizeof *values, ascending);
    return values;
}

/* --- bins --- */

enum { BINS_MAX = 60, BINS_WANTED = 20 };

/* Edges of bins: edges[0] <= least, edges[bins] >= greatest. */
struct bins {
    double edges[BINS_MAX + 2];
    size_t count;
    bool logarithmic;
};

/* Even bins of a round width. */
static void even_bins(struct bins *bins, double least, double greatest, size_t values,
                      enum unit unit)
{
    double wanted = fmax(5, fmin(BINS_WANTED, 2 * sqrt((double)values)));
    double range = greatest - least;
    double width = scale_width(range > 0 ? range / wanted : fmax(fabs(least), 1), unit);
    width = unit == UNIT_COUNT ? fmax(width, 1) : width;
    double first = floor(least / width + 1e-9);
    bins->count = 0;
    bins->edges[0] = first * width;
    while (bins->count < BINS_MAX &&
           (bins->count == 0 || bins->edges[bins->count] < greatest)) {
        bins->count++;
        bins->edges[bins->count] = (first + (double)bins->count) * width;
    }
}

/*
 * Each bin two or two and a half times the one before; the first takes what is below, zero
 * included.
 */
static bool growing_bins(struct bins *bins, const double *values, size_t count, enum unit unit)
{
    size_t positive = 0;
    while (positive < count && values[positive] <= 0) {
        positive++;
    }
    if (positive == count || values[0] < 0 || values[count - 1] / values[positive] < 1000) {
        return false;
    }
    bins->logarithmic = true;
    double edge = scale_round_below(values[positive], unit);
    if (positive > 0) {
        bins->edges[bins->count++] = 0;
    }
    bins->edges[bins->count] = edge;
    while (edge <= values[count - 1] && bins->count < BINS_MAX) {
        edge = scale_round_next(edge, unit);
        bins->edges[++bins->count] = edge;
    }
    return bins->edges[bins->count] >= values[count - 1];
}

static void count_values(struct chart *chart, const double *values, size_t count)
{
    size_t bin = 0;
    for (size_t i = 0; i < count; i++) {
        while (bin + 1 < chart->category_count && values[i] >= chart->categories[bin].high) {
            bin++;
        }
        chart_set(chart, 0, bin, chart->series[0].values[bin] + 1);
    }
}

static void name_bin(struct chart *chart, struct chart_category *bin)
{
    struct buf name;
    buf_init(&name, LIMIT_ARGUMENT);
    scale_value(&name, chart->across.unit, bin->low);
    buf_addz(&name, " to ");
    scale_value(&name, chart->across.unit, bin->high);
    bin->name = arena_copy(&chart->arena, buf_str(&name));
    buf_release(&name);
}

/* What is counted: "Users" where a row is a user, else "Rows". */
static const char *counted_label(struct chart *chart, const struct answer_shape *shape)
{
    if (answer_shape_keys(shape) != 1 || shape->has_period || !shape->unique) {
        return shape->has_period && answer_shape_keys(shape) == 1
                   ? arena_printf(&chart->arena, "%ss", bucket_name(shape->bucket))
                   : "Rows";
    }
    return arena_printf(&chart->arena, "%ss", shape->table->columns[shape->names[0]].label);
}

int build_bins(struct chart *chart, const struct answer_shape *shape,
               const struct chart_wish *wish, struct error *err)
{
    (void)wish;
    (void)err;
    size_t count;
    const struct column *column = &shape->table->columns[shape->measures[0]];
    double *values = values_of(shape, shape->measures[0], &count);
    struct bins bins = {0};
    if (count > 0 && !growing_bins(&bins, values, count, column->unit)) {
        bins = (struct bins){0};
        even_bins(&bins, values[0], values[count - 1], count, column->unit);
    }
    chart->across = (struct chart_axis){
        arena_text(&chart->arena, str_of(answer_shape_label(shape, shape->measures[0]))),
        column->unit};
    chart->up = (struct chart_axis){counted_label(chart, shape), UNIT_COUNT};
    chart->logarithmic = bins.logarithmic;
    chart_shape(chart, bins.count, 1);
    chart->series[0].name = str_of(chart->up.label);
    for (size_t i = 0; i < bins.count; i++) {
        chart->categories[i].low = bins.edges[i];
        chart->categories[i].high = bins.edges[i + 1];
        name_bin(chart, &chart->categories[i]);
        chart_set(chart, 0, i, 0);
    }
    count_values(chart, values, count);
    if (bins.logarithmic) {
        chart_note(chart, "The bins grow: each is about twice as wide as the one before.");
    }
    free(values);
    return 0;
}

/* --- boxes --- */

/* Between the two nearest values, as spreadsheets and statistics programs do by default. */
static double quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t low = (size_t)at;
    size_t high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

struct sample {
    size_t name;
    double value;
};

static int by_name_and_value(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return x->name != y->name ? (x->name > y->name) - (x->name < y->name)
                              : (x->value > y->value) - (x->value < y->value);
}

static void set_box(struct chart *chart, size_t category, const struct sample *samples,
                    size_t count)
{
    static const double shares[CHART_BOX_SERIES] = {0, 0.25, 0.5, 0.75, 1};
    double *values = mem_alloc(count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = samples[i].value;
    }
    for (size_t s = 0; s < CHART_BOX_SERIES; s++) {
        chart_set(chart, s, category, quantile(values, count, shares[s]));
    }
    free(values);
}

static struct sample *samples_of(const struct answer_shape *shape, struct name_index *names,
                                 size_t *count)
{
    struct sample *samples = mem_alloc(shape->table->row_count + 1, sizeof *samples);
    struct buf name;
    buf_init(&name, LIMIT_RECORD);
    *count = 0;
    for (size_t row = 0; row < shape->table->row_count; row++) {
        double value = answer_shape_value(shape, shape->measures[0], row);
        buf_clear(&name);
        answer_shape_add_name(&name, shape, row, shape->names, 1);
        size_t number = name_index_add(names, buf_str(&name));
        if (isfinite(value)) {
            samples[(*count)++] = (struct sample){number, value};
        }
    }
    buf_release(&name);
    qsort(samples, *count, sizeof *samples, by_name_and_value);
    return samples;
}

int build_boxes(struct chart *chart, const struct answer_shape *shape,
                const struct chart_wish *wish, struct error *err)
{
    (void)wish;
    (void)err;
    static const char *const names[CHART_BOX_SERIES] = {"least", "lower quartile", "median",
                                                        "upper quartile", "greatest"};
    struct name_index roster = {0};
    size_t count;
    struct sample *samples = samples_of(shape, &roster, &count);
    chart_shape(chart, roster.count, CHART_BOX_SERIES);
    chart->across.label = build_label(chart, shape, shape->names, 1);
    for (size_t s = 0; s < CHART_BOX_SERIES; s++) {
        chart->series[s].name = str_of(names[s]);
    }
    for (size_t c = 0; c < roster.count; c++) {
        chart->categories[c].name = arena_copy(&chart->arena, roster.names[c]);
    }
    for (size_t from = 0, to = 0; from < count; from = to) {
        while (to < count && samples[to].name == samples[from].name) {
            to++;
        }
        set_box(chart, samples[from].name, samples + from, to - from);
    }
    chart_note(chart, "Box: the middle half of the rows, with the median and its value; "
                      "lines extend to the smallest and the largest.");
    free(samples);
    name_index_release(&roster);
    return 0;
}

/* --- points --- */

int build_points(struct chart *chart, const struct answer_shape *shape,
                 const struct chart_wish *wish, struct error *err)
{
    (void)wish;
    (void)err;
    const struct column *across = &shape->table->columns[shape->measures[0]];
    size_t columns[ANSWER_SHAPE_COLUMNS_MAX + 1], count = shape->name_count;
    memcpy(columns, shape->names, count * sizeof *columns);
    if (shape->has_period) {
        columns[count++] = shape->period;
    }
    struct buf name;
    buf_init(&name, LIMIT_RECORD);
    chart_shape(chart, shape->table->row_count, 2);
    chart->across = (struct chart_axis){
        arena_text(&chart->arena, str_of(answer_shape_label(shape, shape->measures[0]))),
        across->unit};
    const struct column *up = &shape->table->columns[shape->measures[1]];
    chart->up = (struct chart_axis){
        arena_text(&chart->arena, str_of(answer_shape_label(shape, shape->measures[1]))),
        up->unit};
    for (size_t s = 0; s < 2; s++) {
        chart->series[s].name = str_of(s == 0 ? chart->across.label : chart->up.label);
    }
    for (size_t row = 0; row < chart->category_count; row++) {
        buf_clear(&name);
        answer_shape_add_name(&name, shape, row, columns, count);
        chart->categories[row].name = arena_copy(&chart->arena, buf_str(&name));
        chart_set(chart, 0, row, answer_shape_value(shape, shape->measures[0], row));
        chart_set(chart, 1, row, answer_shape_value(shape, shape->measures[1], row));
    }
    buf_release(&name);
    return 0;
}
