/* SPDX-License-Identifier: MIT */

/*
 * stint history: year against year, month by month.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/question_params.h"
#include "service/usage/target_columns.h"

enum { MONTHS = 12, YEARS_MAX = 30, YEARS_DEFAULT = 3 };

enum { STEP = 2 }; /* columns of a year: the number, and whether it is of a part of the time */

static const char *const month_names[MONTHS] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* The years, their months, and what is known of them. */
struct history {
    const struct question *question; /* over whole years, by month */
    int64_t *years, *months;         /* edges */
    size_t year_count, month_count;
    struct table by_month, by_year;

    struct {
        size_t from;          /* its column in both tables */
        size_t first;         /* in the table people see */
        size_t target_shares; /* shares of targets behind it that the last year has */
    } places[QUESTION_MEASURES_MAX];
};

/* The period as whole years; by default the last three, this one included. */
static int read_years(const struct service *service, const struct request *request,
                      struct question *question, struct error *err)
{
    int64_t years = YEARS_DEFAULT;
    int failed = request_number(request, "years", YEARS_DEFAULT, &years, err);
    if (failed || question_period(request)) {
        return failed;
    }
    if (years < 1 || years > YEARS_MAX) {
        return error_set(err, ERROR_USAGE, "--years is 1 to %d", YEARS_MAX);
    }
    failed =
        calendar_span(STR("this-year"), service->zone, question->now, &question->period, err);
    if (!failed) {
        struct civil first = zone_civil(service->zone, question->period.from);
        first.year -= (int)years - 1;
        question->period.from = zone_instant(service->zone, first);
    }
    return failed;
}

/* Whether the last year, or a month of it, has a number in a column. */
static bool last_year_has(const struct history *history, size_t column)
{
    bool any = table_has(&history->by_year, column, history->year_count - 1);
    for (size_t m = (history->year_count - 1) * MONTHS; m < history->month_count; m++) {
        any = any || table_has(&history->by_month, column, m);
    }
    return any;
}

/*
 * Where the measures are: behind each stand what was to be reached and the share of it that
 * was.
 */
static void find_places(struct history *history)
{
    const struct question *q = history->question;
    const struct table *table = &history->by_month;
    size_t column = 1, first = 1;
    for (size_t i = 0; i < q->measure_count; i++) {
        history->places[i].from = column++;
        history->places[i].first = first;
        while (column + 1 < table->column_count &&
               table->columns[column].role == COLUMN_TARGET) {
            history->places[i].target_shares += last_year_has(history, column + 1);
            column += 2;
        }
        first += STEP * history->year_count + (history->year_count > 1) +
                 history->places[i].target_shares;
    }
}

static int ask_history(const struct service *service, struct facts *facts,
                       struct question *question, bool targets, struct history *history,
                       struct answer *about, struct error *err)
{
    struct question yearly = *question;
    const struct targets_part parts[] = {{question, &history->by_month, NULL},
                                         {&yearly, &history->by_year, NULL}};
    int failed;
    history->question = question;
    yearly.bucket = BUCKET_YEAR;
    question->bucket = BUCKET_MONTH;
    (void)((failed = calendar_edges(question->period, BUCKET_YEAR, question->zone,
                                    &history->years, &history->year_count, err)));
    if (!failed && history->year_count > YEARS_MAX) {
        failed = error_set(err, ERROR_USAGE, "more than %d years: ask for fewer with --from",
                           YEARS_MAX);
    }
    if (failed) {
        return failed;
    }
    question->period = (struct period){history->years[0], history->years[history->year_count]};
    yearly.period = question->period;
    (void)((failed = calendar_edges(question->period, BUCKET_MONTH, question->zone,
                                    &history->months, &history->month_count, err)) ||
           (failed = targets_ask(service, facts, parts, COUNT_OF(parts), targets, about, err)));
    if (!failed) {
        find_places(history);
    }
    return failed;
}

static void history_release(struct history *history)
{
    free(history->years);
    free(history->months);
    table_release(&history->by_month);
    table_release(&history->by_year);
}

