/* SPDX-License-Identifier: MIT */

/*
 * Runs and the time they overlap: amounts, numbers of runs, different values.
 *
 * In cells a run is not spread over the time it takes. Runs that share their first and last
 * cell are summed to one, with rate r in all; it adds at `first` the amount up to that cell's
 * end, and r to what every later cell gets in full; at `last` it takes r away again and the
 * part of that cell which came after its end. The rest is a running sum.
 *
 * Beside the amounts go two numbers of runs in each cell: all of them, and those that tell the
 * rate. A run counts 1 in each of its cells, so its last cell counts in full.
 */

#include <inttypes.h>

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

/* Of runs without an end, which are known to have run up to some moment only. */
static void add_stopped(struct build *b, struct expression compared)
{
    if (sql_has_open(b)) {
        statement_add(b->sql, " AND ");
        sql_add_until(b, EXPRESSION("until"));
        statement_expression(b->sql, compared);
        statement_add(b->sql, "%" PRId64, b->q->period.from);
    }
}

static void add_some(struct build *b, enum some some)
{
    const struct period *p = &b->q->period;
    if (some == ALL_OF_THEM) {
        sql_add_overlapping(b);
    } else if (some == BEYOND_THE_START) {
        statement_add(b->sql, "start < %" PRId64 " AND until > %" PRId64, p->to, p->from);
        add_stopped(b, EXPRESSION(" > "));
    } else { /* until is a microsecond before the start at the least */
        statement_add(b->sql,
                      "start >= %" PRId64 " AND start <= %" PRId64 " AND start < %" PRId64,
                      p->from, p->from + 1, p->to);
        if (!sql_has_open(b)) {
            statement_add(b->sql, " AND until <= %" PRId64, p->from);
        }
        add_stopped(b, EXPRESSION(" <= "));
    }
}

/* What is counted once. A node is one of its cluster: others may have one of the same name. */
static void add_value(struct build *b, const struct measure *m)
{
    if (dimension_is_spread(m->value) && sql_piece_of(b, m) != PIECE_NODES) {
        column_add(b->sql, &run_fields[RUN_cluster]);
        statement_add(b->sql, " || ':' || ");
    }
    column_add(b->sql, m->value);
}

static void add_clipped_some(struct build *b, enum some some)
{
    statement_add(b->sql, "SELECT ");
    sql_add_run_dimensions(b);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        if (m->kind == MEASURE_OVERLAP) {
            sql_add_rate(b, i);
        } else if (m->kind == MEASURE_DISTINCT) {
            add_value(b, m);
            statement_add(b->sql, " AS v%zu, ", i);
        }
        if (sql_piece_of(b, m) == PIECE_NODES) { /* the list, besides the first */
            column_add(b->sql, &run_fields[RUN_nodes]);
            statement_add(b->sql, " AS list%zu, ", i);
            column_add(b->sql, &run_fields[RUN_cluster]);
            statement_add(b->sql, " AS place%zu, ", i);
        }
    }
    if (b->plan->moves || sql_has_folds(b->q)) { /* what distinguishes one run from another */
        statement_expression(b->sql, runs_source_row(b->q));
        statement_add(b->sql, " AS run, ");
    }
    statement_add(b->sql, "greatest(start, %" PRId64 ") AS s, least(", b->q->period.from);
    sql_add_until(b, EXPRESSION("until"));
    statement_add(b->sql, ", %" PRId64 ") AS e FROM ", b->q->period.to);
    sql_add_runs(b, RUNS_SOURCE_CLIPPED);
    statement_add(b->sql, " WHERE ");
    add_some(b, some);
    sql_add_filter(b);
}

/*
 * Runs that overlap the period, clipped to it: d0.., s, e, the rates r<i> and values v<i> of
 * measures. e lies before s where nobody knows when a run ended; then its rates are unknown.
 */
static void add_clipped(struct build *b)
{
    if (b->q->now <= b->q->period.from) { /* running jobs may not have reached the period yet */
        add_clipped_some(b, ALL_OF_THEM);
        return;
    }
    add_clipped_some(b, BEYOND_THE_START);
    statement_add(b->sql, " UNION ALL ");
    add_clipped_some(b, AT_THE_START);
}

