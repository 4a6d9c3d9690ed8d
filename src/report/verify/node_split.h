/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A run on its nodes, in C: what `--by node` means, the way without SQL (see recompute.h).
 *
 *     struct node_split nodes = {0};
 *     node_split_read(&nodes, &run, &arena);
 *     for (size_t i = 0; i < nodes.count; i++) {
 *         cut = node_split_part(&nodes, i, &part);
 *     }
 */

#include "base/arena.h"
#include "base/hostlist.h"
#include "record/run.h"
#include "table/table.h"

struct node_split {
    const struct run *run;
    struct hostlist names; /* of the nodes that are recorded, each once, sorted */
    int64_t total;         /* how many there were; 0: nobody knows */
    size_t count;          /* of parts: the names, and one for nodes that are not recorded */
    int64_t *marks; /* the cpus of a node and of those after it; NULL: not known of each */
};

/* Names are the arena's, or lie in the run. */
void node_split_read(struct node_split *nodes, const struct run *run, struct arena *arena);

/* Of `of` parts those from `low` to `high`. */
struct node_split_parts {
    int64_t of, low, high;
};

/* Which part of what a run has is a node's: of its cpus and their time, and of all else. */
struct node_split_cut {
    const struct run *whole;
    struct node_split_parts even, cpus;
};

/* What these parts are of a whole. */
wide_int node_split_share(struct node_split_parts parts, wide_int whole);

/* The run as it was on one of its nodes: `node`, and of what it had in all the node's part. */
struct node_split_cut node_split_part(const struct node_split *nodes, size_t index,
                                      struct run *part);
