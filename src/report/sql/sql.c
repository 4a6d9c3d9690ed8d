/* SPDX-License-Identifier: MIT */
#include "report/sql/sql_build.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

/*
 * Whether the same run may come twice to one row: in two cells that are put together, or
 * because it left a metagroup and came back. Then runs are distinguished, and not only counted.
 */
static bool counts_apart(const struct build *b)
{
    return sql_has_cells(b) && (sql_has_folds(b->q) || b->plan->moves);
}

enum piece sql_piece_of(const struct build *b, const struct measure *measure)
{
    static const enum piece piece_of_kind[MEASURE_KINDS] = {
        [MEASURE_AT_SUBMIT] = PIECE_SUBMIT, [MEASURE_AT_START] = PIECE_START,
        [MEASURE_AT_END] = PIECE_END,       [MEASURE_AT_WITHDRAWAL] = PIECE_WITHDRAWAL,
        [MEASURE_OVERLAP] = PIECE_OVERLAP,  [MEASURE_USED] = PIECE_USED,
        [MEASURE_ACTIVE] = PIECE_ACTIVE,    [MEASURE_DISTINCT] = PIECE_DISTINCT,
        [MEASURE_PEAK] = PIECE_PEAK,        [MEASURE_SIZE] = PIECE_SIZE,
    };

    if (measure->kind == MEASURE_DISTINCT && dimension_is_spread(measure->value) &&
        !runs_source_by_node(b->q)) {
        return PIECE_NODES;
    }
    if ((measure->kind == MEASURE_ACTIVE && !counts_apart(b)) ||
        (measure->kind == MEASURE_DISTINCT && !sql_has_cells(b))) {
        return PIECE_OVERLAP; /* comes with the scan for amounts */
    }
    if (measure->kind == MEASURE_USED && b->q->path == PATH_ROLLUP) {
        return PIECE_OVERLAP;
    }
    return piece_of_kind[measure->kind];
}

/* How a piece is called and written. */
static const struct {
    struct identifier name;
    void (*add)(struct build *b, enum piece piece);
} pieces[PIECE_COUNT] = {
    [PIECE_SUBMIT] = {{"submit"}, sql_add_at},
    [PIECE_START] = {{"start"}, sql_add_at},
    [PIECE_END] = {{"end"}, sql_add_at},
    [PIECE_WITHDRAWAL] = {{"giveup"}, sql_add_at},
    [PIECE_OVERLAP] = {{"overlap"}, sql_add_overlap},
    [PIECE_SUSPENDED] = {{"suspended"}, sql_add_prorated},
    [PIECE_USED] = {{"used"}, sql_add_prorated},
    [PIECE_ACTIVE] = {{"active"}, sql_add_in_each_cell},
    [PIECE_DISTINCT] = {{"distinct"}, sql_add_in_each_cell},
    [PIECE_NODES] = {{"nodes"}, sql_add_nodes},
    [PIECE_PEAK] = {{"peak"}, sql_add_peak},
    [PIECE_SIZE] = {{"size"}, sql_add_size},
};

void sql_add_kind(struct build *b, enum piece piece)
{
    statement_literal(b->sql, pieces[piece].name);
    statement_add(b->sql, " AS kind");
}

bool sql_has_folds(const struct question *question)
{
    for (size_t i = 0; i < question->dimension_count; i++) {
        if (dimension_fold(question->dimensions[i]) != FOLD_NONE) {
            return true;
        }
    }
    return false;
}

void sql_add_run_dimensions(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        if (dimension_fold(b->q->dimensions[i]) == FOLD_NONE) {
            column_add(b->sql, b->q->dimensions[i]);
            statement_add(b->sql, " AS d%zu, ", i);
        }
    }
}

void sql_add_rate(struct build *b, size_t measure)
{
    statement_add(b->sql, b->plan->wide ? "CASE WHEN until >= start THEN @wide("
                                        : "CASE WHEN until >= start THEN ");
    quantity_add(b->sql, b->q->measures[measure]->quantity, runs_source_by_node(b->q));
    statement_add(b->sql, b->plan->wide ? ") END AS r%zu, " : " END AS r%zu, ", measure);
}

void sql_add_run_names(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        if (dimension_fold(b->q->dimensions[i]) == FOLD_NONE) {
            statement_add(b->sql, "d%zu, ", i);
        }
    }
}

