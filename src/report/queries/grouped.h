/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Aggregates over runs that lie in the period at one of their instants, by dimensions: for
 * tables whose columns belong together and to no one else, so that they are no measures of the
 * catalogue. One pass over the runs.
 */

#include "report/question.h"
#include "report/sql/runs_source.h"

struct grouped_column {
    const char *id;
    const char *label;
    enum unit unit;
    /*
     * an aggregate, in braces what is shared out among nodes (quantity.h); its value is made a
     * wide integer
     */
    struct expression sql;
};

#define GROUPED_UNSORTED SIZE_MAX

struct grouped {
    /*
     * RUNS_SOURCE_AT_END: runs that started, and ended in the period: those that `jobs` counts.
     * RUNS_SOURCE_AT_START: runs that started in it. A whole run is in the metagroup that it
     * was in at that instant.
     */
    enum runs_source_instant at;
    /*
     * Writes an expression in place of the dimensions: its values come in an integer column
     * "group"; or NULL.
     */
    void (*group)(const void *context, struct statement *sql);
    const void *context;
    const struct grouped_column *columns;
    size_t count;
    /*
     * The column that rows are sorted by, largest first, before the dimensions; or
     * GROUPED_UNSORTED.
     */
    size_t sort;
};

/*
 * Dimensions, period and filters are the question's, its measures are not looked at. Weekdays
 * and hours are places in the calendar, not of the run: ERROR_USAGE.
 */
int grouped_ask(struct facts *facts, const struct question *question,
                const struct grouped *grouped, struct table *answer,
                struct error *err) MUST_CHECK;

/* Sets a cell of a dimension from the engine's, numbers with names by their name. */
void grouped_set_dimension(const struct field *dimension, const struct table *raw,
                           size_t column, size_t row, struct table *answer, size_t to_column,
                           size_t to_row);

/* Adds the column of a dimension to an answer. */
void grouped_add_dimension(const struct field *dimension, struct table *answer);
