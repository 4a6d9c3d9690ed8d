/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A table as a Parquet file, of any length and in bounded memory: rows are given in chunks, in
 * their order. Instants become UTC timestamps, hours and seconds doubles.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "table/table.h"

struct parquet;

/* Begins a file of these columns. */
int parquet_open(const char *path, const struct table *columns, struct parquet **out,
                 struct error *err) MUST_CHECK;

/* Adds the rows of a table with the same columns, which is the caller's again afterwards. */
int parquet_take(struct parquet *parquet, const struct table *chunk,
                 struct error *err) MUST_CHECK;

/* Writes what is left and frees; on failure the file is not to be used. */
int parquet_close(struct parquet *parquet, struct error *err) MUST_CHECK;

/* Ends it without a file that could be taken for a whole one; NULL is allowed. */
void parquet_abandon(struct parquet *parquet);
