/* SPDX-License-Identifier: MIT */

/*
 * Heat maps and calendars: a cell a value, from light to dark; hatched where there is none.
 */

#include <math.h>

#include "base/civil.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

enum { HEAD = 30, HEAD_PAGE = 4, NAME_MAX = 240, NAME_MAX_PAGE = 130, NAME_GAP = 10 };

/* What colours stand for: the largest size is the darkest. */
struct ramp {
    double least, greatest, size;
};

static struct ramp ramp_of(const struct chart *chart)
{
    struct ramp ramp = {0};
    chart_named_range(chart, &ramp.least, &ramp.greatest);
    ramp.size = fmax(fabs(ramp.least), fabs(ramp.greatest));
    if (chart->up.unit == UNIT_RATIO && ramp.least >= 0 && ramp.greatest <= 1) {
        ramp.greatest = ramp.size =
            1; /* a share is read against the whole, on every page alike */
    }
    return ramp;
}

void heat_range(const struct chart *chart, double *least, double *greatest)
{
    const struct ramp ramp = ramp_of(chart);
    *least = ramp.least;
    *greatest = ramp.greatest;
}

static double share_of(const struct ramp *ramp, double value)
{
    return ramp->size > 0 ? fmax(-1, fmin(1, value / ramp->size)) : 0;
}

static void draw_cell(struct sheet *sheet, struct box box, const struct ramp *ramp,
                      size_t series, size_t category)
{
    const struct chart *chart = sheet->chart;
    const struct chart_series *s = &chart->series[series];
    bool named = chart->kind == CHART_HEAT && s->name.len > 0;
    pen_tip_begin(sheet, series, category, named ? s->name : (struct str){0});
    buf_clear(&sheet->words);
    if (s->present[category]) {
        look_cell(&sheet->words, share_of(ramp, s->values[category]), sheet->bare);
    } else {
        buf_addz(&sheet->words, " fill=\"url(#stint-absent)\"");
    }
    pen_rect(sheet, box, NULL, sheet->words.ptr);
    pen_tip_end(sheet);
}

/* Above the map: what the colours count, and the ramp. */
static void draw_ramp(struct sheet *sheet, const struct ramp *ramp)
{
    double right = sheet->body.x + sheet->body.width, y = sheet->body.y;
    if (sheet->fluid) {
        return; /* it stands above, in HTML */
    }
    if (sheet->chart->up.label) {
        pen_text_fit(sheet, (struct spot){sheet->body.x, y + 9, ANCHOR_START}, "c-label",
                     str_of(sheet->chart->up.label), 400);
    }
    legend_ramp(sheet, right, y, ramp->least, ramp->greatest);
}

/* --- heat map --- */

static double cell_height(const struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    if (sheet->fluid) {
        return chart->series_count <= 10 ? 22 : chart->series_count <= 24 ? 17 : 13;
    }
    return chart->series_count <= 3    ? 44
           : chart->series_count <= 10 ? 32
           : chart->series_count <= 24 ? 22
           : chart->series_count <= 40 ? 17
                                       : 13;
}

static double names_width(const struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double widest = 0;
    for (size_t i = 0; i < chart->series_count; i++) {
        widest = fmax(widest, markup_width(chart->series[i].name, TEXT_SIZE));
    }
    return fmin(widest, sheet->fluid ? NAME_MAX_PAGE : NAME_MAX);
}

static double map_width(const struct sheet *sheet)
{
    return sheet_width_least(sheet) - 48 - names_width(sheet) - NAME_GAP;
}

static double map_top(const struct sheet *sheet)
{
    return sheet->fluid ? HEAD_PAGE : HEAD;
}

static double heat_height(const struct sheet *sheet)
{
    return map_top(sheet) + cell_height(sheet) * (double)sheet->chart->series_count +
           axis_categories_height(sheet->chart, map_width(sheet));
}

/* Writing that stands out from the cell of a value. */
static const char *number_class(const struct ramp *ramp, double value)
{
    return fabs(share_of(ramp, value)) > 0.6 ? "c-inside" : "c-on-light";
}

/* Without numbers, and without colour, a sign is all that says below from above zero. */
static void write_signs(struct sheet *sheet, struct box plot, const struct ramp *ramp)
{
    const struct chart *chart = sheet->chart;
    double width = plot.width / (double)chart->category_count, height = cell_height(sheet);
    for (size_t s = 0; width >= 9 && s < chart->series_count; s++) {
        for (size_t c = 0; c < chart->category_count; c++) {
            if (chart->series[s].present[c] && chart->series[s].values[c] < 0) {
                pen_text(sheet, axis_slot(plot, chart->category_count, c),
                         plot.y + height * ((double)s + 0.5) + 4,
                         number_class(ramp, chart->series[s].values[c]), ANCHOR_MIDDLE,
                         STR("\xe2\x88\x92"));
            }
        }
    }
}

