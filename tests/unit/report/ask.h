/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Questions in one line, for the tests of report/: ids as they are typed, answers as numbers.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "report/question.h"
#include "support/expect.h"
#include "support/runs.h"

/* A measure that is not known: its cell is absent. */
#define UNKNOWN INT64_MIN

static inline struct zone *ask_zone(const char *name)
{
    struct zone *zone = NULL;
    struct error err = {0};
    if (zone_open(name, &zone, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return zone;
}

/* The instant a text names, or where the span it names begins. */
static inline int64_t ask_instant(const struct zone *zone, const char *text)
{
    struct period span = {0};
    struct error err = {0};
    if (calendar_span(str_of(text), zone, 0, &span, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return span.from;
}

static inline struct period ask_period(const struct zone *zone, const char *from,
                                       const char *to)
{
    struct period period = {0};
    struct error err = {0};
    if (calendar_period(str_of(from), str_of(to), zone, 0, &period, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return period;
}

static inline void ask_measures(struct question *question, const char *ids)
{
    question->measure_count = 0;
    for (struct str rest = str_of(ids); rest.ptr;) {
        struct str id = str_cut(&rest, ',');
        const struct measure *measure = measure_find(id);
        if (!measure) {
            expect_fail("no measure '%.*s'", STR_ARG(id));
        }
        question->measures[question->measure_count++] = measure;
    }
}

static inline void ask_by(struct question *question, const char *ids)
{
    question->dimension_count = 0;
    for (struct str rest = str_of(ids); rest.ptr;) {
        struct str id = str_cut(&rest, ',');
        const struct field *field = dimension_find(id);
        if (!field) {
            expect_fail("no dimension '%.*s'", STR_ARG(id));
        }
        question->dimensions[question->dimension_count++] = field;
    }
}

static inline void ask_where(struct question *question, const char *field, const char *list)
{
    struct error err = {0};
    const struct field *found = column_find(str_of(field));
    found = found ? found : dimension_find(str_of(field)); /* one that the books decide */
    if (filter_add(&question->filter, found, str_of(list), &err) != 0) {
        expect_fail("%s", err.text);
    }
}

/* Asks; the caller releases the table. */
static inline void ask(struct facts *facts, const struct question *question,
                       struct table *answer)
{
    struct error err = {0};
    *answer = (struct table){0};
    if (question_ask(facts, question, answer, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static inline size_t ask_column(const struct table *table, const char *id)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (str_eq(str_of(table->columns[i].id), str_of(id))) {
            return i;
        }
    }
    expect_fail("no column '%s'", id);
}

/* A number of the answer, UNKNOWN if absent; one beyond 64 bits fails the test. */
static inline int64_t ask_number(const struct table *table, const char *id, size_t row)
{
    size_t column = ask_column(table, id);
    if (!table_has(table, column, row)) {
        return UNKNOWN;
    }
    wide_int value = table_wide(table, column, row);
    if (value > INT64_MAX || value <= INT64_MIN) {
        expect_fail("%s does not fit 64 bits", id);
    }
    return (int64_t)value;
}

/* A text of the answer; "---" if absent. */
static inline struct str ask_text(const struct table *table, const char *id, size_t row)
{
    size_t column = ask_column(table, id);
    return table_has(table, column, row) ? table->columns[column].cells[row].text : STR("---");
}

/* A number as a person would write it down: hours where it is hours, else as it is. */
static inline void ask_print_number(const struct table *table, size_t column, size_t row,
                                    struct buf *out)
{
    enum { PARTS = 100 };

    int64_t value = (int64_t)table_wide(table, column, row);
    int64_t rest = value % HOUR_US * PARTS;
    if (table->columns[column].unit == UNIT_MILLIJOULES) {
        buf_addf(out, "%.12g", (double)value / 1000);
    } else if (table->columns[column].unit != UNIT_HOURS) {
        buf_addf(out, "%" PRId64, value);
    } else if (rest % HOUR_US != 0) {
        buf_addf(out, "%" PRId64 "us", value);
    } else {
        buf_addf(out, rest ? "%" PRId64 ".%02" PRId64 "h" : "%" PRId64 "h", value / HOUR_US,
                 rest / HOUR_US);
    }
}

/* The answer as lines of cells, `---` for what is absent. */
static inline void ask_print(const struct table *table, struct buf *out)
{
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            buf_addz(out, c ? " " : "");
            if (!table_has(table, c, row)) {
                buf_addz(out, "---");
            } else if (table->columns[c].type == CELL_TEXT) {
                buf_add(out, table->columns[c].cells[row].text);
            } else if (table->columns[c].type == CELL_REAL &&
                       (table->columns[c].unit == UNIT_SECONDS ||
                        table->columns[c].unit == UNIT_BYTES)) { /* a mean */
                buf_addf(out, "%.15g", table->columns[c].cells[row].real);
            } else if (table->columns[c].type == CELL_REAL) {
                buf_addf(out, "%.4f", table->columns[c].cells[row].real);
            } else {
                ask_print_number(table, c, row, out);
            }
        }
        buf_addc(out, '\n');
    }
}

/* Asks and compares with lines as ask_print writes them. */
#define expect_answer(facts, question, want)                                                   \
    expect_answer_at((facts), (question), (want), __FILE__, __LINE__)

static inline void expect_answer_at(struct facts *facts, const struct question *question,
                                    const char *want, const char *file, int line)
{
    struct table table;
    struct buf got;
    ask(facts, question, &table);
    buf_init(&got, 1 << 20);
    ask_print(&table, &got);
    table_release(&table);
    char *text = buf_take(&got);
    buf_release(&got);
    expect_text_at(text, want, "the answer", file, line);
    free(text);
}
