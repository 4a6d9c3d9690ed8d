/* SPDX-License-Identifier: MIT */

/*
 * stint forecast: where the year will end.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "base/scan.h"
#include "report/queries/forecast.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"
#include "service/usage/target_columns.h"

#define WEEK_US (7 * DAY_US)

/* What is asked, and what was found on the way. */
struct task {
    struct question
        question;       /* of the whole period; its `now` is the day the forecast is made on */
    int64_t weeks;      /* of history that are wanted */
    struct period past; /* whole weeks of it that are there */
    size_t past_count;
    struct targets_found targets; /* --target, or those of the books */
    struct table so_far;
    double values[FORECAST_WEEKS_MAX]; /* of the past weeks */
    struct forecast forecast;
};

/* The target that is given, or else those of the books. */
static int read_targets(const struct service *service, const struct request *request,
                        struct task *task, struct answer *about, struct error *err)
{
    const struct str text = request_text(request, "target");
    int64_t millionths = 0;
    if (!text.ptr) {
        return request_flag(request, "targets")
                   ? targets_find(service, &task->question, &task->targets, about, err)
                   : 0;
    }
    if ((!scan_decimal(text, 6, &millionths) || millionths <= 0)) {
        return error_set(
            err, ERROR_USAGE,
            "--target needs a number above zero, in the unit of the measure, not '%.*s'",
            STR_ARG(text));
    }
    task->targets.count = 1;
    task->targets.rows[0].amount =
        (wide_int)millionths * measure_scale(task->question.measures[0]) / 1000000;
    return 0;
}

static int read_measure(const struct request *request, struct question *question,
                        struct error *err)
{
    int failed = question_measures(question, request_text(request, "measure"), err);
    if (failed) {
        return failed;
    }
    const struct measure *m = question->measures[0];
    if (question->measure_count > 1 || !m->additive || m->real || !measure_scale(m)) {
        return error_set(err, ERROR_USAGE,
                         "a forecast needs one additive measure, such as cpu_hours or jobs; "
                         "see: stint measures");
    }
    return 0;
}

/* The day the forecast is made on: now, or --as-of. */
static int read_as_of(const struct service *service, const struct request *request,
                      int64_t *out, struct error *err)
{
    const struct str text = request_text(request, "as-of");
    struct period span = {0};
    *out = service->now();
    if (!text.ptr) {
        return 0;
    }
    int failed = calendar_span(text, service->zone, *out, &span, err);
    if (!failed && span.to > *out) {
        return error_set(err, ERROR_USAGE, "--as-of '%.*s' is not over yet", STR_ARG(text));
    }
    *out = failed ? *out : span.to;
    return failed;
}

/* From the beginning of the year, or of --from, to its end, or that of --to. */
static int read_period(const struct service *service, const struct request *request,
                       struct question *question, struct error *err)
{
    struct str from = request_text(request, "from");
    const struct str to = request_text(request, "to");
    const int64_t now = question->now - 1; /* the last instant that has passed */
    int failed = calendar_period(from.ptr ? from : STR("this-year"), to, service->zone, now,
                                 &question->period, err);
    if (failed) {
        return failed;
    }
    char text[INSTANT_TEXT_MAX];
    if (question->period.to <= question->now) {
        return error_set(err, ERROR_USAGE,
                         "the period was over at %s: there is nothing to forecast; choose a "
                         "later end with --to, or an earlier day with --as-of",
                         params_print(service->zone, question->period.to, text));
    }
    if (question->period.from >= question->now) {
        return error_set(err, ERROR_USAGE,
                         "the period begins only at %s: choose an earlier start with --from",
                         params_print(service->zone, question->period.from, text));
    }
    return 0;
}

