/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs and processes that hold what they do not use, or take what is meant for others: rules, each with its definition, a threshold and a
 * time. A site may change the numbers and exempt people; what a rule looks at is here. A run of which the use is not known breaks
 * no rule.
 */

#include <stdbool.h>
#include <stddef.h>

/*
 * What is known of a run; a use below 0 is not known. Times in microseconds, memory in bytes. What is known of the partition is 0 where the
 * nodes of the cluster are not recorded.
 */
struct hog_run {
    double wall, cpus, cpu_used, mem, mem_peak, gpus, gpu_used, time_limit;
    double gpus_unused; /* GPUs that were idle whenever they were looked at */
    double node_cpus,
        partition_cpus; /* of the largest node of its partition, and of all of them */
    bool gpu_nodes;     /* every node of its partition has GPUs */
    bool running;
    bool completed;
};

/* What is counted as lost. */
enum hog_unit { HOG_CPU_HOURS, HOG_GPU_HOURS, HOG_GIB_HOURS, HOG_RUNS, HOG_PROCESSES };

/* What the threshold is. */
enum hog_by {
    HOG_BY_SHARE,  /* a share of what is held, of each run */
    HOG_BY_NUMBER, /* how many runs somebody may have */
    HOG_BY_SUM,    /* what they may come to, in the unit of the rule */
};

/* Where it is looked for. */
enum hog_where {
    HOG_IN_RUNS,
    HOG_IN_ZOMBIES, /* processes that have ended and were not waited for, in samples */
    HOG_IN_SESSIONS /* processes of no job, in samples of the nodes that the site names */
};

struct hog_rule {
    const char *name;
    const char *definition; /* {share} and {time} stand for the threshold and the time */
    const char *remedy;     /* what to do, a sentence to the user */
    double threshold;
    double least_us; /* the run had at least so long; of short ones, at most */
    enum hog_unit unit;
    enum hog_by by;
    enum hog_where where;
    /* holds where the site names partitions or nodes for it, and nowhere else */
    bool named_only;
    /* Whether a run breaks it; *share is what it used (below 0: no matter), *lost what it held and did not. */
    bool (*breaks)(const struct hog_rule *rule, const struct hog_run *run, double *share,
                   double *lost);
};

/* The rules with the numbers that hold where the site says nothing. */
extern const struct hog_rule hog_rules[];
extern const size_t hog_rule_count;

/* The place of a rule in the table; hog_rule_count if there is none of that name. */
size_t hog_find(const char *name);
