/* SPDX-License-Identifier: MIT */

/*
 * Bars: upright over time and over few short names, lying down otherwise, so that names can be
 * read without turning the head. Stacked ones are the same with the series on top of each
 * other.
 */

#include <math.h>

#include "view/chart/draw.h"
#include "view/chart/markup.h"
#include "view/chart/top_n.h"

enum {
    UPRIGHT_HEIGHT = 400,
    UPRIGHT_HEIGHT_PAGE = 264,
    UPRIGHT_MAX = 12, /* names; more lie down */
    LYING_NAME_MAX = 320,
    LYING_NAME_MAX_PAGE = 150,
    LYING_FOOT = 6,
    VALUE_ROOM = 64,  /* for the number after a bar */
    VALUE_BELOW = 16, /* for the number below one */
    MISSING_HEIGHT = 7,
};

static bool is_stacked(const struct chart *chart)
{
    return chart->kind == CHART_STACKED;
}

static bool is_upright(const struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    if (chart->bucket != BUCKET_NONE) {
        return true;
    }
    double slot = (sheet_width_least(sheet) - 110) / (double)chart->category_count;
    for (size_t i = 0; i < chart->category_count && chart->category_count <= UPRIGHT_MAX; i++) {
        if (markup_width(chart->categories[i].name, TEXT_SIZE) > slot - 8) {
            return false;
        }
    }
    return chart->category_count <= UPRIGHT_MAX && chart->category_count > 1;
}

/* How much of the sheet a lying category takes: more when there are few. */
static double lying_row(const struct chart *chart)
{
    double bars = is_stacked(chart) ? 1 : (double)chart->series_count;
    double room = chart->category_count <= 4 ? 40 : chart->category_count <= 10 ? 30 : 24;
    return bars > 1 ? bars * 15 + 10 : room;
}

static double upright_height(const struct sheet *sheet)
{
    return sheet->fluid ? UPRIGHT_HEIGHT_PAGE : UPRIGHT_HEIGHT;
}

static double bars_height(const struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    if (is_upright(sheet)) {
        return upright_height(sheet);
    }
    return AXIS_LEVEL_HEIGHT + lying_row(chart) * (double)chart->category_count + LYING_FOOT;
}

/* One bar or piece with its tip, hatched if its bucket is not whole. */
static void draw_bar(struct sheet *sheet, struct box box, size_t series, size_t category)
{
    const struct chart *chart = sheet->chart;
    const struct chart_category *c = &chart->categories[category];
    const struct chart_series *s = &chart->series[series];
    bool several = chart->series_count > 1;
    size_t look = !several && c->others ? look_of(0, true) : look_series(chart, series);
    pen_tip_begin(sheet, series, category, several ? s->name : (struct str){0});
    buf_clear(&sheet->words);
    look_fill(&sheet->words, look, !c->partial);
    const char *class = c->partial ? "c-partial"
                        : is_stacked(chart) && several && fmin(box.width, box.height) > 4
                            ? "c-piece"
                            : NULL;
    pen_rect(sheet, box, class, sheet->words.ptr);
    pen_tip_end(sheet);
}

/* The number of a bar at its end, outside of it. */
static void write_value_upright(struct sheet *sheet, struct box box, double value, double room)
{
    struct str text = words_value(sheet, sheet->chart->up.unit, value);
    const bool crowded = sheet->fluid && sheet->chart->bucket != BUCKET_NONE;
    if (!crowded && markup_width(text, TEXT_SIZE) <= room / axis_wider(sheet)) {
        pen_text(sheet, box.x + box.width / 2, value < 0 ? box.y + box.height + 14 : box.y - 5,
                 sheet->fluid ? "c-value c-minor" : "c-value", ANCHOR_MIDDLE, text);
    }
}

