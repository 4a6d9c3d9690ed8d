/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Packing in the words of SQLite: functions that only the step to packed tables uses
 * (sql/books/schema/013-packed.sql).
 */

#include <sqlite3.h>

/*
 * Defines, for this connection:
 *
 *     bank_bucket(run)                the bucket of a run's name
 *     bank_pack_lines(run, n, account, cluster, user, rate, start, end, amount)
 *                                     an aggregate: the lines of all rows
 *     bank_pack_cells(day, cluster, user, amount)
 *                                     an aggregate: the cells of all rows
 *
 * Returns a code of SQLite.
 */
int packed_sql_define(sqlite3 *db);