static int read_task(const struct service *service, const struct request *request,
                     struct task *task, struct answer *about, struct error *err)
{
    struct question *question = &task->question;
    int failed;
    question->zone = service->zone;
    (void)((failed = read_measure(request, question, err)) ||
           (failed = request_number(request, "weeks", 8, &task->weeks, err)) ||
           (failed = read_as_of(service, request, &question->now, err)) ||
           (failed = read_period(service, request, question, err)) ||
           (failed = params_filter(service, request, &question->filter, err)) ||
           (failed = read_targets(service, request, task, about, err)));
    if (!failed && (task->weeks < FORECAST_WEEKS_MIN || task->weeks > FORECAST_WEEKS_MAX)) {
        return error_set(err, ERROR_USAGE, "--weeks is %d to %d", FORECAST_WEEKS_MIN,
                         FORECAST_WEEKS_MAX);
    }
    return failed;
}

/* Which whole weeks of the past there are, up to those that are wanted. */
static int find_past(struct facts *facts, struct task *task, struct error *err)
{
    const struct zone *zone = task->question.zone;
    const int64_t now = task->question.now;
    const struct civil week = bucket_floor(zone_civil(zone, now), BUCKET_WEEK, 1);
    struct period known = {0};
    char text[INSTANT_TEXT_MAX];
    bool any = false;
    int failed = listing_span(facts, &known, &any, err);
    if (failed) {
        return failed;
    }
    if (!any || known.from >= now) {
        return error_set(err, ERROR_MISSING,
                         "the store has no runs before that day: stint import");
    }
    if (known.to < now - WEEK_US) {
        return error_set(err, ERROR_MISSING,
                         "the store has no data since %s: import newer data, or make the "
                         "forecast as of then with --as-of %.10s",
                         params_print(zone, known.to, text), text);
    }
    task->past.to = zone_instant(zone, week);
    for (int i = 1; i <= task->weeks; i++) {
        const int64_t lower = zone_instant(zone, bucket_step(week, BUCKET_WEEK, -i));
        if (lower + DAY_US < known.from) { /* a first day without a run is no gap */
            break;
        }
        task->past.from = lower;
        task->past_count = (size_t)i;
    }
    if (task->past_count < FORECAST_WEEKS_MIN) {
        return error_set(err, ERROR_MISSING,
                         "the store has %zu whole week%s before that day and a forecast needs "
                         "%d: import older files, or try again later",
                         task->past_count, task->past_count == 1 ? "" : "s",
                         FORECAST_WEEKS_MIN);
    }
    return 0;
}

static int ask_past(const struct service *service, struct facts *facts, struct task *task,
                    struct error *err)
{
    struct question past = task->question;
    struct table weeks = {0};
    past.period = task->past;
    past.bucket = BUCKET_WEEK;
    int failed = query_context_ask(service, facts, &past, &weeks, err);
    for (size_t i = 0; !failed && i < task->past_count; i++) {
        if (i >= weeks.row_count || !table_has(&weeks, 1, i)) {
            failed =
                error_set(err, ERROR_MISSING, "%s is not recorded for all of the past weeks",
                          task->question.measures[0]->id);
        } else {
            task->values[i] = table_real(&weeks, 1, i);
        }
    }
    if (!failed) {
        task->forecast = forecast_of(task->values, task->past_count,
                                     (double)(task->question.period.to - task->question.now) /
                                         (double)WEEK_US);
    }
    table_release(&weeks);
    return failed;
}

static int ask_so_far(const struct service *service, struct facts *facts, struct task *task,
                      struct error *err)
{
    struct question so_far = task->question;
    so_far.period.to = so_far.now;
    int failed = query_context_ask(service, facts, &so_far, &task->so_far, err);
    if (!failed && !table_has(&task->so_far, 0, 0)) {
        failed = error_set(err, ERROR_MISSING, "not recorded: %s in this period",
                           so_far.measures[0]->id);
    }
    return failed;
}

static void add_wide(struct table *table, size_t column, double value)
{
    table_set_wide(table, column, 0, (wide_int)(value + 0.5));
}

