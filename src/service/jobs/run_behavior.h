/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How a run behaved, in the terms of advice/: what it held and used, by its record and its
 * samples. Inside service/ only.
 */

#include "advice/advice.h"
#include "service/jobs/job_samples.h"
#include "table/table.h"

/* `runs` has USE_FIELDS; what it does not have is not known. */
struct bottleneck_run run_behavior_seen(const struct table *runs, size_t row,
                                        const struct job_samples *samples);

struct advice_run run_behavior(const struct table *runs, size_t row,
                               const struct job_samples *samples);
