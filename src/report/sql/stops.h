/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When a run stopped holding its resources, as far as anybody knows: the one place where that is said of runs without
 * an end. Inside report/ only.
 *
 * A run that nobody saw end counts up to the last moment it was seen, never beyond now. What it may have held since is
 * an estimate, which is no part of any sum; stops_estimate_* say how large it is.
 */

#include <stdint.h>

#include "facts/statement.h"

/* An instant, of a row that has `seen` and `start`: `until` is the column, or what stands for it. */
void stops_add(struct statement *sql, struct expression until, int64_t now);

/* The last instant that is known of a run, whether it started or not; NULL where there is none. */
void stops_add_last(struct statement *sql, int64_t now);
