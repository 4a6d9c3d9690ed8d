/* SPDX-License-Identifier: MIT */

/*
 * stint report: any question that is measures x dimensions x period.
 */

#include <string.h>

#include "report/queries/missing_fields.h"
#include "report/question.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"
#include "service/state/unknown_capacity.h"
#include "service/usage/across.h"
#include "service/usage/crowd.h"
#include "service/usage/report_rows.h"
#include "service/usage/target_columns.h"

static int read_measures(const struct request *request, struct question *question,
                         struct error *err)
{
    struct str list;
    int failed = 0;
    for (size_t i = 0; !failed && request_each(request, "measure", i, &list); i++) {
        failed = question_measures(question, list, err);
    }
    return failed;
}

static int read_dimensions(const struct request *request, struct question *question,
                           struct error *err)
{
    struct str list;
    int failed = 0;
    for (size_t i = 0; !failed && request_each(request, "by", i, &list); i++) {
        failed = question_dimensions(question, list, err);
    }
    return failed;
}

static int read_order(const struct request *request, struct question *question,
                      struct answer *answer, struct error *err)
{
    int64_t top = 0, bottom = 0;
    int failed;
    (void)((failed = request_number(request, request_has(request, "top") ? "top" : "limit", 0,
                                    &top, err)) ||
           (failed = request_number(request, "bottom", 0, &bottom, err)));
    if (failed) {
        return failed;
    }
    if (top && bottom) {
        return error_set(err, ERROR_USAGE, "--top and --bottom exclude each other");
    }
    if ((top || bottom) && question->bucket != BUCKET_NONE) {
        return error_set(err, ERROR_USAGE,
                         "--top and --bottom rank the whole period: leave out --every");
    }
    struct str sort = request_text(request, "sort");
    const bool own_order = !sort.ptr && !top && !bottom && question->dimension_count > 0 &&
                           dimension_fold(question->dimensions[0]) != FOLD_NONE;
    sort = own_order ? str_of(question->dimensions[0]->id)
                     : sort; /* days come as weeks have them */
    question->sort = sort.ptr ? arena_text(&answer->table.arena, sort) : NULL;
    bool by_dimension = sort.ptr && dimension_find(sort) != NULL;
    question->ascending = (by_dimension || bottom > 0) != request_flag(request, "reverse");
    question->limit = top ? top : bottom;
    return 0;
}

static int read_question(struct service *service, const struct request *request,
                         struct question *question, struct answer *answer, struct error *err)
{
    question->path = request_flag(request, "no-rollups") ? PATH_FACTS : PATH_ANY;
    struct str every = request_text(request, "every");
    int failed;
    (void)((failed = read_measures(request, question, err)) ||
           (failed = read_dimensions(request, question, err)) ||
           (failed = question_from_request(service, request, question, err)) ||
           (every.ptr && (failed = bucket_parse(every, &question->bucket, err))) ||
           (failed = read_order(request, question, answer, err)));
    return failed;
}

/*
 * Whether people get a row for all together: several rows, none left out, of numbers that may
 * be summed.
 */
static bool adds_up(const struct question *question, const struct answer *answer)
{
    bool additive = true;
    for (size_t i = 0; i < question->measure_count; i++) {
        additive = additive && question->measures[i]->additive;
    }
    return !answer->bare && additive && question->limit == 0 &&
           (question->dimension_count > 0 || question->bucket != BUCKET_NONE);
}

/* Without a rate every price is unknown: how to define one. */
static int note_rates(const struct service *service, struct facts *facts,
                      const struct question *question, struct answer *answer, struct error *err)
{
    struct query_context with = {0};
    struct question informed = *question;
    if (!question_has_prices(question)) {
        return 0;
    }
    int failed = query_context_read(service, facts, &informed, &with, err);
    if (!failed && with.rates.count == 0) {
        answer_note(
            answer, NOTE_COVERAGE,
            "prices are unknown: no rate is defined; define what runs cost with: stint rate "
            "add");
    }
    query_context_release(&with);
    return failed;
}

/* The answer, and the lines below it. */
static int answer_report(struct service *service, const struct request *request,
                         struct facts *facts, struct question *question, struct answer *answer,
                         struct error *err)
{
    struct question whole = *question;
    struct table total = {0};
    const struct targets_part parts[] = {{question, &answer->table, NULL},
                                         {&whole, &total, &parts[0]}};
    const size_t first = question->dimension_count + (question->bucket != BUCKET_NONE);
    struct answer about = {0};
    int failed;
    whole.dimension_count = 0;
    whole.bucket = BUCKET_NONE;
    whole.sort = NULL;
    const bool across = request_has(request, "across");
    (void)((across && (failed = across_check(question, err))) ||
           (failed =
                targets_ask(service, facts, parts, adds_up(question, answer) && !across ? 2 : 1,
                            request_flag(request, "targets") && !across, &about, err)) ||
           (failed = params_note_period(service, facts, question->period, question->now,
                                        &question->filter, answer, err)) ||
           (failed = unknown_capacity_note(service, facts, question, answer, err)) ||
           (failed = note_rates(service, facts, question, answer, err)) ||
           (failed = question_note_coverage(service, facts, question, answer, err)) ||
           (failed = question_note_partial(service, facts, question, answer, err)));
    if (!failed && across) {
        failed = across_turn(service, facts, question, answer, err);
    }
    if (!failed) {
        question_footer(answer, &total, first);
        note_append(&answer->notes, &about.notes);
        question_note_nodes(question, answer);
    }
    table_release(&total);
    answer_release(&about);
    return failed;
}

