/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What can be asked. A report is a question, not a program: measures x dimensions x period x bucket
 * x filters. A new measure is a new row of `measures` in catalog.c; everything else (SQL, help,
 * column heads, docs) follows from the row.
 *
 * Dimensions need no rows of their own: they are the fields of the run that are not bookkeeping.
 */

#include <stddef.h>

#include "base/str.h"
#include "record/run.h"

/* Which runs a measure looks at, and when they count. */
enum measure_kind {
    MEASURE_AT_END,   /* aggregate over runs that started, at the instant they ended */
    MEASURE_AT_START, /* aggregate over runs, at the instant they started */
    MEASURE_OVERLAP,  /* rate x time that the run overlaps the period or bucket */
    MEASURE_ACTIVE,   /* number of runs that overlap it */
    MEASURE_DISTINCT, /* number of different values among the runs that overlap it */
    MEASURE_KINDS,
};

struct measure {
    const char *id;
    const char *label;
    const char *doc; /* one line: the definition */
    enum unit unit;
    enum measure_kind kind;
    const char *sql; /* AT_*: an aggregate; OVERLAP: the rate, an integer; DISTINCT: a column */
    bool additive;   /* rows and buckets may be summed */
};

extern const struct measure measures[];
extern const size_t measure_count;

const struct measure *measure_find(struct str id); /* NULL if there is none */

/*
 * Columns a listing can show beside the fields of the run: worked out from them, so not stored. They
 * have the shape of a field; what they are made of is in catalog.c.
 */
extern const struct field derived_fields[];
extern const size_t derived_field_count;

/* The run's field or derived column with this id, bookkeeping included, or NULL. */
const struct field *column_find(struct str id);

/* The field to group by, or NULL: any field of the run but bookkeeping. */
const struct field *dimension_find(struct str id);
bool dimension_is(const struct field *field);

/* The SQL of a field or derived column: a quoted name or an expression in brackets. */
const char *column_sql(const struct field *field);
