/* SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include "support/expect.h"

static void nobody_ends_a_request_without_a_stop(void **state)
{
    (void)state;
    expect_false(stop_is_set(NULL));
    expect_true(stop_sleep(NULL, 1));
}

static void a_stop_is_set_once_it_was_asked_for(void **state)
{
    (void)state;
    struct stop stop = {0};
    struct error err;
    expect_false(stop_is_set(&stop));
    stop_ask(&stop);
    expect_true(stop_is_set(&stop));
    expect_false(stop_sleep(&stop, INT64_MAX / 2));
    expect_int(stop_explain(&stop, &err), ERROR_STOPPED);
    expect_text(err.text, "interrupted");
}

static void a_deadline_that_has_passed_is_a_stop_and_says_so(void **state)
{
    (void)state;
    const struct stop past = {.deadline_us = stop_clock() - 1};
    const struct stop ahead = {.deadline_us = stop_clock() + INT64_C(3600000000)};
    struct error err;
    expect_true(stop_is_set(&past));
    expect_false(stop_is_set(&ahead));
    expect_int(stop_explain(&past, &err), ERROR_STOPPED);
    expect_contains(err.text, "longer than allowed");
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, nobody_ends_a_request_without_a_stop);
    SUITE_TEST(&suite, a_stop_is_set_once_it_was_asked_for);
    SUITE_TEST(&suite, a_deadline_that_has_passed_is_a_stop_and_says_so);
    return suite_run(&suite, "stop");
}
