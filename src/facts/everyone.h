/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs of everybody, for sums that name nobody: what is free, how long a queue is, how long
 * jobs waited and for what. Such numbers are the same for all who may ask.
 *
 * A connection that may see everything reads the table of runs. One that is restricted
 * (facts_restrict) reads a view without the columns that say who or which: it has
 * EVERYONE_COLUMNS and no others, so that no statement over it can return a name, a job number
 * or a text that somebody wrote. Where the scope does not include totals (record/scope.h), the
 * view has only the runs that the caller may see.
 */

#include <stdbool.h>

#include "facts/facts.h"
#include "facts/statement.h"

/* What a run holds or asks for, where and when. */
#define EVERYONE_COLUMNS                                                                       \
    "cluster, \"partition\", class, submit, eligible, start, \"end\", until, seen, "           \
    "task_count, req_wall_us, cpus, req_cpus, nodes, node, node_count, req_nodes, gpus, "      \
    "req_gpus, gpu_type"

/* The relation to read. */
struct identifier everyone_runs(const struct facts *facts);

/*
 * The same of what jobs waited for: cluster, partition, reason, from, until and tasks;
 * everyone_job tells one job from another and is in no answer.
 */
struct identifier everyone_waits(const struct facts *facts);
struct expression everyone_job(const struct facts *facts);

/* Whether it has everybody's runs. */
bool everyone_is_whole(const struct facts *facts);
