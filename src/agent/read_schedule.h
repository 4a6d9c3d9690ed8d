/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When a counter that is costly to read is read: the driver of a GPU works for milliseconds to
 * give the energy counter, more than for all else together. The counter only grows, so that
 * nothing is lost between two readings; what is lost is when within them it grew. So it is read
 * at every fifth look, and at each look at which another job holds the card, so that what was
 * used before and after is known apart.
 */

#include <stdbool.h>
#include <stdint.h>

enum { READ_SCHEDULE_LOOKS = 5 };

/* Zeroed, nothing was read yet. */
struct read_schedule {
    uint64_t holder; /* whose the card was at the last look; 0: nobody's */
    unsigned looks;  /* since the last reading */
    bool begun;
};

/*
 * Whether to read at this look. Cards take turns: the one with number `card` is read at other
 * looks than its neighbours, after a first reading of all.
 */
bool read_schedule_is_due(struct read_schedule *turn, unsigned card, uint64_t holder);
