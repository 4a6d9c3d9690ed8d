/* SPDX-License-Identifier: MIT */
#include "base/timed_wait.h"

#include "base/stop.h"
#include "support/expect.h"

struct meeting {
    pthread_mutex_t guard;
    pthread_cond_t changed;
    bool met;
};

static void a_time_that_has_passed_is_not_waited_for(void **state)
{
    (void)state;
    struct meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    pthread_mutex_lock(&meeting.guard);
    expect_false(timed_wait_until(&meeting.changed, &meeting.guard, stop_clock() - 1));
    expect_false(timed_wait_until(&meeting.changed, &meeting.guard, 0));
    pthread_mutex_unlock(&meeting.guard);
}

static void a_wait_ends_after_its_time_and_not_before(void **state)
{
    (void)state;
    struct meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    const int64_t until = stop_clock() + 2000;
    pthread_mutex_lock(&meeting.guard);
    while (timed_wait_until(&meeting.changed, &meeting.guard, until)) {
    }
    pthread_mutex_unlock(&meeting.guard);
    expect_true(stop_clock() >= until);
}

static void *meet(void *data)
{
    struct meeting *meeting = data;
    pthread_mutex_lock(&meeting->guard);
    meeting->met = true;
    pthread_cond_broadcast(&meeting->changed);
    pthread_mutex_unlock(&meeting->guard);
    return NULL;
}

static void another_thread_ends_a_wait(void **state)
{
    (void)state;
    struct meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    const int64_t until = stop_clock() + INT64_C(3600000000);
    pthread_t thread;
    pthread_mutex_lock(&meeting.guard);
    expect_int(pthread_create(&thread, NULL, meet, &meeting), 0);
    while (!meeting.met && timed_wait_until(&meeting.changed, &meeting.guard, until)) {
    }
    expect_true(meeting.met);
    pthread_mutex_unlock(&meeting.guard);
    pthread_join(thread, NULL);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_time_that_has_passed_is_not_waited_for);
    SUITE_TEST(&suite, a_wait_ends_after_its_time_and_not_before);
    SUITE_TEST(&suite, another_thread_ends_a_wait);
    return suite_run(&suite, "await");
}
