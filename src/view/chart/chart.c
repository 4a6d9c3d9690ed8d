/* SPDX-License-Identifier: MIT */
#include "view/chart/chart.h"

#include <math.h>
#include <string.h>

#include "base/limit.h"
#include "view/chart/draw.h"
#include "view/chart/markup.h"

const struct chart_form chart_forms[CHART_KINDS] = {
    [CHART_BAR] = {"bar", "one bar per name; lengths are the easiest to compare", 25, 400, 4},
    [CHART_STACKED] = {"stacked", "bars divided into parts: how a total is composed", 25, 400,
                       8},
    [CHART_LINE] = {"line", "values over time", 0, LIMIT_BUCKETS, 8},
    [CHART_AREA] = {"area", "parts of a total over time", 0, LIMIT_BUCKETS, 8},
    [CHART_PIE] = {"pie", "shares of a whole, for a handful of parts", 8, 8, 1},
    [CHART_HISTOGRAM] = {"histogram", "number of rows by value", 100, 0, 1},
    [CHART_BOX] = {"box", "distribution of values: quartiles and extremes", 25, 0,
                   CHART_BOX_SERIES},
    [CHART_SCATTER] = {"scatter", "one measure against another", 20000, LIMIT_BUCKETS, 2},
    [CHART_HEAT] = {"heat", "a colour for each pair of names or for name and time", 40, 400,
                    64},
    [CHART_CALENDAR] = {"calendar", "a colour for each day, a row for each weekday", 0, 7400,
                        1},
};

static const struct drawer *const drawers[CHART_KINDS] = {
    [CHART_BAR] = &bar_drawer,   [CHART_STACKED] = &stacked_drawer,
    [CHART_LINE] = &line_drawer, [CHART_AREA] = &area_drawer,
    [CHART_PIE] = &pie_drawer,   [CHART_HISTOGRAM] = &histogram_drawer,
    [CHART_BOX] = &box_drawer,   [CHART_SCATTER] = &scatter_drawer,
    [CHART_HEAT] = &heat_drawer, [CHART_CALENDAR] = &calendar_drawer,
};

bool chart_find(struct str name, enum chart_kind *out)
{
    for (size_t i = 0; i < CHART_KINDS; i++) {
        if (str_eq(name, str_of(chart_forms[i].name))) {
            *out = (enum chart_kind)i;
            return true;
        }
    }
    return false;
}

const char *chart_kind_name(size_t index)
{
    return index < CHART_KINDS ? chart_forms[index].name : NULL;
}

/* --- the value --- */

void chart_shape(struct chart *chart, size_t categories, size_t series)
{
    chart->category_count = categories;
    chart->series_count = series;
    chart->categories =
        arena_alloc(&chart->arena, (categories + 1) * sizeof(struct chart_category));
    chart->series = arena_alloc(&chart->arena, (series + 1) * sizeof(struct chart_series));
    for (size_t i = 0; i < series; i++) {
        chart->series[i].values = arena_alloc(&chart->arena, (categories + 1) * sizeof(double));
        chart->series[i].present = arena_alloc(&chart->arena, (categories + 1) * sizeof(bool));
    }
}

void chart_set(struct chart *chart, size_t series, size_t category, double value)
{
    if (isfinite(value)) {
        chart->series[series].values[category] = value;
        chart->series[series].present[category] = true;
    }
}

void chart_band(struct chart *chart, size_t series, size_t category, double low, double high)
{
    struct chart_series *s = &chart->series[series];
    const size_t count = chart->category_count + 1;
    if (!s->low) {
        s->low = arena_alloc(&chart->arena, count * sizeof(double));
        s->high = arena_alloc(&chart->arena, count * sizeof(double));
        for (size_t i = 0; i < count; i++) {
            s->low[i] = s->high[i] = (double)NAN;
        }
    }
    if (isfinite(low) && isfinite(high)) {
        s->low[category] = fmin(low, high);
        s->high[category] = fmax(low, high);
    }
}

size_t chart_look_of(const char *measure)
{
    static const struct {
        const char *part;
        size_t look;
    } things[] = {{"gpu", 2},    {"mem", 3}, {"energy", 1}, {"power", 1},  {"co2", 1},
                  {"carbon", 1}, {"io_", 4}, {"read", 4},   {"written", 4}};

    for (size_t i = 0; measure && i < COUNT_OF(things); i++) {
        if (strstr(measure, things[i].part)) {
            return things[i].look;
        }
    }
    return 0;
}

