/* SPDX-License-Identifier: MIT */
#include "view/chart/strip.h"

#include <math.h>
#include <string.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "support/expect.h"
#include "support/xml.h"

static struct zone *utc;

static size_t count(const char *text, const char *what)
{
    size_t found = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++) {
        found++;
    }
    return found;
}

static void expect_page(const struct buf *out)
{
    size_t at = 0;
    const char *wrong = xml_complaint(out->ptr, out->len, &at);
    if (wrong) {
        expect_fail("%s at byte %zu: %.80s", wrong, at, out->ptr + at);
    }
    expect_true(strstr(out->ptr, "style=") == NULL);
    expect_true(strstr(out->ptr, "nan") == NULL && strstr(out->ptr, "inf") == NULL);
}

/* Six values with a gap, the last not over: two stretches, one of them dotted, and the end as a point. */
static void a_line_breaks_at_gaps_and_is_dotted_at_its_end(void **state)
{
    (void)state;
    static const double values[] = {1, 2, (double)NAN, 4, 5, 3};
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    spark_page(&out, &(struct spark){.values = values, .count = 6, .unsettled = 1, .look = 2});
    expect_page(&out);
    expect_uint(count(out.ptr, "class=\"c-curve\""), 1);
    expect_uint(count(out.ptr, "class=\"c-part\""), 1);
    expect_uint(count(out.ptr, "M"), 3); /* 1 to 2, 4 to 5, and 5 to 3 */
    expect_contains(out.ptr, "cx=\"100%\"");
    expect_contains(out.ptr, "aria-hidden=\"true\"");
    buf_release(&out);
}

/* Too little to see how it goes, or the same all the time. */
static void a_line_of_few_values(void **state)
{
    (void)state;
    static const double one[] = {(double)NAN, 5, (double)INFINITY};
    static const double same[] = {0, 0};
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    spark_page(&out, &(struct spark){.values = one, .count = COUNT_OF(one)});
    spark_page(&out, &(struct spark){0});
    expect_uint(out.len, 0);
    spark_page(&out, &(struct spark){.values = same, .count = COUNT_OF(same)});
    expect_page(&out);
    expect_contains(out.ptr, "M0 13L1000 13"); /* in the middle */
    buf_release(&out);
}

static const struct gantt_bar bars[] = {
    {0,
     4 * HOUR_US,
     {"first", sizeof "first" - 1},
     {0},
     {"/job/1?a=1&b=2", sizeof "/job/1?a=1&b=2" - 1},
     0,
     false},
    {2 * HOUR_US, 6 * HOUR_US, {"second", sizeof "second" - 1}, {0}, {0}, 1, false},
    {4 * HOUR_US, 9 * HOUR_US, {"third <b>", sizeof "third <b>" - 1}, {0}, {0}, 2, true},
    {20 * HOUR_US, 21 * HOUR_US, {"later", sizeof "later" - 1}, {0}, {0}, 0, false},
};

/* The third begins as the first ends and takes its lane; the last lies outside of the period. */
static void bars_that_overlap_have_lanes_of_their_own(void **state)
{
    (void)state;
    const struct gantt gantt = {
        {-HOUR_US, 11 * HOUR_US}, utc, bars, COUNT_OF(bars), "What ran"};
    size_t lanes[COUNT_OF(bars)];
    struct error err = {0};
    struct buf out;
    expect_uint(gantt_lanes(&gantt, lanes), 2);
    expect_uint(lanes[0], 0);
    expect_uint(lanes[1], 1);
    expect_uint(lanes[2], 0);
    buf_init(&out, LIMIT_OUTPUT);
    expect_int(gantt_page(&out, &gantt, &err), 0);
    expect_page(&out);
    expect_uint(count(out.ptr, "class=\"c-bar\""), 3);
    expect_contains(out.ptr, "<a href=\"/job/1?a=1&amp;b=2\">");
    expect_contains(out.ptr, "third &lt;b&gt;");
    expect_contains(out.ptr, "fill=\"url(#stint-part-2)\"");  /* it goes on */
    expect_contains(out.ptr, "x=\"8.33%\" width=\"33.33%\""); /* the first */
    expect_contains(out.ptr, ">03:00</text>");
    expect_true(strstr(out.ptr, "later") == NULL);
    buf_release(&out);
}

static void more_lanes_than_can_be_seen_are_counted(void **state)
{
    enum { MANY = GANTT_LANES_MAX + 5 };

    (void)state;
    static struct gantt_bar many[MANY];
    struct error err = {0};
    struct buf out;
    for (size_t i = 0; i < MANY; i++) {
        many[i] = (struct gantt_bar){.from = 0, .to = DAY_US, .name = STR("a")};
    }
    const struct gantt gantt = {{0, 400 * DAY_US}, utc, many, MANY, "What ran"};
    buf_init(&out, LIMIT_OUTPUT);
    buf_addz(&out, "<figure>");
    expect_int(gantt_page(&out, &gantt, &err), 0);
    buf_addz(&out, "</figure>");
    expect_page(&out);
    expect_uint(count(out.ptr, "class=\"c-bar\""), GANTT_LANES_MAX);
    expect_contains(out.ptr, "5 more ran at the same time.");
    expect_true(count(out.ptr, "class=\"c-tick\"") > 2);
    buf_release(&out);
    const struct gantt empty = {{0, 0}, utc, many, 0, "Nothing"};
    buf_init(&out, LIMIT_OUTPUT);
    expect_int(gantt_page(&out, &empty, &err), ERROR_USAGE);
    buf_release(&out);
}

int main(void)
{
    struct suite suite = {0};
    struct error err;
    if (zone_open("UTC", &utc, &err) != 0) {
        return 1;
    }
    SUITE_TEST(&suite, a_line_breaks_at_gaps_and_is_dotted_at_its_end);
    SUITE_TEST(&suite, a_line_of_few_values);
    SUITE_TEST(&suite, bars_that_overlap_have_lanes_of_their_own);
    SUITE_TEST(&suite, more_lanes_than_can_be_seen_are_counted);
    int failed = suite_run(&suite, "strip");
    zone_close(utc);
    return failed;
}
