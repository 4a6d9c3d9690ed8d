/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Nodes of one kind and the jobs that wait for them.
 *
 * The promise: a slot is given to one run at a time. A run gets all its slots on one node, or,
 * if it may span nodes, on the emptiest there are.
 *
 * Jobs start in the order they came, express ones before the others. When the first cannot
 * start, some behind it may overtake; when it has stood first for hours, none but express ones
 * may, so that large jobs get their turn. Finding a node takes constant time: nodes are kept in
 * lists by how many slots they have free.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "demo/demo_job.h"

/* Slots of one node given to a run; a run's grants are a chain, the master's node first. */
struct demo_grant {
    uint32_t node;
    uint32_t next; /* DEMO_NO_GRANT ends the chain */
    uint16_t slots;
};

#define DEMO_NO_GRANT UINT32_MAX

struct demo_node {
    uint32_t before, after; /* in the list of nodes with as many free slots */
    uint16_t free;
};

/* Jobs in the order they came, in a ring that grows. */
struct demo_line {
    struct demo_request *jobs; /* owned */
    size_t first, count, room; /* room is a power of two */
    int64_t since_s;           /* when the first one became it */
};

struct demo_pool {
    uint16_t slots;                                   /* of a node */
    uint32_t count;                                   /* nodes that are there */
    uint32_t all;                                     /* nodes there will be */
    int64_t free;                                     /* slots in all */
    uint64_t waiting;                                 /* runs in both lines */
    int64_t backlog_slot_s;                           /* what they will take, about */
    struct demo_node *nodes;                          /* owned */
    uint32_t lists[DEMO_NODE_SLOTS_MAX + 1][2];       /* first and last node by free slots */
    uint64_t filled[(DEMO_NODE_SLOTS_MAX + 64) / 64]; /* lists that are not empty */
    struct demo_grant *grants;                        /* owned */
    uint32_t grant_room, grant_free;
    struct demo_line express, common;
};

void demo_queue_init(struct demo_pool *pool, uint16_t slots, uint32_t count, uint32_t all);
void demo_queue_release(struct demo_pool *pool);

/* The nodes that were missing arrive. */
void demo_queue_grow(struct demo_pool *pool);

/* A job joins the end of its line; `again`: a run that ended early goes to the front. */
void demo_queue_join(struct demo_pool *pool, const struct demo_request *job, bool express,
                     int64_t now_s);
void demo_queue_again(struct demo_pool *pool, const struct demo_request *job, int64_t now_s);

/*
 * Takes the next run that can start now off the line: `job` is the job with the task to run,
 * and *grant the chain of its slots. False if none can.
 */
bool demo_queue_next(struct demo_pool *pool, int64_t now_s, struct demo_request *job,
                     uint32_t *grant);

/* The run has ended: its slots are free, the chain is no more. */
void demo_queue_leave(struct demo_pool *pool, uint32_t grant);
