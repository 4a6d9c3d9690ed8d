/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/calendar.h"
#include "base/zone.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/samples.h"
#include "facts/statement.h"

/*
 * What one statement makes: more would need more memory than a store may use, since their
 * fields are many.
 */
enum { STRETCHES_AT_ONCE = 20000 };

/* A share of all processes: those whose number, modulo `of`, is `part`. */
struct share {
    int64_t part, of;
};

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

/* " FROM samples WHERE ... GROUP BY ...": the stretches of a time. */
static void add_stretches(struct statement *sql, struct period during, int64_t width,
                          struct share share)
{
    statement_add(sql, " FROM samples WHERE \"time\" >= %" PRId64 " AND \"time\" < %" PRId64,
                  during.from, during.to);
    if (share.of > 1) {
        statement_add(sql,
                      " AND hash(node, coalesce(pid, 0), coalesce(job, 0)) %% %" PRId64
                      " = %" PRId64,
                      share.of, share.part);
    }
    statement_add(sql, " GROUP BY @divide(\"time\", %" PRId64 ")", width);
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
    add_stretches(&sql, day, width, (struct share){0, 1});
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

static int add_thinned(struct facts *facts, struct period hour, int64_t width,
                       struct share share, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "INSERT INTO thinned SELECT ");
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        statement_add(&sql, i ? ", " : "");
        add_column(&sql, &sample_fields[i]);
    }
    add_stretches(&sql, hour, width, share);
    int failed = statement_execute(facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

static int make_thinned(struct facts *facts, struct period hour, int64_t width,
                        int64_t stretches, struct error *err)
{
    const int64_t parts = 1 + stretches / STRETCHES_AT_ONCE;
    int failed =
        facts_execute(facts, SQL_SAMPLES_THIN_MAKE, (struct facts_values){0}, NULL, err);
    for (int64_t part = 0; !failed && part < parts; part++) {
        failed = add_thinned(facts, hour, width, (struct share){part, parts}, err);
    }
    return failed;
}

static int replace_rows(struct facts *facts, struct period hour, struct error *err)
{
    const struct facts_value bounds[] = {FACTS_INT(hour.from), FACTS_INT(hour.to)};
    const struct facts_values none = {0};
    int failed;
    (void)((failed =
                facts_execute(facts, SQL_SAMPLES_THIN_REMOVE_DAY,
                              (struct facts_values){bounds, COUNT_OF(bounds)}, NULL, err)) ||
           (failed = facts_execute(facts, SQL_SAMPLES_THIN_WRITE_DAY, none, NULL, err)) ||
           (failed = facts_execute(facts, SQL_SAMPLES_THIN_DROP, none, NULL, err)));
    return failed;
}

/* One transaction. Stretches are no longer than an hour, so none of them is cut. */
static int thin_hour(struct facts *facts, struct period hour, int64_t width, int64_t *removed,
                     struct error *err)
{
    int64_t rows = 0, stretches = 0;
    int failed = count_rows(facts, hour, width, &rows, &stretches, err);
    if (failed || rows == stretches) {
        return failed;
    }
    (void)((failed = facts_begin(facts, err)) ||
           (failed = make_thinned(facts, hour, width, stretches, err)) ||
           (failed = replace_rows(facts, hour, err)) || (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    *removed += failed ? 0 : rows - stretches;
    return failed;
}

static int thin_day(struct facts *facts, struct period day, int64_t width, int64_t *removed,
                    struct error *err)
{
    int64_t rows = 0, stretches = 0;
    int failed = count_rows(facts, day, width, &rows, &stretches, err);
    for (int64_t hour = day.from; !failed && rows != stretches && hour < day.to;
         hour += HOUR_US) {
        failed = thin_hour(facts, (struct period){hour, hour + HOUR_US}, width, removed, err);
    }
    return failed;
}

/*
 * The next day with samples, from `from` on; days without any, which may be thousands where a
 * clock was wrong, cost nothing.
 */
static int find_day(struct facts *facts, int64_t from, int64_t before, int64_t *day,
                    bool *found, struct error *err)
{
    const struct facts_value bounds[] = {FACTS_INT(from), FACTS_INT(before)};
    int64_t first = 0;
    int failed =
        facts_number(facts, SQL_SAMPLES_THIN_FIRST,
                     (struct facts_values){bounds, COUNT_OF(bounds)}, &first, found, err);
    *day = first / DAY_US * DAY_US;
    /* Whole days only: what a stretch at the edge still gets would be one too many. */
    *found = !failed && *found && *day + DAY_US <= before;
    return failed;
}

int samples_thin(struct facts *facts, int64_t before, int64_t width, const struct stop *stop,
                 int64_t *removed, struct error *err)
{
    int64_t day = 0;
    bool found = false;
    *removed = 0;
    int failed = find_day(facts, 0, before, &day, &found, err);
    while (!failed && found) {
        failed = stop_is_set(stop)
                     ? stop_explain(stop, err)
                     : thin_day(facts, (struct period){day, day + DAY_US}, width, removed, err);
        failed = failed ? failed : find_day(facts, day + DAY_US, before, &day, &found, err);
    }
    return failed;
}
