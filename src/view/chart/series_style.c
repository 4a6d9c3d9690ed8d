/* SPDX-License-Identifier: MIT */

/*
 * Looks: the one palette of pages, SVG, PNG and PDF. A series has a colour, on paper a texture,
 * and as a line a dash and a marker. Hatching in the colour of a series means that it is not
 * settled, grey hatching that nothing is recorded; neither is ever used to tell series apart on
 * a screen.
 */

#include <math.h>
#include <stdlib.h>

#include "base/attribute.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

enum texture {
    TEXTURE_NONE,
    TEXTURE_RISING,
    TEXTURE_FALLING,
    TEXTURE_DOTS,
    TEXTURE_LEVEL,
    TEXTURE_GRID
};

enum marker { MARKER_DISC, MARKER_SQUARE, MARKER_DIAMOND, MARKER_TRIANGLE };

/*
 * In the order in which series take them. `token` is the name of the colour in the style sheet
 * of the pages.
 */
static const struct look {
    const char *token;
    const char *colour, *dark; /* on a light and on a dark page */
    const char *dash;
    enum texture texture;
    enum marker marker;
} looks[LOOK_COUNT + 1] = {
    {"c1", "#1560ac", "#3a90dd", NULL, TEXTURE_NONE, MARKER_DISC},
    {"c2", "#c4820c", "#e4ad52", "7 3", TEXTURE_FALLING, MARKER_SQUARE},
    {"c3", "#14835b", "#2fbd8c", NULL, TEXTURE_RISING, MARKER_DIAMOND},
    {"c4", "#7a3565", "#db7db3", "3 3", TEXTURE_DOTS, MARKER_TRIANGLE},
    {"c7", "#35276e", "#6d58dd", NULL, TEXTURE_NONE, MARKER_SQUARE},
    {"c5", "#3f9ad7", "#94cef2", "10 3 2 3", TEXTURE_LEVEL, MARKER_DISC},
    {"c6", "#ab361c", "#de6c57", NULL, TEXTURE_GRID, MARKER_TRIANGLE},
    {"c8", "#d992b4", "#f3bcd3", "5 2", TEXTURE_DOTS, MARKER_DIAMOND},
    {"c0", "#87929d", "#666f78", "2 3", TEXTURE_NONE, MARKER_DISC},
};

size_t look_of(size_t index, bool others)
{
    return others ? LOOK_COUNT : index % LOOK_COUNT;
}

size_t look_series(const struct chart *chart, size_t series)
{
    return chart->series_count == 1 ? chart->look
                                    : look_of(series, chart->series[series].others);
}

void look_colour(struct buf *out, const char *name, size_t look)
{
    buf_addf(out, " %s=\"%s\"", name, looks[look].colour);
}

void look_fill(struct buf *out, size_t look, bool settled)
{
    if (settled) {
        buf_addf(out, " fill=\"%s\"", looks[look].colour);
    } else {
        buf_addf(out, " fill=\"url(#stint-part-%zu)\"", look);
    }
}

void look_stroke(struct buf *out, size_t look, bool dashed)
{
    buf_addf(out, " stroke=\"%s\"", looks[look].colour);
    if (dashed && looks[look].dash) {
        buf_addf(out, " stroke-dasharray=\"%s\"", looks[look].dash);
    }
}

static void add_point(struct buf *out, char command, double x, double y)
{
    buf_addc(out, command);
    markup_number(out, x);
    buf_addc(out, ' ');
    markup_number(out, y);
}

