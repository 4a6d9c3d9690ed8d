/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The SQL of what can be shown, filtered and grouped by: fields of runs and of samples, and
 * what is worked out from them. Inside report/ only.
 */

#include "facts/statement.h"
#include "report/catalog.h"

/* A quoted name, or an expression in brackets. */
void column_add(struct statement *sql, const struct field *field);

/*
 * The same from runs with what they used by samples (question->resolved): use_table_beside has
 * made the columns.
 */
void column_add_resolved(struct statement *sql, const struct field *field);

/* The column of a roll-up that has a measure. */
static inline struct identifier identifier_of_measure(const struct measure *measure)
{
    return (struct identifier){measure->id};
}

/* The id that people type: 4711, 4711.3, 4711.3+1. */
#define COLUMN_SQL_ID                                                                          \
    "coalesce(@text(job), job_key) || coalesce('.' || task, '') || coalesce('+' || het, '')"
