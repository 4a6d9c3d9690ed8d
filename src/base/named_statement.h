/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A statement that is always the same stands in a .sql file below sql/ under a line "-- name:
 * journal_put_file" and is SQL_JOURNAL_PUT_FILE where it is used. All of a folder are in an
 * array, so that a test can prepare each.
 */

#include <stddef.h>

struct named_statement {
    const char *name;
    const char *sql;
};
