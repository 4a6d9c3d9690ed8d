/* SPDX-License-Identifier: MIT */
#include "view/plot/plot.h"

#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "unit/view/charts.h"

static void draw(const struct chart *chart, size_t width, bool ascii, bool colour,
                 struct buf *out)
{
    const struct plot_style style = {.width = width, .ascii = ascii, .colour = colour};
    buf_init(out, 16 << 20);
    plot_draw(out, chart, &style);
}

static void expect_fits(const struct buf *out, size_t width, const char *what)
{
    for (struct str rest = buf_str(out); rest.len > 0;) {
        struct str line = str_cut(&rest, '\n');
        if (str_width(line) > width) {
            expect_fail("%s: wider than %zu: %.*s", what, width, STR_ARG(line));
        }
    }
}

static void every_plot_fits_its_width(void **state)
{
    (void)state;
    static const size_t widths[] = {40, 60, 80, 140};
    for (int kind = 0; kind < CHART_KINDS; kind++) {
        for (int filling = 0; filling < FILLINGS; filling++) {
            for (size_t i = 0; i < 2 * COUNT_OF(widths); i++) {
                struct chart chart;
                struct buf out;
                char what[64];
                (void)snprintf(what, sizeof what, "%s, filling %d", chart_forms[kind].name,
                               filling);
                chart_of(&chart, (enum chart_kind)kind, (enum chart_filling)filling);
                draw(&chart, widths[i / 2], i % 2, false, &out);
                expect_fits(&out, widths[i / 2], what);
                expect_true(strchr(out.ptr, '\x1b') == NULL);
                expect_true(strstr(out.ptr, "nan") == NULL && strstr(out.ptr, "inf") == NULL);
                buf_release(&out);
                chart_release(&chart);
            }
        }
    }
}

static void ascii_is_ascii(void **state)
{
    (void)state;

    static const enum chart_filling fillings[] = {FILL_PLAIN, FILL_NEGATIVE, FILL_GAPS,
                                                  FILL_ZERO, FILL_MANY};

    for (int kind = 0; kind < CHART_KINDS; kind++) {
        for (size_t f = 0; f < COUNT_OF(fillings); f++) {
            struct chart chart;
            struct buf out;
            chart_of(&chart, (enum chart_kind)kind, fillings[f]);
            draw(&chart, 80, true, false, &out);
            for (size_t i = 0; i < out.len; i++) {
                if ((unsigned char)out.ptr[i] >= 0x80) {
                    expect_fail("%s: not ASCII: %.40s", chart_forms[kind].name, out.ptr + i);
                }
            }
            buf_release(&out);
            chart_release(&chart);
        }
    }
}

static void colour_only_when_asked(void **state)
{
    (void)state;
    struct chart chart;
    struct buf out;
    chart_of(&chart, CHART_STACKED, FILL_PLAIN);
    draw(&chart, 80, false, true, &out);
    expect_contains(out.ptr, "\x1b[34m");
    buf_release(&out);
    chart_release(&chart);
}

static void bars_are_as_long_as_their_values(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_BAR, .up = {"CPU hours", UNIT_HOURS}};
    struct buf out;
    static const double values[] = {40, 20, 10, 0};
    chart_shape(&chart, 5, 1);
    for (size_t i = 0; i < 5; i++) {
        chart.categories[i].name = str_of(arena_printf(&chart.arena, "n%zu", i));
        if (i < 4) {
            chart_set(&chart, 0, i, values[i]);
        }
    }
    draw(&chart, 55, true, false, &out); /* 40 columns for bars */
    expect_text(out.ptr, "\n"
                         "n0 |######################################## 40\n"
                         "n1 |#################### 20\n"
                         "n2 |########## 10\n"
                         "n3 | 0\n"
                         "n4 | ---\n");
    buf_release(&out);
    chart_release(&chart);
}

static void bars_go_both_ways_from_zero(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_BAR, .up = {"Change", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 3, 1);
    chart.categories[0].name = STR("up");
    chart.categories[1].name = STR("dn");
    chart.categories[2].name = STR("so");
    chart_set(&chart, 0, 0, 30);
    chart_set(&chart, 0, 1, -10);
    chart_set(&chart, 0, 2, -0.1); /* too little for a column, and not nothing */
    draw(&chart, 55, true, false, &out);
    expect_text(out.ptr, "\n"
                         "up           |############################## 30\n"
                         "dn ##########| -10\n"
                         "so           | -0.10\n");
    buf_release(&out);
    draw(&chart, 55, false, false, &out);
    expect_contains(out.ptr, "so          ▕│ −0.10\n");
    buf_release(&out);
    chart_release(&chart);
}

