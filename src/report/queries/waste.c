/* SPDX-License-Identifier: MIT */
#include "report/queries/waste.h"

#include <inttypes.h>

#include "facts/statement.h"

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

/*
 * Looks at which no card of a job was busy, in stretches that a busy one, an unknown one or a
 * gap ends: the longest.
 */
int waste_pauses(struct facts *facts, struct period period, struct table *out,
                 struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(
        &sql, "WITH looks AS (SELECT cluster, job, task, \"time\" AS moment, count(*) = "
              "count(gpu_util_ppm) AND max(gpu_util_ppm) = 0 AS idle FROM samples WHERE kind = "
              "'gpu' AND job > 0 AND coalesce(epoch, 0) = 0 AND ");
    add_period(&sql, period);
    statement_add(
        &sql,
        " GROUP BY cluster, job, task, \"time\"), cut AS (SELECT *, CASE WHEN idle AND "
        "moment - lag(moment) OVER w <= %" PRId64
        " THEN 0 ELSE 1 END AS ends FROM looks WINDOW w AS (PARTITION BY cluster, job, "
        "task ORDER BY moment)), ",
        WASTE_PAUSE_GAP_US);
    statement_add(
        &sql,
        "numbered AS (SELECT *, sum(ends) OVER (PARTITION BY cluster, job, task ORDER BY "
        "moment) AS stretch FROM cut), stretches AS (SELECT cluster, job, task, "
        "min(moment) AS first, max(moment) AS last, max(CASE WHEN idle THEN moment END) - "
        "min(CASE WHEN idle THEN moment END) AS pause FROM numbered GROUP BY cluster, job, "
        "task, stretch) ");
    statement_add(&sql,
                  "SELECT cluster, job, task, min(first), max(last), @long(max(pause)) FROM "
                  "stretches GROUP BY cluster, job, task ORDER BY cluster, job, task");
    return finish(facts, &sql, out, err);
}

int waste_partitions(struct facts *facts, struct period period, struct table *out,
                     struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "SELECT cluster, \"partition\", @latest(node_count, \"from\"), "
                  "@latest(cpus, \"from\") FROM partitions WHERE \"from\" < %" PRId64
                  " AND \"until\" > %" PRId64 " GROUP BY cluster, \"partition\"",
                  period.to, period.from);
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
    /* A number may be given to another process: what a counter falls by is not counted. */
    statement_add(
        &sql, "SELECT cluster, node, \"user\", command, @long(sum(cpu)), @long(count(*)) FROM "
              "(SELECT cluster, node, \"user\", command, pid, sum(risen) AS cpu FROM "
              "(SELECT cluster, node, \"user\", command, pid, greatest(0, cpu_time_us "
              "- lag(cpu_time_us) OVER (PARTITION BY cluster, node, \"user\", "
              "command, pid ORDER BY \"time\")) AS risen FROM samples WHERE kind IS "
              "NULL AND coalesce(epoch, 0) <> 0 AND ");
    add_period(&sql, period);
    statement_add(&sql,
                  ") GROUP BY cluster, node, \"user\", command, pid) GROUP BY cluster, node, "
                  "\"user\", command HAVING sum(cpu) > 0 ORDER BY cluster, node, \"user\", "
                  "command");
    return finish(facts, &sql, out, err);
}

int waste_zombies(struct facts *facts, struct period period, struct table *out,
                  struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(
        &sql, "SELECT cluster, node, \"user\", max(command), max(\"time\") - min(\"time\"), "
              "@long(1) FROM samples WHERE kind IS NULL AND (command LIKE ");
    statement_bind(&sql, FACTS_TEXT(STR("%<defunct>")));
    statement_add(&sql, " OR command LIKE ");
    statement_bind(&sql, FACTS_TEXT(STR("\\_zombie\\_%")));
    statement_add(&sql, " ESCAPE '\\') AND ");
    add_period(&sql, period);
    statement_add(&sql,
                  " GROUP BY cluster, node, \"user\", pid, command ORDER BY cluster, node, "
                  "\"user\", pid");
    return finish(facts, &sql, out, err);
}