void sql_add_partition(struct build *b)
{
    bool any = false;
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        if (dimension_fold(b->q->dimensions[i]) == FOLD_NONE) {
            statement_add(b->sql, any ? ", d%zu" : "PARTITION BY d%zu", i);
            any = true;
        }
    }
}

/* The dimensions in rows that have the columns of the calendar under the name `calendar`. */
static void add_cell_dimensions(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        switch (dimension_fold(b->q->dimensions[i])) {
        case FOLD_NONE:
            statement_add(b->sql, "d%zu, ", i);
            break;
        case FOLD_WEEKDAY:
            statement_add(b->sql, "calendar.weekday AS d%zu, ", i);
            break;
        case FOLD_HOUR:
            statement_add(b->sql, "calendar.hour AS d%zu, ", i);
            break;
        }
    }
}

void sql_add_cell_columns(struct build *b, enum piece piece)
{
    add_cell_dimensions(b);
    statement_add(b->sql, "calendar.bucket AS bucket, ");
    sql_add_kind(b, piece);
}

void sql_add_piece_columns(struct build *b, enum piece piece)
{
    if (sql_has_cells(b)) {
        sql_add_cell_columns(b, piece);
    } else {
        sql_add_run_names(b);
        statement_add(b->sql, "0 AS bucket, ");
        sql_add_kind(b, piece);
    }
}

void sql_add_unknown(struct build *b, size_t measure)
{
    const struct measure *m = b->q->measures[measure];
    statement_add(b->sql,
                  m->real && m->per == PER_NOTHING ? "@unknown_real()" : "@unknown_wide()");
}

void sql_add_measures(struct build *b, enum piece piece,
                      void (*add)(struct build *b, size_t index))
{
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        statement_add(b->sql, ", ");
        if (sql_piece_of(b, m) == piece) {
            add(b, i);
        } else {
            sql_add_unknown(b, i);
        }
        statement_add(b->sql, " AS m%zu", i);
    }
}

void sql_add_filter(struct build *b)
{
    if (b->segment->runs == RUNS_OPEN || b->segment->runs == RUNS_CLOSED) {
        statement_add(b->sql,
                      b->segment->runs == RUNS_OPEN ? " AND @same(until, %" PRId64 ")"
                                                    : " AND @differs(until, %" PRId64 ")",
                      RUN_NOT_ENDED);
    }
    filter_sql_of_runs(&b->q->filter, b->q->zone, b->q->now, runs_source_rows(b->q), b->sql);
}

void sql_add_until(struct build *b, struct expression column)
{
    if (sql_has_open(b)) {
        end_time_add(b->sql, column, b->q->now);
    } else {
        statement_expression(b->sql, column);
    }
}

void sql_add_runs(struct build *b, enum runs_source_instant instant)
{
    runs_source_add(b->q, instant, b->sql);
}

void sql_add_overlapping(struct build *b)
{
    const struct period *p = &b->q->period;
    /* the first condition on `until` is there for the engine to skip by */
    statement_add(b->sql,
                  "start < %" PRId64 " AND until >= %" PRId64 " AND (start >= %" PRId64 " OR ",
                  p->to, p->from - 1, p->from);
    sql_add_until(b, EXPRESSION("until"));
    statement_add(b->sql, " > %" PRId64 ")", p->from);
}

void sql_add_slot_join(struct build *b, struct expression alias, struct expression at)
{
    if (b->plan->slot_us == 0) {
        statement_add(b->sql, " @asof(" SQL_SLOTS ", ");
        statement_expression(b->sql, alias);
        statement_add(b->sql, ", ");
        statement_expression(b->sql, at);
        statement_add(b->sql, ")");
        return;
    }
    statement_add(b->sql, " JOIN " SQL_SLOTS " ");
    statement_expression(b->sql, alias);
    statement_add(b->sql, " ON ");
    statement_expression(b->sql, alias);
    statement_add(b->sql, ".slot = @slot(");
    statement_expression(b->sql, at);
    statement_add(b->sql, ", %" PRId64 ", %" PRId64 ")", b->plan->origin, b->plan->slot_us);
}

