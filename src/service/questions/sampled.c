/* SPDX-License-Identifier: MIT */
#include "service/questions/sampled.h"

#include <math.h>

#include "report/tables/waste.h"

/* From this share of a run on, samples stand for the whole. */
#define COVERS 0.5

/* A look may be a little before the start or after the end that the scheduler records: clocks of nodes differ from its own. */
#define SLACK_US 60e6

static int compare(const struct table *seen, size_t row, const struct sampled_run *run)
{
    const int by_cluster =
        str_compare(seen->columns[SAMPLED_CLUSTER].cells[row].text, run->cluster);
    const double number = table_real(seen, SAMPLED_JOB, row);
    return by_cluster ? by_cluster : (number > run->job) - (number < run->job);
}

/* The first row of the job, or of what comes after it. */
static size_t find_job(const struct table *seen, const struct sampled_run *run)
{
    size_t low = 0, high = seen->row_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(seen, middle, run) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Job numbers are used again: the looks must be within the run. */
static bool is_within(const struct table *seen, size_t row, const struct sampled_run *run)
{
    return (!table_has(seen, SAMPLED_TASK, row) || run->task < 0 ||
            table_real(seen, SAMPLED_TASK, row) == run->task) &&
           table_real(seen, SAMPLED_FIRST, row) >= run->start - SLACK_US &&
           table_real(seen, SAMPLED_LAST, row) <= run->end + SLACK_US;
}

/*
 * The row of a run; false if there is none, or if its looks cover less than half of the run. The time up to the last look, as a share of the
 * run, is in *coverage.
 */
static bool find_row(const struct table *seen, const struct sampled_run *run, size_t *row,
                     double *coverage)
{
    if (run->job < 0 || run->start < 0 || run->end <= run->start) {
        return false;
    }
    for (*row = find_job(seen, run); *row < seen->row_count && compare(seen, *row, run) == 0;
         ++*row) {
        *coverage = fmin(1, (table_real(seen, SAMPLED_LAST, *row) - run->start) /
                                (run->end - run->start));
        if (is_within(seen, *row, run) && *coverage >= COVERS) {
            return true;
        }
    }
    return false;
}

double sampled_until(const struct table *seen, const struct sampled_run *run, double last_seen)
{
    double until = last_seen;
    if (run->job < 0 || run->start < 0) {
        return until;
    }
    for (size_t row = find_job(seen, run);
         row < seen->row_count && compare(seen, row, run) == 0; row++) {
        if (is_within(seen, row, run)) {
            until = fmax(until, table_real(seen, SAMPLED_LAST, row));
        }
    }
    return until;
}

static double use_at(const struct table *use, size_t column, size_t row)
{
    return table_has(use, column, row) ? table_real(use, column, row) : -1;
}

struct sampled_use sampled_use_of(const struct table *use, const struct sampled_run *run)
{
    size_t row = 0;
    double coverage = 0;
    if (!find_row(use, run, &row, &coverage)) {
        return (struct sampled_use){-1, -1, -1, -1};
    }
    const double cpu = use_at(use, WASTE_USE_CPU, row);
    return (struct sampled_use){
        cpu < 0 ? cpu : cpu / coverage, use_at(use, WASTE_USE_MEMORY, row),
        use_at(use, WASTE_USE_GPUS, row), use_at(use, WASTE_USE_UNUSED, row)};
}
