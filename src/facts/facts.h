/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The facts: what happened, in the database of a store (store.h).
 *
 * This header and its neighbours are the only way in: store.h and session.h for opening it, append.h, snapshot.h and
 * sighting.h for runs, inventory.h for nodes and the like, journal.h and mark.h for how they came, table/table.h for answers. No
 * DuckDB type or message leaves facts/duckdb untranslated.
 *
 * A connection belongs to one thread. Statements it runs use several cores by themselves.
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
 * Connects to a store. FACTS_READ sees one snapshot, that of its first statement: all batches that were committed and
 * settled by then, and nothing that comes later. After a failed statement the next one begins another snapshot, without the
 * temporary tables of before. Its statements end when `stop` (may be NULL) is set: ERROR_STOPPED.
 *
 * FACTS_WRITE is for a store that was opened so, and waits until no other connection of the process writes. Statements of
 * it are not interrupted: what writes looks at its stop itself, between batches.
 */
int facts_open(struct store *store, enum facts_mode mode, const struct stop *stop,
               struct facts **out, struct error *err) MUST_CHECK;
void facts_close(struct facts *facts); /* rolls back what was not committed */

/*
 * Before the first statement of a connection that reads: limits all of them to what the scope shows (record/scope.h).
 * What is not shown is as if it did not exist. Roll-ups, which are sums over everybody, are then not there either.
 */
int facts_restrict(struct facts *facts, const struct scope *scope,
                   struct error *err) MUST_CHECK;

struct store *facts_store(const struct facts *facts);

/* ERROR_STOPPED if the connection's stop is set: for what writes in several transactions to look at between them. */
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
#define FACTS_TEXT(x)  ((struct facts_value){.type = VALUE_TEXT, .text = (x)})
#define FACTS_BYTES(x) ((struct facts_value){.type = VALUE_BYTES, .text = (x)})
#define FACTS_NULL     ((struct facts_value){.type = VALUE_NULL})

struct facts_values {
    const struct facts_value *values;
    size_t count;
};

/*
 * Asks one question. The answer's columns are added to `out`, an empty table: integers become
 * CELL_INT, wider sums CELL_WIDE, doubles CELL_REAL, the rest text; ids and labels are the
 * statement's column names, units are UNIT_NONE for the caller to set.
 *
 * An integer overflow inside the statement is ERROR_LIMIT, so that a caller may ask again in
 * wider arithmetic.
 */
int facts_query(struct facts *facts, const char *sql, struct facts_values values,
                struct table *out, struct error *err) MUST_CHECK;

/*
 * The same for what is small and asked several times within one request: a connection that reads asks the engine once and
 * keeps the answer for as long as its snapshot lasts. Planning a statement costs milliseconds, however little it reads.
 */
int facts_query_kept(struct facts *facts, const char *sql, struct facts_values values,
                     struct table *out, struct error *err) MUST_CHECK;

/*
 * Makes temporary table `name`, a literal of ours, by a statement, unless the table was last made by the same statement and values in
 * the snapshot of a connection that reads. What was asked of other contents of it is not mistaken for an answer.
 */
int facts_make_kept(struct facts *facts, const char *name, const char *sql,
                    struct facts_values values, struct error *err) MUST_CHECK;

/*
 * As facts_query for an answer of any length: the sink gets its rows as they are found. The first chunk has no rows and says
 * what the columns are, so that a sink is called even where there is nothing. A sink asks nothing of the same connection.
 * In a process that only reads, the engine then keeps to little memory, and puts aside on the disk what it has to sort.
 */
int facts_query_each(struct facts *facts, const char *sql, struct facts_values values,
                     const struct table_sink *sink, struct error *err) MUST_CHECK;

/*
 * Reads every block of every table, so that damage is found wherever it is; *tables is how many could be read. Takes as long
 * as the disk does.
 */
int facts_verify(struct facts *facts, size_t *tables, struct error *err) MUST_CHECK;

/* Runs a statement for its effect; *changed (may be NULL) is the number of rows it touched. */
int facts_execute(struct facts *facts, const char *sql, struct facts_values values,
                  int64_t *changed, struct error *err) MUST_CHECK;

/* The single integer a statement gives; *present (may be NULL) distinguishes NULL or no row from a number. */
int facts_number(struct facts *facts, const char *sql, struct facts_values values, int64_t *out,
                 bool *present, struct error *err) MUST_CHECK;

/*
 * Lets a writer take more memory than an import needs, until its connection is closed: for making roll-ups, whose
 * new rows wait in memory for the commit.
 */
int facts_grow(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * Prepares a writer for millions of rows, until its connection is closed: it grows, and what they leave half full is
 * not written a second time to fill it. The next writer does that.
 */
int facts_prepare_bulk(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * Makes a temporary table `name` of integer columns from `rows` (row by row), in place of an older
 * one of that name. Gone at close. Names are literals of our own, never from input. A connection that reads makes a table
 * with the contents that it has already only once.
 */
int facts_load_integers(struct facts *facts, const char *name, const char *const *columns,
                        size_t column_count, const int64_t *rows, size_t row_count,
                        struct error *err) MUST_CHECK;

/* The same of any values: `columns` as SQL declares them, rows one after the other. */
int facts_load_values(struct facts *facts, const char *name, const char *columns,
                      size_t column_count, struct facts_values values,
                      struct error *err) MUST_CHECK;
