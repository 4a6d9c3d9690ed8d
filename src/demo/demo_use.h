/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a run is measured to have used. The values hang together: cpu time follows from slots,
 * wall time and the habit's efficiency, the memory integral from cpu time and memory, faults
 * from memory, I/O from cpu time, context switches from I/O and wall time.
 */

#include "demo/demo_job.h"

/* Draws what `slots` slots of a run that ended so have used: all of it, or one node's part. */
struct demo_use demo_use_draw(const struct demo_request *request,
                              const struct demo_habit *habit, const struct demo_fate *fate,
                              int64_t slots, struct demo_random *random);
