/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Grams of carbon dioxide (equivalents) that a kilowatt-hour of the grid stands for, over time:
 * a file of lines "time,grams", each of which holds until the next, the last one for ever.
 * Blank lines and lines that begin with # are left out, and so is a heading.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"

enum { CARBON_ROWS_MAX = 1 << 20 };

struct carbon_row {
    int64_t from;
    double grams;
};

struct carbon {
    struct carbon_row *rows;
    size_t count;
};

/*
 * Times are as --from takes them in `zone`, and ascend. Released by the caller, also when it
 * fails.
 */
int carbon_read(struct str text, const struct zone *zone, struct carbon *out,
                struct error *err) MUST_CHECK;
void carbon_release(struct carbon *carbon);

/*
 * The mean over a time, each moment counting the same; below 0 if it begins before the first
 * row.
 */
double carbon_mean(const struct carbon *carbon, int64_t from, int64_t to);
