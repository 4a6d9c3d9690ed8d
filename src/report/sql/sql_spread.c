/* SPDX-License-Identifier: MIT */

/*
 * Runs spread over the cells they overlap, after all: where cells are few and groups very many,
 * as when roll-ups are made, a running sum over every cell of every group would cost more.
 * Amounts, use and numbers of runs come from one scan. Only for runs that have ended.
 */

#include <inttypes.h>

#include "report/sql/sql_build.h"

/*
 * d0.., rs and re, the run's own start and end; s and e, clipped; the rates r<i>; u<i>, what it
 * used.
 */
static void add_rows(struct build *b)
{
    statement_add(b->sql, "SELECT ");
    sql_add_run_dimensions(b);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        if (m->kind == MEASURE_OVERLAP) {
            sql_add_rate(b, i);
        } else if (m->kind == MEASURE_USED) {
            quantity_add(b->sql, m->quantity, runs_source_by_node(b->q));
            statement_add(b->sql, " AS u%zu, ", i);
        }
    }
    statement_add(b->sql,
                  "start AS rs, greatest(until, start) AS re, greatest(start, %" PRId64
                  ") AS s, least(until, %" PRId64 ") AS e FROM ",
                  b->q->period.from, b->q->period.to);
    sql_add_runs(b, RUNS_SOURCE_CLIPPED);
    statement_add(b->sql, " WHERE ");
    sql_add_overlapping(b);
    sql_add_filter(b);
}

static void add_sum(struct build *b, size_t index)
{
    const enum measure_kind kind = b->q->measures[index]->kind;
    if (kind == MEASURE_OVERLAP) {
        statement_add(b->sql, "@wide(sum(r%zu * (least(e, upper) - greatest(s, lower))))",
                      index);
    } else if (kind == MEASURE_USED) {
        sql_add_prorated_sum(b, index, EXPRESSION("greatest(s, lower)"),
                             EXPRESSION("least(greatest(e, s), upper)"));
    } else {
        statement_add(b->sql, "@wide(count(*))");
    }
}

void sql_add_spread_overlap(struct build *b)
{
    statement_add(b->sql, "SELECT ");
    sql_add_cell_columns(b, PIECE_OVERLAP);
    sql_add_measures(b, PIECE_OVERLAP, add_sum);
    statement_add(b->sql, " FROM ");
    sql_add_spread(b, add_rows);
    statement_add(b->sql, " JOIN calendar USING (cell) GROUP BY ALL");
}
