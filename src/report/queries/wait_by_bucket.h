/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How long runs waited within each stretch of a calendar: the one thing about a queue that no
 * aggregate at an instant can tell. Divided by the length of the stretch it is the mean length
 * of the queue.
 *
 * A run waits from its submission to its start, or until it was withdrawn; one that still
 * waits, up to now. One that is over and whose end nobody knows does not count. The cost grows
 * with runs + stretches.
 */

#include "report/question.h"

/*
 * Microseconds waited in each of the `count` stretches between `edges`, within the period of
 * the question and its filters; of metagroups, the one it was submitted in. The caller frees
 * *sums.
 */
int wait_by_bucket_ask(struct facts *facts, const struct question *question,
                       const int64_t *edges, size_t count, int64_t **sums,
                       struct error *err) MUST_CHECK;
