/* SPDX-License-Identifier: MIT */
#include "report/queries/sample_jobs.h"

#include <inttypes.h>

#include "facts/statement.h"

static void add_period(struct statement *sql, const struct sample_listing *q)
{
    if (q->period.from < q->period.to) {
        statement_add(sql, " AND \"time\" >= %" PRId64 " AND \"time\" < %" PRId64,
                      q->period.from, q->period.to);
    }
}

/*
 * "picked": the samples, with what distinguishes jobs; "newest": the last sample of each node,
 * whatever it is of.
 */
static void add_picked(struct statement *sql, const struct sample_listing *q)
{
    statement_add(sql, "WITH picked AS (SELECT *, coalesce(cluster, '') AS site, CASE WHEN "
                       "epoch = 0 THEN '' ELSE node END AS place, coalesce(epoch, -1) AS era "
                       "FROM samples WHERE job IS NOT NULL AND kind IS NULL");
    add_period(sql, q);
    filter_sql(&q->filter, q->zone, q->now, sql);
    statement_add(sql, "), newest AS (SELECT coalesce(cluster, '') AS site, node, "
                       "max(\"time\") AS at FROM samples WHERE true");
    add_period(sql, q);
    statement_add(sql, " GROUP BY 1, 2)");
}

/* "memory" and "processors": what each job used. */
static void add_used(struct statement *sql)
{
    statement_add(
        sql,
        ", moments AS (SELECT site, place, era, job, node, \"time\", sum(rss_bytes) AS "
        "rss, sum(vmem_bytes) AS vmem FROM picked GROUP BY 1, 2, 3, 4, 5, 6), peaks AS "
        "(SELECT site, place, era, job, node, max(rss) AS rss, max(vmem) AS vmem FROM "
        "moments GROUP BY 1, 2, 3, 4, 5), memory AS (SELECT site, place, era, job, "
        "@long(sum(rss)) AS rss, @long(sum(vmem)) AS vmem FROM peaks GROUP BY 1, 2, 3, 4)");
    statement_add(sql,
                  ", counted AS (SELECT site, place, era, job, node, pid, ppid, command, "
                  "max(cpu_time_us) AS cpu FROM picked GROUP BY 1, 2, 3, 4, 5, 6, 7, 8), "
                  "processors AS (SELECT site, place, era, job, @long(sum(cpu)) AS cpu FROM "
                  "counted GROUP BY 1, 2, 3, 4)");
}

static const struct heading headings[] = {
    [SAMPLE_JOBS_JOB] = {"job", "Job", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
    [SAMPLE_JOBS_CLUSTER] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SAMPLE_JOBS_NODES] = {"nodes", "Nodes", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SAMPLE_JOBS_USER] = {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SAMPLE_JOBS_COMMANDS] = {"commands", "Commands", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SAMPLE_JOBS_STATE] = {"state", "State", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SAMPLE_JOBS_FIRST] = {"first", "First", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
    [SAMPLE_JOBS_LAST] = {"last", "Last", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
    [SAMPLE_JOBS_CPU_TIME] = {"cpu_time", "CPU time", CELL_INT, UNIT_SECONDS, COLUMN_MEASURE},
    [SAMPLE_JOBS_RSS] = {"rss", "Resident", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    [SAMPLE_JOBS_VMEM] = {"vmem", "Virtual", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
};

int sample_jobs_ask(struct facts *facts, const struct sample_listing *question,
                    struct table *out, struct error *err)
{
    struct statement sql;
    struct table found = {0};
    statement_init(&sql);
    add_picked(&sql, question);
    add_used(&sql);
    statement_add(
        &sql,
        ", seen AS (SELECT p.site, p.place, p.era, p.job, string_agg(DISTINCT p.node, ',' "
        "ORDER BY p.node) AS nodes, max(p.\"user\") AS login, string_agg(DISTINCT p.command, "
        "',' ORDER BY p.command) AS commands, max(CASE WHEN p.\"time\" = n.at THEN 1 ELSE 0 "
        "END) AS running, min(p.\"time\") AS earliest, max(p.\"time\") AS latest FROM picked p "
        "JOIN newest n ON n.site = p.site AND n.node = p.node GROUP BY 1, 2, 3, 4) ");
    statement_add(
        &sql,
        "SELECT s.job, nullif(s.site, ''), s.nodes, s.login, s.commands, CASE WHEN "
        "s.running = 1 THEN 'running' ELSE 'ended' END, s.earliest, s.latest, c.cpu, "
        "m.rss, m.vmem FROM seen s JOIN memory m USING (site, place, era, job) JOIN "
        "processors c USING (site, place, era, job) ORDER BY s.latest DESC, s.job, s.nodes");
    if (question->limit > 0) {
        statement_add(&sql, " LIMIT %" PRId64, question->limit);
    }
    int failed = statement_query(facts, &sql, &found, err);
    if (!failed) {
        table_columns(out, headings, COUNT_OF(headings));
        table_copy_rows(&found, out);
    }
    table_release(&found);
    statement_release(&sql);
    return failed;
}
