/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When to look, and whether somebody has set the clock in between. All times are microseconds;
 * `wall` is since 1970, `steady` that of a clock that nobody sets (stop_clock).
 */

#include <stdint.h>

/* Zeroed, there was no look yet. */
struct clocks {
    int64_t wall, steady; /* at the last look */
    int64_t set_back;     /* how often the clock was set back */
};

/*
 * Notes a look. By how many seconds the clock was set since the last one: below 0 is back, 0 is
 * not at all.
 */
int64_t clocks_note(struct clocks *clocks, int64_t wall, int64_t steady);

/*
 * How long to wait for the next look. Looks are at multiples of the interval, later by a part
 * of a tenth of it that is the node's own (`node` is any number of its own): all nodes of a job
 * are seen at about the same time, and do not all send at once. Each time the clock is set back
 * they come a second later than before, since samples of one second are one sample.
 */
int64_t clocks_wait(const struct clocks *clocks, int64_t wall, int64_t every, uint64_t node);

/*
 * How much longer to wait when the time has come: a second if the clock was set back since the
 * last look, and else not at all.
 */
int64_t clocks_delay(const struct clocks *clocks, int64_t wall, int64_t steady);
