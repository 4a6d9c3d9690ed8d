/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The one place where a question of the catalogue becomes SQL. Inside report/ only.
 *
 * What is not such a question has its own few statements beside what it is about, under the
 * same rule: grouped, histogram, waiting and loss for the everyday commands, nodes and queue
 * for how things stood at a moment, known for names, size and extent for what is known at all,
 * recompute for checking all of this by another way.
 *
 * Identifiers come from the field table and the catalogue, numbers of our own (instants,
 * limits) are written out, and whatever a person typed is bound.
 */

#include "base/attribute.h"
#include "report/queries/listing.h"

/* The table of calendar slots that bucketed statements join with, see sql_question. */
#define SQL_SLOTS "slots"

/* A stretch of the period and where its sums come from. */
struct sql_segment {
    struct period period;

    struct identifier table; /* of a roll-up; NULL: the facts */

    enum {
        RUNS_ALL,
        RUNS_ALL_ENDED, /* all, and none of them is running: the plan knows */
        RUNS_OPEN,      /* those that have not ended: roll-ups are without them */
        RUNS_CLOSED,    /* the others */
    } runs;
};

enum { SQL_SEGMENTS_MAX = 6 };

struct sql_plan {
    struct statement statement;
    int64_t origin; /* start of the first cell */
    /* width of a slot: every cell is a whole number of slots; 0: a slot is a cell */
    int64_t slot_us;
    size_t cell_count; /* 0: time is not cut up */
    struct sql_segment segments[SQL_SEGMENTS_MAX];
    size_t segment_count;
    bool suspended; /* whether any run was */
    bool moves;     /* runs are joined with SQL_MEMBERSHIP_PERIODS (membership_periods.h) */
    bool wide;      /* multiply in 128 bits: after the plain way overflowed */
};

/*
 * The statement for a question: columns d0.. for dimensions, `bucket`, m0.. for measures.
 *
 * With cells (see sql_build.h) it expects a table SQL_SLOTS (slot, cell, lower, upper, bucket,
 * bucket_lower, weekday, hour), a row for each stretch of slot_us from `origin`: looking a time
 * up is then one division and one array access, clock changes and months of all lengths
 * included. Where no such width is to be had, a row for each cell, looked up by its lower edge.
 */
int sql_question(const struct question *question, struct sql_plan *plan,
                 struct error *err) MUST_CHECK;

/*
 * The measure that rows are sorted by after the answer has come, since the engine does not know
 * its values; NULL: they come in order. The statement then has no limit either.
 */
const struct measure *sql_late_sort(const struct question *question);

/* Adds where the answer comes from, in words. */
void sql_explain_segments(const struct question *question, const struct sql_plan *plan,
                          struct buf *out);

/*
 * The statement for a listing: columns f0.. A run is listed in the metagroup it was in at last.
 */
void sql_listing(const struct listing *listing, struct statement *sql);

/*
 * How many runs of a listing of `start` alone began in each stretch of `width`; those that
 * never did in a row without one.
 */
void sql_listing_starts(const struct listing *listing, int64_t width, struct statement *sql);