/* Whether a row is of a time that is covered in part only. */
static bool is_partial(const struct table *table, size_t row)
{
    bool partial = false;
    for (size_t c = 0; c < table->column_count; c++) {
        partial = partial || (table->columns[c].role == COLUMN_MARK &&
                              table_has(table, c, row) && table_wide(table, c, row) != 0);
    }
    return partial;
}

static int month_of(const struct history *history, size_t month)
{
    return zone_civil(history->question->zone, history->months[month]).month - 1;
}

static int year_of(const struct history *history, size_t month)
{
    size_t year = 0;
    while (history->months[month] >= history->years[year + 1]) {
        year++;
    }
    return (int)year;
}

/*
 * For machines and pictures: a row a month. The year is identified by the month, and no name of
 * its own.
 */
static void shape_long(const struct history *history, struct table *out)
{
    const struct table *from = &history->by_month;
    table_column(out, "year", "Year", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE);
    table_column_like(out, &from->columns[0]);
    for (size_t c = 1; c < from->column_count; c++) {
        table_column_like(out, &from->columns[c]);
    }
    for (size_t m = 0; m < history->month_count && m < from->row_count; m++) {
        char label[BUCKET_LABEL_MAX];
        const size_t row = table_row(out);
        table_set_text(out, 0, row,
                       str_of(calendar_label(history->years[year_of(history, m)], BUCKET_YEAR,
                                             history->question->zone, label)));
        table_copy_cell(from, 0, m, out, 1, row);
        for (size_t c = 1; c < from->column_count; c++) {
            table_copy_cell(from, c, m, out, c + 1, row);
        }
    }
}

/* Calls `each` for the shares of targets of measure `i` that the last year has. */
static void each_target(const struct history *history, size_t i,
                        void (*each)(const struct history *history, size_t column, size_t to,
                                     struct table *out),
                        struct table *out)
{
    size_t to =
        history->places[i].first + STEP * history->year_count + (history->year_count > 1);
    size_t column = history->places[i].from + 2;
    for (size_t found = 0; found < history->places[i].target_shares; column += 2) {
        if (last_year_has(history, column)) {
            each(history, column, to + found++, out);
        }
    }
}

static void add_target(const struct history *history, size_t column, size_t to,
                       struct table *out)
{
    (void)to;
    table_column_like(out, &history->by_month.columns[column]);
}

/* In the newest row, the month that is called so in the last year. */
static void copy_target(const struct history *history, size_t column, size_t to,
                        struct table *out)
{
    const size_t row = out->row_count - 1, month = (history->year_count - 1) * MONTHS + row;
    table_copy_cell(&history->by_month, column, month, out, to, row);
}

static void copy_target_of_year(const struct history *history, size_t column, size_t to,
                                struct table *out)
{
    table_copy_cell(&history->by_year, column, history->year_count - 1, out, to,
                    out->row_count - 1);
}

/*
 * For people: a column a year and measure, then what is about the last year: its change from
 * the one before, and the shares of its targets.
 */
