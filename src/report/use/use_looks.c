/* SPDX-License-Identifier: MIT */
#include "report/use/use_looks.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/statement.h"
#include "report/use/use_streams.h"

/* --- sums over a stream ------------------------------------------------------------------- */

/*
 * Time that is covered and of which this is known; how far a counter rose in it; and in all
 * intervals, however long.
 */
#define COVERED(known)  "@long(sum(CASE WHEN joined AND " known " IS NOT NULL THEN gap END))"
#define RISEN(c)        "@long(sum(CASE WHEN joined THEN " c "_up END))"
#define RISEN_IN_ALL(c) "@long(sum(" c "_up))"

enum node_column {
    NODE_RUN,
    NODE_NAME,
    NODE_STREAM,
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
    NODE_COLUMNS
};

static const struct expression node_columns[NODE_COLUMNS] = {
    [NODE_RUN] = {"run"},
    [NODE_NAME] = {"node"},
    [NODE_STREAM] = {"stream"},
    [NODE_KIND] = {"max(kind)"},
    [NODE_LOOKS] = {"@long(count(*))"},
    [NODE_FIRST] = {"min(moment)"},
    [NODE_LAST] = {"max(moment)"},
    [NODE_USUAL] = {"max(usual)"},
    [NODE_CPU_COVERED] = {COVERED("cpu_up")},
    [NODE_CPU] = {RISEN("cpu")},
    [NODE_CPU_ALL] = {RISEN_IN_ALL("cpu")},
    [NODE_CPUS_PEAK] =
        {"max(CASE WHEN joined AND dated AND gap > 0 THEN @real(cpu_up) / gap END)"},
    [NODE_MEM_COVERED] = {COVERED("coalesce(mem, kept)")},
    [NODE_MEM] = {"max(mem)"},
    [NODE_KEPT] = {"max(kept)"},
    [NODE_CACHE] = {"max(cache)"},
    [NODE_IO_COVERED] = {COVERED("coalesce(bytes_in_up, bytes_out_up)")},
    [NODE_IN] = {RISEN("bytes_in")},
    [NODE_OUT] = {RISEN("bytes_out")},
    [NODE_IN_ALL] = {RISEN_IN_ALL("bytes_in")},
    [NODE_OUT_ALL] = {RISEN_IN_ALL("bytes_out")},
    [NODE_THROTTLED] = {RISEN_IN_ALL("throttled")},
    [NODE_KILLS] = {RISEN_IN_ALL("kills")},
    [NODE_IO_STALL] = {RISEN_IN_ALL("io_stall")},
    [NODE_MEM_STALL] = {RISEN_IN_ALL("mem_stall")},
    [NODE_CPU_STALL] = {RISEN_IN_ALL("cpu_stall")},
};

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
    CARD_COLUMNS
};

static const struct expression card_columns[CARD_COLUMNS] = {
    [CARD_RUN] = {"run"},
    [CARD_NODE] = {"node"},
    [CARD_UUID] = {"stream"},
    [CARD_INDEX] = {"max(place)"},
    [CARD_LOOKS] = {"@long(count(*))"},
    [CARD_FIRST] = {"min(moment)"},
    [CARD_LAST] = {"max(moment)"},
    [CARD_USUAL] = {"max(usual)"},
    [CARD_COVERED] = {COVERED("busy")},
    [CARD_BUSY] = {"@real(sum(CASE WHEN joined THEN @real(busy) * gap END)) / 1e6"},
    [CARD_MOST] = {"@real(max(busy)) / 1e6"},
    [CARD_MEM_COVERED] = {COVERED("mem")},
    [CARD_MEM] = {"max(mem)"},
    [CARD_SIZE] = {"max(size)"},
};

/*
 * A row for each stream, by run and node; of one node the control group comes first, then the
 * sampler that saw most of it.
 */
