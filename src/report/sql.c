/* SPDX-License-Identifier: MIT */
#include "report/sql.h"

#include <inttypes.h>
#include <stdio.h>

/* What is being built, at hand for every step. */
struct build {
    const struct question *q;
    struct sql_plan *plan;
    struct buf *sql;
    struct error *err;
};

static bool has_kind(const struct question *q, enum measure_kind kind)
{
    for (size_t i = 0; i < q->measure_count; i++) {
        if (q->measures[i]->kind == kind) {
            return true;
        }
    }
    return false;
}

/* "d0, d1, " */
static void add_dimension_names(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        buf_addf(b->sql, "d%zu, ", i);
    }
}

/* "\"user\" AS d0, " */
static void add_dimension_columns(struct build *b)
{
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        buf_addf(b->sql, "%s AS d%zu, ", column_sql(b->q->dimensions[i]), i);
    }
}

static const char *bucket_column(const struct build *b)
{
    return b->plan->bucket_count ? "bucket" : "0 AS bucket";
}

static int add_filter(struct build *b)
{
    return filter_sql(&b->q->filter, b->q->zone, b->q->now, b->sql, b->plan->values, b->err);
}

/* Adds `"end"` of a run as far as it is known: now for one that goes on, if that is within the period. */
static void add_until(struct build *b)
{
    if (b->q->now >= b->q->period.to) {
        buf_addz(b->sql, "until");
    } else {
        buf_addf(b->sql,
                 "CASE WHEN until = %" PRId64 " THEN greatest(%" PRId64
                 ", start) ELSE until END",
                 RUN_GOES_ON, b->q->now);
    }
}

/*
 * Which runs overlap the period. For amounts it does not matter whether a run that took no time is
 * among them, nor one that touches the edge; for numbers of runs it does. The first condition on
 * `until` is there for the engine to skip by.
 */
static void add_overlapping(struct build *b)
{
    const struct period *p = &b->q->period;
    bool counted = has_kind(b->q, MEASURE_ACTIVE) || has_kind(b->q, MEASURE_DISTINCT);
    if (!counted && b->q->now > p->from) {
        buf_addf(b->sql, "start < %" PRId64 " AND until > %" PRId64, p->to, p->from);
        return;
    }
    buf_addf(b->sql,
             "start < %" PRId64 " AND until >= %" PRId64 " AND (start >= %" PRId64 " OR ",
             p->to, p->from - 1, p->from);
    add_until(b);
    buf_addf(b->sql, " > %" PRId64 ")", p->from);
}

/*
 * Runs that overlap the period, clipped to it: d0.., s, e and the rates r<i> of measures. e lies
 * before s where nobody knows when a run ended; then its rates are unknown.
 */
static int add_clipped_runs(struct build *b)
{
    buf_addz(b->sql, "SELECT ");
    add_dimension_columns(b);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        if (m->kind == MEASURE_OVERLAP) {
            buf_addf(b->sql, "CASE WHEN until >= start THEN %s%s END AS r%zu, ", m->sql,
                     b->plan->wide ? "::HUGEINT" : "", i);
        } else if (m->kind == MEASURE_DISTINCT) {
            buf_addf(b->sql, "%s AS v%zu, ", m->sql, i);
        }
    }
    buf_addf(b->sql, "greatest(start, %" PRId64 ") AS s, least(", b->q->period.from);
    add_until(b);
    buf_addf(b->sql, ", %" PRId64 ") AS e FROM runs WHERE ", b->q->period.to);
    add_overlapping(b);
    return add_filter(b);
}

