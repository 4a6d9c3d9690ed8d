/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"

/*
 * Buckets of days and more are computed as civil dates and only then turned into instants, so
 * that clock changes need no thought. Hours are steps of time from one full hour of the clock
 * to the next.
 */

/* The second between two moments at which the offset changes, which it does once. */
static int64_t find_change(const struct zone *zone, int64_t before, int64_t after)
{
    int32_t offset = zone_offset(zone, before);
    int64_t low = before / SECOND_US; /* a change is at a whole second */
    int64_t high = after / SECOND_US;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (zone_offset(zone, middle * SECOND_US) == offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high * SECOND_US;
}

static int64_t past_full_hour(const struct zone *zone, int64_t instant)
{
    int64_t local = (instant + zone_offset(zone, instant) * SECOND_US) % HOUR_US;
    return local < 0 ? local + HOUR_US : local;
}

/*
 * A full hour of the clock, or the moment of a change inside an hour: where clocks change by
 * half an hour (Lord Howe) there is a bucket of half an hour.
 */
static int64_t hour_floor(const struct zone *zone, int64_t instant)
{
    int64_t start = instant - past_full_hour(zone, instant);
    bool changed = zone_offset(zone, start) != zone_offset(zone, instant);
    return changed ? find_change(zone, start, instant) : start;
}

static int64_t hour_next(const struct zone *zone, int64_t edge)
{
    int64_t next = edge + HOUR_US - past_full_hour(zone, edge);
    bool changed = zone_offset(zone, next) != zone_offset(zone, edge);
    return changed ? find_change(zone, edge, next) : next;
}

struct edges {
    int64_t *at;
    size_t count;
    size_t room;
};

static int add_edge(struct edges *edges, int64_t edge, enum bucket bucket, struct error *err)
{
    if (edges->count > LIMIT_BUCKETS) {
        return error_set(err, ERROR_LIMIT,
                         "the period has more than %d %ss: write a shorter one, or count by "
                         "something longer",
                         LIMIT_BUCKETS, bucket_name(bucket));
    }
    if (edges->count == edges->room) {
        edges->room = edges->room > 0 ? 2 * edges->room : 64;
        edges->at = mem_resize(edges->at, edges->room, sizeof(*edges->at));
    }
    edges->at[edges->count++] = edge;
    return 0;
}

static int add_hours(struct edges *edges, struct period period, const struct zone *zone,
                     struct error *err)
{
    int64_t edge = hour_floor(zone, period.from);
    int rc = add_edge(edges, edge, BUCKET_HOUR, err);
    while (rc == 0 && (edge < period.to || edges->count < 2)) {
        edge = hour_next(zone, edge);
        rc = add_edge(edges, edge, BUCKET_HOUR, err);
    }
    return rc;
}

static int add_dates(struct edges *edges, struct period period, enum bucket bucket,
                     const struct zone *zone, struct error *err)
{
    struct civil start =
        bucket_floor(zone_civil(zone, period.from), bucket, zone_year_start(zone));
    int64_t edge = zone_instant(zone, start);
    int rc = add_edge(edges, edge, bucket, err);
    for (int step = 1; rc == 0 && (edge < period.to || edges->count < 2); step++) {
        int64_t next = zone_instant(zone, bucket_step(start, bucket, step));
        if (next > edge) { /* a day that a zone skipped, as Samoa 2011-12-30, is no bucket */
            edge = next;
            rc = add_edge(edges, edge, bucket, err);
        }
    }
    return rc;
}

int calendar_edges(struct period period, enum bucket bucket, const struct zone *zone,
                   int64_t **edges, size_t *count, struct error *err)
{
    assert(period.from <= period.to);
    struct edges list = {0};
    int rc = 0;
    if (bucket == BUCKET_NONE) {
        rc = add_edge(&list, period.from, bucket, err);
        if (rc == 0) {
            rc = add_edge(&list, period.to, bucket, err);
        }
    } else if (bucket == BUCKET_HOUR) {
        rc = add_hours(&list, period, zone, err);
    } else {
        rc = add_dates(&list, period, bucket, zone, err);
    }
    if (rc != 0) {
        free(list.at);
        return rc;
    }
    *edges = list.at;
    *count = list.count - 1;
    return 0;
}

/* Whether the clock shows this time twice, now or earlier. */
static bool is_repeated(const struct zone *zone, int64_t edge)
{
    if (zone_instant(zone, zone_civil(zone, edge)) != edge) {
        return true;
    }
    int64_t back_s = zone_offset(zone, edge) - zone_offset(zone, edge + 3 * HOUR_US);
    return back_s > 0 && zone_offset(zone, edge + back_s * SECOND_US) ==
                             zone_offset(zone, edge + 3 * HOUR_US);
}

/*
 * An hour that the clock shows twice has its offset at the end, so that labels stay different.
 */
static void print_hour(int64_t edge, const struct zone *zone, char label[BUCKET_LABEL_MAX])
{
    enum { TO_MINUTE = 16, TO_SECOND = 19 };

    char text[INSTANT_TEXT_MAX];
    zone_print(zone, edge - edge % SECOND_US, text);
    text[TO_MINUTE] = '\0';
    const char *offset = is_repeated(zone, edge) ? text + TO_SECOND : "";
    int length = snprintf(label, BUCKET_LABEL_MAX, "%s%s", text, offset);
    assert(length < BUCKET_LABEL_MAX);
}

/*
 * FY2025 for a year that does not begin in January, named after the year it ends in; else 2025.
 */
static int print_year(struct civil start, const struct zone *zone, char label[BUCKET_LABEL_MAX])
{
    const int first = zone_year_start(zone);
    const int year = start.year + (first > 1 && start.month >= first);
    return snprintf(label, BUCKET_LABEL_MAX, "%s%04d", first > 1 ? "FY" : "", year);
}

static int print_quarter(struct civil start, const struct zone *zone,
                         char label[BUCKET_LABEL_MAX])
{
    const int length = print_year(start, zone, label);
    const int month = (start.month - zone_year_start(zone) + 12) % 12;
    return length +
           snprintf(label + length, (size_t)(BUCKET_LABEL_MAX - length), "-Q%d", month / 3 + 1);
}

const char *calendar_label(int64_t edge, enum bucket bucket, const struct zone *zone,
                           char label[BUCKET_LABEL_MAX])
{
    struct civil civil = zone_civil(zone, edge);
    int year = civil.year;
    int week = 0;
    int length = 0;
    label[0] = '\0';
    switch (bucket) {
    case BUCKET_NONE:
        break;
    case BUCKET_HOUR:
        print_hour(edge, zone, label);
        break;
    case BUCKET_DAY:
        length =
            snprintf(label, BUCKET_LABEL_MAX, "%04d-%02d-%02d", year, civil.month, civil.day);
        break;
    case BUCKET_WEEK:
        civil_iso_week(civil, &year, &week);
        length = snprintf(label, BUCKET_LABEL_MAX, "%04d-W%02d", year, week);
        break;
    case BUCKET_MONTH:
        length = snprintf(label, BUCKET_LABEL_MAX, "%04d-%02d", year, civil.month);
        break;
    case BUCKET_QUARTER:
        length = print_quarter(civil, zone, label);
        break;
    case BUCKET_YEAR:
        length = print_year(civil, zone, label);
        break;
    }
    assert(length < BUCKET_LABEL_MAX);
    return label;
}
