/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Charts of every kind with what is hard to draw, for the tests of what draws them.
 */

#include <math.h>

#include "base/attribute.h"
#include "base/civil.h"
#include "view/chart/chart.h"

/* What is in a chart's cells. */
enum chart_filling {
    FILL_PLAIN,
    FILL_NOTHING, /* no categories at all */
    FILL_ABSENT,  /* categories without values */
    FILL_ONE,     /* one category, one series */
    FILL_ZERO,
    FILL_NEGATIVE,
    FILL_HUGE,
    FILL_TINY,
    FILL_MAD, /* not a number, infinities */
    FILL_GAPS,
    FILL_HOSTILE, /* names */
    FILL_MANY,
    FILLINGS,
};

static inline double chart_filling_value(enum chart_filling filling, size_t s, size_t c)
{
    double plain = (double)((s * 37 + c * 13) % 29 + 1);
    switch (filling) {
    case FILL_ZERO:
        return 0;
    case FILL_NEGATIVE:
        return plain - 15;
    case FILL_HUGE:
        return plain * 1e299;
    case FILL_TINY:
        return plain * 1e-300;
    case FILL_MAD:
        return c % 3 == 0 ? (double)NAN : c % 3 == 1 ? (double)INFINITY : plain;
    case FILL_ABSENT:
        return (double)NAN;
    case FILL_GAPS:
        return (s + c) % 4 == 0 ? (double)NAN : plain;
    case FILL_PLAIN:
    case FILL_NOTHING:
    case FILL_ONE:
    case FILL_HOSTILE:
    case FILL_MANY:
    case FILLINGS:
        break;
    }
    return plain;
}

static inline struct str chart_filling_name(struct chart *chart, enum chart_filling filling,
                                            size_t i)
{
    static const char *const hostile[] = {
        "</text><script>alert(1)</script>",
        "\" onload=\"alert(1)",
        "a\x1b[2J\x01\xff\xfe\xe2\x80\xae end",
        "日本語のとても長いジョブ名ですからどこにも入りません",
        "a name that is so long that no picture could ever show it in full, not even a wide "
        "one, "
        "and that goes on",
        "",
        "&amp; ]]> <!-- ",
    };
    if (filling == FILL_HOSTILE) {
        return str_of(hostile[i % COUNT_OF(hostile)]);
    }
    return str_of(arena_printf(&chart->arena, "name %zu", i));
}

static inline void chart_filling_bucket(struct chart *chart, size_t c)
{
    struct chart_category *category = &chart->categories[c];
    category->start = civil_of_days(civil_days(2023, 11, 20) + (int64_t)c);
    category->partial = c == 0 || c + 1 == chart->category_count;
    category->name = str_of(arena_printf(&chart->arena, "%04d-%02d-%02d", category->start.year,
                                         category->start.month, category->start.day));
}

/* Boxes must ascend from least to greatest. */
static inline double chart_box_value(enum chart_filling filling, size_t s, size_t c)
{
    double value = chart_filling_value(filling, 0, c);
    return filling == FILL_ZERO ? 0 : value + (double)s * fabs(value) / 4;
}

/* `kind` with `filling`; released by the caller. */
static inline void chart_of(struct chart *chart, enum chart_kind kind,
                            enum chart_filling filling)
{
    bool time = kind == CHART_LINE || kind == CHART_AREA || kind == CHART_CALENDAR;
    size_t series = kind == CHART_BOX       ? CHART_BOX_SERIES
                    : kind == CHART_SCATTER ? 2
                    : chart_forms[kind].series_max == 1 || filling == FILL_ONE ? 1
                                                                               : 3;
    size_t names = chart_forms[kind].names_max < 500 ? chart_forms[kind].names_max : 500;
    size_t categories = filling == FILL_NOTHING ? 0
                        : filling == FILL_ONE   ? 1
                        : filling == FILL_MANY  ? (time ? 1500 : names)
                                                : 9;
    *chart = (struct chart){
        .kind = kind,
        .title = "A title & more",
        .subtitle = "2025-01-01 to 2025-12-31 (UTC)",
        .up = {"CPU hours <x>", UNIT_HOURS},
        .across = {"Group", UNIT_HOURS},
        .series_label = "Cluster",
        .bucket = time ? BUCKET_DAY : BUCKET_NONE,
        .additive = true,
    };
    chart_shape(chart, categories, series);
    for (size_t c = 0; c < categories; c++) {
        chart->categories[c].name = chart_filling_name(chart, filling, c);
        chart->categories[c].low = (double)c;
        chart->categories[c].high = (double)c + 1;
        if (time) {
            chart_filling_bucket(chart, c);
        }
        for (size_t s = 0; s < series; s++) {
            chart_set(chart, s, c,
                      kind == CHART_BOX ? chart_box_value(filling, s, c)
                                        : chart_filling_value(filling, s, c));
        }
    }
    for (size_t s = 0; s < series; s++) {
        chart->series[s].name = chart_filling_name(chart, filling, s);
    }
    chart->targets[0] = (struct chart_target){.label = "aim <5", .value = 5};
    chart->targets[1] = (struct chart_target){.label = "never", .value = (double)NAN};
    chart->targets[2] = (struct chart_target){.label = "of each", .each = true};
    for (size_t c = 0; c < chart->category_count; c += 2) { /* every other has one */
        chart->categories[c].targets[2].has = true;
        chart->categories[c].targets[2].value = c % 4 ? (double)c : (double)NAN;
    }
    chart->target_count = 3;
    chart_note(chart, "A note with <tags> & \"quotes\".");
}
