/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Periods as people write them, and the calendar buckets of a period, in a site's zone.
 *
 * One rule everywhere: a period is half-open [from, to) in instants. Dates include both ends,
 * so `--from 2025-03-01 --to 2025-03-31` ends at midnight after the 31st; a time of day is the
 * instant itself.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/bucket.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"

struct period {
    int64_t from; /* included */
    int64_t to;   /* not included */
};

/*
 * Reads one end of a period. Forms:
 *
 *     2025  2025-Q3  2025-03  2025-W07  2025-03-01  FY2025  FY25  FY2025-Q3
 *     Jan, January (the last one that has begun)
 *     2025-03-01T12:00[:00[.5]], also with a blank for the T, and with Z or an offset (+01:00)
 *     @1700000000 (seconds since 1970)
 *     now  today  yesterday
 *     this-week  last-week  and so on with month, quarter, year
 *     90m  6h  7d  4w (that long before now; d and w reach back to midnight)
 *     now-7days (so long before now to the second; s, m, h, d, w or the words Slurm has for them)
 *
 * `out` is the span the text names: a day, a month, an instant (from == to). Years and quarters
 * are those of zone_year_start: where that is not January, a year is named after the one it
 * ends in. FY is refused where zone_fiscal_month is not set.
 */
int calendar_span(struct str text, const struct zone *zone, int64_t now, struct period *out,
                  struct error *err) MUST_CHECK;

/*
 * The period between two such texts: from the start of `from`'s span to the end of `to`'s.
 * Either may be empty: without `from`, 30 days before `to`, at the same time of day; without
 * `to`, now, or, when `from` names a calendar span longer than an instant (`--from 2024`,
 * `--from last-month`) and is the only one given, that span's own end, but for plain dates
 * (2025-03-01), today/yesterday and 7d-like forms, which run up to now. An empty or reversed
 * period is ERROR_USAGE with a sentence saying how to mend it.
 */
int calendar_period(struct str from, struct str to, const struct zone *zone, int64_t now,
                    struct period *out, struct error *err) MUST_CHECK;

/*
 * The period just before another, as long in the calendar: before whole months as many months,
 * before whole days as many days, else as much time. And the same period a year earlier; of 29
 * February that is the 28th.
 */
struct period calendar_before(struct period period, const struct zone *zone);
struct period calendar_year_before(struct period period, const struct zone *zone);

/*
 * The edges of the buckets that cover `period`: edges[0] <= from, edges[count] >= to, each the
 * civil start of a bucket in `zone` (so a day of a clock change has 23 or 25 hours). The caller
 * frees *edges, which holds *count + 1 values, ascending; *count is at least 1. BUCKET_NONE is
 * one bucket, the period itself. ERROR_LIMIT beyond LIMIT_BUCKETS.
 *
 * Where clocks change by half an hour, an hour is cut in two at the change.
 */
int calendar_edges(struct period period, enum bucket bucket, const struct zone *zone,
                   int64_t **edges, size_t *count, struct error *err) MUST_CHECK;

/*
 * The label of the bucket starting at `edge`: 2025-03-01T14:00, 2025-03-01, 2025-W09, 2025-03,
 * 2025-Q1, 2025 (FY2025-Q1, FY2025 where years do not begin in January), and nothing for
 * BUCKET_NONE. An hour that a clock change brings twice has its offset at the end
 * (2025-10-26T02:00+01:00), so that no two labels of a report are the same. Writes into `label`
 * and returns it.
 */
enum { BUCKET_LABEL_MAX = 32 };

const char *calendar_label(int64_t edge, enum bucket bucket, const struct zone *zone,
                           char label[BUCKET_LABEL_MAX]);
