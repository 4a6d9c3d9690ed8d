/* SPDX-License-Identifier: MIT */
#include "report/tables/energy.h"

#include <inttypes.h>

#include "facts/statement.h"

static void add_period(struct statement *sql, const struct period *period)
{
    statement_add(sql, "\"time\" >= %" PRId64 " AND \"time\" < %" PRId64, period->from,
                  period->to);
}

/* Rises of counters between two looks: of nodes, of jobs on them, and of cards that one job held at both. */
static void add_rises(struct statement *sql, const struct period *period)
{
    statement_add(sql, "WITH of_nodes AS (SELECT cluster, node, \"time\" AS moment, energy_j - "
                       "lag(energy_j) OVER w AS joules, cpu_time_us - lag(cpu_time_us) OVER w "
                       "AS cpu FROM samples WHERE kind = 'node' AND ");
    add_period(sql, period);
    statement_add(sql, " WINDOW w AS (PARTITION BY cluster, node ORDER BY \"time\")), of_jobs "
                       "AS (SELECT cluster, node, job, task, \"time\" AS moment, cpu_time_us - "
                       "lag(cpu_time_us) OVER w AS cpu FROM samples WHERE kind = 'job' AND job "
                       "> 0 AND coalesce(epoch, 0) = 0 AND ");
    add_period(sql, period);
    statement_add(sql, " WINDOW w AS (PARTITION BY cluster, node, job, task ORDER BY "
                       "\"time\")), of_cards AS (SELECT cluster, job, task, \"time\" AS "
                       "moment, CASE WHEN lag(job) OVER w = job THEN energy_j - lag(energy_j) "
                       "OVER w END AS joules FROM samples WHERE kind = 'gpu' AND ");
    add_period(sql, period);
    statement_add(sql, " WINDOW w AS (PARTITION BY cluster, node, command ORDER BY \"time\"))");
}

int energy_use(struct facts *facts, struct period period, struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    add_rises(&sql, &period);
    statement_add(
        &sql,
        ", parts AS (SELECT j.cluster, j.job, j.task, j.moment, NULL AS card, CASE WHEN "
        "n.joules >= 0 AND n.cpu > 0 AND j.cpu >= 0 THEN n.joules * least(1.0, @real(j.cpu) / "
        "n.cpu) END AS processors FROM of_jobs j LEFT JOIN of_nodes n ON n.cluster = j.cluster "
        "AND n.node = j.node AND n.moment = j.moment UNION ALL SELECT cluster, job, task, "
        "moment, CASE WHEN joules >= 0 THEN joules END, NULL FROM of_cards WHERE job > 0) ");
    statement_add(&sql,
                  "SELECT cluster, job, task, min(moment), max(moment), @real(sum(card)), "
                  "@real(sum(processors)) FROM parts GROUP BY cluster, job, task ORDER BY "
                  "cluster, job, task");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}