/* What there is to say about each target. The first is its line in a picture. */
static const struct target_column {
    const char *id, *label;
    enum cell_type type;
    enum unit unit; /* UNIT_NONE: the measure's */
    enum column_role role;
} target_columns[] = {
    {"target", "Target", CELL_WIDE, UNIT_NONE, COLUMN_SHARED_TARGET},
    {"target_so_far", "So far, of it", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE},
    {"target_expected", "Expected, of it", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE},
    {"left_per_week", "Left for a week", CELL_WIDE, UNIT_NONE, COLUMN_MEASURE},
    {"target_reached", "Reached about", CELL_INT, UNIT_INSTANT, COLUMN_MEASURE},
};

/* "target", and from the second target on "target_2"; people read its name. */
static void add_target_columns(const struct task *task, size_t index, struct table *out)
{
    const struct target_line *target = &task->targets.rows[index];
    for (size_t i = 0; i < COUNT_OF(target_columns); i++) {
        const struct target_column *c = &target_columns[i];
        table_column(out, index ? arena_printf(&out->arena, "%s_%zu", c->id, index + 1) : c->id,
                     i == 0 && target->name.ptr
                         ? arena_printf(&out->arena, "Target %.*s", STR_ARG(target->name))
                         : c->label,
                     c->type, c->unit == UNIT_NONE ? task->question.measures[0]->unit : c->unit,
                     c->role);
    }
}

/* Against a target: how much of it, and when it will be reached at this rate. */
static void set_target(const struct task *task, wide_int amount, size_t first,
                       struct table *out)
{
    const double target = (double)amount, so_far = table_real(&task->so_far, 0, 0);
    const double left = target - so_far;
    const double ahead =
        (double)(task->question.period.to - task->question.now) / (double)WEEK_US;
    table_set_wide(out, first, 0, amount);
    question_set_share(out, first + 1, 0, so_far, target);
    question_set_share(out, first + 2, 0, so_far + task->forecast.rest, target);
    add_wide(out, first + 3, left > 0 ? left / ahead : 0);
    if (left > 0 && left <= task->forecast.rest) {
        table_set_int(out, first + 4, 0,
                      task->question.now +
                          (int64_t)(left / task->forecast.mean * (double)WEEK_US));
    }
}

/* One row, shown a line a number. */
static void shape_answer(const struct task *task, struct table *out)
{
    const struct measure *m = task->question.measures[0];
    const double so_far = table_real(&task->so_far, 0, 0);
    const double low = task->forecast.rest - task->forecast.margin;
    static const char *const amounts[][3] = {{"so_far", "So far", "So far"},
                                             {"per_week", "Mean week", NULL},
                                             {"expected", "Expected at the end", "Expected"},
                                             {"low", "Low", "Low"},
                                             {"high", "High", "High"}};
    out->title = arena_printf(&out->arena, "Forecast of %s", m->label);
    table_column(out, "measure", "Measure", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE);
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        const size_t column =
            table_column(out, amounts[i][0], amounts[i][1], CELL_WIDE, m->unit, COLUMN_MEASURE);
        table_picture(out, column, amounts[i][2], false);
    }
    for (size_t k = 0; k < task->targets.count; k++) {
        add_target_columns(task, k, out);
    }
    table_row(out);
    table_set_text(out, 0, 0, str_of(m->id));
    table_copy_cell(&task->so_far, 0, 0, out, 1, 0);
    add_wide(out, 2, task->forecast.mean);
    add_wide(out, 3, so_far + task->forecast.rest);
    add_wide(out, 4, so_far + (low > 0 ? low : 0)); /* what was used stays used */
    add_wide(out, 5, so_far + task->forecast.rest + task->forecast.margin);
    for (size_t k = 0; k < task->targets.count; k++) {
        set_target(task, task->targets.rows[k].amount,
                   1 + COUNT_OF(amounts) + k * COUNT_OF(target_columns), out);
    }
}

/* --- for pictures: how it came to be so much, week by week, and how it may go on --- */

/*
 * Columns of the picture, after the week. The measure is not summed: each value is all until
 * then.
 */