void chart_note(struct chart *chart, const char *format, ...)
{
    if (chart->note_count == CHART_NOTES_MAX) {
        return;
    }
    struct buf text;
    va_list args;
    buf_init(&text, LIMIT_ARGUMENT);
    va_start(args, format);
    buf_addv(&text, format, args);
    va_end(args);
    chart->notes[chart->note_count++] = arena_text(&chart->arena, buf_str(&text));
    buf_release(&text);
}

void chart_release(struct chart *chart)
{
    arena_release(&chart->arena);
    *chart = (struct chart){0};
}

bool chart_names_series(const struct chart *chart)
{
    return chart->series_count > 1 || (chart->series_count == 1 && chart->series_label);
}

bool chart_range(const struct chart *chart, double *least, double *greatest)
{
    bool any = false;
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t c = 0; c < chart->category_count; c++) {
            const struct chart_series *one = &chart->series[s];
            if (one->present[c]) {
                const bool ranges = one->low && isfinite(one->low[c]);
                const double low = ranges ? fmin(one->low[c], one->values[c]) : one->values[c];
                const double high =
                    ranges ? fmax(one->high[c], one->values[c]) : one->values[c];
                *least = any ? fmin(*least, low) : low;
                *greatest = any ? fmax(*greatest, high) : high;
                any = true;
            }
        }
    }
    return any;
}

bool chart_named_range(const struct chart *chart, double *least, double *greatest)
{
    struct chart named = *chart;
    const size_t series = chart->series_count, categories = chart->category_count;
    named.series_count -= series > 1 && chart->series[series - 1].others;
    named.category_count -= categories > 1 && chart->categories[categories - 1].others;
    return chart_range(&named, least, greatest) || chart_range(chart, least, greatest);
}

bool chart_target_at(const struct chart *chart, size_t target, size_t category, double *value)
{
    const struct chart_target *t = &chart->targets[target];
    *value = t->each ? chart->categories[category].targets[target].value : t->value;
    return (!t->each || chart->categories[category].targets[target].has) && isfinite(*value);
}

void chart_earlier(struct chart *chart, const struct chart *earlier, const char *label)
{
    if (chart->target_count == CHART_TARGETS_MAX) {
        return;
    }
    const size_t target = chart->target_count++;
    chart->targets[target] = (struct chart_target){
        .label = arena_text(&chart->arena, str_of(label)), .each = true, .earlier = true};
    for (size_t c = 0; c < chart->category_count && c < earlier->category_count; c++) {
        double sum = 0;
        bool any = false;
        for (size_t s = 0; s < earlier->series_count; s++) {
            any = any || earlier->series[s].present[c];
            sum += earlier->series[s].present[c] ? earlier->series[s].values[c] : 0;
        }
        chart->categories[c].targets[target].value = sum;
        chart->categories[c].targets[target].has = any && !earlier->categories[c].unrecorded;
    }
}

void chart_range_to_targets(const struct chart *chart, double *least, double *greatest)
{
    for (size_t t = 0; t < chart->target_count; t++) {
        for (size_t c = 0; c < chart->category_count; c++) {
            double value;
            if (chart_target_at(chart, t, c, &value)) {
                *least = fmin(*least, value);
                *greatest = fmax(*greatest, value);
            }
        }
    }
}

bool chart_stacked_range(const struct chart *chart, double *least, double *greatest)
{
    bool any = false;
    *least = *greatest = 0;
    for (size_t c = 0; c < chart->category_count; c++) {
        double below = 0, above = 0;
        for (size_t s = 0; s < chart->series_count; s++) {
            if (chart->series[s].present[c]) {
                double value = chart->series[s].values[c];
                *(value < 0 ? &below : &above) += value;
                any = true;
            }
        }
        *least = fmin(*least, below);
        *greatest = fmax(*greatest, above);
    }
    return any;
}

bool chart_has_data(const struct chart *chart)
{
    double least, greatest;
    return chart_range(chart, &least, &greatest);
}

/* --- the sheet --- */

enum {
    MARGIN = 24,
    NOTE_LINE = 15,
    NOTHING_HEIGHT = 160, /* of the body when there is nothing to draw */
};

/* How high the legend is, at `y`; it is drawn if `draw`. */
static double legend_height(struct sheet *sheet, double y, bool draw)
{
    const struct chart *chart = sheet->chart;
    return chart_has_data(chart) ? legend_head(sheet, drawers[chart->kind], y, draw) : 0;
}

