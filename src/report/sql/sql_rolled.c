/* SPDX-License-Identifier: MIT */

/*
 * A piece from a roll-up instead of the facts: the same rows of the same kind, with sums of
 * sums. Only rows that have runs of the kind count, so that what is unknown stays unknown and
 * nothing is zero.
 */

#include <inttypes.h>

#include "report/rollup/rollup.h"
#include "report/sql/sql_build.h"

static void add_sum(struct build *b, size_t index)
{
    const struct measure *m = b->q->measures[index];
    if (m->kind == MEASURE_DISTINCT) {
        statement_add(b->sql, "@wide(nullif(count(DISTINCT ");
        column_add(b->sql, m->value);
        statement_add(b->sql, "), 0))");
    } else if (m->kind == MEASURE_ACTIVE) { /* there from before, or new */
        statement_add(b->sql, "@wide(sum(CASE WHEN begins = ");
        statement_add(b->sql,
                      sql_has_cells(b) ? "greatest(" SQL_SLOTS ".bucket_lower, %" PRId64 ")"
                                       : "%" PRId64,
                      b->q->period.from);
        statement_add(b->sql, " THEN jobs_active ELSE jobs_started END))");
    } else {
        statement_add(b->sql, "@wide(sum(");
        statement_name(b->sql, identifier_of_measure(rollup_column(m)));
        statement_add(b->sql, "))");
    }
}

/* The measure that says whether a row has runs of the piece's kind. */
static const struct measure *indicator_of(const struct build *b, enum piece piece)
{
    enum measure_kind kind = MEASURE_KINDS;
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (sql_piece_of(b, b->q->measures[i]) == piece) {
            kind = b->q->measures[i]->kind;
        }
    }
    return rollup_indicator(kind);
}

void sql_add_rolled(struct build *b, enum piece piece)
{
    statement_add(b->sql, "SELECT ");
    sql_add_slot_dimensions(b);
    statement_add(b->sql, sql_has_cells(b) ? SQL_SLOTS ".bucket AS bucket, " : "0 AS bucket, ");
    sql_add_kind(b, piece);
    sql_add_measures(b, piece, add_sum);
    statement_add(b->sql, " FROM ");
    statement_name(b->sql, b->segment->table);
    if (sql_has_cells(b)) {
        sql_add_slot_join(b, EXPRESSION(SQL_SLOTS), EXPRESSION("begins"));
    }
    statement_add(b->sql, " WHERE begins >= %" PRId64 " AND begins < %" PRId64 " AND ",
                  b->q->period.from, b->q->period.to);
    statement_name(b->sql, identifier_of_measure(indicator_of(b, piece)));
    statement_add(b->sql, " > 0");
    sql_add_filter(b);
    statement_add(b->sql, " GROUP BY ALL HAVING count(*) > 0");
}
