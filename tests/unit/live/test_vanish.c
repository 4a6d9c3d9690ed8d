/* SPDX-License-Identifier: MIT */
#include "live/live.h"

#include "unit/live/pulled.h"

static void a_run_moves_on(void **state)
{
    (void)state;
    script.queue = PENDING;
    script.history = "";
    expect_int(pull_at(15), 1);
    expect_int(script.history_from, -1);
    expect_facts("7|---|PENDING|pending|---|---|15|0\n");
    expect_int(pull_at(18), 0);
    expect_int(script.history_from,
               AT(10)); /* the newest that it told of: when the run was submitted */
    expect_facts("7|---|PENDING|pending|---|---|18|0\n");
    script.queue = RUNNING;
    expect_int(pull_at(30), 1);
    expect_facts("7|---|RUNNING|running|20|---|30|0\n");
    script.queue = "";
    script.history = ENDED;
    expect_int(pull_at(60), 1);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
    expect_int(script.question_again, 0);
    expect_int(pull_at(70), 0);
    expect_number("SELECT seen_to FROM marks WHERE what = 'queue'", AT(70));
    expect_number("SELECT seen_to FROM marks WHERE what = 'history'", AT(50));
    expect_number("SELECT count(*) FROM askings WHERE failure IS NULL", 10);
}

static void a_listing_is_weaker_than_the_history(void **state)
{
    (void)state;
    script.queue = "7|2026-01-01T00:00:10|2026-01-01T00:00:20|Unknown|RUNNING|3|ann\n";
    script.history = RUNNING;
    expect_int(pull_at(30), 2); /* the listing's, then the history's in its place */
    expect_number("SELECT cpus FROM runs", 4);
    expect_number("SELECT seen FROM runs", AT(30));
    expect_int(pull_at(40), 0);
    expect_number("SELECT cpus FROM runs", 4);
    expect_number("SELECT seen FROM runs", AT(40));
    script.history = ENDED; /* it ended between the listing and the history */
    expect_int(pull_at(50), 1);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
    expect_int(pull_at(60), 0);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
}

static void a_lagging_history_does_not_take_a_start_back(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = PENDING;
    expect_int(pull_at(30), 2); /* the listing's, then merged with what the history has */
    expect_facts("7|---|RUNNING|running|20|---|30|0\n");
    expect_int(pull_at(40), 0);
    expect_facts("7|---|RUNNING|running|20|---|40|0\n");
}

static void what_vanished_is_asked_for_by_number(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    script.queue = "";
    script.again = ENDED;
    expect_int(pull_at(60), 1);
    expect_int(script.question_again, 1);
    expect_uint(script.missing_count, 1);
    expect_int(script.missing_job, 7);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
    expect_int(pull_at(70), 0);
    expect_int(script.question_again, 1);
}

static void what_nobody_knows_of_ends_when_it_was_last_seen(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    pull_at(40);
    script.queue = "";
    expect_int(pull_at(60), 1);
    expect_facts("7|---|RUNNING|other|20|40|40|1024\n");
    expect_number("SELECT until FROM runs", AT(40));
    expect_number("SELECT count(*) FROM rollup_dirty WHERE last_time >= 1767225640000000", 1);
    script.history = RUNNING; /* the accounting has not heard of its end */
    expect_int(pull_at(70), 0);
    expect_facts("7|---|RUNNING|other|20|40|40|1024\n");
    script.history = ENDED; /* now it has */
    expect_int(pull_at(80), 1);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
}

static void what_comes_back_goes_on(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    script.queue = "";
    pull_at(40);
    expect_facts("7|---|RUNNING|other|20|30|30|1024\n");
    script.queue = RUNNING;
    expect_int(pull_at(50), 1);
    expect_facts("7|---|RUNNING|running|20|---|50|0\n");
}

static void what_was_never_seen_takes_no_time(void **state)
{
    (void)state;
    script.queue = "";
    script.history = RUNNING; /* a runaway: the scheduler itself does not know it */
    expect_int(pull_at(1000), 1);
    expect_int(pull_at(2000), 1);
    expect_facts("7|---|RUNNING|other|20|20|---|1024\n");
    expect_int(pull_at(3000), 0);
}