static void add_total(struct build *b, size_t index)
{
    const struct measure *m = b->q->measures[index];
    if (m->kind == MEASURE_OVERLAP) {
        statement_add(b->sql, "sum(r%zu * (e - s))", index);
    } else if (m->kind == MEASURE_ACTIVE) {
        statement_add(b->sql,
                      b->plan->moves ? "@wide(count(DISTINCT run))" : "@wide(count(*))");
    } else {
        statement_add(b->sql, "@wide(nullif(count(DISTINCT v%zu), 0))", index);
    }
}

/*
 * Sums of one period as a whole. A row is of at least one run; NULL means that none records its
 * value.
 */
static void add_whole(struct build *b)
{
    statement_add(b->sql, "SELECT ");
    sql_add_run_names(b);
    statement_add(b->sql, "0 AS bucket, 'overlap' AS kind");
    sql_add_measures(b, PIECE_OVERLAP, add_total);
    statement_add(b->sql, " FROM (");
    add_clipped(b);
    statement_add(b->sql, ") GROUP BY ALL HAVING count(*) > 0");
}

/* Runs that share their first and last cell. */
static void add_grouped(struct build *b)
{
    statement_add(b->sql, "grouped AS (SELECT ");
    sql_add_run_names(b);
    statement_add(b->sql, "first, last, count(*) AS runs");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (is_amount(b, i)) {
            statement_add(
                b->sql,
                ", count(r%zu) AS known%zu, sum(r%zu) AS rate%zu, sum(r%zu * into_first) "
                "AS before%zu, sum(r%zu * into_last) AS until%zu",
                i, i, i, i, i, i, i, i);
        }
    }
    statement_add(b->sql, " FROM ");
    sql_add_placed(b, add_clipped);
    statement_add(b->sql, " GROUP BY ALL)");
}

/* What a group adds to the sums at its first cell, and what at its last. */
static void add_events(struct build *b, bool at_last)
{
    statement_add(b->sql, at_last ? " UNION ALL SELECT " : "SELECT ");
    sql_add_run_names(b);
    statement_add(b->sql, at_last ? "last AS cell, 0 AS runs_part, -runs AS runs_step"
                                  : "first AS cell, runs AS runs_part, runs AS runs_step");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (!is_amount(b, i)) {
            continue;
        }
        statement_add(
            b->sql,
            at_last ? ", until%zu - rate%zu * width AS amount%zu_part, -rate%zu AS "
                      "amount%zu_step, 0 AS known%zu_part, -known%zu AS known%zu_step"
                    : ", rate%zu * width - before%zu AS amount%zu_part, rate%zu AS "
                      "amount%zu_step, known%zu AS known%zu_part, known%zu AS known%zu_step",
            i, i, i, i, i, i, i, i, i);
    }
    statement_add(b->sql, at_last ? " FROM grouped JOIN calendar ON calendar.cell = last"
                                  : " FROM grouped JOIN calendar ON calendar.cell = first");
}

/* Every group has a row in every cell, so that the running sum reaches those without events. */
static void add_dense(struct build *b)
{
    bool groups = false;
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        groups |= dimension_fold(b->q->dimensions[i]) == FOLD_NONE;
    }
    statement_add(b->sql, ", dense AS (SELECT ");
    sql_add_run_names(b);
    statement_add(b->sql, "cell, @sums_of('_part$|_step$') FROM (SELECT * FROM events UNION "
                          "ALL @by_name() SELECT * FROM (SELECT DISTINCT ");
    sql_add_run_names(b);
    statement_add(b->sql, groups ? "1 AS one FROM events" : "1 AS one");
    statement_add(b->sql, ") groups, (SELECT cell FROM calendar)) GROUP BY ALL)");
}

/* What a cell has of the runs in it: its own, and those of steps taken before it. */
static void add_running_runs(struct build *b)
{
    statement_add(b->sql, "coalesce(runs_part, 0) + coalesce(sum(runs_step) OVER before, 0)");
}

/* Where runs took place and none records its rate, the amount is unknown, not zero. */
static void add_amount(struct build *b, size_t index)
{
    statement_add(
        b->sql,
        "@wide(CASE WHEN coalesce(known%zu_part, 0) + coalesce(sum(known%zu_step) OVER "
        "before, 0) > 0 THEN coalesce(amount%zu_part, 0) + width * "
        "coalesce(sum(amount%zu_step) OVER before, 0) END)",
        index, index, index, index);
}

static void add_of_cell(struct build *b, size_t index)
{
    if (is_amount(b, index)) {
        add_amount(b, index);
    } else {
        statement_add(b->sql, "@wide(");
        add_running_runs(b);
        statement_add(b->sql, ")");
    }
}