static int ask_streams(struct facts *facts, enum use_stream of, struct period reach,
                       struct table *out, struct error *err)
{
    const bool cards = of == USE_STREAM_CARDS;
    const struct expression *columns = cards ? card_columns : node_columns;
    const size_t count = cards ? CARD_COLUMNS : NODE_COLUMNS;
    struct statement sql;
    statement_init(&sql);
    use_streams_add(&sql, of, reach);
    for (size_t i = 0; i < count; i++) {
        statement_add(&sql, i ? ", " : " SELECT ");
        statement_expression(&sql, columns[i]);
    }
    statement_add(&sql, " FROM spans GROUP BY run, node, stream ORDER BY run, node, ");
    if (cards) {
        statement_add(&sql, "%d, stream", CARD_INDEX + 1);
    } else {
        statement_add(&sql, "%d NULLS LAST, %d DESC NULLS LAST, %d DESC, stream", NODE_KIND + 1,
                      NODE_CPU_COVERED + 1, NODE_LOOKS + 1);
    }
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

/* --- nodes -------------------------------------------------------------------------------- */

/* What a stream says of its node. */
static struct use_node node_of(const struct table *t, size_t row)
{
    const enum use_basis basis = table_has(t, NODE_KIND, row) ? USE_CGROUP : USE_PROCESSES;
    const struct str stream = use_streams_text(t, NODE_STREAM, row);
    const double kept = use_streams_number(t, NODE_KEPT, row);
    return (struct use_node){
        .run = (size_t)use_streams_whole(t, NODE_RUN, row),
        .name = use_streams_text(t, NODE_NAME, row),
        .basis = basis,
        .memory_basis = basis,
        .io_basis = basis,
        .stream = stream,
        .memory_stream = stream,
        .io_stream = stream,
        .looks = use_streams_whole(t, NODE_LOOKS, row),
        .first = use_streams_whole(t, NODE_FIRST, row),
        .last = use_streams_whole(t, NODE_LAST, row),
        .usual_us = use_streams_whole(t, NODE_USUAL, row),
        .cpu_covered_us = fmax(0, use_streams_number(t, NODE_CPU_COVERED, row)),
        .cpu_us = use_streams_number(t, NODE_CPU, row),
        .cpu_all_us = use_streams_number(t, NODE_CPU_ALL, row),
        .cpus_peak = use_streams_number(t, NODE_CPUS_PEAK, row),
        .memory_covered_us = fmax(0, use_streams_number(t, NODE_MEM_COVERED, row)),
        .memory_held = use_streams_number(t, NODE_MEM, row),
        .memory_kept = kept,
        .cached =
            kept >= 0 && use_streams_number(t, NODE_CACHE, row) != 0, /* not known: it may be */
        .io_covered_us = fmax(0, use_streams_number(t, NODE_IO_COVERED, row)),
        .read = use_streams_number(t, NODE_IN, row),
        .written = use_streams_number(t, NODE_OUT, row),
        .read_all = use_streams_number(t, NODE_IN_ALL, row),
        .written_all = use_streams_number(t, NODE_OUT_ALL, row),
        .throttled_us = use_streams_number(t, NODE_THROTTLED, row),
        .oom_kills = use_streams_number(t, NODE_KILLS, row),
        .io_stall_us = use_streams_number(t, NODE_IO_STALL, row),
        .mem_stall_us = use_streams_number(t, NODE_MEM_STALL, row),
        .cpu_stall_us = use_streams_number(t, NODE_CPU_STALL, row),
    };
}

/*
 * A further stream of a node has what the better one before it does not know. Bytes: counters
 * of control groups know block devices only, those of processes also network file systems, but
 * not of processes between looks; so the larger counts.
 */
static void add_stream(struct use_node *node, const struct use_node *more)
{
    if (node->cpu_all_us < 0 && more->cpu_all_us >= 0) {
        node->basis = more->basis;
        node->stream = more->stream;
        node->cpu_covered_us = more->cpu_covered_us;
        node->cpu_us = more->cpu_us;
        node->cpu_all_us = more->cpu_all_us;
        node->cpus_peak = more->cpus_peak;
    }
    if (node->memory_held < 0 && more->memory_held >= 0) {
        node->memory_basis = more->memory_basis;
        node->memory_stream = more->memory_stream;
        node->memory_held = more->memory_held;
        node->memory_covered_us = fmax(node->memory_covered_us, more->memory_covered_us);
    }
    if (more->read_all + more->written_all > node->read_all + node->written_all) {
        node->io_basis = more->io_basis;
        node->io_stream = more->io_stream;
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

/* --- cards -------------------------------------------------------------------------------- */

static struct use_card card_of(const struct table *t, size_t row)
{
    return (struct use_card){
        .run = (size_t)use_streams_whole(t, CARD_RUN, row),
        .node = use_streams_text(t, CARD_NODE, row),
        .uuid = use_streams_text(t, CARD_UUID, row),
        .index = use_streams_text(t, CARD_INDEX, row),
        .looks = use_streams_whole(t, CARD_LOOKS, row),
        .first = use_streams_whole(t, CARD_FIRST, row),
        .last = use_streams_whole(t, CARD_LAST, row),
        .usual_us = use_streams_whole(t, CARD_USUAL, row),
        .covered_us = fmax(0, use_streams_number(t, CARD_COVERED, row)),
        .busy_us = use_streams_number(t, CARD_BUSY, row),
        .most = use_streams_number(t, CARD_MOST, row),
        .memory_covered_us = fmax(0, use_streams_number(t, CARD_MEM_COVERED, row)),
        .memory = use_streams_number(t, CARD_MEM, row),
        .size = use_streams_number(t, CARD_SIZE, row),
    };
}

static void fold_cards(const struct table *found, struct use_looks *out)
{
    out->cards = mem_alloc(found->row_count + 1, sizeof(*out->cards));
    for (size_t row = 0; row < found->row_count; row++) {
        out->cards[out->card_count++] = card_of(found, row);
    }
}

/* --- all of them -------------------------------------------------------------------------- */

int use_looks_read(struct facts *facts, const struct use_span *spans, size_t count,
                   struct use_looks *out, struct error *err)
{
    struct period reach;
    bool any = false;
    *out = (struct use_looks){0};
    int failed = use_streams_load(facts, spans, count, &reach, &any, err);
    if (failed || !any) {
        return failed;
    }
    failed = ask_streams(facts, USE_STREAM_NODES, reach, &out->texts[0], err);
    if (failed) {
        return failed;
    }
    fold_nodes(&out->texts[0], out);
    failed = ask_streams(facts, USE_STREAM_CARDS, reach, &out->texts[1], err);
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

/* --- nodes that rest ---------------------------------------------------------------------- */

/*
 * Cpus at work below which a node does nothing but wait; ten times as many, for a moment, are
 * noise of starting and ending.
 */
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
