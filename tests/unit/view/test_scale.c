/* SPDX-License-Identifier: MIT */
#include "view/chart/scale.h"

#include <float.h>
#include <math.h>

#include "support/expect.h"

struct axis_row {
    const char *name;
    double least, greatest;
    enum unit unit;
    int wanted;
    const char *ticks;
};

static const struct axis_row axis_rows[] = {
    {"from zero", 0, 87, UNIT_COUNT, 6, "0|20|40|60|80|100"},
    {"zero is on it", 50, 87, UNIT_COUNT, 6, "0|20|40|60|80|100"},
    {"ends at a round number", 0, 100, UNIT_COUNT, 6, "0|20|40|60|80|100"},
    {"no half jobs", 0, 3, UNIT_COUNT, 6, "0|1|2|3"},
    {"halves of shares", 0, 1, UNIT_HOURS, 6, "0|0.2|0.4|0.6|0.8|1.0"},
    {"thousands", 0, 12345, UNIT_HOURS, 4, "0|5 k|10 k|15 k"},
    {"below ten thousand in full", 0, 8765, UNIT_HOURS, 4, "0|5,000|10 k"},
    {"a million after thousands", 0, 830e3, UNIT_HOURS, 6, "0|200 k|400 k|600 k|800 k|1 M"},
    {"millions", 0, 2.64e6, UNIT_HOURS, 4, "0|1 M|2 M|3 M"},
    {"both sides of zero", -8, 12, UNIT_COUNT, 5, "−10|−5|0|5|10|15"},
    {"below zero only", -30, -10, UNIT_COUNT, 4, "−30|−20|−10|0"},
    {"percent", 0, 0.873, UNIT_RATIO, 6, "0 %|20 %|40 %|60 %|80 %|100 %"},
    {"minutes", 0, 50 * 60, UNIT_SECONDS, 5, "0|15 min|30 min|45 min|60 min"},
    {"hours in sixes", 0, 23 * 3600, UNIT_SECONDS, 5, "0|6 h|12 h|18 h|24 h"},
    {"days", 0, 3.3 * 86400, UNIT_SECONDS, 5, "0|1 d|2 d|3 d|4 d"},
    {"powers of two", 0, 600 * 0x1p30, UNIT_BYTES, 5, "0|256 GiB|512 GiB|768 GiB"},
    {"joules", 0, 4.2e6, UNIT_JOULES, 3, "0|5 MJ"},
    {"nothing", 0, 0, UNIT_HOURS, 6, "0|0.2|0.4|0.6|0.8|1.0"},
    {"nothing, of shares", 0, 0, UNIT_RATIO, 3, "0 %|0.5 %|1.0 %"},
    {"beyond names", 0, 3.2e24, UNIT_COUNT, 4, "0|2e+24|4e+24"},
    {"tiny", 0, 3e-9, UNIT_HOURS, 4, "0|1e-09|2e-09|3e-09"},
};

static void axis_has_round_ticks(void **state)
{
    const struct axis_row *row = *state;
    struct scale scale = scale_make(row->least, row->greatest, row->unit, row->wanted);
    struct buf out;
    buf_init(&out, 4096);
    for (size_t i = 0; i < scale.count; i++) {
        buf_addz(&out, i ? "|" : "");
        scale_label(&out, &scale, scale.ticks[i]);
    }
    expect_text(out.ptr, row->ticks);
    buf_release(&out);
}

struct value_row {
    const char *name;
    enum unit unit;
    double value;
    const char *want;
};

static const struct value_row value_rows[] = {
    {"zero", UNIT_HOURS, 0, "0"},
    {"zero percent", UNIT_RATIO, 0, "0 %"},
    {"a count", UNIT_COUNT, 9999, "9,999"},
    {"three figures", UNIT_HOURS, 85777, "85.8 k"},
    {"millions", UNIT_HOURS, 2641234, "2.64 M"},
    {"just below a million", UNIT_HOURS, 999999, "1.00 M"},
    {"small", UNIT_HOURS, 0.04567, "0.0457"},
    {"tiny", UNIT_HOURS, 1e-12, "1e-12"},
    {"huge", UNIT_COUNT, 3.2e24, "3.2e+24"},
    {"below zero", UNIT_COUNT, -8000, "−8,000"},
    {"hardly any percent", UNIT_RATIO, 2.89e-9, "0.00 %"},
    {"percent", UNIT_RATIO, 0.0741, "7.4 %"},
    {"all", UNIT_RATIO, 1, "100 %"},
    {"seconds", UNIT_SECONDS, 45, "45 s"},
    {"an hour and a half in minutes", UNIT_SECONDS, 5400, "90 min"},
    {"hours", UNIT_SECONDS, 37440, "10.4 h"},
    {"bytes", UNIT_BYTES, 1536, "1.50 KiB"},
    {"not a number", UNIT_HOURS, (double)NAN, "---"},
    {"infinite", UNIT_HOURS, (double)INFINITY, "---"},
};

