/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The facts: what happened, in the database of a store (store.h).
 *
 * This header and its neighbours are the only way in: store.h and session.h to open it,
 * append.h, live_jobs.h and listings.h for runs, inventory.h for nodes and the like, journal.h
 * and pull_state.h for how far sources were read, table/table.h for answers. No DuckDB type or
 * message leaves facts/duckdb.
 *
 * A connection belongs to one thread. Its statements use several cores by themselves.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "facts/store.h"
#include "table/sink.h"
#include "table/table.h"

struct facts;
struct scope;

/*
 * Connects to a store. FACTS_READ sees one snapshot, taken by its first statement: all batches
 * that were committed and settled by then, and nothing later. After a failed statement the next
 * one begins a new snapshot, without the earlier temporary tables. Its statements end with
 * ERROR_STOPPED when `stop` (may be NULL) is set.
 *
 * FACTS_WRITE requires a store that was opened to write, and waits until no other connection of
 * the process writes. Its statements are not interrupted: a writer checks the stop between
 * batches (facts_check_stop).
 */
int facts_open(struct store *store, enum facts_mode mode, const struct stop *stop,
               struct facts **out, struct error *err) MUST_CHECK;
void facts_close(struct facts *facts); /* rolls back what was not committed */

/*
 * Restricts all statements of a reading connection to what the scope shows (record/scope.h); to
 * be called before the first of them. What is not shown seems not to exist. That includes
 * roll-ups, which are sums over everybody.
 */
int facts_restrict(struct facts *facts, const struct scope *scope,
                   struct error *err) MUST_CHECK;

struct store *facts_store(const struct facts *facts);

/* ERROR_STOPPED if the connection's stop is set: to be checked between transactions. */
int facts_check_stop(const struct facts *facts, struct error *err) MUST_CHECK;

int facts_begin(struct facts *facts, struct error *err) MUST_CHECK;
int facts_commit(struct facts *facts, struct error *err) MUST_CHECK;
void facts_rollback(struct facts *facts);

/* A value bound to a `?` of a statement. Text is borrowed for the call. */
struct facts_value {
    enum { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_BYTES } type;

    union {
        int64_t integer;
        double real;
        struct str text;
    };
};

#define FACTS_INT(x)   ((struct facts_value){.type = VALUE_INT, .integer = (x)})
#define FACTS_REAL(x)  ((struct facts_value){.type = VALUE_REAL, .real = (x)})
#define FACTS_TEXT(x)  ((struct facts_value){.type = VALUE_TEXT, .text = (x)})
#define FACTS_BYTES(x) ((struct facts_value){.type = VALUE_BYTES, .text = (x)})
#define FACTS_NULL     ((struct facts_value){.type = VALUE_NULL})

struct facts_values {
    const struct facts_value *values;
    size_t count;
};

/*
 * Runs a query. Its columns are added to `out`, an empty table: integers become CELL_INT, wider
 * sums CELL_WIDE, doubles CELL_REAL, everything else text; ids and labels are the statement's
 * column names, units are UNIT_NONE for the caller to set.
 *
 * An integer overflow in the statement is ERROR_LIMIT, so that the caller can repeat it in
 * wider arithmetic.
 */
int facts_query(struct facts *facts, const char *sql, struct facts_values values,
                struct table *out, struct error *err) MUST_CHECK;

/*
 * The same for small answers that are needed several times in one request: a reading connection
 * queries the engine once and keeps the answer for as long as its snapshot lasts. Planning a
 * statement takes milliseconds, however little it reads.
 */
int facts_query_kept(struct facts *facts, const char *sql, struct facts_values values,
                     struct table *out, struct error *err) MUST_CHECK;

/*
 * Creates the temporary table `name`, a constant, by a statement, unless a reading connection
 * has already created it by the same statement and values in its snapshot. Answers kept for
 * other contents of the table are not returned for these.
 */
int facts_make_kept(struct facts *facts, const char *name, const char *sql,
                    struct facts_values values, struct error *err) MUST_CHECK;

/*
 * As facts_query, for an answer of any length: the sink receives the rows as they are found.
 * The first chunk has columns and no rows, so that a sink is called even for an empty answer. A
 * sink must not use the same connection. In a process that only reads, the engine then uses
 * little memory and sorts on disk.
 */
int facts_query_each(struct facts *facts, const char *sql, struct facts_values values,
                     const struct table_sink *sink, struct error *err) MUST_CHECK;

/*
 * Reads every block of every table, to find damage anywhere; *tables is the number of tables
 * that could be read. Takes as long as reading the whole file.
 */
int facts_verify(struct facts *facts, size_t *tables, struct error *err) MUST_CHECK;

/* Runs a statement for its effect; *changed (may be NULL) is the number of rows it touched. */
int facts_execute(struct facts *facts, const char *sql, struct facts_values values,
                  int64_t *changed, struct error *err) MUST_CHECK;

/*
 * The single integer that a query returns; *present (may be NULL) is false for NULL or no row.
 */
int facts_number(struct facts *facts, const char *sql, struct facts_values values, int64_t *out,
                 bool *present, struct error *err) MUST_CHECK;

/*
 * Lets a writer use more memory than an import needs, until its connection is closed: for
 * computing roll-ups, whose new rows stay in memory until the commit.
 */
int facts_grow(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * Prepares a writer for millions of rows, until its connection is closed: it may use more
 * memory, and row groups that end up half full are not rewritten to fill them. The next writer
 * does that.
 */
int facts_prepare_bulk(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * Creates a temporary table `name` of integer columns from `rows` (row by row), replacing an
 * older one of that name. It lasts until the connection is closed. Names are constants, never
 * from input. A reading connection creates a table with the same contents only once.
 */
int facts_load_integers(struct facts *facts, const char *name, const char *const *columns,
                        size_t column_count, const int64_t *rows, size_t row_count,
                        struct error *err) MUST_CHECK;

/* The same for values of any type: `columns` as SQL declares them, values row by row. */
int facts_load_values(struct facts *facts, const char *name, const char *columns,
                      size_t column_count, struct facts_values values,
                      struct error *err) MUST_CHECK;
