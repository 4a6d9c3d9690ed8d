/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

enum { MARGIN = 24, SWATCH = 12, ROW = 20, NAME_MAX_WIDTH = 200 };

static double name_width(struct str name)
{
    return fmin(markup_width(name, TEXT_SIZE), NAME_MAX_WIDTH);
}

double legend_series(struct sheet *sheet, double y, bool draw)
{
    const struct chart *chart = sheet->chart;
    double x = MARGIN, top = y;
    for (size_t i = 0; i < chart->series_count; i++) {
        const struct chart_series *series = &chart->series[i];
        double width = SWATCH + 6 + name_width(series->name);
        if (x + width > CHART_WIDTH - MARGIN && x > MARGIN) {
            x = MARGIN;
            y += ROW;
        }
        if (draw) {
            buf_clear(&sheet->words);
            look_fill(&sheet->words, look_of(i, series->others));
            pen_rect(sheet, (struct box){x, y + 3, SWATCH, SWATCH}, NULL, sheet->words.ptr);
            pen_text_fit(sheet, (struct spot){x + SWATCH + 6, y + 13, ANCHOR_START}, "c-name",
                         series->name, NAME_MAX_WIDTH);
        }
        x += width + 18;
    }
    return y + ROW - top;
}

void legend_ramp(struct sheet *sheet, double right, double y, double least, double greatest)
{
    enum { STEPS = 30, STEP_WIDTH = 5, HEIGHT = 10 };

    struct str text = words_value(sheet, sheet->chart->up.unit, greatest);
    double x = right - markup_width(text, TEXT_SIZE);
    pen_text(sheet, right, y + 9, "c-tick", ANCHOR_END, text);
    x -= 6 + STEPS * STEP_WIDTH;
    double low = least < 0 ? -1 : 0;
    for (int i = 0; i < STEPS; i++) {
        buf_clear(&sheet->words);
        buf_addz(&sheet->words, " fill=\"");
        look_ramp(&sheet->words, low + (1 - low) * i / (STEPS - 1));
        buf_addc(&sheet->words, '"');
        pen_rect(sheet, (struct box){x + i * STEP_WIDTH, y, STEP_WIDTH + 0.5, HEIGHT}, NULL,
                 sheet->words.ptr);
    }
    double shown = least < 0 ? -fmax(-least, greatest) : 0;
    pen_text(sheet, x - 6, y + 9, "c-tick", ANCHOR_END,
             words_value(sheet, sheet->chart->up.unit, shown));
}

struct end {
    double wanted, y;
    size_t series;
};

static int by_height(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return x->wanted < y->wanted   ? -1
           : x->wanted > y->wanted ? 1
                                   : (x->series > y->series) - (x->series < y->series);
}

/* Pushes them down until none overlaps, and then all up that would leave the plot. */
static void spread(struct end *ends, size_t count, double bottom)
{
    enum { LINE = 15 };

    for (size_t i = 0; i < count; i++) {
        ends[i].y = i > 0 ? fmax(ends[i].wanted, ends[i - 1].y + LINE) : ends[i].wanted;
    }
    for (size_t i = count; i-- > 0;) {
        double limit = i + 1 < count ? ends[i + 1].y - LINE : bottom;
        ends[i].y = fmin(ends[i].y, limit);
    }
}

enum { END_GAP = 24, END_WIDTH_MAX = 150 };

double label_ends_width(const struct chart *chart)
{
    double widest = 0;
    for (size_t i = 0; chart->series_count > 1 && i < chart->series_count; i++) {
        widest = fmax(widest, markup_width(chart->series[i].name, TEXT_SIZE));
    }
    return chart->series_count > 1 ? fmin(widest, END_WIDTH_MAX) + END_GAP + 4 : 8;
}

void label_ends(struct sheet *sheet, struct box plot, const double *heights)
{
    const struct chart *chart = sheet->chart;
    if (chart->series_count < 2) {
        return;
    }
    struct end *ends = mem_alloc(chart->series_count, sizeof *ends);
    size_t count = 0;
    for (size_t i = 0; i < chart->series_count; i++) {
        if (isfinite(heights[i])) {
            ends[count++] = (struct end){heights[i], heights[i], i};
        }
    }
    qsort(ends, count, sizeof *ends, by_height);
    spread(ends, count, plot.y + plot.height);
    double right = plot.x + plot.width;
    for (size_t i = 0; i < count; i++) {
        const struct chart_series *series = &chart->series[ends[i].series];
        size_t look = look_of(ends[i].series, series->others);
        if (fabs(ends[i].y - ends[i].wanted) > 3) {
            pen_line(sheet, right + 2, ends[i].wanted, right + 9, ends[i].y, "c-leader");
        }
        if (chart->kind == CHART_AREA) {
            buf_clear(&sheet->words);
            look_fill(&sheet->words, look);
            pen_rect(sheet, (struct box){right + 9, ends[i].y - 5, 10, 10}, NULL,
                     sheet->words.ptr);
        } else {
            look_marker(sheet, look, right + 14, ends[i].y, false);
        }
        pen_text_fit(sheet, (struct spot){right + END_GAP, ends[i].y + 4, ANCHOR_START},
                     "c-name", series->name, END_WIDTH_MAX);
    }
    free(ends);
}
