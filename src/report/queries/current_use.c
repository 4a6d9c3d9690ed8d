/* SPDX-License-Identifier: MIT */
#include "report/queries/current_use.h"

#include <inttypes.h>

#include "base/attribute.h"
#include "base/zone.h"
#include "facts/statement.h"
#include "report/sql/quantity.h"

/* Two looks at least of agents that look every five minutes, which are few. */
#define RECENT_US (INT64_C(660) * SECOND_US)

static const struct heading headings[] = {
    {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"nodes", "Nodes", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    {"cpu_use", "CPU use", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE},
    {"memory_use", "Memory use", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE},
    {"gpus", "GPUs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    {"gpu_use", "GPU use", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE},
    {"gpu_memory_use", "GPU memory use", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE},
    {"gpus_held_idle", "GPUs held idle", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
};

/*
 * Cpus at work are the rise of the counter between the first look and the last; one that
 * started over says nothing.
 */
static void add_nodes(struct statement *sql)
{
    statement_add(
        sql,
        "of_nodes AS (SELECT cluster, node, @real(max(cpus)) AS cpus, @latest(cpu_time_us, "
        "\"time\") - @latest(cpu_time_us, -\"time\") AS cpu, @real(max(\"time\") - "
        "min(\"time\")) AS span, @real(@latest(coalesce(mem_used_bytes, "
        "" QUANTITY_SQL_SAMPLED_MEMORY
        "), \"time\")) AS mem, @real(@latest(mem_total_bytes, \"time\")) AS size FROM recent "
        "WHERE kind = 'node' GROUP BY cluster, node), nodes_now AS (SELECT cluster, "
        "@long(count(*)) AS nodes, sum(CASE WHEN span > 0 AND cpu >= 0 AND cpus > 0 THEN cpu / "
        "span END) / sum(CASE WHEN span > 0 AND cpu >= 0 AND cpus > 0 THEN cpus END) AS "
        "cpu_use, sum(CASE WHEN mem >= 0 AND size > 0 THEN mem END) / sum(CASE WHEN mem >= 0 "
        "AND size > 0 THEN size END) AS memory_use FROM of_nodes GROUP BY cluster), ");
}

static void add_cards(struct statement *sql)
{
    statement_add(
        sql,
        "of_cards AS (SELECT cluster, node, command, avg(gpu_util_ppm) / 1e6 AS busy, "
        "max(gpu_util_ppm) AS most, @real(@latest(gpu_mem_bytes, \"time\")) AS mem, "
        "@real(@latest(mem_total_bytes, \"time\")) AS size, @latest(coalesce(job, 0), "
        "\"time\") AS job FROM recent WHERE kind = 'gpu' GROUP BY cluster, node, command), "
        "cards_now AS (SELECT cluster, @long(count(*)) AS gpus, avg(busy) AS gpu_use, sum(CASE "
        "WHEN mem >= 0 AND size > 0 THEN mem END) / sum(CASE WHEN mem >= 0 AND size > 0 THEN "
        "size END) AS memory_use, @long(sum(CASE WHEN job > 0 AND most = 0 THEN 1 ELSE 0 END)) "
        "AS idle FROM of_cards GROUP BY cluster) ");
}

int use_now(struct facts *facts, int64_t now, struct table *out, struct error *err)
{
    struct statement sql;
    struct table found = {0};
    statement_init(&sql);
    statement_add(&sql,
                  "WITH recent AS (SELECT * FROM samples WHERE kind IN ('node', 'gpu') AND "
                  "\"time\" > %" PRId64 " AND \"time\" <= %" PRId64 "), ",
                  now - RECENT_US, now);
    add_nodes(&sql);
    add_cards(&sql);
    statement_add(
        &sql, "SELECT a.cluster, n.nodes, @real(n.cpu_use), @real(n.memory_use), c.gpus, "
              "@real(c.gpu_use), @real(c.memory_use), c.idle FROM (SELECT cluster FROM "
              "nodes_now UNION SELECT cluster FROM cards_now) a LEFT JOIN nodes_now n ON "
              "n.cluster = a.cluster LEFT JOIN cards_now c ON c.cluster = a.cluster ORDER BY "
              "a.cluster");
    int failed = statement_query(facts, &sql, &found, err);
    if (!failed) {
        table_columns(out, headings, COUNT_OF(headings));
        table_copy_rows(&found, out);
    }
    table_release(&found);
    statement_release(&sql);
    return failed;
}
