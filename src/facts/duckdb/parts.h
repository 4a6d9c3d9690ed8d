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
 * batch touches a job that has parts, parts are matched with runs anew, and every run whose sums
 * do not follow from that is put back to its own record (kept in `parts` with part = '') and summed
 * again.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/duckdb/pool.h"
#include "facts/facts.h"

#define PARTS_SLACK "300000000" /* POOL_SLACK_US, in SQL */

/*
 * The job a record belongs to, in SQL on an alias, with values in the place of NULL: joins on plain
 * equality are hashed, those on IS NOT DISTINCT FROM not always.
 */
#define PARTS_JOB(t)                                                                           \
    t ".cluster AS k_cluster, coalesce(" t ".job, -1) AS k_job, coalesce(" t                   \
      ".job_key, '') AS k_key, coalesce(" t ".task, -1) AS k_task"

/* Whether a part was started while a run was going on, given aliases with `start` and `end`. */
#define PARTS_DURING(part, run)                                                                \
    part ".start >= " run ".start - " PARTS_SLACK " AND " part ".start <= coalesce(" run       \
         ".\"end\", " part ".start) + " PARTS_SLACK

/* Whether the store has any parts at all. */
int parts_any(struct facts *facts, bool *any, struct error *err) MUST_CHECK;

/* Leaves the lines of parts that the pool is not sure of in the temporary table open_parts, for parts_merge. */
int parts_note_open(struct facts *facts, const struct pool *pool, struct error *err) MUST_CHECK;

/*
 * Sums anew what `batch`, which is committed, touched. Its records lie between the two instants. If they were
 * `noted`, those of its jobs whose parts came and were added in this very batch are left alone.
 */
int parts_merge(struct facts *facts, int64_t batch, int64_t first_time, int64_t last_time,
                bool noted, struct error *err) MUST_CHECK;
