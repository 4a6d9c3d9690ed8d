/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The spans of the calendar that usage is counted by: their names, and where they begin.
 */

#include "base/attribute.h"
#include "base/civil.h"
#include "base/error.h"
#include "base/str.h"

enum bucket {
    BUCKET_NONE,
    BUCKET_HOUR,
    BUCKET_DAY,
    BUCKET_WEEK, /* from Monday */
    BUCKET_MONTH,
    BUCKET_QUARTER,
    BUCKET_YEAR,
};

/* "hour", "day", ..., "none"; ERROR_USAGE names the choices. */
int bucket_parse(struct str text, enum bucket *out, struct error *err) MUST_CHECK;
const char *bucket_name(enum bucket bucket);

/*
 * The first date of the bucket a date lies in, at midnight; of hours, the date. Years and their
 * quarters begin with month `year_start`, 1 to 12.
 */
struct civil bucket_floor(struct civil civil, enum bucket bucket, int year_start);

/*
 * A first date moved by so many buckets, of a day or longer. Fields may leave their range:
 * zone_instant carries them.
 */
struct civil bucket_step(struct civil start, enum bucket bucket, int count);
