/* SPDX-License-Identifier: MIT */
#include "report/sql/sql_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/sql/booked.h"

enum piece sql_piece_of(const struct build *b, const struct measure *measure)
{
    static const enum piece piece_of_kind[MEASURE_KINDS] = {
        [MEASURE_AT_SUBMIT] = PIECE_SUBMIT, [MEASURE_AT_START] = PIECE_START,
        [MEASURE_AT_END] = PIECE_END,       [MEASURE_AT_GIVEUP] = PIECE_GIVEUP,
        [MEASURE_OVERLAP] = PIECE_OVERLAP,  [MEASURE_USED] = PIECE_USED,
        [MEASURE_ACTIVE] = PIECE_ACTIVE,    [MEASURE_DISTINCT] = PIECE_DISTINCT,
        [MEASURE_PEAK] = PIECE_PEAK,        [MEASURE_SIZE] = PIECE_SIZE,
    };

    if ((measure->kind == MEASURE_ACTIVE && !sql_counts_apart(b)) ||
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
    const char *name;
    int (*add)(struct build *b, enum piece piece);
} pieces[PIECE_COUNT] = {
    [PIECE_SUBMIT] = {"submit", sql_add_at},
    [PIECE_START] = {"start", sql_add_at},
    [PIECE_END] = {"end", sql_add_at},
    [PIECE_GIVEUP] = {"giveup", sql_add_at},
    [PIECE_OVERLAP] = {"overlap", sql_add_overlap},
    [PIECE_SUSPENDED] = {"suspended", sql_add_prorated},
    [PIECE_USED] = {"used", sql_add_prorated},
    [PIECE_ACTIVE] = {"active", sql_add_in_each_cell},
    [PIECE_DISTINCT] = {"distinct", sql_add_in_each_cell},
    [PIECE_PEAK] = {"peak", sql_add_peak},
    [PIECE_SIZE] = {"size", sql_add_size},
};

const char *sql_piece_name(enum piece piece)
{
    return pieces[piece].name;
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

bool sql_counts_apart(const struct build *b)
{
    return sql_has_cells(b) && (sql_has_folds(b->q) || b->plan->moves);
}

void sql_add_run_dimensions(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        if (dimension_fold(b->q->dimensions[i]) == FOLD_NONE) {
            buf_addf(b->sql, "%s AS d%zu, ", column_sql(b->q->dimensions[i]), i);
        }
    }
}

void sql_add_rate(struct build *b, size_t measure)
{
    buf_addf(b->sql, "CASE WHEN until >= start THEN %s%s END AS r%zu, ",
             b->q->measures[measure]->sql, b->plan->wide ? "::HUGEINT" : "", measure);
}

void sql_add_run_names(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        if (dimension_fold(b->q->dimensions[i]) == FOLD_NONE) {
            buf_addf(b->sql, "d%zu, ", i);
        }
    }
}

/* The dimensions in rows that have the columns of the calendar under the name `calendar`. */
static void add_cell_dimensions(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        switch (dimension_fold(b->q->dimensions[i])) {
        case FOLD_NONE:
            buf_addf(b->sql, "d%zu, ", i);
            break;
        case FOLD_WEEKDAY:
            buf_addf(b->sql, "calendar.weekday AS d%zu, ", i);
            break;
        case FOLD_HOUR:
            buf_addf(b->sql, "calendar.hour AS d%zu, ", i);
            break;
        }
    }
}

void sql_add_cell_columns(struct build *b, enum piece piece)
{
    add_cell_dimensions(b);
    buf_addf(b->sql, "calendar.bucket AS bucket, '%s' AS kind", sql_piece_name(piece));
}

const char *sql_type_of(const struct measure *measure)
{
    return measure->real && measure->per == PER_NOTHING ? "DOUBLE" : "HUGEINT";
}

void sql_add_measures(struct build *b, enum piece piece,
                      void (*add)(struct build *b, size_t index))
{
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        buf_addz(b->sql, ", ");
        if (sql_piece_of(b, m) == piece) {
            add(b, i);
        } else {
            buf_addf(b->sql, "NULL::%s", sql_type_of(m));
        }
        buf_addf(b->sql, " AS m%zu", i);
    }
}