static double note_lines(const struct chart *chart)
{
    double lines = 0;
    for (size_t i = 0; i < chart->note_count; i++) {
        struct str rest = str_of(chart->notes[i]);
        while (rest.len > 0) {
            markup_line(&rest, NOTE_SIZE, chart_width(chart) - 2 * MARGIN);
            lines++;
        }
    }
    return lines;
}

/* From the top: title, subtitle, legend. */
static double head_height(struct sheet *sheet)
{
    double y = 16;
    y += sheet->chart->title ? 28 : 0;
    y += sheet->chart->subtitle ? 20 : 0;
    const double legend = legend_height(sheet, 0, false);
    return y + (legend > 0 ? 8 + legend : 0) + 12;
}

static double body_height(const struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    return chart_has_data(chart) ? drawers[chart->kind]->height(sheet) : NOTHING_HEIGHT;
}

static double foot_height(const struct chart *chart)
{
    double lines = note_lines(chart);
    return lines > 0 ? 10 + lines * NOTE_LINE + 10 : 16;
}

double chart_width(const struct chart *chart)
{
    return chart->width > 0 ? chart->width : CHART_WIDTH;
}

double chart_height(const struct chart *chart)
{
    struct sheet sheet = {.chart = chart};
    return ceil(head_height(&sheet) + body_height(&sheet) + foot_height(chart));
}

/* A line of the head, shortened to the width of the sheet. */
static void write_head(struct sheet *sheet, double y, const char *class, double size,
                       const char *text)
{
    bool cut;
    struct str shown =
        markup_fit(str_of(text), size, chart_width(sheet->chart) - 2 * MARGIN, &cut);
    buf_clear(&sheet->words);
    buf_add(&sheet->words, shown);
    buf_addz(&sheet->words, cut ? "\xe2\x80\xa6" : "");
    pen_text(sheet, MARGIN, y, class, ANCHOR_START, buf_str(&sheet->words));
}

static void draw_head(struct sheet *sheet)
{
    const struct chart *chart = sheet->chart;
    double y = 16;
    if (chart->title) {
        pen_rect(sheet, (struct box){MARGIN, 0, 36, 5}, "c-accent", NULL);
        y += 20;
        write_head(sheet, y, "c-title", TITLE_SIZE * 1.14, chart->title); /* it is bold */
        y += 8;
    }
    if (chart->subtitle) {
        y += 14;
        write_head(sheet, y, "c-subtitle", SUBTITLE_SIZE, chart->subtitle);
        y += 6;
    }
    legend_height(sheet, y + 8, true);
}

static void draw_notes(struct sheet *sheet, double y)
{
    for (size_t i = 0; i < sheet->chart->note_count; i++) {
        struct str rest = str_of(sheet->chart->notes[i]);
        while (rest.len > 0) {
            struct str line =
                markup_line(&rest, NOTE_SIZE, chart_width(sheet->chart) - 2 * MARGIN);
            pen_text(sheet, MARGIN, y, "c-note", ANCHOR_START, line);
            y += NOTE_LINE;
        }
    }
}

/* What a screen reader says: the kind, how much there is, from where to where. */
static void add_description(struct buf *out, const struct chart *chart)
{
    double least = 0, greatest = 0;
    buf_addf(out, "<desc>%s chart", chart_forms[chart->kind].name);
    if (chart->up.label) {
        buf_addz(out, " of ");
        markup_text(out, str_of(chart->up.label));
    }
    if (chart_range(chart, &least, &greatest)) {
        buf_addf(out, ", %zu by %zu values from ", chart->category_count, chart->series_count);
        scale_value(out, chart->up.unit, least);
        buf_addz(out, " to ");
        scale_value(out, chart->up.unit, greatest);
    } else {
        buf_addz(out, ", no data");
    }
    buf_addz(out, "</desc>\n");
}

static void open_svg(struct buf *out, const struct chart *chart, double height, bool bare)
{
    const char *title = chart->title      ? chart->title
                        : chart->up.label ? chart->up.label
                                          : "Chart";
    buf_addf(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"stint-chart\" role=\"img\" "
             "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" aria-label=\"",
             chart_width(chart), height, chart_width(chart), height);
    markup_text(out, str_of(title));
    buf_addz(out, "\">\n<title>");
    markup_text(out, str_of(title));
    buf_addz(out, "</title>\n");
    add_description(out, chart);
    bool slices = chart->kind == CHART_PIE;
    if (!bare) {
        look_styles(out, slices ? chart->category_count : chart->series_count);
    }
}

