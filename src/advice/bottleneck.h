/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What holds one run back, from what was seen of it while it ran: would more cpus, GPUs or
 * nodes help? A list of causes, each judged by itself; what the samples do not show is not
 * judged.
 */

#include <stdbool.h>
#include <stddef.h>

/* What is known; below 0 is not known. Shares are of the time it ran, 0 to 1. */
struct bottleneck_run {
    double cpus;    /* that it held */
    double nodes;   /* that were seen */
    double at_work; /* cpus at work on average */
    double peak;    /* most cpus at work in a stretch of time */
    double alone;   /* share of the stretches in which one cpu or less was at work */
    /* cpu time of the node that worked least, as a share of the one that worked most */
    double least_node;
    double io_stall;  /* share of the time in which some process waited for disks */
    double mem_stall; /* the same for memory */
    double cpu_stall; /* the same for a cpu */
    /* share of the time in which it was stopped because its cpus were used up */
    double throttled;
    double gpus;         /* that it held; 0: none */
    double gpus_at_work; /* on average */
    double gpus_unused;  /* of those held, that never were at work */
};

enum bottleneck_verdict {
    BOTTLENECK_UNKNOWN, /* cannot tell */
    BOTTLENECK_NO,
    BOTTLENECK_YES,
};

enum bottleneck_cause {
    BOTTLENECK_THREADS,
    BOTTLENECK_SERIAL,
    BOTTLENECK_IMBALANCE,
    BOTTLENECK_IO,
    BOTTLENECK_MEMORY,
    BOTTLENECK_BANDWIDTH,
    BOTTLENECK_GPUS,
    BOTTLENECK_THROTTLED,
    BOTTLENECK_OVERLOAD,
    BOTTLENECK_CAUSES
};

enum { BOTTLENECK_TEXT_MAX = 256 };

struct bottleneck {
    enum bottleneck_verdict verdict;
    char evidence[BOTTLENECK_TEXT_MAX]; /* a sentence without its full stop, with the numbers */
};

const char *bottleneck_name(enum bottleneck_cause cause);

void bottleneck_find(const struct bottleneck_run *run,
                     struct bottleneck out[BOTTLENECK_CAUSES]);
