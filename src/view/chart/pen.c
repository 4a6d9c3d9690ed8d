/* SPDX-License-Identifier: MIT */
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

void pen_rect(struct sheet *sheet, struct box box, const char *class, const char *extra)
{
    struct buf *out = sheet->out;
    buf_addz(out, "<rect");
    add_attribute(out, "x", box.x);
    add_attribute(out, "y", box.y);
    add_attribute(out, "width", box.width > 0 ? box.width : 0);
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
    add_attribute(out, "x1", x1);
    add_attribute(out, "y1", y1);
    add_attribute(out, "x2", x2);
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
    add_attribute(sheet->out, "x", x);
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

void pen_tip_begin(struct sheet *sheet, struct str name, struct str more, double value)
{
    buf_addz(sheet->out, "<g><title>");
    markup_text(sheet->out, name);
    if (more.len > 0) {
        buf_addz(sheet->out, ", ");
        markup_text(sheet->out, more);
    }
    buf_addz(sheet->out, ": ");
    scale_value(sheet->out, sheet->chart->up.unit, value);
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
