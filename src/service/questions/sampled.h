/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Finds what samples say of a run in a table of jobs, which begins with cluster, job, task, first and last look and is sorted by the first two
 * (report/tables/waste.h). Inside service/ only.
 */

#include <stdbool.h>

#include "base/str.h"
#include "table/table.h"

enum { SAMPLED_CLUSTER, SAMPLED_JOB, SAMPLED_TASK, SAMPLED_FIRST, SAMPLED_LAST };

/* A run; a number below 0 is not known. */
struct sampled_run {
    struct str cluster;
    double job, task, start, end;
};

/*
 * Up to when a run without an end is known to have gone on: to its last look, or, if that is later, to `last_seen`, when its scheduler last had it. `end` of the
 * run is now. Below 0: not known.
 */
double sampled_until(const struct table *seen, const struct sampled_run *run, double last_seen);

/* What a run used, by its samples, with the rate until the last look also after it; a number below 0 is not known. */
struct sampled_use {
    double cpu;    /* microseconds of cpu time */
    double memory; /* bytes at most */
    double gpus;   /* at work on average */
    double unused; /* GPUs that never were */
};

/* `use` is the table of waste_use (report/tables/waste.h). */
struct sampled_use sampled_use_of(const struct table *use, const struct sampled_run *run);
