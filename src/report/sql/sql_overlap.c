/* SPDX-License-Identifier: MIT */

/*
 * Runs and the time they overlap: amounts, numbers of runs, different values.
 *
 * In cells a run is not spread over the time it takes. Runs that share their first and last cell are
 * summed to one, with rate r in all; it adds at `first` the amount up to that cell's end, and r to
 * what every later cell gets in full; at `last` it takes r away again and the part of that cell
 * which came after its end. The rest is a running sum.
 *
 * Beside the amounts go two numbers of runs in each cell: all of them, and those that tell the rate.
 * A run counts 1 in each of its cells, so its last cell counts in full.
 */

#include <inttypes.h>
#include <stdio.h>

#include "report/sql/booked.h"
#include "report/sql/sql_build.h"

static bool is_amount(const struct build *b, size_t index)
{
    return b->q->measures[index]->kind == MEASURE_OVERLAP;
}

/* Which of the runs that overlap the period a SELECT is about. */
enum some {
    ALL_OF_THEM,
    BEYOND_THE_START, /* most: they end after it; two plain bounds, by which the engine skips */
    AT_THE_START,     /* of no length, or nobody knows of which, at the very first instant */
};

static void add_some(struct build *b, enum some some)
{
    const struct period *p = &b->q->period;
    if (some == ALL_OF_THEM) {
        sql_add_overlapping(b);
    } else if (some == BEYOND_THE_START) {
        buf_addf(b->sql, "start < %" PRId64 " AND until > %" PRId64, p->to, p->from);
    } else {
        buf_addf(b->sql, "start >= %" PRId64 " AND start < %" PRId64 " AND until <= %" PRId64,
                 p->from, p->to, p->from);
    }
}

static int add_clipped_some(struct build *b, enum some some)
{
    buf_addz(b->sql, "SELECT ");
    sql_add_run_dimensions(b);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        if (m->kind == MEASURE_OVERLAP) {
            sql_add_rate(b, i);
        } else if (m->kind == MEASURE_DISTINCT) {
            buf_addf(b->sql, "%s AS v%zu, ", m->sql, i);
        }
    }
    if (b->plan->moves || sql_has_folds(b->q)) { /* what tells one run from another */
        buf_addf(b->sql, "%s AS run, ", booked_row(b->q));
    }
    buf_addf(b->sql, "greatest(start, %" PRId64 ") AS s, least(", b->q->period.from);
    sql_add_until(b, "until", false);
    buf_addf(b->sql, ", %" PRId64 ") AS e FROM ", b->q->period.to);
    int failed = sql_add_runs(b, NULL);
    buf_addz(b->sql, " WHERE ");
    add_some(b, some);
    return failed ? failed : sql_add_filter(b);
}

/*
 * Runs that overlap the period, clipped to it: d0.., s, e, the rates r<i> and values v<i> of measures.
 * e lies before s where nobody knows when a run ended; then its rates are unknown.
 */
static int add_clipped(struct build *b)
{
    if (b->q->now <= b->q->period.from) { /* those that go on may not have got so far */
        return add_clipped_some(b, ALL_OF_THEM);
    }
    int failed = add_clipped_some(b, BEYOND_THE_START);
    buf_addz(b->sql, " UNION ALL ");
    return failed ? failed : add_clipped_some(b, AT_THE_START);
}

static void add_total(struct build *b, size_t index)
{
    const struct measure *m = b->q->measures[index];
    if (m->kind == MEASURE_OVERLAP) {
        buf_addf(b->sql, "sum(r%zu * (e - s))", index);
    } else if (m->kind == MEASURE_ACTIVE) {
        buf_addz(b->sql, b->plan->moves ? "count(DISTINCT run)::HUGEINT" : "count(*)::HUGEINT");
    } else {
        buf_addf(b->sql, "nullif(count(DISTINCT v%zu), 0)::HUGEINT", index);
    }
}

/* Sums of one period as a whole. A row is of at least one run; NULL means that none tells its value. */
static int add_whole(struct build *b)
{
    buf_addz(b->sql, "SELECT ");
    sql_add_run_names(b);
    buf_addz(b->sql, "0 AS bucket, 'overlap' AS kind");
    sql_add_measures(b, PIECE_OVERLAP, add_total);
    buf_addz(b->sql, " FROM (");
    int failed = add_clipped(b);
    buf_addz(b->sql, ") GROUP BY ALL HAVING count(*) > 0");
    return failed;
}

/* Runs that share their first and last cell. */
static int add_grouped(struct build *b)
{
    buf_addz(b->sql, "grouped AS (SELECT ");
    sql_add_run_names(b);
    buf_addz(b->sql, "first, last, count(*) AS runs");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (is_amount(b, i)) {
            buf_addf(b->sql,
                     ", count(r%zu) AS known%zu, sum(r%zu) AS rate%zu, sum(r%zu * into_first) "
                     "AS before%zu, sum(r%zu * into_last) AS until%zu",
                     i, i, i, i, i, i, i, i);
        }
    }
    buf_addz(b->sql, " FROM ");
    int failed = sql_add_placed(b, add_clipped);
    buf_addz(b->sql, " GROUP BY ALL)");
    return failed;
}

