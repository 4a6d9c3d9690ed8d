/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What time there are data of: the one place that knows. A cluster, by the name that runs count
 * under, is covered from the day of the first instant of its records to the day of the last
 * one, or to when its scheduler was last asked, but for the gaps that the books know of. Where
 * rules of the books divide a cluster, each part of it is covered as the whole is. Data that
 * reach to within a day of now reach to now: nothing need have happened since. Of time that is
 * not covered nothing is known, so a sum over it is absent rather than zero.
 *
 * A gap may concern some runs only, such as those of a partition. It is a gap of a row that is
 * about these alone, none of a row that is about others, and of any other row some data are
 * missing.
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
#include "table/table.h"

/* A time of which there are data of a cluster. */
struct coverage_stretch {
    struct str cluster;
    struct period period;
};

/* A time of which data are missing of the runs whose field fits a pattern. */
struct coverage_gap {
    struct str cluster; /* the null string: of all */
    struct period period;
    const struct field *only;
    struct str pattern;
};

struct coverage {
    /* by cluster, then by time; those of one cluster are disjoint */
    struct coverage_stretch *rows;
    size_t count, room;
    struct coverage_gap *gaps; /* of some runs */
    size_t gap_count, gap_room;
    struct arena arena; /* names of clusters, patterns */
};

/*
 * A row of an answer, by what it is about: the first columns of the table are these dimensions.
 */
struct coverage_row {
    const struct field *const *dimensions;
    size_t count; /* 0: all together */
    const struct table *table;
    size_t row;
};

enum covered {
    COVERED_UNSAID, /* nobody asked */
    COVERED_NOT,
    COVERED_PARTLY,
    COVERED_WHOLLY,
};

/*
 * Of the clusters that pass the filter's conditions on clusters; `rules` may be NULL. `now` is
 * when time ends. `out` is released also when it fails.
 */
int coverage_read(struct facts *facts, const struct filter *filter,
                  const struct cluster_rules *rules, const struct zone *zone, int64_t now,
                  struct coverage *out, struct error *err) MUST_CHECK;
void coverage_release(struct coverage *coverage);

/* Takes a time away from a cluster; from all, if it is the null string. */
void coverage_except(struct coverage *coverage, struct str cluster, struct period period);

/* Takes a time away from the runs that a gap concerns. Text is copied. */
void coverage_except_some(struct coverage *coverage, const struct coverage_gap *gap);

/*
 * How much of a time there are data of: of a cluster, or, with NULL, of any. A part of it that
 * has not come yet is for the caller to leave out. Gaps of some runs do not count.
 */
enum covered coverage_of(const struct coverage *coverage, const struct str *cluster,
                         struct period period);

/* The cluster that a row is about; NULL: any. */
const struct str *coverage_cluster(const struct coverage_row *row);

/* The same of what a row is about, gaps of some runs included. */
enum covered coverage_of_row(const struct coverage *coverage, const struct coverage_row *row,
                             struct period period);

/*
 * Whether there are data of all of a time for a row: of its cluster, or, where it has none, of
 * each.
 */
bool coverage_is_whole(const struct coverage *coverage, const struct coverage_row *row,
                       struct period period);

/*
 * Whether rows by these dimensions may be covered differently: by cluster, or by what a gap
 * goes by.
 */
bool coverage_differs(const struct coverage *coverage, const struct field *const *dimensions,
                      size_t count);

/* From the first to the last instant that is covered; from == to where nothing is. */
struct period coverage_span(const struct coverage *coverage, const struct str *cluster);
