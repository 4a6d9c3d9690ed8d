/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A table of typed values: what a question is answered with, and all that a view gets to see.
 *
 * Stored by column. Numbers stay exact integers in the unit's small quantity (see
 * record/unit.h) until a view prints them; sums of resource x time need more than 64 bits,
 * hence CELL_WIDE. A cell may be absent, which is neither zero nor empty text.
 *
 * The table owns its text. Build it with table_column and table_row, then set the cells of the
 * newest row.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "record/unit.h"

enum cell_type {
    CELL_TEXT,
    CELL_INT,  /* int64_t */
    CELL_WIDE, /* __int128 */
    CELL_REAL, /* double: ratios only */
};

__extension__ typedef __int128 wide_int;

union cell {
    struct str text;
    int64_t integer;
    wide_int wide;
    double real;
};

/* How a view may treat a column. */
enum column_role {
    COLUMN_DIMENSION, /* what the row is about */
    COLUMN_MEASURE,   /* a number about it */
    COLUMN_PROSE,     /* sentences about it, the last column: broken into lines, never cut */
    COLUMN_BESIDE,    /* a word about the row or a number about a measure: shown, not drawn */
    COLUMN_TARGET,    /* what the measure before it was to reach: drawn as a line, not shown */
    COLUMN_SHARED_TARGET, /* what all measures were to reach: drawn as a line, and shown */
    COLUMN_MARK,          /* whether something is to be said of the row: people see a star */
    COLUMN_STAR,          /* the same of the number before it */
};

/* Who a column is for, where people and programs want different ones: the view picks. */
enum column_audience {
    COLUMN_FOR_ALL,
    COLUMN_FOR_PEOPLE,
    COLUMN_FOR_MACHINES,
    COLUMN_AUDIENCES,
};

struct column {
    const char *id;    /* name in machine formats */
    const char *label; /* heading for people */
    enum cell_type type;
    enum unit unit;
    enum column_role role;
    enum column_audience audience;
    /*
     * its name in pictures, which then show no measure without one; or NULL. A dimension of
     * instants that has one is an axis of time
     */
    const char *picture;
    bool additive;     /* rows may be summed, though it is no measure of the catalogue */
    bool exact;        /* people read it with as many decimals as there are, too */
    union cell *cells; /* one a row; owned by the table */
    bool *present;     /* one a row */
    const bool *stars; /* one a row: a star stands behind it; NULL: behind none. Borrowed */
    /*
     * what people read in place of the text, one a row, the null string where that is the text;
     * NULL: of no row
     */
    struct str *names;
};

struct table {
    const char *title; /* for people; NULL if there is nothing to say */
    struct column *columns;
    size_t column_count;
    size_t row_count;
    size_t row_room;
    size_t footer_count; /* last rows that sum up the others: drawn below a line */
    /* its numbers are a series: where there is no room for all, the last are worth most */
    bool in_sequence;
    bool raw; /* made to be read back: formats write its text as it is (view/export/export.h) */
    struct arena names; /* ids and labels */
    struct arena arena; /* text of cells */
};

/* A zeroed struct is an empty table. */
void table_release(struct table *table);

/*
 * Adds a column; all columns come before the first row. Id and label are copied. Returns its
 * index.
 */
size_t table_column(struct table *table, const char *id, const char *label, enum cell_type type,
                    enum unit unit, enum column_role role);

/* What a column is before it has cells: a row of a const table that describes an answer. */
struct heading {
    const char *id, *label;
    enum cell_type type;
    enum unit unit;
    enum column_role role;
};

/* Adds a column for each heading, in order. */
void table_columns(struct table *table, const struct heading *headings, size_t count);

/*
 * Columns of SU, money and hours become `exact`: where a reader adds up or multiplies what is
 * shown.
 */
void table_exact(struct table *table);

/* Sets `picture`, which is copied, and `additive` of a column. */
void table_picture(struct table *table, size_t column, const char *name, bool additive);

/*
 * Sets what people read in place of a text, which is copied; the null string: the text itself.
 */
void table_set_name(struct table *table, size_t column, size_t row, struct str name);

/*
 * The table as people or programs are to see it: the columns that are for them, with names in
 * place of texts for people. It borrows from the one it is made of, and is released by
 * table_seen_release only.
 */
void table_seen(const struct table *table, enum column_audience by, struct table *out);
void table_seen_release(struct table *seen);

/* Forgets all rows and the text of their cells; columns stay, and room for as many rows. */
void table_clear(struct table *table);

/* Adds a row whose cells are all absent; returns its index. */
size_t table_row(struct table *table);

void table_set_text(struct table *table, size_t column, size_t row,
                    struct str text); /* copied */
void table_set_int(struct table *table, size_t column, size_t row, int64_t value);
void table_set_wide(struct table *table, size_t column, size_t row, wide_int value);
void table_set_real(struct table *table, size_t column, size_t row, double value);

static inline bool table_has(const struct table *table, size_t column, size_t row)
{
    return table->columns[column].present[row];
}

/* Any integer cell as wide_int; for CELL_INT and CELL_WIDE. */
wide_int table_wide(const struct table *table, size_t column, size_t row);

/* Any number as a real one, in its small unit; for all but CELL_TEXT. */
double table_real(const struct table *table, size_t column, size_t row);

/* The column with this id; column_count if no column has it. */
size_t table_find(const struct table *table, const char *id);

/*
 * Whether people read it best at the right: numbers, but for instants, which are all equally
 * long.
 */
bool column_is_right(const struct column *column);

/* Adds a column that is like another in all but its cells; returns its index. */
size_t table_column_like(struct table *table, const struct column *column);

/* Copies a cell, an absent one as absent; both columns have the same type. */
void table_copy_cell(const struct table *from, size_t column, size_t row, struct table *to,
                     size_t to_column, size_t to_row);

/*
 * Copies the rows to a table without any that has the first of the columns, or all, under names
 * of its own.
 */
void table_copy_rows(const struct table *from, struct table *to);

/* Copies columns and rows into an empty table. */
void table_copy(const struct table *from, struct table *to);
