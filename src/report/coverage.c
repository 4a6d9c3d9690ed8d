/* SPDX-License-Identifier: MIT */
#include "report/coverage.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/queries/data_range.h"
#include "report/question.h"

static void add_stretch(struct coverage *coverage, struct str cluster, struct period period)
{
    if (period.from >= period.to) {
        return;
    }
    coverage->rows =
        mem_grow(coverage->rows, coverage->count, &coverage->room, sizeof(*coverage->rows));
    coverage->rows[coverage->count++] = (struct coverage_stretch){cluster, period};
}

/* Logs begin and end with a day: when its first and its last run came says nothing. */
static struct period whole_days(const struct zone *zone, int64_t first, int64_t last,
                                int64_t now)
{
    const int year = zone_year_start(zone);
    const struct civil from = bucket_floor(zone_civil(zone, first), BUCKET_DAY, year);
    const struct civil to =
        bucket_step(bucket_floor(zone_civil(zone, last), BUCKET_DAY, year), BUCKET_DAY, 1);
    const int64_t end = zone_instant(zone, to);
    return (struct period){zone_instant(zone, from),
                           last >= now - DAY_US || end > now ? now : end};
}

/* Where no journal says, the runs themselves do. */
static int read_runs(struct facts *facts, const struct zone *zone, int64_t now,
                     struct coverage *out, struct error *err)
{
    struct period span;
    bool any = false;
    int failed = listing_span(facts, &span, &any, err);
    if (!failed && any) {
        add_stretch(out, STR(""), whole_days(zone, span.from, span.to, now));
    }
    return failed;
}

static int compare_stretches(const void *a, const void *b)
{
    const struct coverage_stretch *x = a, *y = b;
    const int names = str_compare(x->cluster, y->cluster);
    return names ? names
                 : (x->period.from > y->period.from) - (x->period.from < y->period.from);
}

/* By cluster, then by time, and those of one cluster that meet as one. */
static void tidy(struct coverage *coverage)
{
    size_t count = 0;
    if (coverage->count == 0) {
        return;
    }
    qsort(coverage->rows, coverage->count, sizeof(*coverage->rows), compare_stretches);
    for (size_t i = 1; i < coverage->count; i++) {
        struct coverage_stretch *last = &coverage->rows[count];
        const struct coverage_stretch *next = &coverage->rows[i];
        if (!str_eq(last->cluster, next->cluster) || next->period.from > last->period.to) {
            coverage->rows[++count] = *next;
        } else if (next->period.to > last->period.to) {
            last->period.to = next->period.to;
        }
    }
    coverage->count = count + 1;
}

/* Keeps the clusters that pass the filter's conditions on clusters. */
static int pick(struct facts *facts, const struct filter *filter, const struct zone *zone,
                struct coverage *coverage, struct error *err)
{
    struct table names = {0};
    size_t kept = 0;
    if (coverage->count == 0 || !filter_has(filter, &run_fields[RUN_cluster])) {
        return 0;
    }
    int failed =
        data_range_pick(facts, coverage->rows, coverage->count, filter, zone, &names, err);
    for (size_t i = 0; !failed && i < coverage->count; i++) {
        const struct coverage_stretch stretch = coverage->rows[i];
        bool picked = false;
        for (size_t row = 0; !picked && row < names.row_count; row++) {
            picked = str_eq(names.columns[0].cells[row].text, stretch.cluster);
        }
        coverage->rows[kept] = stretch;
        kept += picked;
    }
    coverage->count = failed ? coverage->count : kept;
    table_release(&names);
    return failed;
}

/* The time of a cluster as it was imported is covered of all that its runs may count under. */
static void add_names(const struct cluster_rules *rules, struct str cluster,
                      struct period period, struct coverage *out)
{
    struct str name;
    for (size_t at = 0; cluster_rule_next(rules, cluster, &at, &name);) {
        add_stretch(out, arena_copy(&out->arena, name), period);
    }
}