void sql_add_placed(struct build *b, void (*add_rows)(struct build *b))
{
    statement_add(b->sql,
                  "(SELECT c.*, a.cell AS first, z.cell AS last, s - a.lower AS into_first, "
                  "e - z.lower AS into_last FROM (");
    add_rows(b);
    statement_add(b->sql, ") c");
    sql_add_slot_join(b, EXPRESSION("a"), EXPRESSION("s"));
    sql_add_slot_join(b, EXPRESSION("z"), EXPRESSION("greatest(e - 1, s)"));
    statement_add(b->sql, ")");
}

/*
 * A difference, since the engine would take `first < last` for a join of all slots with all
 * others.
 */
void sql_add_spread(struct build *b, void (*add_rows)(struct build *b))
{
    statement_add(b->sql, "(SELECT *, first AS cell FROM ");
    sql_add_placed(b, add_rows);
    statement_add(b->sql,
                  " WHERE last - first = 0 UNION ALL SELECT *, @each(first, last + 1) AS "
                  "cell FROM ");
    sql_add_placed(b, add_rows);
    statement_add(b->sql, " WHERE last - first > 0)");
}

static bool is_wanted(const struct build *b, enum piece piece)
{
    if (piece == PIECE_SIZE && b->segment != &b->plan->segments[0]) {
        return false; /* once is enough */
    }
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (piece != PIECE_SUSPENDED) {
            if (sql_piece_of(b, b->q->measures[i]) == piece) {
                return true;
            }
        } else if (b->plan->suspended &&
                   !b->segment->table.name && /* else it is taken off already */
                   b->q->measures[i]->pauses) {
            return true;
        }
    }
    return false;
}

/* Every cell, so that a series or a week has no gaps where nothing happened. */
static void add_empty_cells(struct build *b)
{
    statement_add(b->sql, " UNION ALL SELECT DISTINCT ");
    add_cell_dimensions(b);
    statement_add(b->sql, "calendar.bucket, 'none'");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        statement_add(b->sql, ", NULL");
    }
    statement_add(b->sql, " FROM calendar");
}

static bool has_run_dimensions(const struct question *q)
{
    for (size_t i = 0; i < q->dimension_count; i++) {
        if (dimension_fold(q->dimensions[i]) == FOLD_NONE) {
            return true;
        }
    }
    return false;
}

/* The pieces of one stretch of the period. */
static void add_segment(struct build *b, size_t *count)
{
    for (enum piece piece = 0; piece < PIECE_COUNT; piece++) {
        if (is_wanted(b, piece)) {
            statement_add(b->sql, (*count)++ ? " UNION ALL " : "");
            (b->segment->table.name && piece != PIECE_SIZE ? sql_add_rolled
                                                           : pieces[piece].add)(b, piece);
        }
    }
}

/* All pieces that are wanted, of all stretches; *count of them. */
static void add_pieces(struct build *b, size_t *count)
{
    const struct question *whole = b->q;
    struct question *stretch = mem_alloc(1, sizeof(*stretch));
    *stretch = *whole;
    *count = 0;
    b->q = stretch;
    for (size_t i = 0; i < b->plan->segment_count; i++) {
        b->segment = &b->plan->segments[i];
        stretch->period = b->segment->period;
        add_segment(b, count);
    }
    b->q = whole;
    if (sql_has_cells(b) && !has_run_dimensions(b->q)) {
        add_empty_cells(b);
    }
    free(stretch);
}

/*
 * Puts the pieces side by side. A group that a piece has no row for did nothing there: zero, or
 * unknown where nothing can be worked out from nothing. A row with NULL in it is something that
 * happened and whose size nobody knows: that stays unknown.
 */
static void add_joined(struct build *b)
{
    const bool one_row = b->q->dimension_count == 0 && !sql_has_cells(b);
    statement_add(b->sql, "SELECT ");
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        statement_add(b->sql, "d%zu, ", i);
    }
    statement_add(b->sql, one_row ? "0 AS bucket" : "bucket");
    for (size_t i = 0; b->q->path == PATH_ROLLUP && i < b->q->measure_count; i++) {
        statement_add(b->sql, ", sum(m%zu) AS m%zu", i,
                      i); /* users of roll-ups ask for the kind */
    }
    for (size_t i = 0; b->q->path != PATH_ROLLUP && i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        const struct identifier name = pieces[sql_piece_of(b, m)].name;
        statement_add(b->sql, ", CASE WHEN count(*) FILTER (kind = ");
        statement_literal(b->sql, name);
        statement_add(b->sql,
                      measure_is_zero_of_nothing(m) ? ") = 0 THEN 0" : ") = 0 THEN NULL");
        statement_add(b->sql, " ELSE sum(m%zu) FILTER (kind IN (", i);
        statement_literal(b->sql, name);
        statement_add(b->sql, m->pauses && b->plan->suspended ? ", 'suspended'" : "");
        statement_add(b->sql, ")) END AS m%zu", i);
    }
    statement_add(b->sql, one_row ? " FROM pieces" : " FROM pieces GROUP BY ALL");
}

