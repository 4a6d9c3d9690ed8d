/* SPDX-License-Identifier: MIT */

/*
 * Every kind of chart with everything that is hard to draw: the SVG is well-formed, the same each
 * time, has no number that is none, and nothing in it lies outside of its sheet.
 */
#include "view/chart/chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "support/expect.h"
#include "support/xml.h"
#include "unit/view/charts.h"
#include "view/chart/chart_page.h"
#include "view/chart/top_n.h"

static void expect_well_formed(const struct buf *out, const char *what)
{
    size_t at = 0;
    const char *wrong = xml_complaint(out->ptr, out->len, &at);
    if (wrong) {
        expect_fail("%s: %s at byte %zu: %.80s", what, wrong, at, out->ptr + at);
    }
}

/* Attributes that are places, with the most they may be. */
static void expect_within(const struct chart *chart, const struct buf *out, const char *what)
{
    static const struct {
        const char *name;
        bool down;
    } places[] = {{" x=\"", false}, {" y=\"", true},  {" x1=\"", false}, {" x2=\"", false},
                  {" y1=\"", true}, {" y2=\"", true}, {" cx=\"", false}, {" cy=\"", true}};

    for (size_t i = 0; i < COUNT_OF(places); i++) {
        double most = places[i].down ? chart_height(chart) : CHART_WIDTH;
        size_t len = strlen(places[i].name);
        const char *end = out->ptr + out->len;
        for (const char *p = out->ptr;
             (p = memmem(p, (size_t)(end - p), places[i].name, len)) != NULL; p++) {
            char number[16] = {0};
            memcpy(number, p + len,
                   sizeof number - 1); /* a string of its own: strtod reads to its end */
            double value = strtod(number, NULL);
            if (value < -1 || value > most + 1) {
                expect_fail("%s: %.40s lies outside of 0..%.0f", what, p, most);
            }
        }
    }
}

static void draw(const struct chart *chart, struct buf *out)
{
    buf_init(out, 64 << 20);
    chart_svg(out, chart);
    expect_false(out->overflow);
}

static void kinds_draw_everything(void **state)
{
    (void)state;
    for (int kind = 0; kind < CHART_KINDS; kind++) {
        for (int filling = 0; filling < FILLINGS; filling++) {
            struct chart chart;
            struct buf first, second;
            char what[64];
            (void)snprintf(what, sizeof what, "%s, filling %d", chart_forms[kind].name,
                           filling);
            chart_of(&chart, (enum chart_kind)kind, (enum chart_filling)filling);
            draw(&chart, &first);
            draw(&chart, &second);
            expect_well_formed(&first, what);
            expect_within(&chart, &first, what);
            expect_text(first.ptr, second.ptr);
            expect_contains(first.ptr, "role=\"img\"");
            expect_contains(first.ptr, "<title>A title &amp; more</title>");
            expect_contains(first.ptr, "<desc>");
            expect_true(strstr(first.ptr, "nan") == NULL && strstr(first.ptr, "inf") == NULL);
            expect_true(strstr(first.ptr, "<script") == NULL);
            expect_true(strstr(first.ptr, "\" onload") == NULL);
            buf_release(&first);
            buf_release(&second);
            chart_release(&chart);
        }
    }
}

static void without_values_there_is_a_sentence(void **state)
{
    (void)state;

    static const enum chart_filling fillings[] = {FILL_NOTHING, FILL_ABSENT};

    for (int kind = 0; kind < CHART_KINDS; kind++) {
        for (size_t i = 0; i < COUNT_OF(fillings); i++) {
            struct chart chart;
            struct buf out;
            chart_of(&chart, (enum chart_kind)kind, fillings[i]);
            expect_false(chart_has_data(&chart));
            draw(&chart, &out);
            expect_contains(out.ptr, "no data in this period");
            buf_release(&out);
            chart_release(&chart);
        }
    }
}

static size_t count(const char *text, const char *what)
{
    size_t found = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++) {
        found++;
    }
    return found;
}

