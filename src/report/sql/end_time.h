/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The effective end of a run, also of one whose end is not recorded; defined here only. Inside
 * report/ only.
 *
 * A run that nobody saw end counts up to the last moment it was seen, never beyond now. What it
 * may have held since is an estimate, which is no part of any sum; stops_estimate_* say how
 * large it is.
 */

#include <stdint.h>

#include "facts/statement.h"

/*
 * An instant, of a row that has `seen` and `start`: `until` is the column, or what stands for
 * it.
 */
void end_time_add(struct statement *sql, struct expression until, int64_t now);

/*
 * The last instant that is known of a run, whether it started or not; NULL where no time is known.
 */
void end_time_add_last(struct statement *sql, int64_t now);