/*
 * What rows are sorted by. A mean over time is divided after the answer has come; where rows
 * are about different times, Mondays and Tuesdays, their order needs the division too.
 */
static void add_sort_value(struct build *b, size_t index)
{
    const struct question *q = b->q;
    if (q->measures[index]->per != PER_TIME || !sql_has_folds(q)) {
        statement_add(b->sql, "m%zu", index);
        return;
    }
    statement_add(b->sql,
                  "m%zu / nullif((SELECT sum(greatest(least(upper, %" PRId64 ", %" PRId64
                  ") - greatest(lower, %" PRId64 "), 0)) FROM calendar c WHERE c.bucket = "
                  "answer.bucket",
                  index, q->period.to, q->now, q->period.from);
    for (size_t i = 0; i < q->dimension_count; i++) {
        enum fold fold = dimension_fold(q->dimensions[i]);
        if (fold != FOLD_NONE) {
            statement_add(b->sql,
                          fold == FOLD_HOUR ? " AND c.hour = answer.d%zu"
                                            : " AND c.weekday = answer.d%zu",
                          i);
        }
    }
    statement_add(b->sql, "), 0)");
}

static void add_sort(struct build *b, size_t index)
{
    if (sql_late_sort(b->q)) {
        return;
    }
    add_sort_value(b, index);
    statement_add(b->sql, b->q->ascending ? " ASC NULLS LAST, " : " DESC NULLS LAST, ");
}

const struct measure *sql_late_sort(const struct question *q)
{
    const struct measure *found = !q->sort && q->measure_count ? q->measures[0] : NULL;
    for (size_t i = 0; q->sort && i < q->measure_count; i++) {
        if (str_eq(str_of(q->sort), str_of(q->measures[i]->id))) {
            found = q->measures[i];
        }
    }
    return found && measure_is_of_size(found) ? found : NULL;
}

static void add_order(struct build *b)
{
    const struct question *q = b->q;
    statement_add(b->sql, " ORDER BY ");
    bool found = !q->sort;
    if (sql_has_cells(b)) { /* always first, and so sorted by already */
        statement_add(b->sql, "bucket, ");
        found = found || str_eq(str_of(q->sort), STR("period"));
    }
    for (size_t i = 0; q->sort && i < q->measure_count; i++) {
        if (!found && str_eq(str_of(q->sort), str_of(q->measures[i]->id))) {
            add_sort(b, i);
            found = true;
        }
    }
    for (size_t i = 0; q->sort && i < q->dimension_count; i++) {
        if (!found && str_eq(str_of(q->sort), str_of(q->dimensions[i]->id))) {
            statement_add(b->sql,
                          q->ascending ? "d%zu ASC NULLS LAST, " : "d%zu DESC NULLS LAST, ", i);
            found = true;
        }
    }
    if (!found) {
        statement_refuse(b->sql, ERROR_USAGE,
                         "cannot sort by '%s': it is not a column of this report", q->sort);
    }
    if (!q->sort && q->measure_count) {
        add_sort(b, 0);
    }
    for (size_t i = 0; i < q->dimension_count; i++) {
        statement_add(b->sql, "d%zu NULLS LAST, ", i);
    }
    statement_add(b->sql, "bucket");
    if (q->limit > 0 && !sql_late_sort(q)) {
        statement_add(b->sql, " LIMIT %" PRId64, q->limit);
    }
}

