/* SPDX-License-Identifier: MIT */
#include "service/query/question_params.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "service/core/params.h"
#include "service/query/missing_data_notes.h"
#include "service/query/query_context.h"
#include "view/number.h"

const char *question_measure_at(size_t index)
{
    return index < measure_count ? measures[index].id : NULL;
}

const char *question_dimension_at(size_t index)
{
    const struct field *field = dimension_at(index);
    return field ? field->id : NULL;
}

/* A column twice would be two of one name: once is enough. */
static void add_measure(struct question *question, const struct measure *measure)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        if (question->measures[i] == measure) {
            return;
        }
    }
    question->measures[question->measure_count++] = measure;
}

static void add_dimension(struct question *question, const struct field *field)
{
    for (size_t i = 0; i < question->dimension_count; i++) {
        if (question->dimensions[i] == field) {
            return;
        }
    }
    question->dimensions[question->dimension_count++] = field;
}

int question_measures(struct question *question, struct str list, struct error *err)
{
    for (struct str rest = list; rest.ptr;) {
        struct str id = str_trim(str_cut(&rest, ','));
        if (question->measure_count == QUESTION_MEASURES_MAX) {
            return error_set(err, ERROR_USAGE, "more than %d measures", QUESTION_MEASURES_MAX);
        }
        const struct measure *measure = measure_find(id);
        if (!measure) {
            return params_unknown("measure", id, question_measure_at,
                                  "see them all with: stint measures", err);
        }
        add_measure(question, measure);
    }
    return 0;
}

/*
 * The place of the first dimension of nodes; the number of dimensions, if none is or rows have
 * a cluster already.
 */
static size_t place_of_node(const struct question *question)
{
    size_t place = question->dimension_count;
    for (size_t i = question->dimension_count; i-- > 0;) {
        if (question->dimensions[i] == &run_fields[RUN_cluster]) {
            return question->dimension_count;
        }
        place = dimension_is_spread(question->dimensions[i]) ? i : place;
    }
    return place;
}

static int name_clusters(const struct service *service, struct facts *facts,
                         struct question *question, struct error *err)
{
    const size_t node = place_of_node(question);
    struct coverage coverage = {0};
    bool several = false;
    if (node == question->dimension_count ||
        question->dimension_count == QUESTION_DIMENSIONS_MAX) {
        return 0;
    }
    int failed = query_context_coverage(service, facts, &question->filter, question->now,
                                        &coverage, err);
    for (size_t i = 1; !failed && i < coverage.count; i++) {
        several |= !str_eq(coverage.rows[i].cluster, coverage.rows[0].cluster);
    }
    if (several) {
        memmove(&question->dimensions[node + 2], &question->dimensions[node + 1],
                (question->dimension_count - node - 1) * sizeof(question->dimensions[0]));
        question->dimensions[node + 1] = &run_fields[RUN_cluster];
        question->dimension_count++;
    }
    coverage_release(&coverage);
    return failed;
}

int question_open(const struct service *service, struct question *question,
                  struct facts **facts, struct error *err)
{
    int failed = session_facts(service->session, FACTS_READ, facts, err);
    return failed ? failed : name_clusters(service, *facts, question, err);
}

int question_dimensions(struct question *question, struct str list, struct error *err)
{
    for (struct str rest = list; rest.ptr;) {
        struct str id = str_trim(str_cut(&rest, ','));
        if (question->dimension_count == QUESTION_DIMENSIONS_MAX) {
            return error_set(err, ERROR_USAGE, "more than %d dimensions",
                             QUESTION_DIMENSIONS_MAX);
        }
        if (str_eq(id, STR("queue"))) { /* Grid Engine's word */
            id = STR("partition");
        }
        const struct field *field = dimension_find(id);
        enum bucket bucket;
        struct error other;
        if (!field && bucket_parse(id, &bucket, &other) == 0 && bucket != BUCKET_NONE) {
            return error_set(
                err, ERROR_USAGE,
                "'%.*s' is a calendar interval, not a dimension: stint report has --every %.*s",
                STR_ARG(id), STR_ARG(id));
        }
        if (!field) {
            return params_unknown("dimension", id, question_dimension_at,
                                  "see them all with: stint dimensions", err);
        }
        add_dimension(question, field);
    }
    return 0;
}

