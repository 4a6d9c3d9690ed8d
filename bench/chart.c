/* SPDX-License-Identifier: MIT */

/*
 * chart POINTS TIMES: how long the drawing of a chart takes, without a question before it.
 *
 * Writes a line a time: milliseconds for a line of POINTS days as SVG, for a scatter of POINTS as SVG, for
 * the line on a terminal, and the bytes of the first.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/civil.h"
#include "base/limit.h"
#include "view/chart/chart.h"
#include "view/plot/plot.h"

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void make_line(struct chart *chart, size_t points)
{
    *chart = (struct chart){.kind = CHART_LINE,
                            .title = "Bench",
                            .up = {"CPU hours", UNIT_HOURS},
                            .bucket = BUCKET_DAY};
    chart_shape(chart, points, 1);
    for (size_t i = 0; i < points; i++) {
        struct civil day = civil_of_days(civil_days(1998, 1, 1) + (int64_t)i);
        chart->categories[i].start = day;
        chart->categories[i].name =
            str_of(arena_printf(&chart->arena, "%04d-%02d-%02d", day.year, day.month, day.day));
        chart_set(chart, 0, i, 1000 + (double)(i * 7919 % 1000) / 7);
    }
}

static void make_scatter(struct chart *chart, size_t points)
{
    *chart = (struct chart){.kind = CHART_SCATTER,
                            .title = "Bench",
                            .across = {"CPU hours", UNIT_HOURS},
                            .up = {"Jobs", UNIT_COUNT}};
    chart_shape(chart, points, 2);
    for (size_t i = 0; i < points; i++) {
        chart->categories[i].name = str_of(arena_printf(&chart->arena, "user%zu", i));
        chart_set(chart, 0, i, 1 + (double)(i * 7919 % 10007));
        chart_set(chart, 1, i, 1 + (double)(i * 104729 % 9973));
    }
}

static double svg_ms(const struct chart *chart, size_t *bytes)
{
    struct buf out;
    double begun = now_ms();
    buf_init(&out, LIMIT_OUTPUT);
    chart_svg(&out, chart);
    double took = now_ms() - begun;
    *bytes = out.len;
    buf_release(&out);
    return took;
}

static double plot_ms(const struct chart *chart)
{
    const struct plot_style style = {.width = 140};
    struct buf out;
    double begun = now_ms();
    buf_init(&out, LIMIT_OUTPUT);
    plot_draw(&out, chart, &style);
    buf_release(&out);
    return now_ms() - begun;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: chart POINTS TIMES\n", stderr);
        return 2;
    }
    size_t points = strtoul(argv[1], NULL, 10), times = strtoul(argv[2], NULL, 10), bytes,
           other;
    struct chart line, scatter;
    make_line(&line, points);
    make_scatter(&scatter, points);
    for (size_t i = 0; i < times; i++) {
        double line_ms = svg_ms(&line, &bytes);
        double scatter_ms = svg_ms(&scatter, &other);
        printf("%.3f %.3f %.3f %zu\n", line_ms, scatter_ms, plot_ms(&line), bytes);
    }
    chart_release(&line);
    chart_release(&scatter);
    return 0;
}