int report_rows(struct service *service, const struct request *request, struct answer *answer,
                struct error *err)
{
    struct question question = {0};
    struct facts *facts = NULL;
    int failed;
    (void)((failed = read_question(service, request, &question, answer, err)) ||
           (failed = question_open(service, &question, &facts, err)) ||
           (failed = query_context_ask(service, facts, &question, &answer->table, err)));
    return failed;
}

int report_omitted(struct service *service, const struct request *request,
                   struct answer *answer, struct error *err)
{
    struct question question = {0};
    struct facts *facts = NULL;
    struct query_context with = {0};
    int failed;
    (void)((failed = read_question(service, request, &question, answer, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = query_context_read(service, facts, &question, &with, err)) ||
           (failed = missing_fields_by_cluster(facts, &question, &answer->table, err)));
    query_context_release(&with);
    return failed;
}

static int run_report(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    struct question question = {0};
    struct facts *facts = NULL;
    bool crowd = false;
    int failed = read_question(service, request, &question, answer, err);
    if (failed) {
        return failed;
    }
    failed = crowd_limit(service, &question, &crowd, err);
    failed = failed ? failed : question_open(service, &question, &facts, err);
    if (!failed && request_flag(request, "explain")) {
        failed = question_explain(facts, &question, &answer->table, err);
        answer->as_records = true;
    } else if (!failed) {
        failed = answer_report(service, request, facts, &question, answer, err);
        crowd_hide(service, crowd, answer);
    }
    return failed;
}

static const struct param params[] = {
    {
        .name = "measure",
        .type = PARAM_TEXT,
        .value = "MEASURE[,...]",
        .name_at = question_measure_at,
        .help = "what to measure",
        .positional = true,
        .required = true,
        .repeated = true,
    },
    {
        .name = "by",
        .letter = 'b',
        .type = PARAM_TEXT,
        .value = "DIMENSION[,...]",
        .name_at = question_dimension_at,
        .help = "one row for each cluster, user, group, account, project, partition, class, or "
                "any other field below",
        .repeated = true,
    },
    {
        .name = "every",
        .letter = 'e',
        .type = PARAM_CHOICE,
        .value = "BUCKET",
        .choices = "hour day week month quarter year",
        .help = "one row for each hour, day, week, ... of the calendar",
    },
    {.name = "across",
     .type = PARAM_CHOICE,
     .value = "WHAT",
     .choices = "every",
     .help = "show the intervals of --every as columns; for one measure"},
    PARAM_SORT("COLUMN", NULL,
               "sort rows by this column; default the first measure, largest first"),
    PARAM_REVERSE,
    {.name = "top",
     .letter = 't',
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "show only the N largest rows"},
    PARAM_LIMIT(NULL, "the same as --top"),
    {.name = "bottom",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "show only the N smallest rows"},
    TARGETS_PARAM,
    {.name = "no-rollups",
     .type = PARAM_FLAG,
     .help = "compute from the runs themselves, without the daily sums of stint rollup"},
    {.name = "explain",
     .type = PARAM_FLAG,
     .help = "show how the report would be computed, with its SQL, without running it"},
};

const struct operation operation_report = {
    .name = "report",
    .summary = "report any measures by any dimensions",
    .description =
        "Reports measures for a period: in total, by dimensions, and by hour, day, week, "
        "month, quarter or year. Amounts such as cpu_hours count only the part of each run "
        "that lies within the period; runs that are still running count up to when they were "
        "last seen. Both dates of a period are included.\n"
        "Filters may be repeated and accept comma-separated lists and the globs * ? [abc]; a "
        "leading ! excludes. Numbers accept ranges and comparisons: --cpus 8..64, --wall "
        "'>1h'.",
    .examples =
        "stint report cpu_hours,jobs,users --by cluster --from 2025 # a year\n"
        "stint report cpu_hours --by user --top 10 --from last-month # who used most\n"
        "stint report cpu_hours --every month --by group --from 2024-01 --to 2025-12 # "
        "a series\n"
        "stint report cpu_hours --by group --every month --across every --from 2025 # months "
        "as columns\n"
        "stint report wait_hours,jobs_started --by partition -u 'a*,!alice' # filters",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_report,
};