int coverage_read(struct facts *facts, const struct filter *filter,
                  const struct cluster_rules *rules, const struct zone *zone, int64_t now,
                  struct coverage *out, struct error *err)
{
    struct table extent = {0};
    *out = (struct coverage){0};
    int failed = data_range_read(facts, &extent, err);
    for (size_t row = 0; !failed && row < extent.row_count; row++) {
        add_names(rules, extent.columns[DATA_RANGE_CLUSTER].cells[row].text,
                  whole_days(zone, (int64_t)table_wide(&extent, DATA_RANGE_FIRST, row),
                             (int64_t)table_wide(&extent, DATA_RANGE_LAST, row), now),
                  out);
    }
    if (!failed && extent.row_count == 0) {
        failed = read_runs(facts, zone, now, out, err);
    } else if (!failed) {
        tidy(out);
        failed = pick(facts, filter, zone, out, err);
    }
    table_release(&extent);
    return failed;
}

void coverage_release(struct coverage *coverage)
{
    free(coverage->rows);
    free(coverage->gaps);
    arena_release(&coverage->arena);
    *coverage = (struct coverage){0};
}

void coverage_except(struct coverage *coverage, struct str cluster, struct period gap)
{
    struct coverage rest = *coverage;
    rest.rows = NULL;
    rest.count = rest.room = 0;
    for (size_t i = 0; i < coverage->count; i++) {
        const struct coverage_stretch *s = &coverage->rows[i];
        if (cluster.ptr && !str_eq(cluster, s->cluster)) {
            add_stretch(&rest, s->cluster, s->period);
            continue;
        }
        const int64_t before = s->period.to < gap.from ? s->period.to : gap.from;
        const int64_t after = s->period.from > gap.to ? s->period.from : gap.to;
        add_stretch(&rest, s->cluster, (struct period){s->period.from, before});
        add_stretch(&rest, s->cluster, (struct period){after, s->period.to});
    }
    free(coverage->rows);
    *coverage = rest;
}

/* Whether a stretch is of the cluster; one without a name is of all. */
static bool counts(const struct coverage *coverage, size_t i, const struct str *cluster)
{
    const struct str name = coverage->rows[i].cluster;
    return !cluster || name.len == 0 || str_eq(*cluster, name);
}

void coverage_except_some(struct coverage *coverage, const struct coverage_gap *gap)
{
    bool any = !gap->cluster.ptr;
    for (size_t i = 0; !any && i < coverage->count; i++) {
        any = counts(coverage, i, &gap->cluster);
    }
    if (!any) { /* of a cluster that nobody asks for */
        return;
    }
    coverage->gaps = mem_grow(coverage->gaps, coverage->gap_count, &coverage->gap_room,
                              sizeof(*coverage->gaps));
    coverage->gaps[coverage->gap_count++] = (struct coverage_gap){
        .cluster = gap->cluster.ptr ? arena_copy(&coverage->arena, gap->cluster) : gap->cluster,
        .period = gap->period,
        .only = gap->only,
        .pattern = arena_copy(&coverage->arena, gap->pattern)};
}

/* The first instant at or after `at` that is not covered. */
static int64_t covered_until(const struct coverage *coverage, const struct str *cluster,
                             int64_t at)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (size_t i = 0; i < coverage->count; i++) {
            const struct period *p = &coverage->rows[i].period;
            if (counts(coverage, i, cluster) && p->from <= at && p->to > at) {
                at = p->to;
                moved = true;
            }
        }
    }
    return at;
}

enum covered coverage_of(const struct coverage *coverage, const struct str *cluster,
                         struct period period)
{
    bool any = false;
    for (size_t i = 0; !any && i < coverage->count; i++) {
        const struct period *p = &coverage->rows[i].period;
        any = counts(coverage, i, cluster) && p->from < period.to && p->to > period.from;
    }
    return !any                                                         ? COVERED_NOT
           : covered_until(coverage, cluster, period.from) >= period.to ? COVERED_WHOLLY
                                                                        : COVERED_PARTLY;
}

/* --- rows --------------------------------------------------------------------------------- */

