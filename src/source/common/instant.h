/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Instants as RFC 3339 writes them: "2025-03-01T12:00:00.5+01:00". The parts are for formats
 * that write something like it. Each takes what it reads off the start of `rest` and is false
 * if it is not there.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/civil.h"
#include "base/str.h"

/*
 * A day and a time of day that there are, without fraction; `colons` are the marks allowed
 * between the parts.
 */
bool instant_take_civil(struct str *rest, const char *colons, struct civil *civil);

/* A point and decimals, or nothing. */
bool instant_take_fraction(struct str *rest, struct civil *civil);

/* One of the bytes in `marks`. */
bool instant_take_mark(struct str *rest, const char *marks);

/* All of `text`, which must tell its zone, as microseconds since 1970; later than that. */
bool instant_read(struct str text, int64_t *out);
