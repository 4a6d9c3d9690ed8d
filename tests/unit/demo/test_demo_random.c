/* SPDX-License-Identifier: MIT */
#include "demo/demo_random.h"

#include "support/expect.h"

static void next_is_xoshiro256_star_star(void **state)
{
    (void)state;
    /* The authors' reference: state 1, 2, 3, 4. */
    static const uint64_t expected[] = {UINT64_C(11520), UINT64_C(0), UINT64_C(1509978240),
                                        UINT64_C(1215971899390074240),
                                        UINT64_C(1216172134540287360)};
    struct demo_random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        expect_uint(demo_random_next(&random), expected[i]);
    }
}

static void streams_of_a_seed_differ_and_repeat(void **state)
{
    (void)state;
    struct demo_random a, again, other;
    demo_random_init(&a, 7, 1);
    demo_random_init(&again, 7, 1);
    demo_random_init(&other, 7, 2);
    uint64_t first = demo_random_next(&a);
    expect_uint(demo_random_next(&again), first);
    expect_true(demo_random_next(&other) != first);
}

static void between_reaches_both_ends_and_no_further(void **state)
{
    (void)state;
    struct demo_random random;
    demo_random_init(&random, 1, 1);
    bool low = false;
    bool high = false;
    for (int i = 0; i < 1000; i++) {
        int64_t value = demo_random_between(&random, -3, 3);
        expect_true(value >= -3 && value <= 3);
        low = low || value == -3;
        high = high || value == 3;
    }
    expect_true(low && high);
}

static void chance_is_in_thousandths(void **state)
{
    (void)state;
    struct demo_random random;
    demo_random_init(&random, 2, 1);
    int hits = 0;
    for (int i = 0; i < 100000; i++) {
        hits += demo_random_chance(&random, 250);
        expect_false(demo_random_chance(&random, 0));
        expect_true(demo_random_chance(&random, 1000));
    }
    expect_double(hits, 25000, 700);
}

static void wait_has_mean_one_and_is_never_negative(void **state)
{
    (void)state;
    struct demo_random random;
    demo_random_init(&random, 3, 1);
    int64_t sum = 0;
    for (int i = 0; i < 100000; i++) {
        int64_t value = demo_random_wait(&random);
        expect_true(value >= 0);
        sum += value;
    }
    expect_double((double)sum / 100000 / 65536, 1.0, 0.06);
}

struct around_row {
    const char *name;
    int64_t typical;
    int spread;
};

static const struct around_row around_rows[] = {
    {"narrow", 3600, 128}, {"usual", 3600, 560}, {"wide", 100, 1024},
    {"tiny", 1, 700},      {"none", 1000, 0},    {"large", INT64_C(1) << 39, 900},
};

static void around_is_bounded_with_its_median_at_the_typical(void **state)
{
    const struct around_row *row = *state;
    struct demo_random random;
    demo_random_init(&random, 4, 1);
    int below = 0;
    for (int i = 0; i < 20000; i++) {
        int64_t value = demo_random_around(&random, row->typical, row->spread);
        int shift = row->spread / 128 + 1;
        expect_true(value >= 1 && value >= row->typical >> shift);
        expect_true(value <= row->typical << shift);
        below += value < row->typical;
    }
    if (row->typical > 50 && row->spread > 0) {
        expect_double(below, 10000, 500);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, next_is_xoshiro256_star_star);
    SUITE_TEST(&suite, streams_of_a_seed_differ_and_repeat);
    SUITE_TEST(&suite, between_reaches_both_ends_and_no_further);
    SUITE_TEST(&suite, chance_is_in_thousandths);
    SUITE_TEST(&suite, wait_has_mean_one_and_is_never_negative);
    SUITE_ROWS(&suite, around_is_bounded_with_its_median_at_the_typical, around_rows);
    return suite_run(&suite, "demo_random");
}