int sql_add_filter(struct build *b)
{
    if (b->segment->runs != RUNS_ALL) {
        buf_addf(b->sql, " AND until IS %sDISTINCT FROM %" PRId64,
                 b->segment->runs == RUNS_OPEN ? "NOT " : "", RUN_GOES_ON);
    }
    return filter_sql(&b->q->filter, b->q->zone, b->q->now, b->sql, b->plan->values, b->err);
}

void sql_add_until(struct build *b, const char *column, bool always)
{
    if (!always && b->q->now >= b->q->period.to) { /* whatever goes on goes beyond the period */
        buf_addz(b->sql, column);
    } else {
        buf_addf(b->sql,
                 "CASE WHEN %s = %" PRId64 " THEN greatest(%" PRId64 ", start) ELSE %s END",
                 column, RUN_GOES_ON, b->q->now, column);
    }
}

int sql_add_runs(struct build *b, const char *instant)
{
    return booked_add(b->q, instant, b->sql, b->plan->values, b->err);
}

void sql_add_overlapping(struct build *b)
{
    const struct period *p = &b->q->period;
    /* the first condition on `until` is there for the engine to skip by */
    buf_addf(b->sql,
             "start < %" PRId64 " AND until >= %" PRId64 " AND (start >= %" PRId64 " OR ",
             p->to, p->from - 1, p->from);
    sql_add_until(b, "until", false);
    buf_addf(b->sql, " > %" PRId64 ")", p->from);
}

void sql_add_slot_join(struct build *b, const char *alias, const char *at)
{
    if (b->plan->slot_us == 0) {
        buf_addf(b->sql, " ASOF JOIN " SQL_SLOTS " %s ON %s >= %s.lower", alias, at, alias);
    } else {
        buf_addf(b->sql, " JOIN " SQL_SLOTS " %s ON %s.slot = (%s - %" PRId64 ") // %" PRId64,
                 alias, alias, at, b->plan->origin, b->plan->slot_us);
    }
}

int sql_add_placed(struct build *b, int (*add_rows)(struct build *b))
{
    buf_addz(b->sql, "(SELECT c.*, a.cell AS first, z.cell AS last, s - a.lower AS into_first, "
                     "e - z.lower AS into_last FROM (");
    int failed = add_rows(b);
    buf_addz(b->sql, ") c");
    sql_add_slot_join(b, "a", "s");
    sql_add_slot_join(b, "z", "greatest(e - 1, s)");
    buf_addc(b->sql, ')');
    return failed;
}

int sql_add_spread(struct build *b, int (*add_rows)(struct build *b))
{
    buf_addz(b->sql, "(SELECT *, first AS cell FROM ");
    int failed = sql_add_placed(b, add_rows);
    buf_addz(b->sql,
             " WHERE first = last UNION ALL SELECT *, unnest(range(first, last + 1)) AS "
             "cell FROM ");
    failed = failed ? failed : sql_add_placed(b, add_rows);
    buf_addz(b->sql, " WHERE first < last)");
    return failed;
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
                   !b->segment->table && /* else it is taken off already */
                   b->q->measures[i]->pauses) {
            return true;
        }
    }
    return false;
}

/* Every cell, so that a series or a week has no gaps where nothing happened. */
static void add_empty_cells(struct build *b)
{
    buf_addz(b->sql, " UNION ALL SELECT DISTINCT ");
    add_cell_dimensions(b);
    buf_addz(b->sql, "calendar.bucket, 'none'");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        buf_addz(b->sql, ", NULL");
    }
    buf_addz(b->sql, " FROM calendar");
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
static int add_segment(struct build *b, size_t *count)
{
    int failed = 0;
    for (enum piece piece = 0; !failed && piece < PIECE_COUNT; piece++) {
        if (is_wanted(b, piece)) {
            buf_addz(b->sql, (*count)++ ? " UNION ALL " : "");
            failed = b->segment->table && piece != PIECE_SIZE
                         ? sql_add_rolled(b, piece, b->segment->table)
                         : pieces[piece].add(b, piece);
        }
    }
    return failed;
}

