/* SPDX-License-Identifier: MIT */
#include "report/queries/unattributed.h"

#include <inttypes.h>

#include "facts/statement.h"

bool unattributed_fits(const struct sample_listing *question)
{
    for (size_t i = 0; i < question->filter.count; i++) {
        const struct field *field = question->filter.conditions[i].field;
        if (field != &sample_fields[SAMPLE_cluster] && field != &sample_fields[SAMPLE_node]) {
            return false;
        }
    }
    return true;
}

/*
 * "counted": counters of jobs and of what holds them; "looks": from when to when the latter
 * were read on each node.
 */
static void add_counted(struct statement *sql, const struct sample_listing *q)
{
    statement_add(sql, "WITH counted AS (SELECT coalesce(cluster, '') AS site, node, kind, "
                       "scope, job, task, generation, \"time\", cpu_time_us AS cpu FROM "
                       "samples WHERE (kind = 'jobs' OR (kind = 'job' AND job > 0 AND "
                       "coalesce(epoch, 0) = 0)) AND cpu_time_us IS NOT NULL");
    if (q->period.from < q->period.to) {
        statement_add(sql, " AND \"time\" >= %" PRId64 " AND \"time\" < %" PRId64,
                      q->period.from, q->period.to);
    }
    filter_sql(&q->filter, q->zone, q->now, sql);
    statement_add(sql,
                  "), looks AS (SELECT site, node, min(\"time\") AS earliest, max(\"time\") AS "
                  "latest FROM counted WHERE kind = 'jobs' GROUP BY 1, 2)");
}

int unattributed_ask(struct facts *facts, const struct sample_listing *question,
                     struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    add_counted(&sql, question);
    /* What is first seen after the first look has begun since the look before. */
    statement_add(
        &sql,
        ", readings AS (SELECT c.*, l.earliest, l.latest, lag(cpu) OVER w AS cpu_before FROM "
        "counted c JOIN looks l ON l.site = c.site AND l.node = c.node WHERE c.\"time\" >= "
        "l.earliest AND c.\"time\" <= l.latest WINDOW w AS (PARTITION BY c.site, c.node, kind, "
        "scope, job, task, generation ORDER BY \"time\")), rises AS (SELECT site, node, kind, "
        "earliest, latest, CASE WHEN cpu_before IS NULL AND \"time\" = earliest THEN 0 WHEN "
        "cpu_before IS NULL OR cpu < cpu_before THEN cpu ELSE cpu - cpu_before END AS rise "
        "FROM readings) SELECT nullif(site, ''), node, min(earliest), max(latest), "
        "@long(greatest(sum(CASE WHEN kind = 'jobs' THEN rise ELSE -rise END), 0)), "
        "@long(sum(CASE WHEN kind = 'jobs' THEN rise ELSE 0 END)) FROM rises GROUP BY site, "
        "node ORDER BY site, node");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}
