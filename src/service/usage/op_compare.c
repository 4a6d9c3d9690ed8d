/* SPDX-License-Identifier: MIT */

/*
 * stint compare: a period against another.
 */

#include <stdlib.h>

#include "base/mem.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"
#include "service/usage/row_match.h"

/* The columns of a measure, in order, after the dimensions and the note. */
enum { NOW, BEFORE, CHANGE, PERCENT, COLUMNS };

/* The two answers, and what there are data of. */
struct pair {
    const struct question *question;
    struct period with;
    struct table now, before;
    struct coverage coverage;
};

/* --with: previous, last-year, or FROM..TO */
static int read_with(const struct service *service, const struct request *request,
                     struct period period, struct period *out, struct error *err)
{
    struct str text = request_text(request, "with");
    if (str_eq_nocase(text, STR("previous"))) {
        *out = calendar_before(period, service->zone);
        return 0;
    }
    if (str_eq_nocase(text, STR("last-year"))) {
        *out = calendar_year_before(period, service->zone);
        return 0;
    }
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] == '.' && text.ptr[i + 1] == '.') {
            return calendar_period((struct str){text.ptr, i},
                                   (struct str){text.ptr + i + 2, text.len - i - 2},
                                   service->zone, service->now(), out, err);
        }
    }
    return calendar_period(text, (struct str){0}, service->zone, service->now(), out, err);
}

/* "Change in jobs", "Change in CPU hours": what a picture is of. */
static const char *picture_of(struct arena *arena, const char *label)
{
    const bool word = label[0] >= 'A' && label[0] <= 'Z' && label[1] >= 'a' && label[1] <= 'z';
    return arena_printf(arena, "Change in %c%s", word ? label[0] | 0x20 : label[0],
                        label[0] ? label + 1 : "");
}

/* "Before", or "Jobs before" where there are several measures. */
static const char *label_of(struct arena *arena, const char *name, const char *word)
{
    return *name ? arena_printf(arena, "%s %c%s", name, word[0] | 0x20, word + 1) : word;
}