int sql_question(const struct question *question, struct sql_plan *plan, struct error *err)
{
    struct build b = {.q = question, .plan = plan};
    struct statement selects, *sql = &plan->statement;
    size_t count = 0;
    statement_init(&selects);
    b.sql = &selects;
    add_pieces(&b, &count);
    b.sql = sql;
    if (sql_has_cells(&b)) {
        statement_add(sql,
                      "WITH calendar AS (SELECT DISTINCT cell, lower, upper, upper - lower "
                      "AS width, bucket, weekday, hour FROM " SQL_SLOTS ")");
    }
    if (count == 1 && question->dimension_count > 0 && !sql_has_cells(&b)) {
        statement_add(sql, "SELECT * @exclude(kind) FROM (");
        statement_append(sql, &selects);
    } else {
        statement_add(sql, sql_has_cells(&b) ? ", pieces AS (" : "WITH pieces AS (");
        statement_append(sql, &selects);
        statement_add(sql, ") SELECT * FROM (");
        add_joined(&b);
    }
    statement_add(sql, ") answer");
    add_order(&b);
    statement_release(&selects);
    return statement_finish(sql, err);
}

void sql_explain_segments(const struct question *question, const struct sql_plan *plan,
                          struct buf *out)
{
    static const char *const runs[] = {[RUNS_ALL] = "",
                                       [RUNS_ALL_ENDED] = "",
                                       [RUNS_OPEN] = ", runs still running",
                                       [RUNS_CLOSED] = ", runs that ended"};
    for (size_t i = 0; i < plan->segment_count; i++) {
        const struct sql_segment *segment = &plan->segments[i];
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        buf_addf(out, "%s%s%s (%s to %s)", i ? ", " : "",
                 segment->table.name ? segment->table.name : "runs", runs[segment->runs],
                 zone_print(question->zone, segment->period.from, from),
                 zone_print(question->zone, segment->period.to, to));
    }
}

/*
 * Which runs were there in the period: submitted before its end, and not over before its start.
 */
static void add_listed_period(const struct listing *listing, struct statement *sql)
{
    if (listing->period.from < listing->period.to) {
        statement_add(sql, " AND coalesce(submit, start, \"end\") < %" PRId64 " AND ",
                      listing->period.to);
        end_time_add_last(sql, listing->now);
        statement_add(sql, " >= %" PRId64, listing->period.from);
    }
    if (listing->part.kind == PART_STARTED) {
        statement_add(sql, " AND start >= %" PRId64 " AND start < %" PRId64,
                      listing->part.started.from, listing->part.started.to);
    } else if (listing->part.kind == PART_UNSTARTED) {
        statement_add(sql, " AND start IS NULL");
    }
}

void sql_listing(const struct listing *listing, struct statement *sql)
{
    const bool renamed = listing->books && runs_source_renames(listing->books);
    void (*const add)(struct statement *, const struct field *) =
        listing->books && listing->books->resolved ? column_add_resolved : column_add;
    statement_add(sql, "SELECT ");
    for (size_t i = 0; i < listing->field_count; i++) {
        statement_add(sql, i ? ", " : "");
        if (renamed && !listing->fields[i]->member &&
            column_derived(listing->fields[i]) == DERIVED_RUN_ID) {
            statement_add(sql, "(@run_id(own_cluster))");
        } else {
            add(sql, listing->fields[i]);
        }
        statement_add(sql, " AS f%zu", i);
    }
    statement_add(sql, " FROM ");
    if (listing->books) {
        struct question books = *listing->books;
        books.now = listing->now;
        runs_source_add(&books, RUNS_SOURCE_AT_LAST, sql);
    } else {
        statement_add(sql, "runs");
    }
    statement_add(sql, " WHERE true");
    add_listed_period(listing, sql);
    filter_sql_of_runs(&listing->filter, listing->zone, listing->now,
                       renamed ? FILTER_RENAMED : 0, sql);
    statement_add(sql, " ORDER BY ");
    add(sql, listing->sort ? listing->sort : &run_fields[RUN_start]);
    statement_add(sql, listing->ascending ? " ASC" : " DESC");
    statement_add(sql, " NULLS LAST, cluster, job, task, attempt");
    if (listing->limit > 0) {
        statement_add(sql, " LIMIT %" PRId64, listing->limit);
    }
}

void sql_listing_starts(const struct listing *listing, int64_t width, struct statement *sql)
{
    statement_add(sql, "SELECT @divide(f0, %" PRId64 ") AS stretch, count(*) FROM (", width);
    sql_listing(listing, sql);
    statement_add(sql, ") GROUP BY stretch ORDER BY stretch NULLS LAST");
}
