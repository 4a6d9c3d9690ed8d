/* SPDX-License-Identifier: MIT */
#include "report/sql/missing_rollup.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/plan.h"
#include "report/queries/missing_fields.h"
#include "report/rollup/rollup.h"
#include "report/sql/sql_build.h"

/* Whether a measure has columns of its own: sums that are rolled up, and different values. */
static bool has_columns(const struct measure *m)
{
    return missing_fields_is_asked(m) &&
           (m->kind == MEASURE_DISTINCT || rollup_column(m) == m) &&
           (m->kind != MEASURE_AT_SUBMIT && m->kind != MEASURE_AT_END &&
            m->kind != MEASURE_AT_WITHDRAWAL);
}

int missing_rollup_bit(const struct measure *measure)
{
    const struct measure *column =
        measure->kind == MEASURE_DISTINCT ? measure : rollup_column(measure);
    int bit = MISSING_ROLLUP_UNENDED;
    if (missing_fields_counts_ended(measure)) {
        return bit;
    }
    if (!column || !has_columns(column)) {
        return -1;
    }
    for (const struct measure *m = measures; m <= column; m++) {
        bit += has_columns(m);
    }
    return bit;
}

void missing_rollup_add_bit(struct statement *sql, int bit)
{
    statement_add(sql, "@divide(mask, %" PRId64 ") %% 2 = 1", INT64_C(1) << bit);
}

int missing_rollup_make_table(struct facts *facts, struct error *err)
{
    static const struct statement_column columns[] = {
        {"begins", TYPE_INTEGER}, {"cluster", TYPE_TEXT},    {"mask", TYPE_INTEGER},
        {"runs", TYPE_INTEGER},   {"carried", TYPE_INTEGER}, {"time", TYPE_INTEGER}};
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "CREATE OR REPLACE TABLE ");
    statement_name(&sql, MISSING_ROLLUP_TABLE);
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        statement_add(&sql, i ? ", " : " (");
        statement_column(&sql, columns[i]);
    }
    statement_add(&sql, ")");
    int failed = statement_execute(facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

/* The bits of a run, added up. */
static void add_bits(struct statement *sql)
{
    statement_add(sql, "CASE WHEN until < start THEN 1 ELSE 0 END");
    for (const struct measure *m = measures; m < measures + measure_count; m++) {
        if (has_columns(m)) {
            statement_add(sql, " + CASE WHEN ");
            missing_fields_condition(sql, m);
            statement_add(sql, " THEN %" PRId64 " ELSE 0 END",
                          INT64_C(1) << missing_rollup_bit(m));
        }
    }
}

void missing_rollup_add_signature(struct statement *sql)
{
    statement_add(sql,
                  "; omissions; "); /* by which SQL_ROLLUP_STATE knows that there are some */
    add_bits(sql);
}

void missing_rollup_add_mask(struct statement *sql)
{
    statement_add(sql, "@long(");
    add_bits(sql);
    statement_add(sql, ") AS mask");
}

/*
 * Runs that overlap the days, as sql_add_spread wants them: rs, s, e, and what they cannot
 * enter.
 */
static void add_rows(struct build *b)
{
    statement_add(b->sql, "SELECT cluster, start AS rs, ");
    missing_rollup_add_mask(b->sql);
    statement_add(b->sql,
                  ", greatest(start, %" PRId64 ") AS s, greatest(least(until, %" PRId64
                  "), start, %" PRId64 ") AS e FROM runs WHERE ",
                  b->q->period.from, b->q->period.to, b->q->period.from);
    sql_add_overlapping(b);
    sql_add_filter(b);
}

/* The sums of each day, cluster and mask. */
static void add_days(struct build *b)
{
    statement_add(b->sql, "INSERT INTO ");
    statement_name(b->sql, MISSING_ROLLUP_TABLE);
    statement_add(
        b->sql, " WITH calendar AS (SELECT DISTINCT cell, lower, upper FROM " SQL_SLOTS
                ") SELECT lower, cluster, mask, count(*) FILTER (rs >= lower), count(*) FILTER "
                "(rs < lower), sum(least(e, upper) - greatest(s, lower)) FROM ");
    sql_add_spread(b, add_rows);
    statement_add(b->sql, " JOIN calendar USING (cell) GROUP BY ALL");
}

static int delete_days(struct facts *facts, struct period days, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "DELETE FROM ");
    statement_name(&sql, MISSING_ROLLUP_TABLE);
    statement_add(&sql, " WHERE begins >= %" PRId64 " AND begins < %" PRId64, days.from,
                  days.to);
    int failed = statement_execute(facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

int missing_rollup_roll(struct facts *facts, const struct zone *zone, struct period days,
                        struct error *err)
{
    struct question *question = mem_alloc(1, sizeof(*question));
    struct plan plan;
    struct statement sql;
    *question = (struct question){.period = days,
                                  .bucket = BUCKET_DAY,
                                  .zone = zone,
                                  .now = days.to,
                                  .path = PATH_ROLLUP};
    question->measures[question->measure_count++] = rollup_indicator(MEASURE_OVERLAP);
    statement_init(&sql);
    int failed = plan_make(&plan, facts, question, false, err);
    if (!failed) {
        struct build b = {
            .q = question, .plan = &plan.sql, .sql = &sql, .segment = &plan.sql.segments[0]};
        add_days(&b);
        (void)((failed = plan_load(&plan, facts, question, err)) ||
               (failed = delete_days(facts, days, err)) ||
               (failed = statement_execute(facts, &sql, NULL, err)));
    }
    plan_release(&plan);
    statement_release(&sql);
    free(question);
    return failed;
}