static void add_columns(const struct history *history, struct table *out)
{
    const struct question *q = history->question;
    char label[BUCKET_LABEL_MAX];
    table_column(out, "month", "Month", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < q->measure_count; i++) {
        const struct column *c = &history->by_month.columns[history->places[i].from];
        for (size_t y = 0; y < history->year_count; y++) {
            calendar_label(history->years[y], BUCKET_YEAR, q->zone, label);
            table_column(out, c->id,
                         q->measure_count > 1
                             ? arena_printf(&out->arena, "%s %s", c->label, label)
                             : label,
                         c->type, c->unit, COLUMN_MEASURE);
            table_column(out, "partial", "Partial", CELL_INT, UNIT_TRUTH, COLUMN_STAR);
        }
        if (history->year_count > 1) {
            table_column(out, "change", "Change", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
        }
        each_target(history, i, add_target, out);
    }
}

/*
 * The number of a year or of a month of it, in the newest row, and whether it is of a part of
 * it.
 */
static void copy_year(const struct table *from, size_t column, size_t row, struct table *out,
                      size_t to)
{
    const size_t last = out->row_count - 1;
    table_copy_cell(from, column, row, out, to, last);
    table_set_int(out, to + 1, last, is_partial(from, row));
}

/*
 * The change in the newest row to the last year from the one before, where both are known in
 * whole.
 */
static void set_change(const struct history *history, struct table *out, size_t first)
{
    const size_t row = out->row_count - 1;
    if (history->year_count < 2) {
        return;
    }
    const size_t last = first + STEP * (history->year_count - 1), before = last - STEP;
    if (table_has(out, last, row) && table_has(out, before, row) &&
        table_wide(out, last + 1, row) == 0 && table_wide(out, before + 1, row) == 0) {
        const double was = table_real(out, before, row);
        question_set_share(out, last + STEP, row, table_real(out, last, row) - was, was);
    }
}

/* Month `first` of all years. */
static void add_month(const struct history *history, size_t first, struct table *out)
{
    const size_t row = table_row(out), years = history->year_count;
    table_set_text(out, 0, row, str_of(month_names[month_of(history, first)]));
    for (size_t i = 0; i < history->question->measure_count; i++) {
        const size_t column = history->places[i].first;
        for (size_t y = 0; y < years; y++) {
            copy_year(&history->by_month, history->places[i].from, y * MONTHS + first, out,
                      column + STEP * y);
        }
        set_change(history, out, column);
        each_target(history, i, copy_target, out);
    }
}

/*
 * The years as questions of their own: users of a year are not the sum of those of its months.
 */
static void add_years(const struct history *history, struct table *out)
{
    const size_t row = table_row(out), years = history->year_count;
    table_set_text(out, 0, row, STR("Year"));
    for (size_t i = 0; i < history->question->measure_count; i++) {
        const size_t column = history->places[i].first;
        for (size_t y = 0; y < years; y++) {
            copy_year(&history->by_year, history->places[i].from, y, out, column + STEP * y);
        }
        set_change(history, out, column);
        each_target(history, i, copy_target_of_year, out);
    }
    out->footer_count = 1;
}

static int run_history(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct question question = {0};
    struct history history = {0};
    struct answer about = {0};
    struct facts *facts = NULL;
    int failed;
    (void)((failed = question_measures(&question, request_text(request, "measure"), err)) ||
           (failed = question_from_request(service, request, &question, err)) ||
           (failed = read_years(service, request, &question, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = ask_history(service, facts, &question, request_flag(request, "targets"),
                                 &history, &about, err)));
    if (!failed) {
        shape_long(&history, &answer->table);
        add_columns(&history, &answer->shown);
        for (size_t m = 0; m < MONTHS; m++) {
            add_month(&history, m, &answer->shown);
        }
        add_years(&history, &answer->shown);
        failed = params_note_period(service, facts, question.period, question.now,
                                    &question.filter, answer, err);
    }
    if (!failed) {
        failed = question_note_coverage(service, facts, &question, answer, err);
    }
    if (!failed) {
        failed = question_note_partial(service, facts, &question, answer, err);
    }
    if (!failed && history.year_count > 1 && question.period.to > question.now) {
        answer_note(answer, NOTE_READING,
                    "change: only for months and years that are over and fully covered by "
                    "data; to compare the same days of two years: stint compare --with "
                    "last-year --from this-year --to now");
    }
    if (!failed) {
        note_append(&answer->notes, &about.notes);
    }
    answer_release(&about);
    history_release(&history);
    return failed;
}

static const struct param params[] = {
    QUESTION_MEASURE("cpu_hours", "MEASURE[,...]", "what to show"),
    {.name = "years",
     .type = PARAM_NUMBER,
     .value = "N",
     .fallback = "3",
     .help = "the last N years including this one, if no period is given"},
    TARGETS_PARAM,
};

const struct operation operation_history = {
    .name = "history",
    .summary = "compare years month by month",
    .description =
        "Shows one row per month, one column per year, and the change from the second-to-last "
        "year to the last, in percent. The period is extended to whole years. Months before "
        "the first run in the store and after today are shown as unknown, not as zero; a month "
        "or year that is not over has no change. The last row holds the values of whole years. "
        "If a target is defined, the last column is the share of it reached in the last year "
        "so far.\n"
        "Machine formats have one row per month and year.",
    .examples = "stint history # cpu hours of the last three years\n"
                "stint history jobs,users --years 2 -g physics # a group\n"
                "stint history gpu_hours --from 2020 --to 2025 --format csv # for a plot",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "the first of --years",
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_history,
};
