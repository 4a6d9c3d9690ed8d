/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What samples and the inventory say of many runs at once, for `stint hogs`, beside what they
 * used (report/use): how long GPUs paused, how large the nodes of partitions are, and processes
 * that belong to no job or have ended.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "table/table.h"

/*
 * A row for each job whose GPUs were looked at in the period: the longest time from one look to
 * another at and between which none of them worked. A look that does not say whether a card is
 * busy, and looks further apart than WASTE_PAUSE_GAP_US, end it. Columns as of
 * service/jobs/sample_match.h.
 */
enum waste_pause {
    WASTE_PAUSE_CLUSTER,
    WASTE_PAUSE_JOB,
    WASTE_PAUSE_TASK, /* absent: the number of the job says it */
    WASTE_PAUSE_FIRST,
    WASTE_PAUSE_LAST,
    WASTE_PAUSE, /* microseconds */
};

#define WASTE_PAUSE_GAP_US (INT64_C(15) * 60 * 1000000)

int waste_pauses(struct facts *facts, struct period period, struct table *out,
                 struct error *err) MUST_CHECK;

/*
 * Partitions of clusters, as they were last seen before the end of the period, where they were
 * listed.
 */
enum waste_partition {
    WASTE_PARTITION_CLUSTER,
    WASTE_PARTITION_NAME,
    WASTE_PARTITION_NODES,
    WASTE_PARTITION_CPUS,
};

int waste_partitions(struct facts *facts, struct period period, struct table *out,
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

/* Processes outside of jobs, by cluster, node, user and program. */
enum waste_session {
    WASTE_SESSION_CLUSTER,
    WASTE_SESSION_NODE,
    WASTE_SESSION_USER,
    WASTE_SESSION_COMMAND,
    WASTE_SESSION_CPU,   /* microseconds of cpu time in the period */
    WASTE_SESSION_COUNT, /* processes */
};

int waste_sessions(struct facts *facts, struct period period, struct table *out,
                   struct error *err) MUST_CHECK;

/*
 * Processes that have ended and were not waited for, with how long they were seen so; columns
 * as above, the time in place of cpu time.
 */
int waste_zombies(struct facts *facts, struct period period, struct table *out,
                  struct error *err) MUST_CHECK;
