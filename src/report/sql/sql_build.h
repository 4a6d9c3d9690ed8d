/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the files sql_*.c have in common while they write a statement. Inside report/ only.
 *
 * A statement is made of pieces, one for each way of looking at runs that the question needs.
 * Each is a SELECT of the same shape: d0.. for the dimensions, `bucket`, `kind` (the piece's
 * name), m0.. for the measures, NULL for those that are not its own. sql.c puts them side by
 * side.
 *
 * Where time is cut up, by --every or by the hour of the day, it is cut into cells: the finest
 * stretches asked for. The table SQL_SLOTS says for every slot of time which cell it lies in
 * and the CTE `calendar` has a row a cell: cell, lower, upper, width, bucket, weekday, hour.
 */

#include "report/sql/column.h"
#include "report/sql/end_time.h"
#include "report/sql/quantity.h"
#include "report/sql/runs_source.h"
#include "report/sql/sql.h"

enum piece {
    PIECE_SUBMIT,
    PIECE_START,
    PIECE_END,
    PIECE_WITHDRAWAL,
    PIECE_OVERLAP,   /* amounts, runs, and without cells different values */
    PIECE_SUSPENDED, /* what is to be taken off the amounts */
    PIECE_USED,
    PIECE_ACTIVE,   /* runs in cells, where one may come twice (sql_counts_apart) */
    PIECE_DISTINCT, /* different values in cells */
    PIECE_NODES,    /* different nodes, of rows that are runs */
    PIECE_PEAK,
    PIECE_SIZE, /* rows for clusters that have nodes, whether runs or not */
    PIECE_COUNT,
};

struct build {
    const struct question *q;
    struct sql_plan *plan;
    struct statement *sql;
    const struct sql_segment *segment; /* that is being written; q->period is its stretch */
};

/* Which piece a measure's value is in. */
enum piece sql_piece_of(const struct build *b, const struct measure *measure);

/* "'overlap' AS kind": the piece's name, in each of its rows. */
void sql_add_kind(struct build *b, enum piece piece);

static inline bool sql_has_cells(const struct build *b)
{
    return b->plan->cell_count > 0;
}

/* ", NULL AS m3", of the measure's type: for a piece that has no value of it. */
void sql_add_unknown(struct build *b, size_t measure);

/* Whether cells that are apart in time are put together: by weekday or hour of the day. */
bool sql_has_folds(const struct question *question);

/* "\"user\" AS d0, ": the dimensions of a run, without the folded ones. */
void sql_add_run_dimensions(struct build *b);
/* "CASE ... END AS r2, ": the rate of an OVERLAP measure, where the run's times allow one. */
void sql_add_rate(struct build *b, size_t measure);
/* "d0, ": their names. */
void sql_add_run_names(struct build *b);
/*
 * "\"user\" AS d0, slots.weekday AS d1, ": all of them, in rows that are joined with their
 * slot.
 */
void sql_add_slot_dimensions(struct build *b);
/*
 * "d0, calendar.weekday AS d1, ": all of them, and the bucket, in rows that are joined with
 * `calendar`.
 */
void sql_add_cell_columns(struct build *b, enum piece piece);

/* The same of a piece that may be asked for without cells: then all is one bucket. */
void sql_add_piece_columns(struct build *b, enum piece piece);

/* "PARTITION BY d0,d2": those in rows of their own names; nothing without such dimensions. */
void sql_add_partition(struct build *b);

/*
 * ", expression AS m0" for each measure; `add` writes the expression of one that is of the
 * piece.
 */
void sql_add_measures(struct build *b, enum piece piece,
                      void (*add)(struct build *b, size_t index));

void sql_add_filter(struct build *b);

/* Whether there may be runs in the segment that have not ended. */
static inline bool sql_has_open(const struct build *b)
{
    return b->segment->runs == RUNS_ALL || b->segment->runs == RUNS_OPEN;
}

/* When a run stopped, whose `until` is `column`, as far as anybody knows (end_time.h). */
void sql_add_until(struct build *b, struct expression column);

/* What stands after FROM: the runs, as runs_source.h has them at `instant`. */
void sql_add_runs(struct build *b, enum runs_source_instant instant);

/* Which runs overlap the period; one that took no time overlaps its instant. */
void sql_add_overlapping(struct build *b);

/* Which runs have the instant of a piece of MEASURE_AT_* in the period. */
void sql_add_in_period(struct build *b, enum piece piece);

/* Joins with the slot that the instant `at` lies in; all of them lie in one. */
void sql_add_slot_join(struct build *b, struct expression alias, struct expression at);

/*
 * The rows that `add_rows` selects, which have s and e, with the cells they begin and end in:
 * first, last, into_first and into_last. Written out wherever it is wanted: it is as large as
 * the runs, so nothing may be kept of it, and the engine fails on a WITH clause with bound
 * values that it inlines in two places (1.4.4: "Expected unified vector format").
 */
void sql_add_placed(struct build *b, void (*add_rows)(struct build *b));

/* The same, a row for each `cell` from first to last. */
void sql_add_spread(struct build *b, void (*add_rows)(struct build *b));

/* The sum of the parts of u<i>, of runs from rs to re, that lie from `lower` to `upper`. */
void sql_add_prorated_sum(struct build *b, size_t index, struct expression lower,
                          struct expression upper);

/* The pieces. */
void sql_add_at(struct build *b, enum piece piece);
void sql_add_overlap(struct build *b, enum piece piece);
void sql_add_in_each_cell(struct build *b, enum piece piece); /* runs or values, once in each */
void sql_add_nodes(struct build *b, enum piece piece);
void sql_add_prorated(struct build *b, enum piece piece);
void sql_add_peak(struct build *b, enum piece piece);
void sql_add_size(struct build *b, enum piece piece);
void sql_add_spread_overlap(struct build *b); /* PIECE_OVERLAP when roll-ups are made */
void sql_add_rolled(struct build *b, enum piece piece); /* from a roll-up */
