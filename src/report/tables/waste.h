/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What samples and the inventory say of many runs at once, for `stint hogs`: what jobs used, how large the nodes of partitions are, and processes
 * that belong to no job or have ended.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "table/table.h"

/* A row for each job that was seen in the period: what it used up to its last look. */
enum waste_use {
    WASTE_USE_CLUSTER,
    WASTE_USE_JOB,
    WASTE_USE_TASK, /* absent: the number of the job says it */
    WASTE_USE_FIRST,
    WASTE_USE_LAST,
    WASTE_USE_CPU,    /* microseconds of cpu time */
    WASTE_USE_MEMORY, /* bytes: the most of each node, added up */
    WASTE_USE_GPUS,   /* GPUs at work on average: absent where none was seen */
    WASTE_USE_UNUSED, /* GPUs that were idle at every look; likewise */
};

int waste_use(struct facts *facts, struct period period, struct table *out,
              struct error *err) MUST_CHECK;

/* The nodes of clusters as they were last seen before the end of the period. */
enum waste_node {
    WASTE_NODE_CLUSTER,
    WASTE_NODE_CPUS,
    WASTE_NODE_GPUS,
    WASTE_NODE_PARTITIONS, /* names, with commas between */
    WASTE_NODE_MEM,        /* bytes */
};

int waste_nodes(struct facts *facts, struct period period, struct table *out,
                struct error *err) MUST_CHECK;

/* Processes outside of jobs, by node, user and program. */
enum waste_session {
    WASTE_SESSION_NODE,
    WASTE_SESSION_USER,
    WASTE_SESSION_COMMAND,
    WASTE_SESSION_CPU,   /* microseconds of cpu time in the period */
    WASTE_SESSION_COUNT, /* processes */
};

int waste_sessions(struct facts *facts, struct period period, struct table *out,
                   struct error *err) MUST_CHECK;

/* Processes that have ended and were not waited for, with how long they were seen so; columns as above, the time in place of cpu time. */
int waste_zombies(struct facts *facts, struct period period, struct table *out,
                  struct error *err) MUST_CHECK;
