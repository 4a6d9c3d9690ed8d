/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs in one line, for numbers that are worked out by hand: "start=2 end=5 cpus=4". Instants are hours from
 * the beginning of Monday, 10 March 2025, in UTC, durations are hours, the rest is as it is.
 *
 * hand_print writes answers down the same way.
 */

#include <stdlib.h>

#include "support/expect.h"
#include "unit/report/ask.h"

/* 2025-03-10T00:00Z */
static const int64_t hand_day = INT64_C(1741564800) * SECOND_US;

static inline int64_t hand_at(int64_t hour)
{
    return hand_day + hour * HOUR_US;
}

static inline void hand_set(struct run *run, struct str id, struct str value)
{
    const struct field *field = run_field_find(id);
    if (!field) {
        expect_fail("no field '%.*s'", STR_ARG(id));
    }
    char *member = (char *)run + field->offset;
    const size_t index = (size_t)(field - run_fields);
    if (field->type == FIELD_TEXT) {
        *(struct str *)(void *)member = value;
    } else {
        int64_t number = strtoll(value.ptr, NULL, 10); /* stops at the blank */
        *(int64_t *)(void *)member = field->unit == UNIT_INSTANT       ? hand_at(number)
                                     : field->unit == UNIT_SECONDS     ? number * HOUR_US
                                     : field->unit == UNIT_MILLIJOULES ? number * 1000
                                                                       : number;
    }
    run->has[index / 64] |= UINT64_C(1) << index % 64;
}

/* Text of the run is borrowed from the line. */
static inline void hand_run(const char *line, struct run *run)
{
    for (struct str rest = str_of(line); rest.ptr;) {
        struct str value = str_cut(&rest, ' ');
        struct str id = str_cut(&value, '=');
        hand_set(run, id, value);
    }
}

static inline void hand_print_number(const struct column *column, wide_int value,
                                     struct buf *out)
{
    int64_t number = (int64_t)value;
    if (column->unit == UNIT_INSTANT) {
        number = (number - hand_day) / HOUR_US;
    } else if (column->unit == UNIT_SECONDS) {
        number /= HOUR_US;
    }
    buf_addf(out, "%" PRId64, number);
}

/* All rows as lines of cells, `---` for what is absent. */
static inline void hand_print(const struct table *table, struct buf *out)
{
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            const struct column *column = &table->columns[c];
            buf_addz(out, c ? " " : "");
            if (!table_has(table, c, row)) {
                buf_addz(out, "---");
            } else if (column->type == CELL_TEXT) {
                buf_add(out, column->cells[row].text);
            } else if (column->type == CELL_REAL) {
                buf_addf(out, "%.1f", column->cells[row].real);
            } else {
                hand_print_number(column, table_wide(table, c, row), out);
            }
        }
        buf_addc(out, '\n');
    }
}
