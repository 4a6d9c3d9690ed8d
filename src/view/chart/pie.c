/* SPDX-License-Identifier: MIT */

/*
 * A ring of slices with the total in its middle, and beside it a list with names, values and
 * shares: names of any length and slices of any thinness can be read there.
 */

#include <math.h>

#include "view/chart/draw.h"
#include "view/chart/markup.h"

enum {
    RING_HEIGHT = 330,
    RADIUS = 140,
    HOLE = 82,
    ROW = 26,
    NAME_WIDTH = 280,
    VALUE_AT = 400,
    SHARE_AT = 472
};

static const double THIN = 0.01;

static double pie_height(const struct sheet *sheet)
{
    return fmax(RING_HEIGHT, 30 + (double)sheet->chart->category_count * ROW);
}

static void add_point(struct buf *out, char command, double x, double y)
{
    buf_addc(out, command);
    markup_number(out, x);
    buf_addc(out, ' ');
    markup_number(out, y);
}

static void add_arc(struct buf *out, double radius, bool large, bool clockwise, double x,
                    double y)
{
    buf_addf(out, "A%.0f %.0f 0 %d %d ", radius, radius, large, clockwise);
    markup_number(out, x);
    buf_addc(out, ' ');
    markup_number(out, y);
}

/* A slice from one share of the circle to another, clockwise from the top. */
static void draw_slice(struct sheet *sheet, double x, double y, double from, double to)
{
    struct buf *out = sheet->out;
    bool whole = to - from > 0.9999;
    double a = 2 * M_PI * from, b = 2 * M_PI * (whole ? from + 0.5 : to);
    bool large = to - from > 0.5 && !whole;
    buf_addz(out, " d=\"");
    add_point(out, 'M', x + RADIUS * sin(a), y - RADIUS * cos(a));
    add_arc(out, RADIUS, large, true, x + RADIUS * sin(b), y - RADIUS * cos(b));
    if (whole) {
        add_arc(out, RADIUS, false, true, x, y - RADIUS);
        buf_addc(out, 'Z');
        add_point(out, 'M', x, y - HOLE);
        add_arc(out, HOLE, false, false, x, y + HOLE);
        add_arc(out, HOLE, false, false, x, y - HOLE);
    } else {
        add_point(out, 'L', x + HOLE * sin(b), y - HOLE * cos(b));
        add_arc(out, HOLE, large, false, x + HOLE * sin(a), y - HOLE * cos(a));
    }
    buf_addz(out, "Z\"/>");
}

static double share_of(const struct chart *chart, size_t i, double total)
{
    return chart->series[0].present[i] && total > 0
               ? fmax(chart->series[0].values[i], 0) / total
               : 0;
}

static void write_row(struct sheet *sheet, size_t i, double total, double x, double y)
{
    const struct chart *chart = sheet->chart;
    const struct chart_category *category = &chart->categories[i];
    buf_clear(&sheet->words);
    look_fill(&sheet->words, look_of(i, category->others), true);
    pen_rect(sheet, (struct box){x, y - 11, 14, 14}, NULL, sheet->words.ptr);
    pen_text_fit(sheet, (struct spot){x + 24, y, ANCHOR_START}, "c-name", category->name,
                 NAME_WIDTH);
    bool present = chart->series[0].present[i];
    pen_text(
        sheet, x + VALUE_AT, y, "c-value", ANCHOR_END,
        words_value(sheet, chart->up.unit, present ? chart->series[0].values[i] : (double)NAN));
    if (present && total > 0) {
        pen_text(sheet, x + SHARE_AT, y, "c-value", ANCHOR_END,
                 words_value(sheet, UNIT_RATIO, share_of(chart, i, total)));
    }
    pen_line(sheet, x, y + 9, x + SHARE_AT, y + 9, "c-grid");
}

static void draw_pie(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double total = 0, at = 0;
    for (size_t i = 0; i < chart->category_count; i++) {
        total += chart->series[0].present[i] ? fmax(chart->series[0].values[i], 0) : 0;
    }
    double x = sheet->body.x + RADIUS + 20, y = sheet->body.y + sheet->body.height / 2;
    double list = sheet->body.x + 2 * RADIUS + 90;
    double row = y - ((double)chart->category_count - 1) * ROW / 2 + 4;
    for (size_t i = 0; i < chart->category_count; i++) {
        double share = share_of(chart, i, total);
        if (share > 0) {
            pen_tip_begin(sheet, 0, i, (struct str){0});
            /* An edge around a slice that is hardly wider would be all there is to see. */
            buf_addz(sheet->out,
                     share < THIN ? "<path" : "<path class=\"c-piece\" stroke-width=\"1.5\"");
            look_fill(sheet->out, look_of(i, chart->categories[i].others), true);
            draw_slice(sheet, x, y, at, at + share);
            pen_tip_end(sheet);
        }
        at += share;
        write_row(sheet, i, total, list, row + (double)i * ROW);
    }
    pen_text(sheet, x, y + 2, "c-total", ANCHOR_MIDDLE,
             words_value(sheet, chart->up.unit, total));
    if (chart->up.label) {
        pen_text_fit(sheet, (struct spot){x, y + 22, ANCHOR_MIDDLE}, "c-tick",
                     str_of(chart->up.label), 2 * HOLE - 20);
    }
}

const struct drawer pie_drawer = {pie_height, draw_pie, false, false, false};
