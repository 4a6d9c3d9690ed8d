/* SPDX-License-Identifier: MIT */
#include "report/question.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/sql.h"

/* The calendar of a bucketed question. */
struct calendar {
    int64_t *edges; /* count + 1 */
    size_t count;
};

/*
 * The widest slot that all edges are multiples of: a day where no clock changed, else an hour, else
 * a quarter of one for the odd zones. 0 where a clock changed by odd seconds.
 */
static int64_t slot_width(const struct calendar *calendar)
{
    static const int64_t widths[] = {DAY_US, HOUR_US, HOUR_US / 4};
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        bool fits = true;
        for (size_t i = 1; i <= calendar->count && fits; i++) {
            fits = (calendar->edges[i] - calendar->edges[0]) % widths[w] == 0;
        }
        if (fits) {
            return widths[w];
        }
    }
    return 0;
}

/* Loads the slots: for each its bucket and that bucket's edges. */
static int load_slots(struct facts *facts, const struct calendar *calendar,
                      const struct sql_plan *plan, struct error *err)
{
    static const char *const columns[] = {"slot", "bucket", "lower", "upper"};

    enum { COLUMNS = COUNT_OF(columns) };

    const int64_t *edges = calendar->edges;
    const size_t slots = plan->slot_us
                             ? (size_t)((edges[calendar->count] - edges[0]) / plan->slot_us)
                             : calendar->count;
    int64_t *rows = mem_alloc(slots, COLUMNS * sizeof(int64_t));
    size_t bucket = 0;
    for (size_t slot = 0; slot < slots; slot++) {
        int64_t start = plan->slot_us ? edges[0] + (int64_t)slot * plan->slot_us : edges[slot];
        while (start >= edges[bucket + 1]) {
            bucket++;
        }
        int64_t *row = rows + slot * COLUMNS;
        row[0] = (int64_t)slot;
        row[1] = (int64_t)bucket;
        row[2] = edges[bucket];
        row[3] = edges[bucket + 1];
    }
    int failed = facts_load_integers(facts, SQL_SLOTS, columns, COLUMNS, rows, slots, err);
    free(rows);
    return failed;
}

static int make_plan(const struct question *question, struct calendar *calendar,
                     struct sql_plan *plan, struct error *err)
{
    buf_init(&plan->text, LIMIT_SQL);
    plan->values = mem_alloc(1, sizeof(*plan->values));
    if (question->bucket != BUCKET_NONE) {
        int failed = calendar_edges(question->period, question->bucket, question->zone,
                                    &calendar->edges, &calendar->count, err);
        if (failed) {
            return failed;
        }
        plan->bucket_count = calendar->count;
        plan->origin = calendar->edges[0];
        plan->slot_us = slot_width(calendar);
    }
    return sql_question(question, plan, err);
}

static void release_plan(struct calendar *calendar, struct sql_plan *plan)
{
    free(calendar->edges);
    free(plan->values);
    buf_release(&plan->text);
    *calendar = (struct calendar){0};
    *plan = (struct sql_plan){0};
}

static void copy_cell(const struct table *from, size_t column, size_t row, struct table *to,
                      size_t to_column)
{
    if (!table_has(from, column, row)) {
        return;
    }
    const struct column *c = &from->columns[column];
    if (c->type == CELL_TEXT) {
        table_set_text(to, to_column, row, c->cells[row].text);
    } else if (c->type == CELL_REAL) {
        table_set_real(to, to_column, row, c->cells[row].real);
    } else if (to->columns[to_column].type == CELL_WIDE) {
        table_set_wide(to, to_column, row, table_wide(from, column, row));
    } else {
        table_set_int(to, to_column, row, (int64_t)table_wide(from, column, row));
    }
}