void look_marker(struct sheet *sheet, size_t look, double x, double y, bool hollow)
{
    struct buf *out = sheet->out;
    const double r = 3.5;
    if (sheet->fluid) { /* a place in percent has no path */
        buf_addz(out, "<circle r=\"3\" cx=\"");
        markup_number(out, (x - sheet->plot.x) / sheet->plot.width * 100);
        buf_addz(out, "%\" cy=\"");
        markup_number(out, y);
        buf_addf(out,
                 hollow ? "\" class=\"c-hollow\" stroke=\"%s\"/>\n"
                        : "\" class=\"c-marker\" fill=\"%s\"/>\n",
                 looks[look].colour);
        return;
    }
    buf_addz(out, "<path d=\"");
    switch (looks[look].marker) {
    case MARKER_DISC:
        add_point(out, 'M', x - r, y);
        buf_addz(out, "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0Z");
        break;
    case MARKER_SQUARE:
        add_point(out, 'M', x - 3, y - 3);
        buf_addz(out, "h6v6h-6Z");
        break;
    case MARKER_DIAMOND:
        add_point(out, 'M', x - 4.5, y);
        buf_addz(out, "l4.5-4.5l4.5 4.5l-4.5 4.5Z");
        break;
    case MARKER_TRIANGLE:
        add_point(out, 'M', x - 4, y + 3);
        buf_addz(out, "l4-7l4 7Z");
        break;
    }
    buf_addf(out,
             hollow ? "\" class=\"c-hollow\" stroke=\"%s\"/>\n"
                    : "\" class=\"c-marker\" fill=\"%s\"/>\n",
             looks[look].colour);
}

static const char *texture_lines(enum texture texture)
{
    switch (texture) {
    case TEXTURE_RISING:
        return "<path d=\"M-2 2l4-4M0 8l8-8M6 10l4-4\" class=\"c-hatch\"/>";
    case TEXTURE_FALLING:
        return "<path d=\"M-2 6l4 4M0 0l8 8M6-2l4 4\" class=\"c-hatch\"/>";
    case TEXTURE_DOTS:
        return "<circle cx=\"2\" cy=\"2\" r=\"1.1\" class=\"c-dot\"/><circle cx=\"6\" cy=\"6\" "
               "r=\"1.1\" class=\"c-dot\"/>";
    case TEXTURE_LEVEL:
        return "<path d=\"M0 2h8M0 6h8\" class=\"c-hatch\"/>";
    case TEXTURE_GRID:
        return "<path d=\"M0 4h8M4 0v8\" class=\"c-hatch\"/>";
    case TEXTURE_NONE:
        break;
    }
    return "";
}

/* For paper. */
static void add_texture(struct buf *out, size_t look)
{
    buf_addf(out,
             "<pattern id=\"stint-look-%zu\" width=\"8\" height=\"8\" "
             "patternUnits=\"userSpaceOnUse\"><rect width=\"8\" height=\"8\" fill=\"%s\"/>%s"
             "</pattern>\n",
             look, looks[look].colour, texture_lines(looks[look].texture));
}

/* Of what is not over: the colour as a hatching. */
static void add_part(struct buf *out, size_t look)
{
    buf_addf(out,
             "<pattern id=\"stint-part-%zu\" width=\"5\" height=\"5\" "
             "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
             "<rect width=\"5\" height=\"5\" fill=\"%s\" fill-opacity=\".22\"/>"
             "<rect width=\"1.8\" height=\"5\" fill=\"%s\"/></pattern>\n",
             look, looks[look].colour, looks[look].colour);
}

static void add_absent(struct buf *out)
{
    buf_addz(
        out,
        "<pattern id=\"stint-veil\" width=\"5\" height=\"5\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
        "<rect width=\"3.2\" height=\"5\" class=\"c-sheet\" fill-opacity=\".78\"/></pattern>\n"
        "<pattern id=\"stint-absent\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
        "<rect width=\"1.2\" height=\"6\" fill=\"#b9c1ca\"/></pattern>\n");
}

