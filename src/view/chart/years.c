/* SPDX-License-Identifier: MIT */

/*
 * Months of several years are compared year by year: the months go across once, and each year
 * is a line.
 */

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "view/chart/build.h"

enum { MONTHS = 12 };

/* Column that says which year a row is of, beside its month; false if the answer has none. */
static bool find_year(const struct table *table, size_t *column)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (str_eq(str_of(table->columns[c].id), STR("year")) &&
            table->columns[c].role == COLUMN_BESIDE && table->columns[c].type == CELL_TEXT) {
            *column = c;
            return true;
        }
    }
    return false;
}

/* Whole years of one measure without a target, a row a month. */
static bool is_years(const struct chart *chart, const struct table *table)
{
    return (chart->kind == CHART_LINE || chart->kind == CHART_BAR) &&
           chart->bucket == BUCKET_MONTH && chart->series_count == 1 &&
           chart->target_count == 0 && chart->category_count == table->row_count &&
           chart->category_count > MONTHS && chart->category_count % MONTHS == 0;
}

static bool has_values(const struct chart *chart, size_t year)
{
    for (size_t m = 0; m < MONTHS; m++) {
        if (chart->series[0].present[year * MONTHS + m]) {
            return true;
        }
    }
    return false;
}

void build_years(struct chart *chart, const struct table *table)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const struct chart months = *chart;
    size_t column, years = 0;
    if (!is_years(chart, table) || !find_year(table, &column)) {
        return;
    }
    for (size_t y = 0; y < months.category_count / MONTHS; y++) {
        years += has_values(&months, y);
    }
    if (years < 2) {
        return;
    }
    chart_shape(chart, MONTHS, years);
    chart->kind = CHART_LINE;
    chart->bucket = BUCKET_NONE;
    chart->across.label = NULL;
    chart->series_label = "Year";
    for (size_t m = 0; m < MONTHS; m++) {
        chart->categories[m].name = str_of(names[(months.categories[m].start.month + 11) % 12]);
    }
    /* The latest comes first and has the first look. */
    for (size_t y = 0, s = years; y < months.category_count / MONTHS; y++) {
        if (!has_values(&months, y)) {
            continue;
        }
        const size_t row = y * MONTHS;
        s--;
        chart->series[s].name =
            arena_copy(&chart->arena, table->columns[column].present[row]
                                          ? table->columns[column].cells[row].text
                                          : STR("---"));
        for (size_t m = 0; m < MONTHS; m++) {
            const double value = months.series[0].values[row + m];
            if (!months.series[0].present[row + m]) {
                continue;
            }
            chart_set(chart, s, m, value);
            if (months.categories[row + m].partial) { /* of this year, and not of the others */
                chart_band(chart, s, m, value, value);
            }
        }
    }
}
