/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs as the books have them: what stands after FROM, wherever runs are asked about. Each run
 * under the cluster it counts under, with the person behind its login and the metagroup it was
 * in, where the question has to do with these; by node, each run on each of its nodes. Inside
 * report/ only.
 *
 *     runs_source_load(facts, question, err)                 the tables it joins with
 *     runs_source_add(question, RUNS_SOURCE_AT_END, &statement)   "(SELECT ... FROM runs ...) runs"
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "facts/statement.h"
#include "report/question.h"

/* The table of the names in lists of nodes: see values_make_hosts. */
#define SQL_HOSTS "hosts"

/* Which instant of a run decides of the metagroup it was in. */
enum runs_source_instant {
    /*
     * every instant: a row for each metagroup it was in, clipped to the time it was; own_start
     * and own_until are then of the run itself
     */
    RUNS_SOURCE_CLIPPED,
    RUNS_SOURCE_AT_SUBMIT,
    RUNS_SOURCE_AT_START,
    RUNS_SOURCE_AT_END,
    RUNS_SOURCE_AT_WITHDRAWAL, /* when it ended, or else was submitted */
    RUNS_SOURCE_AT_LAST,       /* the last that is known of it: now, while it has not ended */
};

/*
 * Loads SQL_MEMBERSHIP_PERIODS, the table of logins and that of lists of nodes, if the question
 * has to do with them.
 */
int runs_source_load(struct facts *facts, const struct question *question,
                     struct error *err) MUST_CHECK;

void runs_source_add(const struct question *question, enum runs_source_instant instant,
                     struct statement *sql);

/*
 * Whether runs have own_cluster, the cluster of the import, besides the one they count under.
 */
bool runs_source_renames(const struct question *question);

/*
 * Whether rows are nodes of runs: the question has such a dimension, or is about nodes without
 * one. A run has a row for each of its nodes, which is its `node`, and one whose `node` is
 * absent for those that are not recorded; share_of, share_low and share_high say which part of
 * the run's memory and the like is the row's, cpu_share_of, cpu_share_low and cpu_share_high
 * which of its cpus and their time (quantity.h). Every other column is that of the run.
 */
bool runs_source_by_node(const struct question *question);

/* What rows have, for filter_sql_of_runs. */
unsigned runs_source_rows(const struct question *question);

/* The instant as an expression; not of RUNS_SOURCE_CLIPPED and RUNS_SOURCE_AT_LAST. */
struct expression runs_source_instant(enum runs_source_instant instant);

/* The column that distinguishes one run from another, whatever it was joined with. */
struct expression runs_source_row(const struct question *question);
