/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The table that the tests of views print: a column of each kind, rows with what is hard to print.
 */

#include "table/table.h"

enum usage_column {
    USAGE_USER,
    USAGE_NAME,
    USAGE_JOBS,
    USAGE_HOURS,
    USAGE_WAIT,
    USAGE_EFFICIENCY,
    USAGE_SEEN,
};

struct usage_row {
    const char *user;
    const char *name;
    int64_t jobs;
    int64_t hours; /* whole hours, times `times` */
    int64_t times;
    int64_t wait_us;
    double efficiency;
};

/* The last row, which is not here, is all absent but for the user. */
static const struct usage_row usage_rows[] = {
    {"alice", "relax-α", 1234567, 1234, 1, INT64_C(273906000000), 0.875},
    {"李小龍", "日本語のとても長いジョブ名です", 0, 0, 1, 0, 0.0},
    {"דוד", "שלום עולם", -5, -7, 1, -65000000, -0.25},
    {"mallory", "a,\"b\"|\x1b[2J\nc\\d\te\xff\xe2\x80\xae", 1, INT64_C(1000000000),
     INT64_C(1000000000), 250000, 1.0 / 3},
    {"", " padded ", 2, 3, 1, 1, 0.0001},
};

static inline void usage_columns(struct table *table)
{
    table_column(table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "name", "Job name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_column(table, "cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    table_column(table, "wait_avg", "Wait", CELL_INT, UNIT_SECONDS, COLUMN_MEASURE);
    table_column(table, "cpu_efficiency", "CPU eff.", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    table_column(table, "seen", "Last seen", CELL_INT, UNIT_INSTANT, COLUMN_MEASURE);
}

static inline void usage_table(struct table *table)
{
    usage_columns(table);
    for (size_t i = 0; i < sizeof usage_rows / sizeof usage_rows[0]; i++) {
        const struct usage_row *from = &usage_rows[i];
        size_t row = table_row(table);
        table_set_text(table, USAGE_USER, row, str_of(from->user));
        table_set_text(table, USAGE_NAME, row, str_of(from->name));
        table_set_int(table, USAGE_JOBS, row, from->jobs);
        table_set_wide(table, USAGE_HOURS, row,
                       (wide_int)from->hours * from->times * INT64_C(3600000000));
        table_set_int(table, USAGE_WAIT, row, from->wait_us);
        table_set_real(table, USAGE_EFFICIENCY, row, from->efficiency);
        table_set_int(table, USAGE_SEEN, row, INT64_C(1740830400000000) + (int64_t)i);
    }
    table_set_text(table, USAGE_USER, table_row(table), STR("nobody"));
}
