/* SPDX-License-Identifier: MIT */

/*
 * Looks: each has a colour, a pattern, a dash and a marker, so that any one of them will do. Colours
 * go from dark to light and back, so that neighbours in a stack differ in grey as well, and can be
 * distinguished by people who see red and green alike.
 */

#include <math.h>

#include "base/attribute.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

enum pattern { PATTERN_NONE, PATTERN_RISING, PATTERN_FALLING, PATTERN_DOTS, PATTERN_LEVEL };

enum marker { MARKER_DISC, MARKER_SQUARE, MARKER_DIAMOND, MARKER_TRIANGLE };

static const struct look {
    const char *colour;
    const char *dark; /* of lines and markers on a dark page */
    const char *dash;
    enum pattern pattern;
    enum marker marker;
} looks[LOOK_COUNT + 1] = {
    {"#1d5f91", "#56a3dc", NULL, PATTERN_NONE, MARKER_DISC},
    {"#f0a63c", "#f0a63c", "7 3", PATTERN_NONE, MARKER_SQUARE},
    {"#197b5e", "#3fb592", NULL, PATTERN_RISING, MARKER_DIAMOND},
    {"#eda4b4", "#eda4b4", "3 3", PATTERN_FALLING, MARKER_TRIANGLE},
    {"#74418f", "#b98ad2", NULL, PATTERN_DOTS, MARKER_SQUARE},
    {"#85c6e6", "#85c6e6", "10 3 2 3", PATTERN_RISING, MARKER_DISC},
    {"#ad3f2b", "#e67d68", NULL, PATTERN_LEVEL, MARKER_TRIANGLE},
    {"#c3c95b", "#c3c95b", "5 2", PATTERN_DOTS, MARKER_DIAMOND},
    {"#9aa4ae", "#9aa4ae", "2 3", PATTERN_NONE, MARKER_DISC},
};

size_t look_of(size_t index, bool others)
{
    return others ? LOOK_COUNT : index % LOOK_COUNT;
}

struct chart_look chart_look(size_t index, bool others)
{
    static const char *const patterns[] = {
        [PATTERN_NONE] = "",     [PATTERN_RISING] = "rising", [PATTERN_FALLING] = "falling",
        [PATTERN_DOTS] = "dots", [PATTERN_LEVEL] = "level",
    };
    const struct look *look = &looks[look_of(index, others)];
    return (struct chart_look){look->colour, look->dark, patterns[look->pattern]};
}

void look_fill(struct buf *out, size_t look)
{
    if (looks[look].pattern == PATTERN_NONE) {
        buf_addf(out, " fill=\"%s\"", looks[look].colour);
    } else {
        buf_addf(out, " fill=\"url(#stint-look-%zu)\"", look);
    }
}