/* Twelve days, the fifth unknown. */
static void gap_chart(struct chart *chart, enum chart_kind kind)
{
    *chart = (struct chart){.kind = kind, .bucket = BUCKET_DAY, .up = {"x", UNIT_COUNT}};
    chart_shape(chart, 12, 1);
    for (size_t c = 0; c < 12; c++) {
        chart_filling_bucket(chart, c);
        chart->categories[c].partial = false;
        chart_set(chart, 0, c, c == 4 ? (double)NAN : 10.0 + (double)c);
    }
}

static void line_ends_at_a_gap_and_begins_behind_it(void **state)
{
    (void)state;
    struct chart chart;
    struct buf out;
    gap_chart(&chart, CHART_LINE);
    draw(&chart, &out);
    const char *curve = strstr(out.ptr, "class=\"c-curve\"");
    expect_true(curve != NULL);
    struct buf path;
    buf_init(&path, 1 << 16);
    buf_add(&path, (struct str){curve, (size_t)(strstr(curve, "/>") - curve)});
    expect_uint(count(path.ptr, "M"), 2);
    expect_uint(count(path.ptr, "L"), 9); /* 3 before the gap, 6 after it */
    buf_release(&path);
    buf_release(&out);
    chart_release(&chart);
    gap_chart(&chart, CHART_AREA);
    draw(&chart, &out);
    expect_uint(count(out.ptr, "<path class=\"c-piece\""), 2);
    buf_release(&out);
    chart_release(&chart);
}

static void partial_buckets_are_marked(void **state)
{
    (void)state;
    struct chart chart;
    struct buf out;
    gap_chart(&chart, CHART_LINE);
    chart.categories[11].partial = true;
    draw(&chart, &out);
    expect_uint(count(out.ptr, "class=\"c-part\""), 1);
    expect_uint(count(out.ptr, "class=\"c-hollow\""), 1);
    buf_release(&out);
    chart.kind = CHART_BAR;
    draw(&chart, &out);
    expect_uint(count(out.ptr, "class=\"c-partial\""), 1);
    expect_uint(count(out.ptr, "fill=\"url(#stint-part-0)\""), 1);
    expect_contains(out.ptr, "<pattern id=\"stint-part-0\"");
    buf_release(&out);
    chart_release(&chart);
}

static void long_names_are_cut_and_told_in_full(void **state)
{
    (void)state;
    struct chart chart;
    struct buf out;
    chart_of(&chart, CHART_BAR, FILL_HOSTILE);
    draw(&chart, &out);
    expect_contains(out.ptr,
                    "<title>a name that is so long that no picture could ever show it in "
                    "full, not even a wide one, and that goes on</title>a name");
    expect_contains(out.ptr, "\xe2\x80\xa6</text>");
    buf_release(&out);
    chart_release(&chart);
}

static void targets_are_drawn_and_on_the_axis(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_BAR, .up = {"x", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 2, 1);
    chart.categories[0].name = chart.categories[1].name = STR("a");
    chart_set(&chart, 0, 0, 3);
    chart.targets[0] = (struct chart_target){.label = "limit", .value = 90};
    chart.target_count = 1;
    draw(&chart, &out);
    expect_contains(out.ptr, "class=\"c-target\"");
    expect_contains(out.ptr, ">limit</text>");
    expect_contains(out.ptr, ">100</text>"); /* the axis reaches beyond it */
    buf_release(&out);
    chart_release(&chart);
}

enum { TEXT_HEIGHT = 9 }; /* of figures above their line */

/* Where the text `label` stands. */
static double height_of(const char *svg, const char *label)
{
    const char *at = strstr(svg, label);
    while (at && at > svg && strncmp(at, " y=\"", 4) != 0) {
        at--;
    }
    return at && at > svg ? strtod(at + 4, NULL) : -1;
}

/* Above the plot, where no bar and no number can be; each with dashes of its own. */
static void targets_are_named_where_nothing_is_in_the_way(void **state)
{
    (void)state;
    for (int kind = 0; kind < CHART_KINDS; kind++) {
        struct chart chart;
        struct buf out;
        chart_of(&chart, (enum chart_kind)kind, FILL_PLAIN);
        draw(&chart, &out);
        const char *line = strstr(out.ptr, "<line");
        if (strstr(out.ptr, "c-target-name\">")) {
            expect_contains(out.ptr, ">aim &lt;5</text>");
            expect_contains(out.ptr, ">of each</text>");
            expect_true(strstr(out.ptr, ">never</text>") == NULL);
            expect_true(height_of(out.ptr, ">of each<") <
                        height_of(out.ptr, ">CPU hours &lt;x"));
            expect_contains(line, "class=\"c-target\"");
            expect_contains(line, "class=\"c-target c-dash-dot\"");
        } else {
            expect_true(kind == CHART_PIE || kind == CHART_HEAT || kind == CHART_CALENDAR);
        }
        buf_release(&out);
        chart_release(&chart);
    }
}

