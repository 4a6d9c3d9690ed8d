/* SPDX-License-Identifier: MIT */

/*
 * Parquet is written by the engine: a COPY on a thread of its own draws rows from a table
 * function, which gets them from the caller of parquet_take. One chunk is handed over at a
 * time, so that an answer of any length passes through in bounded memory, and finding rows and
 * compressing them happen at once.
 */

#include "facts/parquet.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/mem.h"
#include "facts/duckdb/facts_internal.h"

/*
 * Rows of one group are held until it is full: with many columns that is what memory goes to.
 */
#define GROUP_ROWS "20480"

struct parquet {
    struct store *store; /* in memory */
    struct facts *facts;
    struct buf sql;
    struct table columns;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    const struct table *chunk; /* handed over and not yet taken in full; NULL: none */
    size_t taken;              /* rows of it */
    bool over;                 /* no more chunks come */
    bool ended;                /* the COPY is done, or failed */
    bool abandoned;
    int failed;
    struct error err;
};

/* How a unit goes into a file that others read: what machine formats say, as a native type. */
struct parquet_unit {
    duckdb_type type;
    double divisor; /* 0: an integer stays one */
};

static struct parquet_unit parquet_unit(const struct column *column)
{
    if (column->type == CELL_TEXT) {
        return (struct parquet_unit){DUCKDB_TYPE_VARCHAR, 0};
    }
    switch (column->unit) {
    case UNIT_INSTANT:
        return (struct parquet_unit){DUCKDB_TYPE_TIMESTAMP, 0};
    case UNIT_SECONDS:
    case UNIT_GIB_SECONDS:
    case UNIT_SU:
    case UNIT_MONEY:
        return (struct parquet_unit){DUCKDB_TYPE_DOUBLE, 1e6};
    case UNIT_MILLIJOULES:
        return (struct parquet_unit){DUCKDB_TYPE_DOUBLE, 1e3};
    case UNIT_HOURS:
        return (struct parquet_unit){DUCKDB_TYPE_DOUBLE, 3.6e9};
    case UNIT_GIB_HOURS:
        return (struct parquet_unit){DUCKDB_TYPE_DOUBLE, 3.6e9 * (1 << 30)};
    case UNIT_TRUTH:
        return (struct parquet_unit){DUCKDB_TYPE_BOOLEAN, 0};
    case UNIT_NONE:
    case UNIT_COUNT:
    case UNIT_BYTES:
    case UNIT_JOULES:
    case UNIT_RATIO:
    case UNIT_COUNT_OF:
        break;
    }
    return column->type == CELL_REAL ? (struct parquet_unit){DUCKDB_TYPE_DOUBLE, 1}
                                     : (struct parquet_unit){DUCKDB_TYPE_BIGINT, 0};
}

/* --- the engine's side: draws rows -------------------------------------------------------- */

static void on_bind(duckdb_bind_info info)
{
    const struct parquet *parquet = duck.bind_get_extra_info(info);
    for (size_t i = 0; i < parquet->columns.column_count; i++) {
        const struct column *column = &parquet->columns.columns[i];
        duckdb_logical_type type = duck.create_logical_type(parquet_unit(column).type);
        duck.bind_add_result_column(info, column->id, type);
        duck.destroy_logical_type(&type);
    }
}

/* One thread: rows stay in the order in which they came. */
static void on_init(duckdb_init_info info)
{
    duck.init_set_max_threads(info, 1);
}

static void put_cell(duckdb_vector vector, void *data, idx_t at, const struct column *column,
                     const union cell *cell)
{
    const struct parquet_unit unit = parquet_unit(column);
    if (column->type == CELL_TEXT) {
        duck.vector_assign_string_element_len(vector, at, cell->text.ptr, cell->text.len);
    } else if (column->type == CELL_REAL) {
        ((double *)data)[at] = cell->real;
    } else {
        const wide_int value = column->type == CELL_INT ? cell->integer : cell->wide;
        if (unit.divisor > 0) {
            ((double *)data)[at] = (double)value / unit.divisor;
        } else if (unit.type == DUCKDB_TYPE_BOOLEAN) {
            ((bool *)data)[at] = value != 0;
        } else {
            ((int64_t *)data)[at] = (int64_t)value;
        }
    }
}

static void put_column(duckdb_vector vector, const struct column *column, size_t first,
                       size_t count)
{
    void *data = duck.vector_get_data(vector);
    duck.vector_ensure_validity_writable(vector);
    uint64_t *validity = duck.vector_get_validity(vector);
    for (size_t i = 0; i < count; i++) {
        if (column->present[first + i]) {
            put_cell(vector, data, i, column, &column->cells[first + i]);
        } else {
            validity[i / 64] &= ~(UINT64_C(1) << i % 64);
        }
    }
}

