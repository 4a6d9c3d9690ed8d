/* SPDX-License-Identifier: MIT */
#include "report/queries/forecast.h"

#include <math.h>

#include "base/attribute.h"
#include "support/expect.h"

static void expect_near(double got, double want, double share)
{
    if (fabs(got - want) > share * fabs(want) + 1e-12) {
        expect_fail("%.9g is not near %.9g", got, want);
    }
}

static void a_forecast_worked_out_by_hand(void **state)
{
    (void)state;
    /* mean 5, squares 9 + 1 + 1 + 9 = 20, s = sqrt(20 / 3); t of 3 is 2.353363 */
    const double weeks[] = {2, 4, 6, 8};
    struct forecast got = forecast_of(weeks, COUNT_OF(weeks), 4);
    expect_near(got.mean, 5, 1e-12);
    expect_near(got.deviation, 2.581988897, 1e-9);
    expect_near(got.rest, 20, 1e-12);
    expect_near(got.margin, 2.353363434801 * 2.581988897 * sqrt(4 + 16 / 4.0), 1e-6);
}

struct student_row {
    const char *name;
    size_t count;
    double t; /* of count - 1 degrees of freedom, from tables with more places */
};

static const struct student_row student_rows[] = {
    {"4 weeks", 4, 2.353363434801824},   {"5 weeks", 5, 2.131846786326649},
    {"8 weeks", 8, 1.894578605061304},   {"13 weeks", 13, 1.782287555649320},
    {"26 weeks", 26, 1.708140761251899}, {"52 weeks", 52, 1.675284950248806},
};

static void the_band_is_that_of_student(void **state)
{
    const struct student_row *row = *state;
    double weeks[FORECAST_WEEKS_MAX];
    for (size_t i = 0; i < row->count; i++) {
        weeks[i] = (double)(i % 3);
    }
    struct forecast got = forecast_of(weeks, row->count, 1);
    expect_near(got.margin, row->t * got.deviation * sqrt(1 + 1 / (double)row->count), 1e-8);
}

static void weeks_that_do_not_vary_leave_no_doubt(void **state)
{
    (void)state;
    const double weeks[] = {7, 7, 7, 7, 7};
    struct forecast got = forecast_of(weeks, COUNT_OF(weeks), 10.5);
    expect_near(got.rest, 73.5, 1e-12);
    expect_near(got.margin, 0, 0);
}

static void nothing_ahead_is_nothing_to_come(void **state)
{
    (void)state;
    const double weeks[] = {1, 2, 3, 4};
    struct forecast got = forecast_of(weeks, COUNT_OF(weeks), 0);
    expect_near(got.rest, 0, 0);
    expect_near(got.margin, 0, 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_forecast_worked_out_by_hand);
    SUITE_ROWS(&suite, the_band_is_that_of_student, student_rows);
    SUITE_TEST(&suite, weeks_that_do_not_vary_leave_no_doubt);
    SUITE_TEST(&suite, nothing_ahead_is_nothing_to_come);
    return suite_run(&suite, "forecast");
}
