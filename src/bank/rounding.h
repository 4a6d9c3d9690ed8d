/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Amounts of money in the smallest unit of their currency. Rounding is symmetric: what a credit
 * note gives back is exactly what the invoice asked for.
 */

#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

enum rounding_rule {
    ROUNDING_HALF_UP,   /* halves away from zero, as merchants do */
    ROUNDING_HALF_EVEN, /* halves to the even neighbour */
    ROUNDING_DOWN,      /* towards zero */
    ROUNDING_RULES,
};

/* "half-up", "half-even", "down". */
const char *rounding_rule_name(enum rounding_rule rule);
enum rounding_rule rounding_rule_of(struct str name); /* of a name that is one */

/*
 * Decimals of a currency by its code of ISO 4217: 0 of JPY, 3 of KWD; 2 of those that are not
 * known.
 */
int rounding_decimals(struct str currency);

/* Rounds millionths to `decimals` (0 to 6). ERROR_LIMIT if the result does not fit. */
int rounding_apply(int64_t micro, int decimals, enum rounding_rule rule, int64_t *out,
                   struct error *err) MUST_CHECK;

/* The same of `percent` (millionths of a percent) of an amount, without rounding on the way. */
int rounding_share(int64_t micro, int64_t percent, int decimals, enum rounding_rule rule,
                   int64_t *out, struct error *err) MUST_CHECK;

/*
 * "12.50": with all decimals of the currency, and more where the amount has them. In `arena`.
 */
struct str rounding_print(struct arena *arena, int64_t micro, int decimals);
