/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What waits and runs at an instant, as a live scheduler lists it, and what its listing does not have.
 *
 * A listing is weaker than the history (facts/append.h). Of a run that is known in the same class, with the
 * same start and as many tasks, only the sighting is noted (`seen`), unless the listing has a field that is not known;
 * one known otherwise is merged with the listing (record/run_merge.h); one that has ended stays ended, unless it was
 * only thought to have, since it had vanished.
 *
 * A run that has not ended as far as the facts know and that a listing does not have has vanished. Before that is believed,
 * the history is asked and taken once more; what has not ended even then is concluded by the one rule for runs that
 * vanished (facts/duckdb/vanished.h): it ended when it was last seen, or, if it waited and its job is there as
 * another run, it is removed.
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
 * Takes a whole listing as of `at`. Inside a transaction of the caller, who rolls back on failure. Rows that
 * are there already, ended or just so, count as unchanged.
 */
int snapshot_take(struct facts *facts, const struct run_feed *feed, int64_t at,
                  struct append_counts *counts, struct error *err) MUST_CHECK;

/* One that vanished, with its identity. Absent numbers have their `has` clear. */
struct snapshot_gone {
    struct str job_key; /* the null string: has none */
    int64_t job, task, het, attempt, job_raw, submit, start;
    bool has_job, has_task, has_het, has_attempt, has_job_raw, has_submit, has_start;
};

/*
 * What has not ended in `cluster` and was not in the listing that snapshot_take took last on this handle, since it
 * was opened. All of it lives in `arena`.
 */
int snapshot_missing(struct facts *facts, struct str cluster, struct arena *arena,
                     struct snapshot_gone **gone, size_t *count, struct error *err) MUST_CHECK;

/* Keeps of these what has not ended even now, after the history was taken; *count becomes less. */
int snapshot_still_open(struct facts *facts, struct str cluster, struct snapshot_gone *gone,
                        size_t *count, struct error *err) MUST_CHECK;

struct snapshot_caps {
    int64_t capped; /* runs ended at their last sighting */
    int64_t taken;  /* waiting ones removed: their job is there as another run */
};

/*
 * Ends those of them that still go on and were not seen after `at`, when the listing was made. Inside a
 * transaction of the caller.
 */
int snapshot_cap(struct facts *facts, struct str cluster, int64_t at,
                 const struct snapshot_gone *gone, size_t count, struct snapshot_caps *caps,
                 struct error *err) MUST_CHECK;

/*
 * Runs of a cluster that go on and were seen after `at`, which is now: a clock was ahead, and they count as seen at `at`.
 * Inside a transaction of the caller.
 */
int snapshot_mend(struct facts *facts, struct str cluster, int64_t at,
                  struct error *err) MUST_CHECK;

/*
 * Removes what listings had of runs whose own record is there since under another identity. A scheduler
 * may date the start of a run otherwise in its accounting than in its listing, by the clock of another host;
 * such a record is that of a run which was seen to start at about that time, and it ended after that. One
 * that vanished while it waited is identified by when it was submitted. Inside a transaction of the caller; *taken
 * says how many.
 */
int snapshot_supersede(struct facts *facts, struct str cluster, int64_t *taken,
                       struct error *err) MUST_CHECK;
