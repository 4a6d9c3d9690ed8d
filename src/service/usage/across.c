/* SPDX-License-Identifier: MIT */
#include "service/usage/across.h"

#include <stdlib.h>

#include "base/mem.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"
#include "service/usage/row_match.h"

/* What the columns of a turned answer are. */
struct buckets {
    int64_t *edges;
    size_t count;
    struct coverage coverage;
};

/* Where buckets that are not whole have their star. */
enum stars {
    STARS_NONE,
    STARS_HEADINGS,
    STARS_CELLS, /* which differ by row */
};

/* Where a turned table has what. */
struct layout {
    enum stars stars;
    size_t first; /* column of the first bucket */
    size_t step;  /* from one bucket to the next */
};

int across_check(const struct question *question, struct error *err)
{
    if (question->bucket == BUCKET_NONE || question->measure_count != 1) {
        return error_set(err, ERROR_USAGE,
                         "--across every shows the intervals of --every as columns, for one "
                         "measure: set --every and name one measure");
    }
    return 0;
}

static int read_buckets(const struct service *service, struct facts *facts,
                        const struct question *q, struct buckets *out, struct error *err)
{
    int failed;
    (void)((failed =
                calendar_edges(q->period, q->bucket, q->zone, &out->edges, &out->count, err)) ||
           (failed = query_context_coverage(service, facts, &q->filter, q->now, &out->coverage,
                                            err)));
    return failed;
}

/*
 * How much of a bucket, as far as it was asked for and has passed, there are data of, for what
 * a row is about.
 */
static enum covered covered_of(const struct question *q, const struct buckets *buckets,
                               size_t i, const struct coverage_row *row, bool *partial)
{
    const struct period whole = {buckets->edges[i], buckets->edges[i + 1]};
    struct period asked = {whole.from > q->period.from ? whole.from : q->period.from,
                           whole.to < q->period.to ? whole.to : q->period.to};
    asked.to = q->now < asked.to ? q->now : asked.to;
    const enum covered covered =
        asked.from < asked.to ? coverage_of_row(&buckets->coverage, row, asked) : COVERED_NOT;
    *partial = covered != COVERED_NOT &&
               (covered == COVERED_PARTLY || asked.from > whole.from || asked.to < whole.to);
    return covered;
}

static void buckets_release(struct buckets *buckets)
{
    free(buckets->edges);
    coverage_release(&buckets->coverage);
}

static void add_columns(const struct question *q, const struct buckets *buckets,
                        enum stars stars, const struct table *from, struct table *out)
{
    const struct column *measure = &from->columns[q->dimension_count + 1];
    const struct coverage_row all = {0};
    for (size_t c = 0; c < q->dimension_count; c++) {
        table_column_like(out, &from->columns[c]);
    }
    for (size_t i = 0; i < buckets->count; i++) {
        char label[BUCKET_LABEL_MAX];
        bool partial;
        calendar_label(buckets->edges[i], q->bucket, q->zone, label);
        (void)covered_of(q, buckets, i, &all, &partial);
        table_column(out, label,
                     stars == STARS_HEADINGS && partial
                         ? arena_printf(&out->arena, "%s *", label)
                         : label,
                     measure->type, measure->unit, COLUMN_MEASURE);
        if (stars == STARS_CELLS) {
            table_column(out, "partial", "Partial", CELL_INT, UNIT_TRUTH, COLUMN_STAR);
        }
    }
    out->in_sequence = true;
    if (q->measures[0]->additive) {
        table_column(out, "total", "Total", measure->type, measure->unit, COLUMN_MEASURE);
    }
}

static void set_number(struct table *out, size_t column, size_t row, double real, wide_int wide)
{
    if (out->columns[column].type == CELL_REAL) {
        table_set_real(out, column, row, real);
    } else {
        table_set_wide(out, column, row, wide);
    }
}

/*
 * A group that has no row of a bucket did nothing in it, where there are data of it; and the
 * sum of a row.
 */
static void finish_row(const struct question *q, const struct buckets *buckets,
                       const struct layout *layout, struct table *out, size_t row)
{
    const struct coverage_row about = {q->dimensions, q->dimension_count, out, row};
    double real = 0;
    wide_int wide = 0;
    bool any = false;
    for (size_t i = 0; i < buckets->count; i++) {
        const size_t column = layout->first + i * layout->step;
        bool partial;
        const enum covered covered = covered_of(q, buckets, i, &about, &partial);
        if (!table_has(out, column, row) && covered != COVERED_NOT &&
            measure_is_zero_of_nothing(q->measures[0])) {
            set_number(out, column, row, 0, 0);
        }
        if (layout->stars == STARS_CELLS) {
            table_set_int(out, column + 1, row, partial);
        }
        if (table_has(out, column, row)) {
            any = true;
            real += table_real(out, column, row);
            wide += out->columns[column].type == CELL_REAL ? 0 : table_wide(out, column, row);
        }
    }
    if (any && q->measures[0]->additive) {
        set_number(out, layout->first + buckets->count * layout->step, row, real, wide);
    }
}

