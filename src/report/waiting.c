/* SPDX-License-Identifier: MIT */
#include "report/waiting.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"

#define STRETCHES "stretches"

/* The stretches, cut to the period, for the statement to join with. */
static int load_stretches(struct facts *facts, const struct question *question,
                          const int64_t *edges, size_t count, struct error *err)
{
    static const char *const columns[] = {"stretch", "lower", "upper"};

    enum { COLUMNS = COUNT_OF(columns) };

    int64_t *rows = mem_alloc(count, COLUMNS * sizeof(int64_t));
    for (size_t i = 0; i < count; i++) {
        int64_t *row = rows + i * COLUMNS;
        row[0] = (int64_t)i;
        row[1] = edges[i] > question->period.from ? edges[i] : question->period.from;
        row[2] = edges[i + 1] < question->period.to ? edges[i + 1] : question->period.to;
    }
    int failed = facts_load_integers(facts, STRETCHES, columns, COLUMNS, rows, count, err);
    free(rows);
    return failed;
}

static int add_statement(const struct question *q, struct buf *sql,
                         struct filter_values *values, struct error *err)
{
    buf_addf(sql,
             "SELECT stretch, sum(least(e, upper) - greatest(s, lower))::BIGINT FROM (SELECT "
             "submit AS s, coalesce(start, \"end\", CASE WHEN until = %" PRId64 " THEN %" PRId64
             " END) AS e FROM runs WHERE submit < %" PRId64,
             RUN_GOES_ON, q->now, q->period.to);
    int failed = filter_sql(&q->filter, q->zone, q->now, sql, values, err);
    buf_addf(sql,
             ") w JOIN " STRETCHES " ON s < upper AND e > lower AND e > %" PRId64
             " GROUP BY stretch",
             q->period.from);
    return failed;
}

int waiting_ask(struct facts *facts, const struct question *question, const int64_t *edges,
                size_t count, int64_t **sums, struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct table table = {0};
    struct buf sql;
    int failed;
    buf_init(&sql, LIMIT_SQL);
    (void)((failed = load_stretches(facts, question, edges, count, err)) ||
           (failed = add_statement(question, &sql, values, err)) ||
           (failed = facts_query(facts, sql.ptr,
                                 (struct facts_values){values->values, values->count}, &table,
                                 err)));
    if (!failed) {
        *sums = mem_alloc(count, sizeof(**sums));
    }
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        (*sums)[table_wide(&table, 0, row)] = (int64_t)table_wide(&table, 1, row);
    }
    table_release(&table);
    buf_release(&sql);
    free(values);
    return failed;
}