static void add_columns(const struct question *question, struct table *answer)
{
    for (size_t i = 0; i < question->dimension_count; i++) {
        const struct field *d = question->dimensions[i];
        table_column(answer, d->id, d->label, d->type == FIELD_TEXT ? CELL_TEXT : CELL_INT,
                     d->unit, COLUMN_DIMENSION);
    }
    if (question->bucket != BUCKET_NONE) {
        table_column(answer, "period", "Period", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    for (size_t i = 0; i < question->measure_count; i++) {
        const struct measure *m = question->measures[i];
        table_column(answer, m->id, m->label, CELL_WIDE, m->unit, COLUMN_MEASURE);
    }
}

/* From the engine's columns (d0.., bucket, m0..) to the answer's, with names, units and labels. */
static void shape_answer(const struct question *question, const struct calendar *calendar,
                         const struct table *raw, struct table *answer)
{
    add_columns(question, answer);
    const size_t dimensions = question->dimension_count;
    for (size_t row = 0; row < raw->row_count; row++) {
        table_row(answer);
        size_t to = 0;
        for (size_t i = 0; i < dimensions; i++) {
            copy_cell(raw, i, row, answer, to++);
        }
        if (question->bucket != BUCKET_NONE) {
            char label[BUCKET_LABEL_MAX];
            size_t bucket = (size_t)table_wide(raw, dimensions, row);
            calendar_label(calendar->edges[bucket], question->bucket, question->zone, label);
            table_set_text(answer, to++, row, str_of(label));
        }
        for (size_t i = 0; i < question->measure_count; i++) {
            copy_cell(raw, dimensions + 1 + i, row, answer, to++);
        }
    }
}

static int ask_once(struct facts *facts, const struct question *question, bool wide,
                    struct table *answer, struct error *err)
{
    struct calendar calendar = {0};
    struct sql_plan plan = {.wide = wide};
    struct table raw = {0};
    int failed = make_plan(question, &calendar, &plan, err);
    if (!failed && plan.bucket_count) {
        failed = load_slots(facts, &calendar, &plan, err);
    }
    if (!failed) {
        failed = facts_query(facts, plan.text.ptr,
                             (struct facts_values){plan.values->values, plan.values->count},
                             &raw, err);
    }
    if (!failed) {
        shape_answer(question, &calendar, &raw, answer);
    }
    table_release(&raw);
    release_plan(&calendar, &plan);
    return failed;
}

int question_ask(struct facts *facts, const struct question *question, struct table *answer,
                 struct error *err)
{
    int failed = ask_once(facts, question, false, answer, err);
    if (failed ==
        ERROR_LIMIT) { /* 64 bits were not enough for one run's product: exactly, but slower */
        failed = ask_once(facts, question, true, answer, err);
    }
    return failed;
}

int question_explain(const struct question *question, struct buf *sql, struct error *err)
{
    struct calendar calendar = {0};
    struct sql_plan plan = {0};
    int failed = make_plan(question, &calendar, &plan, err);
    if (!failed) {
        buf_add(sql, buf_str(&plan.text));
    }
    release_plan(&calendar, &plan);
    return failed;
}

int listing_ask(struct facts *facts, const struct listing *listing, struct table *answer,
                struct error *err)
{
    struct sql_plan plan = {0};
    struct table raw = {0};
    buf_init(&plan.text, LIMIT_SQL);
    plan.values = mem_alloc(1, sizeof(*plan.values));
    int failed = sql_listing(listing, &plan, err);
    if (!failed) {
        failed = facts_query(facts, plan.text.ptr,
                             (struct facts_values){plan.values->values, plan.values->count},
                             &raw, err);
    }
    for (size_t i = 0; !failed && i < listing->field_count; i++) {
        const struct field *f = listing->fields[i];
        enum column_role role = f->unit == UNIT_NONE ? COLUMN_DIMENSION : COLUMN_MEASURE;
        table_column(answer, f->id, f->label, raw.columns[i].type, f->unit, role);
    }
    for (size_t row = 0; !failed && row < raw.row_count; row++) {
        table_row(answer);
        for (size_t i = 0; i < listing->field_count; i++) {
            copy_cell(&raw, i, row, answer, i);
        }
    }
    table_release(&raw);
    free(plan.values);
    buf_release(&plan.text);
    return failed;
}

int listing_span(struct facts *facts, struct period *out, bool *any, struct error *err)
{
    const struct facts_values none = {0};
    bool first = false, last = false;
    int failed;
    (void)((failed = facts_number(facts, SQL_FIRST_INSTANT, none, &out->from, &first, err)) ||
           (failed = facts_number(facts, SQL_LAST_INSTANT, none, &out->to, &last, err)));
    *any = first && last;
    return failed;
}