const struct str *coverage_cluster(const struct coverage_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->dimensions[i] == &run_fields[RUN_cluster] &&
            table_has(row->table, i, row->row)) {
            return &row->table->columns[i].cells[row->row].text;
        }
    }
    return NULL;
}

/* Which runs of a row a gap concerns. */
enum concerned { CONCERNED_NONE, CONCERNED_SOME, CONCERNED_ALL };

static enum concerned concerned_by(const struct coverage_gap *gap,
                                   const struct coverage_row *row, struct period period)
{
    const struct str *cluster = coverage_cluster(row);
    if (gap->period.from >= period.to || gap->period.to <= period.from ||
        (gap->cluster.ptr && cluster && !str_eq(gap->cluster, *cluster))) {
        return CONCERNED_NONE;
    }
    for (size_t i = 0; i < row->count; i++) {
        if (row->dimensions[i] == gap->only) {
            const bool fits =
                table_has(row->table, i, row->row) &&
                str_glob(gap->pattern, row->table->columns[i].cells[row->row].text);
            return fits ? CONCERNED_ALL : CONCERNED_NONE;
        }
    }
    return CONCERNED_SOME;
}

/*
 * What is covered of the runs of a row, in `out`, to be released; returns whether a gap
 * concerns some of them besides.
 */
static bool cover_row(const struct coverage *coverage, const struct coverage_row *row,
                      struct period period, struct coverage *out)
{
    bool some = false;
    *out = (struct coverage){0};
    for (size_t i = 0; i < coverage->count; i++) {
        add_stretch(out, coverage->rows[i].cluster, coverage->rows[i].period);
    }
    for (size_t i = 0; i < coverage->gap_count; i++) {
        const struct coverage_gap *gap = &coverage->gaps[i];
        const enum concerned concerned = concerned_by(gap, row, period);
        some |= concerned == CONCERNED_SOME;
        if (concerned == CONCERNED_ALL) {
            coverage_except(out, gap->cluster, gap->period);
        }
    }
    return some;
}

enum covered coverage_of_row(const struct coverage *coverage, const struct coverage_row *row,
                             struct period period)
{
    const struct str *cluster = coverage_cluster(row);
    struct coverage own;
    if (coverage->gap_count == 0) { /* as nearly always */
        return coverage_of(coverage, cluster, period);
    }
    const bool some = cover_row(coverage, row, period, &own);
    const enum covered covered = coverage_of(&own, cluster, period);
    coverage_release(&own);
    return some && covered == COVERED_WHOLLY ? COVERED_PARTLY : covered;
}

bool coverage_is_whole(const struct coverage *coverage, const struct coverage_row *row,
                       struct period period)
{
    const struct str *cluster = coverage_cluster(row);
    struct coverage own;
    const bool some = cover_row(coverage, row, period, &own);
    bool whole = !some && coverage_of(&own, cluster, period) == COVERED_WHOLLY;
    for (size_t i = 0; !cluster && whole && i < coverage->count; i++) {
        whole = coverage_of(&own, &coverage->rows[i].cluster, period) == COVERED_WHOLLY;
    }
    coverage_release(&own);
    return whole;
}

bool coverage_differs(const struct coverage *coverage, const struct field *const *dimensions,
                      size_t count)
{
    bool differs = false;
    for (size_t i = 0; i < count; i++) {
        differs |= dimensions[i] == &run_fields[RUN_cluster];
        for (size_t g = 0; g < coverage->gap_count; g++) {
            differs |= dimensions[i] == coverage->gaps[g].only;
        }
    }
    return differs;
}

struct period coverage_span(const struct coverage *coverage, const struct str *cluster)
{
    struct period span = {0};
    for (size_t i = 0; i < coverage->count; i++) {
        const struct period *p = &coverage->rows[i].period;
        if (counts(coverage, i, cluster)) {
            const bool first = span.from == span.to;
            span.from = first || p->from < span.from ? p->from : span.from;
            span.to = first || p->to > span.to ? p->to : span.to;
        }
    }
    return span;
}
