/* SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t stop_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void stop_ask(struct stop *stop)
{
    const int before = errno; /* of whatever a signal interrupts */
    atomic_store_explicit(&stop->asked, 1, memory_order_relaxed);
    (void)syscall(SYS_futex, &stop->asked, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    errno = before;
}

void stop_forget(struct stop *stop)
{
    atomic_store_explicit(&stop->asked, 0, memory_order_relaxed);
}

static bool is_asked(const struct stop *stop)
{
    return atomic_load_explicit(&stop->asked, memory_order_relaxed) != 0;
}

bool stop_is_set(const struct stop *stop)
{
    return stop &&
           (is_asked(stop) || (stop->deadline_us > 0 && stop_clock() >= stop->deadline_us));
}

int stop_explain(const struct stop *stop, struct error *err)
{
    return stop && !is_asked(stop)
               ? error_set(err, ERROR_STOPPED,
                           "it took longer than allowed; request less, or a shorter period")
               : error_set(err, ERROR_STOPPED, "interrupted");
}

/* Waits for that long, for a signal, or for stop_ask. */
static void pause_for(const struct stop *stop, int64_t length_us)
{
    const struct timespec length = {.tv_sec = length_us / 1000000,
                                    .tv_nsec = (long)(length_us % 1000000) * 1000};
    if (stop) { /* not begun if it was asked meanwhile: the kernel compares with 0 */
        (void)syscall(SYS_futex, &stop->asked, FUTEX_WAIT_PRIVATE, 0, &length, NULL, 0);
    } else {
        (void)nanosleep(&length, NULL);
    }
}

bool stop_sleep(const struct stop *stop, int64_t length_us)
{
    const int64_t began = stop_clock();
    const int64_t until = began < INT64_MAX - length_us ? began + length_us : INT64_MAX;
    const bool ends = stop && stop->deadline_us > 0 && stop->deadline_us < until;
    const int64_t end = ends ? stop->deadline_us : until;
    for (int64_t now = began; now < end && !stop_is_set(stop); now = stop_clock()) {
        pause_for(stop, end - now);
    }
    return !stop_is_set(stop);
}
