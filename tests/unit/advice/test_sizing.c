/* SPDX-License-Identifier: MIT */
#include "advice/sizing.h"

#include <math.h>

#include "base/attribute.h"
#include "support/chance.h"
#include "support/expect.h"

static const struct sizing_rule plain = {.quantile = 0.95, .margin = 1.2, .step = 1};

static void a_quantile_with_its_margin_is_advised(void **state)
{
    (void)state;
    struct sizing_run runs[100];
    struct sizing found;
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        runs[i] = (struct sizing_run){
            .asked = 1000, .used = (double)(i + 1), .wall = 2, .bounds = true};
    }
    expect_true(sizing_find(runs, COUNT_OF(runs), &plain, &found));
    expect_double(found.median, 50, 0);
    expect_double(found.quantile, 95, 0);
    expect_double(found.advised, 114, 0);
    expect_uint(found.too_small, 0);
    expect_double(found.asked, 1000, 0);
    expect_double(found.freed, 100 * 2 * (1000 - 114), 0);
}

static void steps_are_rounded_up_and_none_is_too_small(void **state)
{
    (void)state;
    const struct sizing_rule rule = {.quantile = 1, .margin = 1, .step = 256};
    struct sizing_run runs[] = {{.used = 1, .bounds = true}, {.used = 256, .bounds = true}};
    struct sizing found;
    expect_true(sizing_find(runs, 1, &rule, &found));
    expect_double(found.advised, 256, 0);
    expect_true(sizing_find(runs, 2, &rule, &found));
    expect_double(found.advised, 256, 0);
    expect_uint(found.too_small, 0);
}

static void one_that_ran_out_needed_at_least_what_it_had(void **state)
{
    (void)state;
    const struct sizing_rule rule = {.quantile = 0.5, .margin = 1, .step = 1};
    struct sizing_run runs[] = {{.asked = 10, .used = 4, .bounds = true},
                                {.asked = 10, .used = 4, .bounds = true},
                                {.asked = 10, .used = 9, .cut_short = true}};
    struct sizing found;
    expect_true(sizing_find(runs, COUNT_OF(runs), &rule, &found));
    expect_double(found.advised, 4, 0);
    expect_uint(found.too_small, 1);
}

static void who_says_nothing_is_not_asked(void **state)
{
    (void)state;
    struct sizing_run runs[] = {{.asked = 10, .used = -1}};
    struct sizing found;
    expect_false(sizing_find(runs, 1, &plain, &found));
    expect_false(sizing_find(runs, 0, &plain, &found));
}

/* Looks may miss the peak of every run, since they are as far from the start of each as the peak is. */
static void lower_bounds_lower_nothing_however_many(void **state)
{
    (void)state;
    struct sizing_run runs[1000];
    struct sizing found;
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        runs[i] = (struct sizing_run){.asked = 1000, .used = i == 7 ? 500 : 10, .wall = 1};
    }
    for (size_t count = 1; count <= COUNT_OF(runs); count *= 10) {
        expect_true(sizing_find(runs, count, &plain, &found));
        expect_true(found.withheld);
    }
    struct sizing_run more = {.asked = 100, .used = 95};
    expect_true(sizing_find(&more, 1, &plain, &found));
    expect_false(found.withheld);
    expect_double(found.advised, 100, 0); /* as much as they had, which was enough */
    struct sizing_run alone = {.used = 10};
    expect_true(sizing_find(&alone, 1, &plain, &found));
    expect_true(found.withheld); /* what was enough is not recorded */
}

/* One that does not bound may have needed all that it had: a share of them is stated, more than that is too many. */
static void lower_bounds_among_others_are_a_stated_risk(void **state)
{
    (void)state;
    struct sizing_run runs[100];
    struct sizing found;
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        runs[i] = (struct sizing_run){.asked = 1000, .used = 100, .wall = 1, .bounds = i >= 5};
    }
    expect_true(sizing_find(runs, COUNT_OF(runs), &plain, &found));
    expect_false(found.withheld);
    expect_double(found.advised, 120, 0);
    expect_uint(found.too_small, 5);
    runs[5].bounds = false;
    expect_true(sizing_find(runs, COUNT_OF(runs), &plain, &found));
    expect_true(found.withheld);
}

static void all_in_use_is_no_reason_to_ask_for_more(void **state)
{
    (void)state;
    const struct sizing_rule cpus = {
        .quantile = 0.95, .margin = 1.1, .step = 1, .slack = 0.1, .at_most_asked = true};
    static const double cases[][3] = {/* asked, used, advised */
                                      {1, 1.0, 1},  {1, 0.1, 1}, {64, 64, 64}, {16, 1.0, 1},
                                      {16, 3.0, 4}, {4, 2.0, 3}, {4, 3.9, 4}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sizing_run run = {.asked = cases[i][0], .used = cases[i][1], .bounds = true};
        struct sizing found;
        expect_true(sizing_find(&run, 1, &cpus, &found));
        expect_double(found.advised, cases[i][2], 0);
    }
}

