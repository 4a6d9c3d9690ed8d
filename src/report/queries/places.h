/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the nodes and partitions of a cluster are like now, as they were last listed
 * (facts/inventory.h): where a job that waits may start.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"
#include "table/table.h"

/* A row for each node. */
enum places_node {
    PLACES_NODE_CPUS,
    PLACES_NODE_MEM, /* bytes */
    PLACES_NODE_GPUS,
    PLACES_NODE_PARTITIONS, /* names, with commas between */
};

int places_nodes(struct facts *facts, struct str cluster, int64_t now, struct table *out,
                 struct error *err) MUST_CHECK;

/* A row for each partition. */
enum places_partition {
    PLACES_PARTITION,
    PLACES_LONGEST,    /* time limit that it allows, microseconds; absent: any */
    PLACES_NODE_COUNT, /* nodes that it has, by its own row */
};

int places_partitions(struct facts *facts, struct str cluster, int64_t now, struct table *out,
                      struct error *err) MUST_CHECK;
