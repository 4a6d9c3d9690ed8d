/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Amounts of service units: whole millionths in 64 bits. Nothing is rounded on the way in, and
 * nothing wraps: what does not fit is refused with a sentence.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "table/table.h"

#define AMOUNT_ONE INT64_C(1000000) /* one SU */

/*
 * Reads "10000", "0.1", "-2.5", "1e6": up to six decimals, from -9223372036854.775808 to
 * 9223372036854.775807. ERROR_USAGE says what is wrong with anything else.
 */
int amount_parse(struct str text, int64_t *micro, struct error *err) MUST_CHECK;

/* "10000", "0.1", "-2.5": as few decimals as there are. In `arena`. */
struct str amount_print(struct arena *arena, int64_t micro);

/* a + b; ERROR_LIMIT if it does not fit. */
int amount_add(int64_t a, int64_t b, int64_t *sum, struct error *err) MUST_CHECK;

/*
 * a * b / c, rounded half up; a and b not negative, c above zero. ERROR_LIMIT if it does not
 * fit.
 */
int amount_scale(int64_t a, int64_t b, int64_t c, int64_t *out, struct error *err) MUST_CHECK;

/* A wide value as an amount; ERROR_LIMIT if it is not one. */
int amount_of(wide_int value, int64_t *out, struct error *err) MUST_CHECK;
