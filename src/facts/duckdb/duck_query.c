/* SPDX-License-Identifier: MIT */

/*
 * Statements in, tables out. A result arrives in chunks of columns, each column with a bit mask
 * of what is present; it is copied into the table column by column.
 */

#include <inttypes.h>
#include <string.h>

#include "base/limit.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/query_log.h"

/* Of more, or longer, values the text is what takes long. */
enum { LITERALS_MAX = 64, LITERAL_MAX = 256 };

static bool bind_value(duckdb_prepared_statement statement, idx_t index,
                       const struct facts_value *value)
{
    switch (value->type) {
    case VALUE_NULL:
        return duck.bind_null(statement, index) == DuckDBSuccess;
    case VALUE_INT:
        return duck.bind_int64(statement, index, value->integer) == DuckDBSuccess;
    case VALUE_REAL:
        return duck.bind_double(statement, index, value->real) == DuckDBSuccess;
    case VALUE_TEXT:
        return duck.bind_varchar_length(statement, index,
                                        value->text.ptr ? value->text.ptr : "",
                                        value->text.len) == DuckDBSuccess;
    case VALUE_BYTES:
        return duck.bind_blob(statement, index, value->text.ptr ? value->text.ptr : "",
                              value->text.len) == DuckDBSuccess;
    }
    return false;
}

int facts_statement_failed(struct facts *facts, duckdb_result *result, struct error *err)
{
    return facts_engine_error(facts, "the store could not answer",
                              duck.result_error_type(result), duck.result_error(result), err);
}

int facts_prepare(struct facts *facts, const char *sql, struct facts_values values,
                  duckdb_prepared_statement *statement, struct error *err)
{
    if (duck.prepare(facts->connection, sql, statement) != DuckDBSuccess) {
        return store_engine_error(NULL, "the store refused a statement",
                                  duck.prepare_error(*statement), err);
    }
    for (size_t i = 0; i < values.count; i++) {
        if (!bind_value(*statement, i + 1, &values.values[i])) {
            return error_set(err, ERROR_STORE, "the store refused value %zu of a statement",
                             i + 1);
        }
    }
    return 0;
}

/* Prepares, binds and runs; the caller destroys the result in any case. */
static int run_prepared(struct facts *facts, const char *sql, struct facts_values values,
                        duckdb_result *result, struct error *err)
{
    duckdb_prepared_statement statement = NULL;
    int failed = facts_prepare(facts, sql, values, &statement, err);
    if (!failed && duck.execute_prepared(statement, result) != DuckDBSuccess) {
        failed = facts_statement_failed(facts, result, err);
    }
    duck.destroy_prepare(&statement);
    return failed;
}

/*
 * A value as the engine reads it in the text of a statement. Text is written as hexadecimal
 * digits, so that nothing that was typed is ever read as SQL; the engine makes a constant of it
 * before it plans. False: it has to be bound.
 */
static bool add_literal(struct buf *sql, const struct facts_value *value)
{
    if (value->type == VALUE_INT) {
        buf_addf(sql, "(%" PRId64 ")::BIGINT", value->integer);
        return value->integer != INT64_MIN; /* whose digits alone are too large a number */
    }
    if (value->type != VALUE_TEXT || value->text.len > LITERAL_MAX) {
        return false;
    }
    buf_addz(sql, "decode(unhex('");
    for (size_t i = 0; i < value->text.len; i++) {
        const unsigned char c = (unsigned char)value->text.ptr[i];
        if (c < ' ' || c > '~') { /* invalid text is bound, so that the engine rejects it */
            return false;
        }
        buf_addf(sql, "%02x", c);
    }
    buf_addz(sql, "'))");
    return true;
}

/*
 * The statement with its values in it, which the engine plans once: with values that are bound
 * it plans when it is prepared, and again when it is run. False: they have to be bound.
 */
static bool add_literals(struct buf *out, const char *sql, struct facts_values values)
{
    char quote = '\0';
    size_t at = 0;
    bool good = true;
    for (const char *c = sql; *c && good; c++) {
        if (*c == '?' && !quote) {
            good = at < values.count && add_literal(out, &values.values[at]);
            at++;
            continue;
        }
        good = quote || *c != '-' || c[1] != '-'; /* a remark may have anything in it */
        if ((*c == '\'' || *c == '"') && (!quote || quote == *c)) {
            quote = quote ? '\0' : *c;
        }
        buf_addc(out, *c);
    }
    return good && at == values.count && !quote && !out->overflow;
}

/* Without values a text may hold several statements, as migrations do. */
static int run_text(struct facts *facts, const char *sql, struct facts_values values,
                    duckdb_result *result, struct error *err)
{
    struct buf text;
    int failed = 0;
    buf_init(&text, LIMIT_SQL);
    const bool literal = values.count > 0 && values.count <= LITERALS_MAX &&
                         facts->mode == FACTS_READ && add_literals(&text, sql, values);
    if (values.count > 0 && !literal) {
        failed = run_prepared(facts, sql, values, result, err);
    } else if (duck.query(facts->connection, literal ? text.ptr : sql, result) !=
               DuckDBSuccess) {
        failed = facts_statement_failed(facts, result, err);
    }
    buf_release(&text);
    return failed;
}

int facts_read_begin(struct facts *facts, struct watched *watched, struct error *err)
{
    *watched = (struct watched){.stop = facts->stop, .connection = facts->connection};
    int failed = facts->snapshot && !facts->snapshot_is_open ? snapshot_begin(facts, err) : 0;
    if (!failed && stop_is_set(facts->stop)) {
        failed = stop_explain(facts->stop, err);
    }
    if (failed) {
        facts->snapshot_is_open = false;
    } else {
        interrupter_begin(&facts->store->watch, watched);
    }
    return failed;
}

