/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Finds what samples say of a run in a table of jobs, which begins with cluster, job, task,
 * first and last look and is sorted by the first two (report/queries/waste.h). Inside service/
 * only.
 */

#include <stdbool.h>

#include "base/str.h"
#include "table/table.h"

enum {
    SAMPLE_MATCH_CLUSTER,
    SAMPLE_MATCH_JOB,
    SAMPLE_MATCH_TASK,
    SAMPLE_MATCH_FIRST,
    SAMPLE_MATCH_LAST
};

/* A run; a number below 0 is not known. */
struct sample_match_run {
    struct str cluster;
    double job, task, start, end;
    bool own_number; /* `job` is that of the task alone, which samples need not have then */
};

/*
 * The row of a run; false if it has no row, or if its looks cover less than half of the run.
 * The time up to the last look, as a share of the run, is in *coverage.
 */
bool sample_match_find(const struct table *seen, const struct sample_match_run *run,
                       size_t *row, double *coverage);
