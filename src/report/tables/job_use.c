/* SPDX-License-Identifier: MIT */
#include "report/tables/job_use.h"

#include <inttypes.h>

#include "facts/statement.h"
#include "report/sql/quantity.h"

/* " WHERE ..." the samples of the run. */
static void add_condition(struct statement *sql, const struct job_use_question *q)
{
    statement_add(sql, " WHERE cluster = ");
    statement_bind(sql, FACTS_TEXT(q->cluster));
    statement_add(sql,
                  " AND job = %" PRId64 " AND coalesce(epoch, 0) = 0 AND \"time\" >= %" PRId64
                  " AND \"time\" <= %" PRId64,
                  q->job, q->during.from, q->during.to);
    if (q->has_task) {
        statement_add(sql, " AND coalesce(task, %" PRId64 ") = %" PRId64, q->task, q->task);
    }
}

/* "looks": a row for each node, moment and basis, of which only the better one of a node is left. Memory that the kernel does not
 * count for control groups is that of the processes. Of the nodes that have it all the processes, which are many, are not added up. */
static void add_looks(struct statement *sql, const struct job_use_question *q)
{
    statement_add(sql, "WITH counted AS (SELECT node AS own FROM samples");
    add_condition(sql, q);
    statement_add(
        sql,
        " AND kind = 'job' GROUP BY node HAVING count(*) = count(" QUANTITY_SQL_SAMPLED_MEMORY
        ")), readings AS (SELECT node, \"time\" AS moment, kind, @long(sum(cpu_time_us)) AS "
        "cpu, "
        "@long(sum(" QUANTITY_SQL_SAMPLED_MEMORY
        ")) AS own_mem, coalesce(@long(sum(" QUANTITY_SQL_SAMPLED_MEMORY
        ")), max(@long(sum(" QUANTITY_SQL_SAMPLED_MEMORY
        "))) OVER (PARTITION BY node, \"time\")) AS mem, "
        "@long(sum(read_bytes)) AS bytes_in, @long(sum(written_bytes)) AS bytes_out, "
        "@long(sum(throttled_us)) AS throttled, @long(sum(oom_kills)) AS kills, "
        "@long(sum(io_stall_us)) AS io_stall, @long(sum(mem_stall_us)) AS mem_stall FROM "
        "samples");
    add_condition(sql, q);
    statement_add(
        sql,
        " AND (kind = 'job' OR (kind IS NULL AND node NOT IN (SELECT own FROM counted))) "
        "GROUP BY node, \"time\", kind), grouped AS "
        "(SELECT DISTINCT node AS own FROM readings WHERE kind = 'job'), looks AS (SELECT * "
        "FROM readings WHERE kind = 'job' OR node NOT IN (SELECT own FROM grouped))");
}