/* The number in its cell, where there is room for all of them. */
static void write_values(struct sheet *sheet, struct box plot, const struct ramp *ramp)
{
    const struct chart *chart = sheet->chart;
    double width = plot.width / (double)chart->category_count, height = cell_height(sheet);
    if (width < 52 || height < 17 || sheet->fluid) {
        write_signs(sheet, plot, ramp);
        return;
    }
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t c = 0; c < chart->category_count; c++) {
            if (chart->series[s].present[c]) {
                double value = chart->series[s].values[c];
                pen_text(sheet, axis_slot(plot, chart->category_count, c),
                         plot.y + height * ((double)s + 0.5) + 4, number_class(ramp, value),
                         ANCHOR_MIDDLE, words_value(sheet, chart->up.unit, value));
            }
        }
    }
}

/*
 * Of many cells on a page each would cost more bytes than the rest of it. There they have no
 * tips, colours are rounded, and a colour is one path: neighbours that share it are one
 * stretch.
 */
enum { SHADES = LOOK_SHADES, SHADE_ABSENT = SHADES + 1 };

static int shade_of(const struct chart_series *series, size_t category, const struct ramp *ramp)
{
    return series->present[category]
               ? (int)lround(share_of(ramp, series->values[category]) * SHADES)
               : SHADE_ABSENT;
}

static void path_stretch(struct sheet *sheet, struct box box)
{
    struct buf *out = sheet->out;
    buf_addc(out, 'M');
    markup_number(out, box.x);
    buf_addc(out, ' ');
    markup_number(out, box.y);
    buf_addc(out, 'h');
    markup_number(out, box.width);
    buf_addc(out, 'v');
    markup_number(out, box.height);
    buf_addc(out, 'H');
    markup_number(out, box.x);
    buf_addc(out, 'z');
}

static void path_begin(struct sheet *sheet, int shade)
{
    buf_addz(sheet->out, "<path");
    look_cell(sheet->out, (double)shade / SHADES, sheet->bare);
    buf_addz(sheet->out, " d=\"");
}

/* All stretches of one shade. */
static void draw_shade(struct sheet *sheet, struct box plot, const struct ramp *ramp, int shade)
{
    const struct chart *chart = sheet->chart;
    const double width = plot.width / (double)chart->category_count;
    const double height = cell_height(sheet);
    bool begun = false;
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t c = 0, end; c < chart->category_count; c = end) {
            end = c + 1;
            if (shade_of(&chart->series[s], c, ramp) != shade) {
                continue;
            }
            while (end < chart->category_count &&
                   shade_of(&chart->series[s], end, ramp) == shade) {
                end++;
            }
            const struct box box = {plot.x + width * (double)c, plot.y + height * (double)s,
                                    width * (double)(end - c), height - 1};
            if (shade == SHADE_ABSENT) {
                pen_rect(sheet, box, NULL, " fill=\"url(#stint-absent)\"");
                continue;
            }
            if (!begun) {
                path_begin(sheet, shade);
                begun = true;
            }
            path_stretch(sheet, box);
        }
    }
    buf_addz(sheet->out, begun ? "\"/>\n" : "");
}

static void draw_name(struct sheet *sheet, struct box plot, size_t series)
{
    const double height = cell_height(sheet);
    const double y = plot.y + height * (double)series;
    pen_text_fit(sheet, (struct spot){plot.x - 8, y + height / 2 + 4, ANCHOR_END}, "c-name",
                 sheet->chart->series[series].name, plot.x - sheet->body.x - NAME_GAP + 1);
}

static void draw_shades(struct sheet *sheet, struct box plot, const struct ramp *ramp)
{
    for (size_t s = 0; s < sheet->chart->series_count; s++) {
        draw_name(sheet, plot, s);
    }
    draw_shade(sheet, plot, ramp, SHADE_ABSENT);
    pen_stretch_begin(sheet);
    for (int shade = -SHADES; shade <= SHADES; shade++) {
        draw_shade(sheet, plot, ramp, shade);
    }
    pen_stretch_end(sheet);
}

static void draw_cells(struct sheet *sheet, struct box plot, const struct ramp *ramp)
{
    const struct chart *chart = sheet->chart;
    const double width = plot.width / (double)chart->category_count, gap = width > 6 ? 1 : 0;
    const double height = cell_height(sheet);
    for (size_t s = 0; s < chart->series_count; s++) {
        draw_name(sheet, plot, s);
        for (size_t c = 0; c < chart->category_count; c++) {
            struct box box = {plot.x + width * (double)c, plot.y + height * (double)s,
                              width - gap, height - 1};
            draw_cell(sheet, box, ramp, s, c);
        }
    }
}

