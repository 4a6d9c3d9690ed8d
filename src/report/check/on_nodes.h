/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A run on its nodes, in C: what `--by node` means, the way without SQL (see recompute.h).
 *
 *     struct on_nodes nodes = {0};
 *     on_nodes_read(&nodes, &run, &arena);
 *     for (size_t i = 0; i < nodes.count; i++) {
 *         cut = on_nodes_part(&nodes, i, &part);
 *     }
 */

#include "base/arena.h"
#include "base/hostlist.h"
#include "record/run.h"

struct on_nodes {
    const struct run *run;
    struct hostlist names; /* of the nodes that are recorded, each once, sorted */
    int64_t total;         /* how many there were; 0: nobody knows */
    size_t count;          /* of parts: the names, and one for nodes that are not recorded */
};

/* Names are the arena's, or lie in the run. */
void on_nodes_read(struct on_nodes *nodes, const struct run *run, struct arena *arena);

/* Which part of what a run has is a node's: of `of` parts those from `low` to `high`. */
struct on_nodes_cut {
    const struct run *whole;
    int64_t of, low, high;
};

/* The run as it was on one of its nodes: `node`, and of what it had in all the node's part. */
struct on_nodes_cut on_nodes_part(const struct on_nodes *nodes, size_t index, struct run *part);
