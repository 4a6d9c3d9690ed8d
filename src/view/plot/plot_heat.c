/* SPDX-License-Identifier: MIT */

/*
 * Shades for values, from a blank for nothing to a full block for the most; a dot where there
 * is no value.
 */

#include <math.h>

#include "base/civil.h"
#include "view/plot/term_canvas.h"

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

/* What begins a cell below zero, where it is wide enough: shades say how much only. */
static const char *below_mark(const struct sketch *sketch)
{
    return sketch->style.ascii ? "<" : "−";
}

static double largest(const struct chart *chart)
{
    double least = 0, greatest = 0;
    chart_named_range(chart, &least, &greatest);
    return fmax(fabs(least), fabs(greatest));
}

static void add_cell(struct sketch *sketch, bool present, double value, double most,
                     size_t width)
{
    const char *mark =
        present ? shade_of(sketch, most > 0 ? value / most : 0) : absent_mark(sketch);
    const bool below = present && value < 0 && width > 1;
    buf_addz(sketch->out, below ? below_mark(sketch) : "");
    for (size_t i = below; i < width; i++) {
        buf_addz(sketch->out, mark);
    }
}

/* What the shades mean. */
static void add_key(struct sketch *sketch, double most)
{
    buf_addz(sketch->out, sketch->style.ascii ? "-+*# up to " : "░▒▓█ up to ");
    buf_add(sketch->out, sketch_value(sketch, sketch->chart->up.unit, most));
    buf_addf(sketch->out, ", %s no value", absent_mark(sketch));
    double least = 0, greatest = 0;
    if (chart_range(sketch->chart, &least, &greatest) && least < 0) {
        buf_addf(sketch->out, ", %s below zero", below_mark(sketch));
    }
    buf_addc(sketch->out, '\n');
}

/*
 * The mean of the values of neighbouring columns, where there are more columns than characters.
 */
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

static void add_heat_row(struct sketch *sketch, const struct chart_series *series, size_t group,
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
        for (size_t i = 0; !chart->series[s].others && i < chart->category_count; i += group) {
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
    sketch_end(sketch);
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
    sketch_end(sketch);
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
        add_heat_row(sketch, &chart->series[s], group, width, most);
        sketch_end(sketch);
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

enum { YEAR_COLUMNS = 59, WEEKS_MAX = 54, LABEL = 5 };

static size_t week_of(struct civil day)
{
    int64_t new_year = civil_days(day.year, 1, 1);
    return (size_t)(civil_days(day.year, day.month, day.day) - new_year +
                    civil_weekday(civil_of_days(new_year))) /
           WEEKDAYS;
}

/* A year, or half of one where a year is too wide: its months, and its days in the chart. */
struct block {
    int year, first_month, months;
    size_t from, to;
    size_t width; /* columns a week */
};

static size_t column_of(const struct block *block, struct civil day)
{
    struct civil first = {.year = block->year, .month = block->first_month, .day = 1};
    return (week_of(day) - week_of(first)) * block->width;
}

static bool is_in(const struct block *block, struct civil day)
{
    return day.year == block->year && day.month >= block->first_month &&
           day.month < block->first_month + block->months;
}

/* The names of months above the weeks they begin in. */
static void add_months(struct sketch *sketch, const struct block *block)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    size_t column = 0;
    buf_addf(sketch->out, "%04d ", block->year);
    for (int m = block->first_month; m < block->first_month + block->months; m++) {
        size_t at = column_of(block, (struct civil){.year = block->year, .month = m, .day = 1});
        if (at >= column) {
            buf_fill(sketch->out, ' ', at - column);
            buf_addz(sketch->out, months[m - 1]);
            column = at + 3;
        }
    }
    sketch_end(sketch);
}

static void add_weekday(struct sketch *sketch, const struct block *block, int weekday)
{
    static const char *const names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    const struct chart *chart = sketch->chart;
    double most = largest(chart);
    size_t column = 0;
    buf_addf(sketch->out, "%s  ", names[weekday]);
    for (size_t i = block->from; i < block->to; i++) {
        struct civil day = chart->categories[i].start;
        if (civil_weekday(day) == weekday) {
            size_t at = column_of(block, day);
            buf_fill(sketch->out, ' ', at > column ? at - column : 0);
            add_cell(sketch, chart->series[0].present[i], chart->series[0].values[i], most,
                     block->width);
            column = at + block->width;
        }
    }
    sketch_end(sketch);
}

void plot_calendar(struct sketch *sketch)
{
    const struct chart *chart = sketch->chart;
    struct block block = {.months = sketch->style.width >= YEAR_COLUMNS ? 12 : 6};
    block.width = sketch->style.width >= LABEL + 2 * WEEKS_MAX ? 2 : 1;
    for (size_t i = 0; i < chart->category_count; i = block.to) {
        struct civil day = chart->categories[i].start;
        block.year = day.year;
        block.first_month = (day.month - 1) / block.months * block.months + 1;
        block.from = block.to = i;
        while (block.to < chart->category_count &&
               is_in(&block, chart->categories[block.to].start)) {
            block.to++;
        }
        add_months(sketch, &block);
        for (int weekday = 0; weekday < WEEKDAYS; weekday++) {
            add_weekday(sketch, &block, weekday);
        }
        sketch_end(sketch);
    }
    add_key(sketch, largest(chart));
}
