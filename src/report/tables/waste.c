/* SPDX-License-Identifier: MIT */
#include "report/tables/waste.h"

#include <inttypes.h>

#include "facts/statement.h"
#include "report/sql/quantity.h"

/* "\"time\" >= ... AND \"time\" < ..." */
static void add_period(struct statement *sql, struct period period)
{
    statement_add(sql, "\"time\" >= %" PRId64 " AND \"time\" < %" PRId64, period.from,
                  period.to);
}

static int finish(struct facts *facts, struct statement *sql, struct table *out,
                  struct error *err)
{
    int failed = statement_query(facts, sql, out, err);
    statement_release(sql);
    return failed;
}

/* Counters of a job's control group count for more than those of its processes, node by node. */
int waste_use(struct facts *facts, struct period period, struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "WITH of_jobs AS (SELECT * FROM samples WHERE job > 0 AND coalesce(epoch, 0) "
                  "= 0 AND ");
    add_period(&sql, period);
    statement_add(&sql,
                  "), readings AS (SELECT cluster, job, task, node, \"time\" AS moment, kind, "
                  "@long(sum(cpu_time_us)) AS cpu, @long(sum(" QUANTITY_SQL_SAMPLED_MEMORY
                  ")) AS mem FROM of_jobs WHERE kind IS NULL OR kind = 'job' "
                  "GROUP BY cluster, job, task, node, \"time\", kind), ");
    statement_add(
        &sql,
        "on_nodes AS (SELECT cluster, job, task, node, min(moment) AS first, max(moment) AS "
        "last, coalesce(max(CASE WHEN kind = 'job' THEN cpu END), max(cpu)) AS cpu, "
        "coalesce(max(CASE WHEN kind = 'job' THEN mem END), max(mem)) AS mem FROM readings "
        "GROUP "
        "BY cluster, job, task, node), each_card AS (SELECT cluster, job, task, node, command, "
        "avg(gpu_util_ppm) AS busy, max(gpu_util_ppm) AS most FROM of_jobs WHERE kind = 'gpu' "
        "GROUP BY cluster, job, task, node, command), cards AS (SELECT cluster, job, task, "
        "@real(sum(busy)) / 1e6 AS gpus, @long(sum(CASE WHEN most = 0 THEN 1 ELSE 0 END)) AS "
        "unused FROM each_card GROUP BY cluster, job, task) ");
    statement_add(
        &sql,
        "SELECT n.cluster, n.job, n.task, min(n.first), max(n.last), @long(sum(n.cpu)), "
        "@long(sum(n.mem)), max(c.gpus), max(c.unused) FROM on_nodes n LEFT JOIN cards c ON "
        "c.cluster = "
        "n.cluster AND c.job = n.job AND @same(c.task, n.task) GROUP BY n.cluster, n.job, "
        "n.task ORDER BY n.cluster, n.job, n.task");
    return finish(facts, &sql, out, err);
}

int waste_nodes(struct facts *facts, struct period period, struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "SELECT cluster, @latest(cpus, \"from\"), @latest(gpus, \"from\"), "
                  "@latest(partitions, \"from\"), @latest(mem_bytes, \"from\") FROM nodes "
                  "WHERE \"from\" < %" PRId64 " AND \"until\" > %" PRId64
                  " GROUP BY cluster, node",
                  period.to, period.from);
    return finish(facts, &sql, out, err);
}

int waste_sessions(struct facts *facts, struct period period, struct table *out,
                   struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT node, \"user\", command, @long(sum(cpu)), @long(count(*)) FROM "
                        "(SELECT node, \"user\", command, pid, max(cpu_time_us) - "
                        "min(cpu_time_us) AS cpu FROM samples WHERE kind IS NULL AND "
                        "coalesce(epoch, 0) <> 0 AND ");
    add_period(&sql, period);
    statement_add(&sql,
                  " GROUP BY cluster, node, \"user\", command, pid) GROUP BY node, "
                  "\"user\", command HAVING sum(cpu) > 0 ORDER BY node, \"user\", command");
    return finish(facts, &sql, out, err);
}

int waste_zombies(struct facts *facts, struct period period, struct table *out,
                  struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT node, \"user\", max(command), max(\"time\") - min(\"time\"), "
                        "@long(1) FROM samples WHERE kind IS NULL AND (command LIKE ");
    statement_bind(&sql, FACTS_TEXT(STR("%<defunct>")));
    statement_add(&sql, " OR command LIKE ");
    statement_bind(&sql, FACTS_TEXT(STR("\\_zombie\\_%")));
    statement_add(&sql, " ESCAPE '\\') AND ");
    add_period(&sql, period);
    statement_add(&sql, " GROUP BY cluster, node, \"user\", pid, command ORDER BY node, "
                        "\"user\", pid");
    return finish(facts, &sql, out, err);
}
