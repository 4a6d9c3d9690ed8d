/* SPDX-License-Identifier: MIT */

/*
 * Aggregates over runs at one of their instants.
 */

#include <inttypes.h>

#include "report/sql/sql_build.h"

/* Which instant a piece is about, and which runs have it. */
static const struct {
    enum runs_source_instant instant;
    struct expression where; /* NULL: those that tell it */
} instants[] = {
    [PIECE_SUBMIT] = {RUNS_SOURCE_AT_SUBMIT, {NULL}},
    [PIECE_START] = {RUNS_SOURCE_AT_START, {NULL}},
    [PIECE_END] = {RUNS_SOURCE_AT_END, {" AND start IS NOT NULL"}},
    [PIECE_WITHDRAWAL] = {RUNS_SOURCE_AT_WITHDRAWAL,
                          {" AND start IS NULL AND @differs(until, 9223372036854775807)"}},
};

static void add_aggregate(struct build *b, size_t index)
{
    const struct measure *m = b->q->measures[index];
    statement_add(b->sql, m->real ? "(" : "@wide(");
    quantity_add_aggregate(b->sql, m, runs_source_by_node(b->q));
    statement_add(b->sql, ")");
}

void sql_add_slot_dimensions(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        switch (dimension_fold(b->q->dimensions[i])) {
        case FOLD_NONE:
            column_add(b->sql, b->q->dimensions[i]);
            statement_add(b->sql, " AS d%zu, ", i);
            break;
        case FOLD_WEEKDAY:
            statement_add(b->sql, SQL_SLOTS ".weekday AS d%zu, ", i);
            break;
        case FOLD_HOUR:
            statement_add(b->sql, SQL_SLOTS ".hour AS d%zu, ", i);
            break;
        }
    }
}

void sql_add_in_period(struct build *b, enum piece piece)
{
    const enum runs_source_instant instant = instants[piece].instant;
    statement_expression(b->sql, runs_source_instant(instant));
    statement_add(b->sql, " >= %" PRId64 " AND ", b->q->period.from);
    statement_expression(b->sql, runs_source_instant(instant));
    statement_add(b->sql, " < %" PRId64, b->q->period.to);
    if (instants[piece].where.text) {
        statement_expression(b->sql, instants[piece].where);
    }
}

void sql_add_at(struct build *b, enum piece piece)
{
    const enum runs_source_instant instant = instants[piece].instant;
    statement_add(b->sql, "SELECT ");
    sql_add_slot_dimensions(b);
    statement_add(b->sql, sql_has_cells(b) ? SQL_SLOTS ".bucket AS bucket, " : "0 AS bucket, ");
    sql_add_kind(b, piece);
    sql_add_measures(b, piece, add_aggregate);
    statement_add(b->sql, " FROM ");
    sql_add_runs(b, instant);
    if (sql_has_cells(b)) {
        sql_add_slot_join(b, EXPRESSION(SQL_SLOTS), runs_source_instant(instant));
    }
    statement_add(b->sql, " WHERE ");
    sql_add_in_period(b, piece);
    sql_add_filter(b);
    statement_add(b->sql, " GROUP BY ALL HAVING count(*) > 0");
}