static void on_rows(duckdb_function_info info, duckdb_data_chunk out)
{
    struct parquet *parquet = duck.function_get_extra_info(info);
    size_t count = 0;
    pthread_mutex_lock(&parquet->lock);
    while (!parquet->chunk && !parquet->over) {
        pthread_cond_wait(&parquet->moved, &parquet->lock);
    }
    if (parquet->abandoned) {
        duck.function_set_error(info, "abandoned");
    } else if (parquet->chunk) {
        const struct table *chunk = parquet->chunk;
        const size_t left = chunk->row_count - parquet->taken;
        count = left < duck.vector_size() ? left : (size_t)duck.vector_size();
        for (size_t c = 0; c < chunk->column_count; c++) {
            put_column(duck.data_chunk_get_vector(out, c), &chunk->columns[c], parquet->taken,
                       count);
        }
        parquet->taken += count;
        if (parquet->taken == chunk->row_count) {
            parquet->chunk = NULL;
            pthread_cond_broadcast(&parquet->moved);
        }
    }
    pthread_mutex_unlock(&parquet->lock);
    duck.data_chunk_set_size(out, count);
}

static int register_rows(struct parquet *parquet, struct error *err)
{
    duckdb_table_function function = duck.create_table_function();
    duck.table_function_set_name(function, "answer");
    duck.table_function_set_extra_info(function, parquet, NULL);
    duck.table_function_set_bind(function, on_bind);
    duck.table_function_set_init(function, on_init);
    duck.table_function_set_function(function, on_rows);
    bool good =
        duck.register_table_function(parquet->facts->connection, function) == DuckDBSuccess;
    duck.destroy_table_function(&function);
    return good ? 0 : error_set(err, ERROR_STORE, "cannot write Parquet with this engine");
}

static void *copy(void *context)
{
    struct parquet *parquet = context;
    struct error err;
    int failed =
        facts_execute(parquet->facts, parquet->sql.ptr, (struct facts_values){0}, NULL, &err);
    pthread_mutex_lock(&parquet->lock);
    parquet->failed = failed;
    if (failed) {
        parquet->err = err;
    }
    parquet->ended = true;
    pthread_cond_broadcast(&parquet->moved);
    pthread_mutex_unlock(&parquet->lock);
    return NULL;
}

/* --- the giver's side --------------------------------------------------------------------- */

static void add_quoted(struct buf *sql, const char *text, char quote)
{
    buf_addc(sql, quote);
    for (; *text; text++) {
        if (*text == quote) {
            buf_addc(sql, quote);
        }
        buf_addc(sql, *text);
    }
    buf_addc(sql, quote);
}

static void parquet_free(struct parquet *parquet)
{
    facts_close(parquet->facts);
    store_close(parquet->store);
    table_release(&parquet->columns);
    buf_release(&parquet->sql);
    pthread_cond_destroy(&parquet->moved);
    pthread_mutex_destroy(&parquet->lock);
    free(parquet);
}

static int set_limits(struct parquet *parquet, struct error *err)
{
    return facts_execute(parquet->facts, "SET threads = 1", (struct facts_values){0}, NULL,
                         err);
}

int parquet_open(const char *path, const struct table *columns, struct parquet **out,
                 struct error *err)
{
    struct parquet *parquet = mem_alloc(1, sizeof(*parquet));
    pthread_mutex_init(&parquet->lock, NULL);
    pthread_cond_init(&parquet->moved, NULL);
    buf_init(&parquet->sql, LIMIT_SQL);
    buf_addz(&parquet->sql, "COPY (FROM answer()) TO ");
    add_quoted(&parquet->sql, path, '\'');
    buf_addz(&parquet->sql,
             " (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE " GROUP_ROWS ")");
    for (size_t c = 0; c < columns->column_count; c++) {
        table_column_like(&parquet->columns, &columns->columns[c]);
    }
    int failed = store_open_file(":memory:", FACTS_READ, &parquet->store, err);
    failed =
        failed ? failed : facts_open(parquet->store, FACTS_READ, NULL, &parquet->facts, err);
    failed = failed ? failed : set_limits(parquet, err);
    failed = failed ? failed : register_rows(parquet, err);
    if (!failed && pthread_create(&parquet->thread, NULL, copy, parquet) != 0) {
        failed = error_errno(err, "cannot start a thread");
    }
    if (failed) {
        parquet_free(parquet);
        parquet = NULL;
    }
    *out = parquet;
    return failed;
}

int parquet_take(struct parquet *parquet, const struct table *chunk, struct error *err)
{
    int failed = 0;
    if (chunk->row_count == 0) {
        return 0;
    }
    pthread_mutex_lock(&parquet->lock);
    parquet->chunk = chunk;
    parquet->taken = 0;
    pthread_cond_broadcast(&parquet->moved);
    while (parquet->chunk && !parquet->ended) {
        pthread_cond_wait(&parquet->moved, &parquet->lock);
    }
    if (parquet->ended) {
        *err = parquet->err;
        failed = parquet->failed;
    }
    parquet->chunk = NULL;
    pthread_mutex_unlock(&parquet->lock);
    return failed;
}

static int finish(struct parquet *parquet, bool abandoned, struct error *err)
{
    pthread_mutex_lock(&parquet->lock);
    parquet->over = true;
    parquet->abandoned = abandoned;
    pthread_cond_broadcast(&parquet->moved);
    pthread_mutex_unlock(&parquet->lock);
    pthread_join(parquet->thread, NULL);
    int failed = parquet->failed;
    if (failed) {
        *err = parquet->err;
    }
    parquet_free(parquet);
    return failed;
}

int parquet_close(struct parquet *parquet, struct error *err)
{
    return finish(parquet, false, err);
}

void parquet_abandon(struct parquet *parquet)
{
    struct error ignored;
    if (parquet) {
        (void)!finish(parquet, true, &ignored);
    }
}
