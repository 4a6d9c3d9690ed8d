/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Numbers for the names of clusters and users in the tables of charges, which are long: see
 * bank_name in the schema.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"

struct name_ids {
    struct name_ids_row {
        struct str name; /* the null string: a free place */
        int64_t id;
    } * rows;

    size_t room, count;
    size_t written; /* those numbered from 1 to here are in the books */
    struct arena arena;
};

/* `out` is released also when it fails. */
int name_ids_read(struct books *books, struct name_ids *out, struct error *err) MUST_CHECK;
void name_ids_release(struct name_ids *names);

/* Whether a name has a number. */
bool name_ids_has(const struct name_ids *names, struct str name);

/*
 * The number of a name; a new one gets the next. The null string is a name as well: of what is
 * not recorded.
 */
int64_t name_ids_id(struct name_ids *names, struct str name);

/* The name as it is kept here, for as long as `names` is. */
struct str name_ids_kept(struct name_ids *names, struct str name);

/* The name that a number of the books stands for. Text is kept in `arena`. */
int name_ids_of(struct books *books, int64_t id, struct arena *arena, struct str *out,
                struct error *err) MUST_CHECK;

/* Writes the new ones, inside a transaction of the caller. */
int name_ids_write(struct name_ids *names, struct books *books, struct error *err) MUST_CHECK;