static void add_rules(struct buf *out)
{
    buf_addz(
        out,
        ".stint-chart{font-family:Inter,'Adwaita Sans',-apple-system,'Segoe UI Variable "
        "Text','Segoe UI',"
        "Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif;font-size:12px}"
        ".c-sheet{fill:#fff}.c-accent{fill:#14181d}"
        ".c-title{font-size:18px;font-weight:600;fill:#14181d}"
        ".c-subtitle{font-size:13px;fill:#46505b}"
        ".c-label{fill:#46505b;font-weight:500}.c-tick{fill:#626d79}.c-name{fill:#14181d}"
        ".c-value{fill:#14181d;stroke:#fff;stroke-width:4px;stroke-linejoin:round;paint-order:"
        "stroke}.c-inside{fill:#fff}.c-on-light{fill:#14181d}.c-note{font-size:"
        "11px;fill:#626d79}"
        ".c-nothing{font-size:14px;fill:#626d79}.c-total{font-size:20px;font-weight:600;"
        "fill:#14181d}"
        ".c-grid{stroke:#e4e7eb}.c-base{stroke:#626d79}.c-leader{stroke:#c5ccd4}"
        ".c-curve{fill:none;stroke-width:1.75;stroke-linejoin:round}"
        ".c-part{fill:none;stroke-width:1.75;stroke-dasharray:2 4;stroke-linecap:round}"
        ".c-band{stroke:none;fill-opacity:.16}.c-hollow{fill:#fff;stroke-width:1.6}.c-piece{"
        "stroke:#fff}"
        ".c-target{stroke:#14181d;stroke-width:1.25;stroke-dasharray:5 3}"
        ".c-limit{stroke:#14181d;stroke-width:1.25}.c-earlier{stroke:#14181d;stroke-width:2}"
        ".c-halo{stroke:#fff;stroke-width:5}"
        ".c-dots{stroke-dasharray:2 2}.c-dash-dot{stroke-dasharray:10 3 2 3}"
        ".c-long{stroke-dasharray:16 5}.c-target-name{fill:#14181d;font-weight:500}"
        ".c-hatch{fill:none;stroke:#fff;stroke-opacity:.55;stroke-width:1.3}"
        ".c-dot{fill:#fff;fill-opacity:.6}.c-box{fill:#8db8dd;stroke:#1560ac}"
        ".c-break{stroke:#fff;stroke-width:3}.c-median{stroke:#14181d;stroke-width:3}.c-"
        "whisker{stroke:#1560ac;stroke-width:1.5}"
        ".c-point{fill:#1560ac;fill-opacity:.55;stroke:#fff;stroke-width:.7}"
        ".c-month{fill:none;stroke:#626d79;stroke-width:1.2}");
    buf_addz(out, "\n@media print{");
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        if (looks[i].texture != TEXTURE_NONE) {
            buf_addf(out,
                     ".stint-chart :not(pattern)>rect[fill='%s']{fill:url(#stint-look-%zu)}",
                     looks[i].colour, i);
        }
    }
    buf_addz(out, "}");
}

void look_patterns(struct buf *out, size_t count)
{
    buf_addz(out, "<defs>\n");
    add_absent(out);
    for (size_t i = 0; i <= LOOK_COUNT; i++) {
        if (i < count && looks[i].texture != TEXTURE_NONE) {
            add_texture(out, i);
        }
        if (i < count || i == LOOK_COUNT) {
            add_part(out, i);
        }
    }
    buf_addz(out, "</defs>\n");
}

/* What all charts have in common on a dark page; series follow from the looks. */
static const char dark[] =
    ".stint-chart .c-sheet{fill:#111418}.stint-chart .c-title,.stint-chart .c-total,"
    ".stint-chart .c-name,.stint-chart .c-value,.stint-chart .c-target-name{fill:#e9ecf0}"
    ".stint-chart .c-accent{fill:#cfd5dc}.stint-chart .c-subtitle,.stint-chart "
    ".c-label{fill:#b1bac4}"
    ".stint-chart .c-tick,.stint-chart .c-note,.stint-chart .c-nothing{fill:#909aa6}"
    ".stint-chart .c-value{stroke:#111418}"
    ".stint-chart .c-grid{stroke:#262c33}.stint-chart .c-base{stroke:#909aa6}"
    ".stint-chart .c-leader{stroke:#414a55}"
    ".stint-chart .c-piece{stroke:#111418}.stint-chart .c-hollow{fill:#111418}"
    ".stint-chart .c-month{stroke:#909aa6}.stint-chart .c-target,.stint-chart .c-limit,"
    ".stint-chart .c-earlier,.stint-chart .c-median{stroke:#e9ecf0}.stint-chart "
    ".c-halo{stroke:#111418}"
    ".stint-chart .c-whisker{stroke:#3a90dd}.stint-chart .c-box{fill:#1d4c78;stroke:#3a90dd}"
    ".stint-chart .c-point{fill:#3a90dd;stroke:#111418}"
    ".stint-chart .c-break{stroke:#111418}.stint-chart [fill='#b9c1ca']{fill:#4b545f}";

