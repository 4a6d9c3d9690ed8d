/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The one rule for runs that vanished: that a source no longer lists, and nobody saw end.
 * Inside facts/ only.
 *
 * Such a run ended when it was last seen (at its start or submission, if it never was), never
 * before it started; its class is `other`, unless it says that the run was over; and
 * RUN_FLAG_VANISHED is set. One that vanished while it waited is removed instead, now or later,
 * if what it waited for is there as another run:
 *   - another run of the same job (its task or component may be known only since it left the others), or
 *   - where jobs have no numbers, one of the same name, account and user that has started,
 * which did something since the waiting one was submitted.
 *
 * What vanished is not ended: whatever is learned later is weighed as if nothing had been
 * concluded (facts/append.h, facts/live_jobs.h).
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"

/* What the temporary table `vanished` holds of each run; `o` is the alias of runs. */
#define VANISHED_COLUMNS                                                                       \
    "o.rowid AS run_row, o.cluster, o.job, o.job_key, o.task, o.het, o.name, o.account, "      \
    "o.\"user\", o.submit, o.start, o.\"end\", o.seen"

struct vanished_counts {
    int64_t ended, removed;
};

/*
 * Applies the rule to the runs in `vanished`, and to those of the cluster that vanished before
 * while they waited. Inside a transaction of the caller.
 */
int vanished_conclude(struct facts *facts, struct str cluster, struct vanished_counts *counts,
                      struct error *err) MUST_CHECK;