void look_stroke(struct buf *out, size_t look)
{
    buf_addf(out, " stroke=\"%s\"", looks[look].colour);
    if (looks[look].dash) {
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

static const char *pattern_lines(enum pattern pattern)
{
    switch (pattern) {
    case PATTERN_RISING:
        return "<path d=\"M-2 2l4-4M0 8l8-8M6 10l4-4\" class=\"c-hatch\"/>";
    case PATTERN_FALLING:
        return "<path d=\"M-2 6l4 4M0 0l8 8M6-2l4 4\" class=\"c-hatch\"/>";
    case PATTERN_DOTS:
        return "<circle cx=\"2\" cy=\"2\" r=\"1.1\" class=\"c-dot\"/><circle cx=\"6\" cy=\"6\" "
               "r=\"1.1\" class=\"c-dot\"/>";
    case PATTERN_LEVEL:
        return "<path d=\"M0 2h8M0 6h8\" class=\"c-hatch\"/>";
    case PATTERN_NONE:
        break;
    }
    return "";
}

static void add_pattern(struct buf *out, size_t look)
{
    buf_addf(out,
             "<pattern id=\"stint-look-%zu\" width=\"8\" height=\"8\" "
             "patternUnits=\"userSpaceOnUse\"><rect width=\"8\" height=\"8\" fill=\"%s\"/>%s"
             "</pattern>\n",
             look, looks[look].colour, pattern_lines(looks[look].pattern));
}

void look_css(struct buf *out)
{
    buf_addz(
        out,
        ".stint-chart{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,'Liberation "
        "Sans','DejaVu Sans',sans-serif;font-size:12px}"
        ".c-sheet{fill:#fff}.c-accent{fill:#1d5f91}"
        ".c-title{font-size:18px;font-weight:700;fill:#1b2026}"
        ".c-subtitle{font-size:13px;fill:#55606c}"
        ".c-label{fill:#55606c;font-weight:600}.c-tick{fill:#55606c}.c-name{fill:#252b33}"
        ".c-value{fill:#252b33;stroke:#fff;stroke-width:6px;stroke-linejoin:round;paint-order:"
        "stroke}.c-inside{fill:#fff}.c-on-light{fill:#252b33}.c-note{font-size:"
        "11px;fill:#6b7580}"
        ".c-nothing{font-size:15px;fill:#6b7580}.c-total{font-size:20px;font-weight:700;"
        "fill:#1b2026}"
        ".c-grid{stroke:#dde2e8}.c-base{stroke:#55606c}.c-leader{stroke:#aab3bc}"
        ".c-curve{fill:none;stroke-width:2.2;stroke-linejoin:round}"
        ".c-part{fill:none;stroke-width:2.2;stroke-dasharray:2 4;stroke-linecap:round}"
        ".c-hollow{fill:#fff;stroke-width:1.6}.c-piece{stroke:#fff}"
        ".c-partial{opacity:.5}.c-unfinished{fill:none;stroke:#55606c;stroke-dasharray:3 2}"
        ".c-target{stroke:#b3261e;stroke-width:1.5;stroke-dasharray:6 3}"
        ".c-dots{stroke-dasharray:2 2}.c-dash-dot{stroke-dasharray:10 3 2 3}"
        ".c-long{stroke-dasharray:16 5}.c-target-name{fill:#b3261e;font-weight:600}"
        ".c-hatch{fill:none;stroke:#fff;stroke-opacity:.55;stroke-width:1.3}"
        ".c-dot{fill:#fff;fill-opacity:.6}.c-box{fill:#9cc3de;stroke:#1d5f91}"
        ".c-break{stroke:#fff;stroke-width:3}.c-median{stroke:#123f61;stroke-width:3}.c-"
        "whisker{stroke:#1d5f91;stroke-width:1.5}"
        ".c-point{fill:#1d5f91;fill-opacity:.55;stroke:#fff;stroke-width:.7}"
        ".c-month{fill:none;stroke:#55606c;stroke-width:1.2}");
}

static void add_absent(struct buf *out)
{
    buf_addz(
        out,
        "<pattern id=\"stint-absent\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
        "<rect width=\"6\" height=\"6\" fill=\"#f4f5f6\"/><path d=\"M-1 1l2-2M0 6l6-6M5 "
        "7l2-2\" "
        "stroke=\"#c3c9d0\" fill=\"none\"/></pattern>\n");
}

void look_patterns(struct buf *out, size_t count)
{
    buf_addz(out, "<defs>\n");
    add_absent(out);
    for (size_t i = 0; i < count && i < LOOK_COUNT; i++) {
        if (looks[i].pattern != PATTERN_NONE) {
            add_pattern(out, i);
        }
    }
    buf_addz(out, "</defs>\n");
}

/* What all charts have in common on a dark page; lines and markers follow from the looks. */
static const char dark[] =
    ".stint-chart .c-sheet{fill:#14171b}.stint-chart .c-title,.stint-chart "
    ".c-total{fill:#f0f3f5}"
    ".stint-chart .c-subtitle,.stint-chart .c-label,.stint-chart .c-tick{fill:#a3adb8}"
    ".stint-chart .c-name,.stint-chart .c-value{fill:#dfe4e8}"
    ".stint-chart .c-value{stroke:#14171b}"
    ".stint-chart .c-note,.stint-chart .c-nothing{fill:#8d98a3}"
    ".stint-chart .c-grid{stroke:#2c333b}.stint-chart .c-base{stroke:#8d98a3}"
    ".stint-chart .c-piece{stroke:#14171b}.stint-chart .c-hollow{fill:#14171b}"
    ".stint-chart .c-month{stroke:#a3adb8}.stint-chart .c-target{stroke:#ff8a80}"
    ".stint-chart .c-target-name{fill:#ff8a80}.stint-chart .c-whisker{stroke:#7fb5d6}"
    ".stint-chart .c-break{stroke:#14171b}.stint-chart .c-unfinished{stroke:#8d98a3}";

void look_styles(struct buf *out, size_t count)
{
    buf_addz(out, "<style>");
    look_css(out);
    buf_addz(out, "</style>\n");
    look_patterns(out, count);
}

void look_dark_styles(struct buf *out)
{
    buf_addz(out, dark);
    for (size_t i = 0; i < COUNT_OF(looks); i++) {
        buf_addf(out,
                 ".stint-chart path[stroke='%s']{stroke:%s}"
                 ".stint-chart .c-marker[fill='%s']{fill:%s}",
                 looks[i].colour, looks[i].dark, looks[i].colour, looks[i].dark);
    }
}

/* From light to dark, in even steps of lightness. */
static const int ramp_up[][3] = {{238, 244, 249}, {190, 216, 234}, {131, 184, 216},
                                 {65, 140, 190},  {22, 92, 143},   {8, 44, 78}};
static const int ramp_down[][3] = {{238, 244, 249}, {247, 205, 186}, {236, 152, 121},
                                   {207, 94, 66},   {153, 48, 30},   {92, 18, 10}};

void look_ramp(struct buf *out, double share)
{
    const int(*ramp)[3] = share < 0 ? ramp_down : ramp_up;
    double at = fmin(1, isfinite(share) ? fabs(share) : 0) * 5;
    int low = (int)at < 4 ? (int)at : 4;
    double part = at - low;
    int colour[3];
    for (int i = 0; i < 3; i++) {
        colour[i] = (int)lround(ramp[low][i] + part * (ramp[low + 1][i] - ramp[low][i]));
    }
    buf_addf(out, "#%02x%02x%02x", (unsigned)colour[0], (unsigned)colour[1],
             (unsigned)colour[2]);
}
