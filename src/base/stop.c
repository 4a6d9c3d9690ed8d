/* SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include <time.h>

enum { LOOK_US = 20000 };

int64_t stop_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void stop_ask(struct stop *stop)
{
    atomic_store_explicit(&stop->asked, 1, memory_order_relaxed);
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

bool stop_sleep(const struct stop *stop, int64_t length_us)
{
    const int64_t until = stop_clock() + length_us;
    int64_t left = length_us;
    while (left > 0 && !stop_is_set(stop)) {
        const int64_t step = left < LOOK_US ? left : LOOK_US;
        const struct timespec pause = {.tv_nsec = (long)step * 1000};
        nanosleep(&pause, NULL);
        left = until - stop_clock();
    }
    return !stop_is_set(stop);
}
