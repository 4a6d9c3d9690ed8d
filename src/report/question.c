/* SPDX-License-Identifier: MIT */
#include "report/question.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/sql.h"

/* A stretch of time, and where it stands in the calendar. */
struct time_cell {
    int64_t lower, upper;
    size_t bucket; /* of those asked for with --every; 0 without */
    int weekday;   /* 0 is Monday */
    int hour;
};

/* How much time a kind of row is about. */
struct elapsed {
    int64_t place, time;
};

enum { HOURS_OF_DAY = 24 };

/* How the time of a question is cut up. */
struct cells {
    struct time_cell *cells;
    size_t count;
    int64_t *buckets; /* edges of the buckets that are shown */
    size_t bucket_count;
    struct elapsed *elapsed; /* see elapsed_new */
    size_t elapsed_count;
};

/* What cells have to be as fine as. */
static enum bucket cell_bucket(const struct question *question)
{
    enum bucket finest = question->bucket;
    for (size_t i = 0; i < question->dimension_count; i++) {
        enum fold fold = dimension_fold(question->dimensions[i]);
        if (fold == FOLD_HOUR) {
            return BUCKET_HOUR;
        }
        if (fold == FOLD_WEEKDAY && finest != BUCKET_HOUR) {
            finest = BUCKET_DAY;
        }
    }
    return finest;
}

static void place_cells(const struct question *question, const int64_t *edges,
                        struct cells *cells)
{
    size_t bucket = 0;
    cells->cells = mem_alloc(cells->count, sizeof(*cells->cells));
    for (size_t i = 0; i < cells->count; i++) {
        const struct civil civil = zone_civil(question->zone, edges[i]);
        while (cells->buckets && edges[i] >= cells->buckets[bucket + 1]) {
            bucket++;
        }
        cells->cells[i] = (struct time_cell){
            .lower = edges[i],
            .upper = edges[i + 1],
            .bucket = bucket,
            .weekday = civil_weekday(civil),
            .hour = civil.hour,
        };
    }
}

/* No cells where time is not cut up. */
static int cells_init(struct cells *cells, const struct question *question, struct error *err)
{
    const enum bucket bucket = cell_bucket(question);
    int64_t *edges = NULL;
    int failed = 0;
    *cells = (struct cells){0};
    if (bucket == BUCKET_NONE) {
        return 0;
    }
    (void)((question->bucket != BUCKET_NONE &&
            (failed = calendar_edges(question->period, question->bucket, question->zone,
                                     &cells->buckets, &cells->bucket_count, err))) ||
           (failed = calendar_edges(question->period, bucket, question->zone, &edges,
                                    &cells->count, err)));
    if (!failed) {
        place_cells(question, edges, cells);
    }
    free(edges);
    return failed;
}

static void cells_release(struct cells *cells)
{
    free(cells->cells);
    free(cells->buckets);
    free(cells->elapsed);
    *cells = (struct cells){0};
}

/*
 * The widest slot that all edges are multiples of: a day where no clock changed, else an hour, else
 * a quarter of one for the odd zones. 0 where a clock changed by odd seconds.
 */
static int64_t slot_width(const struct cells *cells)
{
    static const int64_t widths[] = {DAY_US, HOUR_US, HOUR_US / 4};
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        bool fits = true;
        for (size_t i = 0; i < cells->count && fits; i++) {
            fits = (cells->cells[i].upper - cells->cells[0].lower) % widths[w] == 0;
        }
        if (fits) {
            return widths[w];
        }
    }
    return 0;
}

/* Loads the slots: for each its cell and all there is to know of it. */
static int load_slots(struct facts *facts, const struct cells *cells,
                      const struct sql_plan *plan, struct error *err)
{
    static const char *const columns[] = {"slot",   "cell",    "lower", "upper",
                                          "bucket", "weekday", "hour"};

    enum { COLUMNS = COUNT_OF(columns) };

    const int64_t origin = cells->cells[0].lower;
    const int64_t length = cells->cells[cells->count - 1].upper - origin;
    const size_t slots = plan->slot_us ? (size_t)(length / plan->slot_us) : cells->count;
    int64_t *rows = mem_alloc(slots, COLUMNS * sizeof(int64_t));
    size_t at = 0;
    for (size_t slot = 0; slot < slots; slot++) {
        while (plan->slot_us ? origin + (int64_t)slot * plan->slot_us >= cells->cells[at].upper
                             : at < slot) {
            at++;
        }
        const struct time_cell *cell = &cells->cells[at];
        int64_t *row = rows + slot * COLUMNS;
        row[0] = (int64_t)slot;
        row[1] = (int64_t)at;
        row[2] = cell->lower;
        row[3] = cell->upper;
        row[4] = (int64_t)cell->bucket;
        row[5] = cell->weekday;
        row[6] = cell->hour;
    }
    int failed = facts_load_integers(facts, SQL_SLOTS, columns, COLUMNS, rows, slots, err);
    free(rows);
    return failed;
}

