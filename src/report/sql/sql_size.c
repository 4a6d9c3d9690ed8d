/* SPDX-License-Identifier: MIT */

/*
 * Clusters that have nodes in the period, so that one that did nothing at all has a row too. What they
 * had is no affair of the engine: see size.h. Where a question is about something else than clusters
 * there is nothing to add.
 */

#include <inttypes.h>

#include "report/sql/sql_build.h"
#include "report/tables/size.h"

static void add_nothing(struct build *b, size_t index)
{
    (void)index;
    buf_addz(b->sql, "NULL::HUGEINT");
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
static int add_clusters(struct build *b)
{
    int failed = 0;
    buf_addz(b->sql, "(SELECT DISTINCT ");
    sql_add_run_dimensions(b);
    buf_addz(b->sql, "1 AS one");
    if (!question_is_of_clusters(b->q)) {
        buf_addz(b->sql, " FROM ");
        failed = sql_add_runs(b, NULL);
        buf_addz(b->sql, " WHERE false");
    } else if (has_cluster(b->q)) {
        buf_addz(b->sql, " FROM ");
        failed = size_add_nodes(b->q->rules, b->sql, b->plan->values, b->err);
        buf_addf(b->sql, " WHERE \"from\" < %" PRId64 " AND \"until\" > %" PRId64,
                 b->q->period.to, b->q->period.from);
        failed = failed ? failed
                        : filter_sql(&b->q->filter, b->q->zone, b->q->now, b->sql,
                                     b->plan->values, b->err);
    }
    buf_addc(b->sql, ')');
    return failed;
}

int sql_add_size(struct build *b, enum piece piece)
{
    buf_addz(b->sql, "SELECT DISTINCT ");
    if (sql_has_cells(b)) {
        sql_add_cell_columns(b, piece);
    } else {
        sql_add_run_names(b);
        buf_addf(b->sql, "0 AS bucket, '%s' AS kind", sql_piece_name(piece));
    }
    sql_add_measures(b, piece, add_nothing);
    buf_addz(b->sql, " FROM ");
    int failed = add_clusters(b);
    buf_addz(b->sql, sql_has_cells(b) ? ", calendar" : "");
    return failed;
}
