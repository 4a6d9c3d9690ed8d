/* SPDX-License-Identifier: MIT */
#include "report/queries/sample_energy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/statement.h"
#include "report/sql/quantity.h"
#include "table/table.h"

#define RUNS "energy_runs"

const char *energy_idle_name(size_t idle)
{
    static const char *const names[ENERGY_IDLES] = {
        [ENERGY_IDLE_ALLOCATION] = "allocation",
        [ENERGY_IDLE_USE] = "use",
    };
    return idle < ENERGY_IDLES ? names[idle] : NULL;
}

/* --- which runs --------------------------------------------------------------------------- */

/* Cpus are kept in thousandths: those of a run are divided among its nodes. */
static struct facts_value known(double number)
{
    return number >= 0 ? FACTS_INT(llround(number)) : FACTS_NULL;
}

/* The table of the runs, and from when to when they reach; it is empty where `reach` is. */
static int load_runs(struct facts *facts, const struct energy_held *runs, size_t count,
                     struct period *reach, struct error *err)
{
    static const struct statement_column columns[] = {
        {"run", TYPE_INTEGER},   {"cluster", TYPE_TEXT},       {"job", TYPE_INTEGER},
        {"task", TYPE_INTEGER},  {"own_number", TYPE_INTEGER}, {"began", TYPE_INTEGER},
        {"ended", TYPE_INTEGER}, {"held_milli", TYPE_INTEGER}, {"held_mem", TYPE_INTEGER}};

    enum { COLUMNS = COUNT_OF(columns) };

    struct facts_value *values = mem_alloc(count + 1, COLUMNS * sizeof(*values)), *at = values;
    *reach = (struct period){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < count; i++) {
        const struct use_span *span = &runs[i].span;
        if (!span->has_job || !span->cluster.ptr || span->to <= span->from) {
            continue;
        }
        *at++ = FACTS_INT((int64_t)i);
        *at++ = FACTS_TEXT(span->cluster);
        *at++ = FACTS_INT(span->job);
        *at++ = span->has_task ? FACTS_INT(span->task) : FACTS_NULL;
        *at++ = FACTS_INT(span->own_number);
        *at++ = FACTS_INT(span->from);
        *at++ = FACTS_INT(span->to);
        *at++ = known(runs[i].cpus * 1000);
        *at++ = known(runs[i].mem_bytes);
        reach->from = span->from < reach->from ? span->from : reach->from;
        reach->to = span->to > reach->to ? span->to : reach->to;
    }
    int failed = at > values
                     ? statement_load(facts, IDENTIFIER(RUNS), columns, COLUMNS,
                                      (struct facts_values){values, (size_t)(at - values)}, err)
                     : 0;
    free(values);
    return failed;
}

static void add_reach(struct statement *sql, struct period reach)
{
    statement_add(sql, " AND s.\"time\" >= %" PRId64 " AND s.\"time\" <= %" PRId64, reach.from,
                  reach.to);
}

/* --- processors --------------------------------------------------------------------------- */

/*
 * "of_runs": what each run did on a node between two looks; by its control group, or by its
 * processes where there is none. "of_nodes": the rises of the nodes' counters.
 */
static void add_rises(struct statement *sql, struct period reach)
{
    statement_add(
        sql,
        "WITH looks AS (SELECT u.run AS run, u.held_milli AS held_milli, u.held_mem AS "
        "held_mem, "
        "s.cluster AS cluster, s.node AS node, s.kind AS kind, s.generation AS generation, "
        "s.\"time\" AS moment, @long(sum(s.cpu_time_us)) AS cpu, "
        "@long(sum(" QUANTITY_SQL_SAMPLED_MEMORY ")) AS mem FROM " RUNS
        " u JOIN samples s ON s.cluster = u.cluster AND s.job = u.job AND s.\"time\" >= "
        "u.began AND s.\"time\" <= u.ended WHERE (s.kind IS NULL OR s.kind = 'job') AND "
        "coalesce(s.epoch, 0) = 0 AND " USE_SPAN_SQL_TASK("s"));
    add_reach(sql, reach);
    statement_add(
        sql,
        " GROUP BY ALL), of_runs AS (SELECT *, lag(moment) OVER w AS since, cpu - lag(cpu) "
        "OVER w AS cpu_up, max(CASE WHEN kind = 'job' THEN 1 ELSE 0 END) OVER (PARTITION BY "
        "run, node) AS grouped FROM looks WINDOW w AS (PARTITION BY run, node, kind, "
        "generation ORDER BY moment)), of_nodes AS (SELECT s.cluster AS cluster, s.node AS "
        "node, s.\"time\" AS moment, lag(s.\"time\") OVER w AS since, s.energy_j - "
        "lag(s.energy_j) OVER w AS joules, s.energy_mem_j - lag(s.energy_mem_j) OVER w AS "
        "mem_joules, s.cpu_time_us - lag(s.cpu_time_us) OVER w AS cpu, s.cpus AS cpus, "
        "s.mem_used_bytes AS mem_used, s.mem_total_bytes AS mem_total FROM samples s WHERE "
        "s.kind = 'node' AND s.energy_j IS NOT NULL AND (s.cluster, s.node) IN (SELECT "
        "cluster, node FROM looks)");
    add_reach(sql, reach);
    statement_add(sql, " WINDOW w AS (PARTITION BY s.cluster, s.node, s.generation, "
                       "s.energy_generation ORDER BY s.\"time\"))");
}

