/* SPDX-License-Identifier: MIT */
#include "advice/hog.h"

#include <math.h>
#include <string.h>

#define SECOND 1e6
#define HOUR   (3600 * SECOND)
#define GIB    (1024.0 * 1024 * 1024)

/* Of its cpu time: what a run that hangs may have used at most since it was last looked at. */
#define HANGS 0.1

/*
 * The most and the least that can have been used, of what was held: all or nothing of the time
 * that nobody saw.
 */
static double used_at_most(double used, double unseen, double held)
{
    return fmin(held, used * (1 - unseen / held) + unseen);
}

static double used_at_least(double used, double unseen, double held)
{
    return used * (1 - unseen / held);
}

/*
 * Used of held, below the threshold, even if all of what nobody saw was used; lost is the rest.
 */
static bool below(const struct hog_rule *rule, double used, double unseen, double held,
                  struct hog_found *found)
{
    if (used < 0 || held <= 0) {
        return false;
    }
    found->share = used / held;
    found->lost = held - used;
    found->held = held;
    return used_at_most(used, unseen, held) < rule->threshold * held;
}

/*
 * GPUs and memory are held while a run is suspended, which is not its owner's doing: nobody is
 * to blame for that time.
 */
static double held_us(const struct hog_run *run)
{
    return run->wall + run->suspended;
}

static bool idle_gpus(const struct hog_rule *rule, const struct hog_run *run,
                      struct hog_found *found)
{
    return run->gpus > 0 && run->wall >= rule->least_us &&
           run->gpu_used < rule->threshold * run->gpus * run->wall &&
           below(rule, run->gpu_used, run->gpu_unseen, run->gpus * held_us(run), found);
}

/* Some of several GPUs, while the others work; where none of them does, it is idle_gpus. */
static bool unused_gpus(const struct hog_rule *rule, const struct hog_run *run,
                        struct hog_found *found)
{
    if (run->gpus_unused <= 0 || run->gpus_unused >= run->gpus || run->wall < rule->least_us ||
        run->gpus_unused < rule->threshold * run->gpus) {
        return false;
    }
    found->share = (run->gpus - run->gpus_unused) / run->gpus;
    found->lost = run->gpus_unused * held_us(run);
    return true;
}

/*
 * Of whole nodes for a few cpus that were asked for, it is not the request that is too large.
 */
static bool was_given_more(const struct hog_run *run)
{
    return run->cpus_asked > 0 && run->cpus > 2 * run->cpus_asked;
}

static bool idle_cpus(const struct hog_rule *rule, const struct hog_run *run,
                      struct hog_found *found)
{
    return run->cpus > 1 && run->gpus <= 0 && run->wall >= rule->least_us &&
           !was_given_more(run) &&
           below(rule, run->cpu_used, run->cpu_unseen, run->cpus * run->wall, found);
}

static bool unused_memory(const struct hog_rule *rule, const struct hog_run *run,
                          struct hog_found *found)
{
    if (run->mem < 16 * GIB || run->wall < rule->least_us ||
        !below(rule, run->mem_peak, 0, run->mem, found)) {
        return false;
    }
    found->lost *= held_us(run);
    return true;
}

static bool dead_weight(const struct hog_rule *rule, const struct hog_run *run,
                        struct hog_found *found)
{
    const bool no_gpu_works = run->gpus > 0 ? run->gpu_used == 0 : run->gpu_used <= 0;
    const double held = run->cpus * run->wall;
    if (!run->running || run->wall < rule->least_us || !no_gpu_works || run->cpu_used < 0 ||
        held <= 0 || run->cpu_used >= rule->threshold * held) {
        return false;
    }
    found->share = run->cpu_used / held;
    found->lost = held - run->cpu_used;
    found->held = held;
    return used_at_most(run->cpu_used, run->cpu_unseen, held) < HANGS * held;
}

static bool long_limit(const struct hog_rule *rule, const struct hog_run *run,
                       struct hog_found *found)
{
    if (!run->completed || run->time_limit < rule->least_us ||
        !below(rule, run->wall, 0, run->time_limit, found)) {
        return false;
    }
    found->lost = 1;
    return true;
}

static bool short_run(const struct hog_rule *rule, const struct hog_run *run,
                      struct hog_found *found)
{
    found->share = 0;
    found->lost = 1;
    return !run->running && run->wall > 0 && run->wall < rule->least_us;
}

/* The GPUs do nothing, and the cpus beside them do. */
static bool cpus_beside_gpus(const struct hog_rule *rule, const struct hog_run *run,
                             struct hog_found *found)
{
    const double held = run->cpus * run->wall;
    return held > 0 && used_at_least(run->cpu_used, run->cpu_unseen, held) >= held / 2 &&
           idle_gpus(rule, run, found);
}

