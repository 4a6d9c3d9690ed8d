/* SPDX-License-Identifier: MIT */
#include "report/use/use_timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/statement.h"
#include "report/use/use_streams.h"

#define CHOSEN "use_chosen"

/* The table of the streams that have the cpu time, memory and bytes of each node. */
static int load_chosen(struct facts *facts, const struct use_looks *looks, struct error *err)
{
    static const struct statement_column columns[] = {{"host", TYPE_TEXT},
                                                      {"cpu_stream", TYPE_TEXT},
                                                      {"mem_stream", TYPE_TEXT},
                                                      {"io_stream", TYPE_TEXT}};

    enum { COLUMNS = COUNT_OF(columns) };

    const size_t count = looks->node_count * COLUMNS;
    struct facts_value *values = mem_alloc(count + 1, sizeof(*values)), *at = values;
    for (size_t i = 0; i < looks->node_count; i++) {
        const struct use_node *node = &looks->nodes[i];
        *at++ = FACTS_TEXT(node->name);
        *at++ = FACTS_TEXT(node->stream);
        *at++ = FACTS_TEXT(node->memory_stream);
        *at++ = FACTS_TEXT(node->io_stream);
    }
    int failed = statement_load(facts, IDENTIFIER(CHOSEN), columns, COLUMNS,
                                (struct facts_values){values, count}, err);
    free(values);
    return failed;
}

/*
 * How fast a counter rose, over the time of a stretch in which it is known. Where a clock that
 * was set put looks out of order, it is not known.
 */
#define RATE(c, chosen)                                                                        \
    "sum(CASE WHEN stream = " chosen " AND dated AND gap > 0 THEN " c "_up * part / gap END) " \
    "/ nullif(sum(CASE WHEN stream = " chosen " AND dated AND " c                              \
    "_up IS NOT NULL THEN part END), 0)"

#define CPUS      RATE("cpu", "cpu_stream") " AS cpus"
#define MEMORY    "max(CASE WHEN stream = mem_stream THEN mem END) AS mem"
#define BYTES_IN  RATE("bytes_in", "io_stream") " * 1e6 AS bytes_in"
#define BYTES_OUT RATE("bytes_out", "io_stream") " * 1e6 AS bytes_out"
#define BUSY                                                                                   \
    "sum(busy * part) / nullif(sum(CASE WHEN busy IS NOT NULL THEN part END), 0) / 1e6 AS "    \
    "busy"

/* What differs between nodes and cards. */
static const struct source {
    struct expression chosen; /* joined with "spans" */
    struct expression means;  /* of a stream in a stretch of time */
    struct expression sums;   /* of all streams in it */
} sources[] = {
    [USE_STREAM_NODES] = {{" JOIN " CHOSEN " ON host = node"},
                          {CPUS ", " MEMORY ", " BYTES_IN ", " BYTES_OUT},
                          {"@real(sum(cpus)), @long(sum(mem)), @long(round(sum(bytes_in))), "
                           "@long(round(sum(bytes_out)))"}},
    [USE_STREAM_CARDS] = {{""},
                          {BUSY ", max(mem) AS mem"},
                          {"@real(sum(busy)), @long(sum(mem))"}},
};

/*
 * "cut": each covered interval, once for each stretch that it overlaps; "pieces": with the part
 * of it that lies there; "means": what each stream had in each stretch.
 */
static void add_stretches(struct statement *sql, enum use_stream of, int64_t from,
                          int64_t width)
{
    const struct source *source = &sources[of];
    statement_add(sql,
                  ", cut AS (SELECT *, @each(@slot(since, %" PRId64 ", %" PRId64
                  "), @slot(greatest(moment - 1, since), %" PRId64 ", %" PRId64
                  ") + 1) AS slot FROM spans",
                  from, width, from, width);
    statement_expression(sql, source->chosen);
    statement_add(sql,
                  " WHERE joined), pieces AS (SELECT *, @real(least(moment, %" PRId64
                  " + (slot + 1) * %" PRId64 ") - greatest(since, %" PRId64 " + slot * %" PRId64
                  ")) AS part FROM cut), means AS (SELECT slot, ",
                  from, width, from, width);
    statement_expression(sql, source->means);
    statement_add(sql, " FROM pieces GROUP BY slot, node, stream) SELECT slot, ");
    statement_expression(sql, source->sums);
    statement_add(sql, " FROM means GROUP BY slot ORDER BY slot");
}

