/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a cluster had, at any moment: sightings of nodes, partitions and reservations
 * (record/inventory_item.h) made into stretches of time.
 *
 * A row is a stretch during which a thing stayed the same: from the sighting that first showed
 * it so to the one that showed it otherwise, or that it was gone. The last stretch of a thing
 * that is still there has no end (STRETCH_NOT_ENDED); how far it was confirmed is the mark of
 * its cluster (facts/pull_state.h), so that looking again at what did not change writes nothing
 * but the mark. After a pause in looking that is longer than `slack`, open stretches end at the
 * last mark and new ones begin: what was in between is unknown, not assumed. What is momentary
 * (record/inventory_item.h) does not end a stretch: it is that of the last sighting.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"
#include "record/inventory_item.h"

#define STRETCH_NOT_ENDED INT64_MAX

/* How long after the last look at a cluster its things are still taken to be there: an hour. */
#define INVENTORY_AROUND_US (3600 * INT64_C(1000000))

struct inventory_counts {
    int64_t seen, changed, appeared, gone;
};

/*
 * Takes a full listing of one kind of thing on one cluster, as of `at`, and sets its mark. A
 * listing not later than the mark changes nothing. The same name twice: the last one counts.
 * Inside a transaction of the caller.
 */
int inventory_see(struct facts *facts, enum inventory_item_kind kind, struct str cluster,
                  int64_t at, int64_t slack, const struct inventory_item_list *listing,
                  struct inventory_counts *counts, struct error *err) MUST_CHECK;

/*
 * What was there at an instant, of one cluster or (null) of all: cluster, from, until (absent:
 * still so), then the kind's fields. Things of clusters that nobody looked at around that time
 * (INVENTORY_AROUND_US) are not in it.
 */
int inventory_at(struct facts *facts, enum inventory_item_kind kind, struct str cluster,
                 int64_t at, struct table *out, struct error *err) MUST_CHECK;

/*
 * Every name that a thing of this kind ever had, and the cluster it had it on: two columns, by
 * name.
 */
int inventory_names(struct facts *facts, enum inventory_item_kind kind, struct table *out,
                    struct error *err) MUST_CHECK;
