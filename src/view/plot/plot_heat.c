/* SPDX-License-Identifier: MIT */

/*
 * Shades for values, from a blank for nothing to a full block for the most; a dot where there is no
 * value.
 */

#include <math.h>

#include "base/civil.h"
#include "view/plot/sketch.h"

enum { WEEKDAYS = 7 };

static const char *shade_of(const struct sketch *sketch, double share)
{
    static const char *const blocks[] = {" ", "░", "▒", "▓", "█"};
    static const char *const letters[] = {" ", "-", "+", "*", "#"};
    double size = fabs(share);
    size_t level = size <= 0 ? 0 : (size_t)fmin(ceil(size * 4), 4);
    return (sketch->style.ascii ? letters : blocks)[level];
}

static const char *absent_mark(const struct sketch *sketch)
{
    return sketch->style.ascii ? "." : "·";
}

static double largest(const struct chart *chart)
{
    double least = 0, greatest = 0;
    chart_range(chart, &least, &greatest);
    return fmax(fabs(least), fabs(greatest));
}

static void add_cell(struct sketch *sketch, bool present, double value, double most, size_t width)
{
    const char *mark = present ? shade_of(sketch, most > 0 ? value / most : 0) : absent_mark(sketch);
    for (size_t i = 0; i < width; i++) {
        buf_addz(sketch->out, mark);
    }
}

/* What the shades mean. */
static void add_key(struct sketch *sketch, double most)
{
    buf_addz(sketch->out, sketch->style.ascii ? "key: blank 0, - + * # up to " : "key: blank 0, ░ ▒ ▓ █ up to ");
    buf_add(sketch->out, sketch_value(sketch, sketch->chart->up.unit, most));
    buf_addf(sketch->out, ", %s no value\n", absent_mark(sketch));
}

/* The mean of the values of neighbouring columns, where there are more columns than characters. */
static bool mean_of(const struct chart_series *series, size_t from, size_t to, double *out)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = from; i < to; i++) {
        if (series->present[i]) {
            sum += series->values[i];
            count++;
        }
    }
    *out = count ? sum / (double)count : 0;
    return count > 0;
}

static void add_row(struct sketch *sketch, const struct chart_series *series, size_t group,
                    size_t width, double most)
{
    size_t count = sketch->chart->category_count;
    for (size_t i = 0; i < count; i += group) {
        double value;
        bool present = mean_of(series, i, i + group < count ? i + group : count, &value);
        add_cell(sketch, present, value, most, width);
    }
}

/* The shades of means are shades among means. */
static double largest_mean(const struct chart *chart, size_t group)
{
    double most = 0;
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t i = 0; i < chart->category_count; i += group) {
            double value;
            size_t to = i + group < chart->category_count ? i + group : chart->category_count;
            if (mean_of(&chart->series[s], i, to, &value)) {
                most = fmax(most, fabs(value));
            }
        }
    }
    return most;
}

/* First and last name under the columns, each in half of them. */
static void add_ends(struct sketch *sketch, size_t name, size_t columns)
{
    const struct chart *chart = sketch->chart;
    struct str first = chart->categories[0].name;
    struct str last = chart->categories[chart->category_count - 1].name;
    buf_fill(sketch->out, ' ', name + 2);
    if (chart->category_count < 2 || columns < 8) {
        sketch_left(sketch, first, columns < 8 ? 8 : columns);
    } else {
        sketch_left(sketch, first, columns / 2);
        sketch_right(sketch, last, columns - columns / 2);
    }
    buf_addc(sketch->out, '\n');
}

/* All names under their columns, where they fit. */
static bool add_names(struct sketch *sketch, size_t name, size_t width)
{
    const struct chart *chart = sketch->chart;
    if (sketch_names(sketch, false, width + 1) >= width) {
        return false;
    }
    buf_fill(sketch->out, ' ', name + 2);
    for (size_t i = 0; i < chart->category_count; i++) {
        sketch_left(sketch, chart->categories[i].name, width);
    }
    buf_addc(sketch->out, '\n');
    return true;
}

void plot_heat(struct sketch *sketch)
{
    const struct chart *chart = sketch->chart;
    size_t name = sketch_names(sketch, true, sketch->style.width / 3);
    size_t room = sketch->style.width - name - 2;
    size_t group = chart->category_count / room + (chart->category_count % room > 0);
    size_t columns = (chart->category_count + group - 1) / group;
    size_t width = room / columns < 9 ? room / columns : 9;
    double most = group > 1 ? largest_mean(chart, group) : largest(chart);
    for (size_t s = 0; s < chart->series_count; s++) {
        sketch_left(sketch, chart->series[s].name, name);
        buf_addz(sketch->out, sketch->style.ascii ? " |" : " │");
        add_row(sketch, &chart->series[s], group, width, most);
        buf_addc(sketch->out, '\n');
    }
    if (group > 1 || !add_names(sketch, name, width)) {
        add_ends(sketch, name, columns * width);
    }
    if (group > 1) {
        buf_addf(sketch->out, "a column is the mean of %zu\n", group);
    }
    add_key(sketch, most);
}

/* --- calendar --- */

static size_t week_of(struct civil day)
{
    int64_t new_year = civil_days(day.year, 1, 1);
    return (size_t)(civil_days(day.year, day.month, day.day) - new_year +
                    civil_weekday(civil_of_days(new_year))) /
           WEEKDAYS;
}

/* The names of months above the weeks they begin in. */
static void add_months(struct sketch *sketch, int year, size_t width)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    size_t column = 0;
    buf_addf(sketch->out, "%04d ", year);
    for (int m = 1; m <= 12; m++) {
        size_t at = week_of((struct civil){.year = year, .month = m, .day = 1}) * width;
        if (at >= column && at + 3 <= 53 * width) {
            buf_fill(sketch->out, ' ', at - column);
            buf_addz(sketch->out, months[m - 1]);
            column = at + 3;
        }
    }
    buf_addc(sketch->out, '\n');
}

static void add_weekday(struct sketch *sketch, size_t *next, int year, int weekday, size_t width)
{
    static const char *const names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    const struct chart *chart = sketch->chart;
    double most = largest(chart);
    size_t column = 0;
    buf_addf(sketch->out, "%s  ", names[weekday]);
    for (size_t i = *next; i < chart->category_count && chart->categories[i].start.year == year; i++) {
        struct civil day = chart->categories[i].start;
        if (civil_weekday(day) == weekday) {
            size_t at = week_of(day) * width;
            buf_fill(sketch->out, ' ', at > column ? at - column : 0);
            add_cell(sketch, chart->series[0].present[i], chart->series[0].values[i], most, width);
            column = at + width;
        }
    }
    buf_addc(sketch->out, '\n');
}

void plot_calendar(struct sketch *sketch)
{
    const struct chart *chart = sketch->chart;
    size_t width = (sketch->style.width - 5) / 54;
    width = width < 1 ? 1 : width > 2 ? 2 : width;
    for (size_t i = 0; i < chart->category_count;) {
        int year = chart->categories[i].start.year;
        add_months(sketch, year, width);
        for (int weekday = 0; weekday < WEEKDAYS; weekday++) {
            add_weekday(sketch, &i, year, weekday, width);
        }
        while (i < chart->category_count && chart->categories[i].start.year == year) {
            i++;
        }
        buf_addc(sketch->out, '\n');
    }
    add_key(sketch, largest(chart));
}