static void it_is_not_ended_when_asking_again_fails(void **state)
{
    (void)state;
    script.queue = RUNNING;
    script.history = "";
    pull_at(30);
    script.queue = "";
    script.again_fails = "slurmdbd is away";
    pull_fails(40, "slurmdbd is away");
    expect_facts("7|---|RUNNING|running|20|---|30|0\n");
    script.again_fails = NULL;
    script.again = ENDED;
    expect_int(pull_at(50), 1);
    expect_facts("7|---|COMPLETED|completed|20|50|---|0\n");
}

static void a_waiting_one_that_is_another_run_now_is_taken_away(void **state)
{
    (void)state;
    script.queue = PENDING;
    script.history = "";
    pull_at(15);
    script.queue = ""; /* requeued: it has another submit time, hence another identity */
    script.history =
        "7|2026-01-01T00:00:16|2026-01-01T00:00:20|2026-01-01T00:00:30|FAILED|4|ann\n";
    pull_at(40);
    expect_facts("7|---|FAILED|failed|20|30|---|0\n");
}

static void a_waiting_one_that_is_gone_is_over(void **state)
{
    (void)state;
    script.queue = PENDING;
    script.history = "";
    pull_at(15);
    script.queue = "";
    expect_int(pull_at(20), 1);
    expect_facts("7|---|PENDING|other|---|15|15|1024\n");
}

static void tasks_that_wait_together_become_fewer(void **state)
{
    (void)state;
    script.queue = "7_[1-3]|2026-01-01T00:00:10|Unknown|Unknown|PENDING|0|ann\n";
    script.history = "";
    pull_at(15);
    expect_number("SELECT task_count FROM runs", 3);
    script.queue = "7_[2-3]|2026-01-01T00:00:10|Unknown|Unknown|PENDING|0|ann\n"
                   "7_1|2026-01-01T00:00:10|2026-01-01T00:00:20|Unknown|RUNNING|1|ann\n";
    pull_at(25);
    expect_number("SELECT task_count FROM runs WHERE task IS NULL", 2);
    expect_number("SELECT count(*) FROM runs", 2);
    script.queue = "";
    script.history =
        "7_1|2026-01-01T00:00:10|2026-01-01T00:00:20|2026-01-01T00:00:30|COMPLETED|1|ann\n"
        "7_2|2026-01-01T00:00:10|2026-01-01T00:00:26|2026-01-01T00:00:30|COMPLETED|1|ann\n"
        "7_3|2026-01-01T00:00:10|2026-01-01T00:00:26|2026-01-01T00:00:30|COMPLETED|1|ann\n";
    pull_at(40);
    expect_facts("7|1|COMPLETED|completed|20|30|---|0\n"
                 "7|2|COMPLETED|completed|26|30|---|0\n"
                 "7|3|COMPLETED|completed|26|30|---|0\n");
}

static const struct {
    const char *name;
    CMUnitTestFunction function;
} tests[] = {

#define T(name)                                                                                \
    {                                                                                          \
#        name, name                                                                            \
    }
    T(a_run_moves_on),
    T(a_listing_is_weaker_than_the_history),
    T(a_lagging_history_does_not_take_a_start_back),
    T(what_vanished_is_asked_for_by_number),
    T(what_nobody_knows_of_ends_when_it_was_last_seen),
    T(what_comes_back_goes_on),
    T(what_was_never_seen_takes_no_time),
    T(it_is_not_ended_when_asking_again_fails),
    T(a_waiting_one_that_is_another_run_now_is_taken_away),
    T(a_waiting_one_that_is_gone_is_over),
    T(tasks_that_wait_together_become_fewer),
};

int main(void)
{
    struct suite suite = {0};
    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        suite_test_with(&suite, tests[i].name, tests[i].function, set_up, tear_down, NULL);
    }
    return suite_run(&suite, "vanish");
}
