/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Why a job waits, and whether it can start at all: what its scheduler says, in plain words,
 * and what its partitions have. Where neither is known, nothing is said. Knows neither the
 * store nor the form of an answer.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum wait_verdict {
    WAIT_UNKNOWN, /* nothing follows from what is known */
    WAIT_GOES_ON, /* it starts without anybody doing anything */
    WAIT_HELD,    /* it starts once somebody has done something */
    WAIT_NEVER,   /* it does not start as it was submitted */
};

/* A job that waits. Amounts are of the whole job; 0 is not known. */
struct wait_job {
    struct str source;        /* driver that read it: slurm, sge */
    struct str id;            /* as its scheduler's programs take it */
    struct str state, reason; /* as its scheduler has them; ptr NULL: not known */
    double nodes, cpus, mem, gpus;
    double time_limit; /* microseconds */
};

/* A node; below 0 is not known. */
struct wait_node {
    double cpus, mem, gpus;
};

/*
 * A partition in which it may start. Without nodes it is not known what it has; else these are
 * all of them.
 */
struct wait_place {
    struct str partition;
    const struct wait_node *nodes;
    size_t node_count;
    double longest; /* time limit that it allows, microseconds; 0: any, or not known */
};

enum { WAIT_TEXT_MAX = 512 };

/*
 * What the scheduler says. `text` is a sentence without its full stop, "" if nothing is said.
 */
enum wait_verdict wait_explain(const struct wait_job *job, char text[WAIT_TEXT_MAX]);

/*
 * Whether none of its places can ever hold it, of schedulers whose requests bound what is
 * allocated; `text` says why. A job that is requested as so many cpus with so much memory for
 * each, and one with so much memory on each node, look the same: it fits if it does either way.
 */
bool wait_never_fits(const struct wait_job *job, const struct wait_place *places, size_t count,
                     char text[WAIT_TEXT_MAX]);
