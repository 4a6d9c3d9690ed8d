/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Storing runs, many at a time.
 *
 * The caller provides a feed; the engine's threads pull runs from it and write columns. What
 * arrives is then compared with what is stored: a run that is stored with the same digest
 * stays, one with another digest is replaced, and parts are added to the runs they belong to.
 * The caller commits what facts_append wrote together with its own journal, then calls
 * facts_settle, which deletes the duplicates.
 *
 * Whether two records are the same run is decided by the FIELD_KEY fields alone (record/run.h).
 * Records of one file are versions of one record, of which the one on the later line stays;
 * records of different files or kinds of source are merged field by field, so that no recorded
 * value is lost (record/run_merge.h). But a record of a run that has not ended never replaces
 * one that has, so that files of a scheduler that writes both can be imported in any order; nor
 * does a record replace another of which it has only a part (RUN_FLAG_USE_PARTIAL). Of two
 * sightings of a run (both have `seen`), the one with the true end stays, else the later one.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "record/run.h"

/*
 * Where runs come from. A worker is used by one thread; several workers are used at the same
 * time. Text of the runs that `next` returns must live until the worker's next call.
 */
struct run_feed {
    void *context;
    void *(*worker_new)(void *context);
    void (*worker_free)(void *worker);

    /*
     * Fills up to `max` runs; *count is 0 at the end. Sets all provenance fields, batch
     * included.
     */
    int (*next)(void *worker, struct run *runs, size_t max, size_t *count, struct error *err);

    /* Asks the feed to end soon, wherever it can. May be called from any thread. */
    void (*enough)(void *context);
};

struct append_counts {
    int64_t added;     /* new runs */
    int64_t replaced;  /* runs that replaced one with the same identity */
    int64_t unchanged; /* runs that were already stored, with the same values */
    int64_t parts;     /* new records that are parts of runs */
    /*
     * earliest and latest submit, start or end of all runs in the feed; both 0 if none has a
     * time
     */
    int64_t first_time, last_time;
};

/*
 * Writes everything in `feed`, whose runs all have the number `batch`, which is higher than
 * that of any earlier batch. Must be called inside a transaction, which the caller rolls back
 * on failure.
 */
int facts_append(struct facts *facts, const struct run_feed *feed, int64_t batch,
                 struct append_counts *counts, struct error *err) MUST_CHECK;

/*
 * Removes runs of a file that its records no longer make: the same record was read again since
 * and made another run, by another zone. *removed is their number. In a transaction of the
 * caller, with all batches settled.
 */
int facts_drop_outdated(struct facts *facts, int64_t file, int64_t *removed,
                        struct error *err) MUST_CHECK;

/*
 * Settles committed batches: deletes duplicate rows and adds parts to their runs, in one
 * transaction per batch. Must be called outside a transaction. If the process ends before this,
 * the store is settled when it is next opened, so that nobody sees a run twice or without its
 * parts.
 */
int facts_settle(struct facts *facts, struct error *err) MUST_CHECK;
