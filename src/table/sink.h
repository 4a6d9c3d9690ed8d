/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Receives the rows of an answer of any length. They arrive in chunks, tables of the same
 * columns with up to a few thousand rows each, in the order of the answer. A chunk and its text
 * belong to the sender and are valid during the call. A sink that fails ends the answer.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "table/table.h"

struct table_sink {
    void *context;
    int (*take)(void *context, const struct table *chunk, struct error *err) MUST_CHECK;
};

/*
 * A sink that keeps all rows: `context` is a struct table, which gets the columns of the first
 * chunk.
 */
int table_collect(void *context, const struct table *chunk, struct error *err) MUST_CHECK;

/*
 * A sink that passes chunks on to another with other column names: `context` is a struct
 * table_renaming with a heading for each column. Types do not change.
 */
struct table_renaming {
    const struct heading *headings;
    const struct table_sink *sink;
};

int table_rename(void *context, const struct table *chunk, struct error *err) MUST_CHECK;
