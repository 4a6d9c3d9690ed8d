/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The steps to the present schema of the books, sql/books/schema/NNN-name.sql; all run in one
 * transaction.
 */

#include "base/migration.h"

extern const struct migration books_migrations[];
extern const size_t books_migrations_count;