/* The bucket that a row of the answer is of. */
static size_t bucket_of(const struct question *q, const struct buckets *buckets,
                        const struct table *from, size_t row)
{
    const struct str label = from->columns[q->dimension_count].cells[row].text;
    size_t i = 0;
    char text[BUCKET_LABEL_MAX];
    while (
        i < buckets->count &&
        !str_eq(label, str_of(calendar_label(buckets->edges[i], q->bucket, q->zone, text)))) {
        i++;
    }
    return i;
}

static struct layout turn(const struct question *q, const struct buckets *buckets,
                          enum stars stars, const struct table *from, struct table *out)
{
    const size_t first = q->dimension_count;
    const struct layout layout = {stars, first, stars == STARS_CELLS ? 2 : 1};
    size_t *rows = mem_alloc(from->row_count + 1, sizeof(*rows)); /* of the answer, by first */
    struct row_match groups;
    row_match_init(&groups, from, first);
    add_columns(q, buckets, stars, from, out);
    for (size_t row = 0; row < from->row_count; row++) {
        const size_t group = row_match_find(&groups, from, row);
        if (group == row) {
            rows[row] = table_row(out);
            for (size_t c = 0; c < first; c++) {
                table_copy_cell(from, c, row, out, c, rows[row]);
            }
        }
        const size_t bucket = bucket_of(q, buckets, from, row);
        if (bucket < buckets->count) {
            table_copy_cell(from, first + 1, row, out, first + bucket * layout.step,
                            rows[group]);
        }
    }
    for (size_t row = 0; row < out->row_count; row++) {
        finish_row(q, buckets, &layout, out, row);
    }
    row_match_release(&groups);
    free(rows);
    return layout;
}

/* All together, below the rows. */
static void add_total_row(const struct question *q, const struct table *total,
                          struct layout layout, size_t buckets, struct table *shown)
{
    const size_t row = table_row(shown);
    if (shown->columns[0].type == CELL_TEXT) {
        table_set_text(shown, 0, row, STR("Total"));
    }
    for (size_t i = 0; i <= buckets; i++) { /* behind the last is the sum of all */
        const size_t from = i * layout.step, to = q->dimension_count + from;
        table_copy_cell(total, from, 0, shown, to, row);
        if (layout.stars == STARS_CELLS && i < buckets) {
            table_copy_cell(total, from + 1, 0, shown, to + 1, row);
        }
    }
    shown->footer_count = 1;
}

/* For people: the same, and all together, which is asked again without groups. */
static int add_total(const struct service *service, struct facts *facts,
                     const struct question *q, const struct buckets *buckets,
                     const struct table *from, struct answer *answer, struct error *err)
{
    struct question whole = *q;
    struct table rows = {0}, total = {0};
    whole.dimension_count = 0;
    whole.sort = NULL;
    int failed = query_context_ask(service, facts, &whole, &rows, err);
    if (!failed) {
        struct table *shown = &answer->shown;
        table_release(shown);
        *shown = (struct table){0};
        const enum stars stars =
            coverage_differs(&buckets->coverage, q->dimensions, q->dimension_count)
                ? STARS_CELLS
                : STARS_HEADINGS;
        const struct layout layout = turn(q, buckets, stars, from, shown);
        (void)turn(&whole, buckets, stars, &rows, &total);
        if (q->dimension_count > 0 && shown->row_count > 1 && q->measures[0]->additive) {
            add_total_row(q, &total, layout, buckets->count, shown);
        }
    }
    table_release(&rows);
    table_release(&total);
    return failed;
}

int across_turn(const struct service *service, struct facts *facts,
                const struct question *question, struct answer *answer, struct error *err)
{
    struct buckets buckets = {0};
    struct table from = answer->table;
    int failed = read_buckets(service, facts, question, &buckets, err);
    if (failed) {
        buckets_release(&buckets);
        return failed;
    }
    answer->table = (struct table){0};
    (void)turn(question, &buckets, STARS_NONE, &from, &answer->table);
    if (!answer->bare) {
        failed = add_total(service, facts, question, &buckets, &from, answer, err);
    }
    buckets_release(&buckets);
    table_release(&from);
    return failed;
}
