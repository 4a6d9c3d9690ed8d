/* SPDX-License-Identifier: MIT */
#include "base/timed_wait.h"

#include <time.h>

bool timed_wait_until(pthread_cond_t *changed, pthread_mutex_t *guard, int64_t until_us)
{
    const struct timespec until = {.tv_sec = until_us / 1000000,
                                   .tv_nsec = (long)(until_us % 1000000) * 1000};
    return pthread_cond_clockwait(changed, guard, CLOCK_MONOTONIC, &until) == 0;
}
