/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "view/chart/draw.h"
#include "view/chart/markup.h"

static void add_attribute(struct buf *out, const char *name, double value)
{
    buf_addc(out, ' ');
    buf_addz(out, name);
    buf_addz(out, "=\"");
    markup_number(out, value);
    buf_addc(out, '"');
}

static void add_percent(struct buf *out, const char *name, double share)
{
    buf_addf(out, " %s=\"", name);
    markup_number(out, share * 100);
    buf_addz(out, "%\"");
}

/* A place across the sheet. Right of a fluid plot there is no such thing, except for text. */
static void add_across(struct sheet *sheet, const char *name, double x)
{
    const struct box *plot = &sheet->plot;
    if (!sheet->fluid) {
        add_attribute(sheet->out, name, x);
    } else if (x < plot->x - 0.01) {
        add_attribute(sheet->out, name, x - plot->x);
    } else {
        add_percent(sheet->out, name, (x - plot->x) / plot->width);
    }
}

void sheet_plot(struct sheet *sheet, struct box plot)
{
    sheet->plot = plot;
}

void sheet_axis(struct sheet *sheet, const struct scale *scale, bool upright)
{
    const struct box *plot = &sheet->plot;
    struct buf *out = sheet->out;
    if (!sheet->fluid) {
        return;
    }
    buf_addz(out, "<g data-box=\"");
    markup_number(out, plot->y);
    buf_addc(out, ' ');
    markup_number(out, plot->y + plot->height);
    buf_addc(out, '"');
    if (scale) {
        buf_addf(out, " data-axis=\"%.12g %.12g\"", scale->low, scale->high);
    }
    buf_addz(out, upright ? "/>\n" : " data-lying=\"\"/>\n");
}

double sheet_width_least(const struct sheet *sheet)
{
    enum { PANEL_LEAST = 480 };

    return sheet->fluid ? PANEL_LEAST : chart_width(sheet->chart);
}

void pen_stretch_begin(struct sheet *sheet)
{
    if (sheet->fluid) {
        const double bottom = sheet->body.y + sheet->body.height;
        buf_addz(sheet->out, "<svg class=\"c-stretch\" width=\"100%\"");
        add_attribute(sheet->out, "height", bottom);
        buf_addz(sheet->out, " preserveAspectRatio=\"none\" viewBox=\"");
        markup_number(sheet->out, sheet->plot.x);
        buf_addz(sheet->out, " 0 ");
        markup_number(sheet->out, sheet->plot.width);
        buf_addc(sheet->out, ' ');
        markup_number(sheet->out, bottom);
        buf_addz(sheet->out, "\">");
    }
}

void pen_stretch_end(struct sheet *sheet)
{
    buf_addz(sheet->out, sheet->fluid ? "</svg>\n" : "");
}

void pen_rect(struct sheet *sheet, struct box box, const char *class, const char *extra)
{
    struct buf *out = sheet->out;
    buf_addz(out, "<rect");
    add_across(sheet, "x", box.x);
    add_attribute(out, "y", box.y);
    if (sheet->fluid && box.x >= sheet->plot.x - 0.01) {
        add_percent(out, "width", box.width > 0 ? box.width / sheet->plot.width : 0);
    } else {
        add_attribute(out, "width", box.width > 0 ? box.width : 0);
    }
    add_attribute(out, "height", box.height > 0 ? box.height : 0);
    if (class) {
        buf_addf(out, " class=\"%s\"", class);
    }
    buf_addz(out, extra ? extra : "");
    buf_addz(out, "/>\n");
}

void pen_line(struct sheet *sheet, double x1, double y1, double x2, double y2,
              const char *class)
{
    struct buf *out = sheet->out;
    buf_addz(out, "<line");
    add_across(sheet, "x1", x1);
    add_attribute(out, "y1", y1);
    add_across(sheet, "x2", x2);
    add_attribute(out, "y2", y2);
    buf_addf(out, " class=\"%s\"/>\n", class);
}

static void begin_text(struct sheet *sheet, double x, double y, const char *class,
                       enum anchor anchor)
{
    static const char *const anchors[] = {
        [ANCHOR_START] = "",
        [ANCHOR_MIDDLE] = " text-anchor=\"middle\"",
        [ANCHOR_END] = " text-anchor=\"end\"",
    };
    buf_addz(sheet->out, "<text");
    const double beyond = sheet->fluid ? x - sheet->plot.x - sheet->plot.width : 0;
    add_across(sheet, "x", beyond > 0 ? x - beyond : x);
    if (beyond > 0) {
        add_attribute(sheet->out, "dx", beyond);
    }
    add_attribute(sheet->out, "y", y);
    buf_addf(sheet->out, " class=\"%s\"%s>", class, anchors[anchor]);
}

void pen_text(struct sheet *sheet, double x, double y, const char *class, enum anchor anchor,
              struct str text)
{
    begin_text(sheet, x, y, class, anchor);
    markup_text(sheet->out, text);
    buf_addz(sheet->out, "</text>\n");
}

void pen_text_fit(struct sheet *sheet, struct spot spot, const char *class, struct str text,
                  double width)
{
    bool cut;
    struct str shown = markup_fit(text, TEXT_SIZE, width, &cut);
    begin_text(sheet, spot.x, spot.y, class, spot.anchor);
    if (cut) {
        buf_addz(sheet->out, "<title>");
        markup_text(sheet->out, text);
        buf_addz(sheet->out, "</title>");
    }
    markup_text(sheet->out, shown);
    buf_addz(sheet->out, cut ? "\xe2\x80\xa6</text>\n" : "</text>\n");
}

void pen_tip_begin(struct sheet *sheet, size_t series, size_t category, struct str more)
{
    const struct chart_series *s = &sheet->chart->series[series];
    buf_addz(sheet->out, "<g");
    if (sheet->bare) {
        buf_addf(sheet->out, " data-m=\"%zu %zu\"", series, category);
    }
    buf_addc(sheet->out, '>');
    if (sheet->lean) {
        return;
    }
    buf_addz(sheet->out, "<title>");
    markup_text(sheet->out, sheet->chart->categories[category].name);
    if (more.len > 0) {
        buf_addz(sheet->out, ", ");
        markup_text(sheet->out, more);
    }
    buf_addz(sheet->out, ": ");
    scale_value(sheet->out, sheet->chart->up.unit,
                s->present[category] ? s->values[category] : (double)NAN);
    buf_addz(sheet->out, "</title>");
}

void pen_tip_end(struct sheet *sheet)
{
    buf_addz(sheet->out, "</g>\n");
}

struct str words_value(struct sheet *sheet, enum unit unit, double value)
{
    buf_clear(&sheet->words);
    scale_value(&sheet->words, unit, value);
    return buf_str(&sheet->words);
}

struct str words_tick(struct sheet *sheet, const struct scale *scale, double value)
{
    buf_clear(&sheet->words);
    scale_label(&sheet->words, scale, value);
    return buf_str(&sheet->words);
}
