/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From values to places, and the round numbers along the way.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "record/unit.h"

enum { SCALE_TICKS_MAX = 24 };

struct scale_step;

/* An axis. A linear one begins and ends at a tick. */
struct scale {
    double low, high;
    bool logarithmic;
    double ticks[SCALE_TICKS_MAX];
    size_t count;
    double tick;                   /* from one tick to the next; logarithmic: 0 */
    const struct scale_step *step; /* how ticks are written */
    enum unit unit;
};

/*
 * The axis for values from `least` to `greatest` with about `wanted` ticks, zero among them.
 * Whatever is given, the axis is finite and not empty.
 */
struct scale scale_make(double least, double greatest, enum unit unit, int wanted);

/*
 * A logarithmic axis where all values are above zero and the greatest is a thousand times the
 * least and more; else scale_make's.
 */
struct scale scale_wide(double least, double greatest, enum unit unit, int wanted);

/* 0 at the low end, 1 at the high one; never outside. */
double scale_at(const struct scale *scale, double value);

/* Writes the value of a tick: 2,500, 1.5 M, 40 %, 6 h. */
void scale_label(struct buf *out, const struct scale *scale, double value);

/* Writes any value in about three figures: 1.26 M, 907 k, 45.2 %, 3.5 h. */
void scale_value(struct buf *out, enum unit unit, double value);

/*
 * The round number of 1, 2, 5, 10, 20 ... (seconds: 1 s ... 1 min ... 1 h ... 1 d) next below
 * or at `value` > 0.
 */
double scale_round_below(double value, enum unit unit);

/* The one after a round number. */
double scale_round_next(double value, enum unit unit);

/* A round width for bins: a tick of the unit, not below `raw`. */
double scale_width(double raw, enum unit unit);
