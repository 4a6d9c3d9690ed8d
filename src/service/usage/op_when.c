/* SPDX-License-Identifier: MIT */

/*
 * stint when: at which hours of the week.
 */

#include "report/catalog.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"

enum { DAYS = 7, HOURS = 24, BLOCK = 6, HIGHEST = 9 };

/* The week: a value for each hour of each day, where there is one. */
struct week {
    double values[DAYS][HOURS];
    bool known[DAYS][HOURS];
    size_t rows[DAYS][HOURS]; /* of the answer */
    double highest;
    int day, hour; /* of the highest */
};

static int day_of(const struct field *weekday, struct str name)
{
    for (int day = 0; day < DAYS; day++) {
        if (str_eq(name, str_of(dimension_name(weekday, day)))) {
            return day;
        }
    }
    return -1;
}

/* The answer has columns weekday, hour_of_day, measure. */
static void read_week(const struct question *question, const struct table *table,
                      struct week *week)
{
    for (size_t row = 0; row < table->row_count; row++) {
        int day = table_has(table, 0, row)
                      ? day_of(question->dimensions[0], table->columns[0].cells[row].text)
                      : -1;
        int hour = table_has(table, 1, row) ? (int)table_wide(table, 1, row) : -1;
        if (day < 0 || hour < 0 || hour >= HOURS || !table_has(table, 2, row)) {
            continue;
        }
        week->values[day][hour] = table_real(table, 2, row);
        week->known[day][hour] = true;
        week->rows[day][hour] = row;
        if (week->values[day][hour] > week->highest) {
            week->highest = week->values[day][hour];
            week->day = day;
            week->hour = hour;
        }
    }
}

/*
 * 9 for the highest hour of the week, 1 for the lowest that is not nothing, a dot for nothing.
 */
static char digit_of(const struct week *week, int day, int hour)
{
    if (!week->known[day][hour]) {
        return '-';
    }
    if (week->values[day][hour] <= 0) {
        return '.';
    }
    int digit = 1 + (int)(HIGHEST * week->values[day][hour] / week->highest);
    return (char)('0' + (digit > HIGHEST ? HIGHEST : digit));
}

/* The hour of a day at which there was most. */
static int highest_of(const struct week *week, int day)
{
    int highest = 0;
    for (int hour = 1; hour < HOURS; hour++) {
        highest = week->values[day][hour] > week->values[day][highest] ? hour : highest;
    }
    return highest;
}

static void add_columns(const struct table *table, struct table *out)
{
    static const char *const labels[] = {"00-05", "06-11", "12-17", "18-23"};
    table_column(out, "weekday", "Day", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < COUNT_OF(labels); i++) {
        table_column(out, labels[i], labels[i], CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    table_column(out, "hour_of_day", "Most at", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column_like(out, &table->columns[2]);
}

/* For people: a row a day, a digit an hour, and how much it was in the hour that had most. */
static void show_week(const struct question *question, const struct table *table,
                      const struct week *week, struct table *out)
{
    add_columns(table, out);
    for (int day = 0; day < DAYS; day++) {
        const size_t row = table_row(out);
        const int most = highest_of(week, day);
        table_set_text(out, 0, row, str_of(dimension_name(question->dimensions[0], day)));
        for (int block = 0; block < HOURS / BLOCK; block++) {
            char digits[BLOCK];
            for (int i = 0; i < BLOCK; i++) {
                digits[i] = digit_of(week, day, block * BLOCK + i);
            }
            table_set_text(out, (size_t)block + 1, row, (struct str){digits, BLOCK});
        }
        if (week->known[day][most] && week->values[day][most] > 0) {
            table_set_text(out, 5, row, str_of(arena_printf(&out->arena, "%02d:00", most)));
            table_copy_cell(table, 2, week->rows[day][most], out, 6, row);
        }
    }
}

static int run_when(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    struct question question = {.sort = "weekday", .ascending = true};
    struct week week = {0};
    struct facts *facts = NULL;
    int failed;
    (void)((failed = question_measures(&question, request_text(request, "measure"), err)) ||
           (failed = question_dimensions(&question, STR("weekday,hour_of_day"), err)) ||
           (failed = question_from_request(service, request, &question, err)));
    if (!failed && question.measure_count > 1) {
        failed = error_set(err, ERROR_USAGE, "name only one measure");
    }
    if (failed) {
        return failed;
    }
    (void)((failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = query_context_ask(service, facts, &question, &answer->table, err)) ||
           (failed = params_note_period(service, facts, question.period, question.now,
                                        &question.filter, answer, err)) ||
           (failed = question_note_coverage(service, facts, &question, answer, err)));
    if (!failed) {
        read_week(&question, &answer->table, &week);
        show_week(&question, &answer->table, &week, &answer->shown);
    }
    if (!failed && week.highest > 0) {
        answer_note(answer, NOTE_LAYOUT,
                    "one digit per hour, in ninths of the busiest hour: %s %02d:00; a dot is "
                    "zero; for the values: --format csv",
                    dimension_name(question.dimensions[0], week.day), week.hour);
    }
    return failed;
}

static const struct param params[] = {
    QUESTION_MEASURE("jobs_submitted", "MEASURE", "the measure to show"),
};

const struct operation operation_when = {
    .name = "when",
    .summary = "show activity by hour of the week",
    .description =
        "Shows a measure by weekday and hour of the day in the site's time zone: when jobs are "
        "submitted, when they start, or when the cluster is busy. Each day is a row with one "
        "digit per hour, where 9 is as busy as the busiest hour of the week, followed by the "
        "day's busiest hour and its value. Values are summed over the weeks of the period.\n"
        "Machine formats have one row for each hour of each weekday, with its value.",
    .examples = "stint when --from 2025 # when jobs are submitted\n"
                "stint when cpu_hours -M alder --from last-month # when a cluster is busy\n"
                "stint when wait_avg --from 2025 --format csv # mean waits, for a plot",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_when,
};