/* Sums of one period as a whole. A row is of at least one run; NULL means that none tells its value. */
static int add_overlap_total(struct build *b)
{
    buf_addz(b->sql, "SELECT ");
    add_dimension_names(b);
    buf_addz(b->sql, "0 AS bucket, 'overlap' AS kind");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        if (m->kind == MEASURE_OVERLAP) {
            buf_addf(b->sql, ", sum(r%zu * (e - s)) AS m%zu", i, i);
        } else if (m->kind == MEASURE_ACTIVE) {
            buf_addf(b->sql, ", count(*)::HUGEINT AS m%zu", i);
        } else if (m->kind == MEASURE_DISTINCT) {
            buf_addf(b->sql, ", nullif(count(DISTINCT v%zu), 0)::HUGEINT AS m%zu", i, i);
        } else {
            buf_addf(b->sql, ", NULL::HUGEINT AS m%zu", i);
        }
    }
    buf_addz(b->sql, " FROM (");
    int failed = add_clipped_runs(b);
    buf_addz(b->sql, ") GROUP BY ALL HAVING count(*) > 0");
    return failed;
}

/* Joins with the slot that the instant `at` lies in; all of them lie in one. */
static void add_slot_join(struct build *b, const char *alias, const char *at)
{
    if (b->plan->slot_us == 0) {
        buf_addf(b->sql, " ASOF JOIN " SQL_SLOTS " %s ON %s >= %s.lower", alias, at, alias);
    } else {
        buf_addf(b->sql, " JOIN " SQL_SLOTS " %s ON %s.slot = (%s - %" PRId64 ") // %" PRId64,
                 alias, alias, at, b->plan->origin, b->plan->slot_us);
    }
}

/*
 * Clipped runs with the buckets they begin and end in, and where in these. Written out wherever it is
 * wanted: it is as large as the runs, so nothing may be kept of it, and the engine fails on a WITH
 * clause with bound values that it inlines in two places (1.4.4: "Expected unified vector format").
 */
static int add_placed_runs(struct build *b)
{
    buf_addz(b->sql,
             "(SELECT c.*, a.bucket AS first, z.bucket AS last, s - a.lower AS into_first, "
             "e - z.lower AS into_last FROM (");
    int failed = add_clipped_runs(b);
    buf_addz(b->sql, ") c");
    add_slot_join(b, "a", "s");
    add_slot_join(b, "z", "greatest(e - 1, s)");
    buf_addc(b->sql, ')');
    return failed;
}

/*
 * The difference sums. A group of runs that share first and last bucket, with rate r in all, adds
 * at `first` the amount up to that bucket's end and r to what every later bucket gets in full; at
 * `last` it takes r away again and the part of that bucket which came after its end.
 *
 * Beside the amounts go two numbers of runs in each bucket: all of them, and those that tell the
 * rate. A run counts 1 in each of its buckets, so its last bucket counts in full.
 */
static int add_events(struct build *b)
{
    buf_addz(b->sql, "grouped AS (SELECT ");
    add_dimension_names(b);
    buf_addz(b->sql, "first, last, count(*) AS runs");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (b->q->measures[i]->kind == MEASURE_OVERLAP) {
            buf_addf(b->sql,
                     ", count(r%zu) AS known%zu, sum(r%zu) AS rate%zu, sum(r%zu * into_first) "
                     "AS before%zu, "
                     "sum(r%zu * into_last) AS until%zu",
                     i, i, i, i, i, i, i, i);
        }
    }
    buf_addz(b->sql, " FROM ");
    int failed = add_placed_runs(b);
    buf_addz(b->sql, " GROUP BY ALL), events AS (");
    for (int end = 0; end < 2; end++) {
        buf_addz(b->sql, end ? " UNION ALL SELECT " : "SELECT ");
        add_dimension_names(b);
        buf_addz(b->sql, end ? "last AS bucket, 0 AS runs_part, -runs AS runs_step"
                             : "first AS bucket, runs AS runs_part, runs AS runs_step");
        for (size_t i = 0; i < b->q->measure_count; i++) {
            if (b->q->measures[i]->kind == MEASURE_OVERLAP) {
                buf_addf(b->sql,
                         end ? ", until%zu - rate%zu * width AS amount%zu_part, -rate%zu AS "
                               "amount%zu_step"
                             : ", rate%zu * width - before%zu AS amount%zu_part, rate%zu AS "
                               "amount%zu_step",
                         i, i, i, i, i);
                buf_addf(b->sql,
                         end ? ", 0 AS known%zu_part, -known%zu AS known%zu_step"
                             : ", known%zu AS known%zu_part, known%zu AS known%zu_step",
                         i, i, i, i);
            }
        }
        buf_addf(b->sql, " FROM grouped JOIN calendar ON calendar.bucket = %s",
                 end ? "last" : "first");
    }
    buf_addz(b->sql, ")");
    return failed;
}

