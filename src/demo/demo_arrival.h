/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When the next submission comes to a cluster, and from what kind of people: a Poisson process
 * whose rate follows the clock and the cluster's trend, and which is steered so that a given
 * number of runs comes out in the end: each hour gets its share of what is still to come.
 */

#include <stddef.h>
#include <stdint.h>

#include "demo/demo_clock.h"
#include "demo/demo_people.h"
#include "demo/demo_random.h"
#include "demo/demo_site.h"

struct demo_arrival {
    const struct demo_clock *clock;
    struct demo_crowd crowds[DEMO_RHYTHM_COUNT];
    uint64_t weights[DEMO_RHYTHM_COUNT]; /* of the crowds; a busy hour of all is WEIGHT_ONE */
    uint32_t *hours;                     /* owned; weight of each hour */
    uint64_t all, left; /* weights of all hours; of the present one and those after it */
    size_t hour;        /* the present one; clock->count: it is over */
    int64_t hour_end_s; /* of the present hour */
    int64_t next_s;     /* next submission in this hour, or INT64_MAX */
    uint64_t expected;  /* submissions in this hour, times 65536 */
    uint64_t due;       /* the next one comes when so much of `expected` is through */
    uint32_t mean_runs; /* of a submission, times 256 */
};

/* `clock` is borrowed. Set mean_runs, then call demo_arrival_begin. */
void demo_arrival_init(struct demo_arrival *arrival, const struct demo_clock *clock,
                       const struct demo_people *people, size_t cluster);
void demo_arrival_release(struct demo_arrival *arrival);

/*
 * Begins the first hour, and turns to the next one. `to_come` is how many runs are still
 * wanted, `mood` how many thousandths of what they would like to submit people do submit,
 * seeing how long the line is.
 */
void demo_arrival_begin(struct demo_arrival *arrival, int64_t to_come,
                        struct demo_random *random);
void demo_arrival_turn(struct demo_arrival *arrival, int64_t to_come, uint32_t mood);

/* The submission at next_s has been made: next_s is that of the one after it. */
void demo_arrival_made(struct demo_arrival *arrival, struct demo_random *random);

/* Draws who makes a submission in that hour. */
uint32_t demo_arrival_person(const struct demo_arrival *arrival,
                             const struct demo_people *people, size_t hour,
                             struct demo_random *random);