/* What is missing of a stack, on top of it: it would be higher by nobody knows how much. */
static void draw_missing(struct sheet *sheet, struct box box, size_t category)
{
    const struct chart *chart = sheet->chart;
    size_t missing = 0;
    for (size_t s = 0; s < chart->series_count; s++) {
        missing += !chart->series[s].present[category];
    }
    if (missing == 0 || chart->bucket == BUCKET_NONE) {
        return;
    }
    buf_addz(sheet->out, "<g class=\"c-missing\"><title>");
    markup_text(sheet->out, chart->categories[category].name);
    buf_addz(sheet->out, ", not recorded:");
    for (size_t s = 0; s < chart->series_count; s++) {
        if (!chart->series[s].present[category]) {
            buf_addz(sheet->out, " ");
            markup_text(sheet->out, chart->series[s].name);
        }
    }
    buf_addz(sheet->out, "</title>");
    pen_rect(sheet, (struct box){box.x, box.y - MISSING_HEIGHT - 1, box.width, MISSING_HEIGHT},
             NULL, " fill=\"url(#stint-absent)\"");
    pen_tip_end(sheet);
}

/* Sums of what is stacked so far, upwards and downwards from zero. */
struct stack {
    double above, below;
};

/* Where the next piece begins; it is added to the stack. */
static double stack_push(struct stack *stack, double value)
{
    double *side = value < 0 ? &stack->below : &stack->above;
    double from = *side;
    *side += value;
    return from;
}

/* A box between two values at a place, upright. */
static struct box span_upright(struct box plot, const struct scale *scale, double from,
                               double to, double x, double width)
{
    double a = axis_y(plot, scale, from), b = axis_y(plot, scale, to);
    return (struct box){x, fmin(a, b), width, fabs(a - b)};
}

static struct box span_lying(struct box plot, const struct scale *scale, double from, double to,
                             double y, double height)
{
    double a = axis_x(plot, scale, from), b = axis_x(plot, scale, to);
    return (struct box){fmin(a, b), y, fabs(a - b), height};
}

/* Whether every series has a value there, so that their sum is one. */
static bool is_complete(const struct chart *chart, size_t category)
{
    for (size_t s = 0; s < chart->series_count; s++) {
        if (!chart->series[s].present[category]) {
            return false;
        }
    }
    return true;
}

/*
 * The bars of a category, or their numbers: these are written last, on top of what lines go
 * across.
 */
static void draw_slot_upright(struct sheet *sheet, struct box plot, const struct scale *scale,
                              size_t category, bool numbers)
{
    const struct chart *chart = sheet->chart;
    bool stacked = is_stacked(chart);
    double slot = plot.width / (double)chart->category_count;
    double used = slot * (slot > 8 ? 0.72 : 0.9);
    used = fmin(used, stacked || chart->series_count == 1 ? 90 : 160);
    double width = stacked ? used : used / (double)chart->series_count;
    double left = axis_slot(plot, chart->category_count, category) - used / 2;
    struct stack stack = {0};
    bool any = false;
    for (size_t s = 0; s < chart->series_count; s++) {
        if (!chart->series[s].present[category]) {
            continue;
        }
        double value = chart->series[s].values[category];
        double from = stacked ? stack_push(&stack, value) : 0;
        any = true;
        double x = stacked ? left : left + width * (double)s;
        struct box box = span_upright(plot, scale, from, from + value, x,
                                      stacked || chart->series_count == 1 ? width : width - 1);
        if (!numbers) {
            draw_bar(sheet, box, s, category);
        } else if (!stacked) {
            write_value_upright(sheet, box, value,
                                chart->series_count == 1 ? slot - 4 : width + 2);
        }
    }
    if (!numbers && stacked && any) {
        draw_missing(sheet, span_upright(plot, scale, 0, stack.above, left, width), category);
    }
    if (numbers && stacked && any && stack.below == 0 && is_complete(chart, category)) {
        struct box whole = span_upright(plot, scale, 0, stack.above, left, width);
        write_value_upright(sheet, whole, stack.above, slot - 4);
    }
    if (numbers && !any && !chart->categories[category].unrecorded &&
        markup_width(STR("---"), TEXT_SIZE) <= slot) {
        pen_text(sheet, left + used / 2, axis_y(plot, scale, 0) - 5, "c-value", ANCHOR_MIDDLE,
                 STR("---"));
    }
}

