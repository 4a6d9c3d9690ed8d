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

/* Some of several GPUs, while the others work; where none of them does, it is idle_gpus. */
static bool unused_gpus(const struct hog_rule *rule, const struct hog_run *run, double *share,
                        double *lost)
{
    if (run->gpus_unused <= 0 || run->gpus_unused >= run->gpus || run->wall < rule->least_us ||
        run->gpus_unused < rule->threshold * run->gpus) {
        return false;
    }
    *share = (run->gpus - run->gpus_unused) / run->gpus;
    *lost = run->gpus_unused * run->wall;
    return true;
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
    const bool no_gpu_works = run->gpus > 0 ? run->gpu_used == 0 : run->gpu_used <= 0;
    return run->running && run->wall >= rule->least_us && no_gpu_works &&
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

/* The GPUs do nothing, and the cpus beside them do. */
static bool cpus_beside_gpus(const struct hog_rule *rule, const struct hog_run *run,
                             double *share, double *lost)
{
    return run->cpus > 0 && run->cpu_used >= run->cpus * run->wall / 2 &&
           idle_gpus(rule, run, share, lost);
}

/* At least so much of what there is, of which nothing is lost but to others: what it held counts. */
static bool holds(const struct hog_rule *rule, const struct hog_run *run, double of,
                  double *share, double *lost)
{
    *share = -1;
    *lost = run->cpus * run->wall;
    return of > 0 && run->wall >= rule->least_us && run->cpus >= rule->threshold * of;
}

static bool without_gpus(const struct hog_rule *rule, const struct hog_run *run, double *share,
                         double *lost)
{
    return run->gpu_nodes && run->gpus <= 0 && holds(rule, run, run->node_cpus, share, lost);
}

static bool too_big(const struct hog_rule *rule, const struct hog_run *run, double *share,
                    double *lost)
{
    return holds(rule, run, run->partition_cpus, share, lost);
}

static bool too_small(const struct hog_rule *rule, const struct hog_run *run, double *share,
                      double *lost)
{
    *share = -1;
    *lost = run->cpus * run->wall;
    return run->node_cpus > 0 && run->cpus > 0 && run->gpus <= 0 &&
           run->wall >= rule->least_us && run->cpus < rule->threshold * run->node_cpus;
}

static bool small_and_short(const struct hog_rule *rule, const struct hog_run *run,
                            double *share, double *lost)
{
    *share = -1;
    *lost = run->cpus * run->wall;
    return !run->running && run->wall > 0 && run->wall < rule->least_us;
}

const struct hog_rule hog_rules[] = {
    {.name = "idle-gpus",
     .definition = "GPUs held for {time} or longer and busy less than {share} of the time",
     .remedy = "Ask for GPUs only where the program uses them, and end sessions that wait.",
     .threshold = 0.05,
     .least_us = HOUR,
     .unit = HOG_GPU_HOURS,
     .breaks = idle_gpus},
    {.name = "unused-gpus",
     .definition =
         "several GPUs held for {time} or longer, {share} or more of which were never "
         "used while others were",
     .remedy = "Ask for as many GPUs as the program uses, or find out why it does not use all.",
     .threshold = 0.1,
     .least_us = HOUR,
     .unit = HOG_GPU_HOURS,
     .breaks = unused_gpus},
    {.name = "cpu-hogs",
     .definition =
         "half or more of the cpu time used for {time} or longer beside GPUs that are "
         "held and busy less than {share} of the time",
     .remedy = "The program computes without the GPUs: run it in a partition without them, or "
               "find out why it does not see them.",
     .threshold = 0.05,
     .least_us = HOUR / 6,
     .unit = HOG_GPU_HOURS,
     .breaks = cpus_beside_gpus},
    {.name = "without-gpus",
     .definition = "no GPU asked for, and {share} or more of a node's cpus held for {time} or "
                   "longer in a partition all of whose nodes have GPUs",
     .remedy = "Others cannot use the GPUs of a node whose cpus are taken: use a partition "
               "without GPUs.",
     .threshold = 0.1,
     .least_us = HOUR / 6,
     .unit = HOG_CPU_HOURS,
     .breaks = without_gpus},
    {.name = "idle-cpus",
     .definition =
         "several cpus held for {time} or longer, of whose time less than {share} was used",
     .remedy = "Ask for as many cpus as the program uses; stint rightsize says how many.",
     .threshold = 0.1,
     .least_us = HOUR,
     .unit = HOG_CPU_HOURS,
     .breaks = idle_cpus},
    {.name = "unused-memory",
     .definition =
         "16 GiB or more held for {time} or longer, of which less than {share} was ever used",
     .remedy = "Ask for less memory; stint rightsize says how much was used.",
     .threshold = 0.2,
     .least_us = HOUR,
     .unit = HOG_GIB_HOURS,
     .breaks = unused_memory},
    {.name = "dead-weight",
     .definition =
         "still running after {time} or longer, with less than {share} of its cpu time used",
     .remedy = "It may hang: look at its output, and cancel it if it does nothing.",
     .threshold = 0.01,
     .least_us = 2 * HOUR,
     .unit = HOG_CPU_HOURS,
     .breaks = dead_weight},
    {.name = "long-limits",
     .definition = "a time limit of {time} or longer, of which less than {share} was needed",
     .remedy = "A shorter limit starts earlier, since it fits into gaps; stint rightsize says "
               "how long runs took.",
     .threshold = 0.05,
     .least_us = 24 * HOUR,
     .unit = HOG_RUNS,
     .breaks = long_limit},
    {.name = "short-runs",
     .definition = "more than {share} runs shorter than {time} in the period",
     .remedy = "Put many short tasks into one job: starting takes longer than running.",
     .threshold = 1000,
     .least_us = 60 * SECOND,
     .unit = HOG_RUNS,
     .by = HOG_BY_NUMBER,
     .breaks = short_run},
    {.name = "vampires",
     .definition = "runs shorter than {time} that come to more than {share} together",
     .remedy = "Each run is small, and all together they are not: put them into fewer, longer "
               "jobs that can be planned.",
     .threshold = 1000,
     .least_us = HOUR / 6,
     .unit = HOG_CPU_HOURS,
     .by = HOG_BY_SUM,
     .breaks = small_and_short},
    {.name = "too-big",
     .definition = "{share} or more of the cpus of its partition held for {time} or longer",
     .remedy = "Others wait while one run holds most of a partition: use a larger one, or "
               "smaller runs.",
     .threshold = 0.5,
     .least_us = 24 * HOUR,
     .unit = HOG_CPU_HOURS,
     .breaks = too_big},
    {.name = "too-small",
     .definition =
         "less than {share} of a node's cpus held for {time} or longer, in a partition "
         "that is meant for large runs",
     .remedy = "The partition is kept for runs that need its nodes: use another one.",
     .threshold = 0.25,
     .least_us = HOUR / 6,
     .unit = HOG_CPU_HOURS,
     .named_only = true,
     .breaks = too_small},
    {.name = "login-nodes",
     .definition = "processes outside of jobs that used more than {share} in the period, on "
                   "nodes that are for logging in",
     .remedy = "Login nodes are shared by all: submit it as a job.",
     .threshold = 1,
     .unit = HOG_CPU_HOURS,
     .by = HOG_BY_SUM,
     .where = HOG_IN_SESSIONS,
     .named_only = true},
    {.name = "zombies",
     .definition =
         "processes that have ended and that their parent has not waited for, seen for "
         "{time} or longer",
     .remedy = "End their parents, which have forgotten them.",
     .least_us = 24 * HOUR,
     .unit = HOG_PROCESSES,
     .by = HOG_BY_NUMBER,
     .where = HOG_IN_ZOMBIES},
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
