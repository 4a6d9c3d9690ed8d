/* SPDX-License-Identifier: MIT */
#include "view/web/chart_data.h"

#include <math.h>

#include "base/attribute.h"
#include "base/json.h"
#include "record/unit.h"
#include "view/chart/choose.h"

enum { DIGITS_MAX = 64 };

bool chart_data_can(const struct chart *chart)
{
    static const bool can[CHART_KINDS] = {
        [CHART_BAR] = true, [CHART_STACKED] = true,   [CHART_LINE] = true, [CHART_AREA] = true,
        [CHART_PIE] = true, [CHART_HISTOGRAM] = true, [CHART_HEAT] = true,
    };
    return can[chart->kind] && chart_has_data(chart);
}

static void put_text(struct json *json, const char *key, struct str text)
{
    if (text.len > 0) {
        json_put_key(json, key);
        json_put_text(json, text);
    }
}

static void put_flag(struct json *json, const char *key, bool flag)
{
    if (flag) {
        json_put_key(json, key);
        json_put_bool(json, true);
    }
}

/* Digits beyond those that anybody reads are noise, and there may be thousands of values. */
enum { DIGITS = 10, DIGITS_OF_CELL = 4 };

static void put_value(struct json *json, bool present, double value, int precision)
{
    if (!present) {
        json_put_null(json);
        return;
    }
    struct buf digits;
    buf_init(&digits, DIGITS_MAX);
    buf_addf(&digits, "%.*g", precision, value);
    json_put_number(json, buf_str(&digits));
    buf_release(&digits);
}

/*
 * What the facts call something that the books have another name for; the null string: the
 * same.
 */
static struct str id_of(const struct table *table, struct str name)
{
    for (size_t c = 0; table && c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        for (size_t row = 0; column->names && row < table->row_count; row++) {
            if (column->present[row] && str_eq(column->names[row], name)) {
                return column->cells[row].text;
            }
        }
    }
    return (struct str){0};
}

static void put_categories(struct json *json, const struct chart *chart,
                           const struct table *table)
{
    json_put_key(json, "categories");
    json_begin_array(json);
    for (size_t i = 0; i < chart->category_count; i++) {
        json_begin_object(json);
        put_text(json, "name", chart->categories[i].name);
        put_text(json, "id", id_of(table, chart->categories[i].name));
        put_flag(json, "partial", chart->categories[i].partial);
        put_flag(json, "others", chart->categories[i].others);
        json_end_level(json);
    }
    json_end_level(json);
}

/* The ranges of values that are expected, from "low" to "high". */
static void put_ranges(struct json *json, const struct chart *chart,
                       const struct chart_series *series)
{
    const double *const ends[] = {series->low, series->high};
    static const char *const names[] = {"low", "high"};
    for (size_t e = 0; series->low && e < COUNT_OF(ends); e++) {
        json_put_key(json, names[e]);
        json_begin_array(json);
        for (size_t i = 0; i < chart->category_count; i++) {
            put_value(json, isfinite(ends[e][i]), ends[e][i], DIGITS);
        }
        json_end_level(json);
    }
}

static void put_series(struct json *json, const struct chart *chart, const struct table *table)
{
    json_put_key(json, "series");
    json_begin_array(json);
    for (size_t s = 0; s < chart->series_count; s++) {
        const struct chart_series *series = &chart->series[s];
        json_begin_object(json);
        put_text(json, "name", series->name);
        put_text(json, "id", id_of(table, series->name));
        put_flag(json, "others", series->others);
        json_put_key(json, "values");
        json_begin_array(json);
        for (size_t i = 0; i < chart->category_count; i++) {
            put_value(json, series->present[i], series->values[i],
                      chart->kind == CHART_HEAT ? DIGITS_OF_CELL : DIGITS);
        }
        json_end_level(json);
        put_ranges(json, chart, series);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_targets(struct json *json, const struct chart *chart)
{
    json_put_key(json, "targets");
    json_begin_array(json);
    for (size_t t = 0; t < chart->target_count; t++) {
        json_begin_object(json);
        put_text(json, "label", str_of(chart->targets[t].label));
        json_put_key(json, "values");
        json_begin_array(json);
        for (size_t i = 0; i < chart->category_count; i++) {
            double value = 0;
            const bool has = chart_target_at(chart, t, i, &value);
            put_value(json, has, value, DIGITS);
        }
        json_end_level(json);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_way(struct json *json, const struct chart_data_way *way)
{
    put_text(json, "explore", str_of(way->explore));
    json_put_key(json, "dimensions");
    json_begin_array(json);
    for (size_t i = 0; i < CHART_DATA_DIMENSIONS_MAX && way->dimensions[i]; i++) {
        json_put_text(json, str_of(way->dimensions[i]));
    }
    json_end_level(json);
}

void chart_data_write(struct buf *out, const struct chart *chart,
                      const struct chart_data_way *way)
{
    struct json json = {.out = out};
    json_begin_object(&json);
    put_text(&json, "kind", str_of(chart_forms[chart->kind].name));
    put_text(&json, "bucket",
             chart->bucket == BUCKET_NONE ? (struct str){0}
                                          : str_of(bucket_name(chart->bucket)));
    put_text(&json, "across", str_of(chart->across.label));
    put_text(&json, "up", str_of(chart->up.label));
    put_text(&json, "unit", str_of(unit_name(chart->up.unit)));
    put_categories(&json, chart, way->table);
    put_series(&json, chart, way->table);
    put_targets(&json, chart);
    put_way(&json, way);
    json_end_level(&json);
}
