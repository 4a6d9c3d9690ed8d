/* SPDX-License-Identifier: MIT */
#include "books/foreign.h"

#include <sqlite3.h>
#include <string.h>

#include "base/buf.h"
#include "base/limit.h"

static const char HEADER[] = "SQLite format 3"; /* with its NUL */

bool foreign_is_database(struct str bytes)
{
    return bytes.len >= sizeof(HEADER) && memcmp(bytes.ptr, HEADER, sizeof(HEADER)) == 0;
}

/*
 * A database in memory that has the bytes as its own: SQLite frees them. NULL: it cannot be
 * had.
 */
static sqlite3 *open_copy(struct str bytes)
{
    sqlite3 *db = NULL;
    unsigned char *copy = sqlite3_malloc64(bytes.len);
    if (!copy || sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        sqlite3_free(copy);
        (void)sqlite3_close(db);
        return NULL;
    }
    memcpy(copy, bytes.ptr, bytes.len);
    const int code = sqlite3_deserialize(
        db, "main", copy, (sqlite3_int64)bytes.len, (sqlite3_int64)bytes.len,
        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
    if (code != SQLITE_OK || sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != 0 ||
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) != 0) {
        (void)sqlite3_close(db);
        return NULL;
    }
    return db;
}

/*
 * SELECT [id], [account] FROM "sbank" ORDER BY 1; the name of the table is quoted, whatever it
 * contains.
 */
static void write_question(struct buf *out, const char *table, const char *const *columns,
                           size_t count)
{
    buf_addz(out, "SELECT ");
    for (size_t i = 0; i < count; i++) {
        /* in brackets: a name in quotes that is no column would be taken for a text */
        buf_addf(out, "%s[%s]", i ? ", " : "", columns[i]);
    }
    buf_addz(out, " FROM \"");
    for (const char *c = table; *c; c++) {
        buf_addf(out, "%s%c", *c == '"' ? "\"" : "", *c);
    }
    buf_addz(out, "\" ORDER BY 1");
}

/* The question of the only table that has the columns; *found says how many have. */
static int find_question(sqlite3 *db, const char *const *columns, size_t count, struct buf *out,
                         size_t *found, struct error *err)
{
    static const char names[] = "SELECT name FROM sqlite_master WHERE type = 'table' AND name "
                                "NOT LIKE 'sqlite_%'";
    sqlite3_stmt *list = NULL, *one = NULL;
    struct buf question;
    int code = sqlite3_prepare_v2(db, names, -1, &list, NULL);
    buf_init(&question, LIMIT_TEXT_FIELD);
    *found = 0;
    while (code == SQLITE_OK && (code = sqlite3_step(list)) == SQLITE_ROW) {
        buf_clear(&question);
        write_question(&question, (const char *)sqlite3_column_text(list, 0), columns, count);
        code = SQLITE_OK;
        if (sqlite3_prepare_v2(db, question.ptr, -1, &one, NULL) == SQLITE_OK) {
            (*found)++;
            buf_clear(out);
            buf_add(out, buf_str(&question));
        }
        (void)sqlite3_finalize(one);
        one = NULL;
    }
    (void)sqlite3_finalize(list);
    buf_release(&question);
    return code == SQLITE_DONE ? 0
                               : error_set(err, ERROR_INPUT, "the database cannot be read: %s",
                                           sqlite3_errmsg(db));
}

static struct str cell_of(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? (struct str){text, (size_t)sqlite3_column_bytes(statement, column)}
                : (struct str){0};
}

static int step(sqlite3 *db, sqlite3_stmt *statement, size_t count,
                int (*take)(void *context, const struct str *cells, struct error *err),
                void *context, struct error *err)
{
    struct str cells[FOREIGN_COLUMNS_MAX];
    int code, failed = 0;
    while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < count; i++) {
            cells[i] = cell_of(statement, (int)i);
        }
        failed = take(context, cells, err);
    }
    return failed || code == SQLITE_DONE
               ? failed
               : error_set(err, ERROR_INPUT, "the database cannot be read: %s",
                           sqlite3_errmsg(db));
}

int foreign_rows(struct str bytes, const char *const *columns, size_t count,
                 int (*take)(void *context, const struct str *cells, struct error *err),
                 void *context, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    struct buf question;
    size_t found = 0;
    sqlite3 *db = open_copy(bytes);
    if (!db) {
        return error_set(err, ERROR_IO, "a database cannot be opened in memory");
    }
    buf_init(&question, LIMIT_TEXT_FIELD);
    int failed = find_question(db, columns, count, &question, &found, err);
    if (!failed && found != 1) {
        failed = error_set(err, ERROR_INPUT,
                           "%s of its tables has all columns of slurm_bank, from '%s' to '%s'",
                           found ? "more than one" : "none", columns[0], columns[count - 1]);
    }
    if (!failed) {
        failed = sqlite3_prepare_v2(db, question.ptr, -1, &statement, NULL) == SQLITE_OK
                     ? step(db, statement, count, take, context, err)
                     : error_set(err, ERROR_INPUT, "the database cannot be read: %s",
                                 sqlite3_errmsg(db));
    }
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    buf_release(&question);
    return failed;
}
