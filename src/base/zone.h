/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A time zone as a value, read from the system's tz database (TZif files; RFC 8536): no global
 * state, no TZ variable, safe to share between threads once open.
 *
 * An instant is int64_t microseconds since 1970-01-01T00:00:00 UTC, everywhere in stint. Leap
 * seconds do not exist, as in POSIX.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/civil.h"
#include "base/error.h"

#define SECOND_US INT64_C(1000000)
#define HOUR_US   (3600 * SECOND_US)
#define DAY_US    (24 * HOUR_US)

/*
 * Instants later than those of CIVIL_YEARS are refused by parsers: nothing we account for is
 * there.
 */
#define INSTANT_MAX INT64_C(9200000000000000)

struct zone;

/*
 * Opens a zone by its tz database name ("Europe/Oslo", "UTC"), or by a POSIX rule such as
 * "CET-1CEST,M3.5.0,M10.5.0/3". NULL or "" means the system's: TZ, else /etc/localtime, else
 * UTC. "UTC" needs no database. A name that is not there is ERROR_MISSING, one that could not
 * be there ERROR_USAGE. The caller closes it. The database is looked for in TZDIR, if that is
 * set, then where systems keep it.
 */
int zone_open(const char *name, struct zone **out, struct error *err) MUST_CHECK;
void zone_close(struct zone *zone);
const char *zone_name(const struct zone *zone); /* lives as long as the zone */

/*
 * The month the years of this place begin with, 1 to 12; 1 unless it was set, right after
 * opening. It is kept here because it goes wherever the zone goes: a year or a quarter needs
 * both. zone_fiscal_month is what was set, 0 if nothing was: then nobody knows what a fiscal
 * year is.
 */
void zone_start_year(struct zone *zone, int month);
int zone_year_start(const struct zone *zone);
int zone_fiscal_month(const struct zone *zone);

/* Seconds east of UTC at an instant, and that instant's civil time. */
int32_t zone_offset(const struct zone *zone, int64_t instant);
struct civil zone_civil(const struct zone *zone, int64_t instant);

/*
 * The instant of a civil time; without a zone (NULL), in UTC. Fields out of range are carried
 * (month 13 is January of the next year, day 0 the last of the month before). A time that a
 * clock change skips is the instant the clock jumps over; one that occurs twice is its first
 * occurrence.
 */
int64_t zone_instant(const struct zone *zone, struct civil civil);

/*
 * "2025-03-01T12:00:00+01:00"; micros only when not zero; Z for a zone that is always UTC.
 * Writes into `text` and returns it.
 */
enum { INSTANT_TEXT_MAX = 40 };

const char *zone_print(const struct zone *zone, int64_t instant, char text[INSTANT_TEXT_MAX]);
