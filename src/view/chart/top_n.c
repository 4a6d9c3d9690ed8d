/* SPDX-License-Identifier: MIT */
#include "view/chart/top_n.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct weighed {
    double weight;
    size_t index;
};

static int heavier(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    return x->weight > y->weight   ? -1
           : x->weight < y->weight ? 1
                                   : (x->index > y->index) - (x->index < y->index);
}

static int earlier(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void chart_order_by(size_t *order, size_t count, const double *weights)
{
    struct weighed *all = mem_alloc(count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        all[i] = (struct weighed){weights[i], i};
    }
    qsort(all, count, sizeof *all, heavier);
    for (size_t i = 0; i < count; i++) {
        order[i] = all[i].index;
    }
    free(all);
}

/*
 * A weight and what one value adds to it: a sum, or where sums mean nothing, the largest; -1
 * means none.
 */
static double add_weight(const struct chart *chart, double weight, size_t series,
                         size_t category)
{
    if (!chart->series[series].present[category]) {
        return weight;
    }
    const double size = fabs(chart->series[series].values[category]);
    return chart->additive && weight >= 0 ? weight + size : fmax(weight, size);
}

double chart_category_weight(const struct chart *chart, size_t category)
{
    double weight = -1;
    for (size_t s = 0; s < chart->series_count; s++) {
        weight = add_weight(chart, weight, s, category);
    }
    return weight;
}

double chart_series_weight(const struct chart *chart, size_t series)
{
    double weight = -1;
    for (size_t c = 0; c < chart->category_count; c++) {
        weight = add_weight(chart, weight, series, c);
    }
    return weight;
}

void chart_take_categories(struct chart *chart, const size_t *order, size_t count)
{
    struct chart old = *chart;
    chart_shape(chart, count, old.series_count);
    for (size_t s = 0; s < old.series_count; s++) {
        chart->series[s].name = old.series[s].name;
        chart->series[s].others = old.series[s].others;
        for (size_t c = 0; c < count; c++) {
            chart->series[s].values[c] = old.series[s].values[order[c]];
            chart->series[s].present[c] = old.series[s].present[order[c]];
        }
    }
    for (size_t c = 0; c < count; c++) {
        chart->categories[c] = old.categories[order[c]];
    }
}

void chart_take_series(struct chart *chart, const size_t *order, size_t count)
{
    struct chart_series *old = chart->series;
    chart->series = arena_alloc(&chart->arena, (count + 1) * sizeof *old);
    for (size_t s = 0; s < count; s++) {
        chart->series[s] = old[order[s]];
    }
    chart->series_count = count;
}

/* The indices of the `keep` heaviest, in their own order; marks them in `kept`. */
static void pick(const double *weights, size_t count, size_t keep, size_t *order, bool *kept)
{
    chart_order_by(order, count, weights);
    qsort(order, keep, sizeof *order, earlier);
    for (size_t i = 0; i < keep; i++) {
        kept[order[i]] = true;
    }
}

static struct str others_name(struct chart *chart, size_t count)
{
    return str_of(arena_printf(&chart->arena, "others (%zu)", count));
}

/* "users" for "User": what the note calls the names. */
static const char *plural_of(struct chart *chart, const char *label, const char *otherwise)
{
    if (!label || !*label) {
        return otherwise;
    }
    char *word = arena_printf(&chart->arena, "%ss", label);
    if (word[0] >= 'A' && word[0] <= 'Z' && !(word[1] >= 'A' && word[1] <= 'Z')) {
        word[0] = (char)(word[0] - 'A' + 'a');
    }
    return word;
}

/* Adds up what was left out. The last category is the place for it. */
static void sum_categories(struct chart *chart, const struct chart *old, const bool *kept)
{
    size_t last = chart->category_count - 1;
    for (size_t s = 0; s < chart->series_count; s++) {
        chart->series[s].present[last] = false;
        chart->series[s].values[last] = 0;
        for (size_t c = 0; c < old->category_count; c++) {
            if (!kept[c] && old->series[s].present[c]) {
                chart_set(chart, s, last,
                          chart->series[s].values[last] + old->series[s].values[c]);
            }
        }
    }
}

static void fold_categories(struct chart *chart, size_t most)
{
    struct chart old = *chart;
    size_t count = old.category_count, keep = chart->additive ? most - 1 : most;
    double *weights = mem_alloc(count, sizeof *weights);
    size_t *order = mem_alloc(count, sizeof *order);
    bool *kept = mem_alloc(count, sizeof *kept);
    for (size_t c = 0; c < count; c++) {
        weights[c] = chart_category_weight(chart, c);
    }
    pick(weights, count, keep, order, kept);
    const char *what = plural_of(chart, chart->across.label, "names");
    chart_take_categories(chart, order, chart->additive ? most : keep);
    if (chart->additive) {
        chart->categories[most - 1] =
            (struct chart_category){.name = others_name(chart, count - keep), .others = true};
        sum_categories(chart, &old, kept);
        chart_note(chart, "The %zu largest of %zu %s; others are summed.", keep, count, what);
    } else {
        chart_note(chart,
                   "The %zu largest of %zu %s; the others are not drawn: their values cannot "
                   "be summed.",
                   keep, count, what);
    }
    free(weights);
    free(order);
    free(kept);
}

/* Adds up what was left out into a series of its own at the end. */
static void sum_series(struct chart *chart, const struct chart_series *old, size_t count,
                       const bool *kept)
{
    struct chart_series *last = &chart->series[chart->series_count - 1];
    *last = (struct chart_series){
        .values = arena_alloc(&chart->arena, (chart->category_count + 1) * sizeof(double)),
        .present = arena_alloc(&chart->arena, (chart->category_count + 1) * sizeof(bool)),
        .others = true,
    };
    for (size_t s = 0; s < count; s++) {
        for (size_t c = 0; !kept[s] && c < chart->category_count; c++) {
            if (old[s].present[c]) {
                chart_set(chart, chart->series_count - 1, c,
                          last->values[c] + old[s].values[c]);
            }
        }
    }
}

/*
 * Those at both ends: among many of which each is as large as it is, such as nodes of a job,
 * the lowest tell as much as the highest.
 */
static void pick_ends(const double *weights, size_t count, size_t keep, size_t *order,
                      bool *kept)
{
    chart_order_by(order, count, weights);
    const size_t lowest = keep / 2, highest = keep - lowest;
    memmove(order + highest, order + count - lowest, lowest * sizeof(*order));
    qsort(order, keep, sizeof *order, earlier);
    for (size_t i = 0; i < keep; i++) {
        kept[order[i]] = true;
    }
}

static void fold_series(struct chart *chart, size_t most)
{
    struct chart_series *old = chart->series;
    size_t count = chart->series_count, keep = chart->additive ? most - 1 : most;
    double *weights = mem_alloc(count, sizeof *weights);
    size_t *order = mem_alloc(count, sizeof *order);
    bool *kept = mem_alloc(count, sizeof *kept);
    for (size_t s = 0; s < count; s++) {
        weights[s] = chart_series_weight(chart, s);
    }
    const bool ends = chart->kind == CHART_HEAT && !chart->additive;
    if (ends) {
        pick_ends(weights, count, keep, order, kept);
    } else {
        pick(weights, count, keep, order, kept);
    }
    const char *what = plural_of(chart, chart->series_label, "series");
    chart_take_series(chart, order, chart->additive ? most : keep);
    if (chart->additive) {
        sum_series(chart, old, count, kept);
        chart->series[most - 1].name = others_name(chart, count - keep);
        chart_note(chart, "The %zu largest of %zu %s; others are summed.", keep, count, what);
    } else if (ends) {
        chart_note(chart, "The %zu highest and the %zu lowest of %zu %s.", keep - keep / 2,
                   keep / 2, count, what);
    } else {
        chart_note(chart,
                   "The %zu largest of %zu %s; the others are not drawn: their values cannot "
                   "be summed.",
                   keep, count, what);
    }
    free(weights);
    free(order);
    free(kept);
}

void chart_fold(struct chart *chart)
{
    const struct chart_form *form = &chart_forms[chart->kind];
    if (chart->bucket == BUCKET_NONE && form->names_max > 0 &&
        chart->category_count > form->names_max) {
        fold_categories(chart, form->names_max);
    }
    if (chart->series_count > form->series_max) {
        fold_series(chart, form->series_max);
    }
}
