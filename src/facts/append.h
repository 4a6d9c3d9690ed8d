/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs into the store, many at a time.
 *
 * The caller offers a feed; the engine's threads draw runs from it and write columns. What arrives
 * is then set against what is there: a run that is there already with the same digest stays, one
 * with another digest is replaced, and parts are added to the runs they belong to. The caller
 * commits what facts_append wrote together with its own books, then calls facts_settle, which takes
 * away what is doubled.
 *
 * Which runs are the same is decided by the FIELD_KEY fields alone (record/run.h); when a feed
 * holds the same run twice, the one on the later line stays. Records of different files or kinds of source are merged
 * field by field, so that nothing that is known is lost (record/run_merge.h); those of one file are versions of one
 * record, of which the later one stays. But a record of a run that has not ended
 * never takes the place of one that has: a scheduler that writes both may be imported in any order. Nor does one that
 * says only a part of what another has reported (RUN_FLAG_USE_PARTIAL).
 * Of two sightings of a run (both have `seen`), the one with the true end stays, else the later one.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "record/run.h"

/*
 * Where runs come from. A worker is used by one thread; several workers are used at once. Text of
 * the runs that `next` gives must live until the worker's following call.
 */
struct run_feed {
    void *context;
    void *(*worker_new)(void *context);
    void (*worker_free)(void *worker);

    /* Fills up to `max` runs; *count is 0 at the end. Sets all provenance fields, batch included. */
    int (*next)(void *worker, struct run *runs, size_t max, size_t *count, struct error *err);

    /* Asks the feed to come to its end soon, at a place of its own choosing. From any thread. */
    void (*enough)(void *context);
};

struct append_counts {
    int64_t added;     /* runs that were not there */
    int64_t replaced;  /* runs that took the place of one with the same identity */
    int64_t unchanged; /* runs that were there already, just so */
    int64_t parts;     /* records that are parts of runs, new ones only */
    /* earliest and latest submit, start or end among all runs that came in; */
    int64_t first_time;
    int64_t last_time; /* both 0 if none had a time */
};

/*
 * Writes everything `feed` gives, whose runs all carry `batch`, a number above that of any batch
 * before. Must be called inside a transaction, which the caller rolls back on failure.
 */
int facts_append(struct facts *facts, const struct run_feed *feed, int64_t batch,
                 struct append_counts *counts, struct error *err) MUST_CHECK;

/*
 * Finishes committed batches: deletes rows that are doubled, adds parts to their runs; a transaction
 * for each batch. Must be called outside a transaction. A store that was left before this is
 * settled when it is next opened, so nobody sees a run twice or without its parts.
 */
int facts_settle(struct facts *facts, struct error *err) MUST_CHECK;