static void draw_heat(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    struct ramp ramp = ramp_of(chart);
    struct box plot = sheet->body;
    double height = cell_height(sheet), names = names_width(sheet);
    plot.x += names + NAME_GAP;
    plot.width -= names + NAME_GAP;
    plot.y += map_top(sheet);
    plot.height = height * (double)chart->series_count;
    sheet_plot(sheet, plot);
    sheet_axis(sheet, NULL, true);
    draw_ramp(sheet, &ramp);
    (sheet->lean ? draw_shades : draw_cells)(sheet, plot, &ramp);
    write_values(sheet, plot, &ramp);
    axis_categories(sheet, plot);
}

const struct drawer heat_drawer = {heat_height, draw_heat, false, false, true};

/* --- calendar --- */

enum { DAY = 13, YEAR_GAP = 32, WEEKDAYS = 7, CALENDAR_LEFT = 76 };

static int first_year(const struct chart *chart)
{
    return chart->categories[0].start.year;
}

static double calendar_height(const struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    int years = chart->categories[chart->category_count - 1].start.year - first_year(chart) + 1;
    return HEAD + years * (WEEKDAYS * DAY + YEAR_GAP);
}

/* Column and row of a day in its year's block: weeks begin on Monday. */
static struct box place_of(const struct sheet *sheet, struct civil day)
{
    int64_t new_year = civil_days(day.year, 1, 1);
    int64_t offset = civil_weekday(civil_of_days(new_year));
    int64_t since = civil_days(day.year, day.month, day.day) - new_year + offset;
    int64_t week = since / WEEKDAYS, weekday = since % WEEKDAYS;
    int year = day.year - first_year(sheet->chart);
    return (struct box){sheet->body.x + CALENDAR_LEFT + (double)week * (DAY + 1),
                        sheet->body.y + HEAD + 18 + year * (WEEKDAYS * DAY + YEAR_GAP) +
                            (double)weekday * DAY,
                        DAY, DAY - 1};
}

/* A line along the left of a month's first day and, one column further, of what is above it. */
static void draw_month_edge(struct sheet *sheet, struct civil first)
{
    struct box box = place_of(sheet, first);
    double top = box.y - civil_weekday(first) * DAY;
    struct buf *out = sheet->out;
    buf_addz(out, "<path class=\"c-month\" d=\"M");
    markup_number(out, box.x - 0.5);
    buf_addc(out, ' ');
    markup_number(out, top + WEEKDAYS * DAY);
    buf_addc(out, 'V');
    markup_number(out, box.y - 0.5);
    if (civil_weekday(first) > 0) {
        buf_addc(out, 'h');
        markup_number(out, DAY + 1);
        buf_addc(out, 'V');
        markup_number(out, top - 1);
    }
    buf_addz(out, "\"/>\n");
}

static bool has_month(const struct chart *chart, int year, int month)
{
    struct civil first = chart->categories[0].start;
    struct civil last = chart->categories[chart->category_count - 1].start;
    int at = year * 12 + month;
    return at >= first.year * 12 + first.month && at <= last.year * 12 + last.month;
}

static void draw_year(struct sheet *sheet, int year)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct box first = place_of(sheet, (struct civil){.year = year, .month = 1, .day = 1});
    double top =
        first.y - civil_weekday((struct civil){.year = year, .month = 1, .day = 1}) * DAY;
    buf_clear(&sheet->words);
    buf_addf(&sheet->words, "%d", year);
    pen_text(sheet, sheet->body.x, top + 12, "c-label", ANCHOR_START, buf_str(&sheet->words));
    static const char *const weekdays[] = {"Mon", NULL, "Wed", NULL, "Fri", NULL, "Sun"};
    for (int i = 0; i < WEEKDAYS; i++) {
        if (weekdays[i]) {
            pen_text(sheet, first.x - 8, top + i * DAY + 11, "c-tick", ANCHOR_END,
                     str_of(weekdays[i]));
        }
    }
    for (int m = 1; m <= 12; m++) {
        struct civil day = {.year = year, .month = m, .day = 1};
        if (!has_month(sheet->chart, year, m)) {
            continue;
        }
        struct box box = place_of(sheet, day);
        double shift = civil_weekday(day) > 0 ? DAY + 1 : 0;
        pen_text(sheet, box.x + shift, top - 6, "c-tick", ANCHOR_START, str_of(months[m - 1]));
        if (m > 1 && has_month(sheet->chart, year, m - 1)) {
            draw_month_edge(sheet, day);
        }
    }
}

static void draw_calendar(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    struct ramp ramp = ramp_of(chart);
    draw_ramp(sheet, &ramp);
    for (size_t i = 0; i < chart->category_count; i++) {
        draw_cell(sheet, place_of(sheet, chart->categories[i].start), &ramp, 0, i);
    }
    int last = chart->categories[chart->category_count - 1].start.year;
    for (int year = first_year(chart); year <= last; year++) {
        draw_year(sheet, year);
    }
}

const struct drawer calendar_drawer = {calendar_height, draw_calendar, false, false, false};
