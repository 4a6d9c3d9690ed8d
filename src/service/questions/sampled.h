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
 * The row of a run; false if there is none, or if its looks cover less than half of the run. The time up to the last look, as a share of the
 * run, is in *coverage.
 */
bool sampled_find(const struct table *seen, const struct sampled_run *run, size_t *row,
                  double *coverage);
