/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "books/books_internal.h"

/* Takes the statement at `i` out of the cache; the others stay in their order. */
static sqlite3_stmt *take_at(struct books *books, size_t i)
{
    sqlite3_stmt *statement = books->idle[i];
    books->idle_count--;
    memmove(&books->idle[i], &books->idle[i + 1],
            (books->idle_count - i) * sizeof(books->idle[0]));
    return statement;
}

/* An idle statement of this text, taken out of the cache; NULL: none. */
static sqlite3_stmt *take_idle(struct books *books, const char *sql)
{
    for (size_t i = books->idle_count; i > 0; i--) {
        if (strcmp(sqlite3_sql(books->idle[i - 1]), sql) == 0) {
            return take_at(books, i - 1);
        }
    }
    return NULL;
}

/*
 * Keeps a statement for the next call with the same text, the one that was used last behind the
 * others; what does not fit is the one that was used first.
 */
static void keep_idle(struct books *books, sqlite3_stmt *statement)
{
    if (books->idle_count == BOOKS_IDLE_MAX) {
        sqlite3_finalize(take_at(books, 0));
    }
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    books->idle[books->idle_count++] = statement;
}

void books_forget_statements(struct books *books)
{
    while (books->idle_count > 0) {
        sqlite3_finalize(books->idle[--books->idle_count]);
    }
}

struct query query_begin(struct books *books, const char *sql)
{
    struct query query = {.books = books, .statement = take_idle(books, sql)};
    if (query.statement) {
        return query;
    }
    query.code = sqlite3_prepare_v2(books->db, sql, -1, &query.statement, NULL);
    return query;
}

void query_int(struct query *query, int64_t value)
{
    query->bound++;
    if (query->code == SQLITE_OK) {
        query->code = sqlite3_bind_int64(query->statement, query->bound, value);
    }
}

void query_text(struct query *query, struct str text)
{
    query->bound++;
    if (query->code == SQLITE_OK) {
        query->code = text.ptr ? sqlite3_bind_text64(query->statement, query->bound, text.ptr,
                                                     text.len, SQLITE_TRANSIENT, SQLITE_UTF8)
                               : sqlite3_bind_null(query->statement, query->bound);
    }
}

/* Borrowed: not copied, so it has to last until the statement has run. */
void query_blob(struct query *query, struct str bytes)
{
    query->bound++;
    if (query->code == SQLITE_OK) {
        query->code = sqlite3_bind_blob64(query->statement, query->bound, bytes.ptr, bytes.len,
                                          SQLITE_STATIC);
    }
}

void query_null(struct query *query)
{
    query_text(query, (struct str){0});
}

bool query_row(struct query *query)
{
    if (query->code == SQLITE_OK) {
        int code = sqlite3_step(query->statement);
        if (code == SQLITE_ROW) {
            return true;
        }
        query->code = code == SQLITE_DONE ? SQLITE_OK : code;
    }
    return false;
}

int64_t query_int_at(struct query *query, int column)
{
    return sqlite3_column_int64(query->statement, column);
}

bool query_has_at(struct query *query, int column)
{
    return sqlite3_column_type(query->statement, column) != SQLITE_NULL;
}

struct str query_view_at(struct query *query, int column)
{
    const char *text = (const char *)sqlite3_column_text(query->statement, column);
    return text ? (struct str){text, (size_t)sqlite3_column_bytes(query->statement, column)}
                : (struct str){0};
}

struct str query_blob_at(struct query *query, int column)
{
    const char *bytes = sqlite3_column_blob(query->statement, column);
    return (struct str){bytes, (size_t)sqlite3_column_bytes(query->statement, column)};
}

struct str query_text_at(struct query *query, int column, struct arena *arena)
{
    struct str text = query_view_at(query, column);
    return text.ptr ? arena_copy(arena, text) : text;
}

void query_run(struct query *query)
{
    while (query_row(query)) {
    }
}

void query_again(struct query *query)
{
    query->bound = 0;
    if (query->code == SQLITE_OK) {
        (void)sqlite3_reset(query->statement);
    }
}

int64_t query_changed(const struct query *query)
{
    return sqlite3_changes64(query->books->db);
}

int query_finish(struct query *query, const char *what, struct error *err)
{
    int failed =
        query->code == SQLITE_OK ? 0 : books_error(query->books, query->code, what, err);
    if (query->statement && !failed) {
        keep_idle(query->books, query->statement);
    } else {
        sqlite3_finalize(query->statement);
    }
    query->statement = NULL;
    return failed;
}
