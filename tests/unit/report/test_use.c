/* SPDX-License-Identifier: MIT */

/*
 * Which teller's figure counts, by hand: the scheduler's, that of samples, the kernel's own peak. A number below 0 is not
 * known; of a count, samples that cover a share s of the run stand for counted / s.
 */
#include "report/use/use.h"

#include <string.h>

#include "support/expect.h"

struct figure_row {
    const char *name;
    enum use_resource of;
    struct use_tellers says;
    double used;
    const char *basis;
    bool at_least, concludes;
};

#define NOTHING .recorded = -1, .sampled = -1, .kept = -1

static const struct figure_row figure_rows[] = {
    {"nobody says anything", USE_CPU, {NOTHING}, -1, "", false, false},
    {"the scheduler alone",
     USE_CPU,
     {.recorded = 47, .sampled = -1, .kept = -1},
     47,
     "scheduler",
     false,
     true},
    {"one of twelve nodes, all its cpus busy: the scheduler's figure stands",
     USE_CPU,
     {.recorded = 47, .sampled = 4, .sampled_by = USE_CGROUP, .kept = -1, .covered = 1. / 12},
     47,
     "scheduler",
     false,
     true},
    {"the same without the scheduler's figure is a lower bound",
     USE_CPU,
     {.recorded = -1, .sampled = 4, .sampled_by = USE_CGROUP, .kept = -1, .covered = 1. / 12},
     4,
     "cgroup",
     true,
     false},
    {"even where it is more than the scheduler's, of too little of the run",
     USE_CPU,
     {.recorded = 3, .sampled = 4, .sampled_by = USE_CGROUP, .kept = -1, .covered = 0.79},
     3,
     "scheduler",
     false,
     true},
    {"samples stand for the rest of the run, at their rate",
     USE_CPU,
     {.recorded = -1, .sampled = 40, .sampled_by = USE_CGROUP, .kept = -1, .covered = 0.8},
     50,
     "cgroup",
     false,
     true},
    {"the scheduler knows of what came after the last look",
     USE_CPU,
     {.recorded = 44, .sampled = 40, .sampled_by = USE_CGROUP, .kept = -1, .covered = 0.8},
     44,
     "scheduler",
     false,
     true},
    {"the scheduler missed processes that the kernel counted",
     USE_CPU,
     {.recorded = 0, .sampled = 40, .sampled_by = USE_CGROUP, .kept = -1, .covered = 1},
     40,
     "cgroup",
     false,
     true},
    {"a count of 0 is known",
     USE_READ,
     {.recorded = -1, .sampled = 0, .sampled_by = USE_CGROUP, .kept = -1, .covered = 1},
     0,
     "cgroup",
     false,
     true},
    {"what counters rose by between looks far apart is a lower bound",
     USE_CPU,
     {.recorded = -1,
      .sampled = 3,
      .counted = 600,
      .sampled_by = USE_CGROUP,
      .kept = -1,
      .covered = 0.005},
     600,
     "cgroup",
     true,
     false},
    {"GPUs by their cards",
     USE_GPU,
     {.recorded = -1, .sampled = 9, .sampled_by = USE_CARDS, .kept = -1, .covered = 0.9},
     10,
     "GPU",
     false,
     true},
    {"the highest peak: the scheduler's",
     USE_MEMORY,
     {.recorded = 9, .sampled = 4, .sampled_by = USE_CGROUP, .kept = 8, .covered = 1},
     9,
     "scheduler",
     false,
     true},
    {"the highest peak: the kernel's",
     USE_MEMORY,
     {.recorded = 5, .sampled = 4, .sampled_by = USE_CGROUP, .kept = 8, .covered = 1},
     8,
     "kernel",
     false,
     true},
    {"the highest peak: that of a look",
     USE_MEMORY,
     {.recorded = 5, .sampled = 7, .sampled_by = USE_PROCESSES, .kept = -1, .covered = 1},
     7,
     "processes",
     false,
     true},
    {"a peak that was seen counts, however little was covered",
     USE_MEMORY,
     {.recorded = 5, .sampled = 7, .sampled_by = USE_CGROUP, .kept = -1, .covered = 0.01},
     7,
     "cgroup",
     false,
     true},
    {"peaks are not scaled",
     USE_MEMORY,
     {.recorded = -1, .sampled = 7, .sampled_by = USE_CGROUP, .kept = -1, .covered = 0.9},
     7,
     "cgroup",
     false,
     true},
    {"one node of several: at least",
     USE_MEMORY,
     {.recorded = -1, .sampled = 7, .sampled_by = USE_CGROUP, .kept = 8, .covered = 0.5},
     8,
     "kernel",
     true,
     false},
    {"the largest task alone: at least",
     USE_MEMORY,
     {.recorded = 5, .recorded_at_least = true, .sampled = -1, .kept = -1},
     5,
     "scheduler",
     true,
     false},
    {"the largest task, and looks at all nodes",
     USE_MEMORY,
     {.recorded = 5,
      .recorded_at_least = true,
      .sampled = 9,
      .sampled_by = USE_CGROUP,
      .kept = -1,
      .covered = 0.9},
     9,
     "cgroup",
     false,
     true},
    {"the largest task is more than looks saw of all: at least",
     USE_MEMORY,
     {.recorded = 9,
      .recorded_at_least = true,
      .sampled = 5,
      .sampled_by = USE_PROCESSES,
      .kept = -1,
      .covered = 0.9},
     9,
     "scheduler",
     true,
     false},
    {"energy: samples are nearer to the run than what the scheduler has of its nodes",
     USE_ENERGY,
     {.recorded = 90, .sampled = 8, .sampled_by = USE_COUNTERS, .kept = -1, .covered = 0.8},
     10,
     "sampled",
     false,
     true},
    {"energy: too little of it is sampled to be called measured",
     USE_ENERGY,
     {.recorded = 90, .sampled = 7, .sampled_by = USE_COUNTERS, .kept = -1, .covered = 0.7},
     90,
     "scheduler",
     false,
     true},
    {"energy: the same without the scheduler's figure is a lower bound",
     USE_ENERGY,
     {.recorded = -1, .sampled = 7, .sampled_by = USE_COUNTERS, .kept = -1, .covered = 0.7},
     7,
     "sampled",
     true,
     false},
    {"memory of cards",
     USE_GPU_MEMORY,
     {.recorded = -1, .sampled = 6, .sampled_by = USE_CARDS, .kept = -1, .covered = 1},
     6,
     "GPU",
     false,
     true},
};

