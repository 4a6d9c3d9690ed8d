/* SPDX-License-Identifier: MIT */
#include "report/question.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/plan.h"
#include "report/queries/capacity_series.h"
#include "report/rollup/store_state.h"
#include "report/sql/runs_source.h"
#include "report/sql/statements.h"

/* How much time a kind of row is about, as far as it has passed. */
struct elapsed {
    int64_t place, time;
};

struct elapsed_times {
    struct elapsed *times; /* in order of their places */
    size_t count;
};

/* A question, and all that its answer is made of. */
struct asked {
    const struct question *question;
    struct plan plan;
    struct size size;
    struct table raw; /* the engine's answer: d0.., bucket, m0.. */
    struct elapsed_times times;
};

bool question_joins(const struct question *question, enum joined joined)
{
    bool found = false;
    for (size_t i = 0; !found && i < question->dimension_count; i++) {
        found = dimension_joined(question->dimensions[i]) == joined;
    }
    for (size_t i = 0; !found && i < question->filter.count; i++) {
        found = dimension_joined(question->filter.conditions[i].field) == joined;
    }
    for (size_t i = 0; !found && i < question->measure_count; i++) {
        found = measure_joined(question->measures[i]) == joined;
    }
    return found;
}

int question_cuts_exactly(struct facts *facts, const struct question *question, bool *out,
                          struct error *err)
{
    struct store_state state;
    bool pauses = false;
    for (size_t i = 0; i < question->measure_count; i++) {
        pauses = pauses || question->measures[i]->pauses;
    }
    int failed = store_state_read(facts, question->zone, &state, err);
    *out = !pauses || !state.suspended;
    return failed;
}

bool question_has_prices(const struct question *question)
{
    bool found = question->priced;
    for (size_t i = 0; !found && i < question->measure_count; i++) {
        found = question->measures[i]->quantity == QUANTITY_SU ||
                question->measures[i]->quantity == QUANTITY_COST;
    }
    return found;
}

void question_drop_dimensions(struct question *question)
{
    const bool by_node = runs_source_by_node(question);
    for (size_t i = 0; by_node && i < question->filter.count; i++) {
        question->on_nodes |= dimension_is_spread(question->filter.conditions[i].field);
    }
    question->dimension_count = 0;
}

bool question_adds_up(const struct question *question, const struct measure *measure)
{
    bool all = measure->additive;
    for (size_t i = 0; all && i < question->dimension_count; i++) {
        all = measure_adds_up(measure, question->dimensions[i]);
    }
    return all;
}

static void copy_cell(const struct table *from, size_t column, size_t row, struct table *to,
                      size_t to_column, size_t to_row)
{
    if (!table_has(from, column, row)) {
        return;
    }
    const struct column *c = &from->columns[column];
    if (c->type == CELL_TEXT) {
        table_set_text(to, to_column, to_row, c->cells[row].text);
    } else if (c->type == CELL_REAL) {
        table_set_real(to, to_column, to_row, c->cells[row].real);
    } else if (to->columns[to_column].type == CELL_WIDE) {
        table_set_wide(to, to_column, to_row, table_wide(from, column, row));
    } else {
        table_set_int(to, to_column, to_row, (int64_t)table_wide(from, column, row));
    }
}

static bool has_names(const struct field *dimension)
{
    return dimension_name(dimension, 0) != NULL;
}

static bool says_partial(const struct question *question)
{
    return question->bucket != BUCKET_NONE && question->coverage &&
           question->coverage->count > 0;
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
    if (says_partial(question)) {
        table_column(answer, "partial", "Partial", CELL_INT, UNIT_TRUTH, COLUMN_MARK);
    }
}

static void set_dimension(const struct field *dimension, const struct table *raw, size_t column,
                          size_t row, struct table *answer, size_t to_row)
{
    if (has_names(dimension) && table_has(raw, column, row)) {
        const char *name = dimension_name(dimension, (int64_t)table_wide(raw, column, row));
        table_set_text(answer, column, to_row, str_of(name ? name : "?"));
    } else {
        copy_cell(raw, column, row, answer, column, to_row);
    }
}

/* What of the time from lower to upper lies in the period and has passed. */
static struct period passed(const struct question *question, int64_t lower, int64_t upper)
{
    int64_t from = lower > question->period.from ? lower : question->period.from;
    int64_t to = upper < question->period.to ? upper : question->period.to;
    to = question->now < to ? question->now : to;
    return (struct period){from, to > from ? to : from};
}

