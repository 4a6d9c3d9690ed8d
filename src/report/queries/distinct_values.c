/* SPDX-License-Identifier: MIT */
#include "report/queries/distinct_values.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "report/queries/grouped.h"
#include "report/sql/column.h"
#include "report/sql/end_time.h"
#include "report/sql/runs_source.h"
#include "report/sql/statements.h"

#define SQL_NAMES "names"

static int load_names(struct facts *facts, struct distinct_values_named names,
                      struct error *err)
{
    static const struct statement_column columns[] = {{"name", TYPE_TEXT},
                                                      {"place", TYPE_TEXT}};
    struct facts_value *values = mem_alloc(names.count + 1, 2 * sizeof(*values));
    for (size_t i = 0; i < names.count; i++) {
        values[2 * i] = FACTS_TEXT(names.names[i]);
        values[2 * i + 1] = names.clusters ? FACTS_TEXT(names.clusters[i]) : FACTS_NULL;
    }
    int failed = statement_load(facts, IDENTIFIER(SQL_NAMES), columns, COUNT_OF(columns),
                                (struct facts_values){values, 2 * names.count}, err);
    free(values);
    return failed;
}

/* Whether it can be said of a name alone that it passes the filters. */
static bool goes_by_name(const struct question *q)
{
    bool all = true;
    for (size_t i = 0; all && i < q->filter.count; i++) {
        bool known = false;
        for (size_t d = 0; d < q->dimension_count; d++) {
            known |= q->filter.conditions[i].field == q->dimensions[d];
        }
        all = known;
    }
    return all;
}

/* The names that are known from elsewhere, as values without runs. */
static void add_names(const struct question *q, struct statement *sql)
{
    statement_add(sql, " UNION ALL SELECT ");
    for (size_t i = 0; i < q->dimension_count; i++) {
        column_add(sql, q->dimensions[i]);
        statement_add(sql, ", ");
    }
    statement_add(sql, "0, NULL, 0 FROM (SELECT ");
    for (size_t i = 0; i < q->dimension_count; i++) {
        const bool place = i > 0 && q->dimensions[i] == &run_fields[RUN_cluster];
        statement_add(sql, i > 0 ? ", " : "");
        statement_add(sql, place ? "place AS " : "name AS ");
        column_add(sql, q->dimensions[i]);
    }
    statement_add(sql, " FROM " SQL_NAMES ") WHERE true");
    filter_sql(&q->filter, q->zone, q->now, sql);
}

/* Whether a run ran within the period; one that took no time ran at its instant. */
static void add_ran(const struct question *q, struct statement *sql)
{
    statement_add(sql, "start < %" PRId64 " AND (start >= %" PRId64 " OR ", q->period.to,
                  q->period.from);
    end_time_add(sql, EXPRESSION("until"), q->now);
    statement_add(sql, " > %" PRId64 ")", q->period.from);
}

/* "v0, v1, " */
static void add_values_of(const struct question *q, struct statement *sql)
{
    for (size_t i = 0; i < q->dimension_count; i++) {
        statement_add(sql, "v%zu, ", i);
    }
}

static void add_idle(const struct question *q, bool names, struct statement *sql)
{
    statement_add(sql, "SELECT ");
    add_values_of(q, sql);
    statement_add(sql, "@long(sum(runs)), max(last) AS last FROM (SELECT ");
    for (size_t i = 0; i < q->dimension_count; i++) {
        column_add(sql, q->dimensions[i]);
        statement_add(sql, " AS v%zu, ", i);
    }
    statement_add(sql, "count(DISTINCT ");
    statement_expression(sql, runs_source_row(q));
    statement_add(sql, ") AS runs, max(");
    end_time_add(sql, EXPRESSION("until"), q->now);
    statement_add(sql, ") FILTER (start IS NOT NULL) AS last, count(*) FILTER (");
    add_ran(q, sql);
    statement_add(sql, ") AS here FROM ");
    runs_source_add(q, RUNS_SOURCE_CLIPPED, sql);
    statement_add(sql, " WHERE true");
    filter_sql_of_runs(&q->filter, q->zone, q->now, runs_source_rows(q), sql);
    statement_add(sql, " GROUP BY ALL");
    if (names) {
        add_names(q, sql);
    }
    statement_add(sql, ") GROUP BY ALL HAVING v0 IS NOT NULL AND sum(here) = 0 ORDER BY ");
    statement_add(sql, "last DESC NULLS LAST");
    for (size_t i = 0; i < q->dimension_count; i++) {
        statement_add(sql, ", v%zu", i);
    }
}