int question_from_request(const struct service *service, const struct request *request,
                          struct question *question, struct error *err)
{
    question->zone = service->zone;
    int failed;
    (void)((failed = params_period(service, request, &question->period, err)) ||
           (failed = params_filter(service, request, &question->filter, err)));
    question->now = service->now(); /* a period that ends now is over */
    return failed;
}

static bool has_mark(const struct table *table)
{
    for (size_t c = 0; c < table->column_count; c++) {
        for (size_t row = 0; table->columns[c].role == COLUMN_MARK && row < table->row_count;
             row++) {
            if (table_has(table, c, row) && table_wide(table, c, row) != 0) {
                return true;
            }
        }
    }
    return false;
}

/* Adds a reason to a line of them. */
static void add_reason(struct buf *line, bool holds, const char *text)
{
    if (holds) {
        buf_addf(line, "%s%s", line->len > 0 ? ", or " : "", text);
    }
}

/* Whether there are no data of a part of the time, of a cluster or with NULL of any. */
static bool lacks_data(const struct question *question, const struct coverage *coverage,
                       const struct str *cluster, struct period edges)
{
    const struct period span = coverage_span(coverage, cluster);
    const struct period inside = {edges.from > span.from ? edges.from : span.from,
                                  edges.to < span.to ? edges.to : span.to};
    return edges.from < span.from || (edges.to > span.to && span.to < question->now) ||
           coverage_of(coverage, cluster, inside) == COVERED_PARTLY;
}

/* The same of what the rows are about: each cluster by itself, or all together. */
static bool any_lacks_data(const struct question *question, const struct coverage *coverage,
                           struct period edges)
{
    bool by_cluster = false, lacks = lacks_data(question, coverage, NULL, edges);
    for (size_t i = 0; i < question->dimension_count; i++) {
        by_cluster = by_cluster || question->dimensions[i] == &run_fields[RUN_cluster];
    }
    for (size_t i = 0; by_cluster && !lacks && i < coverage->count; i++) {
        lacks = lacks_data(question, coverage, &coverage->rows[i].cluster, edges);
    }
    for (size_t i = 0; !lacks && i < coverage->gap_count; i++) {
        const struct period gap = coverage->gaps[i].period;
        lacks = gap.from < edges.to && gap.to > edges.from;
    }
    return lacks;
}

/* Why buckets are not whole: data are missing, the period cuts them, they are not over. */
static void note_reasons(const struct question *question, const struct coverage *coverage,
                         struct period edges, struct answer *answer)
{
    const struct period period = question->period, span = coverage_span(coverage, NULL);
    const bool outside = any_lacks_data(question, coverage, edges);
    const bool begins = edges.from < period.from && period.from > span.from;
    const bool ends = edges.to > period.to && period.to < question->now;
    struct buf line;
    buf_init(&line, LIMIT_ARGUMENT);
    add_reason(&line, outside, "data are missing for part of it");
    add_reason(&line, begins || ends, "the period covers only part of it");
    add_reason(&line, edges.to > question->now, "it is not over");
    answer_note(answer, NOTE_PARTIAL, "* not a whole %s%s%s", bucket_name(question->bucket),
                line.len > 0 ? ": " : "", line.len > 0 ? line.ptr : "");
    buf_release(&line);
}

int question_note_partial(const struct service *service, struct facts *facts,
                          const struct question *question, struct answer *answer,
                          struct error *err)
{
    struct coverage coverage = {0};
    int64_t *edges = NULL;
    size_t count = 0;
    int failed;
    if (!has_mark(&answer->table) && !has_mark(&answer->shown)) {
        return 0;
    }
    (void)((failed = calendar_edges(question->period, question->bucket, question->zone, &edges,
                                    &count, err)) ||
           (failed = query_context_coverage(service, facts, &question->filter, question->now,
                                            &coverage, err)));
    if (!failed) {
        note_reasons(question, &coverage, (struct period){edges[0], edges[count]}, answer);
    }
    coverage_release(&coverage);
    free(edges);
    return failed;
}

