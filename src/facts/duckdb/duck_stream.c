/* SPDX-License-Identifier: MIT */

/*
 * Answers of any length, a chunk at a time: the engine hands out rows as it finds them.
 */

#include <stdio.h>

#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/query_log.h"

/*
 * What the engine may take of memory in a process that only reads, in MB. Every thread holds
 * the blocks of all columns it reads, and what it sorts; with two of them and all columns this
 * would not be enough.
 */
#define LIMITS "SET memory_limit = '120MB'; SET threads = 1"
/*
 * The statement that ends a stream's limits: questions that follow in the same process need
 * more. RESET does not, since the engine (1.4) then keeps the memory it was limited to.
 */
#define USUAL                                                                                  \
    "SELECT 'SET memory_limit = ''' || current_setting('memory_limit') || '''; SET threads = " \
    "' "                                                                                       \
    "|| current_setting('threads')"

struct stream {
    struct facts *facts;
    const char *sql;
    struct facts_values values;
    const struct table_sink *sink;
    bool passed; /* rows were handed on already */
    bool short_of_memory;
};

/* Beside a writer, memory and threads are shared with others, and are the store's affair. */
static bool is_limited(const struct stream *stream)
{
    return stream->facts->store->mode == FACTS_READ;
}

/*
 * Read once: the engine rounds the numbers that it shows, and each time would take some more
 * away.
 */
static int find_usual(struct stream *stream, struct error *err)
{
    struct store *store = stream->facts->store;
    struct table table = {0};
    pthread_mutex_lock(&store->guard);
    int failed = store->usual_limits[0]
                     ? 0
                     : facts_query(stream->facts, USUAL, (struct facts_values){0}, &table, err);
    if (!failed && table.row_count > 0) {
        snprintf(store->usual_limits, sizeof(store->usual_limits), "%.*s",
                 STR_ARG(table.columns[0].cells[0].text));
    }
    pthread_mutex_unlock(&store->guard);
    table_release(&table);
    return failed;
}

static int limit(struct stream *stream, struct error *err)
{
    int failed = find_usual(stream, err);
    return failed ? failed
                  : facts_execute(stream->facts, LIMITS, (struct facts_values){0}, NULL, err);
}

static void unlimit(struct stream *stream)
{
    struct error ignored;
    const char *usual = stream->facts->store->usual_limits;
    if (usual[0]) {
        (void)!facts_execute(stream->facts, usual, (struct facts_values){0}, NULL, &ignored);
    }
}

static int stream_failed(struct stream *stream, duckdb_result *result, struct error *err)
{
    stream->short_of_memory = duck.result_error_type(result) == DUCKDB_ERROR_OUT_OF_MEMORY;
    return facts_statement_failed(stream->facts, result, err);
}

/* Chunk after chunk into the same table, whose text is forgotten in between. */
static int pass_on(struct stream *stream, duckdb_result *result, struct table *rows,
                   struct error *err)
{
    int failed = stream->sink->take(stream->sink->context, rows, err);
    while (!failed) {
        duckdb_data_chunk chunk = duck.fetch_chunk(*result);
        if (!chunk) {
            return duck.result_error(result) ? stream_failed(stream, result, err) : 0;
        }
        table_clear(rows);
        facts_copy_chunk(result, chunk, rows);
        duck.destroy_data_chunk(&chunk);
        stream->passed = true;
        failed = stream->sink->take(stream->sink->context, rows, err);
    }
    return failed;
}

static int run(struct stream *stream, struct error *err)
{
    struct facts *facts = stream->facts;
    struct watched watched;
    duckdb_prepared_statement statement = NULL;
    duckdb_result result = {0};
    struct table rows = {0};
    int failed = facts_read_begin(facts, &watched, err);
    if (failed) {
        return failed;
    }
    failed = facts_prepare(facts, stream->sql, stream->values, &statement, err);
    if (!failed && duck.execute_prepared_streaming(statement, &result) != DuckDBSuccess) {
        failed = stream_failed(stream, &result, err);
    }
    failed = failed ? failed : facts_copy_columns(&result, &rows, err);
    failed = failed ? failed : pass_on(stream, &result, &rows, err);
    duck.destroy_result(&result);
    duck.destroy_prepare(&statement);
    table_release(&rows);
    facts_read_end(facts, &watched, failed);
    return failed;
}

int facts_query_each(struct facts *facts, const char *sql, struct facts_values values,
                     const struct table_sink *sink, struct error *err)
{
    struct stream stream = {.facts = facts, .sql = sql, .values = values, .sink = sink};
    const int64_t began = stop_clock();
    const bool limited = is_limited(&stream);
    int failed = limited ? limit(&stream, err) : 0;
    failed = failed ? failed : run(&stream, err);
    if (limited) {
        unlimit(&stream);
    }
    if (failed && limited && stream.short_of_memory && !stream.passed) { /* with all there is */
        failed = run(&stream, err);
    }
    query_log_add(facts->store->queries, sql, stop_clock() - began, failed);
    return failed;
}
