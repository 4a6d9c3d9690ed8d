/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Parts of runs: records such as the slave tasks of a parallel job, whose measured use belongs
 * to a run written in another record, before or after. Inside facts/ only.
 *
 * A part belongs to the run of the same cluster, job and task that was running when the part
 * started; of several (a restarted job) the one that started last. Clocks of different hosts
 * may be PART_BUFFER_SLACK_US apart. A part without a run waits.
 *
 * The result depends only on which records are there, not on the order they came in: whenever a
 * batch touches a job that has parts, parts are matched with runs again, and every run whose
 * sums do not follow from that is put back to its own record (kept in `parts` with part = '')
 * and summed again.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/duckdb/part_buffer.h"
#include "facts/facts.h"

/* Whether the store has any parts at all. */
int parts_any(struct facts *facts, bool *any, struct error *err) MUST_CHECK;

/*
 * Leaves the lines of parts that the pool is not sure of in the temporary table open_parts, for
 * parts_merge.
 */
int parts_note_open(struct facts *facts, const struct part_buffer *pool,
                    struct error *err) MUST_CHECK;

/*
 * Sums again what `batch`, which is committed, touched. Its records lie between the two
 * instants. If they were `noted`, those of its jobs whose parts came and were added in this
 * very batch are left alone.
 */
int parts_merge(struct facts *facts, int64_t batch, int64_t first_time, int64_t last_time,
                bool noted, struct error *err) MUST_CHECK;