/* 20 and 10 above zero, 10 and 5 below: 45 in 40 columns. */
static void pieces_go_both_ways_from_zero(void **state)
{
    (void)state;
    static const double values[] = {20, -10, 10, -5};
    struct chart chart = {.kind = CHART_STACKED, .up = {"Change", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 2, 4);
    chart.categories[0].name = STR("a");
    chart.categories[1].name = STR("b");
    for (size_t s = 0; s < 4; s++) {
        chart.series[s].name = str_of(arena_printf(&chart.arena, "s%zu", s));
        chart_set(&chart, s, 0, values[s]);
    }
    draw(&chart, 54, true, false, &out);
    expect_text(out.ptr, "\n"
                         "a ----=========|##################ooooooooo 15\n"
                         "b              | ---\n"
                         "\n"
                         "# s0  = s1  o s2  - s3\n");
    buf_release(&out);
    chart_release(&chart);
}

/* 10 of 20 in 40 columns: marks at the 20th and 30th, each of its own kind. */
static void targets_have_marks_of_their_own(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_BAR, .up = {"x", UNIT_COUNT}, .target_count = 2};
    struct buf out;
    chart_shape(&chart, 2, 1);
    chart.categories[0].name = STR("a");
    chart.categories[1].name = STR("b");
    chart_set(&chart, 0, 0, 20);
    chart_set(&chart, 0, 1, 5);
    chart.targets[0] = (struct chart_target){.label = "pledge", .value = 15};
    chart.targets[1] = (struct chart_target){.label = "hope", .value = 10};
    draw(&chart, 54, true, false, &out);
    expect_text(out.ptr, "\n"
                         "a |###################:#########!########## 20\n"
                         "b |##########         :         ! 5\n"
                         "\n"
                         "! pledge\n"
                         ": hope\n");
    buf_release(&out);
    chart_release(&chart);
}

/* The rest is more than all that have names; these are told apart all the same. */
static void heat_shades_what_has_a_name(void **state)
{
    (void)state;
    static const double values[] = {4, -2, 1000};
    struct chart chart = {.kind = CHART_HEAT, .up = {"Jobs", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 1, 3);
    chart.categories[0].name = STR("c");
    for (size_t s = 0; s < 3; s++) {
        chart.series[s].name = str_of(arena_printf(&chart.arena, "r%zu", s));
        chart_set(&chart, s, 0, values[s]);
    }
    chart.series[2].others = true;
    draw(&chart, 40, true, false, &out);
    expect_contains(out.ptr, "r0 |####");
    expect_contains(out.ptr, "r1 |<+++");
    expect_contains(out.ptr, "-+*# up to 4, . no value, < below zero\n");
    buf_release(&out);
    chart_release(&chart);
}

static void one_moment_has_one_name(void **state)
{
    (void)state;
    struct chart chart = {
        .kind = CHART_LINE, .up = {"Jobs", UNIT_COUNT}, .bucket = BUCKET_MONTH};
    struct buf out;
    chart_shape(&chart, 1, 1);
    chart.categories[0].name = STR("2025-01");
    chart_set(&chart, 0, 0, 5);
    draw(&chart, 40, false, false, &out);
    const char *name = strstr(out.ptr, "2025-01");
    expect_true(name && !strstr(name + 1, "2025-01"));
    expect_contains(out.ptr, "●");
    buf_release(&out);
    chart_release(&chart);
}

static void heat_tells_nothing_from_unknown(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_HEAT, .up = {"Jobs", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 4, 1);
    chart.series[0].name = STR("row");
    static const double values[] = {0, 1, 4};
    for (size_t i = 0; i < 4; i++) {
        chart.categories[i].name = str_of(arena_printf(&chart.arena, "c%zu", i));
        if (i < 3) {
            chart_set(&chart, 0, i, values[i]);
        }
    }
    draw(&chart, 40, true, false, &out);
    expect_text(out.ptr, "\n"
                         "row |        --------########........\n"
                         "     c0      c1      c2      c3\n"
                         "-+*# up to 4, . no value\n");
    buf_release(&out);
    chart_release(&chart);
}

static void one_line_is_braille(void **state)
{
    (void)state;
    struct chart chart = {.kind = CHART_LINE, .bucket = BUCKET_DAY, .up = {"Jobs", UNIT_COUNT}};
    struct buf out;
    chart_shape(&chart, 30, 1);
    for (size_t i = 0; i < 30; i++) {
        chart_filling_bucket(&chart, i);
        chart_set(&chart, 0, i, (double)i);
    }
    draw(&chart, 60, false, false, &out);
    expect_contains(out.ptr, "\xe2\xa0"); /* U+2800.. */
    expect_contains(out.ptr, "2023-11-20");
    expect_contains(out.ptr, "2023-12-19");
    buf_release(&out);
    chart_release(&chart);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_plot_fits_its_width);
    SUITE_TEST(&suite, ascii_is_ascii);
    SUITE_TEST(&suite, colour_only_when_asked);
    SUITE_TEST(&suite, bars_are_as_long_as_their_values);
    SUITE_TEST(&suite, bars_go_both_ways_from_zero);
    SUITE_TEST(&suite, pieces_go_both_ways_from_zero);
    SUITE_TEST(&suite, targets_have_marks_of_their_own);
    SUITE_TEST(&suite, heat_shades_what_has_a_name);
    SUITE_TEST(&suite, one_moment_has_one_name);
    SUITE_TEST(&suite, heat_tells_nothing_from_unknown);
    SUITE_TEST(&suite, one_line_is_braille);
    return suite_run(&suite, "plot");
}