static void value_is_written(void **state)
{
    const struct value_row *row = *state;
    struct buf out;
    buf_init(&out, 256);
    scale_value(&out, row->unit, row->value);
    expect_text(out.ptr, row->want);
    buf_release(&out);
}

static void every_axis_is_finite_and_not_empty(void **state)
{
    (void)state;
    static const double values[] = {
        0,    1,     -1,      DBL_MAX, -DBL_MAX,    DBL_MIN,          5e-324,           1e-280,
        1e18, -1e-9, 1.0 / 3, 4e9,     (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            for (int unit = 0; unit < UNIT_COUNT_OF; unit++) {
                double least = fmin(values[i], values[k]),
                       greatest = fmax(values[i], values[k]);
                struct scale linear = scale_make(least, greatest, (enum unit)unit, 6);
                struct scale wide = scale_wide(least, greatest, (enum unit)unit, 6);
                expect_true(isfinite(linear.low) && isfinite(linear.high));
                expect_true(linear.low < linear.high && linear.count >= 2);
                expect_true(isfinite(wide.low) && isfinite(wide.high) && wide.low < wide.high);
                expect_true(wide.count >= 1);
                expect_true(scale_at(&linear, values[i]) >= 0 &&
                            scale_at(&linear, values[i]) <= 1);
                expect_true(scale_at(&wide, values[k]) >= 0 && scale_at(&wide, values[k]) <= 1);
            }
        }
    }
}

static void values_lie_between_their_ticks(void **state)
{
    (void)state;
    struct scale scale = scale_make(-8, 12, UNIT_COUNT, 5);
    expect_double(scale_at(&scale, -10), 0, 0);
    expect_double(scale_at(&scale, 15), 1, 0);
    expect_double(scale_at(&scale, 2.5), 0.5, 1e-12);
    expect_double(scale_at(&scale, 1e9), 1, 0);
}

static void wide_axis_has_powers_of_ten(void **state)
{
    (void)state;
    struct scale scale = scale_wide(30, 240e3, UNIT_HOURS, 6);
    expect_true(scale.logarithmic);
    expect_double(scale.low, 20, 1e-9);
    expect_double(scale.high, 500e3, 1e-6);
    expect_double(scale.ticks[0], 100, 1e-9);
    expect_double(scale.ticks[1], 1000, 1e-9);
    expect_double(scale_at(&scale, 20), 0, 0);
    expect_double(scale_at(&scale, sqrt(20 * 500e3)), 0.5, 1e-9);
    expect_false(scale_wide(30, 20e3, UNIT_HOURS, 6).logarithmic);
    expect_false(scale_wide(0, 20e9, UNIT_HOURS, 6).logarithmic);
}

static void round_numbers_follow_each_other(void **state)
{
    (void)state;
    expect_double(scale_round_below(87, UNIT_COUNT), 50, 1e-9);
    expect_double(scale_round_below(50, UNIT_COUNT), 50, 1e-9);
    expect_double(scale_round_next(50, UNIT_COUNT), 100, 1e-9);
    expect_double(scale_round_next(100, UNIT_COUNT), 200, 1e-9);
    expect_double(scale_round_below(3700, UNIT_SECONDS), 3600, 1e-9);
    expect_double(scale_round_next(30, UNIT_SECONDS), 60, 1e-9);
    expect_double(scale_round_next(864000, UNIT_SECONDS), 1e6, 1e-3);
    expect_double(scale_round_below(1000, UNIT_BYTES), 512, 1e-9);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, axis_has_round_ticks, axis_rows);
    SUITE_ROWS(&suite, value_is_written, value_rows);
    SUITE_TEST(&suite, every_axis_is_finite_and_not_empty);
    SUITE_TEST(&suite, values_lie_between_their_ticks);
    SUITE_TEST(&suite, wide_axis_has_powers_of_ten);
    SUITE_TEST(&suite, round_numbers_follow_each_other);
    return suite_run(&suite, "scale");
}