/* What a page needs of its charts: marks that say which value they are, no style attribute, and a width of any size. */
static void a_chart_of_a_page_fits_any_width(void **state)
{
    (void)state;
    for (int kind = 0; kind < CHART_KINDS; kind++) {
        for (int filling = 0; filling < FILLINGS; filling++) {
            struct chart chart;
            struct buf out;
            char what[64];
            (void)snprintf(what, sizeof what, "%s of a page, filling %d",
                           chart_forms[kind].name, filling);
            chart_of(&chart, (enum chart_kind)kind, (enum chart_filling)filling);
            buf_init(&out, LIMIT_OUTPUT);
            buf_addz(&out, "<figure>");
            chart_page(&out, &chart);
            buf_addz(&out, "</figure>");
            expect_well_formed(&out, what);
            expect_true(strstr(out.ptr, "style=") == NULL);
            expect_true(strstr(out.ptr, "nan") == NULL && strstr(out.ptr, "inf") == NULL);
            if (kind == CHART_PIE || kind == CHART_SCATTER || kind == CHART_CALENDAR ||
                !chart_has_data(&chart)) {
                expect_true(strstr(out.ptr, "class=\"c-plot") == NULL);
            } else {
                expect_contains(out.ptr, "role=\"img\" width=\"100%\"");
                expect_true(kind == CHART_BOX || strstr(out.ptr, "<g data-box=\"") != NULL);
            }
            buf_release(&out);
            chart_release(&chart);
        }
    }
}

/* Each value of a bar is a mark with its series and category, and nothing that is absent is one. */
static void the_marks_of_a_page_say_which_value_they_are(void **state)
{
    (void)state;
    struct chart chart;
    struct buf out;
    gap_chart(&chart, CHART_BAR);
    chart.categories[11].partial = true;
    buf_init(&out, LIMIT_OUTPUT);
    chart_page(&out, &chart);
    expect_uint(count(out.ptr, "data-m=\"0 "), 11);
    expect_true(strstr(out.ptr, "data-m=\"0 4\"") == NULL);
    expect_contains(out.ptr, "data-axis=\"0 25\"");
    expect_contains(out.ptr, "day not whole");
    const char *last = strstr(out.ptr, "data-m=\"0 11\"");
    expect_true(last && strstr(last, "stint-part-0") != NULL);
    buf_release(&out);
    chart_release(&chart);
}

/* Two weeks that are known and two that are expected: a band from the last that is known, and a dotted line. */
static void what_is_expected_is_a_dotted_line_in_a_band(void **state)
{
    (void)state;
    struct chart chart = {
        .kind = CHART_LINE, .bucket = BUCKET_WEEK, .up = {"SU", UNIT_COUNT}, .look = 1};
    struct buf out;
    chart_shape(&chart, 4, 1);
    for (size_t c = 0; c < 4; c++) {
        chart_filling_bucket(&chart, c);
        chart.categories[c].partial = false;
        chart_set(&chart, 0, c, 100 - 10 * (double)c);
    }
    chart_band(&chart, 0, 2, 70, 90);
    chart_band(&chart, 0, 3, 40, 130);
    draw(&chart, &out);
    expect_uint(count(out.ptr, "class=\"c-band\""), 1);
    expect_uint(count(out.ptr, "class=\"c-part\""), 1);
    expect_uint(count(out.ptr, "class=\"c-hollow\""), 2);
    expect_contains(out.ptr, ">150</text>"); /* the axis reaches to the end of the band */
    expect_contains(out.ptr, "stroke=\"#c4820c\"");
    buf_release(&out);
    chart_release(&chart);
    expect_uint(chart_look_of("gpu_hours"), 2);
    expect_uint(chart_look_of("cpu_hours"), 0);
    expect_uint(chart_look_of(NULL), 0);
}

