/* SPDX-License-Identifier: MIT */
#include "report/tables/energy.h"

#include <inttypes.h>

#include "base/zone.h"
#include "facts/statement.h"

/* Looks before and after the period whose rises reach into it; old samples are an hour apart. */
#define MARGIN_US (2 * HOUR_US)

struct asked {
    struct period period;
    const struct energy_job *only;
};

/* Whose looks, of one job: its own, or those of the nodes or cards it was seen on. */
enum whose { OF_JOBS, OF_NODES, OF_CARDS };

/* Looks in the period and around it. */
static void add_looks(struct statement *sql, const struct asked *asked, enum whose whose)
{
    const int64_t from = asked->period.from - MARGIN_US, to = asked->period.to + MARGIN_US;
    statement_add(sql, "\"time\" >= %" PRId64 " AND \"time\" < %" PRId64, from, to);
    if (!asked->only) {
        return;
    }
    statement_add(sql, " AND cluster = ");
    statement_bind(sql, FACTS_TEXT(asked->only->cluster));
    if (whose == OF_JOBS) {
        statement_add(sql, " AND job = %" PRId64, asked->only->job);
        return;
    }
    statement_add(sql, whose == OF_NODES
                           ? " AND node IN (SELECT node FROM samples WHERE cluster = "
                           : " AND command IN (SELECT command FROM samples WHERE cluster = ");
    statement_bind(sql, FACTS_TEXT(asked->only->cluster));
    statement_add(sql,
                  " AND job = %" PRId64 " AND kind IN ('job', 'gpu') AND \"time\" >= %" PRId64
                  " AND \"time\" < %" PRId64 ")",
                  asked->only->job, from, to);
}

/*
 * Rises of counters between two looks: of nodes, of jobs on them, and of cards that one job held at both. The counter of a card is not read at every look: its
 * rises are between two readings, and of one at whose end another job holds the card, a job has the part up to the last look at which it was there.
 */
static void add_rises(struct statement *sql, const struct asked *asked)
{
    statement_add(sql, "WITH of_nodes AS (SELECT cluster, node, \"time\" AS moment, energy_j - "
                       "lag(energy_j) OVER w AS joules, cpu_time_us - lag(cpu_time_us) OVER w "
                       "AS cpu FROM samples WHERE kind = 'node' AND ");
    add_looks(sql, asked, OF_NODES);
    statement_add(sql,
                  " WINDOW w AS (PARTITION BY cluster, node ORDER BY \"time\")), of_jobs "
                  "AS (SELECT cluster, node, job, task, lag(\"time\") OVER w AS since, "
                  "\"time\" AS moment, cpu_time_us - lag(cpu_time_us) OVER w AS cpu FROM "
                  "samples WHERE kind = 'job' AND job > 0 AND coalesce(epoch, 0) = 0 AND ");
    add_looks(sql, asked, OF_JOBS);
    statement_add(sql,
                  " WINDOW w AS (PARTITION BY cluster, node, job, task ORDER BY \"time\")), "
                  "looks_at_cards AS (SELECT cluster, node, command, job, task, \"time\", "
                  "energy_j, lag(job) OVER w AS job_before, lag(\"time\") OVER w AS "
                  "look_before FROM samples WHERE kind = 'gpu' AND ");
    add_looks(sql, asked, OF_CARDS);
    statement_add(
        sql,
        " WINDOW w AS (PARTITION BY cluster, node, command ORDER BY \"time\")), readings AS "
        "(SELECT cluster, job AS job_now, job_before, look_before, lag(job) OVER w AS job, "
        "lag(task) OVER w AS task, lag(\"time\") OVER w AS since, \"time\" AS read_at, "
        "energy_j - lag(energy_j) OVER w AS joules FROM looks_at_cards WHERE energy_j IS NOT "
        "NULL WINDOW w AS (PARTITION BY cluster, node, command ORDER BY \"time\")), of_cards "
        "AS (SELECT cluster, job, task, since, read_at AS moment, joules FROM readings WHERE "
        "job > 0 AND job_now = job UNION ALL SELECT cluster, job, task, since, look_before, "
        "joules * (@real(look_before - since) / (read_at - since)) FROM readings WHERE job > 0 "
        "AND job_before = job AND coalesce(job_now, 0) <> job AND look_before > since)");
}

/* "parts": what each job has of the rises, with the time that they took. */
static void add_parts(struct statement *sql)
{
    statement_add(
        sql,
        ", parts AS (SELECT j.cluster, j.job, j.task, j.since, j.moment, NULL AS card, CASE "
        "WHEN n.joules >= 0 AND n.cpu > 0 AND j.cpu >= 0 THEN n.joules * least(1.0, "
        "@real(j.cpu) / n.cpu) END AS processors FROM of_jobs j LEFT JOIN of_nodes n ON "
        "n.cluster = j.cluster AND n.node = j.node AND n.moment = j.moment UNION ALL SELECT "
        "cluster, job, task, since, moment, CASE WHEN joules >= 0 THEN joules END, NULL FROM "
        "of_cards)");
}

int energy_use(struct facts *facts, struct period period, const struct energy_job *only,
               struct table *out, struct error *err)
{
    const struct asked asked = {period, only};
    struct statement sql;
    statement_init(&sql);
    add_rises(&sql, &asked);
    add_parts(&sql);
    statement_add(&sql,
                  ", cut AS (SELECT *, greatest(since, %" PRId64
                  ") AS lower, least(moment, %" PRId64
                  ") AS upper FROM parts WHERE since < moment AND since < %" PRId64
                  " AND moment > %" PRId64,
                  period.from, period.to, period.to, period.from);
    if (only) {
        statement_add(&sql, " AND job = %" PRId64, only->job);
    }
    statement_add(
        &sql, "), shares AS (SELECT *, @real(upper - lower) / (moment - since) AS share FROM "
              "cut) SELECT cluster, job, task, min(lower), max(upper), @real(sum(card * "
              "share)), @real(sum(processors * share)) FROM shares GROUP BY cluster, job, task "
              "ORDER BY cluster, job, task");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}
