/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How large a cluster must be for the work it will get: a sample of its submissions says how
 * much a run takes on average, the number of runs and the length of the period do the rest.
 */

#include <stdint.h>

#include "demo/demo_arrival.h"
#include "demo/demo_job.h"
#include "demo/demo_people.h"

struct demo_machine {
    uint32_t before[DEMO_POOLS_MAX]; /* nodes at the start */
    uint32_t nodes[DEMO_POOLS_MAX];  /* nodes after growing; 0: there is no such pool */
    struct demo_bounds bounds;       /* of what can be asked for */
    uint32_t mean_runs;              /* of a submission, times 256 */
};

/* Deterministic for the seed. `arrival` must not have been advanced. */
struct demo_machine demo_machine_plan(size_t cluster, int64_t runs, uint64_t seed,
                                      const struct demo_people *people,
                                      const struct demo_arrival *arrival);