/* A share is read against the whole: the darkest cell is 100 %, whatever the largest value is. */
static void heat_of_shares_is_on_a_fixed_scale(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_HEAT, .up = {"use", UNIT_RATIO}};
    struct buf out;
    chart_shape(&chart, 2, 1);
    chart.series[0].name = STR("node");
    chart.categories[0].name = chart.categories[1].name = STR("hour");
    chart_set(&chart, 0, 0, 0.25);
    buf_init(&out, LIMIT_OUTPUT);
    chart_page(&out, &chart);
    expect_contains(out.ptr, "class=\"c-heat-8\""); /* of 32 */
    expect_contains(out.ptr, "<span>100 %</span>");
    expect_contains(out.ptr, "<span>not recorded</span>");
    buf_release(&out);
    chart_release(&chart);
}

/* A day of a node at rest is one stretch; what has no value is hatched, and never a colour. */
static void many_cells_of_a_page_are_few_bytes(void **state)
{
    enum { NODES = 20, HOURS = 48 };

    struct chart chart = {.kind = CHART_HEAT, .up = {"use", UNIT_RATIO}};
    struct buf whole, bare;
    (void)state;
    chart_shape(&chart, HOURS, NODES);
    for (size_t s = 0; s < NODES; s++) {
        chart.series[s].name = STR("node");
        for (size_t c = 0; c < HOURS; c++) {
            chart.categories[c].name = STR("hour");
            if (s > 0 || c > 0) {
                chart_set(&chart, s, c, s % 2 ? 0.5 : 1);
            }
        }
    }
    draw(&chart, &whole);
    buf_init(&bare, LIMIT_OUTPUT);
    chart_page(&bare, &chart);
    expect_true(bare.len * 8 < whole.len);
    expect_contains(whole.ptr, "<title>hour, node: ");
    expect_true(strstr(bare.ptr, "<title>hour") == NULL);
    size_t colours = 0;
    for (const char *at = bare.ptr; (at = strstr(at, "<path class=\"c-heat-")); at++) {
        colours++;
    }
    expect_uint(colours, 2); /* half and whole */
    expect_contains(bare.ptr, "fill=\"url(#stint-absent)\"");
    buf_release(&whole);
    buf_release(&bare);
    chart_release(&chart);
}

/* The bar of the others is cut at the end at which it is too long. */
static void others_are_cut_at_their_end(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct chart chart = {.kind = CHART_BAR, .up = {"x", UNIT_COUNT}};
        struct buf out;
        chart_shape(&chart, 14, 1);
        for (size_t c = 0; c < 14; c++) {
            chart.categories[c].name = STR("a");
            chart_set(&chart, 0, c, c == 13 ? sign * 5000.0 : c % 2 ? 10 : -10);
        }
        chart.categories[13].others = true;
        draw(&chart, &out);
        const char *cut = strstr(out.ptr, "class=\"c-break\"");
        expect_true(cut != NULL);
        while (strncmp(cut, "x1=\"", 4) != 0) {
            cut--;
        }
        expect_true((strtod(cut + 4, NULL) > CHART_WIDTH / 2.0) == (sign > 0));
        buf_release(&out);
        chart_release(&chart);
    }
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        count++;
    }
    return count;
}

