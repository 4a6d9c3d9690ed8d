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

int coverage_read(struct facts *facts, const struct filter *filter, const struct zone *zone,
                  int64_t now, struct coverage *out, struct error *err)
{
    struct table extent = {0};
    *out = (struct coverage){0};
    int failed = extent_read(facts, filter, zone, &extent, err);
    for (size_t row = 0; !failed && row < extent.row_count; row++) {
        const struct str name = extent.columns[EXTENT_CLUSTER].cells[row].text;
        add_stretch(out, arena_copy(&out->arena, name),
                    whole_days(zone, (int64_t)table_wide(&extent, EXTENT_FIRST, row),
                               (int64_t)table_wide(&extent, EXTENT_LAST, row), now));
    }
    if (!failed && extent.row_count == 0) {
        failed = read_runs(facts, zone, now, out, err);
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

/* Whether a stretch counts: all do where there is none of the cluster. */
static const struct str *known_cluster(const struct coverage *coverage,
                                       const struct str *cluster)
{
    for (size_t i = 0; cluster && i < coverage->count; i++) {
        if (str_eq(*cluster, coverage->rows[i].cluster)) {
            return cluster;
        }
    }
    return NULL;
}

static bool counts(const struct coverage *coverage, size_t i, const struct str *cluster)
{
    return !cluster || str_eq(*cluster, coverage->rows[i].cluster);
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
    cluster = known_cluster(coverage, cluster);
    bool any = false;
    for (size_t i = 0; !any && i < coverage->count; i++) {
        const struct period *p = &coverage->rows[i].period;
        any = counts(coverage, i, cluster) && p->from < period.to && p->to > period.from;
    }
    return !any                                                         ? COVERED_NOT
           : covered_until(coverage, cluster, period.from) >= period.to ? COVERED_WHOLLY
                                                                        : COVERED_PARTLY;
}

struct period coverage_span(const struct coverage *coverage, const struct str *cluster)
{
    struct period span = {0};
    cluster = known_cluster(coverage, cluster);
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
