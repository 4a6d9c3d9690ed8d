/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A table of an SQLite database that another program wrote, for taking it over. It is read from
 * its bytes: nothing of it is opened where it lies, and nothing can be written to it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

enum { FOREIGN_COLUMNS_MAX = 16 };

bool foreign_is_database(struct str bytes);

/*
 * Hands over the rows of the only table that has all these columns, whatever its name, in the
 * order of their first column: cells as text in the order of `columns` (no more than
 * FOREIGN_COLUMNS_MAX), the null string for NULL, valid until `take` returns. ERROR_INPUT where
 * no table has them, or several have, or the database is damaged; what `take` fails with is
 * passed on.
 */
int foreign_rows(struct str bytes, const char *const *columns, size_t count,
                 int (*take)(void *context, const struct str *cells, struct error *err),
                 void *context, struct error *err) MUST_CHECK;
