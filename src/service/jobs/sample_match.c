/* SPDX-License-Identifier: MIT */
#include "service/jobs/sample_match.h"

#include <math.h>

/* From this share of a run on, samples stand for the whole. */
#define COVERS 0.5

/*
 * A look may be a little before the start or after the end that the scheduler records: clocks
 * of nodes differ from its own.
 */
#define SLACK_US 60e6

static int compare_sampled(const struct table *seen, size_t row,
                           const struct sample_match_run *run)
{
    const int by_cluster =
        str_compare(seen->columns[SAMPLE_MATCH_CLUSTER].cells[row].text, run->cluster);
    const double number = table_real(seen, SAMPLE_MATCH_JOB, row);
    return by_cluster ? by_cluster : (number > run->job) - (number < run->job);
}

/* The first row of the job, or of what comes after it. */
static size_t find_job(const struct table *seen, const struct sample_match_run *run)
{
    size_t low = 0, high = seen->row_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_sampled(seen, middle, run) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Job numbers are used again: the looks must be within the run. */
static bool is_within(const struct table *seen, size_t row, const struct sample_match_run *run)
{
    return (run->task < 0 || (table_has(seen, SAMPLE_MATCH_TASK, row)
                                  ? table_real(seen, SAMPLE_MATCH_TASK, row) == run->task
                                  : run->own_number)) &&
           table_real(seen, SAMPLE_MATCH_FIRST, row) >= run->start - SLACK_US &&
           table_real(seen, SAMPLE_MATCH_LAST, row) <= run->end + SLACK_US;
}

bool sample_match_find(const struct table *seen, const struct sample_match_run *run,
                       size_t *row, double *coverage)
{
    if (run->job < 0 || run->start < 0 || run->end <= run->start) {
        return false;
    }
    for (*row = find_job(seen, run);
         *row < seen->row_count && compare_sampled(seen, *row, run) == 0; ++*row) {
        *coverage = fmin(1, (table_real(seen, SAMPLE_MATCH_LAST, *row) - run->start) /
                                (run->end - run->start));
        if (is_within(seen, *row, run) && *coverage >= COVERS) {
            return true;
        }
    }
    return false;
}
