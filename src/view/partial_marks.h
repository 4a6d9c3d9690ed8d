/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A table as people are to see it: what is marked has a star behind its period, or behind the
 * number, and the columns that say so, or that are for pictures only, are not there.
 */

#include <stdbool.h>

#include "table/table.h"

/* Whether there is anything to do. */
bool partial_marks_is(const struct table *table);

/* Makes `out`, an empty table, from one. */
void partial_marks_table(const struct table *table, struct table *out);
