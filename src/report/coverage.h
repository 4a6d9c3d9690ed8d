/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What time there are data of: the one place that knows. A cluster, by the name that runs count under, is covered from the
 * day of the first instant of its records to the day of the last one, or to when its scheduler was last asked, but for the
 * gaps that the books know of. Where rules of the books divide a cluster, each part of it is covered as the whole is. Data that reach to within a day of now reach to now: nothing need have happened since. Of time that is
 * not covered nothing is known, so a sum over it is absent rather than zero.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/zone.h"
#include "books/cluster_rule.h"
#include "facts/facts.h"
#include "report/filter.h"

/* A time of which there are data of a cluster. */
struct coverage_stretch {
    struct str cluster;
    struct period period;
};

struct coverage {
    /* by cluster, then by time; those of one cluster are disjoint */
    struct coverage_stretch *rows;
    size_t count, room;
    struct arena arena; /* names of clusters */
};

enum covered {
    COVERED_UNSAID, /* nobody asked */
    COVERED_NOT,
    COVERED_PARTLY,
    COVERED_WHOLLY,
};

/*
 * Of the clusters that pass the filter's conditions on clusters; `rules` may be NULL. `now` is when time ends. `out` is
 * released also when it fails.
 */
int coverage_read(struct facts *facts, const struct filter *filter,
                  const struct cluster_rules *rules, const struct zone *zone, int64_t now,
                  struct coverage *out, struct error *err) MUST_CHECK;
void coverage_release(struct coverage *coverage);

/* Takes a time away from a cluster; from all, if it is the null string. */
void coverage_except(struct coverage *coverage, struct str cluster, struct period period);

/*
 * How much of a time there are data of: of a cluster, or, with NULL, of any. A part of it that has not come yet is for the
 * caller to leave out.
 */
enum covered coverage_of(const struct coverage *coverage, const struct str *cluster,
                         struct period period);

/* Whether there are data of all of a time: of a cluster, or, with NULL, of each. */
bool coverage_is_whole(const struct coverage *coverage, const struct str *cluster,
                       struct period period);

/* From the first to the last instant that is covered; from == to where nothing is. */
struct period coverage_span(const struct coverage *coverage, const struct str *cluster);