static int64_t length_of(struct period period)
{
    return period.to - period.from;
}

/*
 * What kind of row a cell or a row of the engine's answer is of, as one number: the bucket, and
 * the weekday and hour where these are asked for.
 */
static int64_t place_of(const struct question *question, int64_t bucket, const int64_t *folds)
{
    enum { HOURS_OF_DAY = 24 };

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

static struct elapsed elapsed_of(const struct question *question, const struct time_cell *cell)
{
    int64_t folds[QUESTION_DIMENSIONS_MAX] = {0};
    for (size_t i = 0; i < question->dimension_count; i++) {
        folds[i] =
            dimension_fold(question->dimensions[i]) == FOLD_HOUR ? cell->hour : cell->weekday;
    }
    return (struct elapsed){place_of(question, (int64_t)cell->bucket, folds),
                            length_of(passed(question, cell->lower, cell->upper))};
}

/* Of all kinds of rows, once: there are as many rows as groups x cells. */
static struct elapsed_times add_up_times(const struct question *question,
                                         const struct cells *cells)
{
    struct elapsed_times all = {mem_alloc(cells->count + 1, sizeof(*all.times)), 0};
    for (size_t i = 0; i < cells->count; i++) {
        all.times[i] = elapsed_of(question, &cells->cells[i]);
    }
    qsort(all.times, cells->count, sizeof(*all.times), compare_places);
    for (size_t i = 0; i < cells->count; i++) {
        if (all.count > 0 && all.times[all.count - 1].place == all.times[i].place) {
            all.times[all.count - 1].time += all.times[i].time;
        } else {
            all.times[all.count++] = all.times[i];
        }
    }
    return all;
}

/* The time that a row is about, as far as it has passed. */
static int64_t time_of_row(const struct question *question, const struct elapsed_times *all,
                           const struct table *raw, size_t row)
{
    int64_t folds[QUESTION_DIMENSIONS_MAX] = {0};
    if (!all->count) {
        return length_of(passed(question, question->period.from, question->period.to));
    }
    for (size_t i = 0; i < question->dimension_count; i++) {
        if (dimension_fold(question->dimensions[i]) != FOLD_NONE) {
            folds[i] = (int64_t)table_wide(raw, i, row);
        }
    }
    const int64_t bucket = (int64_t)table_wide(raw, question->dimension_count, row);
    const struct elapsed key = {place_of(question, bucket, folds), 0};
    const struct elapsed *found =
        bsearch(&key, all->times, all->count, sizeof(*all->times), compare_places);
    return found ? found->time : 0;
}

/* A row of the engine's answer, by what it is about. */
static struct coverage_row row_of(const struct asked *asked, size_t row)
{
    const struct question *question = asked->question;
    return (struct coverage_row){question->dimensions, question->dimension_count, &asked->raw,
                                 row};
}

/* Whether a cell is one of those a row of the engine's answer is about. */
static bool is_of_row(const struct question *question, const struct time_cell *cell,
                      const struct table *raw, size_t row)
{
    if (table_wide(raw, question->dimension_count, row) != (wide_int)cell->bucket) {
        return false;
    }
    for (size_t i = 0; i < question->dimension_count; i++) {
        enum fold fold = dimension_fold(question->dimensions[i]);
        int value = fold == FOLD_HOUR ? cell->hour : cell->weekday;
        if (fold != FOLD_NONE && table_wide(raw, i, row) != value) {
            return false;
        }
    }
    return true;
}

/* The first cell that is not before a bucket; cells of one bucket follow each other. */
static size_t first_of_bucket(const struct cells *cells, size_t bucket)
{
    size_t low = 0, high = cells->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cells->cells[middle].bucket < bucket) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * What was there in the time that a row is about, as far as it has passed, in resource x
 * microseconds; false: not known.
 */
static bool size_of_row(const struct asked *asked, const struct measure *m, size_t row,
                        wide_int *out)
{
    enum { MILLIONTHS = 1000000 };

    const struct question *question = asked->question;
    const struct cells *cells = &asked->plan.cells;
    const struct coverage_row about = row_of(asked, row);
    const struct str *cluster = coverage_cluster(&about);
    const struct time_cell whole = {.lower = question->period.from,
                                    .upper = question->period.to};
    const size_t bucket = (size_t)table_wide(&asked->raw, question->dimension_count, row);
    int64_t length = 0;
    bool known = true;

    *out = 0;
    for (size_t i = first_of_bucket(cells, bucket);
         known && i < (cells->count ? cells->count : 1); i++) {
        const struct time_cell *cell = cells->count ? &cells->cells[i] : &whole;
        if (cell->bucket != bucket) {
            break;
        }
        if (is_of_row(question, cell, &asked->raw, row)) {
            const struct period time = passed(question, cell->lower, cell->upper);
            wide_int there = 0;
            known = size_between(&asked->size, m->per, m->part, cluster, time.from, time.to,
                                 &there);
            *out += there;
            length += length_of(time);
        }
    }
    *out /= MILLIONTHS;
    return known && length > 0; /* of what has not come nothing is known */
}

/* The time that a row is about, from the edges of its bucket; without buckets, the period. */
static struct period span_of_row(const struct asked *asked, size_t row)
{
    const struct question *question = asked->question;
    const int64_t *edges = asked->plan.cells.buckets;
    if (question->bucket == BUCKET_NONE) {
        return question->period;
    }
    const size_t bucket = (size_t)table_wide(&asked->raw, question->dimension_count, row);
    return (struct period){edges[bucket], edges[bucket + 1]};
}

/*
 * A share of what was there needs the data of all of the time: use that nobody recorded would
 * count as none.
 */
static bool has_all_data(const struct asked *asked, size_t row)
{
    const struct question *question = asked->question;
    const struct period span = span_of_row(asked, row);
    const struct coverage_row about = row_of(asked, row);
    return !question->coverage ||
           coverage_is_whole(question->coverage, &about, passed(question, span.from, span.to));
}

static bool divisor_of_row(const struct asked *asked, const struct measure *m, size_t row,
                           double *out)
{
    wide_int there = 0;
    if (m->per == PER_TIME) {
        *out = (double)time_of_row(asked->question, &asked->times, &asked->raw, row);
    } else if (has_all_data(asked, row) && size_of_row(asked, m, row, &there)) {
        *out = (double)there;
    } else {
        *out = 0;
    }
    return *out > 0;
}

/* What clusters had, or what is left of it: a number of clusters, and of nobody else. */
static bool size_value(const struct asked *asked, const struct measure *m, size_t column,
                       size_t row, wide_int *out)
{
    const bool left = m->part == SIZE_LEFT;
    if (!question_is_of_clusters(asked->question) ||
        (left && !table_has(&asked->raw, column, row)) || !size_of_row(asked, m, row, out)) {
        return false;
    }
    *out -= left ? table_wide(&asked->raw, column, row) : 0;
    return true;
}

/*
 * How much of a row's time, as far as it has passed, there are data of. What has not come is
 * not covered.
 */
static enum covered covered_of(const struct asked *asked, size_t row)
{
    const struct question *question = asked->question;
    if (!question->coverage) {
        return COVERED_UNSAID;
    }
    const struct period span = span_of_row(asked, row);
    const struct period time = passed(question, span.from, span.to);
    const struct coverage_row about = row_of(asked, row);
    return time.from < time.to ? coverage_of_row(question->coverage, &about, time)
                               : COVERED_NOT;
}

/*
 * Whether a bucket is known in part only: the period cuts it, it is not over, or data are
 * missing.
 */
static bool is_partial(const struct asked *asked, size_t row, enum covered covered)
{
    const struct question *question = asked->question;
    const struct period span = span_of_row(asked, row);
    return covered == COVERED_PARTLY || span.from < question->period.from ||
           span.to > question->period.to || span.to > question->now;
}

/* Of time without data no sum is known, unless a run was then nevertheless. */
static bool is_guess(const struct asked *asked, const struct measure *m, size_t column,
                     size_t row)
{
    return m->kind != MEASURE_SIZE && table_has(&asked->raw, column, row) &&
           table_real(&asked->raw, column, row) == 0 && covered_of(asked, row) == COVERED_NOT;
}

static void set_measure(const struct asked *asked, size_t index, size_t row,
                        struct table *answer, size_t to_column, size_t to_row)
{
    const struct measure *m = asked->question->measures[index];
    const size_t column = asked->question->dimension_count + 1 + index;
    double divisor;
    wide_int value;
    if (is_guess(asked, m, column, row)) {
        return;
    }
    if (m->per == PER_NOTHING) {
        copy_cell(&asked->raw, column, row, answer, to_column, to_row);
    } else if (!m->real) {
        if (size_value(asked, m, column, row, &value)) {
            table_set_wide(answer, to_column, to_row, value);
        }
    } else if (table_has(&asked->raw, column, row) && divisor_of_row(asked, m, row, &divisor)) {
        table_set_real(answer, to_column, to_row,
                       (double)table_wide(&asked->raw, column, row) / divisor);
    }
}

/* A row of the engine's answer, and where it stands among the others. */
struct ranked {
    int64_t bucket;
    bool known;
    double value; /* the smaller the earlier */
    size_t row;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->bucket != y->bucket) {
        return x->bucket < y->bucket ? -1 : 1;
    }
    if (x->known != y->known) {
        return x->known ? -1 : 1;
    }
    if (x->known && x->value != y->value) {
        return x->value < y->value ? -1 : 1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

/* Sorts by a measure whose values the engine does not know. */
static void rank_rows(const struct asked *asked, const struct measure *sort,
                      struct ranked *ranks)
{
    const struct question *question = asked->question;
    struct table values = {0};
    size_t index = 0;
    while (question->measures[index] != sort) {
        index++;
    }
    table_column(&values, "", "", sort->real ? CELL_REAL : CELL_WIDE, UNIT_NONE,
                 COLUMN_MEASURE);
    for (size_t row = 0; row < asked->raw.row_count; row++) {
        table_row(&values);
        set_measure(asked, index, row, &values, 0, row);
        ranks[row].bucket = (int64_t)table_wide(&asked->raw, question->dimension_count, row);
        ranks[row].known = table_has(&values, 0, row);
        ranks[row].value = ranks[row].known ? table_real(&values, 0, row) : 0;
        ranks[row].value *= question->ascending ? 1 : -1;
    }
    qsort(ranks, asked->raw.row_count, sizeof(*ranks), compare_ranks);
    table_release(&values);
}

/* A bucket without data is not partial but unknown, unless a run was then nevertheless. */
static void set_partial(const struct asked *asked, size_t row, struct table *answer, size_t to,
                        size_t to_row)
{
    const enum covered covered = covered_of(asked, row);
    bool any = false;
    for (size_t i = 1; i <= asked->question->measure_count; i++) {
        any = any || table_has(answer, to - i, to_row);
    }
    if (covered != COVERED_NOT || any) {
        table_set_int(answer, to, to_row,
                      covered == COVERED_NOT || is_partial(asked, row, covered));
    }
}

static void shape_row(const struct asked *asked, size_t row, struct table *answer)
{
    const struct question *question = asked->question;
    const struct table *raw = &asked->raw;
    const size_t to_row = table_row(answer);
    size_t to = 0;
    for (; to < question->dimension_count; to++) {
        set_dimension(question->dimensions[to], raw, to, row, answer, to_row);
    }
    if (question->bucket != BUCKET_NONE) {
        char label[BUCKET_LABEL_MAX];
        size_t bucket = (size_t)table_wide(raw, question->dimension_count, row);
        calendar_label(asked->plan.cells.buckets[bucket], question->bucket, question->zone,
                       label);
        table_set_text(answer, to++, to_row, str_of(label));
    }
    for (size_t i = 0; i < question->measure_count; i++) {
        set_measure(asked, i, row, answer, to++, to_row);
    }
    if (says_partial(question)) {
        set_partial(asked, row, answer, to, to_row);
    }
}

/*
 * From the engine's columns (d0.., bucket, m0..) to the answer's, with names, units and labels.
 */
static void shape_answer(const struct asked *asked, struct table *answer)
{
    const size_t count = asked->raw.row_count;
    const size_t limit = (size_t)asked->question->limit;
    const struct measure *sort = sql_late_sort(asked->question);
    struct ranked *ranks = mem_alloc(count + 1, sizeof(*ranks));
    for (size_t row = 0; row < count; row++) {
        ranks[row].row = row;
    }
    if (sort) {
        rank_rows(asked, sort, ranks);
    }
    add_columns(asked->question, answer);
    for (size_t i = 0; i < count && (!limit || i < limit); i++) {
        shape_row(asked, ranks[i].row, answer);
    }
    free(ranks);
}

static int ask_once(struct facts *facts, const struct question *question, bool wide,
                    struct table *answer, struct error *err)
{
    struct asked asked = {.question = question};
    int failed;
    (void)((failed = plan_make(&asked.plan, facts, question, wide, err)) ||
           (failed = plan_load(&asked.plan, facts, question, err)) ||
           (failed = size_init(&asked.size, facts, question, err)) ||
           (failed = statement_query_kept(facts, &asked.plan.sql.statement, &asked.raw, err)));
    if (!failed) {
        asked.times = add_up_times(question, &asked.plan.cells);
        shape_answer(&asked, answer);
    }
    free(asked.times.times);
    table_release(&asked.raw);
    size_release(&asked.size);
    plan_release(&asked.plan);
    return failed;
}

static int ask_exactly(struct facts *facts, const struct question *question,
                       struct table *answer, struct error *err)
{
    int failed = ask_once(facts, question, false, answer, err);
    if (failed ==
        ERROR_LIMIT) { /* 64 bits were not enough for one run's product: exactly, but slower */
        failed = ask_once(facts, question, true, answer, err);
    }
    return failed;
}

/*
 * Of runs that count once, and what of them is shared out among nodes from rows that are nodes.
 */
static int ask_on_nodes(struct facts *facts, const struct question *question,
                        struct table *answer, struct error *err)
{
    struct question whole = *question;
    struct table shared = {0};
    int failed;
    whole.on_nodes = false;
    (void)((failed = ask_exactly(facts, &whole, answer, err)) ||
           (failed = ask_exactly(facts, question, &shared, err)));
    for (size_t i = 0; !failed && i < question->measure_count; i++) {
        const size_t column = answer->column_count - question->measure_count + i;
        if (quantity_is_shared(question->measures[i]->quantity)) {
            answer->columns[column].present[0] = false;
            copy_cell(&shared, column, 0, answer, column, 0);
        }
    }
    table_release(&shared);
    return failed;
}

int question_ask(struct facts *facts, const struct question *question, struct table *answer,
                 struct error *err)
{
    const bool apart =
        question->on_nodes && question->dimension_count == 0 && question->bucket == BUCKET_NONE;
    return (apart ? ask_on_nodes : ask_exactly)(facts, question, answer, err);
}

bool question_is_of_clusters(const struct question *question)
{
    const struct field *cluster = &run_fields[RUN_cluster];
    for (size_t i = 0; i < question->dimension_count; i++) {
        if (question->dimensions[i] != cluster &&
            dimension_fold(question->dimensions[i]) == FOLD_NONE) {
            return false;
        }
    }
    for (size_t i = 0; i < question->filter.count; i++) {
        if (question->filter.conditions[i].field != cluster) {
            return false;
        }
    }
    return true;
}

int question_sizes(struct facts *facts, const struct question *question, enum measure_per per,
                   struct table *answer, struct error *err)
{
    static const char *const ids[] = {"whole", "known", "looked"};
    const struct period time = passed(question, question->period.from, question->period.to);
    struct size size;
    int failed = size_init(&size, facts, question, err);
    table_column(answer, "cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        table_column(answer, ids[i], ids[i], CELL_INT, UNIT_SECONDS, COLUMN_MEASURE);
    }
    for (size_t i = 0; !failed && i < size.clusters.row_count; i++) {
        const struct str cluster = size.clusters.columns[0].cells[i].text;
        const size_t row = table_row(answer);
        table_set_text(answer, 0, row, cluster);
        table_set_int(answer, 1, row, length_of(time));
        table_set_int(answer, 2, row, size_known(&size, per, cluster, time.from, time.to));
        table_set_int(answer, 3, row, size_looked(&size, per, cluster, time.from, time.to));
    }
    size_release(&size);
    return failed;
}

int question_explain(struct facts *facts, const struct question *question, struct table *answer,
                     struct error *err)
{
    struct plan plan;
    int failed = plan_make(&plan, facts, question, false, err);
    table_column(answer, "path", "Path", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(answer, "sql", "SQL", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    if (!failed) {
        struct buf path;
        buf_init(&path, LIMIT_SQL);
        sql_explain_segments(question, &plan.sql, &path);
        size_t row = table_row(answer);
        table_set_text(answer, 0, row, buf_str(&path));
        table_set_text(answer, 1, row, buf_str(&plan.sql.statement.sql));
        buf_release(&path);
    }
    plan_release(&plan);
    return failed;
}

int listing_span(struct facts *facts, struct period *out, bool *any, struct error *err)
{
    struct table span = {0};
    int failed = facts_query_kept(facts, SQL_VALUES_SPAN, (struct facts_values){0}, &span, err);
    *any = !failed && table_has(&span, 0, 0) && table_has(&span, 1, 0);
    *out = (struct period){0};
    if (*any) {
        *out =
            (struct period){(int64_t)table_wide(&span, 0, 0), (int64_t)table_wide(&span, 1, 0)};
    }
    table_release(&span);
    return failed;
}
