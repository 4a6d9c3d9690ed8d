/* SPDX-License-Identifier: MIT */
#include "report/queries/unended.h"

#include <inttypes.h>

#include "facts/inventory.h"
#include "report/sql/end_time.h"
#include "report/sql/runs_source.h"

/*
 * Runs that have not ended as far as is known, and were not seen lately: their cpus and gpus,
 * `last` and `upto`.
 */
static void add_runs(const struct question *q, struct statement *sql)
{
    const int64_t end = q->now < q->period.to ? q->now : q->period.to;
    statement_add(sql, "SELECT cluster, cpus, gpus, req_wall_us, ");
    end_time_add(sql, EXPRESSION("until"), q->now);
    statement_add(sql,
                  " AS last, start, least(%" PRId64
                  ", start + req_wall_us + coalesce(suspended_us, 0)) AS upto FROM ",
                  end); /* which skips what is absent */
    runs_source_add(q, RUNS_SOURCE_AT_LAST, sql);
    statement_add(sql, " WHERE until = %" PRId64 " AND start < %" PRId64, RUN_NOT_ENDED, end);
    filter_sql_of_runs(&q->filter, q->zone, q->now, runs_source_renames(q), sql);
}

int unended_ask(struct facts *facts, const struct question *question, bool by_cluster,
                struct table *answer, struct error *err)
{
    const int64_t end =
        question->now < question->period.to ? question->now : question->period.to;
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "SELECT @long(count(*)), min(last), max(last), @long(count(req_wall_us)), "
                  "@wide(sum(added)), @wide(sum(@wide(cpus) * added)), @wide(sum(@wide(gpus) * "
                  "added))");
    statement_add(&sql, by_cluster ? ", cluster" : "");
    statement_add(&sql,
                  " FROM (SELECT *, greatest(upto - greatest(last, %" PRId64
                  "), 0) AS added FROM (",
                  question->period.from);
    add_runs(question, &sql);
    statement_add(&sql, ")) WHERE last < %" PRId64 " AND (added > 0 OR last > %" PRId64 ")",
                  end - INVENTORY_AROUND_US, question->period.from);
    statement_add(&sql, by_cluster ? " GROUP BY cluster ORDER BY cluster" : "");
    int failed;
    (void)((failed = runs_source_load(facts, question, err)) ||
           (failed = statement_query_kept(facts, &sql, answer, err)));
    statement_release(&sql);
    for (size_t i = 0; !failed && i < UNENDED_COUNT; i++) {
        answer->columns[i].unit = i >= UNENDED_WALL ? UNIT_HOURS : UNIT_NONE;
    }
    return failed;
}
