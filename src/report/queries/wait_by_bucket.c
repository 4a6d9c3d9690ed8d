/* SPDX-License-Identifier: MIT */
#include "report/queries/wait_by_bucket.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/sql/end_time.h"
#include "report/sql/runs_source.h"

#define STRETCHES "stretches"

/* Where the stretches begin, for the statement to join with. */
static int load_stretches(struct facts *facts, const struct question *question,
                          const int64_t *edges, size_t count, struct error *err)
{
    static const char *const columns[] = {"stretch", "lower"};

    enum { COLUMNS = COUNT_OF(columns) };

    int64_t *rows = mem_alloc(count, COLUMNS * sizeof(int64_t));
    for (size_t i = 0; i < count; i++) {
        int64_t *row = rows + i * COLUMNS;
        row[0] = (int64_t)i;
        row[1] = i > 0 ? edges[i] - question->period.from : 0;
    }
    int failed = facts_load_integers(facts, STRETCHES, columns, COLUMNS, rows, count, err);
    free(rows);
    return failed;
}

/*
 * Runs are not spread over the stretches they wait in. Each adds 1 (a record of array tasks,
 * their number) where its wait begins and takes it away where it ends; both are cut to the
 * period and computed from its beginning.
 */
static void add_statement(const struct question *q, struct statement *sql)
{
    statement_add(sql,
                  "SELECT stretch, @long(sum(n)), @wide(sum(n * t)) FROM (SELECT "
                  "@begin_end(greatest(s, %" PRId64 "), least(e, %" PRId64 ")) - %" PRId64
                  " AS t, @begin_end(tasks, -tasks) AS n FROM (SELECT submit AS s, "
                  "coalesce(task_count, 1) AS tasks, coalesce(start, ",
                  q->period.from, q->period.to, q->period.from);
    end_time_add_last(sql, q->now); /* of one that waits still: as long as that is known */
    statement_add(sql, ") AS e FROM ");
    runs_source_add(q, RUNS_SOURCE_AT_SUBMIT, sql);
    statement_add(sql, " WHERE submit < %" PRId64, q->period.to);
    filter_sql_of_runs(&q->filter, q->zone, q->now, runs_source_rows(q), sql);
    statement_add(sql,
                  ") WHERE e > s AND e > %" PRId64 ") @asof(" STRETCHES ", " STRETCHES
                  ", t) GROUP BY stretch ORDER BY stretch",
                  q->period.from);
}

/*
 * Up to an instant x all have waited x * (begun - ended) less the sum of when: what a stretch
 * holds is that at its end less that at its beginning.
 */
static void add_up(const struct question *question, const int64_t *edges, size_t count,
                   const struct table *table, int64_t *sums)
{
    wide_int waiting = 0, moments = 0, before = 0;
    for (size_t i = 0, row = 0; i < count; i++) {
        if (row < table->row_count && table_wide(table, 0, row) == (wide_int)i) {
            waiting += table_wide(table, 1, row);
            moments += table_wide(table, 2, row);
            row++;
        }
        const int64_t upper =
            edges[i + 1] < question->period.to ? edges[i + 1] : question->period.to;
        const wide_int all = waiting * (upper - question->period.from) - moments;
        sums[i] = (int64_t)(all - before);
        before = all;
    }
}

int wait_by_bucket_ask(struct facts *facts, const struct question *question,
                       const int64_t *edges, size_t count, int64_t **sums, struct error *err)
{
    struct table table = {0};
    struct statement sql;
    int failed;
    statement_init(&sql);
    add_statement(question, &sql);
    (void)((failed = load_stretches(facts, question, edges, count, err)) ||
           (failed = runs_source_load(facts, question, err)) ||
           (failed = statement_query(facts, &sql, &table, err)));
    if (!failed) {
        *sums = mem_alloc(count, sizeof(**sums));
        add_up(question, edges, count, &table, *sums);
    }
    table_release(&table);
    statement_release(&sql);
    return failed;
}
