/* SPDX-License-Identifier: MIT */

/* Work of several parties, by one thread, so that the order is known. */

#include "serve/http/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "support/expect.h"

enum { DONE_MAX = 64 };

static struct done {
    pthread_mutex_t guard;
    pthread_cond_t changed;
    bool open; /* the first work may end */
    char order[DONE_MAX + 1];
    size_t count;
} done = {.guard = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void wait_for_gate(void *data)
{
    (void)data;
    pthread_mutex_lock(&done.guard);
    while (!done.open) {
        pthread_cond_wait(&done.changed, &done.guard);
    }
    pthread_mutex_unlock(&done.guard);
}

static void note(void *data)
{
    pthread_mutex_lock(&done.guard);
    done.order[done.count++] = *(const char *)data;
    pthread_cond_broadcast(&done.changed);
    pthread_mutex_unlock(&done.guard);
}

/* Until that many notes were taken. */
static void await_done(size_t count)
{
    pthread_mutex_lock(&done.guard);
    while (done.count < count) {
        pthread_cond_wait(&done.changed, &done.guard);
    }
    pthread_mutex_unlock(&done.guard);
}

static void begin(void)
{
    done.open = false;
    done.count = 0;
}

static void open_gate(void)
{
    pthread_mutex_lock(&done.guard);
    done.open = true;
    pthread_cond_broadcast(&done.changed);
    pthread_mutex_unlock(&done.guard);
}

static void parties_take_turns(void **state)
{
    (void)state;
    static char a = 'a', b = 'b', c = 'c';
    struct workers *workers = NULL;
    struct error err;
    begin();
    expect_int(workers_start(1, 40, &workers, &err), 0);
    expect_true(workers_submit(workers, 7, wait_for_gate, NULL));
    for (int i = 0; i < 6; i++) {
        expect_true(workers_submit(workers, 1, note, &a));
    }
    expect_true(workers_submit(workers, 2, note, &b));
    expect_true(workers_submit(workers, 2, note, &b));
    expect_true(workers_submit(workers, 3, note, &c));
    open_gate();
    workers_stop(workers);
    done.order[done.count] = '\0';
    expect_text(done.order, "abcabaaaa");
}

static void one_party_has_a_part_of_the_queue(void **state)
{
    (void)state;
    static char a = 'a', b = 'b';
    struct workers *workers = NULL;
    struct error err;
    begin();
    expect_int(workers_start(1, 8, &workers, &err), 0);
    expect_true(workers_submit(workers, 7, wait_for_gate, NULL));
    size_t taken = 0;
    for (int i = 0; i < 8; i++) {
        taken += workers_submit(workers, 1, note, &a);
    }
    expect_int((int64_t)taken, 4);
    expect_true(workers_submit(workers, 2, note, &b));
    open_gate();
    workers_stop(workers);
    expect_int((int64_t)done.count, 5);
}

/* All workers but one at most are of one party, until some of its work steps out. */
static void one_party_leaves_a_worker_to_others(void **state)
{
    (void)state;
    static char a = 'a', b = 'b';
    struct workers *workers = NULL;
    struct error err;
    begin();
    expect_int(workers_start(2, 8, &workers, &err), 0);
    expect_true(workers_submit(workers, 1, wait_for_gate, NULL));
    expect_true(workers_submit(workers, 1, wait_for_gate, NULL));
    expect_true(workers_submit(workers, 1, note, &a));
    expect_true(workers_submit(workers, 2, note, &b));
    await_done(1);
    expect_int(done.order[0], 'b');
    open_gate();
    await_done(2);
    expect_int(done.order[1], 'a');
    workers_stop(workers);
}

static struct workers *left; /* by whom work steps out */

static void wait_outside(void *data)
{
    const bool out = workers_step_out(left, 1);
    expect_true(out);
    wait_for_gate(data);
    workers_step_in(left, 1);
}

static void what_steps_out_does_not_count(void **state)
{
    (void)state;
    static char a = 'a';
    struct error err;
    begin();
    expect_int(workers_start(2, 8, &left, &err), 0);
    expect_true(workers_submit(left, 1, wait_outside, NULL));
    expect_true(workers_submit(left, 1, wait_outside, NULL));
    expect_true(workers_submit(left, 1, note, &a));
    await_done(1);
    open_gate();
    workers_stop(left);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, parties_take_turns);
    SUITE_TEST(&suite, one_party_has_a_part_of_the_queue);
    SUITE_TEST(&suite, one_party_leaves_a_worker_to_others);
    SUITE_TEST(&suite, what_steps_out_does_not_count);
    return suite_run(&suite, "workers_threads");
}
