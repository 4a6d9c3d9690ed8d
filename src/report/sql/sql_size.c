/* SPDX-License-Identifier: MIT */

/*
 * Clusters that have nodes in the period, so that one that did nothing at all has a row too.
 * What they had is no affair of the engine: see capacity_series.h. Where a question is about
 * something else than clusters there is nothing to add.
 */

#include <inttypes.h>

#include "report/queries/capacity_series.h"
#include "report/sql/sql_build.h"

static void add_nothing(struct build *b, size_t index)
{
    (void)index;
    statement_add(b->sql, "@unknown_wide()");
}

static bool has_cluster(const struct question *q)
{
    for (size_t i = 0; i < q->dimension_count; i++) {
        if (q->dimensions[i] == &run_fields[RUN_cluster]) {
            return true;
        }
    }
    return false;
}

/* (SELECT "cluster" AS d0, 1 AS one FROM ...) */
static void add_clusters(struct build *b)
{
    statement_add(b->sql, "(SELECT DISTINCT ");
    sql_add_run_dimensions(b);
    statement_add(b->sql, "1 AS one");
    if (!question_is_of_clusters(b->q)) {
        statement_add(b->sql, " FROM ");
        sql_add_runs(b, RUNS_SOURCE_CLIPPED);
        statement_add(b->sql, " WHERE false");
    } else if (has_cluster(b->q)) {
        statement_add(b->sql, " FROM ");
        size_add_nodes(b->q->rules, b->sql);
        statement_add(b->sql, " WHERE \"from\" < %" PRId64 " AND \"until\" > %" PRId64,
                      b->q->period.to, b->q->period.from);
        filter_sql(&b->q->filter, b->q->zone, b->q->now, b->sql);
    }
    statement_add(b->sql, ")");
}

void sql_add_size(struct build *b, enum piece piece)
{
    statement_add(b->sql, "SELECT DISTINCT ");
    sql_add_piece_columns(b, piece);
    sql_add_measures(b, piece, add_nothing);
    statement_add(b->sql, " FROM ");
    add_clusters(b);
    statement_add(b->sql, sql_has_cells(b) ? ", calendar" : "");
}