/* Four months: 90 in two of them is one line, 80 another; the last has none. */
static void a_target_that_differs_is_a_line_where_it_does_not(void **state)
{
    (void)state;
    static const double values[] = {90, 90, 80};
    struct chart chart = {.kind = CHART_BAR, .up = {"x", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 4, 1);
    for (size_t c = 0; c < 4; c++) {
        chart.categories[c].name = STR("a");
        chart_set(&chart, 0, c, 3);
        chart.categories[c].targets[0].has = c < COUNT_OF(values);
        chart.categories[c].targets[0].value = c < COUNT_OF(values) ? values[c] : 1e6;
    }
    chart.targets[0] = (struct chart_target){.label = "limit", .each = true};
    chart.target_count = 1;
    draw(&chart, &out);
    expect_uint(count_of(out.ptr, "class=\"c-target\""), 3); /* one of them in the legend */
    expect_uint(count_of(out.ptr, ">limit</text>"), 1);
    expect_uint(count_of(out.ptr, ">100</text>"), 1);
    buf_release(&out);
    chart_release(&chart);
}

/* A bar that reaches the uppermost tick: its number is below the label of the axis. */
static void the_label_of_an_axis_is_above_all_numbers(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_BAR,
                          .up = {"Long label of what is counted", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 2, 1);
    chart.categories[0].name = chart.categories[1].name = STR("a");
    chart_set(&chart, 0, 0, 100);
    chart_set(&chart, 0, 1, 7);
    draw(&chart, &out);
    expect_contains(out.ptr, "class=\"c-value\" text-anchor=\"middle\">100<");
    expect_true(height_of(out.ptr, ">100<") > height_of(out.ptr, ">Long label"));
    const double number = height_of(out.ptr, "class=\"c-value\" text-anchor=\"middle\">100<");
    expect_true(number - TEXT_HEIGHT > height_of(out.ptr, ">Long label"));
    buf_release(&out);
    chart_release(&chart);
}

/* Numbers below bars, and the names below those. */
static void numbers_below_zero_do_not_meet_the_names(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_BAR, .up = {"x", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 2, 1);
    chart.categories[0].name = STR("first");
    chart.categories[1].name = STR("second");
    chart_set(&chart, 0, 0, -100);
    chart_set(&chart, 0, 1, 7);
    draw(&chart, &out);
    const double number =
        height_of(out.ptr, "class=\"c-value\" text-anchor=\"middle\">\xe2\x88\x92"
                           "100<");
    expect_true(number > 0 && height_of(out.ptr, ">first</text>") - TEXT_HEIGHT > number);
    buf_release(&out);
    chart_release(&chart);
}

/* A number of the element with this class: of the attribute that follows the text. */
static double number_in(const char *svg, const char *class, const char *attribute)
{
    const char *at = strstr(svg, class);
    while (at && at > svg && *at != '<') {
        at--;
    }
    const char *found = at ? strstr(at, attribute) : NULL;
    return found ? strtod(found + strlen(attribute), NULL) : -1;
}

/* Of values from 0 to 10 with quartiles 2 and 9, the median 8 stands near the right side of its box, and so does its number. */
static void the_median_of_a_box_stands_at_its_value(void **state)
{
    (void)state;
    static const double values[CHART_BOX_SERIES] = {0, 2, 8, 9, 10};
    struct chart chart = {.kind = CHART_BOX, .up = {"x", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 1, CHART_BOX_SERIES);
    chart.categories[0].name = STR("a");
    for (size_t s = 0; s < CHART_BOX_SERIES; s++) {
        chart_set(&chart, s, 0, values[s]);
    }
    draw(&chart, &out);
    const double left = number_in(out.ptr, "class=\"c-box\"", " x=\"");
    const double width = number_in(out.ptr, "class=\"c-box\"", " width=\"");
    const double median = number_in(out.ptr, "class=\"c-median\"", " x1=\"");
    expect_true(left > 0 && width > 0);
    expect_double(median, left + width * (8 - 2) / (9 - 2), 0.2);
    expect_double(number_in(out.ptr, ">8</text>", " x=\""), median, 0.2);
    buf_release(&out);
    chart_release(&chart);
}

/* One bucket of an area is a box, which has four corners. */
static void a_lone_band_is_a_box(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_AREA, .up = {"x", UNIT_COUNT}, .bucket = BUCKET_MONTH};
    struct buf out;
    chart_shape(&chart, 1, 1);
    chart.categories[0].name = STR("2025-01");
    chart.categories[0].start = (struct civil){.year = 2025, .month = 1, .day = 1};
    chart_set(&chart, 0, 0, 100);
    draw(&chart, &out);
    const char *path = strstr(out.ptr, "<path class=\"c-piece\"");
    expect_true(path != NULL);
    double x[8], y[8];
    size_t corners = 0;
    for (const char *p = strstr(path, " d=\"") + 4; *p != '"' && corners < 8; p++) {
        if (*p == 'M' || *p == 'L') {
            char *end;
            x[corners] = strtod(p + 1, &end);
            y[corners++] = strtod(end, NULL);
        }
    }
    expect_uint(corners, 4);
    expect_true(x[0] == x[3] && x[1] == x[2] && x[0] < x[1]);
    expect_true(y[0] == y[1] && y[2] == y[3] && y[1] < y[2]);
    buf_release(&out);
    chart_release(&chart);
}

/* --- folding --- */

static void many_chart(struct chart *chart, enum chart_kind kind, bool additive)
{
    *chart = (struct chart){.kind = kind,
                            .up = {"CPU hours", UNIT_HOURS},
                            .across = {"User", UNIT_NONE},
                            .additive = additive};
    chart_shape(chart, 2000, 1);
    for (size_t c = 0; c < 2000; c++) {
        chart->categories[c].name = str_of(arena_printf(&chart->arena, "user%zu", c));
        chart_set(chart, 0, c, (double)((c * 7919) % 2000));
    }
}

static void rest_is_summed_where_it_may_be(void **state)
{
    (void)state;
    struct chart chart;
    many_chart(&chart, CHART_BAR, true);
    chart_fold(&chart);
    expect_uint(chart.category_count, 25);
    expect_true(chart.categories[24].others);
    expect_true(str_eq(chart.categories[24].name, STR("others (1976)")));
    double sum = 0, least = 1e9;
    for (size_t c = 0; c < chart.category_count; c++) {
        sum += chart.series[0].values[c];
        least = c < 24 ? fmin(least, chart.series[0].values[c]) : least;
    }
    expect_double(sum, 1999.0 * 2000 / 2, 1e-6); /* the total is what it was */
    expect_double(least, 1976, 0);               /* the largest 24 of 0..1999 */
    expect_text(chart.notes[0], "The 24 largest of 2000 users; others are summed.");
    chart_release(&chart);
}

static void rest_is_left_out_and_said_so_where_not(void **state)
{
    (void)state;
    struct chart chart;
    many_chart(&chart, CHART_BAR, false);
    chart_fold(&chart);
    expect_uint(chart.category_count, 25);
    expect_false(chart.categories[24].others);
    expect_contains(chart.notes[0], "the others are not drawn");
    chart_release(&chart);
}

static void series_are_folded_too(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_STACKED, .additive = true, .series_label = "Group"};
    chart_shape(&chart, 2, 20);
    for (size_t s = 0; s < 20; s++) {
        chart.series[s].name = str_of(arena_printf(&chart.arena, "g%zu", s));
        chart_set(&chart, s, 0, (double)s);
        if (s != 3) {
            chart_set(&chart, s, 1, 1);
        }
    }
    chart_fold(&chart);
    expect_uint(chart.series_count, 8);
    expect_true(chart.series[7].others);
    expect_true(str_eq(chart.series[0].name, STR("g13"))); /* the order stays */
    expect_double(chart.series[7].values[0], 12 * 13 / 2.0, 1e-9);
    expect_double(chart.series[7].values[1], 12, 1e-9);
    chart_release(&chart);
}

