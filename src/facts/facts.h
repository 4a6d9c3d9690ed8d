/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The store of facts: what happened, in a DuckDB file inside the store's folder.
 *
 * This header and its neighbours are the only way in: append.h, listing.h and sighting.h for runs,
 * inventory.h for nodes and the like, journal.h and mark.h for how they came, table.h for answers. No
 * DuckDB type or message leaves this folder untranslated.
 *
 * One writer or several readers at a time. An open that meets the other kind waits up to
 * FACTS_WAIT_MS, then fails with ERROR_CONFLICT and a sentence that names the holder. Everything
 * committed survives kill -9; everything else is gone as if it had never been.
 *
 * A handle belongs to one thread. Statements it runs use all cores by themselves.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "table/sink.h"
#include "table/table.h"

struct facts;

enum facts_mode {
    FACTS_READ,  /* other readers may be in at the same time */
    FACTS_WRITE, /* alone; makes the store if there is none */
};

enum { FACTS_WAIT_MS = 5000 };

/*
 * Opens the store in `folder`. An older schema is migrated, and an unsettled batch settled (see
 * append.h), even for FACTS_READ, which then needs permission to write once. A newer schema is
 * refused. FACTS_READ of a folder without a store is ERROR_MISSING with a sentence on how to begin.
 */
int facts_open(const char *folder, enum facts_mode mode, struct facts **out,
               struct error *err) MUST_CHECK;
void facts_close(struct facts *facts); /* rolls back what was not committed */

/* Schema number of this build. */
int facts_schema(void);

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
 * The same for an answer of any length, in bounded memory: the sink gets its rows as they are found. The first chunk
 * has no rows and says what the columns are, so that a sink is called even where there is nothing.
 */
int facts_query_each(struct facts *facts, const char *sql, struct facts_values values,
                     const struct table_sink *sink, struct error *err) MUST_CHECK;

/* Runs a statement for its effect; *changed (may be NULL) is the number of rows it touched. */
int facts_execute(struct facts *facts, const char *sql, struct facts_values values,
                  int64_t *changed, struct error *err) MUST_CHECK;

/* The single integer a statement gives; *present (may be NULL) tells NULL or no row from a number. */
int facts_number(struct facts *facts, const char *sql, struct facts_values values, int64_t *out,
                 bool *present, struct error *err) MUST_CHECK;

/*
 * Lets a writer take more memory than an import needs, for as long as the store is open: for making roll-ups, whose
 * new rows wait in memory for the commit.
 */
int facts_grow(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * Prepares a writer for millions of rows, for as long as the store is open: it grows, and what they leave half full is
 * not written a second time to fill it. The next writer does that.
 */
int facts_prepare_bulk(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * Makes a temporary table `name` of integer columns from `rows` (row by row), in place of an older
 * one of that name. Gone at close. Names are our own, never from input.
 */
int facts_load_integers(struct facts *facts, const char *name, const char *const *columns,
                        size_t column_count, const int64_t *rows, size_t row_count,
                        struct error *err) MUST_CHECK;

/* The same of any values: `columns` as SQL declares them, rows one after the other. */
int facts_load_values(struct facts *facts, const char *name, const char *columns,
                      size_t column_count, struct facts_values values,
                      struct error *err) MUST_CHECK;