/*
 * "shares": the rises of a node, and what share of it a run has. Of the cpus' time, and of the
 * memory, that was used: `worked` and `filled`; of all cpu time and memory that is used:
 * `of_work` and `of_used`; of what is allocated to anybody or nobody: `holds` and `holds_mem`.
 */
static void add_shares(struct statement *sql)
{
    statement_add(
        sql,
        ", shares AS (SELECT r.run, r.node, r.since, r.moment, n.joules - "
        "coalesce(n.mem_joules, 0) AS joules, coalesce(n.mem_joules, 0) AS mem_joules, "
        "CASE WHEN n.cpu > 0 THEN least(1.0, @real(r.cpu_up) / n.cpu) ELSE 0 END AS of_work, "
        "least(1.0, @real(n.cpu) / nullif(n.cpus * (n.moment - n.since), 0)) AS worked, "
        "least(1.0, @real(r.held_milli) / nullif(n.cpus * 1000, 0)) AS holds, least(1.0, "
        "@real(r.mem) / "
        "nullif(n.mem_used, 0)) AS of_used, least(1.0, @real(n.mem_used) / "
        "nullif(n.mem_total, 0)) AS filled, least(1.0, @real(r.held_mem) / "
        "nullif(n.mem_total, 0)) AS holds_mem FROM of_runs r JOIN of_nodes n ON n.cluster = "
        "r.cluster AND n.node = "
        "r.node AND n.moment = r.moment AND n.since = r.since WHERE (r.kind = 'job' OR "
        "r.grouped = 0) AND r.cpu_up >= 0 AND n.joules >= 0 AND n.cpu >= 0 AND "
        "coalesce(n.mem_joules, 0) BETWEEN 0 AND n.joules)");
}

/*
 * "parts": joules of each run on a node between two looks. What of the rule is not known is
 * divided by use.
 */
static void add_processors(struct statement *sql, enum energy_idle idle)
{
    add_shares(sql);
    statement_add(sql, ", parts AS (SELECT run, node, since, moment, ");
    if (idle == ENERGY_IDLE_ALLOCATION) {
        statement_add(
            sql,
            "joules * coalesce(worked * of_work + (1 - worked) * holds, of_work) + mem_joules "
            "* coalesce(filled * of_used + (1 - filled) * coalesce(holds_mem, holds), of_used, "
            "of_work) AS joules FROM shares)");
    } else {
        statement_add(sql, "joules * of_work + mem_joules * coalesce(of_used, of_work) AS "
                           "joules FROM shares)");
    }
}

/* --- cards -------------------------------------------------------------------------------- */

/*
 * Rises of cards that one job held at both looks. The counter of a card is not read at every
 * look: its rises are between two readings, and of one at whose end another job holds the card,
 * a job has the part up to the last look at which it was there.
 */
