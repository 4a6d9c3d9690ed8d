/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When each cluster was last asked for something with success, and how often it usually is: as
 * of when an answer about the present is, and whether that is older than it should be.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/filter.h"

/* Columns of a row, one for each cluster that was ever asked. */
enum pull_age_column {
    PULL_AGE_CLUSTER,
    PULL_AGE_SEEN,  /* instant of the last success */
    PULL_AGE_USUAL, /* median time between two successes of the last two days; absent: too few */
    PULL_AGE_COLUMNS,
};

/*
 * `what` as in facts/pull_state.h: "queue", "node". Of clusters that pass the filter's
 * conditions on clusters; its others are not looked at. Listings that were imported from files
 * count.
 */
int pull_age_ask(struct facts *facts, struct str what, const struct filter *filter,
                 const struct zone *zone, int64_t now, struct table *out,
                 struct error *err) MUST_CHECK;
