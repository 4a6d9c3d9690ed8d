/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Waiting that wakes for nothing but its end: a node must not notice that an agent waits on it. The signals that ask for the end are blocked
 * (rest_prepare) but while it waits, so that none is missed in between. For programs of one thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/stop.h"

/* Blocks the signals that `handler` is for, SIGTERM and SIGINT. */
void rest_prepare(void (*handler)(int number));

/* Like stop_sleep: false as soon as the end is asked for. */
bool rest_for(const struct stop *stop, int64_t length_us);

/* Until something can be read, or the other end is closed; false as soon as the end is asked for. */
bool rest_until_readable(int fd, const struct stop *stop);