static void shape_idle(const struct question *q, const struct table *raw, struct table *out)
{
    const size_t first = q->dimension_count;
    for (size_t i = 0; i < first; i++) {
        grouped_add_dimension(q->dimensions[i], out);
    }
    table_column(out, "runs", "Runs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_column(out, "last", "Last ran", CELL_INT, UNIT_INSTANT, COLUMN_MEASURE);
    for (size_t row = 0; row < raw->row_count; row++) {
        const size_t to = table_row(out);
        for (size_t i = 0; i < first; i++) {
            grouped_set_dimension(q->dimensions[i], raw, i, row, out, i, to);
        }
        table_copy_cell(raw, first, row, out, first, to);
        table_copy_cell(raw, first + 1, row, out, first + 1, to);
    }
}

int distinct_values_idle(struct facts *facts, const struct question *question,
                         struct distinct_values_named names, struct table *answer,
                         struct error *err)
{
    const bool named = names.count > 0 && goes_by_name(question);
    struct question ever = *question; /* what is known is known from any time */
    struct table raw = {0};
    struct statement sql;
    int failed;
    statement_init(&sql);
    ever.period = (struct period){INT64_MIN, INT64_MAX};
    add_idle(question, named, &sql);
    (void)((failed = runs_source_load(facts, &ever, err)) ||
           (named && (failed = load_names(facts, names, err))) ||
           (failed = statement_query(facts, &sql, &raw, err)));
    if (!failed) {
        shape_idle(question, &raw, answer);
    }
    table_release(&raw);
    statement_release(&sql);
    return failed;
}

/* "(SELECT ... AS v FROM runs)": the values of a field, those of lists of nodes included. */
static void add_values(const struct field *field, struct statement *sql)
{
    statement_add(sql, "(SELECT ");
    column_add(sql, field);
    statement_add(sql, dimension_is_spread(field)
                           ? " AS v FROM runs UNION ALL SELECT @items(@hosts(nodes)) "
                             "FROM (SELECT DISTINCT nodes "
                             "FROM runs WHERE nodes <> node))"
                           : " AS v FROM runs)");
}

int distinct_values_has(struct facts *facts, const struct field *field, struct str value,
                        bool *has, struct error *err)
{
    struct statement sql;
    int64_t found = 0;
    statement_init(&sql);
    statement_add(&sql, "SELECT 1 FROM ");
    add_values(field, &sql);
    statement_add(&sql, " WHERE v = ");
    statement_bind(&sql, FACTS_TEXT(value));
    statement_add(&sql, " LIMIT 1");
    int failed = statement_number(facts, &sql, &found, has, err);
    statement_release(&sql);
    return failed;
}

/*
 * Whether a text may be repeated in a message as it is: no control characters, and none of
 * those that turn the direction of writing, which are all in the three blocks below.
 */
static bool is_harmless(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        const unsigned char next = i + 1 < text.len ? (unsigned char)text.ptr[i + 1] : 0;
        if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next < 0xa0) ||
            (byte == 0xd8 && next == 0x9c) ||
            (byte == 0xe2 && (next == 0x80 || next == 0x81))) {
            return false;
        }
    }
    return str_is_utf8(text);
}

int distinct_values_all(struct facts *facts, const struct field *field, struct table *out,
                        struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT DISTINCT v FROM ");
    add_values(field, &sql);
    statement_add(&sql, " WHERE v IS NOT NULL ORDER BY v");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

int distinct_values_nearest(struct facts *facts, const struct field *field, struct str value,
                            struct buf *nearest, struct error *err)
{
    struct table table = {0};
    struct nearest near = nearest_to(value);
    int failed = distinct_values_all(facts, field, &table, err);
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        struct str text = table.columns[0].cells[row].text;
        if (is_harmless(text)) {
            nearest_try(&near, text);
        }
    }
    if (!failed && near.name.ptr) {
        buf_add(nearest, near.name);
    }
    table_release(&table);
    return failed;
}

int distinct_values_has_job(struct facts *facts, struct str job, bool *has, struct error *err)
{
    struct filter filter = {0};
    struct statement sql;
    int64_t found = 0;
    statement_init(&sql);
    int failed = filter_add(&filter, &run_fields[RUN_job], job, err);
    statement_add(&sql, "SELECT 1 FROM runs WHERE true");
    filter_sql(&filter, NULL, 0, &sql);
    statement_add(&sql, " LIMIT 1");
    failed = failed ? failed : statement_number(facts, &sql, &found, has, err);
    statement_release(&sql);
    return failed;
}

/* The only id that begins with the text: people copy the first group of a long one. */
static int only_begun_so(struct facts *facts, struct str begin, struct buf *out,
                         struct error *err)
{
    struct table found = {0};
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT DISTINCT job_key FROM runs WHERE @begins(job_key, ");
    statement_bind(&sql, FACTS_TEXT(begin));
    statement_add(&sql, ") LIMIT 2");
    int failed = statement_query(facts, &sql, &found, err);
    if (!failed && found.row_count == 1 && is_harmless(found.columns[0].cells[0].text)) {
        buf_add(out, found.columns[0].cells[0].text);
    }
    table_release(&found);
    statement_release(&sql);
    return failed;
}

int distinct_values_nearest_job(struct facts *facts, struct str job, struct buf *nearest,
                                struct error *err)
{
    struct table names = {0};
    struct nearest near = nearest_to(job);
    int failed = only_begun_so(facts, job, nearest, err);
    if (failed || nearest->len > 0) {
        return failed;
    }
    failed = facts_query(facts, SQL_VALUES_JOBS, (struct facts_values){0}, &names, err);
    for (size_t row = 0; !failed && row < names.row_count; row++) {
        const struct str text = names.columns[0].cells[row].text;
        if (is_harmless(text)) {
            nearest_try(&near, text);
        }
    }
    if (!failed && near.name.ptr) {
        buf_add(nearest, near.name);
    }
    table_release(&names);
    return failed;
}

int distinct_values_logins(struct facts *facts, struct table *out, struct error *err)
{
    return facts_query(facts, SQL_VALUES_LOGINS, (struct facts_values){0}, out, err);
}