static void draw_svg(struct buf *out, const struct chart *chart, bool bare)
{
    struct sheet sheet = {.out = out, .chart = chart, .bare = bare};
    buf_init(&sheet.words, LIMIT_ARGUMENT);
    double head = head_height(&sheet), body = body_height(&sheet), height = chart_height(chart);
    sheet.body = (struct box){MARGIN, head, chart_width(chart) - 2 * MARGIN, body};
    open_svg(out, chart, height, bare);
    pen_rect(&sheet, (struct box){0, 0, chart_width(chart), height}, "c-sheet", NULL);
    draw_head(&sheet);
    if (chart_has_data(chart)) {
        drawers[chart->kind]->draw(&sheet);
    } else {
        pen_rect(&sheet, sheet.body, NULL, " fill=\"url(#stint-absent)\" rx=\"4\"");
        pen_text(&sheet, chart_width(chart) / 2, head + body / 2 + 5, "c-nothing",
                 ANCHOR_MIDDLE, STR("no data in this period"));
    }
    draw_notes(&sheet, head + body + 10 + NOTE_SIZE);
    buf_addz(out, "</svg>\n");
    buf_release(&sheet.words);
}

void chart_svg(struct buf *out, const struct chart *chart)
{
    draw_svg(out, chart, false);
}

/* --- a part of a page --- */

/* Room beside a plot is a class, a multiple of this: pages have no style attributes. */
enum { ROOM_STEP = 8, ROOMS_LEFT = 32, ROOMS_RIGHT = 16 };

static size_t rooms(double width, size_t most)
{
    const double steps = ceil(width / ROOM_STEP - 0.01);
    return steps < 0 ? 0 : steps > (double)most ? most : (size_t)steps;
}

static void draw_fluid(struct buf *out, const struct chart *chart)
{
    struct buf svg;
    struct sheet sheet = {
        .out = &svg,
        .chart = chart,
        .bare = true,
        .fluid = true,
        .lean = chart->series_count * chart->category_count > MARKS_MANY,
    };
    buf_init(&svg, LIMIT_OUTPUT);
    buf_init(&sheet.words, LIMIT_ARGUMENT);
    const double width = chart_width(chart), height = ceil(body_height(&sheet));
    sheet.body = (struct box){0, 0, width, height};
    sheet.plot = sheet.body;
    drawers[chart->kind]->draw(&sheet);
    legend_page(out, chart);
    buf_addf(out, "<div class=\"c-plot c-l%zu c-r%zu\">", rooms(sheet.plot.x, ROOMS_LEFT),
             rooms(width - sheet.plot.x - sheet.plot.width, ROOMS_RIGHT));
    buf_addf(out,
             "<svg class=\"stint-chart\" role=\"img\" width=\"100%%\" height=\"%.0f\" "
             "aria-label=\"",
             height);
    markup_text(out, str_of(chart->title ? chart->title : chart_forms[chart->kind].name));
    buf_addz(out, "\">\n");
    add_description(out, chart);
    buf_add(out, buf_str(&svg));
    buf_addz(out, "</svg></div>\n");
    buf_release(&sheet.words);
    buf_release(&svg);
}

void chart_page(struct buf *out, const struct chart *chart)
{
    struct chart bare = *chart; /* borrows */
    bare.subtitle = NULL;
    bare.note_count = 0;
    if (drawers[chart->kind]->fluid && chart_has_data(chart)) {
        draw_fluid(out, &bare);
        return;
    }
    bare.title = NULL;
    draw_svg(out, &bare, true);
}

void chart_css(struct buf *out)
{
    look_page_css(out);
    for (int i = 0; i <= ROOMS_LEFT; i++) {
        buf_addf(out, ".c-l%d{padding-left:%dpx}", i, i * ROOM_STEP);
    }
    for (int i = 0; i <= ROOMS_RIGHT; i++) {
        buf_addf(out, ".c-r%d{padding-right:%dpx}", i, i * ROOM_STEP);
    }
    buf_addz(out, "\n.stint-chart>.c-sheet{fill:none}\n");
}

void chart_patterns(struct buf *out)
{
    buf_addz(out, "<svg class=\"patterns stint-chart\" width=\"0\" height=\"0\" "
                  "aria-hidden=\"true\">");
    look_patterns(out, LOOK_COUNT);
    buf_addz(out, "</svg>");
}
