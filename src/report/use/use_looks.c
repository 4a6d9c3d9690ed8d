/* SPDX-License-Identifier: MIT */
#include "report/use/use_looks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/statement.h"
#include "report/sql/quantity.h"

#define SPANS "use_spans"

/* --- which samples ------------------------------------------------------------------------------------ */

static bool has_looks(const struct use_span *span)
{
    return span->has_job && span->cluster.ptr && span->to > span->from;
}

/* The table of the spans, and from when to when they reach; *any is false if there is none with looks. */
static int load_spans(struct facts *facts, const struct use_span *spans, size_t count,
                      struct use_span *reach, bool *any, struct error *err)
{
    static const struct statement_column columns[] = {
        {"run", TYPE_INTEGER},  {"cluster", TYPE_TEXT},  {"job", TYPE_INTEGER},
        {"task", TYPE_INTEGER}, {"began", TYPE_INTEGER}, {"ended", TYPE_INTEGER}};

    enum { COLUMNS = COUNT_OF(columns) };

    struct facts_value *values = mem_alloc(count + 1, COLUMNS * sizeof(*values)), *at = values;
    *reach = (struct use_span){.from = INT64_MAX, .to = INT64_MIN};
    for (size_t i = 0; i < count; i++) {
        const struct use_span *span = &spans[i];
        if (!has_looks(span)) {
            continue;
        }
        *at++ = FACTS_INT((int64_t)i);
        *at++ = FACTS_TEXT(span->cluster);
        *at++ = FACTS_INT(span->job);
        *at++ = span->has_task ? FACTS_INT(span->task) : FACTS_NULL;
        *at++ = FACTS_INT(span->from);
        *at++ = FACTS_INT(span->to);
        reach->from = span->from < reach->from ? span->from : reach->from;
        reach->to = span->to > reach->to ? span->to : reach->to;
    }
    *any = at > values;
    int failed = *any
                     ? statement_load(facts, IDENTIFIER(SPANS), columns, COLUMNS,
                                      (struct facts_values){values, (size_t)(at - values)}, err)
                     : 0;
    free(values);
    return failed;
}

/* " FROM ... WHERE ...": samples `s` of the spans `u`. The bounds of all of them let the engine skip other times. */
static void add_picked(struct statement *sql, const struct use_span *reach)
{
    statement_add(
        sql,
        " FROM " SPANS " u JOIN samples s ON s.cluster = u.cluster AND s.job = u.job AND "
        "s.\"time\" >= u.began AND s.\"time\" <= u.ended WHERE s.\"time\" >= %" PRId64
        " AND s.\"time\" <= %" PRId64 " AND coalesce(s.epoch, 0) = 0 AND (u.task IS NULL OR "
        "s.task IS NULL OR s.task = u.task)",
        reach->from, reach->to);
}

/* --- nodes -------------------------------------------------------------------------------------------- */

/* The counters of a look, as they are called in the statements below, and what each is the sum of. */
#define COUNTERS(X)                                                                            \
    X(cpu, cpu_time_us)                                                                        \
    X(bytes_in, read_bytes)                                                                    \
    X(bytes_out, written_bytes)                                                                \
    X(throttled, throttled_us)                                                                 \
    X(kills, oom_kills)                                                                        \
    X(io_stall, io_stall_us)                                                                   \
    X(mem_stall, mem_stall_us)                                                                 \
    X(cpu_stall, cpu_stall_us)

#define SUM_OF(name, column)  ", @long(sum(s." #column ")) AS " #name
#define RISE_OF(name, column) RISE(#name) " AS " #name "_up"
#define RISE(c)                                                                                \
    ", CASE WHEN lag(moment) OVER w IS NULL OR (kind = 'job' AND " c " < lag(" c               \
    ") OVER w) THEN " c " WHEN " c " >= lag(" c ") OVER w THEN " c " - lag(" c                 \
    ") OVER w WHEN " c " < lag(" c ") OVER w THEN 0 END"

/*
 * "spans": a row for each look and stream, with the interval before it (since, gap), whether it is covered, and the rises of the
 * counters in it.
 */
