/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One statement of the books: for books/ itself, for bank/, whose ledger lies in the same file,
 * and for enforce/, which records there what it set. Everything else goes through the headers
 * of these.
 *
 * Values are bound one by one from 1, then rows are stepped. Failures stay inside until
 * `finish` returns the first of them: so a statement reads from top to bottom without a check a
 * line.
 *
 *     struct query q = query_begin(books, SQL_BANK_POTS);
 *     query_int(&q, id);
 *     while (query_row(&q)) { ... query_text_at(&q, 0, arena) ... }
 *     return query_finish(&q, "cannot read the books", err);
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

struct books;
struct sqlite3_stmt;

struct query {
    struct books *books;
    struct sqlite3_stmt *statement;
    int code; /* of the first thing that failed */
    int bound;
};

struct query query_begin(struct books *books, const char *sql);
void query_int(struct query *query, int64_t value);
void query_text(struct query *query, struct str text);  /* the null string is NULL */
void query_blob(struct query *query, struct str bytes); /* which last until it has run */
void query_null(struct query *query);
bool query_row(struct query *query);
int64_t query_int_at(struct query *query, int column);
bool query_has_at(struct query *query, int column); /* false: NULL */
struct str query_text_at(struct query *query, int column, struct arena *arena);

/* Text that lasts until the next row only. */
struct str query_view_at(struct query *query, int column);
struct str query_blob_at(struct query *query, int column); /* bytes, likewise */

/* Runs a statement to its end, for its effect. */
void query_run(struct query *query);

/* Makes a statement ready for other values; what failed before stays failed. */
void query_again(struct query *query);

/* Rows that the last statement of the books changed. */
int64_t query_changed(const struct query *query);
int query_finish(struct query *query, const char *what, struct error *err) MUST_CHECK;