static int make_plan(const struct question *question, struct cells *cells,
                     struct sql_plan *plan, struct error *err)
{
    buf_init(&plan->text, LIMIT_SQL);
    plan->values = mem_alloc(1, sizeof(*plan->values));
    int failed = cells_init(cells, question, err);
    if (failed) {
        return failed;
    }
    if (cells->count) {
        plan->cell_count = cells->count;
        plan->origin = cells->cells[0].lower;
        plan->slot_us = slot_width(cells);
    }
    return sql_question(question, plan, err);
}

static void release_plan(struct cells *cells, struct sql_plan *plan)
{
    cells_release(cells);
    free(plan->values);
    buf_release(&plan->text);
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

static bool has_names(const struct field *dimension)
{
    return dimension_name(dimension, 0) != NULL;
}

static void add_columns(const struct question *question, struct table *answer)
{
    for (size_t i = 0; i < question->dimension_count; i++) {
        const struct field *d = question->dimensions[i];
        bool text = d->type == FIELD_TEXT || has_names(d);
        table_column(answer, d->id, d->label, text ? CELL_TEXT : CELL_INT, d->unit,
                     COLUMN_DIMENSION);
    }
    if (question->bucket != BUCKET_NONE) {
        table_column(answer, "period", "Period", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    for (size_t i = 0; i < question->measure_count; i++) {
        const struct measure *m = question->measures[i];
        table_column(answer, m->id, m->label, m->real ? CELL_REAL : CELL_WIDE, m->unit,
                     COLUMN_MEASURE);
    }
}

static void set_dimension(const struct field *dimension, const struct table *raw, size_t column,
                          size_t row, struct table *answer)
{
    if (has_names(dimension) && table_has(raw, column, row)) {
        const char *name = dimension_name(dimension, (int64_t)table_wide(raw, column, row));
        table_set_text(answer, column, row, str_of(name ? name : "?"));
    } else {
        copy_cell(raw, column, row, answer, column);
    }
}

/* How much of the time from lower to upper lies in the period and has passed. */
static int64_t passed(const struct question *question, int64_t lower, int64_t upper)
{
    int64_t from = lower > question->period.from ? lower : question->period.from;
    int64_t to = upper < question->period.to ? upper : question->period.to;
    to = question->now < to ? question->now : to;
    return to > from ? to - from : 0;
}

/*
 * Which of the rows a cell or a row of the engine's answer belongs to, as one number: the bucket, and the
 * weekday and hour where these are asked for.
 */
static int64_t place_of(const struct question *question, int64_t bucket, const int64_t *folds)
{
    int64_t place = bucket;
    for (size_t i = 0; i < question->dimension_count; i++) {
        if (dimension_fold(question->dimensions[i]) != FOLD_NONE) {
            place = place * HOURS_OF_DAY + folds[i];
        }
    }
    return place;
}

static int compare_places(const void *a, const void *b)
{
    const struct elapsed *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* The time of all rows, as far as it has passed, in order of their places: *count of them. */
static struct elapsed *elapsed_new(const struct question *question, const struct cells *cells,
                                   size_t *count)
{
    struct elapsed *all = mem_alloc(cells->count + 1, sizeof(*all));
    for (size_t i = 0; i < cells->count; i++) {
        const struct time_cell *cell = &cells->cells[i];
        int64_t folds[QUESTION_DIMENSIONS_MAX] = {0};
        for (size_t d = 0; d < question->dimension_count; d++) {
            folds[d] = dimension_fold(question->dimensions[d]) == FOLD_HOUR ? cell->hour
                                                                            : cell->weekday;
        }
        all[i] = (struct elapsed){place_of(question, (int64_t)cell->bucket, folds),
                                  passed(question, cell->lower, cell->upper)};
    }
    qsort(all, cells->count, sizeof(*all), compare_places);
    *count = 0;
    for (size_t i = 0; i < cells->count; i++) {
        if (*count > 0 && all[*count - 1].place == all[i].place) {
            all[*count - 1].time += all[i].time;
        } else {
            all[(*count)++] = all[i];
        }
    }
    return all;
}

/* The time that a row is about, as far as it has passed. */
static int64_t time_of_row(const struct question *question, const struct cells *cells,
                           const struct table *raw, size_t row)
{
    int64_t folds[QUESTION_DIMENSIONS_MAX] = {0};
    if (!cells->count) {
        return passed(question, question->period.from, question->period.to);
    }
    for (size_t i = 0; i < question->dimension_count; i++) {
        if (dimension_fold(question->dimensions[i]) != FOLD_NONE) {
            folds[i] = (int64_t)table_wide(raw, i, row);
        }
    }
    const int64_t bucket = (int64_t)table_wide(raw, question->dimension_count, row);
    const struct elapsed key = {place_of(question, bucket, folds), 0};
    const struct elapsed *found = bsearch(&key, cells->elapsed, cells->elapsed_count,
                                          sizeof(*cells->elapsed), compare_places);
    return found ? found->time : 0;
}

static void set_measure(const struct question *question, const struct cells *cells,
                        size_t index, const struct table *raw, size_t row, struct table *answer,
                        size_t to_column)
{
    const struct measure *m = question->measures[index];
    const size_t column = question->dimension_count + 1 + index;
    if (m->per == PER_NOTHING) {
        copy_cell(raw, column, row, answer, to_column);
        return;
    }
    int64_t time = m->per == PER_TIME ? time_of_row(question, cells, raw, row) : 0;
    if (table_has(raw, column, row) && time > 0) {
        table_set_real(answer, to_column, row,
                       (double)table_wide(raw, column, row) / (double)time);
    }
}

/* From the engine's columns (d0.., bucket, m0..) to the answer's, with names, units and labels. */
static void shape_answer(const struct question *question, struct cells *cells,
                         const struct table *raw, struct table *answer)
{
    cells->elapsed = elapsed_new(question, cells, &cells->elapsed_count);
    add_columns(question, answer);
    for (size_t row = 0; row < raw->row_count; row++) {
        table_row(answer);
        size_t to = 0;
        for (; to < question->dimension_count; to++) {
            set_dimension(question->dimensions[to], raw, to, row, answer);
        }
        if (question->bucket != BUCKET_NONE) {
            char label[BUCKET_LABEL_MAX];
            size_t bucket = (size_t)table_wide(raw, question->dimension_count, row);
            calendar_label(cells->buckets[bucket], question->bucket, question->zone, label);
            table_set_text(answer, to++, row, str_of(label));
        }
        for (size_t i = 0; i < question->measure_count; i++) {
            set_measure(question, cells, i, raw, row, answer, to++);
        }
    }
}

static bool has_amounts(const struct question *question)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        if (question->measures[i]->kind == MEASURE_OVERLAP) {
            return true;
        }
    }
    return false;
}

/* Whether any run was ever suspended: from the statistics of the column, no row is read. */
static int find_suspended(struct facts *facts, const struct question *question, bool *any,
                          struct error *err)
{
    int64_t longest = 0;
    int failed = has_amounts(question)
                     ? facts_number(facts, "SELECT max(suspended_us) FROM runs",
                                    (struct facts_values){0}, &longest, NULL, err)
                     : 0;
    *any = longest > 0;
    return failed;
}

static int ask_once(struct facts *facts, const struct question *question, bool wide,
                    struct table *answer, struct error *err)
{
    struct cells cells = {0};
    struct sql_plan plan = {.wide = wide};
    struct table raw = {0};
    int failed;
    (void)((failed = find_suspended(facts, question, &plan.suspended, err)) ||
           (failed = make_plan(question, &cells, &plan, err)) ||
           (plan.cell_count && (failed = load_slots(facts, &cells, &plan, err))) ||
           (failed = facts_query(facts, plan.text.ptr,
                                 (struct facts_values){plan.values->values, plan.values->count},
                                 &raw, err)));
    if (!failed) {
        shape_answer(question, &cells, &raw, answer);
    }
    table_release(&raw);
    release_plan(&cells, &plan);
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
    struct cells cells = {0};
    struct sql_plan plan = {0};
    int failed = make_plan(question, &cells, &plan, err);
    if (!failed) {
        buf_add(sql, buf_str(&plan.text));
    }
    release_plan(&cells, &plan);
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