static void add_columns(const struct question *question, const struct table *now,
                        struct table *out)
{
    const size_t first = question->dimension_count;
    for (size_t c = 0; c < first; c++) {
        table_column_like(out, &now->columns[c]);
    }
    for (size_t i = 0; i < question->measure_count; i++) {
        const struct column *c = &now->columns[first + i];
        struct arena *arena = &out->arena;
        const char *name = question->measure_count > 1 ? c->label : "";
        table_column_like(out, c);
        table_column(out, arena_printf(arena, "%s_before", c->id),
                     label_of(arena, name, "Before"), c->type, c->unit, COLUMN_MEASURE);
        const size_t change =
            table_column(out, arena_printf(arena, "%s_change", c->id),
                         label_of(arena, name, "Change"), c->type, c->unit, COLUMN_MEASURE);
        table_picture(out, change, picture_of(arena, c->label),
                      question_adds_up(question, question->measures[i]));
        table_column(out, arena_printf(arena, "%s_percent", c->id),
                     label_of(arena, name, "Percent"), CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    }
    table_column(out, "note", "", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE);
}

/*
 * Copies a number; a group that is not in the answer did nothing, where that is a number and
 * there are data of the time.
 */
static void set_value(const struct measure *measure, const struct table *from, size_t column,
                      size_t row, bool known, struct table *out, size_t to, size_t to_row)
{
    if (row < from->row_count) {
        table_copy_cell(from, column, row, out, to, to_row);
    } else if (known && measure_is_zero_of_nothing(measure)) {
        if (out->columns[to].type == CELL_REAL) {
            table_set_real(out, to, to_row, 0);
        } else {
            table_set_wide(out, to, to_row, 0);
        }
    }
}

/* A percentage is of two whole periods only. */
static void set_change(struct table *out, size_t first, size_t row, bool whole)
{
    if (!table_has(out, first + NOW, row) || !table_has(out, first + BEFORE, row)) {
        return;
    }
    const double now = table_real(out, first + NOW, row),
                 before = table_real(out, first + BEFORE, row);
    if (out->columns[first].type == CELL_REAL) {
        table_set_real(out, first + CHANGE, row, now - before);
    } else {
        table_set_wide(out, first + CHANGE, row,
                       table_wide(out, first + NOW, row) -
                           table_wide(out, first + BEFORE, row));
    }
    if (whole) {
        question_set_share(out, first + PERCENT, row, now - before, before);
    }
}

/* How much of a period there are data of, for what a row is about. */
static enum covered covered_of(const struct pair *pair, const struct table *row_of, size_t row,
                               struct period period)
{
    const struct question *q = pair->question;
    const bool any = row < row_of->row_count;
    const struct coverage_row about = {q->dimensions, any ? q->dimension_count : 0, row_of,
                                       row};
    period.to = q->now < period.to ? q->now : period.to;
    return coverage_of_row(&pair->coverage, &about, period);
}

/* What is to be said of a row: what there are no data of, before what happened. */
static const char *note_of(enum covered now, enum covered before, bool is_new, bool is_gone)
{
    return now == COVERED_NOT         ? "no data"
           : before == COVERED_NOT    ? "no data before"
           : before == COVERED_PARTLY ? "before: partial data"
           : now == COVERED_PARTLY    ? "partial data"
           : is_new                   ? "new"
           : is_gone                  ? "gone"
                                      : NULL;
}

/* Row `now` of one answer and `before` of the other, as a row of the comparison. */
static void add_compared_row(const struct pair *pair, size_t now, size_t before,
                             struct table *out)
{
    const struct question *q = pair->question;
    const size_t first = q->dimension_count, row = table_row(out);
    const bool is_new = before == pair->before.row_count;
    const bool is_gone = now == pair->now.row_count;
    const struct table *named = is_gone ? &pair->before : &pair->now;
    const size_t name = is_gone ? before : now;
    const enum covered covered = covered_of(pair, named, name, q->period);
    const enum covered was_covered = covered_of(pair, named, name, pair->with);
    for (size_t c = 0; c < first; c++) {
        table_copy_cell(named, c, name, out, c, row);
    }
    for (size_t i = 0; i < q->measure_count; i++) {
        const size_t at = first + i * COLUMNS;
        set_value(q->measures[i], &pair->now, first + i, now, covered != COVERED_NOT, out,
                  at + NOW, row);
        set_value(q->measures[i], &pair->before, first + i, before, was_covered != COVERED_NOT,
                  out, at + BEFORE, row);
        set_change(out, at, row, covered != COVERED_PARTLY && was_covered != COVERED_PARTLY);
    }
    const char *note = note_of(covered, was_covered, is_new, is_gone);
    if (note) {
        table_set_text(out, first + q->measure_count * COLUMNS, row, str_of(note));
    }
}

/* All groups of either answer. */
static void add_rows(const struct pair *pair, struct table *out)
{
    struct row_match in_before, in_now;
    row_match_init(&in_before, &pair->before, pair->question->dimension_count);
    row_match_init(&in_now, &pair->now, pair->question->dimension_count);
    for (size_t row = 0; row < pair->now.row_count; row++) {
        add_compared_row(pair, row, row_match_find(&in_before, &pair->now, row), out);
    }
    for (size_t row = 0; row < pair->before.row_count; row++) {
        if (row_match_find(&in_now, &pair->before, row) == pair->now.row_count) {
            add_compared_row(pair, pair->now.row_count, row, out);
        }
    }
    row_match_release(&in_before);
    row_match_release(&in_now);
}

struct place {
    double change;
    size_t row;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->change != other->change) {
        return one->change > other->change ? -1 : 1;
    }
    return one->row < other->row ? -1 : 1;
}

/* The rows of `from` in `out`, the largest change first, at most `limit` of them. */
static void sort_rows(const struct table *from, size_t change, int64_t limit, struct table *out)
{
    struct place *places = mem_alloc(from->row_count + 1, sizeof(*places));
    for (size_t row = 0; row < from->row_count; row++) {
        double value = table_has(from, change, row) ? table_real(from, change, row) : 0;
        places[row] = (struct place){value < 0 ? -value : value, row};
    }
    qsort(places, from->row_count, sizeof(*places), compare_places);
    for (size_t c = 0; c < from->column_count; c++) {
        table_column_like(out, &from->columns[c]);
    }
    for (size_t i = 0; i < from->row_count && (limit == 0 || i < (size_t)limit); i++) {
        size_t row = table_row(out);
        for (size_t c = 0; c < from->column_count; c++) {
            table_copy_cell(from, c, places[i].row, out, c, row);
        }
    }
    free(places);
}

static int ask_pair(const struct service *service, struct facts *facts,
                    const struct question *question, struct period with, struct pair *pair,
                    struct error *err)
{
    struct question before = *question;
    int failed;
    before.period = with;
    pair->question = question;
    pair->with = with;
    (void)((failed = query_context_coverage(service, facts, &question->filter, question->now,
                                            &pair->coverage, err)) ||
           (failed = query_context_ask(service, facts, question, &pair->now, err)) ||
           (failed = query_context_ask(service, facts, &before, &pair->before, err)));
    return failed;
}

static void pair_release(struct pair *pair)
{
    table_release(&pair->now);
    table_release(&pair->before);
    coverage_release(&pair->coverage);
}

/*
 * For people: rows of which nothing is to be said have an empty note, which is not an unknown
 * one.
 */
