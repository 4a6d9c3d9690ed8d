/* SPDX-License-Identifier: MIT */
#include "report/use/use_streams.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/sql/quantity.h"

#define RUNS "use_spans"

/* --- which samples ------------------------------------------------------------------------ */

static bool can_have_samples(const struct use_span *span)
{
    return span->has_job && span->cluster.ptr && span->to > span->from;
}

int use_streams_load(struct facts *facts, const struct use_span *spans, size_t count,
                     struct period *reach, bool *any, struct error *err)
{
    static const struct statement_column columns[] = {
        {"run", TYPE_INTEGER},  {"cluster", TYPE_TEXT},       {"job", TYPE_INTEGER},
        {"task", TYPE_INTEGER}, {"own_number", TYPE_INTEGER}, {"began", TYPE_INTEGER},
        {"ended", TYPE_INTEGER}};

    enum { COLUMNS = COUNT_OF(columns) };

    struct facts_value *values = mem_alloc(count + 1, COLUMNS * sizeof(*values)), *at = values;
    int failed = 0;
    *reach = (struct period){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < count; i++) {
        const struct use_span *span = &spans[i];
        if (!can_have_samples(span)) {
            continue;
        }
        *at++ = FACTS_INT((int64_t)i);
        *at++ = FACTS_TEXT(span->cluster);
        *at++ = FACTS_INT(span->job);
        *at++ = span->has_task ? FACTS_INT(span->task) : FACTS_NULL;
        *at++ = FACTS_INT(span->own_number);
        *at++ = FACTS_INT(span->from);
        *at++ = FACTS_INT(span->to);
        reach->from = span->from < reach->from ? span->from : reach->from;
        reach->to = span->to > reach->to ? span->to : reach->to;
    }
    *any = at > values;
    if (*any) {
        failed = statement_load(facts, IDENTIFIER(RUNS), columns, COLUMNS,
                                (struct facts_values){values, (size_t)(at - values)}, err);
    }
    free(values);
    return failed;
}

/* --- looks and their intervals ------------------------------------------------------------ */

/* Counters of a node: what each is called here, and the column it is the sum of. */
#define COUNTERS(X)                                                                            \
    X(cpu, cpu_time_us)                                                                        \
    X(bytes_in, read_bytes)                                                                    \
    X(bytes_out, written_bytes)                                                                \
    X(throttled, throttled_us)                                                                 \
    X(kills, oom_kills)                                                                        \
    X(io_stall, io_stall_us)                                                                   \
    X(mem_stall, mem_stall_us)                                                                 \
    X(cpu_stall, cpu_stall_us)

#define SUM_OF(name, column) ", @long(sum(s." #column ")) AS " #name

/*
 * The rise of a counter. In one life of a control group it is what the counter has more than at
 * all looks before: one that is dated ahead, by a clock that was set, does not make it fall.
 * Where its life is not known, a counter that fell began again. At the first look of a life the
 * rise is the value; where the sum over processes fell, it is 0.
 */
#define RISE_OF(name, column)                                                                  \
    ", CASE WHEN " #name                                                                       \
    " IS NULL THEN NULL WHEN kind = 'job' AND life IS NOT NULL THEN greatest(0, " #name        \
    " - coalesce(max(" #name                                                                   \
    ") OVER l, 0)) WHEN lag(moment) OVER w IS NULL OR (kind = 'job' AND " #name                \
    " < lag(" #name ") OVER w) THEN " #name " WHEN " #name " >= lag(" #name                    \
    ") OVER w THEN " #name " - lag(" #name ") OVER w WHEN " #name " < lag(" #name              \
    ") OVER w THEN 0 END AS " #name "_up"

/*
 * Whether a look is in order: no look of the same life before it has a higher counter, none
 * after it a lower one. By a clock that was set, looks stand at other moments than they were
 * made.
 */
#define ORDERED                                                                                \
    ", NOT coalesce(kind = 'job' AND life IS NOT NULL AND (cpu < max(cpu) OVER l OR cpu > "    \
    "min(cpu) OVER a), false) AS ordered"

