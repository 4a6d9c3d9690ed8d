/* SPDX-License-Identifier: MIT */

/*
 * Boxes and points: how values are spread, and how two of them go together.
 */

#include <math.h>

#include "view/chart/draw.h"
#include "view/chart/markup.h"

/* --- boxes --- */

enum { BOX_NAME_MAX = 320, BOX_NAME_MAX_PAGE = 150, BOX_FOOT = 6, VALUE_ROOM = 64 };

static double box_row(const struct chart *chart)
{
    return chart->category_count <= 6 ? 44 : chart->category_count <= 14 ? 32 : 26;
}

static double boxes_height(const struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    return AXIS_LEVEL_HEIGHT + box_row(chart) * (double)chart->category_count + BOX_FOOT;
}

static void draw_box(struct sheet *sheet, struct box plot, const struct scale *scale,
                     size_t category)
{
    const struct chart *chart = sheet->chart;
    double at[CHART_BOX_SERIES], row = box_row(chart), thick = row * 0.5;
    double y = plot.y + row * ((double)category + 0.5);
    for (size_t s = 0; s < CHART_BOX_SERIES; s++) {
        if (!chart->series[s].present[category]) {
            return;
        }
        at[s] = axis_x(plot, scale, chart->series[s].values[category]);
    }
    pen_tip_begin(sheet, 2, category, chart->series[2].name);
    pen_line(sheet, at[0], y, at[1], y, "c-whisker");
    pen_line(sheet, at[3], y, at[4], y, "c-whisker");
    pen_line(sheet, at[0], y - thick / 3, at[0], y + thick / 3, "c-whisker");
    pen_line(sheet, at[4], y - thick / 3, at[4], y + thick / 3, "c-whisker");
    pen_rect(sheet, (struct box){at[1], y - thick / 2, fmax(at[3] - at[1], 1), thick}, "c-box",
             NULL);
    pen_line(sheet, at[2], y - thick / 2, at[2], y + thick / 2, "c-median");
    pen_tip_end(sheet);
    const struct str median =
        words_value(sheet, chart->up.unit, chart->series[2].values[category]);
    const double half = markup_width(median, TEXT_SIZE) / 2;
    pen_text(sheet, fmax(at[2], plot.x + half + 3), y - thick / 2 - 4, "c-tick", ANCHOR_MIDDLE,
             median);
}

static void draw_boxes(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double least, greatest, names = 0;
    axis_range(chart, false, &least, &greatest);
    for (size_t c = 0; c < chart->category_count; c++) {
        names = fmax(names, markup_width(chart->categories[c].name, TEXT_SIZE));
    }
    names = fmin(names, sheet->fluid ? BOX_NAME_MAX_PAGE : BOX_NAME_MAX);
    struct scale scale = scale_wide(least, greatest, chart->up.unit, 8);
    struct box plot = sheet->body;
    plot.x += names + 12;
    plot.width -= names + 12 + VALUE_ROOM;
    plot.y += AXIS_LEVEL_HEIGHT;
    plot.height -= AXIS_LEVEL_HEIGHT + BOX_FOOT;
    sheet_plot(sheet, plot);
    axis_level(sheet, plot, &scale, chart->up.label);
    for (size_t c = 0; c < chart->category_count; c++) {
        pen_text_fit(sheet,
                     (struct spot){plot.x - 10, plot.y + box_row(chart) * ((double)c + 0.5) + 4,
                                   ANCHOR_END},
                     "c-name", chart->categories[c].name, names + 1);
        draw_box(sheet, plot, &scale, c);
    }
    axis_targets(sheet, plot, &scale, false);
}

const struct drawer box_drawer = {boxes_height, draw_boxes, false, true, true};

/* --- points --- */

enum { POINTS_HEIGHT = 460, POINT_NAMES = 12, POINT_NAME_MAX = 220, NAME_HEIGHT = 16 };

static double points_height(const struct sheet *sheet)
{
    (void)sheet;
    return POINTS_HEIGHT;
}

static bool series_range(const struct chart_series *series, size_t count, double *least,
                         double *greatest)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (series->present[i]) {
            *least = any ? fmin(*least, series->values[i]) : series->values[i];
            *greatest = any ? fmax(*greatest, series->values[i]) : series->values[i];
            any = true;
        }
    }
    return any;
}

static bool is_point(const struct chart *chart, size_t i)
{
    return chart->series[0].present[i] && chart->series[1].present[i];
}

/* A box of text that was written; the next must not touch it. */
static bool touches(const struct box *boxes, size_t count, struct box box)
{
    for (size_t i = 0; i < count; i++) {
        if (box.x < boxes[i].x + boxes[i].width && boxes[i].x < box.x + box.width &&
            box.y < boxes[i].y + boxes[i].height && boxes[i].y < box.y + box.height) {
            return true;
        }
    }
    return false;
}

