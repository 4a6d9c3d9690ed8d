/* SPDX-License-Identifier: MIT */
#include "report/coverage.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/question.h"
#include "report/tables/extent.h"

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
    int failed = extent_pick(facts, coverage->rows, coverage->count, filter, zone, &names, err);
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
    int failed = extent_read(facts, &extent, err);
    for (size_t row = 0; !failed && row < extent.row_count; row++) {
        add_names(rules, extent.columns[EXTENT_CLUSTER].cells[row].text,
                  whole_days(zone, (int64_t)table_wide(&extent, EXTENT_FIRST, row),
                             (int64_t)table_wide(&extent, EXTENT_LAST, row), now),
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
    arena_release(&coverage->arena);
    *coverage = (struct coverage){0};
}

void coverage_except(struct coverage *coverage, struct str cluster, struct period gap)
{
    struct coverage rest = {.arena = coverage->arena};
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

bool coverage_is_whole(const struct coverage *coverage, const struct str *cluster,
                       struct period period)
{
    bool whole = coverage_of(coverage, cluster, period) == COVERED_WHOLLY;
    for (size_t i = 0; !cluster && whole && i < coverage->count; i++) {
        whole = coverage_of(coverage, &coverage->rows[i].cluster, period) == COVERED_WHOLLY;
    }
    return whole;
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