enum { DRAWN_ALL = 1, DRAWN_LOW, DRAWN_HIGH, DRAWN_TARGETS };

static void add_drawn_columns(const struct task *task, struct table *out)
{
    const struct measure *m = task->question.measures[0];
    out->title = arena_printf(&out->arena, "Forecast of %s", m->label);
    table_column(out, "period", "Week", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(out, arena_printf(&out->arena, "%s_in_all", m->id),
                 arena_printf(&out->arena, "%s in all", m->label), CELL_WIDE, m->unit,
                 COLUMN_MEASURE);
    table_column(out, "low", "Low", CELL_WIDE, m->unit, COLUMN_BESIDE);
    table_column(out, "high", "High", CELL_WIDE, m->unit, COLUMN_BESIDE);
    for (size_t k = 0; k < task->targets.count; k++) {
        const struct str name = task->targets.rows[k].name;
        table_column(out, arena_printf(&out->arena, "target_%zu", k + 1),
                     name.ptr ? arena_printf(&out->arena, "Target %.*s", STR_ARG(name))
                              : "Target",
                     CELL_WIDE, m->unit, COLUMN_SHARED_TARGET);
    }
}

/*
 * A week of the picture, from one edge to the next: what there was by its end, or what is
 * expected by then.
 */
static void add_drawn(const struct task *task, int64_t from, int64_t to, double all,
                      struct table *out)
{
    const struct question *q = &task->question;
    const size_t row = table_row(out);
    const double so_far = table_real(&task->so_far, 0, 0);
    char label[BUCKET_LABEL_MAX];
    calendar_label(from, BUCKET_WEEK, q->zone, label);
    table_set_text(out, 0, row, str_of(label));
    table_set_wide(out, DRAWN_ALL, row, (wide_int)(from < q->now ? all : so_far));
    if (from >= q->now) {
        const struct forecast ahead = forecast_of(task->values, task->past_count,
                                                  (double)(to - q->now) / (double)WEEK_US);
        const double low = ahead.rest > ahead.margin ? ahead.rest - ahead.margin : 0;
        table_set_wide(out, DRAWN_ALL, row, (wide_int)(so_far + ahead.rest));
        table_set_wide(out, DRAWN_LOW, row, (wide_int)(so_far + low));
        table_set_wide(out, DRAWN_HIGH, row, (wide_int)(so_far + ahead.rest + ahead.margin));
    }
    for (size_t k = 0; k < task->targets.count; k++) {
        table_set_wide(out, DRAWN_TARGETS + k, row, task->targets.rows[k].amount);
    }
}

/* Where a week is not recorded there is no line, and the picture is that of the numbers. */
static int draw_weeks(const struct service *service, struct facts *facts,
                      const struct task *task, struct table *out, struct error *err)
{
    struct question weekly = task->question;
    const struct period *period = &task->question.period;
    struct table weeks = {0};
    int64_t *edges = NULL;
    size_t count = 0;
    double all = 0;
    weekly.period.to = weekly.now;
    weekly.bucket = BUCKET_WEEK;
    int failed = query_context_ask(service, facts, &weekly, &weeks, err);
    if (failed) {
        goto out;
    }
    failed = calendar_edges(*period, BUCKET_WEEK, weekly.zone, &edges, &count, err);
    if (failed) {
        goto out;
    }
    for (size_t i = 0; i < count && edges[i] < weekly.now; i++) {
        if (i >= weeks.row_count || !table_has(&weeks, 1, i)) {
            goto out;
        }
    }
    add_drawn_columns(task, out);
    for (size_t i = 0; i < count; i++) {
        const int64_t to = edges[i + 1] < period->to ? edges[i + 1] : period->to;
        all += edges[i] < weekly.now ? table_real(&weeks, 1, i) : 0;
        add_drawn(task, edges[i], to, all, out);
    }
out:
    free(edges);
    table_release(&weeks);
    return failed;
}

static void note_method(const struct service *service, const struct task *task,
                        struct answer *answer)
{
    char first[BUCKET_LABEL_MAX], last[BUCKET_LABEL_MAX];
    const struct question *q = &task->question;
    calendar_label(task->past.from, BUCKET_WEEK, service->zone, first);
    calendar_label(task->past.to - 1, BUCKET_WEEK, service->zone, last);
    answer_note(
        answer, NOTE_READING,
        "so far: exact; expected: so far plus %.1f remaining weeks like the mean of %zu weeks, "
        "%s to %s; low and high: 90 %% interval, if future weeks vary like these",
        (double)(q->period.to - q->now) / (double)WEEK_US, task->past_count, first, last);
    for (size_t k = 0; k < task->targets.count; k++) {
        const struct target_line *target = &task->targets.rows[k];
        const wide_int so_far = table_wide(&task->so_far, 0, 0);
        if (so_far < target->amount &&
            (double)(target->amount - so_far) > task->forecast.rest) {
            answer_note(answer, NOTE_TARGET,
                        "at this rate the target%s%.*s is not reached within the period",
                        target->name.ptr ? " " : "", STR_ARG(target->name));
        }
    }
}

static int run_forecast(struct service *service, const struct request *request,
                        struct answer *answer, struct error *err)
{
    struct task task = {0};
    struct answer about = {0};
    struct facts *facts = NULL;
    int failed;
    (void)((failed = read_task(service, request, &task, &about, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = find_past(facts, &task, err)) ||
           (failed = ask_so_far(service, facts, &task, err)) ||
           (failed = ask_past(service, facts, &task, err)));
    if (!failed) {
        shape_answer(&task, &answer->table);
        answer->as_records = true;
        failed = draw_weeks(service, facts, &task, &answer->drawn, err);
    }
    if (!failed) {
        (void)((failed =
                    params_note_period(service, facts, task.question.period, task.question.now,
                                       &task.question.filter, answer, err)) ||
               (failed = question_note_coverage(service, facts, &task.question, answer, err)));
    }
    if (!failed) {
        note_method(service, &task, answer);
        note_append(&answer->notes, &about.notes);
    }
    answer_release(&about);
    targets_found_release(&task.targets);
    table_release(&task.so_far);
    return failed;
}

static const struct param params[] = {
    QUESTION_MEASURE("cpu_hours", "MEASURE", "the measure to forecast; it must be additive"),
    {.name = "target",
     .type = PARAM_TEXT,
     .value = "NUMBER",
     .help = "total planned for the period, in the unit of the measure; default: the targets "
             "defined with stint target"},
    {.name = "weeks",
     .type = PARAM_NUMBER,
     .value = "N",
     .fallback = "8",
     .help = "number of past weeks to base the forecast on, 4 to 52"},
    {.name = "as-of",
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "make the forecast as of the end of this day; default now"},
    TARGETS_PARAM,
};

const struct operation operation_forecast = {
    .name = "forecast",
    .summary = "estimate the total at the end of the year",
    .description =
        "Shows the exact value of a measure so far and its expected value at the end of the "
        "period: the current year, unless --from and --to set another. The remaining weeks are "
        "assumed to be like the mean of the past whole weeks. The final value lies between low "
        "and high in nine of ten cases if future weeks vary as the past ones did: half the "
        "width of that interval is t x s x sqrt(r + r x r / n), with n past weeks of standard "
        "deviation s, r remaining weeks and Student's t with n - 1 degrees of freedom. "
        "Seasons, holidays and new machines are not taken into account.\n"
        "With --target, or if a target is defined for exactly these runs (stint target), it "
        "also shows the share of the target, how much is left per week, and the day on which "
        "it is reached. A target for a longer or shorter period is converted in proportion.",
    .examples =
        "stint forecast # cpu hours of this year\n"
        "stint forecast -A chemistry --target 2000000 # will the grant last?\n"
        "stint forecast jobs --to 2025-Q2 --weeks 12 --as-of 2025-05-01 # as it was then",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "this-year",
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_forecast,
};
