/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Aggregates over runs that lie in the period at one of their instants, by dimensions: for tables
 * whose columns belong together and to no one else, so that they are no measures of the catalogue.
 * One pass over the runs.
 */

#include "report/question.h"

enum grouped_at {
    GROUPED_AT_END,   /* runs that started, and ended in the period: those that `jobs` counts */
    GROUPED_AT_START, /* runs that started in it */
};

struct grouped_column {
    const char *id;
    const char *label;
    enum unit unit;
    const char *sql; /* an aggregate; its value is made a HUGEINT */
};

/*
 * Dimensions, period and filters are the question's, its measures are not looked at. `group`, if not
 * NULL, is an expression in place of the dimensions: its values come in an integer column "group".
 * The rows are in the order of the SQL in `order`, in which columns are called d0.. and m0..
 * A whole run is in the metagroup that it was in at that instant. Weekdays and hours are places in the
 * calendar, not of the run: ERROR_USAGE.
 */
int grouped_ask(struct facts *facts, const struct question *question, enum grouped_at at,
                const char *group, const struct grouped_column *columns, size_t count,
                const char *order, struct table *answer, struct error *err) MUST_CHECK;

/* Sets a cell of a dimension from the engine's, numbers with names by their name. */
void grouped_set_dimension(const struct field *dimension, const struct table *raw,
                           size_t column, size_t row, struct table *answer, size_t to_column,
                           size_t to_row);

/* Adds the column of a dimension to an answer. */
void grouped_add_dimension(const struct field *dimension, struct table *answer);