/* Every group has a row in every bucket, so that the running sum reaches those without events. */
static void add_series(struct build *b)
{
    buf_addz(b->sql, ", dense AS (SELECT ");
    add_dimension_names(b);
    buf_addz(b->sql, "bucket, sum(COLUMNS('_part$|_step$')) FROM (SELECT * FROM events UNION "
                     "ALL BY NAME SELECT * FROM "
                     "(SELECT DISTINCT ");
    add_dimension_names(b);
    buf_addf(b->sql, "1 AS one%s) groups, calendar) GROUP BY ALL), ",
             b->q->dimension_count ? " FROM events" : "");
}

/* What a bucket has of `name`: its own part, and `width` times the steps taken before it. */
static void add_running(struct build *b, const char *name, const char *width)
{
    buf_addf(b->sql, "coalesce(%s_part, 0) + %s * coalesce(sum(%s_step) OVER before, 0)", name,
             width, name);
}

/* Where runs took place and none tells its rate, the amount is unknown, not zero. */
static void add_amount(struct build *b, size_t measure)
{
    char amount[32], known[32];
    snprintf(amount, sizeof(amount), "amount%zu", measure);
    snprintf(known, sizeof(known), "known%zu", measure);
    buf_addz(b->sql, "CASE WHEN ");
    add_running(b, known, "1");
    buf_addz(b->sql, " > 0 OR ");
    add_running(b, "runs", "1");
    buf_addz(b->sql, " = 0 THEN ");
    add_running(b, amount, "width");
    buf_addz(b->sql, " END");
}

static void add_series_select(struct build *b)
{
    buf_addz(b->sql, "SELECT ");
    add_dimension_names(b);
    buf_addz(b->sql, "dense.bucket, 'overlap' AS kind");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        buf_addz(b->sql, ", (");
        if (b->q->measures[i]->kind == MEASURE_OVERLAP) {
            add_amount(b, i);
        } else if (b->q->measures[i]->kind == MEASURE_ACTIVE) {
            add_running(b, "runs", "1");
        } else {
            buf_addz(b->sql, "NULL");
        }
        buf_addf(b->sql, ")::HUGEINT AS m%zu", i);
    }
    buf_addz(b->sql, " FROM dense JOIN calendar USING (bucket) WINDOW before AS (");
    for (size_t i = 0; i < b->q->dimension_count; i++) {
        buf_addf(b->sql, "%s d%zu", i ? "," : "PARTITION BY", i);
    }
    buf_addz(b->sql,
             " ORDER BY dense.bucket ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)");
}

/* Different values a bucket: each value once for every bucket from its first to its last. */
static int add_distinct_select(struct build *b)
{
    buf_addz(b->sql, "SELECT ");
    add_dimension_names(b);
    buf_addz(b->sql, "bucket, 'distinct' AS kind");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (b->q->measures[i]->kind == MEASURE_DISTINCT) {
            buf_addf(b->sql, ", nullif(count(DISTINCT v%zu), 0)::HUGEINT AS m%zu", i, i);
        } else {
            buf_addf(b->sql, ", NULL::HUGEINT AS m%zu", i);
        }
    }
    buf_addz(b->sql, " FROM (SELECT DISTINCT ");
    add_dimension_names(b);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (b->q->measures[i]->kind == MEASURE_DISTINCT) {
            buf_addf(b->sql, "v%zu, ", i);
        }
    }
    buf_addz(b->sql, "unnest(range(first, last + 1)) AS bucket FROM (SELECT DISTINCT ");
    add_dimension_names(b);
    for (size_t i = 0; i < b->q->measure_count; i++) {
        if (b->q->measures[i]->kind == MEASURE_DISTINCT) {
            buf_addf(b->sql, "v%zu, ", i);
        }
    }
    buf_addz(b->sql, "first, last FROM ");
    int failed = add_placed_runs(b);
    buf_addz(b->sql, ")) GROUP BY ALL");
    return failed;
}

