/* SPDX-License-Identifier: MIT */
#pragma once

/* Threads that do one thing after the other, from a queue of limited length. */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"

struct workers;

int workers_start(size_t threads, size_t queue_max, struct workers **out,
                  struct error *err) MUST_CHECK;

/* Has `work` done with `data` by some thread; false: the queue is full, or is being closed. */
bool workers_submit(struct workers *workers, void (*work)(void *data), void *data) MUST_CHECK;

/*
 * Called by work that is going to wait for others: another thread takes its place until it steps in again. False: too
 * many have stepped out; the work must continue in its place, or end.
 */
bool workers_step_out(struct workers *workers) MUST_CHECK;
void workers_step_in(struct workers *workers);

/* Does all that is queued, then ends the threads. Accepts NULL. */
void workers_stop(struct workers *workers);