static void add_window(struct build *b)
{
    statement_add(b->sql, " WINDOW before AS (");
    sql_add_partition(b);
    statement_add(b->sql,
                  " ORDER BY dense.cell ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)");
}

/* The cells that a group has runs in, with their amounts. */
static void add_series(struct build *b)
{
    statement_add(b->sql, "SELECT * @exclude(here) FROM (WITH ");
    add_grouped(b);
    statement_add(b->sql, ", events AS (");
    add_events(b, false);
    add_events(b, true);
    statement_add(b->sql, ")");
    add_dense(b);
    statement_add(b->sql, " SELECT ");
    sql_add_cell_columns(b, PIECE_OVERLAP);
    sql_add_measures(b, PIECE_OVERLAP, add_of_cell);
    statement_add(b->sql, ", ");
    add_running_runs(b);
    statement_add(b->sql, " AS here FROM dense JOIN calendar USING (cell)");
    add_window(b);
    statement_add(b->sql, ") WHERE here > 0");
}

void sql_add_overlap(struct build *b, enum piece piece)
{
    (void)piece;
    (!sql_has_cells(b)           ? add_whole
     : b->q->path == PATH_ROLLUP ? sql_add_spread_overlap
                                 : add_series)(b);
}

static void add_different(struct build *b, size_t index)
{
    if (b->q->measures[index]->kind == MEASURE_ACTIVE) {
        statement_add(b->sql, "@wide(count(DISTINCT run))");
    } else {
        statement_add(b->sql, "@wide(nullif(count(DISTINCT v%zu), 0))", index);
    }
}

static void add_different_nodes(struct build *b, size_t index)
{
    statement_add(b->sql,
                  "@wide(nullif(count(DISTINCT place%zu || ':' || coalesce(hosts%zu.host, "
                  "v%zu)), 0))",
                  index, index, index);
}

/* "run, " or "v0, v3, ": what is counted. */
static void add_counted(struct build *b, enum piece piece)
{
    if (piece == PIECE_ACTIVE) {
        statement_add(b->sql, "run, ");
        return;
    }
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (sql_piece_of(b, b->q->measures[i]) == piece) {
            statement_add(b->sql, piece == PIECE_NODES ? "v%zu, list%zu, place%zu, " : "v%zu, ",
                          i, i, i);
        }
    }
}

/*
 * What is counted of the runs that overlap the period, each once: in every cell, if there are
 * cells.
 */
static void add_each_once(struct build *b, enum piece piece)
{
    statement_add(b->sql, "(SELECT DISTINCT ");
    sql_add_run_names(b);
    add_counted(b, piece);
    if (!sql_has_cells(b)) {
        statement_add(b->sql, "0 AS cell FROM (");
        add_clipped(b);
        statement_add(b->sql, "))");
        return;
    }
    statement_add(b->sql, "@each(first, last + 1) AS cell FROM (SELECT DISTINCT ");
    sql_add_run_names(b);
    add_counted(b, piece);
    statement_add(b->sql, "first, last FROM ");
    sql_add_placed(b, add_clipped);
    statement_add(b->sql, "))");
}

void sql_add_in_each_cell(struct build *b, enum piece piece)
{
    statement_add(b->sql, "SELECT ");
    sql_add_cell_columns(b, piece);
    sql_add_measures(b, piece, add_different);
    statement_add(b->sql, " FROM ");
    add_each_once(b, piece);
    statement_add(b->sql, " JOIN calendar USING (cell) GROUP BY ALL");
}

/* Lists are few beside runs: what is exploded is different lists, not runs. */
void sql_add_nodes(struct build *b, enum piece piece)
{
    statement_add(b->sql, "SELECT ");
    sql_add_piece_columns(b, piece);
    sql_add_measures(b, piece, add_different_nodes);
    statement_add(b->sql, " FROM ");
    add_each_once(b, piece);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (sql_piece_of(b, b->q->measures[i]) == piece) {
            statement_add(b->sql,
                          " LEFT JOIN " SQL_HOSTS
                          " hosts%zu ON hosts%zu.list = list%zu AND NOT hosts%zu.rest",
                          i, i, i, i);
        }
    }
    statement_add(b->sql, sql_has_cells(b) ? " JOIN calendar USING (cell) GROUP BY ALL"
                                           : " GROUP BY ALL HAVING count(*) > 0");
}