void look_styles(struct buf *out, size_t count)
{
    buf_addz(out, "<style>");
    add_rules(out);
    buf_addz(out, "</style>\n");
    look_patterns(out, count);
}

void look_dark_styles(struct buf *out)
{
    buf_addz(out, dark);
    for (size_t i = 0; i < COUNT_OF(looks); i++) {
        buf_addf(out,
                 ".stint-chart [stroke='%s']{stroke:%s}"
                 ".stint-chart [fill='%s']{fill:%s}",
                 looks[i].colour, looks[i].dark, looks[i].colour, looks[i].dark);
    }
}

/* --- heat --- */

enum { RAMP_STOPS = 6 };

/*
 * From the least to the greatest, in even steps of lightness: those above zero and those below,
 * on a light and a dark page.
 */
static const unsigned char ramps[2][2][RAMP_STOPS][3] = {
    {{{238, 242, 246},
      {201, 220, 238},
      {141, 184, 221},
      {75, 140, 196},
      {31, 108, 176},
      {13, 68, 122}},
     {{238, 242, 246},
      {247, 205, 186},
      {236, 152, 121},
      {207, 94, 66},
      {153, 48, 30},
      {92, 18, 10}}},
    {{{27, 33, 40},
      {23, 50, 75},
      {29, 76, 120},
      {47, 114, 174},
      {85, 159, 221},
      {165, 210, 248}},
     {{27, 33, 40},
      {74, 34, 27},
      {125, 52, 35},
      {180, 82, 59},
      {221, 127, 99},
      {248, 191, 165}}},
};

static void add_heat(struct buf *out, double share, bool on_dark)
{
    const unsigned char(*ramp)[3] = ramps[on_dark][share < 0];
    double at = fmin(1, isfinite(share) ? fabs(share) : 0) * (RAMP_STOPS - 1);
    int low = (int)at < RAMP_STOPS - 2 ? (int)at : RAMP_STOPS - 2;
    double part = at - low;
    buf_addc(out, '#');
    for (int i = 0; i < 3; i++) {
        buf_addf(out, "%02x",
                 (unsigned)lround(ramp[low][i] + part * (ramp[low + 1][i] - ramp[low][i])));
    }
}

void look_cell(struct buf *out, double share, bool on_page)
{
    if (!on_page) {
        buf_addz(out, " fill=\"");
        add_heat(out, share, false);
        buf_addc(out, '"');
        return;
    }
    const long shade = lround(share * LOOK_SHADES);
    buf_addf(out, " class=\"c-heat%s%ld\"", shade < 0 ? "-below-" : "-", labs(shade));
}

static void add_tokens(struct buf *out, bool on_dark)
{
    buf_addz(out, ":root{");
    for (size_t i = 0; i < COUNT_OF(looks); i++) {
        buf_addf(out, "--%s:%s;", looks[i].token, on_dark ? looks[i].dark : looks[i].colour);
    }
    for (int i = 0; i < RAMP_STOPS; i++) {
        buf_addf(out, "--heat%d:", i);
        add_heat(out, (double)i / (RAMP_STOPS - 1), on_dark);
        buf_addc(out, ';');
    }
    buf_addc(out, '}');
}

static void add_shades(struct buf *out, bool on_dark)
{
    for (int i = -LOOK_SHADES; i <= LOOK_SHADES; i++) {
        buf_addf(out, ".c-heat%s%d{fill:", i < 0 ? "-below-" : "-", abs(i));
        add_heat(out, (double)i / LOOK_SHADES, on_dark);
        buf_addc(out, '}');
    }
}

void look_page_css(struct buf *out)
{
    add_tokens(out, false);
    add_rules(out);
    add_shades(out, false);
    buf_addz(out, "\n@media screen and (prefers-color-scheme:dark){");
    add_tokens(out, true);
    look_dark_styles(out);
    add_shades(out, true);
    buf_addz(out, "}\n");
}
