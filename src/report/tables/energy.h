/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Energy of jobs by samples: the rise of the counters of GPUs while the job held them, and its part of the rise of the counters of the processors
 * of its nodes (RAPL). Between two looks a job has the part of a node's energy that it has of the node's cpu time: what a node takes when idle is borne by those who
 * work on it.
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
    ENERGY_USE_FIRST, /* looks */
    ENERGY_USE_LAST,
    ENERGY_USE_CARDS,      /* joules; absent where no counter was seen */
    ENERGY_USE_PROCESSORS, /* likewise */
};

int energy_use(struct facts *facts, struct period period, struct table *out,
               struct error *err) MUST_CHECK;
