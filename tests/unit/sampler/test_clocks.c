/* SPDX-License-Identifier: MIT */
#include "sampler/clocks.h"

#include "base/zone.h"
#include "support/expect.h"

#define BEGIN (INT64_C(1767225600) * SECOND_US)

static void a_clock_that_was_set_is_noticed_and_one_that_drifts_is_not(void **state)
{
    static const struct {
        int64_t wall_s, steady_s, want;
    } rows[] = {
        {60, 60, 0},      {61, 60, 0},        {59, 60, 0},
        {3660, 60, 3600}, {-3540, 60, -3600}, {62, 60, 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct clocks clocks = {0};
        expect_int(clocks_note(&clocks, BEGIN, 5), 0);
        expect_int(clocks_note(&clocks, BEGIN + rows[i].wall_s * SECOND_US,
                               5 + rows[i].steady_s * SECOND_US),
                   rows[i].want);
        expect_int(clocks.set_back, rows[i].want < 0);
    }
}

/* Looks at the times that clocks_wait gives, for `hours`; the clock is set back by an hour in the middle. */
static size_t seconds_used_twice(int64_t every, int64_t hours, uint64_t node)
{
    enum { SECONDS = 5 * 3600 };

    static unsigned char used[SECONDS];
    struct clocks clocks = {0};
    int64_t offset = 3600 * SECOND_US, steady = 1;
    size_t twice = 0;
    memset(used, 0, sizeof(used));
    while (steady < hours * 3600 * SECOND_US) {
        if (offset > 0 && steady > hours * 1800 * SECOND_US) {
            offset = 0;
        }
        steady += clocks_delay(&clocks, BEGIN + offset + steady, steady);
        const int64_t wall = BEGIN + offset + steady;
        (void)clocks_note(&clocks, wall, steady);
        const size_t second = (size_t)((wall - BEGIN) / SECOND_US);
        expect_true(second < SECONDS);
        twice += used[second]++ > 0;
        steady += clocks_wait(&clocks, wall, every, node);
    }
    return twice;
}

static void looks_after_a_clock_was_set_back_have_seconds_of_their_own(void **state)
{
    (void)state;
    for (uint64_t node = 0; node < 50; node++) {
        expect_uint(seconds_used_twice(60 * SECOND_US, 4, node * UINT64_C(982451653)), 0);
        expect_uint(seconds_used_twice(30 * SECOND_US, 4, node * UINT64_C(982451653)), 0);
    }
}

static void looks_are_an_interval_apart_at_a_place_of_the_node(void **state)
{
    (void)state;
    const struct clocks clocks = {0};
    for (uint64_t node = 0; node < 1000; node += 7) {
        const int64_t first = clocks_wait(&clocks, BEGIN + 17, 60 * SECOND_US, node * 99991);
        const int64_t at = BEGIN + 17 + first;
        expect_true(first >= 6 * SECOND_US);
        expect_int(clocks_wait(&clocks, at, 60 * SECOND_US, node * 99991), 60 * SECOND_US);
        expect_true(at % (60 * SECOND_US) < 6 * SECOND_US);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_clock_that_was_set_is_noticed_and_one_that_drifts_is_not);
    SUITE_TEST(&suite, looks_after_a_clock_was_set_back_have_seconds_of_their_own);
    SUITE_TEST(&suite, looks_are_an_interval_apart_at_a_place_of_the_node);
    return suite_run(&suite, "clocks");
}
