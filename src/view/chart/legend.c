/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

enum { SWATCH_PAGE = 10, DASH_PAGE = 22 }; /* of a page */

enum { MARGIN = 24, SWATCH = 12, DASH = 34, ROW = 20, NAME_MAX_WIDTH = 250 };

static const double BOLD = 1.14; /* how much wider bold letters are */

static double name_width(struct str name)
{
    return fmin(markup_width(name, TEXT_SIZE), NAME_MAX_WIDTH);
}

const char *legend_dashes(const struct chart *chart, size_t target)
{
    static const char *const classes[CHART_TARGETS_MAX] = {
        "c-target", "c-target c-dots", "c-target c-dash-dot", "c-target c-long"};
    return chart->targets[target].earlier ? "c-earlier"
           : chart->targets[target].limit ? "c-limit"
                                          : classes[target % CHART_TARGETS_MAX];
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
            look_fill(&sheet->words, look_series(chart, i), true);
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
                     legend_dashes(chart, t));
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
        look_cell(&sheet->words, low + (1 - low) * i / (STEPS - 1), sheet->bare);
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
    if (!chart_names_series(chart) || sheet->fluid) {
        return; /* on a page all names stand above */
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
        size_t look = look_series(chart, ends[i].series);
        if (fabs(ends[i].y - ends[i].wanted) > 3) {
            pen_line(sheet, right + 2, ends[i].wanted, right + 9, ends[i].y, "c-leader");
        }
        if (chart->kind == CHART_AREA) {
            buf_clear(&sheet->words);
            look_fill(&sheet->words, look, true);
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

/* --- of a page --- */

static void open_entry(struct buf *out, const char *attributes, int width)
{
    buf_addf(out,
             "<li%s><svg class=\"stint-chart\" width=\"%d\" height=\"10\" "
             "aria-hidden=\"true\">",
             attributes, width);
}

static void close_entry(struct buf *out, struct str name)
{
    buf_addz(out, "</svg><span>");
    markup_text(out, name);
    buf_addz(out, "</span></li>\n");
}

static void list_series(struct buf *out, const struct chart *chart)
{
    const bool lines = chart->kind == CHART_LINE;
    for (size_t s = 0; s < chart->series_count; s++) {
        const struct chart_series *series = &chart->series[s];
        const size_t look = look_series(chart, s);
        char attribute[32];
        (void)snprintf(attribute, sizeof attribute, " data-s=\"%zu\"", s);
        open_entry(out, attribute, lines ? DASH_PAGE : SWATCH_PAGE);
        buf_addz(out, lines ? "<path class=\"c-curve\" d=\"M0 5h22\""
                            : "<rect width=\"10\" height=\"10\"");
        if (lines) {
            look_stroke(out, look, chart->series_count > 1);
        } else {
            look_fill(out, look, true);
        }
        buf_addz(out, "/>");
        close_entry(out, series->name);
    }
}

static void list_targets(struct buf *out, const struct chart *chart)
{
    for (size_t t = 0; t < chart->target_count; t++) {
        if (is_drawn(chart, t)) {
            open_entry(out, "", DASH_PAGE);
            buf_addf(out, "<line x1=\"0\" x2=\"22\" y1=\"5\" y2=\"5\" class=\"%s\"/>",
                     legend_dashes(chart, t));
            close_entry(out, str_of(chart->targets[t].label));
        }
    }
}

static bool has_absent(const struct chart *chart)
{
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t c = 0; c < chart->category_count; c++) {
            if (!chart->series[s].present[c]) {
                return true;
            }
        }
    }
    return false;
}

static bool has_unrecorded(const struct chart *chart)
{
    for (size_t c = 0; c < chart->category_count; c++) {
        if (chart->categories[c].unrecorded) {
            return true;
        }
    }
    return false;
}

static bool has_partial(const struct chart *chart)
{
    for (size_t c = 0; c < chart->category_count; c++) {
        if (chart->categories[c].partial) {
            return true;
        }
    }
    return false;
}

/* Whether a bucket has values of some series, and of others none. */
static bool has_missing(const struct chart *chart)
{
    for (size_t c = 0; c < chart->category_count; c++) {
        size_t present = 0;
        for (size_t s = 0; s < chart->series_count; s++) {
            present += chart->series[s].present[c];
        }
        if (present > 0 && present < chart->series_count) {
            return true;
        }
    }
    return false;
}

static void list_hatchings(struct buf *out, const struct chart *chart)
{
    struct buf words;
    buf_init(&words, LIMIT_ARGUMENT);
    if (chart->kind != CHART_HEAT && has_partial(chart)) {
        open_entry(out, "", SWATCH_PAGE);
        buf_addz(out, "<rect width=\"10\" height=\"10\"");
        look_fill(out, LOOK_COUNT, false);
        buf_addz(out, "/>");
        buf_addf(&words, "%s not whole", bucket_name(chart->bucket));
        close_entry(out, buf_str(&words));
    }
    const bool stacked = chart->kind == CHART_STACKED && chart->bucket != BUCKET_NONE;
    if (has_unrecorded(chart) || (chart->kind == CHART_HEAT && has_absent(chart)) ||
        (stacked && has_missing(chart))) {
        open_entry(out, "", SWATCH_PAGE);
        buf_addz(out, "<rect width=\"10\" height=\"10\" fill=\"url(#stint-absent)\"/>");
        close_entry(out, STR("not recorded"));
    }
    buf_release(&words);
}

/* "CPU use: 0 % [colours] 100 %" */
static void list_ramp(struct buf *out, const struct chart *chart)
{
    enum { STEPS = 6, STEP_WIDTH = 16 };

    double least = 0, greatest = 0;
    heat_range(chart, &least, &greatest);
    buf_addz(out, "<li><span>");
    markup_text(out, str_of(chart->up.label));
    buf_addz(out, chart->up.label ? ": " : "");
    scale_value(out, chart->up.unit, least < 0 ? -fmax(-least, greatest) : 0);
    buf_addf(out,
             "</span><svg class=\"stint-chart\" width=\"%d\" height=\"10\" "
             "aria-hidden=\"true\">",
             STEPS * STEP_WIDTH);
    for (int i = 0; i < STEPS; i++) {
        const double low = least < 0 ? -1 : 0;
        buf_addf(out, "<rect x=\"%d\" width=\"%d\" height=\"10\"", i * STEP_WIDTH, STEP_WIDTH);
        look_cell(out, low + (1 - low) * i / (STEPS - 1), true);
        buf_addz(out, "/>");
    }
    buf_addz(out, "</svg><span>");
    scale_value(out, chart->up.unit, least < 0 ? fmax(-least, greatest) : greatest);
    buf_addz(out, "</span></li>\n");
}

void legend_page(struct buf *out, const struct chart *chart)
{
    const bool named = chart->kind == CHART_BAR || chart->kind == CHART_STACKED ||
                       chart->kind == CHART_LINE || chart->kind == CHART_AREA;
    struct buf list;
    buf_init(&list, LIMIT_OUTPUT);
    if (named && chart_names_series(chart)) {
        list_series(&list, chart);
    }
    if (chart->kind == CHART_HEAT) {
        list_ramp(&list, chart);
    } else {
        list_targets(&list, chart);
    }
    list_hatchings(&list, chart);
    if (list.len > 0) {
        buf_addz(out, "<ul class=\"c-legend\">\n");
        buf_add(out, buf_str(&list));
        buf_addz(out, "</ul>\n");
    }
    buf_release(&list);
}