static int query_stream(struct facts *facts, enum use_stream of, struct period reach,
                        int64_t width, struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    use_streams_add(&sql, of, reach);
    add_stretches(&sql, of, reach.from, width);
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

enum { LINE_TIME, LINE_CPUS, LINE_MEMORY, LINE_GPUS, LINE_GPU_MEMORY, LINE_READ, LINE_WRITTEN };

static const struct heading headings[] = {
    [LINE_TIME] = {"time", "Time", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
    [LINE_CPUS] = {"cpus_at_work", "CPUs", CELL_REAL, UNIT_NONE, COLUMN_MEASURE},
    [LINE_MEMORY] = {"memory", "Memory", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    [LINE_GPUS] = {"gpus_at_work", "GPUs", CELL_REAL, UNIT_NONE, COLUMN_MEASURE},
    [LINE_GPU_MEMORY] = {"gpu_memory", "GPU memory", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    [LINE_READ] = {"read_rate", "Read/s", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    [LINE_WRITTEN] = {"write_rate", "Written/s", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
};

/* The two answers beside each other, by their first column, which is the stretch. */
static void join_stretches(const struct table *nodes, const struct table *cards, int64_t from,
                           int64_t width, struct table *out)
{
    enum { SLOT, AT_WORK, MEM, IN, OUT };

    table_columns(out, headings, COUNT_OF(headings));
    table_picture(out, LINE_TIME, "Time", false);
    for (size_t n = 0, c = 0; n < nodes->row_count || c < cards->row_count;) {
        const int64_t of_node =
            n < nodes->row_count ? use_streams_whole(nodes, SLOT, n) : INT64_MAX;
        const int64_t of_card =
            c < cards->row_count ? use_streams_whole(cards, SLOT, c) : INT64_MAX;
        const int64_t slot = of_node < of_card ? of_node : of_card;
        const size_t row = table_row(out);
        table_set_int(out, LINE_TIME, row, from + slot * width);
        if (of_node == slot) {
            table_copy_cell(nodes, AT_WORK, n, out, LINE_CPUS, row);
            table_copy_cell(nodes, MEM, n, out, LINE_MEMORY, row);
            table_copy_cell(nodes, IN, n, out, LINE_READ, row);
            table_copy_cell(nodes, OUT, n++, out, LINE_WRITTEN, row);
        }
        if (of_card == slot) {
            table_copy_cell(cards, AT_WORK, c, out, LINE_GPUS, row);
            table_copy_cell(cards, MEM, c++, out, LINE_GPU_MEMORY, row);
        }
    }
}

int use_timeline_read(struct facts *facts, const struct use_span *span,
                      const struct use_looks *looks, int64_t until, size_t slots,
                      struct table *out, struct error *err)
{
    const int64_t width = (until - span->from) / (int64_t)(slots ? slots : 1) + 1;
    struct period reach;
    struct table nodes = {0}, cards = {0};
    bool any = false;
    int failed = use_streams_load(facts, span, 1, &reach, &any, err);
    if (!failed && any && looks->node_count > 0) {
        failed = load_chosen(facts, looks, err);
        failed =
            failed ? failed : query_stream(facts, USE_STREAM_NODES, reach, width, &nodes, err);
    }
    if (!failed && any && looks->card_count > 0) {
        failed = query_stream(facts, USE_STREAM_CARDS, reach, width, &cards, err);
    }
    if (!failed) {
        join_stretches(&nodes, &cards, span->from, width, out);
    }
    table_release(&nodes);
    table_release(&cards);
    return failed;
}
