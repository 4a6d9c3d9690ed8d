/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/calendar.h"
#include "base/zone.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/samples.h"
#include "facts/statement.h"

/* How samples of one stretch become one: what distinguishes samples of one process stays. */
static void add_column(struct statement *sql, const struct field *field)
{
    const bool is_key = (field->flags & (FIELD_KEY | SAMPLE_STREAM | SAMPLE_KEY_ROLLED)) &&
                        strcmp(field->member, "time");
    if (is_key) {
        statement_name(sql, identifier_of(field));
        return;
    }
    if (field->unit == UNIT_RATIO) {
        statement_add(sql, "@long(round(avg(");
    } else if (field->unit == UNIT_INSTANT ||
               (field->unit == UNIT_BYTES && !(field->flags & SAMPLE_COUNTER))) {
        statement_add(sql, "max(");
    } else {
        statement_add(sql, "@latest(");
    }
    statement_name(sql, identifier_of(field));
    statement_add(sql, field->unit == UNIT_RATIO ? ")))"
                       : field->unit == UNIT_INSTANT ||
                               (field->unit == UNIT_BYTES && !(field->flags & SAMPLE_COUNTER))
                           ? ")"
                           : ", \"time\")");
    statement_add(sql, " AS ");
    statement_name(sql, identifier_of(field));
}

/* " FROM samples WHERE ... GROUP BY ...": the stretches of a day. */
static void add_stretches(struct statement *sql, struct period day, int64_t width)
{
    statement_add(sql,
                  " FROM samples WHERE \"time\" >= %" PRId64 " AND \"time\" < %" PRId64
                  " GROUP BY @divide(\"time\", %" PRId64 ")",
                  day.from, day.to, width);
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        if ((sample_fields[i].flags & (FIELD_KEY | SAMPLE_STREAM | SAMPLE_KEY_ROLLED)) &&
            i != SAMPLE_time) {
            statement_add(sql, ", ");
            statement_name(sql, identifier_of(&sample_fields[i]));
        }
    }
}

static int count_rows(struct facts *facts, struct period day, int64_t width, int64_t *rows,
                      int64_t *stretches, struct error *err)
{
    struct statement sql;
    struct table found = {0};
    statement_init(&sql);
    statement_add(
        &sql, "SELECT @long(coalesce(sum(n), 0)), @long(count(*)) FROM (SELECT count(*) AS n");
    add_stretches(&sql, day, width);
    statement_add(&sql, ")");
    int failed = statement_query(facts, &sql, &found, err);
    if (!failed) {
        *rows = (int64_t)table_wide(&found, 0, 0);
        *stretches = (int64_t)table_wide(&found, 1, 0);
    }
    table_release(&found);
    statement_release(&sql);
    return failed;
}

static int make_thinned(struct facts *facts, struct period day, int64_t width,
                        struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "INSERT INTO thinned SELECT ");
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        statement_add(&sql, i ? ", " : "");
        add_column(&sql, &sample_fields[i]);
    }
    add_stretches(&sql, day, width);
    int failed =
        facts_execute(facts, SQL_SAMPLES_THIN_MAKE, (struct facts_values){0}, NULL, err);
    failed = failed ? failed : statement_execute(facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

static int replace_day(struct facts *facts, struct period day, struct error *err)
{
    const struct facts_value bounds[] = {FACTS_INT(day.from), FACTS_INT(day.to)};
    const struct facts_values none = {0};
    int failed;
    (void)((failed =
                facts_execute(facts, SQL_SAMPLES_THIN_REMOVE_DAY,
                              (struct facts_values){bounds, COUNT_OF(bounds)}, NULL, err)) ||
           (failed = facts_execute(facts, SQL_SAMPLES_THIN_WRITE_DAY, none, NULL, err)) ||
           (failed = facts_execute(facts, SQL_SAMPLES_THIN_DROP, none, NULL, err)));
    return failed;
}

static int thin_day(struct facts *facts, struct period day, int64_t width, int64_t *removed,
                    struct error *err)
{
    int64_t rows = 0, stretches = 0;
    int failed = count_rows(facts, day, width, &rows, &stretches, err);
    if (failed || rows == stretches) {
        return failed;
    }
    (void)((failed = facts_begin(facts, err)) ||
           (failed = make_thinned(facts, day, width, err)) ||
           (failed = replace_day(facts, day, err)) || (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    *removed += failed ? 0 : rows - stretches;
    return failed;
}

int samples_thin(struct facts *facts, int64_t before, int64_t width, const struct stop *stop,
                 int64_t *removed, struct error *err)
{
    const struct facts_value upto = FACTS_INT(before);
    int64_t first = 0;
    bool any = false;
    int failed = facts_number(facts, SQL_SAMPLES_THIN_FIRST, (struct facts_values){&upto, 1},
                              &first, &any, err);
    *removed = 0;
    /* Whole days only: what a stretch at the edge still gets would be one too many. */
    for (int64_t day = first / DAY_US * DAY_US; any && !failed && day + DAY_US <= before;
         day += DAY_US) {
        failed = stop_is_set(stop)
                     ? stop_explain(stop, err)
                     : thin_day(facts, (struct period){day, day + DAY_US}, width, removed, err);
    }
    return failed;
}
