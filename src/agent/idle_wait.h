/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Sleeps without periodic wake-ups, so that the agent causes no jitter on the node. The signals
 * that ask for the end are blocked (idle_wait_prepare) but while it waits, so that none is
 * missed in between. For programs of one thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/stop.h"

/* Blocks the signals that `handler` is for, SIGTERM and SIGINT. */
void idle_wait_prepare(void (*handler)(int number));

/* Like stop_sleep: false as soon as the end is asked for. */
bool idle_wait_for(const struct stop *stop, int64_t length_us);

/*
 * Until something can be read, or the other end is closed; false as soon as the end is asked
 * for.
 */
bool idle_wait_until_readable(int fd, const struct stop *stop);
