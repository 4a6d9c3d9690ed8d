/* SPDX-License-Identifier: MIT */
#include "advice/hog.h"

#include <math.h>
#include <string.h>

#define SECOND 1e6
#define HOUR   (3600 * SECOND)
#define GIB    (1024.0 * 1024 * 1024)

/* Used of held, below the threshold; lost is the rest. */
static bool below(const struct hog_rule *rule, double used, double held, double *share,
                  double *lost)
{
    if (used < 0 || held <= 0) {
        return false;
    }
    *share = used / held;
    *lost = held - used;
    return *share < rule->threshold;
}

static bool idle_gpus(const struct hog_rule *rule, const struct hog_run *run, double *share,
                      double *lost)
{
    return run->gpus > 0 && run->wall >= rule->least_us &&
           below(rule, run->gpu_used, run->gpus * run->wall, share, lost);
}

static bool idle_cpus(const struct hog_rule *rule, const struct hog_run *run, double *share,
                      double *lost)
{
    return run->cpus > 1 && run->gpus <= 0 && run->wall >= rule->least_us &&
           below(rule, run->cpu_used, run->cpus * run->wall, share, lost);
}

static bool unused_memory(const struct hog_rule *rule, const struct hog_run *run, double *share,
                          double *lost)
{
    if (run->mem < 16 * GIB || run->wall < rule->least_us ||
        !below(rule, run->mem_peak, run->mem, share, lost)) {
        return false;
    }
    *lost *= run->wall;
    return true;
}

static bool dead_weight(const struct hog_rule *rule, const struct hog_run *run, double *share,
                        double *lost)
{
    return run->running && run->wall >= rule->least_us && run->gpu_used <= 0 &&
           below(rule, run->cpu_used, run->cpus * run->wall, share, lost);
}

static bool long_limit(const struct hog_rule *rule, const struct hog_run *run, double *share,
                       double *lost)
{
    if (!run->completed || run->time_limit < rule->least_us ||
        !below(rule, run->wall, run->time_limit, share, lost)) {
        return false;
    }
    *lost = 1;
    return true;
}

static bool short_run(const struct hog_rule *rule, const struct hog_run *run, double *share,
                      double *lost)
{
    *share = 0;
    *lost = 1;
    return !run->running && run->wall > 0 && run->wall < rule->least_us;
}

const struct hog_rule hog_rules[] = {
    {"idle-gpus", "GPUs held for {time} or longer and busy less than {share} of the time", 0.05,
     HOUR, HOG_GPU_HOURS, false, idle_gpus},
    {"idle-cpus",
     "several cpus held for {time} or longer, of whose time less than {share} was used", 0.1,
     HOUR, HOG_CPU_HOURS, false, idle_cpus},
    {"unused-memory",
     "16 GiB or more held for {time} or longer, of which less than {share} was ever used", 0.2,
     HOUR, HOG_GIB_HOURS, false, unused_memory},
    {"dead-weight",
     "still running after {time} or longer, with less than {share} of its cpu time used", 0.01,
     2 * HOUR, HOG_CPU_HOURS, false, dead_weight},
    {"long-limits", "a time limit of {time} or longer, of which less than {share} was needed",
     0.05, 24 * HOUR, HOG_RUNS, false, long_limit},
    {"short-runs", "more than {share} runs shorter than {time} in the period", 1000,
     60 * SECOND, HOG_RUNS, true, short_run},
};
const size_t hog_rule_count = sizeof(hog_rules) / sizeof(hog_rules[0]);

size_t hog_find(const char *name)
{
    size_t i = 0;
    while (i < hog_rule_count && strcmp(hog_rules[i].name, name) != 0) {
        i++;
    }
    return i;
}
