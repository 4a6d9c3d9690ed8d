/* SPDX-License-Identifier: MIT */
#include "view/chart/png.h"

#include <string.h>

#include "support/expect.h"
#include "unit/view/charts.h"

/* A number of four bytes, the largest first. */
static uint32_t number_at(const struct buf *png, size_t at)
{
    const unsigned char *p = (const unsigned char *)png->ptr + at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Signature, then the IHDR chunk with width and height (PNG specification, 5.2 and 11.2.2). */
static void every_kind_becomes_a_png_of_its_size(void **state)
{
    (void)state;
    for (int kind = 0; kind < CHART_KINDS; kind++) {
        struct chart chart;
        struct error err = {0};
        struct buf svg, png;
        buf_init(&svg, 16 << 20);
        buf_init(&png, 16 << 20);
        chart_of(&chart, (enum chart_kind)kind, FILL_HOSTILE);
        chart_svg(&svg, &chart);
        if (png_draw(&png, buf_str(&svg), CHART_WIDTH, chart_height(&chart), &err) != 0) {
            expect_fail("%s: %s", chart_forms[kind].name, err.text);
        }
        expect_true(png.len > 1000);
        expect_true(memcmp(png.ptr, "\x89PNG\r\n\x1a\n", 8) == 0);
        expect_true(memcmp(png.ptr + 12, "IHDR", 4) == 0);
        expect_uint(number_at(&png, 16), CHART_WIDTH * PNG_SCALE);
        expect_uint(number_at(&png, 20), (uint64_t)chart_height(&chart) * PNG_SCALE);
        expect_true(memcmp(png.ptr + png.len - 8, "IEND", 4) == 0);
        buf_release(&svg);
        buf_release(&png);
        chart_release(&chart);
    }
}

static void what_is_no_svg_is_refused(void **state)
{
    (void)state;
    struct error err = {0};
    struct buf out;
    buf_init(&out, 1 << 20);
    expect_int(png_draw(&out, STR("<svg"), 10, 10, &err), ERROR_INPUT);
    expect_contains(err.text, "librsvg cannot draw");
    expect_int(
        png_draw(&out, STR("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), 1e6, 1e6, &err),
        ERROR_LIMIT);
    buf_release(&out);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_kind_becomes_a_png_of_its_size);
    SUITE_TEST(&suite, what_is_no_svg_is_refused);
    return suite_run(&suite, "png");
}
