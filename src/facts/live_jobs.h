/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What waits and runs at an instant, as a live scheduler lists it, and what is missing from its
 * listing.
 *
 * A listing is weaker than the history (facts/append.h). If a run is stored with the same
 * class, start and number of tasks, only the sighting is recorded (`seen`), unless the listing
 * has a field that is not stored; a run stored with other values is merged with the listing
 * (record/run_merge.h); one that has ended stays ended, unless its end was only inferred
 * because it had vanished.
 *
 * A run that has not ended according to the facts and is missing from a listing has vanished.
 * Before that is concluded, the history is queried and stored once more. What has not ended
 * even then is treated by the one rule for runs that vanished (facts/duckdb/vanished.h): it
 * ended when it was last seen, or, if it was waiting and its job is stored as another run, it
 * is removed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/append.h"
#include "facts/facts.h"

/*
 * Stores a complete listing of a cluster as of `at`, in a transaction of the caller, who rolls
 * it back on failure. Rows whose runs have ended, or are stored with the same values, count as
 * unchanged. Why jobs wait goes into `waits` (facts/duckdb/wait_stretches.h).
 */
int live_jobs_take(struct facts *facts, const struct run_feed *feed, struct str cluster,
                   int64_t at, struct append_counts *counts, struct error *err) MUST_CHECK;

/* A run that vanished, by its identity. The `has` of an absent number is false. */
struct live_jobs_gone {
    struct str job_key; /* the null string: has none */
    int64_t job, task, het, attempt, job_raw, submit, start;
    bool has_job, has_task, has_het, has_attempt, has_job_raw, has_submit, has_start;
};

/*
 * The runs of `cluster` that have not ended and are missing from the last listing that
 * live_jobs_take stored on this connection. They live in `arena`.
 */
int live_jobs_missing(struct facts *facts, struct str cluster, struct arena *arena,
                      struct live_jobs_gone **gone, size_t *count,
                      struct error *err) MUST_CHECK;

/* Keeps those that still have not ended, after the history was stored; reduces *count. */
int live_jobs_still_open(struct facts *facts, struct str cluster, struct live_jobs_gone *gone,
                         size_t *count, struct error *err) MUST_CHECK;

struct live_jobs_caps {
    int64_t capped; /* runs ended at their last sighting */
    int64_t taken;  /* waiting runs removed: their job is stored as another run */
};

/*
 * Ends those of them that have not ended and were not seen after `at`, the time of the listing.
 * In a transaction of the caller.
 */
int live_jobs_cap(struct facts *facts, struct str cluster, int64_t at,
                  const struct live_jobs_gone *gone, size_t count, struct live_jobs_caps *caps,
                  struct error *err) MUST_CHECK;

/*
 * Corrects runs of a cluster that have not ended and were seen after `at`, which is now: a
 * clock was ahead, and they count as seen at `at`. In a transaction of the caller.
 */
int live_jobs_mend(struct facts *facts, struct str cluster, int64_t at,
                   struct error *err) MUST_CHECK;

/*
 * Removes runs known from listings whose own record has arrived under another identity. A
 * scheduler may record another start of a run in its accounting than in its listing, by the
 * clock of another host; such a record belongs to the run that was seen to start at about that
 * time, and ends after it. A run that vanished while it waited is identified by its submission.
 * In a transaction of the caller; *taken is their number.
 */
int live_jobs_supersede(struct facts *facts, struct str cluster, int64_t *taken,
                        struct error *err) MUST_CHECK;
