/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What measures mean, in SQL: the one place where a quantity of a run and an aggregate of many
 * become text. Inside report/ only.
 */

#include "facts/statement.h"
#include "report/catalog.h"

/*
 * Time from start to end, in which nodes, memory and GPUs are held, also while the run is
 * suspended; and without suspension, in which its cpus are. Zero where one of these is absent:
 * greatest passes over NULL.
 */
#define QUANTITY_SQL_HELD "greatest(\"end\" - start, 0)"
#define QUANTITY_SQL_WALL                                                                      \
    "greatest(" QUANTITY_SQL_HELD " - greatest(coalesce(suspended_us, 0), 0), 0)"

/* Memory given to a run, or else asked for. */
#define QUANTITY_SQL_MEMORY_ASKED "{coalesce(mem_bytes, req_mem_bytes)}"

/*
 * Peak memory of a run, absent where it is only a lower bound: of one task or process of
 * several, or of too few nodes (use_is_lower_bound in report/use/use.h). What is not used is
 * not known then.
 */
#define QUANTITY_SQL_MEMORY_WHOLE                                                              \
    "CASE WHEN coalesce(mem_basis, '') = 'at-least' OR (coalesce(mem_basis, '') IN "           \
    "('task-rss', 'process-rss') AND coalesce(cpus, 0) <> 1) THEN NULL ELSE mem_peak_bytes "   \
    "END"

/*
 * Memory in use by what a sample is of. Shared memory is beside what is resident only in
 * counters of control groups. A sample without memory, as of a group that the kernel does not
 * count it for, has none that is known.
 */
#define QUANTITY_SQL_SAMPLED_MEMORY "rss_bytes + coalesce(mem_shmem_bytes, 0)"

/*
 * Braces and brackets are around what a run has in all, and a node a part of: "[cpus] * ...".
 * Cpus and their time, in brackets, are shared out as the run's cpus lay on its nodes where
 * that is known, all else evenly. With `shared`, rows are nodes of runs (runs_source.h), and of
 * these the part of the node is taken; without, all of it.
 */
void quantity_expression(struct statement *sql, struct expression expression, bool shared);

/* The columns of such rows that say which part is the row's, all of them. */
#define QUANTITY_SQL_PARTS                                                                     \
    "share_of, share_low, share_high, cpu_share_of, cpu_share_low, cpu_share_high, "

/*
 * What stands before, or behind, an amount of this quantity of which the part of the node is
 * taken.
 */
void quantity_part(struct statement *sql, enum quantity quantity, bool begins);

void quantity_add(struct statement *sql, enum quantity quantity, bool shared);

/* The aggregate of a measure of MEASURE_AT_*. */
void quantity_add_aggregate(struct statement *sql, const struct measure *measure, bool shared);
