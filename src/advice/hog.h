/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs that hold what they do not use: rules, each with its definition, a threshold and the least time a run must have had. A
 * site may change the numbers and exempt people; what a rule looks at is here. A run of which the use is not known breaks no rule.
 */

#include <stdbool.h>
#include <stddef.h>

/* What is known of a run; a use below 0 is not known. Times in microseconds, memory in bytes. */
struct hog_run {
    double wall, cpus, cpu_used, mem, mem_peak, gpus, gpu_used, time_limit;
    bool running;
    bool completed;
};

/* What is counted as lost. */
enum hog_unit { HOG_CPU_HOURS, HOG_GPU_HOURS, HOG_GIB_HOURS, HOG_RUNS };

struct hog_rule {
    const char *name;
    const char *definition; /* {share} and {time} stand for the threshold and the time */
    double threshold;       /* a share, or a number of runs */
    double least_us;        /* the run had at least so long; of short ones, at most */
    enum hog_unit unit;
    bool by_number; /* it is the number of runs that counts, not what each of them does */
    /* Whether a run breaks it; *share is what it used, *lost what it held and did not. */
    bool (*breaks)(const struct hog_rule *rule, const struct hog_run *run, double *share,
                   double *lost);
};

/* The rules with the numbers that hold where the site says nothing. */
extern const struct hog_rule hog_rules[];
extern const size_t hog_rule_count;

/* The place of a rule in the table; hog_rule_count if there is none of that name. */
size_t hog_find(const char *name);
