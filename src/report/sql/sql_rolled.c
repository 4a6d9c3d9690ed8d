/* SPDX-License-Identifier: MIT */

/*
 * A piece from a roll-up instead of the facts: the same rows of the same kind, with sums of sums. Only
 * rows that have runs of the kind count, so that what is unknown stays unknown and nothing is zero.
 */

#include <inttypes.h>

#include "report/rollup/rollup.h"
#include "report/sql/sql_build.h"

static void add_sum(struct build *b, size_t index)
{
    const struct measure *m = b->q->measures[index];
    if (m->kind == MEASURE_DISTINCT) {
        buf_addf(b->sql, "nullif(count(DISTINCT %s), 0)::HUGEINT", m->sql);
    } else if (m->kind == MEASURE_ACTIVE && sql_has_cells(b)) { /* there from before, or new */
        buf_addf(b->sql,
                 "sum(CASE WHEN begins = greatest(" SQL_SLOTS ".bucket_lower, %" PRId64
                 ") THEN jobs_active ELSE jobs_started END)::HUGEINT",
                 b->q->period.from);
    } else if (m->kind == MEASURE_ACTIVE) {
        buf_addf(b->sql,
                 "sum(CASE WHEN begins = %" PRId64
                 " THEN jobs_active ELSE jobs_started END)::HUGEINT",
                 b->q->period.from);
    } else {
        buf_addf(b->sql, "sum(\"%s\")::HUGEINT", rollup_column(m)->id);
    }
}

int sql_add_rolled(struct build *b, enum piece piece, const char *table)
{
    buf_addz(b->sql, "SELECT ");
    sql_add_slot_dimensions(b);
    buf_addf(b->sql, "%s AS bucket, '%s' AS kind", sql_has_cells(b) ? SQL_SLOTS ".bucket" : "0",
             sql_piece_name(piece));
    sql_add_measures(b, piece, add_sum);
    buf_addf(b->sql, " FROM %s", table);
    if (sql_has_cells(b)) {
        sql_add_slot_join(b, SQL_SLOTS, "begins");
    }
    enum measure_kind kind = MEASURE_KINDS;
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (sql_piece_of(b, b->q->measures[i]) == piece) {
            kind = b->q->measures[i]->kind;
        }
    }
    buf_addf(b->sql, " WHERE begins >= %" PRId64 " AND begins < %" PRId64 " AND \"%s\" > 0",
             b->q->period.from, b->q->period.to, rollup_indicator(kind)->id);
    int failed = sql_add_filter(b);
    buf_addz(b->sql, " GROUP BY ALL HAVING count(*) > 0");
    return failed;
}
