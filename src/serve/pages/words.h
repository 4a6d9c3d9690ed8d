/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Numbers and times as a sentence has them: "today 14:30", "12 Nov, 14:30", "2 h 40 min",
 * "1,234", "12 of 32". Tables keep the exact forms of view/number.h. Inside serve/pages.
 */

#include "base/buf.h"
#include "base/zone.h"
#include "table/table.h"

/*
 * "today 14:30", "yesterday 14:30", "12 Nov, 14:30"; with the year where it is not the one of
 * `now`.
 */
void words_instant(struct buf *out, const struct zone *zone, int64_t instant, int64_t now);

/*
 * A length of time by its two largest units: "5 d 4 h", "2 h 40 min", "42 s". Without a sign.
 */
void words_span(struct buf *out, int64_t us);

/* "1,234", "8.12 M" from a million on; below ten with one decimal, unless it is whole. */
void words_amount(struct buf *out, double amount);

/* "128 GiB", "2.3 TiB". */
void words_bytes(struct buf *out, double bytes);

/*
 * A bin of sizes: "10 s to 1 min" of "[10s, 1m)", "under 10 s" of "[0s, 10s)", "7 d and more";
 * any other text as it is.
 */
void words_bin(struct buf *out, struct str bin);

/* A cell of a table in these forms, by its unit; nothing where the cell is absent. */
void words_cell(struct buf *out, const struct table *table, size_t column, size_t row,
                const struct zone *zone, int64_t now);

/*
 * A note or an error as a page has it: times and lengths of time in these forms, without what
 * only a command line can do ("define it with: stint capacity add ..."); nothing is left of one
 * that says only that.
 */
void words_note(struct buf *out, struct str note, const struct zone *zone, int64_t now);