static void add_node_spans(struct statement *sql, const struct use_span *reach)
{
    statement_add(
        sql, "WITH looks AS (SELECT u.run AS run, u.began AS began, s.node AS node, s.kind AS "
             "kind, CASE WHEN s.kind IS NULL THEN s.version END AS sampler, s.\"time\" AS "
             "moment, @long(sum(" QUANTITY_SQL_SAMPLED_MEMORY
             ")) AS mem, @long(sum(s.mem_peak_bytes)) AS kept, "
             "@long(sum(s.mem_file_bytes - coalesce(s.mem_shmem_bytes, 0))) AS "
             "cache" COUNTERS(SUM_OF));
    add_picked(sql, reach);
    statement_add(sql, " AND (s.kind IS NULL OR s.kind = 'job') GROUP BY ALL), ");
    statement_add(sql,
                  "steps AS (SELECT *, coalesce(lag(moment) OVER w, began) AS since, moment - "
                  "lag(moment) OVER w AS between" COUNTERS(
                      RISE_OF) " FROM looks WINDOW w AS "
                               "(PARTITION BY run, node, kind, sampler ORDER BY moment)), ");
    statement_add(
        sql,
        "timed AS (SELECT *, moment - since AS gap, @quantile(between, 0.5) OVER (PARTITION "
        "BY run, node, kind, sampler) AS usual FROM steps), spans AS (SELECT *, gap <= "
        "greatest(%d * coalesce(usual, 0), %" PRId64 ") AS joined FROM timed)",
        USE_GAP_TIMES, USE_GAP_LEAST_US);
}

enum node_column {
    NODE_RUN,
    NODE_NAME,
    NODE_KIND,
    NODE_LOOKS,
    NODE_FIRST,
    NODE_LAST,
    NODE_USUAL,
    NODE_CPU_COVERED,
    NODE_CPU,
    NODE_CPU_ALL,
    NODE_CPUS_PEAK,
    NODE_MEM_COVERED,
    NODE_MEM,
    NODE_KEPT,
    NODE_CACHE,
    NODE_IO_COVERED,
    NODE_IN,
    NODE_OUT,
    NODE_IN_ALL,
    NODE_OUT_ALL,
    NODE_THROTTLED,
    NODE_KILLS,
    NODE_IO_STALL,
    NODE_MEM_STALL,
    NODE_CPU_STALL,
};

#define COVERED(known)  "@long(sum(CASE WHEN joined AND " known " IS NOT NULL THEN gap END))"
#define RISEN(c)        "@long(sum(CASE WHEN joined THEN " c "_up END))"
#define RISEN_IN_ALL(c) "@long(sum(" c "_up))"

