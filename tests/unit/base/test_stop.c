/* SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "support/expect.h"

static struct stop asked_by_signal;

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

static void *ask(void *data)
{
    stop_ask(data);
    return NULL;
}

static void whoever_sleeps_is_woken_by_another_thread(void **state)
{
    (void)state;
    struct stop stop = {0};
    pthread_t thread;
    expect_int(pthread_create(&thread, NULL, ask, &stop), 0);
    expect_false(stop_sleep(&stop, INT64_MAX / 2));
    pthread_join(thread, NULL);
}

static void ask_by_signal(int number)
{
    (void)number;
    stop_ask(&asked_by_signal);
}

static void whoever_sleeps_is_woken_by_a_signal(void **state)
{
    (void)state;
    const struct itimerval soon = {.it_value.tv_usec = 1000};
    const struct sigaction action = {.sa_handler = ask_by_signal};
    expect_int(sigaction(SIGALRM, &action, NULL), 0);
    expect_int(setitimer(ITIMER_REAL, &soon, NULL), 0);
    expect_false(stop_sleep(&asked_by_signal, INT64_MAX / 2));
}

static void a_deadline_ends_a_sleep(void **state)
{
    (void)state;
    const struct stop soon = {.deadline_us = stop_clock() + 1000};
    expect_false(stop_sleep(&soon, INT64_MAX / 2));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, nobody_ends_a_request_without_a_stop);
    SUITE_TEST(&suite, a_stop_is_set_once_it_was_asked_for);
    SUITE_TEST(&suite, a_deadline_that_has_passed_is_a_stop_and_says_so);
    SUITE_TEST(&suite, whoever_sleeps_is_woken_by_another_thread);
    SUITE_TEST(&suite, whoever_sleeps_is_woken_by_a_signal);
    SUITE_TEST(&suite, a_deadline_ends_a_sleep);
    return suite_run(&suite, "stop");
}