static void draw_upright(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double least, greatest;
    axis_range(chart, is_stacked(chart), &least, &greatest);
    struct scale scale = scale_make(least, greatest, chart->up.unit, 6);
    struct box plot = axis_upright_plot(sheet, &scale, 0);
    const double below = least < 0 ? VALUE_BELOW : 0;
    plot.height -= axis_categories_height(chart, plot.width) + below;
    sheet_plot(sheet, plot);
    sheet_axis(sheet, &scale, true);
    axis_upright(sheet, plot, &scale, chart->up.label);
    axis_unrecorded(sheet, plot);
    for (size_t c = 0; c < chart->category_count; c++) {
        draw_slot_upright(sheet, plot, &scale, c, false);
    }
    double zero = axis_y(plot, &scale, 0);
    pen_line(sheet, plot.x, zero, plot.x + plot.width, zero, "c-base");
    axis_categories(sheet, (struct box){plot.x, plot.y, plot.width, plot.height + below});
    axis_targets(sheet, plot, &scale, true);
    for (size_t c = 0; c < chart->category_count; c++) {
        draw_slot_upright(sheet, plot, &scale, c, true);
    }
}

static void write_value_lying(struct sheet *sheet, struct box box, double value)
{
    struct str text = words_value(sheet, sheet->chart->up.unit, value);
    double y = box.y + box.height / 2 + 4;
    if (value < 0) {
        pen_text(sheet, box.x - 5, y, "c-value", ANCHOR_END, text);
    } else {
        pen_text(sheet, box.x + box.width + 5, y, "c-value", ANCHOR_START, text);
    }
}

static void draw_slot_lying(struct sheet *sheet, struct box plot, const struct scale *scale,
                            size_t category, bool numbers)
{
    const struct chart *chart = sheet->chart;
    bool stacked = is_stacked(chart);
    double row = lying_row(chart);
    double used = row - (row > 30 ? 12 : 6);
    double height = stacked ? used : used / (double)chart->series_count;
    double top = plot.y + row * (double)category + (row - used) / 2;
    struct stack stack = {0};
    bool any = false;
    for (size_t s = 0; s < chart->series_count; s++) {
        if (!chart->series[s].present[category]) {
            continue;
        }
        double value = chart->series[s].values[category];
        double from = stacked ? stack_push(&stack, value) : 0;
        double y = stacked ? top : top + height * (double)s;
        struct box box = span_lying(plot, scale, from, from + value, y, height);
        any = true;
        if (!numbers) {
            draw_bar(sheet, box, s, category);
        } else if (!stacked) {
            write_value_lying(sheet, box, value);
        }
    }
    if (numbers && stacked && any && stack.below == 0) {
        write_value_lying(sheet, span_lying(plot, scale, 0, stack.above, top, height),
                          stack.above);
    }
    if (numbers && !any) {
        pen_text(sheet, axis_x(plot, scale, 0) + 5, top + used / 2 + 4, "c-note", ANCHOR_START,
                 STR("no value"));
    }
}

/* The range of the bars that stand for themselves; the rest's may be longer than the axis. */
static void range_of_named(const struct chart *chart, double *least, double *greatest)
{
    struct chart named = *chart;
    size_t last = chart->category_count - 1;
    named.category_count -= last > 0 && chart->categories[last].others;
    axis_range(&named, is_stacked(chart), least, greatest);
}

/* Two strokes through a bar that is longer than it is drawn. */
static void draw_break(struct sheet *sheet, struct box plot, size_t category, double x)
{
    double row = lying_row(sheet->chart), y = plot.y + row * (double)category;
    pen_line(sheet, x, y + row, x + 8, y, "c-break");
    pen_line(sheet, x + 7, y + row, x + 15, y, "c-break");
}

/* The bar of the others may reach beyond the axis, at either end of it. */
static void draw_breaks(struct sheet *sheet, struct box plot, const struct scale *scale,
                        size_t category)
{
    const struct chart *chart = sheet->chart;
    struct stack reach = {0};
    for (size_t s = 0; s < chart->series_count; s++) {
        const double value =
            chart->series[s].present[category] ? chart->series[s].values[category] : 0;
        if (is_stacked(chart)) {
            stack_push(&reach, value);
        } else {
            reach.above = fmax(reach.above, value);
            reach.below = fmin(reach.below, value);
        }
    }
    if (reach.above > scale->high) {
        draw_break(sheet, plot, category, plot.x + plot.width - 30);
    }
    if (reach.below < scale->low) {
        draw_break(sheet, plot, category, plot.x + 15);
    }
}

