/* SPDX-License-Identifier: MIT */
#include "service/questions/across.h"

#include <stdlib.h>

#include "base/mem.h"
#include "service/informed.h"
#include "service/question_params.h"
#include "service/questions/match.h"

/* What the columns of a turned answer are. */
struct buckets {
    int64_t *edges;
    size_t count;
    bool *covered, *partial; /* one a bucket */
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
    struct coverage coverage = {0};
    int failed;
    (void)((failed =
                calendar_edges(q->period, q->bucket, q->zone, &out->edges, &out->count, err)) ||
           (failed = informed_coverage(service, facts, &q->filter, q->now, &coverage, err)));
    if (!failed) {
        out->covered = mem_alloc(out->count, sizeof(bool));
        out->partial = mem_alloc(out->count, sizeof(bool));
    }
    for (size_t i = 0; !failed && i < out->count; i++) {
        const struct period whole = {out->edges[i], out->edges[i + 1]};
        struct period asked = {whole.from > q->period.from ? whole.from : q->period.from,
                               whole.to < q->period.to ? whole.to : q->period.to};
        asked.to = q->now < asked.to ? q->now : asked.to;
        const enum covered covered = coverage_of(&coverage, NULL, asked);
        out->covered[i] = asked.from < asked.to && covered != COVERED_NOT;
        out->partial[i] = out->covered[i] && (covered == COVERED_PARTLY ||
                                              asked.from > whole.from || asked.to < whole.to);
    }
    coverage_release(&coverage);
    return failed;
}

static void buckets_release(struct buckets *buckets)
{
    free(buckets->edges);
    free(buckets->covered);
    free(buckets->partial);
}

static void add_columns(const struct question *q, const struct buckets *buckets, bool stars,
                        const struct table *from, struct table *out)
{
    const struct column *measure = &from->columns[q->dimension_count + 1];
    for (size_t c = 0; c < q->dimension_count; c++) {
        table_column_like(out, &from->columns[c]);
    }
    for (size_t i = 0; i < buckets->count; i++) {
        char label[BUCKET_LABEL_MAX];
        calendar_label(buckets->edges[i], q->bucket, q->zone, label);
        table_column(out, label,
                     stars && buckets->partial[i] ? arena_printf(&out->arena, "%s *", label)
                                                  : label,
                     measure->type, measure->unit, COLUMN_MEASURE);
    }
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

/* A group that has no row of a bucket did nothing in it, where there are data of it; and the sum of a row. */
static void finish_row(const struct question *q, const struct buckets *buckets,
                       struct table *out, size_t row)
{
    const size_t first = q->dimension_count;
    double real = 0;
    wide_int wide = 0;
    bool any = false;
    for (size_t i = 0; i < buckets->count; i++) {
        if (!table_has(out, first + i, row) && buckets->covered[i] &&
            measure_is_zero_of_nothing(q->measures[0])) {
            set_number(out, first + i, row, 0, 0);
        }
        if (table_has(out, first + i, row)) {
            any = true;
            real += table_real(out, first + i, row);
            wide +=
                out->columns[first + i].type == CELL_REAL ? 0 : table_wide(out, first + i, row);
        }
    }
    if (any && q->measures[0]->additive) {
        set_number(out, first + buckets->count, row, real, wide);
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

static void turn(const struct question *q, const struct buckets *buckets, bool stars,
                 const struct table *from, struct table *out)
{
    const size_t first = q->dimension_count;
    size_t *rows = mem_alloc(from->row_count + 1, sizeof(*rows)); /* of the answer, by first */
    struct match groups;
    match_init(&groups, from, first);
    add_columns(q, buckets, stars, from, out);
    for (size_t row = 0; row < from->row_count; row++) {
        const size_t group = match_find(&groups, from, row);
        if (group == row) {
            rows[row] = table_row(out);
            for (size_t c = 0; c < first; c++) {
                table_copy_cell(from, c, row, out, c, rows[row]);
            }
        }
        const size_t bucket = bucket_of(q, buckets, from, row);
        if (bucket < buckets->count) {
            table_copy_cell(from, first + 1, row, out, first + bucket, rows[group]);
        }
    }
    for (size_t row = 0; row < out->row_count; row++) {
        finish_row(q, buckets, out, row);
    }
    match_release(&groups);
    free(rows);
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
    int failed = informed_ask(service, facts, &whole, &rows, err);
    if (!failed) {
        struct table *shown = &answer->shown;
        table_release(shown);
        *shown = (struct table){0};
        turn(q, buckets, true, from, shown);
        turn(&whole, buckets, false, &rows, &total);
        if (q->dimension_count > 0 && shown->row_count > 1 && q->measures[0]->additive) {
            const size_t row = table_row(shown);
            if (shown->columns[0].type == CELL_TEXT) {
                table_set_text(shown, 0, row, STR("Total"));
            }
            for (size_t c = 0; c < total.column_count; c++) {
                table_copy_cell(&total, c, 0, shown, q->dimension_count + c, row);
            }
            shown->footer_count = 1;
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
        return failed;
    }
    answer->table = (struct table){0};
    turn(question, &buckets, false, &from, &answer->table);
    if (!answer->bare) {
        failed = add_total(service, facts, question, &buckets, &from, answer, err);
    }
    buckets_release(&buckets);
    table_release(&from);
    return failed;
}
