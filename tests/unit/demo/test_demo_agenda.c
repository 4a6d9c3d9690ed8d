/* SPDX-License-Identifier: MIT */
#include "demo/demo_agenda.h"

#include "demo/demo_random.h"
#include "support/expect.h"

static void earliest_comes_first_and_equals_in_order(void **state)
{
    (void)state;
    struct demo_agenda agenda = {.order = UINT32_MAX - 500}; /* wraps on the way */
    struct demo_random random;
    demo_random_init(&random, 1, 1);
    for (uint32_t i = 0; i < 5000; i++) {
        demo_agenda_add(&agenda, demo_random_below(&random, 300), i);
    }
    struct demo_event before = demo_agenda_take(&agenda);
    for (int i = 1; i < 5000; i++) {
        expect_int(demo_agenda_first(&agenda), agenda.events[0].time_s);
        struct demo_event event = demo_agenda_take(&agenda);
        expect_true(event.time_s > before.time_s ||
                    (event.time_s == before.time_s && event.what > before.what));
        before = event;
    }
    expect_int(demo_agenda_first(&agenda), INT64_MAX);
    demo_agenda_release(&agenda);
}

static void may_be_filled_while_it_is_emptied(void **state)
{
    (void)state;
    struct demo_agenda agenda = {0};
    struct demo_random random;
    demo_random_init(&random, 2, 1);
    int64_t now = 0;
    demo_agenda_add(&agenda, 0, 0);
    for (uint32_t i = 0; i < 20000; i++) {
        struct demo_event event = demo_agenda_take(&agenda);
        expect_true(event.time_s >= now);
        now = event.time_s;
        demo_agenda_add(&agenda, now + demo_random_below(&random, 100), i);
        if (i % 3 == 0) {
            demo_agenda_add(&agenda, now + demo_random_below(&random, 1000), i);
        }
    }
    demo_agenda_release(&agenda);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, earliest_comes_first_and_equals_in_order);
    SUITE_TEST(&suite, may_be_filled_while_it_is_emptied);
    return suite_run(&suite, "demo_agenda");
}
