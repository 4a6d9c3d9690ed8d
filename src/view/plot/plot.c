/* SPDX-License-Identifier: MIT */
#include "view/plot/plot.h"

#include "base/limit.h"
#include "view/plot/term_canvas.h"
#include "view/text/cell_text.h"

static void (*const plots[CHART_KINDS])(struct sketch *sketch) = {
    [CHART_BAR] = plot_bars,   [CHART_STACKED] = plot_bars,
    [CHART_LINE] = plot_lines, [CHART_AREA] = plot_lines,
    [CHART_PIE] = plot_bars,   [CHART_HISTOGRAM] = plot_bars,
    [CHART_BOX] = plot_boxes,  [CHART_SCATTER] = plot_points,
    [CHART_HEAT] = plot_heat,  [CHART_CALENDAR] = plot_calendar,
};

/* A paragraph, broken into lines. */
static void add_lines(struct sketch *sketch, const char *text, const char *look)
{
    struct buf shown;
    buf_init(&shown, LIMIT_RECORD);
    cell_text_text(&shown, str_of(text), sketch->style.ascii);
    for (struct str rest = buf_str(&shown); rest.len > 0;) {
        struct str line = cell_text_line(&rest, sketch->style.width);
        buf_addz(sketch->out, sketch->style.colour ? look : "");
        buf_add(sketch->out, line);
        buf_addz(sketch->out, sketch->style.colour ? "\x1b[0m\n" : "\n");
    }
    buf_release(&shown);
}

void plot_draw(struct buf *out, const struct chart *chart, const struct plot_style *style)
{
    struct sketch sketch = {.out = out, .chart = chart, .style = *style};
    size_t *width = &sketch.style.width;
    *width = *width == 0 ? PLOT_WIDTH : *width;
    *width = *width < PLOT_WIDTH_MIN ? PLOT_WIDTH_MIN : *width;
    *width = *width > PLOT_WIDTH_MAX ? PLOT_WIDTH_MAX : *width;
    buf_init(&sketch.words, LIMIT_RECORD);
    if (chart->title) {
        add_lines(&sketch, chart->title, "\x1b[1m");
    }
    if (chart->subtitle) {
        add_lines(&sketch, chart->subtitle, "\x1b[2m");
    }
    buf_addc(out, '\n');
    if (chart_has_data(chart)) {
        plots[chart->kind](&sketch);
    } else {
        buf_addz(out, "no data in this period\n");
    }
    for (size_t i = 0; i < chart->note_count; i++) {
        buf_addz(out, i == 0 ? "\n" : "");
        add_lines(&sketch, chart->notes[i], "\x1b[2m");
    }
    buf_release(&sketch.words);
}