/* Aggregates over runs at one of their instants. */
static int add_at_select(struct build *b, enum measure_kind kind)
{
    const char *column = kind == MEASURE_AT_END ? "\"end\"" : "start";
    buf_addz(b->sql, "SELECT ");
    add_dimension_columns(b);
    buf_addf(b->sql, "%s, '%s' AS kind", bucket_column(b),
             kind == MEASURE_AT_END ? "end" : "start");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const struct measure *m = b->q->measures[i];
        if (m->kind == kind) {
            buf_addf(b->sql, ", (%s)::HUGEINT AS m%zu", m->sql, i);
        } else {
            buf_addf(b->sql, ", NULL::HUGEINT AS m%zu", i);
        }
    }
    buf_addz(b->sql, " FROM runs");
    if (b->plan->bucket_count) {
        add_slot_join(b, SQL_SLOTS, column);
    }
    buf_addf(b->sql, " WHERE %s >= %" PRId64 " AND %s < %" PRId64 "%s", column,
             b->q->period.from, column, b->q->period.to,
             kind == MEASURE_AT_END ? " AND start IS NOT NULL" : "");
    int failed = add_filter(b);
    buf_addz(b->sql, " GROUP BY ALL HAVING count(*) > 0");
    return failed;
}

/* The pieces, one SELECT for each kind that is asked for, in one shape. */
static int add_pieces(struct build *b)
{
    const struct question *q = b->q;
    const bool buckets = b->plan->bucket_count > 0;
    const bool overlap = has_kind(q, MEASURE_OVERLAP) || has_kind(q, MEASURE_ACTIVE);
    const char *between = "";
    int failed = 0;
    if (!buckets && (overlap || has_kind(q, MEASURE_DISTINCT))) {
        failed = add_overlap_total(b);
        between = " UNION ALL ";
    }
    if (buckets && overlap) {
        add_series_select(b);
        between = " UNION ALL ";
    }
    if (buckets && has_kind(q, MEASURE_DISTINCT)) {
        buf_addz(b->sql, between);
        failed = add_distinct_select(b);
        between = " UNION ALL ";
    }
    for (enum measure_kind kind = MEASURE_AT_END; !failed && kind <= MEASURE_AT_START; kind++) {
        if (has_kind(q, kind)) {
            buf_addz(b->sql, between);
            failed = add_at_select(b, kind);
            between = " UNION ALL ";
        }
    }
    if (!failed && buckets && q->dimension_count == 0) { /* a series without gaps */
        buf_addf(b->sql, "%sSELECT bucket, 'none' AS kind", between);
        for (size_t i = 0; i < q->measure_count; i++) {
            buf_addz(b->sql, ", NULL::HUGEINT");
        }
        buf_addz(b->sql, " FROM calendar");
    }
    return failed;
}

static const char *piece_of(const struct build *b, const struct measure *m)
{
    static const char *const names[MEASURE_KINDS] = {
        [MEASURE_AT_END] = "end",        [MEASURE_AT_START] = "start",
        [MEASURE_OVERLAP] = "overlap",   [MEASURE_ACTIVE] = "overlap",
        [MEASURE_DISTINCT] = "distinct",
    };
    return m->kind == MEASURE_DISTINCT && !b->plan->bucket_count ? "overlap" : names[m->kind];
}

/*
 * Puts the pieces side by side. A group that a piece has no row for did nothing there: zero. A row
 * with NULL in it is something that happened and whose size nobody knows: that stays unknown.
 */
