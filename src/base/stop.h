/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The end of a request before its own: somebody no longer wants it, or its time is up.
 *
 * A stop belongs to one request, and everything that may take long looks at it: queries,
 * imports, pulls, programs that were started, waits for a lock. Code that finds it set returns
 * ERROR_STOPPED in good order. A null pointer stands for a request that nobody ends.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct stop {
    atomic_int asked;    /* set from any thread, or from a signal handler */
    int64_t deadline_us; /* on stop_clock; 0: none */
};

/* Microseconds of a clock that nobody sets: for deadlines and for how long something took. */
int64_t stop_clock(void);

/* Asks for the end; safe in a signal handler. */
void stop_ask(struct stop *stop);

/* Forgets that the end was asked for, once it has come and is to be reported. */
void stop_forget(struct stop *stop);

/* Whether the end was asked for or the deadline has passed. */
bool stop_is_set(const struct stop *stop);

/* Fills an error that says which of the two it was; returns ERROR_STOPPED. */
int stop_explain(const struct stop *stop, struct error *err);

/*
 * Sleeps, but not beyond the end: returns false as soon as it is asked for, by another thread
 * or by a signal. Nothing else wakes it.
 */
bool stop_sleep(const struct stop *stop, int64_t length_us);
