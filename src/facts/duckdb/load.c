/* SPDX-License-Identifier: MIT */

/*
 * Values of our own into the engine, row by row: small temporary tables for questions to join
 * with.
 */

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limit.h"
#include "facts/duckdb/facts_internal.h"

static int appender_failed(struct facts *facts, duckdb_appender appender, struct error *err)
{
    duckdb_error_data data = duck.appender_error_data(appender);
    int failed =
        facts_engine_error(facts, "cannot fill a table", duck.error_data_error_type(data),
                           duck.error_data_message(data), err);
    duck.destroy_error_data(&data);
    return failed;
}

static int begin_append(struct facts *facts, const char *catalog, const char *name,
                        duckdb_appender *appender, struct error *err)
{
    if (duck.appender_create_ext(facts->connection, catalog, NULL, name, appender) !=
        DuckDBSuccess) {
        return appender_failed(facts, *appender, err);
    }
    return 0;
}

/* Writes what the appender holds; `good` is whether all was appended. */
static int end(struct facts *facts, duckdb_appender *appender, bool good, struct error *err)
{
    int failed = 0;
    if (!good || duck.appender_close(*appender) != DuckDBSuccess) {
        failed = appender_failed(facts, *appender, err);
    }
    duck.appender_destroy(appender);
    return failed;
}

static bool append_value(duckdb_appender appender, const struct facts_value *value)
{
    switch (value->type) {
    case VALUE_NULL:
        return duck.append_null(appender) == DuckDBSuccess;
    case VALUE_INT:
        return duck.append_int64(appender, value->integer) == DuckDBSuccess;
    case VALUE_REAL:
        return duck.append_double(appender, value->real) == DuckDBSuccess;
    case VALUE_TEXT:
        return duck.append_varchar_length(appender, value->text.ptr, value->text.len) ==
               DuckDBSuccess;
    case VALUE_BYTES:
        return duck.append_blob(appender, value->text.ptr, value->text.len) == DuckDBSuccess;
    }
    return false;
}

static bool append_rows(duckdb_appender appender, size_t column_count,
                        struct facts_values values)
{
    bool good = true;
    for (size_t i = 0; good && i < values.count; i++) {
        good =
            append_value(appender, &values.values[i]) &&
            ((i + 1) % column_count != 0 || duck.appender_end_row(appender) == DuckDBSuccess);
    }
    return good;
}

static int load_values(struct facts *facts, const char *catalog, const char *table,
                       size_t column_count, struct facts_values values, struct error *err)
{
    duckdb_appender appender = NULL;
    int failed = begin_append(facts, catalog, table, &appender, err);
    bool good = failed || append_rows(appender, column_count, values);
    if (appender) {
        int ended = end(facts, &appender, good, err);
        failed = failed ? failed : ended;
    }
    return failed;
}

int facts_loader_open(struct facts *facts, const char *name, struct facts_loader *loader,
                      struct error *err)
{
    loader->facts = facts;
    loader->good = true;
    return begin_append(facts, "temp", name, &loader->appender, err);
}

int facts_loader_add(struct facts_loader *loader, struct facts_values values, struct error *err)
{
    loader->good = append_rows(loader->appender, loader->columns, values);
    return loader->good ? 0 : appender_failed(loader->facts, loader->appender, err);
}

int facts_loader_close(struct facts_loader *loader, struct error *err)
{
    return loader->appender ? end(loader->facts, &loader->appender, loader->good, err) : 0;
}

int facts_load_rows(struct facts *facts, const char *table, size_t column_count,
                    struct facts_values values, struct error *err)
{
    return load_values(facts, NULL, table, column_count, values, err);
}

/* A table that could not be made does not count. */
static int not_kept(struct facts *facts, int failed)
{
    if (failed) {
        query_cache_release(&facts->kept);
    }
    return failed;
}

enum { CONTENT_MAX = 4 << 20 };

int facts_load_values(struct facts *facts, const char *name, const char *columns,
                      size_t column_count, struct facts_values values, struct error *err)
{
    struct buf sql, content;
    if (facts->mode == FACTS_READ) {
        buf_init(&content, CONTENT_MAX);
        buf_addz(&content, columns);
        for (size_t i = 0; i < values.count; i++) {
            query_cache_add_value(&content, &values.values[i]);
        }
        if (query_cache_table_is(&facts->kept, name, &content)) {
            return 0;
        }
    }
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "CREATE OR REPLACE TEMP TABLE %s (%s)", name, columns);
    int failed;
    (void)((failed = facts_execute(facts, sql.ptr, (struct facts_values){0}, NULL, err)) ||
           (failed = load_values(facts, "temp", name, column_count, values, err)));
    buf_release(&sql);
    return not_kept(facts, failed);
}

int facts_load_integers(struct facts *facts, const char *name, const char *const *columns,
                        size_t column_count, const int64_t *rows, size_t row_count,
                        struct error *err)
{
    struct buf sql, content;
    if (facts->mode == FACTS_READ) {
        buf_init(&content, CONTENT_MAX);
        for (size_t i = 0; i < column_count; i++) {
            buf_addf(&content, "%s ", columns[i]);
        }
        buf_add(&content,
                (struct str){(const char *)rows, row_count * column_count * sizeof(*rows)});
        if (query_cache_table_is(&facts->kept, name, &content)) {
            return 0;
        }
    }
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "CREATE OR REPLACE TEMP TABLE %s (", name);
    for (size_t i = 0; i < column_count; i++) {
        buf_addf(&sql, "%s%s BIGINT", i ? ", " : "", columns[i]);
    }
    buf_addc(&sql, ')');
    duckdb_appender appender = NULL;
    int failed;
    (void)((failed = facts_execute(facts, sql.ptr, (struct facts_values){0}, NULL, err)) ||
           (failed = begin_append(facts, "temp", name, &appender, err)));
    bool good = true;
    for (size_t i = 0; !failed && good && i < row_count * column_count; i++) {
        good =
            duck.append_int64(appender, rows[i]) == DuckDBSuccess &&
            ((i + 1) % column_count != 0 || duck.appender_end_row(appender) == DuckDBSuccess);
    }
    if (appender) {
        int ended = end(facts, &appender, good, err);
        failed = failed ? failed : ended;
    }
    buf_release(&sql);
    return not_kept(facts, failed);
}
