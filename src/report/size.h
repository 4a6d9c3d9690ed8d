/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How much was there to be allocated: what utilization is a share of.
 *
 * A question is about the clusters that runs count under and that pass its filters on clusters. Unless the books
 * tell the size of each of them for all of the time, the size is unknown.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "facts/table.h"
#include "report/question.h"

struct size {
    const struct capacity_list *capacities; /* NULL: nothing is known */
    struct table clusters;                  /* the question's: one column */
};

/* Reads which clusters the question is about, if it has to do with sizes at all. */
int size_init(struct size *size, struct facts *facts, const struct question *question,
              struct error *err) MUST_CHECK;
void size_release(struct size *size);

/*
 * Resource x microseconds that there were from lower to upper, in millionths: of `cluster`, or of all
 * if that is NULL. False: not known.
 */
bool size_between(const struct size *size, enum measure_per per, const struct str *cluster,
                  int64_t lower, int64_t upper, wide_int *out);

/*
 * The clusters of the question whose size is not known for all of its time that has passed: adds a
 * column and a row for each to `out`, an empty table.
 */
int size_missing(struct facts *facts, const struct question *question, enum measure_per per,
                 struct table *out, struct error *err) MUST_CHECK;
