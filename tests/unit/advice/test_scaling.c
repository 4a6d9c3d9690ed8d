/* SPDX-License-Identifier: MIT */

/*
 * Times made by laws that are known: what was put in is found again, and noise is not judged.
 */
#include "advice/scaling.h"

#include <math.h>

#include "base/attribute.h"
#include "support/chance.h"
#include "support/expect.h"

enum { REPEATS = 3, SIZES = 6, RUNS = SIZES * REPEATS };

static const double sizes[SIZES] = {1, 2, 4, 8, 16, 32};

struct law_row {
    const char *name;
    double serial; /* of Amdahl's law */
    double noise;  /* share of the time, up or down */
    enum scaling_verdict want;
};

static const struct law_row law_rows[] = {
    {"all of it is parallel", 0, 0.01, SCALING_STRONG},
    {"a hundredth is serial", 0.01, 0.01, SCALING_STRONG},
    {"a tenth is serial", 0.1, 0.02, SCALING_STRONG},
    {"a third is serial", 0.33, 0.02, SCALING_STRONG},
    {"no noise at all", 0.05, 0, SCALING_STRONG},
};

static double jitter(struct chance *chance, double noise)
{
    return 1 + noise * (2 * ((double)chance_below(chance, 1000001) / 1000000) - 1);
}

static void the_serial_share_is_found_again(void **state)
{
    const struct law_row *row = *state;
    struct chance chance;
    chance_init(&chance, 7);
    struct scaling_run runs[RUNS];
    struct scaling found;
    for (size_t i = 0; i < RUNS; i++) {
        const double n = sizes[i % SIZES];
        runs[i] = (struct scaling_run){n, 3600 * (row->serial + (1 - row->serial) / n) *
                                              jitter(&chance, row->noise)};
    }
    scaling_fit(runs, RUNS, &found);
    expect_int(found.verdict, row->want);
    expect_double(found.serial, row->serial, 0.02);
    expect_true(found.serial_low <= row->serial + 1e-9 &&
                found.serial_high >= row->serial - 1e-9);
    for (size_t i = 0; i < SIZES; i++) {
        const double want = 1 / (row->serial + (1 - row->serial) / sizes[i]);
        expect_double(scaling_speedup(&found, sizes[i]) / want, 1, 0.08);
    }
}

static void work_that_grows_with_the_cpus_scales_weakly(void **state)
{
    (void)state;
    struct chance chance;
    chance_init(&chance, 11);
    struct scaling_run runs[RUNS];
    struct scaling found;
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = (struct scaling_run){sizes[i % SIZES], 1800 * jitter(&chance, 0.02)};
    }
    scaling_fit(runs, RUNS, &found);
    expect_int(found.verdict, SCALING_WEAK);
    expect_double(found.growth, 0, 0.02);
}

static void what_becomes_longer_does_not_scale(void **state)
{
    (void)state;
    struct scaling_run runs[RUNS];
    struct scaling found;
    for (size_t i = 0; i < RUNS; i++) {
        const double n = sizes[i % SIZES];
        runs[i] = (struct scaling_run){n, 600 * (1 + 0.4 * log2(n))};
    }
    scaling_fit(runs, RUNS, &found);
    expect_int(found.verdict, SCALING_NONE);
}

/*
 * Other programs: the same time of disks at every size, the slowest of n parts whose work differs, a disk that feeds eight cpus and no more. What
 * is said of them is what they do at the sizes that were tried, or nothing.
 */
enum program { PROGRAM_DISKS, PROGRAM_IMBALANCE, PROGRAM_FEED };

struct program_row {
    const char *name;
    enum program program;
    double amount, noise;
};

static const struct program_row program_rows[] = {
    {"a fifth of the time is reading", PROGRAM_DISKS, 0.2, 0.01},
    {"half of the time is reading", PROGRAM_DISKS, 0.5, 0.01},
    {"the slowest part has a fifth more", PROGRAM_IMBALANCE, 0.2, 0.01},
    {"the slowest part has twice as much", PROGRAM_IMBALANCE, 1, 0.01},
    {"disks feed eight cpus", PROGRAM_FEED, 8, 0.01},
    {"disks feed two cpus", PROGRAM_FEED, 2, 0.01},
};

