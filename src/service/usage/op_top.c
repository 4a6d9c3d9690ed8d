/* SPDX-License-Identifier: MIT */

/*
 * stint top: who uses most, or least, and what share of all that is; and who does not at all.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/inventory.h"
#include "report/queries/distinct_values.h"
#include "service/books/known_names.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"

/* All together, as one number; false if it is not known. */
static int ask_whole(const struct service *service, struct facts *facts,
                     const struct question *question, double *whole, struct error *err)
{
    struct question all = *question;
    struct table total = {0};
    question_drop_dimensions(&all);
    all.limit = 0;
    int failed = query_context_ask(service, facts, &all, &total, err);
    *whole = !failed && table_has(&total, 0, 0) ? table_real(&total, 0, 0) : 0;
    table_release(&total);
    return failed;
}

/* The rows with their rank, and shares where rows add up to the whole. */
static void shape_ranks(const struct question *question, const struct table *rows, double whole,
                        struct table *out)
{
    const size_t width = rows->column_count;
    const bool shares = question_adds_up(question, question->measures[0]);
    double sum = 0;
    table_column(out, "rank", "#", CELL_INT, UNIT_NONE, COLUMN_BESIDE);
    for (size_t c = 0; c < width; c++) {
        table_column_like(out, &rows->columns[c]);
    }
    if (shares) {
        table_column(out, "share", "Share", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
        table_column(out, "running_share", "Together", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    }
    for (size_t row = 0; row < rows->row_count; row++) {
        table_row(out);
        table_set_int(out, 0, row, (int64_t)row + 1);
        for (size_t c = 0; c < width; c++) {
            table_copy_cell(rows, c, row, out, c + 1, row);
        }
        if (shares && table_has(rows, question->dimension_count, row)) {
            double value = table_real(rows, question->dimension_count, row);
            sum += value;
            question_set_share(out, width + 1, row, value, whole);
            question_set_share(out, width + 2, row, sum, whole);
        }
    }
}

static int ask_ranks(const struct service *service, struct facts *facts,
                     struct question *question, struct table *out, struct error *err)
{
    struct table rows = {0};
    double whole = 0;
    int failed;
    (void)((failed = query_context_ask(service, facts, question, &rows, err)) ||
           (failed = ask_whole(service, facts, question, &whole, err)));
    if (!failed) {
        shape_ranks(question, &rows, whole, out);
    }
    table_release(&rows);
    return failed;
}

/* How many there are, or why there are none. */
static int note_never(struct facts *facts, const char *what, struct answer *answer,
                      struct error *err)
{
    const size_t count = answer->table.row_count;
    struct period span;
    bool any = false;
    int failed = listing_span(facts, &span, &any, err);
    if (!failed && !any) {
        answer_note(
            answer, NOTE_EMPTY,
            "the store has no runs yet; to import some: stint import auto --cluster NAME FILE");
    } else if (!failed && count == 0) {
        answer_note(answer, NOTE_EMPTY, "every known %s has a run in this period", what);
    } else if (!failed) {
        answer_note(answer, NOTE_RESULT, "%zu known %s%s %s no run in this period", count, what,
                    count == 1 ? "" : "s", count == 1 ? "has" : "have");
    }
    return failed;
}

/*
 * The nodes that schedulers reported, each with the cluster that its runs count under; then
 * distinct_values_idle.
 */
static int ask_idle_nodes(struct facts *facts, const struct question *question,
                          struct table *out, struct error *err)
{
    struct table nodes = {0};
    int failed = inventory_names(facts, INVENTORY_ITEM_NODE, &nodes, err);
    struct str *names = mem_alloc(nodes.row_count + 1, sizeof(*names));
    struct str *clusters = mem_alloc(nodes.row_count + 1, sizeof(*clusters));
    for (size_t row = 0; !failed && row < nodes.row_count; row++) {
        const struct str cluster = nodes.columns[1].cells[row].text;
        names[row] = nodes.columns[0].cells[row].text;
        clusters[row] = question->rules ? cluster_rule_apply(question->rules, cluster,
                                                             names[row], (struct str){0})
                                        : cluster;
    }
    const struct distinct_values_named named = {names, clusters, nodes.row_count};
    failed = failed ? failed : distinct_values_idle(facts, question, named, out, err);
    free(names);
    free(clusters);
    table_release(&nodes);
    return failed;
}

/* The names that are known of anything else; then distinct_values_idle. */
static int ask_idle_names(const struct service *service, struct facts *facts,
                          const struct question *question, struct table *out, struct error *err)
{
    struct known_names names;
    int failed = known_names_read(service, facts, question->dimensions[0], &names, err);
    const struct distinct_values_named named = {names.names, NULL, names.count};
    failed = failed ? failed : distinct_values_idle(facts, question, named, out, err);
    known_names_release(&names);
    return failed;
}

/* What is known to the store or the books, and has no run in the period. */
static int ask_idle(const struct service *service, struct facts *facts,
                    const struct question *question, struct table *out, struct error *err)
{
    struct question asked = *question;
    struct query_context with = {0};
    asked.measure_count = 0;
    int failed = query_context_read(service, facts, &asked, &with, err);
    if (!failed) {
        failed = asked.dimension_count > 1 ? ask_idle_nodes(facts, &asked, out, err)
                                           : ask_idle_names(service, facts, &asked, out, err);
    }
    if (!failed) {
        query_context_show_names(&with, out);
    }
    query_context_release(&with);
    return failed;
}

/*
 * Whether rows are of one thing: a dimension, or nodes, which have their cluster beside them.
 */
static bool is_of_one(const struct question *question)
{
    const bool node = question->dimension_count == 2 &&
                      dimension_is_spread(question->dimensions[0]) &&
                      question->dimensions[1] == &run_fields[RUN_cluster];
    return (node || question->dimension_count == 1) &&
           dimension_fold(question->dimensions[0]) == FOLD_NONE;
}

/* Below those that did least: that others did nothing at all. */
static int note_idle(const struct service *service, struct facts *facts,
                     const struct question *question, struct answer *answer, struct error *err)
{
    if (answer->noteless || !is_of_one(question)) {
        return 0;
    }
    struct table idle = {0};
    const char *what = question->dimensions[0]->id;
    int failed = ask_idle(service, facts, question, &idle, err);
    if (!failed && idle.row_count > 0) {
        answer_note(answer, NOTE_MORE,
                    "%zu more without a run in this period: stint top %s --never",
                    idle.row_count, what);
    }
    table_release(&idle);
    return failed;
}

static int ask_never(const struct service *service, struct facts *facts,
                     const struct question *question, struct answer *answer, struct error *err)
{
    if (!is_of_one(question)) {
        return error_set(err, ERROR_USAGE,
                         "--never needs exactly one dimension, such as user, queue or node");
    }
    int failed = ask_idle(service, facts, question, &answer->table, err);
    if (!failed) {
        params_note_time(service, question->period, question->now, answer);
        failed = note_never(facts, question->dimensions[0]->id, answer, err);
    }
    return failed;
}

static int read_question(struct service *service, const struct request *request,
                         struct question *question, struct error *err)
{
    int failed;
    (void)((failed = question_measures(question, request_text(request, "measure"), err)) ||
           (failed = question_dimensions(question, request_text(request, "dimension"), err)) ||
           (failed = request_number(request, "limit", 10, &question->limit, err)) ||
           (failed = question_from_request(service, request, question, err)));
    question->ascending = request_flag(request, "bottom");
    return failed;
}

static int run_top(struct service *service, const struct request *request,
                   struct answer *answer, struct error *err)
{
    struct question question = {0};
    struct facts *facts = NULL;
    const bool never = request_flag(request, "never");
    int failed = read_question(service, request, &question, err);
    if (failed || (failed = question_open(service, &question, &facts, err)) != 0) {
        return failed;
    }
    (void)((failed = never ? ask_never(service, facts, &question, answer, err)
                           : ask_ranks(service, facts, &question, &answer->table, err)) ||
           (!never &&
            (failed = params_note_period(service, facts, question.period, question.now,
                                         &question.filter, answer, err))) ||
           (!never &&
            (failed = question_note_coverage(service, facts, &question, answer, err))) ||
           (!never && question.ascending &&
            (failed = note_idle(service, facts, &question, answer, err))));
    if (!failed && !never) {
        question_note_nodes(&question, answer);
    }
    return failed;
}

static const struct param params[] = {
    {
        .name = "dimension",
        .type = PARAM_TEXT,
        .value = "DIMENSION",
        .name_at = question_dimension_at,
        .fallback = "user",
        .help = "what to rank: user, group, project, partition, node, ...",
        .positional = true,
    },
    {
        .name = "measure",
        .letter = 'm',
        .type = PARAM_TEXT,
        .value = "MEASURE[,...]",
        .name_at = question_measure_at,
        .fallback = "cpu_hours,jobs",
        .help =
            "rank by the first of these and also show the others; for a list: stint measures",
    },
    PARAM_LIMIT("10", "number of rows; 0 shows all"),
    {.name = "bottom", .type = PARAM_FLAG, .help = "show the smallest instead of the largest"},
    {.name = "never",
     .type = PARAM_FLAG,
     .help = "list those known to stint that have no run in the period"},
};

const struct operation operation_top = {
    .name = "top",
    .summary = "rank users by usage: most, least or none",
    .description = "Ranks users, or another dimension, by a measure. Share is the share of the "
                   "total of all rows, including those not shown; Together is the cumulative "
                   "share of this row and those above it. Measures that are not additive "
                   "(users, medians, ratios) are ranked without shares.\n"
                   "--bottom begins with the smallest of those that have at least one run. "
                   "--never lists those without a run in the period that are known from runs "
                   "at other times, with the time of the last one, or that are defined with "
                   "stint people, metagroup, member or capacity.",
    .examples = "stint top --from last-month # the ten largest users\n"
                "stint top group -m gpu_hours -n 5 --from 2025 # groups by GPU hours\n"
                "stint top queue --bottom # the least used queues\n"
                "stint top node --never --from 7d # nodes on which nothing ran",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_top,
};
