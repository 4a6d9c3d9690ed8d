/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Parts of runs: records such as the slave tasks of a parallel job, whose measured use belongs to
 * a run written in another record, before or after. Inside facts/ only.
 *
 * A part belongs to the run of the same cluster, job and task that was running when the part
 * started; of several (a restarted job) the one that started last. Clocks of different hosts may
 * be PARTS_SLACK apart. A part without a run waits.
 *
 * The result depends only on which records are there, not on the order they came in: whenever a
 * batch touches a job that has parts, all of that job's runs are put back to their own records
 * (kept in `parts` with part = '') and summed anew.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"

/* Moves the parts among the rows of `batch` from runs to parts. */
int parts_take(struct facts *facts, int64_t batch, struct error *err) MUST_CHECK;

/* Sums anew what `batch` touched. */
int parts_merge(struct facts *facts, int64_t batch, struct error *err) MUST_CHECK;
