/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How much was there to be allocated: what utilization is a share of.
 *
 * A question is about the clusters that have runs or nodes and pass its filters on clusters.
 * Where somebody wrote down the size of one (stint capacity) that holds; elsewhere it is what
 * the nodes that were seen have in all (facts/inventory.h). Unless the size of each cluster is
 * known for all of the time, that of all together is unknown.
 *
 * What the nodes were in (down, planned, ...) is known from sightings only. A node that drains,
 * or is switched off to save power, is as good as idle: it may be in use, or could be.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/question.h"
#include "table/table.h"

enum { SIZE_RESOURCES = 2 }; /* cpus, GPUs */

/*
 * What a cluster's nodes had in all, from `at` to the next step; and how much in all before it.
 */
struct size_step {
    int64_t at;
    int64_t rates[SIZE_RESOURCES][SIZE_PARTS];
    bool known[SIZE_RESOURCES];
    wide_int sums[SIZE_RESOURCES][SIZE_PARTS];
    int64_t known_us[SIZE_RESOURCES];
};

struct size_series {
    struct str cluster;
    struct size_step *steps; /* in order of time; none at all: nobody looked */
    size_t count;
};

struct size {
    const struct capacity_list *capacities; /* NULL: none is stated */
    struct table clusters;                  /* the question's: one column */
    struct table changes;                   /* of what the nodes had; text of the series */
    struct size_series *series;
    size_t series_count;
};

/*
 * Reads which clusters the question is about and what they had, if it has to do with sizes at
 * all.
 */
int size_init(struct size *size, struct facts *facts, const struct question *question,
              struct error *err) MUST_CHECK;
void size_release(struct size *size);

/*
 * Resource x microseconds that there were from lower to upper, in millionths: of `cluster`, or
 * of all if that is NULL. SIZE_LEFT is before anything was allocated. False: not known.
 */
bool size_between(const struct size *size, enum measure_per per, enum size_part part,
                  const struct str *cluster, int64_t lower, int64_t upper, wide_int *out);

/*
 * Microseconds from lower to upper for which the size of a cluster is known, and its nodes'
 * states.
 */
int64_t size_known(const struct size *size, enum measure_per per, struct str cluster,
                   int64_t lower, int64_t upper);
int64_t size_looked(const struct size *size, enum measure_per per, struct str cluster,
                    int64_t lower, int64_t upper);

/*
 * Adds a relation: the stretches of nodes, each under the cluster the books say, with seen_to.
 */
void size_add_nodes(const struct cluster_rules *rules, struct statement *sql);
