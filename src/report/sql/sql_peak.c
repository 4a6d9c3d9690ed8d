/* SPDX-License-Identifier: MIT */

/*
 * The most at one instant. A run is a step up where it starts and one down where it ends; steps at the
 * same instant are added before the sum is looked at, so a run that ends when another starts is not
 * at once with it. The level at the start of a cell is that of the cell before: a step of zero there
 * makes it seen.
 *
 * Beside the sums go two numbers of runs: all of them, and those that tell the rate. A peak of runs none of
 * which tells it is unknown; runs that take no time are never there at once.
 */

#include <inttypes.h>

#include "report/sql/sql_build.h"

static bool is_peak(const struct build *b, size_t index)
{
    return b->q->measures[index]->kind == MEASURE_PEAK;
}

static void add_peak_columns(struct build *b, const char *format)
{
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (is_peak(b, i)) {
            buf_addc(b->sql, ',');
            for (const char *c = format; *c; c++) {
                if (*c == '@') {
                    buf_addf(b->sql, "%zu", i);
                } else {
                    buf_addc(b->sql, *c);
                }
            }
        }
    }
}

/* Steps up at the start, or down at the end, of the runs that overlap the period. */
static int add_steps(struct build *b, bool down)
{
    buf_addf(b->sql, "SELECT ");
    sql_add_run_dimensions(b);
    buf_addf(b->sql, "%d AS runs, ", down ? -1 : 1);
    if (down) {
        sql_add_until(b, "until", false);
        buf_addz(b->sql, " AS t");
    } else {
        buf_addf(b->sql, "greatest(start, %" PRId64 ") AS t", b->q->period.from);
    }
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (is_peak(b, i)) {
            const char *sign = down ? "-" : "";
            const char *rate = b->q->measures[i]->sql;
            buf_addf(b->sql, ", %s%s AS step%zu, %s(%s IS NOT NULL)::INTEGER AS known%zu", sign,
                     rate, i, sign, rate, i);
        }
    }
    buf_addz(b->sql, " FROM ");
    int failed = sql_add_runs(b, NULL);
    buf_addf(b->sql, " WHERE start < %" PRId64 " AND until > %" PRId64 " AND until > start",
             b->q->period.to, b->q->period.from);
    buf_addz(b->sql, " AND ");
    sql_add_until(b, "until", false);
    buf_addf(b->sql, " > %" PRId64, b->q->period.from);
    if (down) {
        buf_addz(b->sql, " AND ");
        sql_add_until(b, "until", false);
        buf_addf(b->sql, " < %" PRId64, b->q->period.to);
    }
    return failed ? failed : sql_add_filter(b);
}

/* `levels`: what the sums are after each instant at which one changes. */
static int add_levels(struct build *b)
{
    buf_addz(b->sql, "WITH steps AS (");
    int failed = add_steps(b, false);
    buf_addz(b->sql, " UNION ALL ");
    if (!failed) {
        failed = add_steps(b, true);
    }
    buf_addz(b->sql, "), net AS (SELECT ");
    sql_add_run_names(b);
    buf_addz(b->sql, "t, sum(runs) AS runs");
    add_peak_columns(b, " sum(step@) AS step@, sum(known@) AS known@");
    buf_addz(b->sql, " FROM (SELECT * FROM steps");
    if (sql_has_cells(b)) {
        buf_addz(b->sql, " UNION ALL BY NAME SELECT * FROM (SELECT DISTINCT ");
        sql_add_run_names(b);
        buf_addf(b->sql,
                 "1 AS one FROM steps), (SELECT greatest(lower, %" PRId64
                 ") AS t FROM calendar)",
                 b->q->period.from);
    }
    buf_addz(b->sql, ") GROUP BY ALL), levels AS (SELECT ");
    sql_add_run_names(b);
    buf_addz(b->sql, "t, sum(runs) OVER until_then AS runs");
    add_peak_columns(
        b, " sum(step@) OVER until_then AS level@, sum(known@) OVER until_then AS known@");
    buf_addz(b->sql, " FROM net WINDOW until_then AS (");
    const char *before = "PARTITION BY";
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        if (dimension_fold(b->q->dimensions[i]) == FOLD_NONE) {
            buf_addf(b->sql, "%s d%zu", before, i);
            before = ",";
        }
    }
    buf_addz(b->sql, " ORDER BY t ROWS UNBOUNDED PRECEDING))");
    return failed;
}

static void add_highest(struct build *b, size_t index)
{
    buf_addf(b->sql, "(CASE WHEN max(known%zu) > 0 THEN max(level%zu) END)::HUGEINT", index,
             index);
}

int sql_add_peak(struct build *b, enum piece piece)
{
    buf_addz(b->sql, "SELECT * FROM (");
    int failed = add_levels(b);
    buf_addz(b->sql, " SELECT ");
    if (sql_has_cells(b)) {
        sql_add_cell_columns(b, piece);
    } else {
        sql_add_run_names(b);
        buf_addz(b->sql, "0 AS bucket, 'peak' AS kind");
    }
    sql_add_measures(b, piece, add_highest);
    buf_addz(b->sql, " FROM levels");
    if (sql_has_cells(b)) {
        sql_add_slot_join(b, "calendar", "t");
    }
    buf_addz(b->sql, " GROUP BY ALL HAVING max(runs) > 0)");
    return failed;
}