static void add_joined(struct build *b)
{
    const bool one_row = b->q->dimension_count == 0 && b->plan->bucket_count == 0;
    buf_addz(b->sql, "SELECT ");
    add_dimension_names(b);
    buf_addz(b->sql, one_row ? "0 AS bucket" : "bucket");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        const char *piece = piece_of(b, b->q->measures[i]);
        buf_addf(b->sql,
                 ", CASE WHEN count(*) FILTER (kind = '%s') = 0 THEN 0 ELSE sum(m%zu) FILTER "
                 "(kind = '%s') END AS m%zu",
                 piece, i, piece, i);
    }
    buf_addz(b->sql, one_row ? " FROM pieces" : " FROM pieces GROUP BY ALL");
}

/* Leaves out the buckets in which a group did nothing. */
static void add_having(struct build *b)
{
    if (b->plan->bucket_count == 0 || b->q->dimension_count == 0) {
        return;
    }
    buf_addz(b->sql, " WHERE ");
    for (size_t i = 0; i < b->q->measure_count; i++) {
        buf_addf(b->sql, "%sm%zu IS DISTINCT FROM 0", i ? " OR " : "", i);
    }
}

static int add_order(struct build *b)
{
    const struct question *q = b->q;
    buf_addz(b->sql, " ORDER BY ");
    bool found = !q->sort;
    if (b->plan->bucket_count) { /* always first, and so sorted by already */
        buf_addz(b->sql, "bucket, ");
        found = found || str_eq(str_of(q->sort), STR("period"));
    }
    for (size_t i = 0; q->sort && i < q->measure_count; i++) {
        if (!found && str_eq(str_of(q->sort), str_of(q->measures[i]->id))) {
            buf_addf(b->sql, "m%zu %s NULLS LAST, ", i, q->ascending ? "ASC" : "DESC");
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
        buf_addf(b->sql, "m0 %s NULLS LAST, ", q->ascending ? "ASC" : "DESC");
    }
    for (size_t i = 0; i < q->dimension_count; i++) {
        buf_addf(b->sql, "d%zu NULLS LAST, ", i);
    }
    buf_addz(b->sql, "bucket");
    if (q->limit > 0) {
        buf_addf(b->sql, " LIMIT %" PRId64, q->limit);
    }
    return 0;
}

int sql_question(const struct question *question, struct sql_plan *plan, struct error *err)
{
    struct build b = {question, plan, &plan->text, err};
    int failed = 0;
    buf_addz(b.sql, "WITH ");
    if (plan->bucket_count) {
        buf_addz(b.sql,
                 "calendar AS (SELECT DISTINCT bucket, upper - lower AS width FROM " SQL_SLOTS
                 "), ");
    }
    if (plan->bucket_count &&
        (has_kind(question, MEASURE_OVERLAP) || has_kind(question, MEASURE_ACTIVE))) {
        failed = add_events(&b);
        add_series(&b);
    }
    buf_addz(b.sql, "pieces AS (");
    if (failed || (failed = add_pieces(&b)) != 0) {
        return failed;
    }
    buf_addz(b.sql, ") SELECT * FROM (");
    add_joined(&b);
    buf_addz(b.sql, ")");
    add_having(&b);
    failed = add_order(&b);
    if (!failed && plan->text.overflow) {
        failed = error_set(err, ERROR_LIMIT, "the question is too large");
    }
    return failed;
}

int sql_listing(const struct listing *listing, struct sql_plan *plan, struct error *err)
{
    struct buf *sql = &plan->text;
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < listing->field_count; i++) {
        buf_addf(sql, "%s%s AS f%zu", i ? ", " : "", column_sql(listing->fields[i]), i);
    }
    buf_addz(sql, " FROM runs WHERE true");
    if (listing->period.from < listing->period.to) {
        buf_addf(sql,
                 " AND coalesce(submit, start, \"end\") < %" PRId64
                 " AND coalesce(\"end\", CASE WHEN until = %" PRId64 " THEN %" PRId64
                 " END, start, submit) >= %" PRId64,
                 listing->period.to, RUN_GOES_ON, listing->now, listing->period.from);
    }
    int failed =
        filter_sql(&listing->filter, listing->zone, listing->now, sql, plan->values, err);
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
