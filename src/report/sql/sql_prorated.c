/* SPDX-License-Identifier: MIT */

/*
 * Amounts that a run has as a whole and not by the hour: what it used, and how long it was
 * suspended. A run that lies within one cell counts in full. Of one that crosses edges, a cell
 * gets what was reached at its end less what was reached at its start, both rounded down: the
 * cells of a run then add up to the run, to the microsecond. Of suspension it is the time that
 * is shared out like this, and then multiplied by rates: cpu hours stay cpus x wall hours.
 */

#include <inttypes.h>

#include "report/sql/sql_build.h"

/*
 * Runs that overlap the period: d0.., rs and re, their own start and end; s and e, clipped;
 * u<i>, what was used, or `paused`, the time suspended, and the rates r<i>.
 */
static void add_rows(struct build *b, enum piece piece)
{
    const struct expression own_start = {b->plan->moves ? "own_start" : "start"};
    const struct expression own_until = {b->plan->moves ? "own_until" : "until"};
    statement_add(b->sql, "SELECT ");
    sql_add_run_dimensions(b);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        if (piece == PIECE_USED && sql_piece_of(b, m) == piece) {
            quantity_add(b->sql, m->quantity, false);
            statement_add(b->sql, " AS u%zu, ", i);
        } else if (piece == PIECE_SUSPENDED && m->pauses) {
            statement_add(b->sql, "@wide(");
            quantity_add(b->sql, m->quantity, runs_source_by_node(b->q));
            statement_add(b->sql, ") AS r%zu, ", i);
        }
    }
    if (piece == PIECE_USED && runs_source_by_node(b->q)) {
        statement_add(b->sql, QUANTITY_SQL_PARTS);
    }
    if (piece == PIECE_SUSPENDED) {
        statement_add(b->sql, "least(suspended_us, ");
        sql_add_until(b, own_until);
        statement_add(b->sql, " - ");
        statement_expression(b->sql, own_start);
        statement_add(b->sql, ") AS paused, ");
    }
    statement_expression(b->sql, own_start);
    statement_add(b->sql, " AS rs, greatest(");
    sql_add_until(b, own_until);
    statement_add(b->sql, ", ");
    statement_expression(b->sql, own_start);
    statement_add(b->sql, ") AS re, greatest(start, %" PRId64 ") AS s, least(greatest(",
                  b->q->period.from);
    sql_add_until(b, EXPRESSION("until"));
    statement_add(b->sql, ", start), %" PRId64 ") AS e FROM ", b->q->period.to);
    sql_add_runs(b, RUNS_SOURCE_CLIPPED);
    statement_add(b->sql, " WHERE ");
    sql_add_overlapping(b);
    statement_add(b->sql,
                  piece == PIECE_SUSPENDED ? " AND suspended_us > 0 AND until >= start" : "");
    sql_add_filter(b);
}

static void add_used_rows(struct build *b)
{
    add_rows(b, PIECE_USED);
}

static void add_suspended_rows(struct build *b)
{
    add_rows(b, PIECE_SUSPENDED);
}

/* What a run has from rs to re: u<index>, or the time suspended. */
enum whole { WHOLE_USED, WHOLE_PAUSED };

static void add_amount(struct build *b, enum whole whole, size_t index)
{
    if (whole == WHOLE_USED) {
        statement_add(b->sql, "u%zu", index);
    } else {
        statement_add(b->sql, "paused");
    }
}

/*
 * Where rows are nodes, a node has its part of what the run has used by then: nodes and times
 * both add up.
 */
static void add_share(struct build *b, enum whole whole, size_t index, bool begins)
{
    if (whole == WHOLE_USED && runs_source_by_node(b->q)) {
        quantity_part(b->sql, b->q->measures[index]->quantity, begins);
    }
}

static void add_whole(struct build *b, enum whole whole, size_t index)
{
    add_share(b, whole, index, true);
    add_amount(b, whole, index);
    add_share(b, whole, index, false);
}

/* What of it was reached at an instant, rounded down. */
static void add_reached(struct build *b, enum whole whole, size_t index, struct expression at)
{
    add_share(b, whole, index, true);
    statement_add(b->sql, "@divide(@wide(");
    add_amount(b, whole, index);
    statement_add(b->sql, ") * (");
    statement_expression(b->sql, at);
    statement_add(b->sql, " - rs), re - rs)");
    add_share(b, whole, index, false);
}

/* The part of it from `lower` to `upper`. */
static void add_part(struct build *b, enum whole whole, size_t index, struct expression lower,
                     struct expression upper)
{
    statement_add(b->sql, "(CASE WHEN ");
    statement_expression(b->sql, lower);
    statement_add(b->sql, " <= rs AND ");
    statement_expression(b->sql, upper);
    statement_add(b->sql, " >= re THEN ");
    add_whole(b, whole, index);
    statement_add(b->sql, " ELSE ");
    add_reached(b, whole, index, upper);
    statement_add(b->sql, " - ");
    add_reached(b, whole, index, lower);
    statement_add(b->sql, " END)");
}

void sql_add_prorated_sum(struct build *b, size_t index, struct expression lower,
                          struct expression upper)
{
    statement_add(b->sql, "@wide(sum(");
    add_part(b, WHOLE_USED, index, lower, upper);
    statement_add(b->sql, "))");
}

/* Suspension is taken off, use is not. */
static void add_parts(struct build *b, size_t index, struct expression lower,
                      struct expression upper)
{
    if (b->q->measures[index]->kind == MEASURE_USED) {
        sql_add_prorated_sum(b, index, lower, upper);
        return;
    }
    statement_add(b->sql, "-@wide(sum(r%zu * ", index);
    add_part(b, WHOLE_PAUSED, index, lower, upper);
    statement_add(b->sql, "))");
}

static void add_in_period(struct build *b, size_t index)
{
    add_parts(b, index, EXPRESSION("s"), EXPRESSION("e"));
}

static void add_in_cell(struct build *b, size_t index)
{
    add_parts(b, index, EXPRESSION("greatest(s, lower)"), EXPRESSION("least(e, upper)"));
}

/* The measures of a piece; suspension is taken off those of PIECE_OVERLAP. */
static void add_measures(struct build *b, enum piece piece,
                         void (*add)(struct build *b, size_t index))
{
    if (piece == PIECE_USED) {
        sql_add_measures(b, piece, add);
        return;
    }
    for (size_t i = 0; i < b->q->measure_count; i++) {
        statement_add(b->sql, ", ");
        if (b->q->measures[i]->pauses) {
            add(b, i);
        } else {
            sql_add_unknown(b, i);
        }
        statement_add(b->sql, " AS m%zu", i);
    }
}

void sql_add_prorated(struct build *b, enum piece piece)
{
    void (*rows)(struct build *) = piece == PIECE_USED ? add_used_rows : add_suspended_rows;
    statement_add(b->sql, "SELECT ");
    if (!sql_has_cells(b)) {
        sql_add_run_names(b);
        statement_add(b->sql, "0 AS bucket, ");
        sql_add_kind(b, piece);
        add_measures(b, piece, add_in_period);
        statement_add(b->sql, " FROM (");
        rows(b);
        statement_add(b->sql, ") GROUP BY ALL HAVING count(*) > 0");
        return;
    }
    sql_add_cell_columns(b, piece);
    add_measures(b, piece, add_in_cell);
    statement_add(b->sql, " FROM ");
    sql_add_spread(b, rows);
    statement_add(b->sql, " JOIN calendar USING (cell) GROUP BY ALL");
}