static int ask_nodes(struct facts *facts, const struct use_span *reach, struct table *out,
                     struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    add_node_spans(&sql, reach);
    statement_add(&sql,
                  " SELECT run, node, kind, @long(count(*)), min(moment), max(moment), "
                  "max(usual), " COVERED("cpu_up") ", " RISEN("cpu") ", " RISEN_IN_ALL(
                      "cpu") ", max(CASE WHEN joined AND gap > 0 THEN @real(cpu_up) / gap "
                             "END), " COVERED(
                                 "coalesce(mem, kept)") ", max(mem), max(kept), max(cache), ");
    statement_add(
        &sql,
        COVERED("coalesce(bytes_in_up, bytes_out_up)") ", " RISEN("bytes_in") ", " RISEN(
            "bytes"
            "_out") ", " RISEN_IN_ALL("bytes_in") ", " RISEN_IN_ALL("bytes_out") ","
                                                                                 " " RISEN_IN_ALL("throttled") ", " RISEN_IN_ALL(
                                                                                     "kills") ","
                                                                                              " " RISEN_IN_ALL("io_stall") ", " RISEN_IN_ALL(
                                                                                                  "mem_stall"));
    statement_add(&sql, ", " RISEN_IN_ALL("cpu_stall"));
    /* of one node, the control group first, then the sampler that saw most of it */
    statement_add(&sql,
                  " FROM spans GROUP BY run, node, kind, sampler ORDER BY run, node, CASE "
                  "WHEN kind = 'job' THEN 0 ELSE 1 END, 8 DESC NULLS LAST, 4 DESC, "
                  "sampler");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

static double number(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? table_real(table, column, row) : -1;
}

static int64_t whole(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? (int64_t)table_wide(table, column, row) : 0;
}

static struct str text(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? table->columns[column].cells[row].text
                                         : (struct str){0};
}

/* What a stream says of its node. */
static struct use_node node_of(const struct table *t, size_t row)
{
    const enum use_basis basis = table_has(t, NODE_KIND, row) ? USE_CGROUP : USE_PROCESSES;
    const double kept = number(t, NODE_KEPT, row);
    return (struct use_node){
        .run = (size_t)whole(t, NODE_RUN, row),
        .name = text(t, NODE_NAME, row),
        .basis = basis,
        .memory_basis = basis,
        .io_basis = basis,
        .looks = whole(t, NODE_LOOKS, row),
        .first = whole(t, NODE_FIRST, row),
        .last = whole(t, NODE_LAST, row),
        .usual_us = whole(t, NODE_USUAL, row),
        .cpu_covered_us = fmax(0, number(t, NODE_CPU_COVERED, row)),
        .cpu_us = number(t, NODE_CPU, row),
        .cpu_all_us = number(t, NODE_CPU_ALL, row),
        .cpus_peak = number(t, NODE_CPUS_PEAK, row),
        .memory_covered_us = fmax(0, number(t, NODE_MEM_COVERED, row)),
        .memory_held = number(t, NODE_MEM, row),
        .memory_kept = kept,
        .cached = kept >= 0 && number(t, NODE_CACHE, row) != 0, /* not known: it may be */
        .io_covered_us = fmax(0, number(t, NODE_IO_COVERED, row)),
        .read = number(t, NODE_IN, row),
        .written = number(t, NODE_OUT, row),
        .read_all = number(t, NODE_IN_ALL, row),
        .written_all = number(t, NODE_OUT_ALL, row),
        .throttled_us = number(t, NODE_THROTTLED, row),
        .oom_kills = number(t, NODE_KILLS, row),
        .io_stall_us = number(t, NODE_IO_STALL, row),
        .mem_stall_us = number(t, NODE_MEM_STALL, row),
        .cpu_stall_us = number(t, NODE_CPU_STALL, row),
    };
}

/*
 * A further stream of a node has what the better one before it does not know. Bytes: counters of control groups know block devices
 * only, those of processes also network file systems, but not of processes between looks; so the larger counts.
 */
static void add_stream(struct use_node *node, const struct use_node *more)
{
    if (node->cpu_all_us < 0 && more->cpu_all_us >= 0) {
        node->basis = more->basis;
        node->cpu_covered_us = more->cpu_covered_us;
        node->cpu_us = more->cpu_us;
        node->cpu_all_us = more->cpu_all_us;
        node->cpus_peak = more->cpus_peak;
    }
    if (node->memory_held < 0 && more->memory_held >= 0) {
        node->memory_basis = more->memory_basis;
        node->memory_held = more->memory_held;
        node->memory_covered_us = fmax(node->memory_covered_us, more->memory_covered_us);
    }
    if (more->read_all + more->written_all > node->read_all + node->written_all) {
        node->io_basis = more->io_basis;
        node->io_covered_us = more->io_covered_us;
        node->read = more->read;
        node->written = more->written;
        node->read_all = more->read_all;
        node->written_all = more->written_all;
    }
    node->first = more->first < node->first ? more->first : node->first;
    node->last = more->last > node->last ? more->last : node->last;
}

static void fold_nodes(const struct table *found, struct use_looks *out)
{
    out->nodes = mem_alloc(found->row_count + 1, sizeof(*out->nodes));
    for (size_t row = 0; row < found->row_count; row++) {
        const struct use_node one = node_of(found, row);
        struct use_node *last = out->node_count ? &out->nodes[out->node_count - 1] : NULL;
        if (last && last->run == one.run && str_eq(last->name, one.name)) {
            add_stream(last, &one);
        } else {
            out->nodes[out->node_count++] = one;
        }
    }
}

double use_node_memory(const struct use_node *node)
{
    return fmax(node->memory_held, node->memory_kept);
}

/* --- cards -------------------------------------------------------------------------------------------- */

static void add_card_spans(struct statement *sql, const struct use_span *reach)
{
    statement_add(
        sql,
        "WITH looks AS (SELECT u.run AS run, u.began AS began, s.node AS node, s.command AS "
        "card, s.\"time\" AS moment, max(s.gpus) AS place, max(s.gpu_util_ppm) AS busy, "
        "max(s.gpu_mem_bytes) AS mem, max(s.mem_total_bytes) AS size");
    add_picked(sql, reach);
    statement_add(
        sql,
        " AND s.kind = 'gpu' AND (s.gpu_util_ppm IS NOT NULL OR s.gpu_mem_bytes IS NOT NULL) "
        "GROUP BY ALL), steps AS (SELECT *, coalesce(lag(moment) OVER w, began) AS since, "
        "moment - lag(moment) OVER w AS between FROM looks WINDOW w AS (PARTITION BY run, "
        "node, card ORDER BY moment)), timed AS (SELECT *, moment - since AS gap, "
        "@quantile(between, 0.5) OVER (PARTITION BY run, node, card) AS usual FROM steps), "
        "spans AS (SELECT *, gap <= greatest(%d * coalesce(usual, 0), %" PRId64
        ") AS joined FROM timed)",
        USE_GAP_TIMES, USE_GAP_LEAST_US);
}

enum card_column {
    CARD_RUN,
    CARD_NODE,
    CARD_UUID,
    CARD_INDEX,
    CARD_LOOKS,
    CARD_FIRST,
    CARD_LAST,
    CARD_USUAL,
    CARD_COVERED,
    CARD_BUSY,
    CARD_MOST,
    CARD_MEM_COVERED,
    CARD_MEM,
    CARD_SIZE,
};

static int ask_cards(struct facts *facts, const struct use_span *reach, struct table *out,
                     struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    add_card_spans(&sql, reach);
    statement_add(&sql,
                  " SELECT run, node, card, max(place), @long(count(*)), min(moment), "
                  "max(moment), max(usual), " COVERED(
                      "busy") ", @real(sum(CASE WHEN joined THEN @real(busy) * gap END)) / "
                              "1e6, @real(max(busy)) / 1e6, " COVERED("mem") ", max(mem), "
                                                                             "max(size) FROM "
                                                                             "spans GROUP BY "
                                                                             "run, node, card "
                                                                             "ORDER BY run, "
                                                                             "node, 4, card");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

static struct use_card card_of(const struct table *t, size_t row)
{
    return (struct use_card){
        .run = (size_t)whole(t, CARD_RUN, row),
        .node = text(t, CARD_NODE, row),
        .uuid = text(t, CARD_UUID, row),
        .index = text(t, CARD_INDEX, row),
        .looks = whole(t, CARD_LOOKS, row),
        .first = whole(t, CARD_FIRST, row),
        .last = whole(t, CARD_LAST, row),
        .usual_us = whole(t, CARD_USUAL, row),
        .covered_us = fmax(0, number(t, CARD_COVERED, row)),
        .busy_us = number(t, CARD_BUSY, row),
        .most = number(t, CARD_MOST, row),
        .memory_covered_us = fmax(0, number(t, CARD_MEM_COVERED, row)),
        .memory = number(t, CARD_MEM, row),
        .size = number(t, CARD_SIZE, row),
    };
}

static void fold_cards(const struct table *found, struct use_looks *out)
{
    out->cards = mem_alloc(found->row_count + 1, sizeof(*out->cards));
    for (size_t row = 0; row < found->row_count; row++) {
        out->cards[out->card_count++] = card_of(found, row);
    }
}

/* --- all of them -------------------------------------------------------------------------------------- */

int use_looks_read(struct facts *facts, const struct use_span *spans, size_t count,
                   struct use_looks *out, struct error *err)
{
    struct use_span reach;
    bool any = false;
    *out = (struct use_looks){0};
    int failed = load_spans(facts, spans, count, &reach, &any, err);
    if (failed || !any) {
        return failed;
    }
    failed = ask_nodes(facts, &reach, &out->texts[0], err);
    if (failed) {
        return failed;
    }
    fold_nodes(&out->texts[0], out);
    failed = ask_cards(facts, &reach, &out->texts[1], err);
    if (!failed) {
        fold_cards(&out->texts[1], out);
    }
    return failed;
}

void use_looks_release(struct use_looks *looks)
{
    table_release(&looks->texts[0]);
    table_release(&looks->texts[1]);
    free(looks->nodes);
    free(looks->cards);
}

/* --- over time ---------------------------------------------------------------------------------------- */

/*
 * "chosen": which stream of each node has its cpu time, memory and bytes; the same choice as that of add_stream above.
 * "pieces": each interval of a stream, once for each stretch that it overlaps, with the part of it that lies there.
 */
static void add_node_pieces(struct statement *sql, int64_t from, int64_t width)
{
    statement_add(
        sql,
        ", named AS (SELECT *, coalesce(kind, 'processes ' || coalesce(sampler, '')) AS stream "
        "FROM spans), totals AS (SELECT node, stream, max(kind) AS kind, count(cpu) AS cpus, "
        "count(mem) AS mems, sum(CASE WHEN joined THEN gap END) AS seen, "
        "sum(coalesce(bytes_in_up, 0) + coalesce(bytes_out_up, 0)) AS bytes FROM named GROUP "
        "BY node, stream), chosen AS (SELECT node, @latest(stream, CASE WHEN cpus = 0 THEN "
        "NULL "
        "WHEN kind = 'job' THEN 1e30 ELSE @real(seen) END) AS cpu_stream, @latest(stream, CASE "
        "WHEN mems = 0 THEN NULL WHEN kind = 'job' THEN 1e30 ELSE @real(seen) END) AS "
        "mem_stream, @latest(stream, @real(bytes) + CASE WHEN kind = 'job' THEN 0.5 ELSE 0 "
        "END) "
        "AS io_stream FROM totals GROUP BY node), ");
    statement_add(
        sql,
        "cut AS (SELECT t.*, stream = cpu_stream AS has_cpu, stream = mem_stream AS has_mem, "
        "stream = io_stream AS has_io, @each(@slot(since, %" PRId64 ", %" PRId64
        "), @slot(greatest(moment - 1, since), %" PRId64 ", %" PRId64
        ") + 1) AS slot FROM named t JOIN chosen c ON c.node = t.node WHERE joined), ",
        from, width, from, width);
    statement_add(sql,
                  "pieces AS (SELECT *, @real(least(moment, %" PRId64 " + (slot + 1) * %" PRId64
                  ") - greatest(since, %" PRId64 " + slot * %" PRId64
                  ")) AS part FROM cut), on_nodes AS (SELECT slot, node, ",
                  from, width, from, width);
    statement_add(
        sql,
        "sum(CASE WHEN has_cpu AND gap > 0 THEN cpu_up * part / gap END) / nullif(sum(CASE "
        "WHEN "
        "has_cpu AND cpu_up IS NOT NULL THEN part END), 0) AS cpus, max(CASE WHEN has_mem THEN "
        "mem END) AS mem, sum(CASE WHEN has_io AND gap > 0 THEN bytes_in_up * part / gap END) "
        "/ "
        "nullif(sum(CASE WHEN has_io AND bytes_in_up IS NOT NULL THEN part END), 0) * 1e6 AS "
        "bytes_in, sum(CASE WHEN has_io AND gap > 0 THEN bytes_out_up * part / gap END) / "
        "nullif(sum(CASE WHEN has_io AND bytes_out_up IS NOT NULL THEN part END), 0) * 1e6 AS "
        "bytes_out FROM pieces GROUP BY slot, node) SELECT slot, @real(sum(cpus)) AS cpus, "
        "@long(sum(mem)) AS mem, @long(round(sum(bytes_in))) AS bytes_in, "
        "@long(round(sum(bytes_out))) AS bytes_out FROM on_nodes GROUP BY slot ORDER BY slot");
}

static void add_card_pieces(struct statement *sql, int64_t from, int64_t width)
{
    statement_add(sql,
                  ", cut AS (SELECT *, @each(@slot(since, %" PRId64 ", %" PRId64
                  "), @slot(greatest(moment - 1, since), %" PRId64 ", %" PRId64
                  ") + 1) AS slot FROM spans WHERE joined), pieces AS (SELECT *, "
                  "@real(least(moment, %" PRId64 " + (slot + 1) * %" PRId64
                  ") - greatest(since, %" PRId64 " + slot * %" PRId64 ")) AS part FROM cut), ",
                  from, width, from, width, from, width, from, width);
    statement_add(
        sql,
        "each_card AS (SELECT slot, node, card, sum(busy * part) / nullif(sum(CASE WHEN busy "
        "IS NOT NULL THEN part END), 0) / 1e6 AS busy, max(mem) AS mem FROM pieces GROUP "
        "BY slot, node, card) SELECT slot, @real(sum(busy)) AS busy, @long(sum(mem)) AS "
        "mem FROM each_card GROUP BY slot ORDER BY slot");
}

enum { LINE_TIME, LINE_CPUS, LINE_MEMORY, LINE_GPUS, LINE_GPU_MEMORY, LINE_READ, LINE_WRITTEN };

static const struct heading timeline_headings[] = {
    [LINE_TIME] = {"time", "Time", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
    [LINE_CPUS] = {"cpus_at_work", "CPUs", CELL_REAL, UNIT_NONE, COLUMN_MEASURE},
    [LINE_MEMORY] = {"memory", "Memory", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    [LINE_GPUS] = {"gpus_at_work", "GPUs", CELL_REAL, UNIT_NONE, COLUMN_MEASURE},
    [LINE_GPU_MEMORY] = {"gpu_memory", "GPU memory", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    [LINE_READ] = {"read_rate", "Read/s", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
    [LINE_WRITTEN] = {"write_rate", "Written/s", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
};

/* The two answers beside each other, by their first column, which is the stretch. */
static void join_slots(const struct table *nodes, const struct table *cards,
                       const struct use_span *span, int64_t width, struct table *out)
{
    enum { SLOT, CPUS, MEM, IN, OUT };

    table_columns(out, timeline_headings, COUNT_OF(timeline_headings));
    table_picture(out, LINE_TIME, "Time", false);
    for (size_t n = 0, c = 0; n < nodes->row_count || c < cards->row_count;) {
        const int64_t of_node = n < nodes->row_count ? whole(nodes, SLOT, n) : INT64_MAX;
        const int64_t of_card = c < cards->row_count ? whole(cards, SLOT, c) : INT64_MAX;
        const int64_t slot = of_node < of_card ? of_node : of_card;
        const size_t row = table_row(out);
        table_set_int(out, LINE_TIME, row, span->from + slot * width);
        if (of_node == slot) {
            table_copy_cell(nodes, CPUS, n, out, LINE_CPUS, row);
            table_copy_cell(nodes, MEM, n, out, LINE_MEMORY, row);
            table_copy_cell(nodes, IN, n, out, LINE_READ, row);
            table_copy_cell(nodes, OUT, n++, out, LINE_WRITTEN, row);
        }
        if (of_card == slot) {
            table_copy_cell(cards, CPUS, c, out, LINE_GPUS, row);
            table_copy_cell(cards, MEM, c++, out, LINE_GPU_MEMORY, row);
        }
    }
}

static int ask_slots(struct facts *facts, const struct use_span *reach, int64_t width,
                     bool cards, struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    (cards ? add_card_spans : add_node_spans)(&sql, reach);
    (cards ? add_card_pieces : add_node_pieces)(&sql, reach->from, width);
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

int use_looks_timeline(struct facts *facts, const struct use_span *span, int64_t until,
                       size_t slots, struct table *out, struct error *err)
{
    const int64_t width = (until - span->from) / (int64_t)(slots ? slots : 1) + 1;
    struct use_span reach;
    struct table nodes = {0}, cards = {0};
    bool any = false;
    int failed = load_spans(facts, span, 1, &reach, &any, err);
    if (!failed && any) {
        failed = ask_slots(facts, &reach, width, false, &nodes, err);
    }
    if (!failed && any) {
        failed = ask_slots(facts, &reach, width, true, &cards, err);
    }
    if (!failed) {
        join_slots(&nodes, &cards, span, width, out);
    }
    table_release(&nodes);
    table_release(&cards);
    return failed;
}

/* --- nodes that rest ---------------------------------------------------------------------------------- */

/* Cpus at work below which a node does nothing but wait; ten times as many, for a moment, are noise of starting and ending. */
#define RESTS 0.05

/* A node that rests holds less than this share of the memory of the one that has most. */
#define EMPTY 0.1

static double cpus_at_work(const struct use_node *node)
{
    return node->cpu_us >= 0 && node->cpu_covered_us > 0 ? node->cpu_us / node->cpu_covered_us
                                                         : -1;
}

static bool has_busy_card(const struct use_looks *looks, size_t run, size_t card,
                          struct str node)
{
    for (; card < looks->card_count && looks->cards[card].run == run; card++) {
        if (str_eq(looks->cards[card].node, node) && looks->cards[card].busy_us > 0) {
            return true;
        }
    }
    return false;
}

double use_looks_idle_nodes(const struct use_looks *looks, size_t run, size_t node, size_t card)
{
    double most = 0, idle = 0;
    bool works = false;
    size_t end = node;
    for (; end < looks->node_count && looks->nodes[end].run == run; end++) {
        const struct use_node *one = &looks->nodes[end];
        if (cpus_at_work(one) < 0 || one->memory_held < 0) {
            return -1;
        }
        works = works || cpus_at_work(one) > 10 * RESTS;
        most = fmax(most, one->memory_held);
    }
    for (; works && node < end; node++) {
        const struct use_node *one = &looks->nodes[node];
        idle += cpus_at_work(one) < RESTS && one->cpus_peak < 10 * RESTS &&
                one->memory_held <= EMPTY * most && !has_busy_card(looks, run, card, one->name);
    }
    return idle;
}
