/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Energy of jobs by samples: the rise of the counters of GPUs while the job held them, and its part of the rise of the counters of the processors
 * of its nodes (RAPL). Between two looks a job has the part of a node's energy that it has of the node's cpu time: what a node takes when idle is borne by those who
 * work on it. Of two looks between which the period begins or ends, the part of the rise counts that the period has of the time between them, so that periods
 * add up.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "table/table.h"

/* Columns; a row a job, sorted by cluster and job. */
enum energy_use {
    ENERGY_USE_CLUSTER,
    ENERGY_USE_JOB,
    ENERGY_USE_TASK,  /* absent: the number of the job says it */
    ENERGY_USE_FIRST, /* looks, or where the period cuts between two of them */
    ENERGY_USE_LAST,
    ENERGY_USE_CARDS,      /* joules; absent where no counter was seen */
    ENERGY_USE_PROCESSORS, /* likewise */
};

/* One job, of which nothing else is read. */
struct energy_job {
    struct str cluster;
    int64_t job;
};

/* `only` is NULL for all jobs of the period. */
int energy_use(struct facts *facts, struct period period, const struct energy_job *only,
               struct table *out, struct error *err) MUST_CHECK;