int job_use_nodes(struct facts *facts, const struct job_use_question *question,
                  struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    add_looks(&sql, question);
    /* A counter of processes falls when one of them ends: what it had reached counts. */
    statement_add(
        &sql, " SELECT node, CASE WHEN max(kind) = 'job' THEN 'cgroup' ELSE 'processes' END, "
              "@long(count(*)), min(moment), max(moment), max(cpu), max(mem), max(bytes_in), "
              "max(bytes_out), max(throttled), max(kills), max(io_stall), max(mem_stall), CASE "
              "WHEN max(kind) = 'job' AND "
              "count(own_mem) > 0 THEN 'cgroup' ELSE 'processes' END FROM looks "
              "GROUP BY node ORDER BY "
              "node");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

int job_use_cards(struct facts *facts, const struct job_use_question *question,
                  struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(
        &sql,
        "SELECT node, max(gpus), command, @long(count(*)), @real(avg(gpu_util_ppm)) / 1e6, "
        "max(gpu_mem_bytes), max(mem_total_bytes), max(energy_j) - min(energy_j) FROM "
        "samples");
    add_condition(&sql, question);
    statement_add(&sql,
                  " AND kind = 'gpu' GROUP BY node, command ORDER BY node, max(gpus), command");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

/* --- over time ------------------------------------------------------------------------------------- */

/*
 * A counter's rise in a stretch is from the last look before it to its last look, over the time between these two, so that
 * stretches need not have the same number of looks. Of the first one, from the beginning of the run.
 */
static void add_timeline(struct statement *sql, const struct job_use_question *q, int64_t width)
{
    add_looks(sql, q);
    statement_add(
        sql,
        ", slotted AS (SELECT node, @slot(moment, %" PRId64 ", %" PRId64
        ") AS slot, max(moment) AS seen_at, @latest(cpu, moment) AS cpu, max(mem) AS mem, "
        "@latest(bytes_in, moment) AS bytes_in, @latest(bytes_out, moment) AS bytes_out FROM "
        "looks "
        "GROUP BY 1, 2), ",
        q->during.from, width);
    statement_add(
        sql,
        "risen AS (SELECT slot, mem, @real(seen_at - coalesce(lag(seen_at) OVER earlier, "
        "%" PRId64 ")) AS span, cpu - coalesce(lag(cpu) OVER earlier, 0) AS cpu, bytes_in - "
        "coalesce(lag(bytes_in) OVER earlier, 0) AS bytes_in, bytes_out - "
        "coalesce(lag(bytes_out) OVER earlier, 0) AS bytes_out FROM slotted WINDOW earlier "
        "AS (PARTITION BY node ORDER BY slot)), ",
        q->during.from);
    statement_add(
        sql,
        "processors AS (SELECT slot, sum(CASE WHEN cpu >= 0 AND span > 0 THEN cpu / span "
        "END) AS cpus, @long(sum(mem)) AS mem, sum(CASE WHEN bytes_in >= 0 AND span > 0 THEN "
        "bytes_in / span * 1e6 END) AS bytes_in, sum(CASE WHEN bytes_out >= 0 AND span > 0 "
        "THEN bytes_out / span * 1e6 END) AS bytes_out FROM risen GROUP BY slot), ");
    statement_add(
        sql,
        "each_card AS (SELECT @slot(\"time\", %" PRId64 ", %" PRId64
        ") AS slot, node, command, avg(gpu_util_ppm) AS busy, max(gpu_mem_bytes) AS mem "
        "FROM samples",
        q->during.from, width);
    add_condition(sql, q);
    statement_add(
        sql,
        " AND kind = 'gpu' GROUP BY 1, 2, 3), cards AS (SELECT slot, sum(busy) / 1e6 AS "
        "gpus, @long(sum(mem)) AS mem FROM each_card GROUP BY slot), every_slot AS (SELECT "
        "slot "
        "FROM processors UNION SELECT slot FROM cards) SELECT @long(%" PRId64
        " + a.slot * %" PRId64
        "), @real(p.cpus), p.mem, @real(c.gpus), c.mem, @long(round(p.bytes_in)), "
        "@long(round(p.bytes_out)) FROM every_slot a LEFT JOIN processors p ON p.slot = a.slot "
        "LEFT "
        "JOIN cards c ON c.slot = a.slot ORDER BY a.slot",
        q->during.from, width);
}

static const struct heading timeline_headings[] = {
    {"time", "Time", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
    {"cpus_at_work", "CPUs", CELL_REAL, UNIT_NONE, COLUMN_MEASURE},
    {"memory", "Memory", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    {"gpus_at_work", "GPUs", CELL_REAL, UNIT_NONE, COLUMN_MEASURE},
    {"gpu_memory", "GPU memory", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    {"read_rate", "Read/s", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    {"write_rate", "Written/s", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
};

int job_use_timeline(struct facts *facts, const struct job_use_question *question, size_t slots,
                     struct table *out, struct error *err)
{
    const int64_t length = question->during.to - question->during.from;
    const int64_t width = length / (int64_t)slots + 1;
    struct statement sql;
    struct table found = {0};
    statement_init(&sql);
    add_timeline(&sql, question, width);
    int failed = statement_query(facts, &sql, &found, err);
    if (!failed) {
        table_columns(out, timeline_headings, COUNT_OF(timeline_headings));
        table_picture(out, 0, "Time", false);
        table_copy_rows(&found, out);
    }
    table_release(&found);
    statement_release(&sql);
    return failed;
}