void facts_read_end(struct facts *facts, struct watched *watched, int failed)
{
    interrupter_end(&facts->store->watch, watched);
    if (failed) {
        facts->snapshot_is_open = false;
    }
}

static int run_watched(struct facts *facts, const char *sql, struct facts_values values,
                       duckdb_result *result, struct error *err)
{
    if (facts->mode == FACTS_WRITE) {
        return run_text(facts, sql, values, result, err);
    }
    struct watched watched;
    int failed = facts_read_begin(facts, &watched, err);
    if (!failed) {
        failed = run_text(facts, sql, values, result, err);
        facts_read_end(facts, &watched, failed);
    }
    return failed;
}

static int run_statement(struct facts *facts, const char *sql, struct facts_values values,
                         duckdb_result *result, struct error *err)
{
    const int64_t began = stop_clock();
    int failed = run_watched(facts, sql, values, result, err);
    query_log_add(facts->store->queries, sql, stop_clock() - began, failed);
    return failed;
}

static int cell_type_of(duckdb_type type, enum cell_type *out)
{
    if (type == DUCKDB_TYPE_VARCHAR || type == DUCKDB_TYPE_BLOB) {
        *out = CELL_TEXT;
    } else if (type == DUCKDB_TYPE_BIGINT || type == DUCKDB_TYPE_INTEGER ||
               type == DUCKDB_TYPE_BOOLEAN) {
        *out = CELL_INT;
    } else if (type == DUCKDB_TYPE_HUGEINT) {
        *out = CELL_WIDE;
    } else if (type == DUCKDB_TYPE_DOUBLE) {
        *out = CELL_REAL;
    } else {
        return -1;
    }
    return 0;
}

static void copy_cell(struct table *table, size_t column, size_t row, duckdb_type type,
                      const void *data, idx_t at)
{
    const struct column *c = &table->columns[column];
    if (c->type == CELL_TEXT) {
        table_set_text(table, column, row, duck_text(data, at));
    } else if (c->type == CELL_REAL) {
        table_set_real(table, column, row, ((const double *)data)[at]);
    } else if (c->type == CELL_WIDE) {
        duckdb_hugeint h = ((const duckdb_hugeint *)data)[at];
        table_set_wide(table, column, row,
                       (wide_int)h.upper * ((wide_int)1 << 64) + (wide_int)h.lower);
    } else if (type == DUCKDB_TYPE_BIGINT) {
        table_set_int(table, column, row, ((const int64_t *)data)[at]);
    } else if (type == DUCKDB_TYPE_INTEGER) {
        table_set_int(table, column, row, ((const int32_t *)data)[at]);
    } else {
        table_set_int(table, column, row, ((const bool *)data)[at]);
    }
}

static bool valid_at(const uint64_t *validity, idx_t row)
{
    return !validity || (validity[row / 64] >> row % 64 & 1);
}

void facts_copy_chunk(duckdb_result *result, duckdb_data_chunk chunk, struct table *table)
{
    idx_t rows = duck.data_chunk_get_size(chunk);
    size_t first = table->row_count;
    for (idx_t i = 0; i < rows; i++) {
        table_row(table);
    }
    for (size_t c = 0; c < table->column_count; c++) {
        duckdb_vector vector = duck.data_chunk_get_vector(chunk, c);
        const void *data = duck.vector_get_data(vector);
        const uint64_t *validity = duck.vector_get_validity(vector);
        duckdb_type type = duck.column_type(result, c);
        for (idx_t i = 0; i < rows; i++) {
            if (valid_at(validity, i)) {
                copy_cell(table, c, first + i, type, data, i);
            }
        }
    }
}

int facts_copy_columns(duckdb_result *result, struct table *out, struct error *err)
{
    int failed = 0;
    for (idx_t i = 0; !failed && i < duck.column_count(result); i++) {
        const char *name = duck.column_name(result, i);
        enum cell_type type = CELL_TEXT;
        if (cell_type_of(duck.column_type(result, i), &type) != 0) {
            failed = error_set(err, ERROR_STORE,
                               "column '%s' has a type without a place in tables", name);
        }
        table_column(out, name, name, type, UNIT_NONE, COLUMN_MEASURE);
    }
    return failed;
}

int facts_query(struct facts *facts, const char *sql, struct facts_values values,
                struct table *out, struct error *err)
{
    duckdb_result result = {0};
    int failed = run_statement(facts, sql, values, &result, err);
    failed = failed ? failed : facts_copy_columns(&result, out, err);
    while (!failed) {
        duckdb_data_chunk chunk = duck.fetch_chunk(result);
        if (!chunk) {
            break;
        }
        facts_copy_chunk(&result, chunk, out);
        duck.destroy_data_chunk(&chunk);
    }
    duck.destroy_result(&result);
    return failed;
}

int facts_execute(struct facts *facts, const char *sql, struct facts_values values,
                  int64_t *changed, struct error *err)
{
    duckdb_result result = {0};
    int failed = run_statement(facts, sql, values, &result, err);
    if (!failed && changed) {
        *changed = (int64_t)duck.rows_changed(&result);
    }
    duck.destroy_result(&result);
    return failed;
}

int facts_number(struct facts *facts, const char *sql, struct facts_values values, int64_t *out,
                 bool *present, struct error *err)
{
    struct table table = {0};
    int failed = facts_query(facts, sql, values, &table, err);
    bool found = !failed && table.row_count > 0 && table_has(&table, 0, 0);
    *out = found ? (int64_t)table_wide(&table, 0, 0) : 0;
    if (present) {
        *present = found;
    }
    table_release(&table);
    return failed;
}
