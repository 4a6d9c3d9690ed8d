/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Why jobs waited, kept as stretches of time in the table `waits`. Inside facts/ only; read by
 * report/queries/wait_causes.h.
 *
 * A row is a stretch in which a waiting job had one reason: from the listing that first showed
 * it so to the one that showed it otherwise, or that it waits no more. The last stretch of a
 * job that waits has no end (STRETCH_NOT_ENDED); how far it was confirmed is the mark of the
 * cluster's queue. After a pause in asking longer than WAIT_STRETCHES_SLACK_US, open stretches
 * end at that mark: what the jobs waited for meanwhile is unknown.
 *
 * What changes with every listing does not end a stretch, or there would be a row for each job
 * and listing: of the priority, which ages, the first and the last value of the stretch are
 * kept; of the start that the scheduler expects, the first it named, when that was, and the
 * last. A stretch ends when the expected start has moved by more than WAIT_STRETCHES_MOVED_US
 * since the stretch's first, and by more than an eighth of the time that was left then; an
 * estimate that is not repeated stays.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"

#define WAIT_STRETCHES_SLACK_US (3600 * INT64_C(1000000))
#define WAIT_STRETCHES_MOVED_US (900 * INT64_C(1000000))

/* What waited on a cluster at an instant, by the temporary table `listed` (live_jobs.c). */
struct wait_listing {
    struct str cluster;
    int64_t at;
    int64_t slack; /* a longer time since the listing before is a pause */
    /*
     * All that waited and ran is in it. A job that is missing from another may have been left
     * out: what it waits for is then known up to the listing before.
     */
    bool whole;
};

/*
 * In the transaction that stores the listing, before its mark is set. A listing not later than
 * the mark changes nothing.
 */
int wait_stretches_see(struct facts *facts, const struct wait_listing *listing,
                       struct error *err) MUST_CHECK;
