/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What samples say of one run: by node, by card, and over time. A control group counts all processes of a run (basis `cgroup`);
 * without one, the processes that were seen are added up (`processes`), which misses those that came and went. Of a node that has
 * both, the control group counts.
 *
 * Memory is what the run cannot give back: anonymous and shared memory; the cache of files is not in it.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "table/table.h"

/* Which samples: those of a job of a batch system within the time it ran. */
struct job_use_question {
    struct str cluster;
    int64_t job;
    int64_t task; /* counts where samples have one and has_task */
    bool has_task;
    struct period during;
};

/* Columns of job_use_nodes. Times and amounts are integers in their small units. */
enum job_use_node {
    JOB_USE_NODE,
    JOB_USE_BASIS,
    JOB_USE_LOOKS,
    JOB_USE_FIRST, /* instants of the first and last look */
    JOB_USE_LAST,
    JOB_USE_CPU,    /* cpu time used until then */
    JOB_USE_MEMORY, /* most at one look */
    JOB_USE_READ,
    JOB_USE_WRITTEN,
    JOB_USE_THROTTLED,
    JOB_USE_OOM,
    JOB_USE_IO_STALL, /* time for which some process waited for disks */
    JOB_USE_MEM_STALL,
    JOB_USE_MEM_BASIS, /* of memory, which not every kernel counts for control groups */
    JOB_USE_NODE_COLUMNS
};

int job_use_nodes(struct facts *facts, const struct job_use_question *question,
                  struct table *out, struct error *err) MUST_CHECK;

/* Columns of job_use_cards, a row a card that the run held. */
enum job_use_card {
    JOB_USE_CARD_NODE,
    JOB_USE_CARD_INDEX, /* text */
    JOB_USE_CARD_UUID,
    JOB_USE_CARD_LOOKS,
    JOB_USE_CARD_BUSY,   /* mean share of the time, a real number; 1 is all of it */
    JOB_USE_CARD_MEMORY, /* most at one look */
    JOB_USE_CARD_SIZE,
    JOB_USE_CARD_ENERGY, /* joules between the first look and the last */
    JOB_USE_CARD_COLUMNS
};

int job_use_cards(struct facts *facts, const struct job_use_question *question,
                  struct table *out, struct error *err) MUST_CHECK;

/*
 * Over time, in at most `slots` stretches of equal length: when each begins, cpus at work, memory, GPUs at work, memory of GPUs,
 * bytes read and written a second. Columns of an answer of its own, with their names; a stretch without a look is left out.
 */
int job_use_timeline(struct facts *facts, const struct job_use_question *question, size_t slots,
                     struct table *out, struct error *err) MUST_CHECK;
