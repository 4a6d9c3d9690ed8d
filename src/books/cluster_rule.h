/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which cluster a run counts under: a run imported under one name whose node or partition fits
 * a pattern may count as another's, and a cluster may have a new name.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

struct books;

struct cluster_rule {
    struct str cluster;         /* pattern of the name at import */
    struct str node, partition; /* patterns, or null strings: any, absent ones included */
    struct str as;              /* the cluster it counts under */
};

struct cluster_rules {
    struct cluster_rule *rows; /* the first that fits holds */
    size_t count;
    struct arena arena;
};

/*
 * In the order they are to be tried: those with two patterns beside the cluster before those
 * with one, and these before those with none; among equals the older first. `out` is released
 * also when it fails.
 */
int books_cluster_rules(struct books *books, struct cluster_rules *out,
                        struct error *err) MUST_CHECK;
void cluster_rules_release(struct cluster_rules *rules);

/*
 * The names that runs imported under `cluster` may count under, one a call, until it returns
 * false: those of the rules that hold for some of its runs, and its own unless a rule renames
 * all of them. *at is 0 at first. NULL: no rules.
 */
bool cluster_rule_next(const struct cluster_rules *rules, struct str cluster, size_t *at,
                       struct str *name);

/* The cluster a run counts under; null strings are absent and fit no pattern. */
struct str cluster_rule_apply(const struct cluster_rules *rules, struct str cluster,
                              struct str node, struct str partition);