/* What a group adds to the sums at its first cell, and what at its last. */
static void add_events(struct build *b, bool at_last)
{
    buf_addz(b->sql, at_last ? " UNION ALL SELECT " : "SELECT ");
    sql_add_run_names(b);
    buf_addz(b->sql, at_last ? "last AS cell, 0 AS runs_part, -runs AS runs_step"
                             : "first AS cell, runs AS runs_part, runs AS runs_step");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (!is_amount(b, i)) {
            continue;
        }
        buf_addf(b->sql,
                 at_last
                     ? ", until%zu - rate%zu * width AS amount%zu_part, -rate%zu AS "
                       "amount%zu_step, 0 AS known%zu_part, -known%zu AS known%zu_step"
                     : ", rate%zu * width - before%zu AS amount%zu_part, rate%zu AS "
                       "amount%zu_step, known%zu AS known%zu_part, known%zu AS known%zu_step",
                 i, i, i, i, i, i, i, i, i);
    }
    buf_addf(b->sql, " FROM grouped JOIN calendar ON calendar.cell = %s",
             at_last ? "last" : "first");
}

/* Every group has a row in every cell, so that the running sum reaches those without events. */
static void add_dense(struct build *b)
{
    bool groups = false;
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        groups |= dimension_fold(b->q->dimensions[i]) == FOLD_NONE;
    }
    buf_addz(b->sql, ", dense AS (SELECT ");
    sql_add_run_names(b);
    buf_addz(b->sql, "cell, sum(COLUMNS('_part$|_step$')) FROM (SELECT * FROM events UNION "
                     "ALL BY NAME SELECT * FROM (SELECT DISTINCT ");
    sql_add_run_names(b);
    buf_addf(b->sql, "1 AS one%s) groups, (SELECT cell FROM calendar)) GROUP BY ALL)",
             groups ? " FROM events" : "");
}

/* What a cell has of `name`: its own part, and `width` times the steps taken before it. */
static void add_running(struct build *b, const char *name, const char *width)
{
    buf_addf(b->sql, "coalesce(%s_part, 0) + %s * coalesce(sum(%s_step) OVER before, 0)", name,
             width, name);
}

/* Where runs took place and none tells its rate, the amount is unknown, not zero. */
static void add_amount(struct build *b, size_t index)
{
    char amount[32], known[32];
    snprintf(amount, sizeof(amount), "amount%zu", index);
    snprintf(known, sizeof(known), "known%zu", index);
    buf_addz(b->sql, "(CASE WHEN ");
    add_running(b, known, "1");
    buf_addz(b->sql, " > 0 THEN ");
    add_running(b, amount, "width");
    buf_addz(b->sql, " END)::HUGEINT");
}

static void add_of_cell(struct build *b, size_t index)
{
    if (is_amount(b, index)) {
        add_amount(b, index);
    } else {
        buf_addz(b->sql, "(");
        add_running(b, "runs", "1");
        buf_addz(b->sql, ")::HUGEINT");
    }
}

static void add_window(struct build *b)
{
    const char *before = "PARTITION BY";
    buf_addz(b->sql, " WINDOW before AS (");
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        if (dimension_fold(b->q->dimensions[i]) == FOLD_NONE) {
            buf_addf(b->sql, "%s d%zu", before, i);
            before = ",";
        }
    }
    buf_addz(b->sql, " ORDER BY dense.cell ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)");
}

/* The cells that a group has runs in, with their amounts. */
static int add_series(struct build *b)
{
    buf_addz(b->sql, "SELECT * EXCLUDE (here) FROM (WITH ");
    int failed = add_grouped(b);
    buf_addz(b->sql, ", events AS (");
    add_events(b, false);
    add_events(b, true);
    buf_addz(b->sql, ")");
    add_dense(b);
    buf_addz(b->sql, " SELECT ");
    sql_add_cell_columns(b, PIECE_OVERLAP);
    sql_add_measures(b, PIECE_OVERLAP, add_of_cell);
    buf_addz(b->sql, ", ");
    add_running(b, "runs", "1");
    buf_addz(b->sql, " AS here FROM dense JOIN calendar USING (cell)");
    add_window(b);
    buf_addz(b->sql, ") WHERE here > 0");
    return failed;
}

int sql_add_overlap(struct build *b, enum piece piece)
{
    (void)piece;
    return !sql_has_cells(b)           ? add_whole(b)
           : b->q->path == PATH_ROLLUP ? sql_add_spread_overlap(b)
                                       : add_series(b);
}

static void add_different(struct build *b, size_t index)
{
    if (b->q->measures[index]->kind == MEASURE_ACTIVE) {
        buf_addz(b->sql, "count(DISTINCT run)::HUGEINT");
    } else {
        buf_addf(b->sql, "nullif(count(DISTINCT v%zu), 0)::HUGEINT", index);
    }
}

/* "run, " or "v0, v3, ": what is counted. */
static void add_counted(struct build *b, enum piece piece)
{
    if (piece == PIECE_ACTIVE) {
        buf_addz(b->sql, "run, ");
        return;
    }
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (b->q->measures[i]->kind == MEASURE_DISTINCT) {
            buf_addf(b->sql, "v%zu, ", i);
        }
    }
}

int sql_add_in_each_cell(struct build *b, enum piece piece)
{
    buf_addz(b->sql, "SELECT ");
    sql_add_cell_columns(b, piece);
    sql_add_measures(b, piece, add_different);
    buf_addz(b->sql, " FROM (SELECT DISTINCT ");
    sql_add_run_names(b);
    add_counted(b, piece);
    buf_addz(b->sql, "unnest(range(first, last + 1)) AS cell FROM (SELECT DISTINCT ");
    sql_add_run_names(b);
    add_counted(b, piece);
    buf_addz(b->sql, "first, last FROM ");
    int failed = sql_add_placed(b, add_clipped);
    buf_addz(b->sql, ")) JOIN calendar USING (cell) GROUP BY ALL");
    return failed;
}