static double time_of(const struct program_row *row, double cpus)
{
    switch (row->program) {
    case PROGRAM_DISKS:
        return row->amount + (1 - row->amount) / cpus;
    case PROGRAM_IMBALANCE:
        return cpus > 1 ? (1 + row->amount) / cpus : 1;
    case PROGRAM_FEED:
        break;
    }
    return 1 / fmin(cpus, row->amount);
}

static void what_is_said_of_a_program_is_what_it_does(void **state)
{
    const struct program_row *row = *state;
    struct chance chance;
    chance_init(&chance, 5);
    struct scaling_run runs[RUNS];
    struct scaling found;
    for (size_t i = 0; i < RUNS; i++) {
        const double n = sizes[i % SIZES];
        runs[i] = (struct scaling_run){n, 3600 * time_of(row, n) * jitter(&chance, row->noise)};
    }
    scaling_fit(runs, RUNS, &found);
    if (row->program == PROGRAM_DISKS) {
        expect_int(found.verdict, SCALING_STRONG);
        expect_double(found.serial, row->amount, 0.02);
    }
    expect_true(found.verdict != SCALING_WEAK);
    for (size_t i = 0; found.verdict == SCALING_STRONG && i < SIZES; i++) {
        const double want = time_of(row, 1) / time_of(row, sizes[i]);
        expect_double(scaling_speedup(&found, sizes[i]) / want, 1, 0.5);
    }
}

static void noise_is_not_judged(void **state)
{
    (void)state;
    size_t judged = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct chance chance;
        chance_init(&chance, seed);
        struct scaling_run runs[8];
        struct scaling found;
        for (size_t i = 0; i < COUNT_OF(runs); i++) {
            runs[i] =
                (struct scaling_run){sizes[i % 4], 60 + (double)chance_below(&chance, 36000)};
        }
        scaling_fit(runs, COUNT_OF(runs), &found);
        judged += found.verdict != SCALING_NOISE;
    }
    /* Some follow a law by chance: one in a hundred, where one in twenty is what the confidence allows. */
    expect_true(judged <= 4);
}

static void two_sizes_are_too_few(void **state)
{
    (void)state;
    struct scaling_run runs[] = {{1, 100}, {1, 101}, {2, 51}, {2, 50}};
    struct scaling found;
    scaling_fit(runs, COUNT_OF(runs), &found);
    expect_int(found.verdict, SCALING_FEW_SIZES);
    expect_uint(found.sizes, 2);
    scaling_fit(runs, 0, &found);
    expect_int(found.verdict, SCALING_FEW_SIZES);
}

static void the_knee_is_where_half_of_the_cpus_are_of_use(void **state)
{
    (void)state;
    struct scaling_run runs[SIZES];
    struct scaling found;
    for (size_t i = 0; i < SIZES; i++) {
        runs[i] = (struct scaling_run){sizes[i], 1000 * (0.1 + 0.9 / sizes[i])};
    }
    scaling_fit(runs, SIZES, &found);
    expect_double(found.knee, 11, 0.01);
    expect_double(scaling_speedup(&found, 11) / 11, 0.5, 0.001);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, the_serial_share_is_found_again, law_rows);
    SUITE_TEST(&suite, work_that_grows_with_the_cpus_scales_weakly);
    SUITE_TEST(&suite, what_becomes_longer_does_not_scale);
    SUITE_ROWS(&suite, what_is_said_of_a_program_is_what_it_does, program_rows);
    SUITE_TEST(&suite, noise_is_not_judged);
    SUITE_TEST(&suite, two_sizes_are_too_few);
    SUITE_TEST(&suite, the_knee_is_where_half_of_the_cpus_are_of_use);
    return suite_run(&suite, "scaling");
}
