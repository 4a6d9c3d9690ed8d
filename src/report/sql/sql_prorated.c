/* SPDX-License-Identifier: MIT */

/*
 * Amounts that a run has as a whole and not by the hour: what it used, and how long it was suspended.
 * A run that lies within one cell counts in full. Of one that crosses edges, a cell gets what was
 * reached at its end less what was reached at its start, both rounded down: the cells of a run then
 * add up to the run, to the microsecond. Of suspension it is the time that is shared out like this, and
 * then multiplied by rates: cpu hours stay cpus x wall hours.
 */

#include <inttypes.h>
#include <stdio.h>

#include "report/sql/sql_build.h"

/*
 * Runs that overlap the period: d0.., rs and re, their own start and end; s and e, clipped; u<i>, what was
 * used, or `paused`, the time suspended, and the rates r<i>.
 */
static int add_rows(struct build *b, enum piece piece)
{
    const char *own_start = b->plan->moves ? "own_start" : "start";
    const char *own_until = b->plan->moves ? "own_until" : "until";
    buf_addz(b->sql, "SELECT ");
    sql_add_run_dimensions(b);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const char *sql = b->q->measures[i]->sql;
        if (piece == PIECE_USED && sql_piece_of(b, b->q->measures[i]) == piece) {
            buf_addf(b->sql, "%s AS u%zu, ", sql, i);
        } else if (piece == PIECE_SUSPENDED && b->q->measures[i]->pauses) {
            buf_addf(b->sql, "(%s)::HUGEINT AS r%zu, ", sql, i);
        }
    }
    if (piece == PIECE_SUSPENDED) {
        buf_addz(b->sql, "least(suspended_us, ");
        sql_add_until(b, own_until, true);
        buf_addf(b->sql, " - %s) AS paused, ", own_start);
    }
    buf_addf(b->sql, "%s AS rs, greatest(", own_start);
    sql_add_until(b, own_until, true);
    buf_addf(b->sql, ", %s) AS re, greatest(start, %" PRId64 ") AS s, least(greatest(",
             own_start, b->q->period.from);
    sql_add_until(b, "until", true);
    buf_addf(b->sql, ", start), %" PRId64 ") AS e FROM ", b->q->period.to);
    int failed = sql_add_runs(b, NULL);
    buf_addz(b->sql, " WHERE ");
    sql_add_overlapping(b);
    buf_addz(b->sql,
             piece == PIECE_SUSPENDED ? " AND suspended_us > 0 AND until >= start" : "");
    return failed ? failed : sql_add_filter(b);
}

static int add_used_rows(struct build *b)
{
    return add_rows(b, PIECE_USED);
}

static int add_suspended_rows(struct build *b)
{
    return add_rows(b, PIECE_SUSPENDED);
}

/* The part from `lower` to `upper` of `whole`, which a run has from rs to re. */
static void add_part(struct build *b, const char *whole, const char *lower, const char *upper)
{
    buf_addf(b->sql,
             "(CASE WHEN %s <= rs AND %s >= re THEN %s ELSE "
             "%s::HUGEINT * (%s - rs) // (re - rs) - %s::HUGEINT * (%s - rs) // (re - rs) END)",
             lower, upper, whole, whole, upper, whole, lower);
}

void sql_add_prorated_sum(struct build *b, size_t index, const char *lower, const char *upper)
{
    char used[32];
    snprintf(used, sizeof(used), "u%zu", index);
    buf_addz(b->sql, "sum(");
    add_part(b, used, lower, upper);
    buf_addz(b->sql, ")::HUGEINT");
}

/* Suspension is taken off, use is not. */
static void add_parts(struct build *b, size_t index, const char *lower, const char *upper)
{
    if (b->q->measures[index]->kind == MEASURE_USED) {
        sql_add_prorated_sum(b, index, lower, upper);
        return;
    }
    buf_addf(b->sql, "-sum(r%zu * ", index);
    add_part(b, "paused", lower, upper);
    buf_addz(b->sql, ")::HUGEINT");
}

static void add_in_period(struct build *b, size_t index)
{
    add_parts(b, index, "s", "e");
}

static void add_in_cell(struct build *b, size_t index)
{
    add_parts(b, index, "greatest(s, lower)", "least(e, upper)");
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
        buf_addz(b->sql, ", ");
        if (b->q->measures[i]->pauses) {
            add(b, i);
        } else {
            buf_addf(b->sql, "NULL::%s", sql_type_of(b->q->measures[i]));
        }
        buf_addf(b->sql, " AS m%zu", i);
    }
}

int sql_add_prorated(struct build *b, enum piece piece)
{
    int (*rows)(struct build *) = piece == PIECE_USED ? add_used_rows : add_suspended_rows;
    int failed;
    buf_addz(b->sql, "SELECT ");
    if (!sql_has_cells(b)) {
        sql_add_run_names(b);
        buf_addf(b->sql, "0 AS bucket, '%s' AS kind", sql_piece_name(piece));
        add_measures(b, piece, add_in_period);
        buf_addz(b->sql, " FROM (");
        failed = rows(b);
        buf_addz(b->sql, ") GROUP BY ALL HAVING count(*) > 0");
        return failed;
    }
    sql_add_cell_columns(b, piece);
    add_measures(b, piece, add_in_cell);
    buf_addz(b->sql, " FROM ");
    failed = sql_add_spread(b, rows);
    buf_addz(b->sql, " JOIN calendar USING (cell) GROUP BY ALL");
    return failed;
}
