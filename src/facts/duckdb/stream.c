/* SPDX-License-Identifier: MIT */

/*
 * Answers of any length, a chunk at a time: the engine hands out rows as it finds them, and what it has to sort first
 * it puts on disk beyond a limit.
 */

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "facts/duckdb/facts_internal.h"

/* What the engine may take of memory while it sorts, in MB, whatever there is to sort. */
enum { STREAM_MEMORY = 120, STREAM_THREADS = 2 };

static int set_limits(struct facts *facts, struct error *err)
{
    const struct facts_values none = {0};
    const char *mem = getenv("XMEM");
    const char *thr = getenv("XTHR");
    char sql[200];
    snprintf(sql, sizeof(sql), "SET memory_limit = '%dMB'; SET threads = %d",
             mem ? atoi(mem) : STREAM_MEMORY, thr ? atoi(thr) : STREAM_THREADS);
    return facts_execute(facts, sql, none, NULL, err);
}

/* Chunk after chunk into the same table, whose text is forgotten in between. */
static int pass_on(struct facts *facts, duckdb_result *result, struct table *rows,
                   const struct table_sink *sink, struct error *err)
{
    int failed = 0;
    while (!failed) {
        duckdb_data_chunk chunk = duck.fetch_chunk(*result);
        if (!chunk) {
            const char *message = duck.result_error(result);
            return message ? facts_statement_failed(facts, message, err) : 0;
        }
        table_clear(rows);
        facts_copy_chunk(result, chunk, rows);
        duck.destroy_data_chunk(&chunk);
        failed = sink->take(sink->context, rows, err);
    }
    return failed;
}

int facts_query_each(struct facts *facts, const char *sql, struct facts_values values,
                     const struct table_sink *sink, struct error *err)
{
    duckdb_prepared_statement statement = NULL;
    duckdb_result result = {0};
    struct table rows = {0};
    int failed = set_limits(facts, err);
    failed = failed ? failed : facts_prepare(facts, sql, values, &statement, err);
    if (!failed && duck.execute_prepared_streaming(statement, &result) != DuckDBSuccess) {
        failed = facts_statement_failed(facts, duck.result_error(&result), err);
    }
    failed = failed ? failed : facts_copy_columns(&result, &rows, err);
    failed = failed ? failed : sink->take(sink->context, &rows, err);
    failed = failed ? failed : pass_on(facts, &result, &rows, sink, err);
    duck.destroy_result(&result);
    duck.destroy_prepare(&statement);
    table_release(&rows);
    return failed;
}
