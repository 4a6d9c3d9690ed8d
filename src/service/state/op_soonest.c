/* SPDX-License-Identifier: MIT */

/*
 * stint soonest: where a job would start soonest: how long jobs like it waited, what is free
 * and what waits before it.
 */

#include <stdio.h>
#include <stdlib.h>

#include "base/scan.h"
#include "report/queries/nodes.h"
#include "report/queries/pull_age.h"
#include "report/queries/queue.h"
#include "report/queries/soonest.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/at_option.h"
#include "service/query/question_params.h"

enum { FEW = 10, DAYS = 28, AMOUNT_MAX = 1000000 };

static const struct named_filter filters[] = {{"cluster", RUN_cluster},
                                              {"partition", RUN_partition}};

static const struct heading headings[] = {
    {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"partition", "Partition", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"runs", "Like it", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    {"wait_median", "Wait median", CELL_INT, UNIT_SECONDS, COLUMN_MEASURE},
    {"wait_p90", "Wait p90", CELL_INT, UNIT_SECONDS, COLUMN_MEASURE},
    {"cpus_free", "CPUs free", CELL_REAL, UNIT_COUNT, COLUMN_MEASURE},
    {"gpus_free", "GPUs free", CELL_REAL, UNIT_COUNT, COLUMN_MEASURE},
    {"jobs_pending", "Waiting", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    {"cpus_pending", "CPUs wait", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    {"time_max", "Longest", CELL_INT, UNIT_SECONDS, COLUMN_MEASURE},
    {"fits", "Fits", CELL_INT, UNIT_TRUTH, COLUMN_MEASURE},
};

enum {
    RUNS = 2,
    MEDIAN,
    MOST,
    CPUS_FREE,
    GPUS_FREE,
    PENDING,
    CPUS_PENDING,
    TIME_MAX,
    FITS,
};

#define MACHINE_FIELDS "time_max"

static int read_amounts(const struct request *request, struct soonest_question *question,
                        struct error *err)
{
    const struct str time = request_text(request, "time");
    int failed = request_number(request, "cpus", 1, &question->cpus, err);
    if (!failed) {
        failed = request_number(request, "gpus", 0, &question->gpus, err);
    }
    if (!failed &&
        (question->cpus < 1 || question->cpus > AMOUNT_MAX || question->gpus > AMOUNT_MAX)) {
        failed = error_set(err, ERROR_USAGE, "--cpus must be 1 to %d, and --gpus up to that",
                           AMOUNT_MAX);
    }
    if (!failed && time.ptr &&
        (!scan_duration(time, &question->wall_us) || question->wall_us <= 0 ||
         question->wall_us > 365 * DAY_US)) {
        failed =
            error_set(err, ERROR_USAGE,
                      "--time '%.*s' is not a time limit: 90m, 12h, 1-12:00:00", STR_ARG(time));
    }
    return failed;
}

static int read_question(const struct service *service, const struct request *request,
                         struct soonest_question *question, struct error *err)
{
    const int64_t now = service->now();
    *question = (struct soonest_question){
        .from = now - DAYS * DAY_US, .to = now, .now = now, .zone = service->zone};
    int failed = read_amounts(request, question, err);
    return failed ? failed
                  : params_filter_by(service, request, filters, COUNT_OF(filters),
                                     &question->filter, err);
}

static bool is_same_place(const struct table *a, size_t row, const struct table *b,
                          size_t other)
{
    return str_eq(a->columns[0].cells[row].text, b->columns[0].cells[other].text) &&
           str_eq(a->columns[1].cells[row].text, b->columns[1].cells[other].text);
}

/*
 * The row of the cluster and partition that a row of another table is of; false: none, and it
 * is not added.
 */
static bool find_row(struct table *out, const struct table *from, size_t row, bool add,
                     size_t *found)
{
    *found = 0;
    while (*found < out->row_count && !is_same_place(out, *found, from, row)) {
        ++*found;
    }
    if (*found == out->row_count && add) {
        table_row(out);
        table_copy_cell(from, 0, row, out, 0, *found);
        table_copy_cell(from, 1, row, out, 1, *found);
    }
    return *found < out->row_count;
}

/* Nodes and waiting jobs have several partitions: those that nobody asked for are left out. */
static bool may_add(const struct soonest_question *question)
{
    return !filter_has(&question->filter, &run_fields[RUN_partition]);
}

static void copy_real(const struct table *from, const char *id, size_t row, struct table *out,
                      size_t column, size_t to)
{
    const size_t at = table_find(from, id);
    if (at < from->column_count && table_has(from, at, row)) {
        table_set_real(out, column, to, table_real(from, at, row));
    }
}

static void copy_count(const struct table *from, const char *id, size_t row, struct table *out,
                       size_t column, size_t to)
{
    const size_t at = table_find(from, id);
    if (at < from->column_count && table_has(from, at, row)) {
        table_set_int(out, column, to, (int64_t)table_wide(from, at, row));
    }
}

/* Nothing is concluded from a few jobs. */
static size_t put_waits(const struct table *waits, struct table *out)
{
    size_t few = 0;
    for (size_t row = 0; row < waits->row_count; row++) {
        if (!table_has(waits, 0, row) || !table_has(waits, 1, row)) {
            continue;
        }
        size_t to;
        (void)find_row(out, waits, row, true, &to);
        const int64_t runs = (int64_t)table_wide(waits, SOONEST_RUNS, row);
        table_set_int(out, RUNS, to, runs);
        few += runs < FEW;
        if (runs >= FEW) {
            table_set_int(out, MEDIAN, to, (int64_t)table_wide(waits, SOONEST_MEDIAN, row));
            table_set_int(out, MOST, to, (int64_t)table_wide(waits, SOONEST_MOST, row));
        }
    }
    return few;
}

static int put_nodes(const struct soonest_question *question, struct facts *facts,
                     struct table *out, struct table *looks, struct error *err)
{
    struct nodes_question nodes = {.at = -1,
                                   .now = question->now,
                                   .zone = question->zone,
                                   .filter = question->filter,
                                   .keys = {"cluster", "partition"},
                                   .key_count = 2};
    struct nodes_notes notes = {0};
    struct table table = {0};
    int failed = nodes_ask(facts, &nodes, &table, &notes, err);
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        size_t to;
        if (table_has(&table, 1, row) && find_row(out, &table, row, may_add(question), &to)) {
            copy_real(&table, "cpus_free", row, out, CPUS_FREE, to);
            copy_real(&table, "gpus_free", row, out, GPUS_FREE, to);
        }
    }
    *looks = notes.looks;
    table_release(&table);
    return failed;
}

/*
 * Nothing waits in a partition that a listing does not name; of a cluster that was never listed
 * nothing is known.
 */
static void put_none_waiting(const struct table *listed, struct table *out)
{
    for (size_t row = 0; row < out->row_count; row++) {
        size_t look = 0;
        while (look < listed->row_count &&
               !str_eq(listed->columns[PULL_AGE_CLUSTER].cells[look].text,
                       out->columns[0].cells[row].text)) {
            look++;
        }
        if (look < listed->row_count) {
            table_set_int(out, PENDING, row, 0);
            table_set_int(out, CPUS_PENDING, row, 0);
        }
    }
}

static int put_queue(const struct soonest_question *question, struct facts *facts,
                     struct table *out, struct error *err)
{
    struct queue_question queue = {.at = question->now,
                                   .is_now = true,
                                   .zone = question->zone,
                                   .filter = question->filter,
                                   .states = {[QUEUE_PENDING] = true},
                                   .keys = {"cluster", "partition"},
                                   .key_count = 2};
    struct table table = {0}, listed = {0};
    int failed = queue_ask(facts, &queue, &table, err);
    if (!failed) {
        failed = pull_age_ask(facts, STR("queue"), &question->filter, question->zone,
                              question->now, &listed, err);
    }
    if (!failed) {
        put_none_waiting(&listed, out);
    }
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        size_t to;
        if (table_has(&table, 0, row) && table_has(&table, 1, row) &&
            find_row(out, &table, row, may_add(question), &to)) {
            copy_count(&table, "jobs_pending", row, out, PENDING, to);
            copy_count(&table, "cpus_pending", row, out, CPUS_PENDING, to);
        }
    }
    table_release(&listed);
    table_release(&table);
    return failed;
}

static bool exceeds(const struct table *limits, size_t column, size_t row, int64_t asked)
{
    return table_has(limits, column, row) && asked > (int64_t)table_wide(limits, column, row);
}

/*
 * Whether a job can start in the partitions at all: it is not longer or larger than they allow,
 * and they are open.
 */
static int put_limits(const struct soonest_question *question, struct facts *facts,
                      struct table *out, struct error *err)
{
    struct table limits = {0};
    int failed = soonest_limits(facts, question, &limits, err);
    for (size_t row = 0; !failed && row < limits.row_count; row++) {
        size_t to;
        (void)find_row(out, &limits, row, true, &to);
        const bool fits = !exceeds(&limits, SOONEST_LIMIT_WALL, row, question->wall_us) &&
                          !exceeds(&limits, SOONEST_LIMIT_CPUS, row, question->cpus) &&
                          !exceeds(&limits, SOONEST_LIMIT_GPUS, row, question->gpus) &&
                          table_wide(&limits, SOONEST_LIMIT_CLOSED, row) == 0;
        const bool sized = table_has(&limits, SOONEST_LIMIT_CPUS, row) &&
                           (question->gpus == 0 || table_has(&limits, SOONEST_LIMIT_GPUS, row));
        if (table_has(&limits, SOONEST_LIMIT_WALL, row)) {
            table_set_int(out, TIME_MAX, to,
                          (int64_t)table_wide(&limits, SOONEST_LIMIT_WALL, row));
        }
        if (sized || !fits) { /* else nobody knows */
            table_set_int(out, FITS, to, fits);
        }
    }
    table_release(&limits);
    return failed;
}

static bool is_too_small(const struct table *table, size_t row)
{
    return table_has(table, FITS, row) && table_wide(table, FITS, row) == 0;
}

/*
 * Whether partition a is to stand before b: where it fits, then the shorter wait, then by name.
 */
static bool is_before(const struct table *table, size_t a, size_t b)
{
    if (is_too_small(table, a) != is_too_small(table, b)) {
        return is_too_small(table, b);
    }
    const bool known = table_has(table, MEDIAN, a), other = table_has(table, MEDIAN, b);
    if (known != other) {
        return known;
    }
    if (known && table_wide(table, MEDIAN, a) != table_wide(table, MEDIAN, b)) {
        return table_wide(table, MEDIAN, a) < table_wide(table, MEDIAN, b);
    }
    const int cluster =
        str_compare(table->columns[0].cells[a].text, table->columns[0].cells[b].text);
    return cluster != 0 ? cluster < 0
                        : str_compare(table->columns[1].cells[a].text,
                                      table->columns[1].cells[b].text) < 0;
}

/* Partitions are few: each row is looked for among those that are left. */
static void copy_sorted(const struct table *from, struct table *out)
{
    bool *taken = calloc(from->row_count + 1, sizeof(*taken));
    table_columns(out, headings, COUNT_OF(headings));
    for (size_t n = 0; taken && n < from->row_count; n++) {
        size_t best = from->row_count;
        for (size_t row = 0; row < from->row_count; row++) {
            if (!taken[row] && (best == from->row_count || is_before(from, row, best))) {
                best = row;
            }
        }
        taken[best] = true;
        const size_t to = table_row(out);
        for (size_t c = 0; c < COUNT_OF(headings); c++) {
            table_copy_cell(from, c, best, out, c, to);
        }
    }
    free(taken);
}

static void note_soonest(const struct service *service, const struct soonest_question *question,
                         const struct table *looks, size_t few, struct answer *answer)
{
    char size[64] = "";
    at_option_note_looks(service, looks, question->now, "nodes", answer);
    if (question->gpus > 0) {
        (void)snprintf(size, sizeof(size), ", %lld to %lld GPUs",
                       (long long)(question->gpus + 1) / 2, 2 * (long long)question->gpus);
    }
    answer_note(answer, NOTE_READING,
                "waits of jobs of all users that started in the last %d days with %lld to %lld "
                "cpus%s%s; free and waiting: now, of everybody",
                DAYS, (long long)(question->cpus + 1) / 2, 2 * (long long)question->cpus, size,
                question->wall_us > 0 ? " and half to twice the time limit" : "");
    if (few > 0) {
        answer_note(
            answer, NOTE_COVERAGE,
            "in %zu partition%s fewer than %d such jobs started: too few to say how long "
            "one waits",
            few, few == 1 ? "" : "s", FEW);
    }
    size_t too_small = 0;
    for (size_t row = 0; row < answer->table.row_count; row++) {
        too_small += is_too_small(&answer->table, row);
    }
    if (too_small > 0) {
        answer_note(
            answer, NOTE_COVERAGE,
            "such a job cannot start in %zu partition%s: longer or larger than allowed, "
            "or the partition is closed",
            too_small, too_small == 1 ? "" : "s");
    }
    if (answer->table.row_count == 0) {
        answer_note(answer, NOTE_EMPTY,
                    "no such jobs started lately, and no partitions are known: they come from "
                    "querying a scheduler (stint pull)");
    }
}

static int run_soonest(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct soonest_question question;
    struct facts *facts = NULL;
    struct table waits = {0}, rows = {0}, looks = {0};
    size_t few = 0;
    int failed = read_question(service, request, &question, err);
    if (failed || (failed = at_option_open(service, "what is free is", &facts, err)) != 0) {
        return failed;
    }
    table_columns(&rows, headings, COUNT_OF(headings));
    failed = soonest_ask(facts, &question, &waits, err);
    if (!failed) {
        few = put_waits(&waits, &rows);
        failed = put_limits(&question, facts, &rows, err);
    }
    if (!failed) {
        failed = put_nodes(&question, facts, &rows, &looks, err);
    }
    if (!failed) {
        failed = put_queue(&question, facts, &rows, err);
    }
    if (!failed) {
        copy_sorted(&rows, &answer->table);
        question_audience(&answer->table, MACHINE_FIELDS, COLUMN_FOR_MACHINES);
        note_soonest(service, &question, &looks, few, answer);
    }
    table_release(&waits);
    table_release(&rows);
    table_release(&looks);
    return failed;
}

static const struct param params[] = {
    {.name = "cpus",
     .type = PARAM_NUMBER,
     .value = "N",
     .fallback = "1",
     .help = "cpus that the job asks for"},
    {.name = "gpus",
     .type = PARAM_NUMBER,
     .value = "N",
     .fallback = "0",
     .help = "GPUs that the job asks for"},
    {.name = "time",
     .letter = 't',
     .type = PARAM_TEXT,
     .value = "LIMIT",
     .help = "its time limit: 90m, 12h, 1-12:00:00; default any"},
    PARAM_FILTER("cluster", 'M', "on these clusters"),
    PARAM_FILTER("partition", 'r', "in these partitions or queues"),
};

const struct operation operation_soonest = {
    .name = "soonest",
    .summary = "show where a job would start soonest",
    .description =
        "Shows, by partition, how long jobs like one waited in the last four weeks (jobs of "
        "all users with half to twice its cpus, GPUs and time limit), how many cpus and GPUs "
        "are free now, and how many jobs and cpus wait there. The shortest median wait comes "
        "first. Where fewer than ten such jobs started, no wait is given. Partitions in which "
        "such a job cannot start come last: it would be longer than they allow, or larger than "
        "their nodes or the number of nodes that a job may have, or they are closed.\n"
        "Waits are counted from when a job could have started: time spent on hold or until "
        "--begin is not included. The numbers are the same for all users.",
    .examples = "stint soonest --cpus 16 # a job of 16 cpus\n"
                "stint soonest --cpus 8 --gpus 1 --time 12h # with a GPU, for half a day",
    .rights = RIGHT_OWN,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_soonest,
};
