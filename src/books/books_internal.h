/* SPDX-License-Identifier: MIT */
#pragma once

/* The books from inside: SQLite by short words. Inside books/ only. */

#include <sqlite3.h>
#include <stdbool.h>

#include "base/buf.h"
#include "books/books.h"

struct books {
    sqlite3 *db;
    char *path; /* of the file, for messages */
    const struct books_world *world;
    bool in_transaction;
    unsigned touched; /* bit i: kinds[i] was changed in this transaction */
};

/* What SQLite said last, in our words: "<what>: no space left ...". */
int books_error(struct books *books, int code, const char *what, struct error *err);

/* Runs statements without values. */
int books_run(struct books *books, const char *sql, const char *what,
              struct error *err) MUST_CHECK;

/*
 * A statement, its values bound one by one from 1, then stepped. Failures stay inside until `finish`
 * tells: so a statement reads from top to bottom without a check a line.
 *
 *     struct query q = query_begin(books, "SELECT ... WHERE id = ?");
 *     query_int(&q, id);
 *     while (query_row(&q)) { ... query_text_at(&q, 0, arena) ... }
 *     return query_finish(&q, "cannot read the books", err);
 */
struct query {
    struct books *books;
    sqlite3_stmt *statement;
    int code; /* of the first thing that failed */
    int bound;
};

struct query query_begin(struct books *books, const char *sql);
void query_int(struct query *query, int64_t value);
void query_text(struct query *query, struct str text); /* the null string is NULL */
bool query_row(struct query *query);
int64_t query_int_at(struct query *query, int column);
struct str query_text_at(struct query *query, int column, struct arena *arena);
int query_finish(struct query *query, const char *what, struct error *err) MUST_CHECK;

/* Reads and checks given cells into a row of canonical ones, in `arena`. */
int books_read_row(struct books *books, const struct kind *kind, const struct str *cells,
                   struct arena *arena, struct kind_row *row, struct error *err) MUST_CHECK;

/* What must hold of a row by itself and against others, except that its key is free. */
int books_check_row(struct books *books, const struct kind *kind, const struct kind_row *row,
                    struct error *err) MUST_CHECK;

/* A row of the table has this as its first column; else ERROR_USAGE offers the nearest. */
int books_check_reference(struct books *books, const char *table, struct str name,
                          struct error *err) MUST_CHECK;

/* Writes a row as it is: with its id if that is not 0, which it gets otherwise. No history. */
int books_insert(struct books *books, const struct kind *kind, struct kind_row *row,
                 struct error *err) MUST_CHECK;

/* A row as one JSON object on one line, absent cells left out. */
void books_row_json(struct buf *out, const struct kind *kind, const struct kind_row *row);

/* Writes one change; its id as given, or 0 for the next. */
int books_history_add(struct books *books, const struct books_change *change,
                      struct error *err) MUST_CHECK;

void books_touch(struct books *books, const struct kind *kind);