/*
 * At least so much of what there is, of which nothing is lost but to others: what it held
 * counts.
 */
static bool holds(const struct hog_rule *rule, const struct hog_run *run, double of,
                  struct hog_found *found)
{
    found->share = -1;
    found->lost = run->cpus * run->wall;
    return of > 0 && run->wall >= rule->least_us && run->cpus >= rule->threshold * of;
}

static bool without_gpus(const struct hog_rule *rule, const struct hog_run *run,
                         struct hog_found *found)
{
    return run->gpu_nodes && run->gpus <= 0 && holds(rule, run, run->node_cpus, found);
}

static bool too_big(const struct hog_rule *rule, const struct hog_run *run,
                    struct hog_found *found)
{
    return holds(rule, run, run->partition_cpus, found);
}

static bool too_small(const struct hog_rule *rule, const struct hog_run *run,
                      struct hog_found *found)
{
    found->share = -1;
    found->lost = run->cpus * run->wall;
    return run->node_cpus > 0 && run->cpus > 0 && run->gpus <= 0 &&
           run->wall >= rule->least_us && run->cpus < rule->threshold * run->node_cpus;
}

static bool small_and_short(const struct hog_rule *rule, const struct hog_run *run,
                            struct hog_found *found)
{
    found->share = -1;
    found->lost = run->cpus * run->wall;
    return !run->running && run->wall > 0 && run->wall < rule->least_us;
}

/*
 * They work, and little: it counts over all runs of somebody. Where they do nothing it is
 * idle_gpus.
 */
static bool low_gpus(const struct hog_rule *rule, const struct hog_run *run,
                     struct hog_found *found)
{
    const double held = run->gpus * run->wall;
    if (held <= 0 || run->gpu_used <= 0 || run->wall < rule->least_us) {
        return false;
    }
    const double most =
        fmin(held, used_at_most(run->gpu_used, run->gpu_unseen, run->gpus * held_us(run)));
    found->share = most / held;
    found->lost = held - most;
    found->held = held;
    return true;
}

static bool paused_gpus(const struct hog_rule *rule, const struct hog_run *run,
                        struct hog_found *found)
{
    const double pause = run->gpu_pause - run->suspended;
    found->share = 1 - pause / run->wall;
    found->lost = run->gpus * pause;
    found->held = run->gpus * run->wall;
    return run->gpus > 0 && run->gpu_used > 0 && pause >= rule->least_us && pause < run->wall;
}

/* Between any two looks the work of one cpu at most: a mean over the run would not show it. */
static bool serial(const struct hog_rule *rule, const struct hog_run *run,
                   struct hog_found *found)
{
    const double held = run->cpus * run->wall;
    found->share = run->cpu_used / held;
    found->lost = held - run->cpu_used;
    found->held = held;
    return run->cpus > 1 && run->gpus <= 0 && run->nodes <= 1 && run->wall >= rule->least_us &&
           !was_given_more(run) && run->cpus_peak > 0 && run->cpus_peak <= 1.2 &&
           used_at_least(run->cpu_used, run->cpu_unseen, held) >= rule->threshold * run->wall;
}

static bool idle_nodes(const struct hog_rule *rule, const struct hog_run *run,
                       struct hog_found *found)
{
    if (run->nodes_idle <= 0 || run->nodes_idle >= run->nodes || run->wall < rule->least_us ||
        run->nodes_idle < rule->threshold * run->nodes) {
        return false;
    }
    found->held = run->cpus * run->wall;
    found->share = (run->nodes - run->nodes_idle) / run->nodes;
    found->lost = found->held * run->nodes_idle / run->nodes;
    return true;
}

/*
 * The nodes that would do, if all of them were like the smallest one: not known where one of
 * its sizes is not.
 */
static bool fits_on_fewer(const struct hog_rule *rule, const struct hog_run *run, double held,
                          double of_node)
{
    if (run->nodes < 2 || of_node <= 0 || run->least_cpus <= 0 || run->mem <= 0 ||
        run->least_mem <= 0 || run->wall < rule->least_us) {
        return false;
    }
    const double needed = fmax(fmax(ceil(held / of_node), ceil(run->cpus / run->least_cpus)),
                               ceil(run->mem / run->least_mem));
    return needed < run->nodes && held <= rule->threshold * run->nodes * of_node;
}

static bool scattered(const struct hog_rule *rule, const struct hog_run *run,
                      struct hog_found *found)
{
    found->share = -1;
    found->lost = found->held = run->cpus * run->wall;
    return run->gpus <= 0 && run->cpus > 0 &&
           fits_on_fewer(rule, run, run->cpus, run->least_cpus);
}

static bool scattered_gpus(const struct hog_rule *rule, const struct hog_run *run,
                           struct hog_found *found)
{
    found->share = -1;
    found->lost = found->held = run->gpus * held_us(run);
    return run->gpus > 0 && fits_on_fewer(rule, run, run->gpus, run->least_gpus);
}

