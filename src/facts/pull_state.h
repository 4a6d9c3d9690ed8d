/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How far a live scheduler was asked, and how that went. Written in the transaction that takes
 * in what it answered, so that a pull that is killed has asked nothing.
 *
 * `what` is what was asked for: "history", "queue", "node", "partition", "reservation"; "waits" is
 * how far files have shown what waits.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"

struct pull_state {
    /*
     * everything up to here was asked for and answered: never beyond the newest thing that the
     * source has reported
     */
    int64_t seen_to;
    int64_t index; /* the source's own place to continue from, if it has one; else 0 */
};

/*
 * Clocks may differ by so much. A mark further ahead of the clock was set while a clock was
 * wrong: it means nothing.
 */
#define PULL_STATE_AHEAD_US (600 * INT64_C(1000000))

static inline bool pull_state_is_ahead(struct pull_state mark, int64_t now)
{
    return mark.seen_to > now + PULL_STATE_AHEAD_US;
}

/* *known is false before the first. */
int pull_state_get(struct facts *facts, struct str cluster, struct str what,
                   struct pull_state *out, bool *known, struct error *err) MUST_CHECK;
int pull_state_put(struct facts *facts, struct str cluster, struct str what,
                   struct pull_state mark, struct error *err) MUST_CHECK;

/* One time that a scheduler was asked something. */
struct pull_query {
    struct str cluster, what, via; /* via: "sacct", "slurmrestd", ... */
    int64_t at, took_us, bytes, records;
    struct str failure; /* null: it went well */
};

/*
 * Older rows of the same kind are deleted when one is added; so are those that a wrong clock
 * dated ahead of it.
 */
#define ASKINGS_KEPT_US (30 * 86400 * INT64_C(1000000))

int pull_query_put(struct facts *facts, const struct pull_query *asking,
                   struct error *err) MUST_CHECK;

/*
 * By cluster and what: cluster, what, seen_to, good (the last time it went well), failed and
 * failure (the last time that it did not, if that was after it). A pull that failed as a whole
 * is what "pull".
 */
int pull_states_overview(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;

/*
 * Times longer than `longer_us` in which a cluster was not asked anything with success: from,
 * to.
 */
int pull_query_gaps(struct facts *facts, struct str cluster, int64_t longer_us,
                    struct table *out, struct error *err) MUST_CHECK;

/*
 * The last `limit` of them, newest first: at, cluster, what, via, took, bytes, records,
 * failure.
 */
int pull_query_last(struct facts *facts, int64_t limit, struct table *out,
                    struct error *err) MUST_CHECK;
