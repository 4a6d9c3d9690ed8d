/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What to tell the owner of a run, from what is known of it: first what went wrong and why,
 * then what to request next time.
 *
 * Following advice must not make anything worse. A request is lowered only on evidence that
 * bounds what the run needed:
 *
 *   memory  a counter that misses no peak. The highest of several samples is a lower bound,
 *           since a peak may lie between two of them: it can raise a request and never lowers
 *           one. What a counter did not see is the time after its last reading; that share of
 *           the run is the risk, and is stated.
 *   cpus    n processors at work on average are replaced by m >= n. The same work then takes
 *           at most 1 + n / m times as long, also if it came in bursts between two samples
 *           (all of it serialized after the longest chain), so that the time limit has to
 *           leave room for that, or is raised with it.
 *   nodes   all of them were seen, and those that go had neither work nor memory.
 *   GPUs    cards that were idle, without memory of a program, at each of many looks that cover the run.
 *
 * Where the evidence is weaker than that, it is said what was seen and nothing is advised.
 */

#include <stdbool.h>
#include <stddef.h>

#include "advice/bottleneck.h"

enum advice_stage { ADVICE_PENDING, ADVICE_RUNNING, ADVICE_ENDED };

enum advice_end {
    ADVICE_OTHER, /* cancelled, lost its node, not recorded: it does not show what it needs */
    ADVICE_COMPLETED,
    ADVICE_FAILED,
    ADVICE_TIMEOUT,
    ADVICE_OUT_OF_MEMORY,
};

/*
 * What is known of a run; a number below 0 is not known. Times in microseconds, memory in
 * bytes, shares 0 to 1. `seen` has what it held (cpus, gpus) and what its samples show; of a
 * run without samples only `at_work` and `gpus_at_work`, by the scheduler.
 */
struct advice_run {
    enum advice_stage stage;
    enum advice_end end;
    int exit_code, signal; /* 0: none */
    double oom_kills;
    double wall, time_limit; /* so far, of one that runs; limit 0: none known */
    double asked_cpus;       /* it may be allocated more, such as whole nodes; 0: not known */
    struct bottleneck_run seen;
    /* share of the run that at_work stands for; 1 for the figure of the scheduler */
    double cpu_covered;
    double nodes;      /* held */
    double idle_end;   /* time at its end (up to now) without work of cpus and GPUs */
    double nodes_idle; /* without work and memory while others worked; all nodes were seen */

    double mem;        /* held, over all nodes; 0: not known */
    double peak;       /* of the node that had most, times the nodes */
    bool peak_counted; /* by a counter that misses no peak, until peak_covered of the run */
    double peak_covered;
    bool peak_at_least; /* part of it is missing: a lower bound */
    bool peak_cache;    /* the file cache is in it: an upper bound */
    double mem_now;     /* of one that runs: the most that it could not give back, as `peak` */

    double gpu_covered; /* share of card time that was looked at */
    double gpu_looks;   /* at the card that was looked at least often */
};

enum advice_what {
    ADVICE_SAY,    /* a cause, or why nothing is advised: nothing to request */
    ADVICE_MEMORY, /* bytes over all nodes */
    ADVICE_TIME,   /* microseconds */
    ADVICE_CPUS,
    ADVICE_NODES,
    ADVICE_GPUS, /* 0: none */
};

enum { ADVICE_MAX = 8, ADVICE_TEXT_MAX = 256 };

struct advice {
    enum advice_what what;
    char cause[ADVICE_TEXT_MAX]; /* what was seen: the beginning of a sentence */
    double wanted;               /* amount to request, not rounded for memory and time */
    double time;                 /* time limit to request with it; 0: it need not change */
    /*
     * Memory over all nodes to request with it, since a request for each cpu or GPU becomes
     * less with them; 0: not known, or it does not depend on them.
     */
    double memory;
    /* how the amount follows: the end of the sentence; may be "" */
    char reason[ADVICE_TEXT_MAX];
    double risk; /* share of the run that nobody saw, in which it may have needed more */
};

/* Causes come before requests. Returns how many there are. */
size_t advice_find(const struct advice_run *run, struct advice out[ADVICE_MAX]);

/*
 * As schedulers take them: up to 256 MiB below 4 GiB and to one GiB above; up to a quarter of
 * an hour.
 */
double advice_round_memory(double bytes);
double advice_round_time(double us);
