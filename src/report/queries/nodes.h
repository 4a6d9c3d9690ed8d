/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The nodes of clusters as they were at a moment, what the runs of that moment held of each,
 * and the stretches of time in which one stayed the same. From sightings (facts/inventory.h)
 * and runs.
 *
 * A run has its nodes as a list and its cpus in all. Where it spans several its cpus are split
 * evenly among them, which is a guess and said so, unless the list says how many each node had;
 * a list that cannot be read is in no node, and counted.
 *
 * Of the present, what the scheduler says that it has allocated decides, where it says so. Both
 * are of everybody's runs, for every caller (facts/everyone.h).
 */

#include "report/question.h"

/*
 * What can be shown of a node: its fields (record/inventory_item.h), and what is worked out
 * beside them.
 */
const struct inventory_item_field *nodes_column_at(size_t index); /* NULL beyond the last */
const struct inventory_item_field *nodes_column_find(struct str id);

/* Whether it is recorded over time; what is worked out is of a moment. */
bool nodes_column_has_history(const struct inventory_item_field *field);

/* What nodes can be counted by. */
const char *nodes_key_at(size_t index); /* NULL beyond the last */

enum { NODES_COLUMNS_MAX = 32, NODES_KEYS_MAX = 4 };

struct nodes_question {
    int64_t at;  /* -1: when each cluster was last looked at */
    int64_t now; /* how old sightings are is computed from here, or from `at` */
    const struct zone *zone;
    struct filter filter; /* on cluster, node, class, state, partition and reservation */
    const struct inventory_item_field *columns[NODES_COLUMNS_MAX];
    size_t column_count;
    const char *keys[NODES_KEYS_MAX + 1]; /* of nodes_key_at; none: a row for each node */
    size_t key_count;
    bool total; /* counts without keys, all nodes once */
};

/* What stands beside the rows. */
struct nodes_notes {
    int64_t split;      /* runs whose cpus were split evenly among their nodes */
    bool fractions;     /* what is held of a node may be no whole number */
    int64_t unreadable; /* runs of which nobody can say where they ran */
    bool whole; /* the runs of everybody are in sight; else what is taken may be unknown */
    struct table looks; /* when each cluster was last looked at: report/queries/pull_age.h */
};

/* The caller zeroes `notes` before and releases looks after. */
int nodes_ask(struct facts *facts, const struct nodes_question *question, struct table *answer,
              struct nodes_notes *notes, struct error *err) MUST_CHECK;

/* Counts partitions and reservations of one name on several clusters by cluster. */
void nodes_by_cluster(struct nodes_question *question);

/* How many clusters somebody ever looked at. */
int nodes_clusters(struct facts *facts, int64_t *count, struct error *err) MUST_CHECK;

/*
 * The stretches of nodes in a period, in order: cluster, node, from, until (absent: still so),
 * length within what was looked at, then the columns of the question. `at` and keys are not
 * looked at.
 */
int nodes_history(struct facts *facts, const struct nodes_question *question,
                  struct period period, struct table *answer, struct error *err) MUST_CHECK;
