/* SPDX-License-Identifier: MIT */

/*
 * Aggregates over runs at one of their instants.
 */

#include <inttypes.h>

#include "report/sql/sql_build.h"

struct instant {
    const char *sql;
    const char *where; /* which runs have it; NULL: those that tell it */
};

static const struct instant instants[] = {
    [PIECE_SUBMIT] = {"submit", NULL},
    [PIECE_START] = {"start", NULL},
    [PIECE_END] = {"\"end\"", "start IS NOT NULL"},
    [PIECE_GIVEUP] = {"coalesce(\"end\", submit)",
                      "start IS NULL AND until IS DISTINCT FROM 9223372036854775807"},
};

static void add_aggregate(struct build *b, size_t index)
{
    const struct measure *m = b->q->measures[index];
    buf_addf(b->sql, "(%s)%s", m->sql, m->real ? "" : "::HUGEINT");
}

void sql_add_slot_dimensions(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        switch (dimension_fold(b->q->dimensions[i])) {
        case FOLD_NONE:
            buf_addf(b->sql, "%s AS d%zu, ", column_sql(b->q->dimensions[i]), i);
            break;
        case FOLD_WEEKDAY:
            buf_addf(b->sql, SQL_SLOTS ".weekday AS d%zu, ", i);
            break;
        case FOLD_HOUR:
            buf_addf(b->sql, SQL_SLOTS ".hour AS d%zu, ", i);
            break;
        }
    }
}

int sql_add_at(struct build *b, enum piece piece)
{
    const struct instant instant = instants[piece];
    buf_addz(b->sql, "SELECT ");
    sql_add_slot_dimensions(b);
    buf_addf(b->sql, "%s AS bucket, '%s' AS kind", sql_has_cells(b) ? SQL_SLOTS ".bucket" : "0",
             sql_piece_name(piece));
    sql_add_measures(b, piece, add_aggregate);
    buf_addz(b->sql, " FROM ");
    int failed = sql_add_runs(b, instant.sql);
    if (sql_has_cells(b)) {
        sql_add_slot_join(b, SQL_SLOTS, instant.sql);
    }
    buf_addf(b->sql, " WHERE %s >= %" PRId64 " AND %s < %" PRId64, instant.sql,
             b->q->period.from, instant.sql, b->q->period.to);
    if (instant.where) {
        buf_addf(b->sql, " AND %s", instant.where);
    }
    failed = failed ? failed : sql_add_filter(b);
    buf_addz(b->sql, " GROUP BY ALL HAVING count(*) > 0");
    return failed;
}
