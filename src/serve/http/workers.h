/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Threads that do one thing after the other, from a queue of limited length. Clients take
 * turns: one that submits a great deal waits behind its own work, and others do not wait behind
 * it. Where there are several threads, one client has all but one of them at most, so that
 * others do not have to wait for the end of long work either.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"

struct workers;

int workers_start(size_t threads, size_t queue_max, struct workers **out,
                  struct error *err) MUST_CHECK;

/*
 * Has `work` done with `data` by some thread, for the one whom `whose` stands for (a hash; two
 * that share one share their turns). False: the queue is full, or the part of it that one may
 * have, or it is being closed.
 */
bool workers_submit(struct workers *workers, uint64_t whose, void (*work)(void *data),
                    void *data) MUST_CHECK;

/*
 * Called by work that is going to wait for others: another thread takes its place until it
 * steps in again. `whose` is as it was submitted. False: too many have stepped out; the work
 * must continue in its place, or end.
 */
bool workers_step_out(struct workers *workers, uint64_t whose) MUST_CHECK;
void workers_step_in(struct workers *workers, uint64_t whose);

/* Does all that is queued, then ends the threads. Accepts NULL. */
void workers_stop(struct workers *workers);