/* "cpu_efficiency: known for 93.0 % (cpu_coverage)" */
static void note_share(const struct measure *measure, const struct measure *coverage,
                       const struct table *shares, size_t column, struct answer *answer)
{
    struct buf share;
    buf_init(&share, LIMIT_ARGUMENT);
    number_human(&share, shares, column, 0, NULL);
    answer_note_about(answer, NOTE_COVERAGE, str_of(measure->id), "%s: recorded for %s (%s)",
                      measure->id, share.ptr, coverage->id);
    buf_release(&share);
}

int question_note_coverage(const struct service *service, struct facts *facts,
                           const struct question *question, struct answer *answer,
                           struct error *err)
{
    struct question known = {.period = question->period,
                             .zone = question->zone,
                             .now = question->now,
                             .filter = question->filter};
    const struct measure *of[QUESTION_MEASURES_MAX];
    struct table shares = {0};
    for (size_t i = 0; !answer->noteless && i < question->measure_count; i++) {
        const struct measure *coverage = measure_coverage(question->measures[i]);
        if (coverage) {
            of[known.measure_count] = question->measures[i];
            known.measures[known.measure_count++] = coverage;
        }
    }
    int failed =
        known.measure_count > 0 ? query_context_ask(service, facts, &known, &shares, err) : 0;
    for (size_t i = 0; !failed && i < known.measure_count; i++) {
        if (table_has(&shares, i, 0) && table_real(&shares, i, 0) < 1) {
            note_share(of[i], known.measures[i], &shares, i, answer);
        }
    }
    table_release(&shares);
    return failed ? failed : missing_data_note(service, facts, question, NULL, answer, err);
}

void question_audience(struct table *table, const char *ids, enum column_audience audience)
{
    for (struct str rest = str_of(ids); rest.ptr;) {
        const struct str id = str_cut(&rest, ',');
        for (size_t c = 0; c < table->column_count; c++) {
            if (str_eq(str_of(table->columns[c].id), id)) {
                table->columns[c].audience = audience;
            }
        }
    }
}

void question_note_nodes(const struct question *question, struct answer *answer)
{
    for (size_t i = 0; !answer->noteless && i < question->dimension_count; i++) {
        if (dimension_is_spread(question->dimensions[i])) {
            answer_note(answer, NOTE_READING,
                        "a run counts on each of its nodes, with the cpus it had there, or an "
                        "equal share where that is not recorded, and an equal share of GPUs, "
                        "memory and other use; counts and times do not add up over nodes");
            return;
        }
    }
}

bool question_period(const struct request *request)
{
    return request_has(request, "from") || request_has(request, "to");
}

/*
 * Whether the parts of a run that fall into several rows come to the whole of it, to the last
 * digit: those of counts do, and those of time where no row has a part of a run only. What is
 * shared out is rounded in each.
 */
static bool is_exact_sum(const struct question *question, const struct measure *m,
                         bool cuts_exactly)
{
    bool cut = question->bucket != BUCKET_NONE;
    for (size_t i = 0; i < question->dimension_count; i++) {
        cut = cut || dimension_fold(question->dimensions[i]) != FOLD_NONE;
    }
    return m->additive && !m->real && m->per == PER_NOTHING &&
           (m->kind <= MEASURE_AT_WITHDRAWAL ||
            (m->kind == MEASURE_OVERLAP && (cuts_exactly || !cut)));
}

/*
 * The column of the first measure in the rows of an answer: marks of rows come behind the last.
 */
static size_t first_measure(const struct question *question)
{
    return question->dimension_count + (question->bucket != BUCKET_NONE);
}