static void add_cards(struct statement *sql, struct period reach)
{
    statement_add(sql,
                  "WITH looks_at_cards AS (SELECT s.cluster AS cluster, s.node AS node, "
                  "s.command AS command, s.job AS job, s.task AS task, s.\"time\" AS \"time\", "
                  "s.energy_j AS energy_j, lag(s.job) OVER w AS job_before, lag(s.task) OVER w "
                  "AS task_before, lag(s.\"time\") OVER w AS look_before FROM samples s WHERE "
                  "s.kind = 'gpu' AND (s.cluster, s.command) IN (SELECT g.cluster, g.command "
                  "FROM samples g JOIN " RUNS " u ON g.cluster = u.cluster AND g.job = u.job "
                  "WHERE g.kind = 'gpu' AND g.\"time\" >= %" PRId64
                  " AND g.\"time\" <= %" PRId64 ")",
                  reach.from, reach.to);
    add_reach(sql, reach);
    statement_add(
        sql,
        " WINDOW w AS (PARTITION BY s.cluster, s.node, s.command ORDER BY s.\"time\")), "
        "readings AS (SELECT cluster, node, job AS job_now, task AS task_now, job_before, "
        "task_before, look_before, lag(job) OVER w AS job, lag(task) OVER w AS task, "
        "lag(\"time\") OVER w AS since, \"time\" AS read_at, energy_j - lag(energy_j) OVER w "
        "AS joules FROM looks_at_cards WHERE energy_j IS NOT NULL WINDOW w AS (PARTITION BY "
        "cluster, node, command ORDER BY \"time\")), of_cards AS (SELECT cluster, node, job, "
        "task, since, read_at AS moment, @real(joules) AS joules FROM readings WHERE job_now = "
        "job AND coalesce(task_now, -1) = coalesce(task, -1) UNION ALL SELECT cluster, node, "
        "job, task, "
        "since, look_before, joules * (@real(look_before - since) / (read_at - since)) FROM "
        "readings WHERE job_before = job AND coalesce(task_before, -1) = coalesce(task, -1) "
        "AND NOT "
        "(coalesce(job_now, 0) = job AND coalesce(task_now, -1) = coalesce(task, -1)) AND "
        "look_before > "
        "since), parts AS (SELECT u.run AS run, c.node AS node, c.since AS since, c.moment AS "
        "moment, c.joules AS joules FROM " RUNS
        " u JOIN of_cards c ON c.cluster = u.cluster AND c.job = u.job AND " USE_SPAN_SQL_TASK(
            "c") " AND c.since >= u.began AND c.moment <= u.ended "
                 "WHERE c.joules >= 0)");
}

/* --- sums --------------------------------------------------------------------------------- */

enum sum_column { RUN, NODES, JOULES, TIME, WINDOW_JOULES, WINDOW_TIME };

/* Of "parts", by run: all of them, and what of each lies in the window. */
static void add_sums(struct statement *sql, struct period window)
{
    statement_add(sql,
                  ", cut AS (SELECT *, moment - since AS length, greatest(0, least(moment, "
                  "%" PRId64 ") - greatest(since, %" PRId64
                  ")) AS within FROM parts WHERE moment > since AND joules IS NOT NULL) SELECT "
                  "run, @long(count(DISTINCT node)), @real(sum(joules)), @real(sum(length)), "
                  "@real(sum(joules * (@real(within) / length))), @real(sum(within)) FROM cut "
                  "GROUP BY run ORDER BY run",
                  window.to, window.from);
}

static void keep_sums(const struct table *sums, bool cards, struct energy_seen *out)
{
    for (size_t row = 0; row < sums->row_count; row++) {
        struct energy_seen *seen = &out[sums->columns[RUN].cells[row].integer];
        *(cards ? &seen->cards : &seen->processors) = (struct energy_count){
            table_real(sums, JOULES, row), table_real(sums, TIME, row),
            table_real(sums, WINDOW_JOULES, row), table_real(sums, WINDOW_TIME, row)};
        seen->nodes = cards ? seen->nodes : sums->columns[NODES].cells[row].integer;
    }
}

static int query_energy(struct facts *facts, struct period reach, struct period window,
                        enum energy_idle idle, bool cards, struct energy_seen *out,
                        struct error *err)
{
    struct statement sql;
    struct table sums = {0};
    statement_init(&sql);
    if (cards) {
        add_cards(&sql, reach);
    } else {
        add_rises(&sql, reach);
        add_processors(&sql, idle);
    }
    add_sums(&sql, window);
    int failed = statement_query(facts, &sql, &sums, err);
    if (!failed) {
        keep_sums(&sums, cards, out);
    }
    table_release(&sums);
    statement_release(&sql);
    return failed;
}

int energy_read(struct facts *facts, const struct energy_held *runs, size_t count,
                struct period window, enum energy_idle idle, struct energy_seen *out,
                struct error *err)
{
    struct period reach;
    for (size_t i = 0; i < count; i++) {
        out[i] = (struct energy_seen){0};
    }
    int failed = load_runs(facts, runs, count, &reach, err);
    if (!failed && reach.from < reach.to) {
        failed = query_energy(facts, reach, window, idle, false, out, err);
    }
    if (!failed && reach.from < reach.to) {
        failed = query_energy(facts, reach, window, idle, true, out, err);
    }
    return failed;
}
