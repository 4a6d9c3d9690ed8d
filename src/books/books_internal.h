/* SPDX-License-Identifier: MIT */
#pragma once

/* The books from inside: SQLite by short words. Inside books/ only. */

#include <sqlite3.h>
#include <stdbool.h>

#include "base/buf.h"
#include "books/books.h"
#include "books/query.h"

/* Statements that are kept prepared. */
enum { BOOKS_IDLE_MAX = 32 };

struct books {
    sqlite3 *db;
    char *path; /* of the file, for messages */
    const struct books_world *world;
    bool in_transaction;
    unsigned touched; /* bit i: kinds[i] was changed in this transaction */
    /* statements that were run and may be run again: query.c */
    sqlite3_stmt *idle[BOOKS_IDLE_MAX];
    size_t idle_count;
};

/* What SQLite said last, in our words: "<what>: no space left ...". */
int books_error(struct books *books, int code, const char *what, struct error *err);

/* Lets go of the statements that are kept prepared: before the connection is closed. */
void books_forget_statements(struct books *books);

/* Runs statements without values. */
int books_run(struct books *books, const char *sql, const char *what,
              struct error *err) MUST_CHECK;

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
