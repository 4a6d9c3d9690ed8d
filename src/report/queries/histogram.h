/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How runs are spread over sizes: number, wall time and cpu time of the runs in each bin of a
 * value. Bins are half-open, [1h, 4h): no run lies in two, and none between. Empty bins are
 * rows, too; runs that do not have the value are a last row whose bin is absent.
 */

#include "report/question.h"

struct histogram {
    const char *id;
    const char *label;
    const char *doc;
    const char *column; /* whose values: a field, derived column or dimension */
    bool at_start;      /* of runs that started in the period, else of those that ended in it */
    /*
     * lower edges as people write them, ascending; NULL-terminated. NULL: the dimension has
     * names of its own
     */
    const char *const *bins;
};

extern const struct histogram histograms[];
extern const size_t histogram_count;

const struct histogram *histogram_find(struct str id); /* NULL: unknown */

/* Runs that the hours of a histogram do not include. */
struct histogram_omitted {
    int64_t jobs;         /* all that were counted */
    int64_t without_end;  /* their hours are not recorded */
    int64_t without_cpus; /* of the others: their cpu hours */
    double wall, wall_without_cpus;
};

/*
 * Columns: the bin, jobs, their share, job_wall_hours (all of their run time, without
 * suspension), job_cpu_hours (cpus x that), their share. Period and filters are the question's.
 */
int histogram_ask(struct facts *facts, const struct question *question,
                  const struct histogram *histogram, struct table *answer,
                  struct histogram_omitted *omitted, struct error *err) MUST_CHECK;
