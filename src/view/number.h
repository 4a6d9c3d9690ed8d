/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Numbers as text: exactly for machines, humanised for people. Both start from the integer in
 * the column's small unit, so nothing is rounded before this point.
 */

#include "base/buf.h"
#include "base/zone.h"
#include "table/table.h"

/*
 * The cell for machine formats: seconds and hours as decimals (at most 10 places, rounded half
 * to even on the exact quotient, trailing zeros cut), counts and bytes as integers, ratios with
 * up to 10 places, instants as ISO 8601 in `zone`. Text is not handled here. Absent cells add
 * nothing.
 */
void number_exact(struct buf *out, const struct table *table, size_t column, size_t row,
                  const struct zone *zone);

/*
 * The cell for people: 1,234.5 (hours), 3-04:05:06 or 04:05:06 (seconds), 4.0 GiB (bytes), 87.5
 * % (ratio), 2025-03-01 12:00:00 (instants), `---` when absent.
 */
void number_human(struct buf *out, const struct table *table, size_t column, size_t row,
                  const struct zone *zone);

/* An instant as number_human writes it. */
void number_instant(struct buf *out, int64_t instant, const struct zone *zone);