static void a_heat_map_of_what_cannot_be_summed_has_both_ends(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_HEAT, .bucket = BUCKET_HOUR, .series_label = "Node"};
    chart_shape(&chart, 1, 100);
    for (size_t s = 0; s < 100; s++) {
        chart.series[s].name = str_of(arena_printf(&chart.arena, "n%zu", s));
        chart_set(&chart, s, 0, (double)s);
    }
    chart_fold(&chart);
    expect_uint(chart.series_count, 64);
    expect_true(str_eq(chart.series[0].name, STR("n0"))); /* the order stays */
    expect_true(str_eq(chart.series[31].name, STR("n31")));
    expect_true(str_eq(chart.series[32].name, STR("n68")));
    expect_true(str_eq(chart.series[63].name, STR("n99")));
    expect_text(chart.notes[0], "The 32 highest and the 32 lowest of 100 nodes.");
    chart_release(&chart);
}

static void few_are_left_as_they_are(void **state)
{
    (void)state;
    struct chart chart;
    chart_of(&chart, CHART_BAR, FILL_PLAIN);
    chart_fold(&chart);
    expect_uint(chart.category_count, 9);
    expect_uint(chart.note_count, 1);
    chart_release(&chart);
}

/* --- names of kinds --- */

static void kinds_are_found_by_name(void **state)
{
    (void)state;
    enum chart_kind kind;
    for (size_t i = 0; i < CHART_KINDS; i++) {
        expect_true(chart_find(str_of(chart_kind_name(i)), &kind));
        expect_uint(kind, i);
        expect_true(chart_forms[i].summary && chart_forms[i].series_max > 0);
    }
    expect_true(chart_kind_name(CHART_KINDS) == NULL);
    expect_false(chart_find(STR("pizza"), &kind));
}

