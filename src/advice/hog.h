/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs and processes that hold what they do not use, or take what is meant for others: rules,
 * each with its definition, a threshold and a time. A site may change the numbers and exempt
 * people; what a rule looks at is here. A run whose use is not known, or is not known well
 * enough, breaks no rule.
 */

#include <stdbool.h>
#include <stddef.h>

/*
 * What is known of a run; a use below 0 is not known. Times in microseconds, memory in bytes.
 * What is known of the partition is 0 where the nodes of the cluster are not recorded; what
 * only samples show is 0 without samples.
 */
struct hog_run {
    /* without the time it was suspended, in which it held all but its cpus */
    double wall, suspended;
    double cpus, cpu_used, mem, gpus, gpu_used, time_limit, nodes;
    /*
     * Cpu time and GPU time, of what it held, in which nobody looked: it may have used all of
     * it, or nothing. `used` is as if it had gone on as in the time that was seen.
     */
    double cpu_unseen, gpu_unseen;
    /*
     * Peak of the node that had most, times the nodes: a request is the same for each of them.
     * By a counter of the kernel: the highest of several looks, a sampler's or a scheduler's,
     * bounds nothing, and is not known here.
     */
    double mem_peak;
    /* GPUs that were idle, without memory of a program, whenever they were looked at */
    double gpus_unused;
    double gpu_pause;  /* longest time in which none of its GPUs worked */
    double cpus_peak;  /* most cpus at work between two looks */
    double nodes_idle; /* nodes without work while others worked */
    double node_cpus,
        partition_cpus; /* of the largest node of its partition, and of all of them */
    double least_cpus, least_mem, least_gpus; /* of the smallest node */
    double cpus_per_gpu, mem_per_gpu;         /* of the node that has most for each GPU */
    bool gpu_nodes;                           /* every node of its partition has GPUs */
    double cpus_asked; /* it may be allocated more, such as whole nodes; 0: not known */
    bool running;
    bool completed;
};

/* How a run breaks a rule. */
struct hog_found {
    double share; /* what it used of what it held; below 0: does not apply */
    double lost;  /* what it held and did not use, in the small unit of the rule */
    double held;
};

/* What is counted as lost. */
enum hog_unit { HOG_CPU_HOURS, HOG_GPU_HOURS, HOG_GIB_HOURS, HOG_RUNS, HOG_PROCESSES };

/* What the threshold is. */
enum hog_by {
    HOG_BY_SHARE,  /* a share of what is held, of each run */
    HOG_BY_NUMBER, /* how many runs somebody may have */
    HOG_BY_SUM,    /* what they may come to, in the unit of the rule */
    HOG_BY_MEAN,   /* a share of what somebody holds, over all of their runs */
};

/* Where it is looked for. */
enum hog_where {
    HOG_IN_RUNS,
    HOG_IN_ZOMBIES, /* processes that have ended and were not waited for, in samples */
    HOG_IN_SESSIONS /* processes of no job, in samples of the nodes that the site names */
};

struct hog_rule {
    const char *name;
    const char *definition; /* {share}, {time} and {sum} stand for the numbers */
    const char *remedy;     /* what to do, a sentence to the user */
    double threshold;
    double least_us; /* the run had at least so long; of short ones, at most */
    /*
     * what somebody's runs lose together, in the unit of the rule, from which on they are
     * named; by mean: hold
     */
    double least_sum;
    enum hog_unit unit;
    enum hog_by by;
    enum hog_where where;
    /* holds where the site names partitions or nodes for it, and nowhere else */
    bool named_only;
    /* Whether a run breaks it, and how. */
    bool (*breaks)(const struct hog_rule *rule, const struct hog_run *run,
                   struct hog_found *found);
};

/* The rules with the numbers that hold where the site says nothing. */
extern const struct hog_rule hog_rules[];
extern const size_t hog_rule_count;

/* The place of a rule in the table; hog_rule_count if no rule has that name. */
size_t hog_find(const char *name);