static void a_figure_is_that_of_the_best_teller(void **state)
{
    const struct figure_row *row = *state;
    const struct use_figure found = use_resolve(row->of, &row->says);
    expect_double(found.used, row->used, 1e-9);
    expect_text(use_basis_name(found.basis), row->basis);
    expect_int(found.at_least, row->at_least);
    expect_int(found.concludes, row->concludes);
    expect_double(use_share(&found, 100), row->concludes ? row->used / 100 : -1, 1e-9);
}

static void file_cache_is_named_where_the_kernels_peak_has_it(void **state)
{
    (void)state;
    const struct use_tellers kernel = {
        .recorded = 5, .sampled = 4, .kept = 8, .all_kept = true, .cached = true, .covered = 1};
    const struct use_tellers scheduler = {
        .recorded = 9, .sampled = 4, .kept = 8, .cached = true, .covered = 1};
    expect_true(use_resolve(USE_MEMORY, &kernel).with_cache);
    expect_true(!use_resolve(USE_MEMORY, &scheduler).with_cache);
    expect_true(use_resolve(USE_MEMORY, &kernel).kept);
}

static void a_peak_of_one_task_of_several_is_a_lower_bound(void **state)
{
    (void)state;
    expect_true(use_is_lower_bound("task-rss", strlen("task-rss"), 8));
    expect_true(use_is_lower_bound("process-rss", strlen("process-rss"), 8));
    expect_true(use_is_lower_bound("task-rss", strlen("task-rss"), -1));
    expect_true(!use_is_lower_bound("task-rss", strlen("task-rss"), 1));
    expect_true(!use_is_lower_bound("job-rss", strlen("job-rss"), 8));
    expect_true(!use_is_lower_bound(NULL, 0, 8));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_figure_is_that_of_the_best_teller, figure_rows);
    SUITE_TEST(&suite, file_cache_is_named_where_the_kernels_peak_has_it);
    SUITE_TEST(&suite, a_peak_of_one_task_of_several_is_a_lower_bound);
    return suite_run(&suite, "use");
}
