/* SPDX-License-Identifier: MIT */

/*
 * The most at one instant. A run is a step up where it starts and one down where it ends; steps
 * at the same instant are added before the sum is looked at, so a run that ends when another
 * starts is not at once with it. The level at the start of a cell is that of the cell before: a
 * step of zero there makes it seen.
 *
 * Beside the sums go two numbers of runs: all of them, and those that tell the rate. A peak of
 * runs none of which says it is unknown; runs that take no time are never there at once.
 */

#include <inttypes.h>

#include "report/sql/sql_build.h"

static bool is_peak(const struct build *b, size_t index)
{
    return b->q->measures[index]->kind == MEASURE_PEAK;
}

/* Adds literal text for each peak; its four numbers are that of the measure. */
#define ADD_PEAK_COLUMNS(b, format)                                                            \
    for (size_t i = 0; i < (b)->q->measure_count; i++) {                                       \
        if (is_peak(b, i)) {                                                                   \
            statement_add((b)->sql, format, i, i, i, i);                                       \
        }                                                                                      \
    }

/* A rate as a step up or down, and whether it is known. */
static void add_step(struct build *b, size_t index, bool down)
{
    const enum quantity rate = b->q->measures[index]->quantity;
    statement_add(b->sql, down ? ", -" : ", ");
    quantity_add(b->sql, rate, runs_source_by_node(b->q));
    statement_add(b->sql, down ? " AS step%zu, -(CASE WHEN " : " AS step%zu, (CASE WHEN ",
                  index);
    quantity_add(b->sql, rate, runs_source_by_node(b->q));
    statement_add(b->sql, " IS NOT NULL THEN 1 ELSE 0 END) AS known%zu", index);
}

/* Steps up at the start, or down at the end, of the runs that overlap the period. */
static void add_steps(struct build *b, bool down)
{
    statement_add(b->sql, "SELECT ");
    sql_add_run_dimensions(b);
    statement_add(b->sql, "%d AS runs, ", down ? -1 : 1);
    if (down) {
        sql_add_until(b, EXPRESSION("until"));
        statement_add(b->sql, " AS t");
    } else {
        statement_add(b->sql, "greatest(start, %" PRId64 ") AS t", b->q->period.from);
    }
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (is_peak(b, i)) {
            add_step(b, i, down);
        }
    }
    statement_add(b->sql, " FROM ");
    sql_add_runs(b, RUNS_SOURCE_CLIPPED);
    statement_add(b->sql,
                  " WHERE start < %" PRId64 " AND until > %" PRId64 " AND until > start",
                  b->q->period.to, b->q->period.from);
    statement_add(b->sql, " AND ");
    sql_add_until(b, EXPRESSION("until"));
    statement_add(b->sql, " > greatest(start, %" PRId64 ")", b->q->period.from);
    if (down) {
        statement_add(b->sql, " AND ");
        sql_add_until(b, EXPRESSION("until"));
        statement_add(b->sql, " < %" PRId64, b->q->period.to);
    }
    sql_add_filter(b);
}

/* `levels`: what the sums are after each instant at which one changes. */
static void add_levels(struct build *b)
{
    statement_add(b->sql, "WITH steps AS (");
    add_steps(b, false);
    statement_add(b->sql, " UNION ALL ");
    add_steps(b, true);
    statement_add(b->sql, "), net AS (SELECT ");
    sql_add_run_names(b);
    statement_add(b->sql, "t, sum(runs) AS runs");
    ADD_PEAK_COLUMNS(b, ", sum(step%zu) AS step%zu, sum(known%zu) AS known%zu");
    statement_add(b->sql, " FROM (SELECT * FROM steps");
    if (sql_has_cells(b)) {
        statement_add(b->sql, " UNION ALL @by_name() SELECT * FROM (SELECT DISTINCT ");
        sql_add_run_names(b);
        statement_add(b->sql,
                      "1 AS one FROM steps), (SELECT greatest(lower, %" PRId64
                      ") AS t FROM calendar)",
                      b->q->period.from);
    }
    statement_add(b->sql, ") GROUP BY ALL), levels AS (SELECT ");
    sql_add_run_names(b);
    statement_add(b->sql, "t, sum(runs) OVER until_then AS runs");
    ADD_PEAK_COLUMNS(b, ", sum(step%zu) OVER until_then AS level%zu, sum(known%zu) OVER "
                        "until_then AS known%zu");
    statement_add(b->sql, " FROM net WINDOW until_then AS (");
    sql_add_partition(b);
    statement_add(b->sql, " ORDER BY t ROWS UNBOUNDED PRECEDING))");
}

static void add_highest(struct build *b, size_t index)
{
    statement_add(b->sql, "@wide(CASE WHEN max(known%zu) > 0 THEN max(level%zu) END)", index,
                  index);
}

void sql_add_peak(struct build *b, enum piece piece)
{
    statement_add(b->sql, "SELECT * FROM (");
    add_levels(b);
    statement_add(b->sql, " SELECT ");
    sql_add_piece_columns(b, piece);
    sql_add_measures(b, piece, add_highest);
    statement_add(b->sql, " FROM levels");
    if (sql_has_cells(b)) {
        sql_add_slot_join(b, EXPRESSION("calendar"), EXPRESSION("t"));
    }
    statement_add(b->sql, " GROUP BY ALL HAVING max(runs) > 0)");
}