/* --- pages --- */

static void page_is_whole_and_escaped(void **state)
{
    (void)state;
    struct table table = {0};
    struct chart chart;
    struct buf out;
    table_column(&table, "user", "User <b>", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&table, "cpu_hours", "CPU hours", CELL_INT, UNIT_HOURS, COLUMN_MEASURE);
    table_set_text(&table, 0, table_row(&table), STR("<img src=x onerror=alert(1)>"));
    table_set_int(&table, 1, 0, INT64_C(3600000000) * 1234);
    table_row(&table);
    for (int kind = 0; kind < CHART_KINDS; kind++) {
        chart_of(&chart, (enum chart_kind)kind, FILL_HOSTILE);
        const struct chart_page page = {.chart = &chart,
                                        .table = &table,
                                        .notes = STR("a note & more\nanother\n"),
                                        .header = true};
        buf_init(&out, 16 << 20);
        chart_page_write(&out, &page);
        expect_well_formed(&out, chart_forms[kind].name);
        expect_contains(out.ptr, "&lt;img src=x onerror=alert(1)&gt;");
        expect_contains(out.ptr, "<th scope=\"col\">User &lt;b&gt;</th>");
        expect_contains(out.ptr, "1,234.0");
        expect_contains(out.ptr, "<td class=\"n absent\">---</td>");
        expect_contains(out.ptr, "<p>a note &amp; more</p>");
        expect_contains(out.ptr, "prefers-color-scheme:dark");
        expect_true(strstr(out.ptr, "<script") == NULL && strstr(out.ptr, "src=\"") == NULL);
        buf_release(&out);
        chart_release(&chart);
    }
    table_release(&table);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, kinds_draw_everything);
    SUITE_TEST(&suite, without_values_there_is_a_sentence);
    SUITE_TEST(&suite, line_ends_at_a_gap_and_begins_behind_it);
    SUITE_TEST(&suite, partial_buckets_are_marked);
    SUITE_TEST(&suite, long_names_are_cut_and_told_in_full);
    SUITE_TEST(&suite, targets_are_drawn_and_on_the_axis);
    SUITE_TEST(&suite, targets_are_named_where_nothing_is_in_the_way);
    SUITE_TEST(&suite, a_chart_of_a_page_fits_any_width);
    SUITE_TEST(&suite, the_marks_of_a_page_say_which_value_they_are);
    SUITE_TEST(&suite, what_is_expected_is_a_dotted_line_in_a_band);
    SUITE_TEST(&suite, heat_of_shares_is_on_a_fixed_scale);
    SUITE_TEST(&suite, many_cells_of_a_page_are_few_bytes);
    SUITE_TEST(&suite, others_are_cut_at_their_end);
    SUITE_TEST(&suite, the_label_of_an_axis_is_above_all_numbers);
    SUITE_TEST(&suite, numbers_below_zero_do_not_meet_the_names);
    SUITE_TEST(&suite, the_median_of_a_box_stands_at_its_value);
    SUITE_TEST(&suite, a_lone_band_is_a_box);
    SUITE_TEST(&suite, a_target_that_differs_is_a_line_where_it_does_not);
    SUITE_TEST(&suite, rest_is_summed_where_it_may_be);
    SUITE_TEST(&suite, rest_is_left_out_and_said_so_where_not);
    SUITE_TEST(&suite, series_are_folded_too);
    SUITE_TEST(&suite, a_heat_map_of_what_cannot_be_summed_has_both_ends);
    SUITE_TEST(&suite, few_are_left_as_they_are);
    SUITE_TEST(&suite, kinds_are_found_by_name);
    SUITE_TEST(&suite, page_is_whole_and_escaped);
    return suite_run(&suite, "chart");
}