/* Whether a name would stay at the plot: it may reach above and below it a little. */
static bool is_within(struct box plot, struct box box)
{
    return box.x >= plot.x && box.x + box.width <= plot.x + plot.width && box.y > plot.y - 12 &&
           box.y + box.height < plot.y + plot.height;
}

/* Whether a point other than `self` lies in the box. */
static bool covers_point(const struct chart *chart, struct box plot, const struct scale *across,
                         const struct scale *up, struct box box, size_t self)
{
    for (size_t i = 0; i < chart->category_count; i++) {
        if (i == self || !is_point(chart, i)) {
            continue;
        }
        double x = axis_x(plot, across, chart->series[0].values[i]);
        double y = axis_y(plot, up, chart->series[1].values[i]);
        if (x > box.x - 4 && x < box.x + box.width + 4 && y > box.y && y < box.y + box.height) {
            return true;
        }
    }
    return false;
}

/* Names for the first points, which are the greatest, as long as there is room for them. */
static void name_points(struct sheet *sheet, struct box plot, const struct scale *across,
                        const struct scale *up)
{
    const struct chart *chart = sheet->chart;
    struct box taken[POINT_NAMES];
    size_t count = 0;
    for (size_t i = 0;
         i < chart->category_count && i < (size_t)4 * POINT_NAMES && count < POINT_NAMES; i++) {
        if (!is_point(chart, i)) {
            continue;
        }
        struct str name = chart->categories[i].name;
        double x = axis_x(plot, across, chart->series[0].values[i]);
        double y = axis_y(plot, up, chart->series[1].values[i]);
        double width = fmin(markup_width(name, TEXT_SIZE), POINT_NAME_MAX);
        /* To the right, to the left, above, below: the first that is free. */
        const struct box places[] = {{x + 8, y - 8, width, NAME_HEIGHT},
                                     {x - width - 8, y - 8, width, NAME_HEIGHT},
                                     {x - width / 2, y - 22, width, NAME_HEIGHT},
                                     {x - width / 2, y + 7, width, NAME_HEIGHT}};
        for (size_t k = 0; k < COUNT_OF(places); k++) {
            const struct box *box = &places[k];
            if (is_within(plot, *box) && !touches(taken, count, *box) &&
                !covers_point(chart, plot, across, up, *box, i)) {
                taken[count++] = *box;
                pen_text_fit(sheet, (struct spot){box->x, box->y + 12, ANCHOR_START}, "c-name",
                             name, width + 1);
                break;
            }
        }
    }
}

static void write_across(struct sheet *sheet, struct box plot, const struct scale *scale)
{
    double bottom = plot.y + plot.height, free_from = 0;
    for (size_t i = 0; i < scale->count; i++) {
        double x = axis_x(plot, scale, scale->ticks[i]);
        struct str text = words_tick(sheet, scale, scale->ticks[i]);
        double half = markup_width(text, TEXT_SIZE) / 2;
        pen_line(sheet, x, plot.y, x, bottom, scale->ticks[i] == 0 ? "c-base" : "c-grid");
        if (x - half >= free_from) {
            pen_text(sheet, x, bottom + 18, "c-tick", ANCHOR_MIDDLE, text);
            free_from = x + half + 8;
        }
    }
    buf_clear(&sheet->words);
    buf_addz(&sheet->words, sheet->chart->across.label ? sheet->chart->across.label : "");
    buf_addz(&sheet->words, scale->logarithmic ? " (logarithmic)" : "");
    pen_text(sheet, plot.x + plot.width, bottom + 36, "c-label", ANCHOR_END,
             buf_str(&sheet->words));
}

static void draw_points(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double low[2] = {0}, high[2] = {0};
    for (size_t s = 0; s < 2; s++) {
        series_range(&chart->series[s], chart->category_count, &low[s], &high[s]);
    }
    struct scale across = scale_wide(low[0], high[0], chart->across.unit, 8);
    struct scale up = scale_wide(low[1], high[1], chart->up.unit, 7);
    struct box plot = axis_upright_plot(sheet, &up, 20);
    plot.height -= AXIS_FOOT;
    axis_upright(sheet, plot, &up, chart->up.label);
    write_across(sheet, plot, &across);
    for (size_t i = 0; i < chart->category_count; i++) {
        if (is_point(chart, i)) {
            pen_tip_begin(sheet, 1, i, (struct str){0});
            buf_addz(sheet->out, "<circle class=\"c-point\" r=\"4.5\" cx=\"");
            markup_number(sheet->out, axis_x(plot, &across, chart->series[0].values[i]));
            buf_addz(sheet->out, "\" cy=\"");
            markup_number(sheet->out, axis_y(plot, &up, chart->series[1].values[i]));
            buf_addz(sheet->out, "\"/>");
            pen_tip_end(sheet);
        }
    }
    name_points(sheet, plot, &across, &up);
    axis_targets(sheet, plot, &up, true);
}

const struct drawer scatter_drawer = {points_height, draw_points, false, true, false};
