/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The tallies of one cut: one for each group of runs, or one for each bucket of the period.
 */

#include "report/verify/recompute.h"
#include "report/verify/row_sums.h"

struct group_sums {
    struct row_sums *all; /* one a group or bucket */
    size_t count, room;
    struct period period;
    int64_t now;
    const struct zone *zone;
    enum bucket bucket;
    int64_t *edges;                /* of buckets; NULL for groups */
    const struct field *dimension; /* of groups; NULL: one for all */
    struct str *names;             /* of groups; the null string is absent */
    size_t *places;                /* hash of the name -> group + 1 */
    size_t place_count;            /* a power of two */
    struct arena arena;            /* of names */
};

int group_sums_init(struct group_sums *tallies, const struct recompute *recompute,
                    const struct recompute_cut *cut, struct error *err) MUST_CHECK;
void group_sums_release(struct group_sums *tallies);

void group_sums_add(struct group_sums *tallies, const struct run *run);

/*
 * In the shape that question_ask gives: the group or bucket, if the cut has any, then the
 * measures.
 */
void group_sums_table(const struct group_sums *tallies, struct table *out);
