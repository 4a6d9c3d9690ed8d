/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The cluster that a run or a node counts under, by the rules of the books: the one place where
 * these become SQL. Inside report/ only.
 */

#include "books/cluster_rule.h"
#include "facts/statement.h"

enum cluster_case {
    CLUSTER_CASE_RUN,
    CLUSTER_CASE_NODE, /* is in several partitions: one that fits is enough */
};

/*
 * "CASE WHEN ... ELSE cluster END", or "cluster" without rules: in rows that have cluster, node
 * and their partitions.
 */
void cluster_case_add(const struct cluster_rules *rules, enum cluster_case what,
                      struct statement *sql);
