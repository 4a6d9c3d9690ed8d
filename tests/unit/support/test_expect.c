/* SPDX-License-Identifier: MIT */
#include "support/expect.h"

#include <math.h>

static void checks_that_hold_say_nothing(void **state)
{
    (void)state;
    expect_int(-9223372036854775807, -9223372036854775807);
    expect_uint(UINT64_MAX, UINT64_MAX);
    expect_double(0.1 + 0.2, 0.3, 1e-12);
    expect_double((double)NAN, (double)NAN, 0);
    expect_text("one\ntwo\n", "one\ntwo\n");
    expect_text(NULL, NULL);
    expect_text_n("three", 2, "th");
    expect_text_n(NULL, 0, "");
    expect_contains("a needle in hay", "needle");
    expect_true(1 < 2);
    expect_false(2 < 1);
}

struct sum_row {
    const char *name;
    int a;
    int b;
    int sum;
};

static const struct sum_row sum_rows[] = {
    {"small", 1, 2, 3},
    {"negative", -1, -2, -3},
};

static void a_row_reaches_its_test(void **state)
{
    const struct sum_row *row = *state;
    expect_int(row->a + row->b, row->sum);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, checks_that_hold_say_nothing);
    SUITE_ROWS(&suite, a_row_reaches_its_test, sum_rows);
    return suite_run(&suite, "expect");
}