/* All pieces that are wanted, of all stretches; *count of them. */
static int add_pieces(struct build *b, size_t *count)
{
    const struct question *whole = b->q;
    struct question *stretch = mem_alloc(1, sizeof(*stretch));
    int failed = 0;
    *stretch = *whole;
    *count = 0;
    b->q = stretch;
    for (size_t i = 0; !failed && i < b->plan->segment_count; i++) {
        b->segment = &b->plan->segments[i];
        stretch->period = b->segment->period;
        failed = add_segment(b, count);
    }
    b->q = whole;
    if (!failed && sql_has_cells(b) && !has_run_dimensions(b->q)) {
        add_empty_cells(b);
    }
    free(stretch);
    return failed;
}

/*
 * Puts the pieces side by side. A group that a piece has no row for did nothing there: zero, or
 * unknown where nothing can be worked out from nothing. A row with NULL in it is something that
 * happened and whose size nobody knows: that stays unknown.
 */
static void add_joined(struct build *b)
{
    const bool one_row = b->q->dimension_count == 0 && !sql_has_cells(b);
    buf_addz(b->sql, "SELECT ");
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        buf_addf(b->sql, "d%zu, ", i);
    }
    buf_addz(b->sql, one_row ? "0 AS bucket" : "bucket");
    for (size_t i = 0; b->q->path == PATH_ROLLUP && i < b->q->measure_count; i++) {
        buf_addf(b->sql, ", sum(m%zu) AS m%zu", i, i); /* users of roll-ups ask for the kind */
    }
    for (size_t i = 0; b->q->path != PATH_ROLLUP && i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        const char *name = sql_piece_name(sql_piece_of(b, m));
        const char *less = m->pauses && b->plan->suspended ? ", 'suspended'" : "";
        buf_addf(b->sql,
                 ", CASE WHEN count(*) FILTER (kind = '%s') = 0 THEN %s ELSE sum(m%zu) "
                 "FILTER (kind IN ('%s'%s)) END AS m%zu",
                 name, measure_is_zero_of_nothing(m) ? "0" : "NULL", i, name, less, i);
    }
    buf_addz(b->sql, one_row ? " FROM pieces" : " FROM pieces GROUP BY ALL");
}

/*
 * What rows are sorted by. A mean over time is divided after the answer has come; where rows are about
 * different times, Mondays and Tuesdays, their order needs the division too.
 */
static void add_sort_value(struct build *b, size_t index)
{
    const struct question *q = b->q;
    if (q->measures[index]->per != PER_TIME || !sql_has_folds(q)) {
        buf_addf(b->sql, "m%zu", index);
        return;
    }
    buf_addf(b->sql,
             "m%zu / nullif((SELECT sum(greatest(least(upper, %" PRId64 ", %" PRId64
             ") - greatest(lower, %" PRId64 "), 0)) FROM calendar c WHERE c.bucket = "
             "answer.bucket",
             index, q->period.to, q->now, q->period.from);
    for (size_t i = 0; i < q->dimension_count; i++) {
        enum fold fold = dimension_fold(q->dimensions[i]);
        if (fold != FOLD_NONE) {
            buf_addf(b->sql, " AND c.%s = answer.d%zu", fold == FOLD_HOUR ? "hour" : "weekday",
                     i);
        }
    }
    buf_addz(b->sql, "), 0)");
}

static void add_sort(struct build *b, size_t index)
{
    if (sql_late_sort(b->q)) {
        return;
    }
    add_sort_value(b, index);
    buf_addf(b->sql, " %s NULLS LAST, ", b->q->ascending ? "ASC" : "DESC");
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

static int add_order(struct build *b)
{
    const struct question *q = b->q;
    buf_addz(b->sql, " ORDER BY ");
    bool found = !q->sort;
    if (sql_has_cells(b)) { /* always first, and so sorted by already */
        buf_addz(b->sql, "bucket, ");
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
            buf_addf(b->sql, "d%zu %s NULLS LAST, ", i, q->ascending ? "ASC" : "DESC");
            found = true;
        }
    }
    if (!found) {
        return error_set(b->err, ERROR_USAGE,
                         "cannot sort by '%s': it is not among the columns of this report",
                         q->sort);
    }
    if (!q->sort && q->measure_count) {
        add_sort(b, 0);
    }
    for (size_t i = 0; i < q->dimension_count; i++) {
        buf_addf(b->sql, "d%zu NULLS LAST, ", i);
    }
    buf_addz(b->sql, "bucket");
    if (q->limit > 0 && !sql_late_sort(q)) {
        buf_addf(b->sql, " LIMIT %" PRId64, q->limit);
    }
    return 0;
}

