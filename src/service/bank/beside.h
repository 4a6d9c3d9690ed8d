/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A second unit that amounts of SU are shown in: `beside` of [bank] in stint.conf, such as
 * 0.02 EUR. What is shown follows from the SU of the same row, rounded to a millionth, and is
 * added up nowhere. Inside service/ only.
 *
 *     beside_columns(service, table, ids, &beside);     after the columns of the table
 *     ... rows ...
 *     failed = beside_fill(&beside, table, err);
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "service/core/service.h"

enum { BESIDE_COLUMNS_MAX = 4 };

struct beside {
    int64_t price;   /* of an SU, in millionths of the unit; 0: there is no second unit */
    struct str unit; /* borrowed from the configuration */
    size_t count;

    struct {
        size_t of, column;
    } columns[BESIDE_COLUMNS_MAX];
};

/* The second unit alone; true if there is one. */
bool beside_read(const struct service *service, struct beside *out);

/* Adds a column for each of the named ones; `ids` ends with NULL. */
void beside_columns(const struct service *service, struct table *table, const char *const *ids,
                    struct beside *out);

/* ERROR_LIMIT if an amount is too large to be shown in it. */
int beside_fill(const struct beside *beside, struct table *table, struct error *err) MUST_CHECK;
