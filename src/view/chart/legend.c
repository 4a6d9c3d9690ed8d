/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

enum { MARGIN = 24, SWATCH = 12, DASH = 34, ROW = 20, NAME_MAX_WIDTH = 250 };

static const double BOLD = 1.14; /* how much wider bold letters are */

static double name_width(struct str name)
{
    return fmin(markup_width(name, TEXT_SIZE), NAME_MAX_WIDTH);
}

const char *legend_dashes(size_t target)
{
    static const char *const classes[CHART_TARGETS_MAX] = {
        "c-target", "c-target c-dots", "c-target c-dash-dot", "c-target c-long"};
    return classes[target % CHART_TARGETS_MAX];
}

/* Where the next entry of a legend goes. */
struct place {
    double x, y;
    double right; /* end of a row */
    bool any;
};

/* Makes room for an entry that wide: a new row if this one is full. */
static void place_next(struct place *place, double width)
{
    if (place->any && place->x + width > place->right) {
        place->x = MARGIN;
        place->y += ROW;
    }
    place->any = true;
}

static void name_series(struct sheet *sheet, struct place *place, bool draw)
{
    const struct chart *chart = sheet->chart;
    for (size_t i = 0; i < chart->series_count; i++) {
        const struct chart_series *series = &chart->series[i];
        const double width = SWATCH + 6 + name_width(series->name);
        place_next(place, width);
        if (draw) {
            buf_clear(&sheet->words);
            look_fill(&sheet->words, look_of(i, series->others));
            pen_rect(sheet, (struct box){place->x, place->y + 3, SWATCH, SWATCH}, NULL,
                     sheet->words.ptr);
            pen_text_fit(sheet,
                         (struct spot){place->x + SWATCH + 6, place->y + 13, ANCHOR_START},
                         "c-name", series->name, NAME_MAX_WIDTH);
        }
        place->x += width + 18;
    }
}

/* Whether there is a line of it anywhere. */
static bool is_drawn(const struct chart *chart, size_t target)
{
    double value;
    for (size_t c = 0; c < chart->category_count; c++) {
        if (chart_target_at(chart, target, c, &value)) {
            return true;
        }
    }
    return false;
}

static void name_targets(struct sheet *sheet, struct place *place, bool draw)
{
    const struct chart *chart = sheet->chart;
    for (size_t t = 0; t < chart->target_count; t++) {
        const struct str label = str_of(chart->targets[t].label);
        const double width = DASH + 6 + name_width(label) * BOLD;
        if (!is_drawn(chart, t)) {
            continue;
        }
        place_next(place, width);
        if (draw) {
            pen_line(sheet, place->x, place->y + 9, place->x + DASH, place->y + 9,
                     legend_dashes(t));
            pen_text_fit(sheet, (struct spot){place->x + DASH + 6, place->y + 13, ANCHOR_START},
                         "c-target-name", label, NAME_MAX_WIDTH);
        }
        place->x += width + 18;
    }
}

double legend_head(struct sheet *sheet, const struct drawer *drawer, double y, bool draw)
{
    struct place place = {.x = MARGIN, .y = y, .right = chart_width(sheet->chart) - MARGIN};
    if (drawer->legend && chart_names_series(sheet->chart)) {
        name_series(sheet, &place, draw);
    }
    if (drawer->targets) {
        name_targets(sheet, &place, draw);
    }
    return place.any ? place.y + ROW - y : 0;
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

enum { END_GAP = 24, END_WIDTH_MAX = 180 };

double label_ends_width(const struct chart *chart)
{
    double widest = 0;
    for (size_t i = 0; chart_names_series(chart) && i < chart->series_count; i++) {
        widest = fmax(widest, markup_width(chart->series[i].name, TEXT_SIZE));
    }
    return chart_names_series(chart) ? fmin(widest, END_WIDTH_MAX) + END_GAP + 4 : 8;
}

void label_ends(struct sheet *sheet, struct box plot, const double *heights)
{
    const struct chart *chart = sheet->chart;
    if (!chart_names_series(chart)) {
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