int sql_question(const struct question *question, struct sql_plan *plan, struct error *err)
{
    struct build b = {.q = question, .plan = plan, .sql = &plan->text, .err = err};
    struct buf selects;
    size_t count = 0;
    buf_init(&selects, LIMIT_SQL);
    b.sql = &selects;
    int failed = add_pieces(&b, &count);
    b.sql = &plan->text;
    if (sql_has_cells(&b)) {
        buf_addz(b.sql,
                 "WITH calendar AS (SELECT DISTINCT cell, lower, upper, upper - lower AS "
                 "width, bucket, weekday, hour FROM " SQL_SLOTS ")");
    }
    if (count == 1 && question->dimension_count > 0 && !sql_has_cells(&b)) {
        buf_addz(b.sql, "SELECT * EXCLUDE (kind) FROM (");
        buf_add(b.sql, buf_str(&selects));
    } else {
        buf_addf(b.sql, "%spieces AS (", sql_has_cells(&b) ? ", " : "WITH ");
        buf_add(b.sql, buf_str(&selects));
        buf_addz(b.sql, ") SELECT * FROM (");
        add_joined(&b);
    }
    buf_addz(b.sql, ") answer");
    if (!failed) {
        failed = add_order(&b);
    }
    if (!failed && (plan->text.overflow || selects.overflow)) {
        failed = error_set(err, ERROR_LIMIT, "the question is too large");
    }
    buf_release(&selects);
    return failed;
}

void sql_explain_segments(const struct question *question, const struct sql_plan *plan,
                          struct buf *out)
{
    static const char *const runs[] = {[RUNS_ALL] = "",
                                       [RUNS_OPEN] = ", runs that go on",
                                       [RUNS_CLOSED] = ", runs that ended"};
    for (size_t i = 0; i < plan->segment_count; i++) {
        const struct sql_segment *segment = &plan->segments[i];
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        buf_addf(out, "%s%s%s (%s to %s)", i ? ", " : "",
                 segment->table ? segment->table : "runs", runs[segment->runs],
                 zone_print(question->zone, segment->period.from, from),
                 zone_print(question->zone, segment->period.to, to));
    }
}

/* A run is listed in the metagroup it was in at last. */
static int add_listed_runs(const struct listing *listing, struct sql_plan *plan,
                           struct error *err)
{
    char instant[160];
    buf_addz(&plan->text, " FROM ");
    if (!listing->books) {
        buf_addz(&plan->text, "runs");
        return 0;
    }
    snprintf(instant, sizeof(instant),
             "coalesce(\"end\", CASE WHEN until = %" PRId64 " THEN %" PRId64
             " END, start, submit, 0)",
             RUN_GOES_ON, listing->now);
    return booked_add(listing->books, instant, &plan->text, plan->values, err);
}

int sql_listing(const struct listing *listing, struct sql_plan *plan, struct error *err)
{
    struct buf *sql = &plan->text;
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < listing->field_count; i++) {
        buf_addf(sql, "%s%s AS f%zu", i ? ", " : "", column_sql(listing->fields[i]), i);
    }
    int failed = add_listed_runs(listing, plan, err);
    buf_addz(sql, " WHERE true");
    if (listing->period.from < listing->period.to) {
        buf_addf(sql,
                 " AND coalesce(submit, start, \"end\") < %" PRId64
                 " AND coalesce(\"end\", CASE WHEN until = %" PRId64 " THEN %" PRId64
                 " END, start, submit) >= %" PRId64,
                 listing->period.to, RUN_GOES_ON, listing->now, listing->period.from);
    }
    listing_part_sql(&listing->part, sql);
    failed = failed ? failed
                    : filter_sql(&listing->filter, listing->zone, listing->now, sql,
                                 plan->values, err);
    if (failed) {
        return failed;
    }
    const char *sort = listing->sort ? column_sql(listing->sort) : "start";
    buf_addf(sql, " ORDER BY %s %s NULLS LAST, cluster, job, task, attempt", sort,
             listing->ascending ? "ASC" : "DESC");
    if (listing->limit > 0) {
        buf_addf(sql, " LIMIT %" PRId64, listing->limit);
    }
    return sql->overflow ? error_set(err, ERROR_LIMIT, "the question is too large") : 0;
}