/* More beside each GPU than its part of the node: others cannot use the GPUs that are left. */
static bool beside_gpus(const struct hog_rule *rule, const struct hog_run *run, double held,
                        double of_gpu, struct hog_found *found)
{
    const double part = rule->threshold * run->gpus * of_gpu;
    found->share = -1;
    found->held = held * run->wall;
    found->lost = (held - part) * run->wall;
    return run->gpus > 0 && of_gpu > 0 && run->wall >= rule->least_us && held > part;
}

static bool many_cpus_per_gpu(const struct hog_rule *rule, const struct hog_run *run,
                              struct hog_found *found)
{
    return beside_gpus(rule, run, run->cpus, run->cpus_per_gpu, found);
}

static bool much_memory_per_gpu(const struct hog_rule *rule, const struct hog_run *run,
                                struct hog_found *found)
{
    return beside_gpus(rule, run, run->mem, run->mem_per_gpu, found);
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
    {.name = "low-gpus",
     .definition = "GPUs that worked, less than {share} of the time over all runs of {time} or "
                   "longer, which held {sum} or more together",
     .remedy =
         "Find out what the GPUs wait for: stint scale -j says what limits a run. A smaller "
         "GPU, or a part of one, may be enough.",
     .threshold = 0.15,
     .least_us = HOUR / 6,
     .least_sum = 100,
     .unit = HOG_GPU_HOURS,
     .by = HOG_BY_MEAN,
     .breaks = low_gpus},
    {.name = "paused-gpus",
     .definition = "GPUs that worked, and did nothing for {time} or longer at a stretch",
     .remedy = "End sessions that wait, and do in a job without GPUs what does not need them.",
     .least_us = 4 * HOUR,
     .unit = HOG_GPU_HOURS,
     .breaks = paused_gpus},
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
    {.name = "cpus-per-gpu",
     .definition =
         "more cpus held for {time} or longer than {share} of what a node has for each "
         "of the GPUs held",
     .remedy = "GPUs of a node without free cpus cannot be used by others: ask for fewer cpus.",
     .threshold = 1,
     .least_us = HOUR / 6,
     .unit = HOG_CPU_HOURS,
     .breaks = many_cpus_per_gpu},
    {.name = "memory-per-gpu",
     .definition = "more memory held for {time} or longer than {share} of what a node has for "
                   "each of the GPUs held",
     .remedy =
         "GPUs of a node without free memory cannot be used by others: ask for less memory.",
     .threshold = 1,
     .least_us = HOUR / 6,
     .unit = HOG_GIB_HOURS,
     .breaks = much_memory_per_gpu},
    {.name = "idle-cpus",
     .definition =
         "several cpus held for {time} or longer, of whose time less than {share} was used",
     .remedy = "Ask for as many cpus as the program uses; stint rightsize says how many.",
     .threshold = 0.1,
     .least_us = HOUR,
     .unit = HOG_CPU_HOURS,
     .breaks = idle_cpus},
    {.name = "serial",
     .definition =
         "several cpus of one node held for {time} or longer, with the work of one of "
         "them at most between any two samples, and that for {share} of the time or "
         "more",
     .remedy =
         "The program uses one cpu: ask for one, or start it so that it runs in parallel.",
     .threshold = 0.5,
     .least_us = HOUR,
     .unit = HOG_CPU_HOURS,
     .breaks = serial},
    {.name = "idle-nodes",
     .definition =
         "{share} or more of several nodes held for {time} or longer did nothing while "
         "others worked",
     .remedy =
         "Ask for as many nodes as the program uses, or see that its processes start on all "
         "of them.",
     .threshold = 0.01,
     .least_us = HOUR,
     .unit = HOG_CPU_HOURS,
     .breaks = idle_nodes},
    {.name = "scattered",
     .definition =
         "cpus on several nodes for {time} or longer that fit on fewer, {share} or less "
         "of what they have",
     .remedy = "Ask for fewer nodes with more cpus of each: whole nodes stay free for others.",
     .threshold = 0.5,
     .least_us = HOUR,
     .unit = HOG_CPU_HOURS,
     .breaks = scattered},
    {.name = "scattered-gpus",
     .definition =
         "GPUs on several nodes for {time} or longer that fit on fewer, {share} or less "
         "of what they have",
     .remedy =
         "Ask for GPUs of fewer nodes: they reach each other faster, and nodes stay whole.",
     .threshold = 0.5,
     .least_us = HOUR,
     .unit = HOG_GPU_HOURS,
     .breaks = scattered_gpus},
    {.name = "unused-memory",
     .definition = "16 GiB or more held for {time} or longer, less than {share} of which was "
                   "ever used, on "
                   "the node that used most",
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