/* What differs between looks at nodes and at cards. */
static const struct source {
    struct expression stream; /* which of several at one node */
    struct expression values; /* of all samples of one moment */
    struct expression rises;  /* over windows of a stream: w of all looks, l and a of a life */
    struct expression picks;  /* which samples */
} sources[] = {
    [USE_STREAM_NODES] = {{"coalesce(s.kind, 'processes ' || coalesce(s.version, ''))"},
                          {", s.kind AS kind, CASE WHEN min(s.generation) = max(s.generation) "
                           "THEN max(s.generation) END AS life, "
                           "@long(sum(" QUANTITY_SQL_SAMPLED_MEMORY ")) AS mem, "
                           "@long(sum(s.mem_peak_bytes)) AS kept, @long(sum(s.mem_file_bytes - "
                           "coalesce(s.mem_shmem_bytes, 0))) AS cache" COUNTERS(SUM_OF)},
                          {COUNTERS(RISE_OF) ORDERED},
                          {"(s.kind IS NULL OR s.kind = 'job')"}},
    [USE_STREAM_CARDS] = {{"s.command"},
                          {", max(s.gpus) AS place, max(s.gpu_util_ppm) AS busy, "
                           "max(s.gpu_mem_bytes) AS mem, max(s.mem_total_bytes) AS size, "
                           "0 AS life"},
                          {", true AS ordered"},
                          {"s.kind = 'gpu' AND (s.gpu_util_ppm IS NOT NULL OR s.gpu_mem_bytes "
                           "IS NOT NULL)"}},
};

/*
 * "looks": a row for each moment of a stream. The bounds of all runs let the engine skip other
 * times.
 */
static void add_looks(struct statement *sql, const struct source *source, struct period reach)
{
    statement_add(sql,
                  "WITH looks AS (SELECT u.run AS run, u.began AS began, s.node AS node, ");
    statement_expression(sql, source->stream);
    statement_add(sql, " AS stream, s.\"time\" AS moment");
    statement_expression(sql, source->values);
    statement_add(sql,
                  " FROM " RUNS
                  " u JOIN samples s ON s.cluster = u.cluster AND s.job = u.job AND "
                  "s.\"time\" >= u.began AND s.\"time\" <= u.ended WHERE s.\"time\" >= %" PRId64
                  " AND s.\"time\" <= %" PRId64
                  " AND coalesce(s.epoch, 0) = 0 AND " USE_SPAN_SQL_TASK("s") " AND ",
                  reach.from, reach.to);
    statement_expression(sql, source->picks);
    statement_add(sql, " GROUP BY ALL), ");
}

void use_streams_add(struct statement *sql, enum use_stream of, struct period reach)
{
    const struct source *source = &sources[of];
    add_looks(sql, source, reach);
    statement_add(sql, "steps AS (SELECT *, coalesce(lag(moment) OVER w, began) AS since, "
                       "moment - lag(moment) OVER w AS between");
    statement_expression(sql, source->rises);
    statement_add(
        sql, " FROM looks WINDOW w AS (PARTITION BY run, node, stream ORDER BY moment), l AS "
             "(PARTITION BY run, node, stream, life ORDER BY moment ROWS BETWEEN UNBOUNDED "
             "PRECEDING AND 1 PRECEDING), a AS (PARTITION BY run, node, stream, life ORDER BY "
             "moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)");
    statement_add(
        sql,
        "), timed AS "
        "(SELECT *, moment - since AS gap, @quantile(between, 0.5) OVER (PARTITION BY run, "
        "node, stream) AS usual, ordered AND coalesce(lag(ordered) OVER (PARTITION BY run, "
        "node, stream ORDER BY moment), true) AS dated FROM steps), spans AS (SELECT *, gap "
        "<= greatest(%d * coalesce(usual, 0), %" PRId64 ") AS joined FROM timed)",
        USE_GAP_TIMES, USE_GAP_LEAST_US);
}

/* --- answers ------------------------------------------------------------------------------ */

double use_streams_number(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? table_real(table, column, row) : -1;
}

int64_t use_streams_whole(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? (int64_t)table_wide(table, column, row) : 0;
}

struct str use_streams_text(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? table->columns[column].cells[row].text
                                         : (struct str){0};
}
