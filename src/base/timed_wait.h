/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Waiting for other threads with a limit, on the clock of base/stop.h: one that is set moves no
 * limit.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Waits for `changed` under `guard`; false once stop_clock has passed `until_us`. True may mean
 * nothing: look again.
 */
bool timed_wait_until(pthread_cond_t *changed, pthread_mutex_t *guard, int64_t until_us);