static void draw_lying(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double least, greatest, names = 0;
    range_of_named(chart, &least, &greatest);
    for (size_t c = 0; c < chart->category_count; c++) {
        names = fmax(names, markup_width(chart->categories[c].name, TEXT_SIZE));
    }
    names = fmin(names, sheet->fluid ? LYING_NAME_MAX_PAGE : LYING_NAME_MAX);
    struct scale scale = scale_make(least, greatest, chart->up.unit, 7);
    double before = least < 0 ? VALUE_ROOM : 0;
    struct box plot = sheet->body;
    plot.x += names + 10 + before;
    plot.width -= names + 10 + before + VALUE_ROOM;
    plot.y += AXIS_LEVEL_HEIGHT;
    plot.height -= AXIS_LEVEL_HEIGHT + LYING_FOOT;
    sheet_plot(sheet, plot);
    sheet_axis(sheet, &scale, false);
    axis_level(sheet, plot, &scale, chart->up.label);
    for (size_t c = 0; c < chart->category_count; c++) {
        double y = plot.y + lying_row(chart) * ((double)c + 0.5);
        pen_text_fit(sheet, (struct spot){plot.x - before - 10, y + 4, ANCHOR_END}, "c-name",
                     chart->categories[c].name, names + 1);
        draw_slot_lying(sheet, plot, &scale, c, false);
        if (chart->categories[c].others) {
            draw_breaks(sheet, plot, &scale, c);
        }
    }
    double zero = axis_x(plot, &scale, 0);
    pen_line(sheet, zero, plot.y, zero, plot.y + plot.height, "c-base");
    axis_targets(sheet, plot, &scale, false);
    for (size_t c = 0; c < chart->category_count; c++) {
        draw_slot_lying(sheet, plot, &scale, c, true);
    }
}

static void draw_bars(struct sheet *sheet)
{
    if (is_upright(sheet)) {
        draw_upright(sheet);
    } else {
        draw_lying(sheet);
    }
}

const struct drawer bar_drawer = {bars_height, draw_bars, true, true, true};
const struct drawer stacked_drawer = {bars_height, draw_bars, true, true, true};

/* --- histogram --- */

/* Edges of the bins below the plot, as many as there is room for. */
static void write_edges(struct sheet *sheet, struct box plot)
{
    const struct chart *chart = sheet->chart;
    const double wider = axis_wider(sheet);
    double free_from = 0;
    for (size_t i = 0; i <= chart->category_count; i++) {
        double value = i < chart->category_count ? chart->categories[i].low
                                                 : chart->categories[i - 1].high;
        double x = plot.x + plot.width * (double)i / (double)chart->category_count;
        struct str text = words_value(sheet, chart->across.unit, value);
        double half = markup_width(text, TEXT_SIZE) / 2 * wider;
        if (x - half >= free_from) {
            pen_line(sheet, x, plot.y + plot.height, x, plot.y + plot.height + 4, "c-base");
            pen_text(sheet, x, plot.y + plot.height + 18, "c-tick", ANCHOR_MIDDLE, text);
            free_from = x + half + 10 * wider;
        }
    }
    if (chart->across.label) {
        pen_text(sheet, plot.x + plot.width, plot.y + plot.height + 36, "c-label", ANCHOR_END,
                 str_of(chart->across.label));
    }
}

static void draw_histogram(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double least, greatest;
    axis_range(chart, false, &least, &greatest);
    struct scale scale = scale_make(least, greatest, chart->up.unit, 6);
    struct box plot = axis_upright_plot(sheet, &scale, 20);
    plot.height -= AXIS_FOOT;
    sheet_plot(sheet, plot);
    sheet_axis(sheet, &scale, true);
    axis_upright(sheet, plot, &scale, chart->up.label);
    double slot = plot.width / (double)chart->category_count;
    for (size_t i = 0; i < chart->category_count; i++) {
        double value = chart->series[0].values[i];
        struct box box = span_upright(plot, &scale, 0, value, plot.x + slot * (double)i + 0.5,
                                      fmax(slot - 1, 0.5));
        if (chart->series[0].present[i] && value > 0) {
            draw_bar(sheet, box, 0, i);
            write_value_upright(sheet, box, value, slot - 2);
        }
    }
    write_edges(sheet, plot);
    axis_targets(sheet, plot, &scale, true);
}

const struct drawer histogram_drawer = {upright_height, draw_histogram, false, true, true};