static void what_may_take_longer_counts_as_longer(void **state)
{
    (void)state;
    const struct sizing_rule rule = {.quantile = 0.5, .margin = 2, .step = 1, .longer = 2};
    struct sizing_run runs[] = {{.used = 10, .bounds = true}, {.used = 11, .bounds = true}};
    struct sizing found;
    expect_true(sizing_find(runs, COUNT_OF(runs), &rule, &found));
    expect_double(found.advised, 20, 0);
    expect_uint(found.too_small, 1);
}

/* One that ran out needed no less than it had. */
static double needed(const struct sizing_run *run)
{
    return run->cut_short && run->asked > run->used ? run->asked : run->used;
}

/* Slowly: the smallest step at which no more runs than the rule allows had used more, before the margin. */
static double by_trying(const struct sizing_run *runs, size_t count,
                        const struct sizing_rule *rule)
{
    for (double candidate = 0;; candidate += 1) {
        size_t within = 0;
        for (size_t i = 0; i < count; i++) {
            within += needed(&runs[i]) <= candidate;
        }
        if ((double)within >= rule->quantile * (double)count - 1e-9 && within > 0) {
            double steps = 1;
            while (steps * rule->step < candidate * rule->margin - 1e-6) {
                steps += 1;
            }
            return steps * rule->step;
        }
    }
}

/* No more than the most that one of them had, if nobody ran out and all say what they had. */
static double at_most(const struct sizing_run *runs, size_t count, double advised)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].cut_short || runs[i].asked <= 0) {
            return advised;
        }
        most = fmax(most, fmax(runs[i].asked, runs[i].used));
    }
    return fmin(most, advised);
}

static void what_was_enough_for_all_is_not_raised(void **state)
{
    (void)state;
    const struct sizing_rule time = {.quantile = 0.95, .margin = 2, .step = 15};
    struct sizing_run runs[] = {{.asked = 90, .used = 60, .bounds = true},
                                {.asked = 90, .used = 58, .bounds = true}};
    struct sizing found;
    expect_true(sizing_find(runs, COUNT_OF(runs), &time, &found));
    expect_double(found.advised, 90, 0);
    runs[1].cut_short = true;
    expect_true(sizing_find(runs, COUNT_OF(runs), &time, &found));
    expect_double(found.advised, 180, 0);
    runs[1].cut_short = false;
    runs[1].asked = 0;
    expect_true(sizing_find(runs, COUNT_OF(runs), &time, &found));
    expect_double(found.advised, 120, 0);
}

static void any_runs_give_what_trying_gives(void **state)
{
    (void)state;
    struct chance chance;
    chance_init(&chance, 3);
    for (int turn = 0; turn < 300; turn++) {
        struct sizing_run runs[40];
        const size_t count = 1 + (size_t)chance_below(&chance, COUNT_OF(runs));
        const struct sizing_rule rule = {.quantile =
                                             (double)(1 + chance_below(&chance, 100)) / 100,
                                         .margin = 1 + (double)chance_below(&chance, 100) / 100,
                                         .step = (double)(1 + chance_below(&chance, 20))};
        struct sizing found;
        size_t too_small = 0;
        double freed = 0;
        for (size_t i = 0; i < count; i++) {
            runs[i] = (struct sizing_run){.asked = (double)chance_below(&chance, 500),
                                          .used = (double)chance_below(&chance, 300),
                                          .wall = (double)chance_below(&chance, 9),
                                          .cut_short = chance_below(&chance, 8) == 0,
                                          .bounds = true};
        }
        expect_true(sizing_find(runs, count, &rule, &found));
        const double want = at_most(runs, count, by_trying(runs, count, &rule));
        expect_double(found.advised, want, 1e-6);
        for (size_t i = 0; i < count; i++) {
            too_small += runs[i].cut_short ? needed(&runs[i]) >= want : runs[i].used > want;
            freed += runs[i].asked > 0 && !runs[i].cut_short
                         ? (runs[i].asked - want) * runs[i].wall
                         : 0;
        }
        expect_uint(found.too_small, too_small);
        expect_double(found.freed, fmax(0, freed), 1e-6);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_quantile_with_its_margin_is_advised);
    SUITE_TEST(&suite, steps_are_rounded_up_and_none_is_too_small);
    SUITE_TEST(&suite, one_that_ran_out_needed_at_least_what_it_had);
    SUITE_TEST(&suite, who_says_nothing_is_not_asked);
    SUITE_TEST(&suite, lower_bounds_lower_nothing_however_many);
    SUITE_TEST(&suite, lower_bounds_among_others_are_a_stated_risk);
    SUITE_TEST(&suite, all_in_use_is_no_reason_to_ask_for_more);
    SUITE_TEST(&suite, what_may_take_longer_counts_as_longer);
    SUITE_TEST(&suite, what_was_enough_for_all_is_not_raised);
    SUITE_TEST(&suite, any_runs_give_what_trying_gives);
    return suite_run(&suite, "sizing");
}
