/* SPDX-License-Identifier: MIT */
#include "report/queries/soonest.h"

#include <inttypes.h>

#include "facts/everyone.h"
#include "facts/inventory.h"
#include "facts/statement.h"

/* " AND x BETWEEN half AND twice", rounded so that 1 is like 1 and 2. */
static void add_alike(struct statement *sql, struct expression what, int64_t amount)
{
    statement_add(sql, " AND ");
    statement_expression(sql, what);
    statement_add(sql, " BETWEEN %" PRId64 " AND %" PRId64, (amount + 1) / 2, 2 * amount);
}

int soonest_ask(struct facts *facts, const struct soonest_question *question, struct table *out,
                struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT cluster, \"partition\", @long(count(*)), @quantile(w, 0.5), "
                        "@quantile(w, 0.9) FROM (SELECT cluster, \"partition\", start - "
                        "greatest(submit, coalesce(eligible, submit)) AS w FROM ");
    statement_name(&sql, everyone_runs(facts));
    statement_add(&sql,
                  " WHERE start >= %" PRId64 " AND start < %" PRId64 " AND submit <= start",
                  question->from, question->to);
    add_alike(&sql, EXPRESSION("coalesce(req_cpus, cpus)"), question->cpus);
    if (question->gpus > 0) {
        add_alike(&sql, EXPRESSION("coalesce(req_gpus, gpus)"), question->gpus);
    } else {
        statement_add(&sql, " AND coalesce(req_gpus, gpus, 0) = 0");
    }
    if (question->wall_us > 0) {
        add_alike(&sql, EXPRESSION("req_wall_us"), question->wall_us);
    }
    filter_sql(&question->filter, question->zone, question->now, &sql);
    statement_add(&sql, ") WHERE w >= 0 GROUP BY ALL ORDER BY cluster, \"partition\"");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

/*
 * A job has no more than its nodes: all of the partition, or, where it may have fewer, as many
 * of the largest.
 */
static void add_most(struct statement *sql, struct expression all, struct expression largest)
{
    statement_add(sql, ", @long(CASE WHEN max_nodes < nodes THEN least(");
    statement_expression(sql, all);
    statement_add(sql, ", max_nodes * ");
    statement_expression(sql, largest);
    statement_add(sql, ") ELSE ");
    statement_expression(sql, all);
    statement_add(sql, " END)");
}

int soonest_limits(struct facts *facts, const struct soonest_question *question,
                   struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "WITH served AS (SELECT cluster, @items(partitions) AS \"partition\", cpus, "
                  "gpus FROM nodes WHERE \"until\" = %" PRId64
                  "), sizes AS (SELECT cluster, \"partition\", count(*) AS nodes, sum(cpus) AS "
                  "cpus, max(cpus) AS cpus_largest, sum(gpus) AS gpus, max(gpus) AS "
                  "gpus_largest FROM served GROUP BY ALL), seen AS (SELECT cluster, "
                  "\"partition\", max_wall_us, max_nodes, state IN ('DOWN', 'DRAIN', "
                  "'INACTIVE') AS closed FROM partitions WHERE \"until\" = %" PRId64
                  ") SELECT cluster, \"partition\", max_wall_us",
                  STRETCH_NOT_ENDED, STRETCH_NOT_ENDED);
    add_most(&sql, EXPRESSION("cpus"), EXPRESSION("cpus_largest"));
    add_most(&sql, EXPRESSION("gpus"), EXPRESSION("gpus_largest"));
    statement_add(&sql, ", @long(CASE WHEN closed THEN 1 ELSE 0 END) FROM sizes FULL JOIN seen "
                        "USING (cluster, \"partition\") WHERE \"partition\" IS NOT NULL");
    filter_sql(&question->filter, question->zone, question->now, &sql);
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}
