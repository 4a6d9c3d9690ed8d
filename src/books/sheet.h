/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Rows of one kind in a file of somebody else's making: CSV with a heading, a JSON array of
 * objects, or JSON objects one after the other. What `stint ... list --format csv` (json,
 * jsonl) writes can be read, and so can sheets that people keep.
 *
 * Headings are the ids of columns, in any order; one that the kind does not have is an error,
 * `id` is passed over. A column that a sheet does not have, or a key that an object does not
 * have, is the null string: "says nothing about it". An empty cell, or null, is an empty text:
 * "absent".
 */

#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/kind.h"

struct sheet_row {
    size_t place; /* line of a CSV file, or number of the object, from 1 */
    struct str cells[KIND_COLUMNS_MAX]; /* as they stand there */
};

struct sheet {
    const char *place; /* what places count: "line" or "entry" */
    struct sheet_row *rows;
    size_t count;
    struct arena arena;
};

/* `out` is released also when it fails. ERROR_INPUT names the place. */
int sheet_read(const struct kind *kind, struct str text, struct sheet *out,
               struct error *err) MUST_CHECK;
void sheet_release(struct sheet *sheet);
