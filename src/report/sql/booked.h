/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs as the books have them: what stands after FROM, wherever runs are asked about. Each run under the
 * cluster it counts under, with the person behind its login and the metagroup it was in, where the
 * question has to do with these; by node, each run on each of its nodes. Inside report/ only.
 *
 *     booked_load(facts, question, err)                 the tables it joins with
 *     booked_add(question, BOOKED_AT_END, &statement)   "(SELECT ... FROM runs ...) runs"
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "facts/statement.h"
#include "report/question.h"

/* The table of the names in lists of nodes: see values_make_hosts. */
#define SQL_HOSTS "hosts"

/* Which instant of a run decides of the metagroup it was in. */
enum booked_instant {
    /* every instant: a row for each metagroup it was in, clipped to the time it was; own_start and own_until are then of
       the run itself */
    BOOKED_CLIPPED,
    BOOKED_AT_SUBMIT,
    BOOKED_AT_START,
    BOOKED_AT_END,
    BOOKED_AT_WITHDRAWAL, /* when it ended, or else was submitted */
    BOOKED_AT_LAST,       /* the last that is known of it: now, while it has not ended */
};

/* Loads SQL_MEMBERSHIP_PERIODS, the table of logins and that of lists of nodes, if the question has to do with them. */
int booked_load(struct facts *facts, const struct question *question,
                struct error *err) MUST_CHECK;

void booked_add(const struct question *question, enum booked_instant instant,
                struct statement *sql);

/* Whether runs have own_cluster, the cluster of the import, besides the one they count under. */
bool booked_renames(const struct question *question);

/*
 * Whether rows are nodes of runs: the question has such a dimension, or is about nodes without one. A run has a row for each of its nodes, which is its
 * `node`, and one whose `node` is absent for those that are not recorded; share_of, share_low and share_high say which part
 * of the run's memory and the like is the row's, cpu_share_of, cpu_share_low and cpu_share_high which of its cpus and their time (quantity.h). Every other column is that of the run.
 */
bool booked_by_node(const struct question *question);

/* What rows have, for filter_sql_of_runs. */
unsigned booked_rows(const struct question *question);

/* The instant as an expression; not of BOOKED_CLIPPED and BOOKED_AT_LAST. */
struct expression booked_instant(enum booked_instant instant);

/* The column that distinguishes one run from another, whatever it was joined with. */
struct expression booked_row(const struct question *question);