static void fill_notes(struct answer *answer)
{
    struct table *table = &answer->shown;
    if (table->column_count == 0) {
        table_copy(&answer->table, table);
    }
    const size_t note = table->column_count - 1;
    for (size_t row = 0; row < table->row_count; row++) {
        if (!table_has(table, note, row)) {
            table_set_text(table, note, row, STR(""));
        }
    }
}

/* answer->shown: the rows, and all together as questions of their own. */
static int add_total(const struct service *service, struct facts *facts,
                     const struct question *question, struct period with, struct answer *answer,
                     struct error *err)
{
    struct question whole = *question;
    struct pair pair = {0};
    struct table total = {0};
    question_drop_dimensions(&whole);
    int failed = ask_pair(service, facts, &whole, with, &pair, err);
    if (!failed) {
        add_columns(&whole, &pair.now, &total);
        add_compared_row(&pair, 0, 0, &total);
        question_footer(answer, &total, question->dimension_count);
    }
    table_release(&total);
    pair_release(&pair);
    return failed;
}

static int compare_periods(const struct service *service, struct facts *facts,
                           const struct question *question, struct period with, int64_t limit,
                           struct answer *answer, struct error *err)
{
    struct pair pair = {0};
    struct table rows = {0};
    int failed = ask_pair(service, facts, question, with, &pair, err);
    if (!failed) {
        add_columns(question, &pair.now, &rows);
        add_rows(&pair, &rows);
        sort_rows(&rows, question->dimension_count + CHANGE, limit, &answer->table);
        failed = question->dimension_count
                     ? add_total(service, facts, question, with, answer, err)
                     : 0;
        fill_notes(answer);
    }
    table_release(&rows);
    pair_release(&pair);
    return failed;
}

static void note_with(const struct service *service, struct period period, struct period with,
                      int64_t now, struct answer *answer)
{
    char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
    answer_note(answer, NOTE_READING, "before: %s to %s",
                params_print(service->zone, with.from, from),
                params_print(service->zone, with.to, to));
    if (period.to > now) {
        answer_note(answer, NOTE_READING,
                    "the period is not over yet, but the other one is counted in full: use "
                    "--to now to compare equal lengths");
    }
}

static int run_compare(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct question question = {0};
    struct facts *facts = NULL;
    struct period with = {0};
    const struct str by = request_text(request, "by");
    int64_t limit = 0;
    int failed;
    (void)((failed = question_measures(&question, request_text(request, "measure"), err)) ||
           (!str_eq(by, STR("none")) && (failed = question_dimensions(&question, by, err))) ||
           (failed = request_number(request, "limit", 0, &limit, err)) ||
           (failed = question_from_request(service, request, &question, err)) ||
           (failed = read_with(service, request, question.period, &with, err)) ||
           (failed = question_open(service, &question, &facts, err)) ||
           (failed = compare_periods(service, facts, &question, with, limit, answer, err)) ||
           (failed = params_note_period(service, facts, question.period, question.now,
                                        &question.filter, answer, err)) ||
           (failed = question_note_coverage(service, facts, &question, answer, err)));
    if (!failed) {
        note_with(service, question.period, with, question.now, answer);
    }
    return failed;
}

static const struct param params[] = {
    QUESTION_MEASURE("cpu_hours", "MEASURE[,...]", "what to compare"),
    {
        .name = "by",
        .letter = 'b',
        .type = PARAM_TEXT,
        .value = "DIMENSION[,...]",
        .name_at = question_dimension_at,
        .fallback = "cluster",
        .help = "one row for each cluster, user, group, ...; without it, one row in all",
    },
    {.name = "with",
     .type = PARAM_TEXT,
     .value = "PERIOD",
     .fallback = "previous",
     .help = "the period to compare with: previous, last-year, one like 2024-03, or FROM..TO"},
    PARAM_LIMIT(NULL, "show only the N largest changes"),
};

const struct operation operation_compare = {
    .name = "compare",
    .summary = "compare two periods",
    .description =
        "Shows measures for two periods and the change between them, absolute and in percent "
        "of the other period; the largest change comes first. Rows that exist in only one of "
        "the periods are marked new or gone. A change from zero has no percentage. If one of "
        "the periods has no data, the row says so and shows no change; if it has data for only "
        "a part, the row shows no percentage.\n"
        "--with previous is the period of the same calendar length just before: for March it "
        "is February, for 7 days the 7 days before. last-year is the same dates a year "
        "earlier.",
    .examples =
        "stint compare --from last-month # against the month before\n"
        "stint compare cpu_hours,jobs --by group --with last-year --from 2025-Q1 # groups\n"
        "stint compare --by user -n 10 --from 2025-03 --with 2024-09..2024-10 # any two "
        "periods",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_compare,
};