static bool may_be_summed(const struct question *question, const struct table *rows,
                          bool cuts_exactly)
{
    bool exact = question->limit == 0 && !question->on_nodes &&
                 !question_joins(question, JOINED_MOVES) &&
                 rows->column_count >= first_measure(question) + question->measure_count;
    for (size_t i = 0; exact && i < question->measure_count; i++) {
        exact = is_exact_sum(question, question->measures[i], cuts_exactly) &&
                strcmp(rows->columns[first_measure(question) + i].id,
                       question->measures[i]->id) == 0;
    }
    for (size_t i = 0; exact && i < question->dimension_count; i++) {
        exact = !dimension_is_spread(question->dimensions[i]);
    }
    return exact;
}

/* False: a number is absent, or the sum is too large for the column. */
static bool sum_column(const struct table *rows, size_t column, struct table *total, size_t to)
{
    wide_int sum = 0;
    for (size_t row = 0; row < rows->row_count; row++) {
        if (!table_has(rows, column, row)) {
            return false;
        }
        sum += table_wide(rows, column, row);
    }
    if (rows->columns[column].type == CELL_WIDE) {
        table_set_wide(total, to, 0, sum);
    } else if (sum == (int64_t)sum) {
        table_set_int(total, to, 0, (int64_t)sum);
    } else {
        return false;
    }
    return true;
}

static bool sum_rows(const struct question *question, const struct table *rows,
                     bool cuts_exactly, struct table *total)
{
    bool exact = may_be_summed(question, rows, cuts_exactly);
    const size_t first = first_measure(question), end = first + question->measure_count;
    for (size_t c = first; exact && c < end; c++) {
        table_column_like(total, &rows->columns[c]);
    }
    if (exact) {
        table_row(total);
    }
    for (size_t c = first; exact && c < end; c++) {
        exact = sum_column(rows, c, total, c - first);
    }
    if (!exact) {
        table_release(total);
    }
    return exact;
}

int question_sum(struct facts *facts, const struct question *question, const struct table *rows,
                 struct table *total, bool *summed, struct error *err)
{
    bool cuts_exactly = false;
    int failed = question_cuts_exactly(facts, question, &cuts_exactly, err);
    *summed = !failed && sum_rows(question, rows, cuts_exactly, total);
    return failed;
}

/* Whether the first row of a table is the total already. */
static bool is_total(const struct table *table, const struct table *total, size_t first)
{
    bool same = true;
    for (size_t c = 0; same && c < total->column_count; c++) {
        same = table_has(table, first + c, 0) == table_has(total, c, 0) &&
               (!table_has(total, c, 0) || total->columns[c].type == CELL_TEXT ||
                table_real(table, first + c, 0) == table_real(total, c, 0));
    }
    return same;
}

void question_footer(struct answer *answer, const struct table *total, size_t first)
{
    if (total->row_count != 1 || answer->table.row_count == 0 ||
        (answer->table.row_count == 1 && is_total(&answer->table, total, first))) {
        return;
    }
    struct table *shown = &answer->shown;
    table_copy(&answer->table, shown);
    const size_t row = table_row(shown);
    if (shown->columns[0].type == CELL_TEXT) {
        table_set_text(shown, 0, row, STR("Total"));
    }
    for (size_t c = 0; c < total->column_count; c++) {
        table_copy_cell(total, c, 0, shown, first + c, row);
    }
    shown->footer_count = 1;
}

int question_total(const struct service *service, struct facts *facts,
                   const struct question *question, struct answer *answer, struct error *err)
{
    struct question whole = *question;
    struct table total = {0};
    question_drop_dimensions(&whole);
    whole.bucket = BUCKET_NONE;
    whole.sort = NULL;
    whole.limit = 0;
    bool summed = false;
    int failed = question_sum(facts, question, &answer->table, &total, &summed, err);
    failed = failed || summed ? failed : query_context_ask(service, facts, &whole, &total, err);
    if (!failed) {
        question_footer(answer, &total, answer->table.column_count - total.column_count);
    }
    table_release(&total);
    return failed;
}

void question_set_share(struct table *table, size_t column, size_t row, double part,
                        double whole)
{
    if (whole != 0) {
        table_set_real(table, column, row, part / whole);
    }
}
