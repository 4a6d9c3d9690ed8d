/* SPDX-License-Identifier: MIT */

/*
 * stint queue: what waited and what ran at a moment.
 */

#include <inttypes.h>
#include <stdio.h>

#include "facts/inventory.h"
#include "report/queries/pull_age.h"
#include "report/queries/queue.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/jobs/job_filters.h"
#include "service/query/at_option.h"
#include "service/query/question_params.h"

/* What people see fits a terminal of 80 columns. */
#define ALL_FIELDS                                                                             \
    "state,cluster,id,user,account,partition,tasks,cpus,nodes,gpus,since,for,time_limit,"      \
    "reason"
#define DEFAULT_FIELDS                                                                         \
    "state,cluster,id,job,user,account,partition,tasks,cpus,nodes,gpus,since,for,time_limit,"  \
    "reason"
#define MACHINE_FIELDS "id,account,tasks,nodes,since" /* of these */
#define PEOPLE_FIELDS  "job"

#define SEE "see them all with: stint help queue"

static const struct named_filter filters[] = {
    JOB_FILTERS, {"name", RUN_name}, {"reservation", RUN_reservation}};

static int add_state(struct queue_question *question, struct str name, struct error *err)
{
    size_t state = 0;
    int failed = params_find("queue state", name, queue_state_at,
                             "use running, suspended or pending", &state, err);
    if (!failed) {
        question->states[state] = true;
    }
    return failed;
}

static int read_states(const struct request *request, struct queue_question *question,
                       struct error *err)
{
    struct str rest = request_text(request, "state");
    int failed = 0;
    for (size_t i = 0; !rest.ptr && i < QUEUE_STATE_COUNT; i++) {
        question->states[i] = true;
    }
    while (!failed && rest.ptr) {
        failed = add_state(question, str_trim(str_cut(&rest, ',')), err);
    }
    return failed;
}

static const struct params_names keys = {"dimension of the queue", queue_key_at, SEE,
                                         QUEUE_KEYS_MAX};

static int read_columns(const struct request *request, struct queue_question *question,
                        struct error *err)
{
    static const struct params_names names = {"field", queue_column_at, SEE, QUEUE_COLUMNS_MAX};
    const struct str list = request_text(request, "fields");
    return params_find_each(&names,
                            str_eq(list, STR("all")) ? STR(ALL_FIELDS)
                            : list.ptr               ? list
                                                     : STR(DEFAULT_FIELDS),
                            question->columns, &question->column_count, err);
}

static int read_question(const struct service *service, const struct request *request,
                         struct queue_question *question, struct error *err)
{
    const int64_t now = service->now();
    int failed;
    *question = (struct queue_question){.zone = service->zone};
    (void)((failed = at_option_read(service, request, now, &question->at, err)) ||
           (failed = params_filter_by(service, request, filters, COUNT_OF(filters),
                                      &question->filter, err)) ||
           (failed = read_states(request, question, err)) ||
           (failed = params_keys(request, &keys, question->keys, &question->key_count, err)) ||
           (failed = read_columns(request, question, err)) ||
           (failed = request_number(request, "limit", 0, &question->limit, err)));
    question->is_now = question->at < 0;
    question->at = question->is_now ? now : question->at;
    return failed;
}

/*
 * Of the present: when each cluster was asked. Where all of them were asked too long ago, what
 * is known is of then: a job that ran then is not said to have run until now.
 */
static int look_back(const struct service *service, struct facts *facts,
                     struct queue_question *question, struct table *looks, struct error *err)
{
    int64_t newest = 0;
    bool stale = true;
    int failed = question->is_now ? pull_age_ask(facts, STR("queue"), &question->filter,
                                                 question->zone, question->at, looks, err)
                                  : 0;
    for (size_t row = 0; !failed && row < looks->row_count; row++) {
        const int64_t seen = (int64_t)table_wide(looks, PULL_AGE_SEEN, row);
        newest = seen > newest ? seen : newest;
        stale = stale && question->at - seen > at_option_patience(service, looks, row);
    }
    if (!failed && stale && newest > 0) {
        question->at = newest;
    }
    return failed;
}

/* --- what is shown ------------------------------------------------------------------------ */

/* Below the runs a line for each state: how many, and what they have or want together. */
static void show_totals(const struct table *totals, struct answer *answer)
{
    static const char *const ids[] = {"state", "tasks", "cpus", "nodes", "gpus"};
    struct table *shown = &answer->shown;
    if (answer->table.row_count == 0) {
        return;
    }
    table_copy(&answer->table, shown);
    for (size_t row = 0; row < totals->row_count; row++) {
        const size_t to = table_row(shown);
        const size_t job = table_find(shown, "job");
        for (size_t c = 0; c < COUNT_OF(ids); c++) {
            const size_t to_column = table_find(shown, ids[c]);
            if (to_column < shown->column_count) {
                table_copy_cell(totals, c, row, shown, to_column, to);
            }
        }
        if (job < shown->column_count) {
            char text[32];
            const int64_t jobs = (int64_t)table_wide(totals, 1, row);
            (void)snprintf(text, sizeof(text), "%" PRId64 " job%s", jobs, jobs == 1 ? "" : "s");
            table_set_text(shown, job, to, str_of(text));
        }
    }
    shown->footer_count = totals->row_count;
}

static int note_queue(const struct service *service, struct facts *facts,
                      const struct queue_question *question, const struct table *looks,
                      struct answer *answer, struct error *err)
{
    int64_t stale = 0;
    int failed =
        answer->noteless ? 0 : queue_stale(facts, question, INVENTORY_AROUND_US, &stale, err);
    if (failed) {
        return failed;
    }
    if (question->is_now) {
        at_option_note_looks(service, looks, service->now(), "jobs", answer);
    } else {
        at_option_note(service, question->at, answer);
    }
    if (answer->table.row_count == 0) {
        answer_note(answer, NOTE_EMPTY,
                    "nothing that matches the filters was waiting or running then; waiting and "
                    "running jobs come from querying a scheduler (stint pull), logs contain "
                    "jobs only after their end");
        failed = at_option_note_unasked(service, facts, answer, err);
    }
    if (stale > 0) {
        answer_note(
            answer, NOTE_COVERAGE,
            "%" PRId64
            " of these may have ended: not seen in the hour before, or known only from a log",
            stale);
    }
    if (question->limit > 0 && (int64_t)answer->table.row_count == question->limit) {
        answer_note(answer, NOTE_MORE, "the first %" PRId64 " rows; the totals include all",
                    question->limit);
    }
    return failed;
}

/* Unless somebody chose what to see. People see the cluster where there are several. */
static void choose_columns(const struct request *request, const struct queue_question *question,
                           int64_t clusters, struct table *table)
{
    if (request_has(request, "fields") || question->key_count) {
        return;
    }
    question_audience(table, MACHINE_FIELDS, COLUMN_FOR_MACHINES);
    question_audience(table, PEOPLE_FIELDS, COLUMN_FOR_PEOPLE);
    question_audience(table, "cluster", clusters < 2 ? COLUMN_FOR_MACHINES : COLUMN_FOR_ALL);
}

/* Below the rows what all come to, which only people see. */
static int add_totals(struct facts *facts, const struct queue_question *question,
                      struct answer *answer, struct error *err)
{
    struct table totals = {0};
    int failed = queue_totals(facts, question, &totals, err);
    if (!failed && question->key_count) {
        question_footer(answer, &totals, question->key_count);
    } else if (!failed) {
        show_totals(&totals, answer);
    }
    table_release(&totals);
    return failed;
}

static int show_queue(const struct service *service, const struct request *request,
                      struct facts *facts, struct queue_question *question,
                      struct answer *answer, struct error *err)
{
    struct table looks = {0};
    int64_t clusters = 0;
    int failed = queue_clusters(facts, &clusters, err);
    if (failed) {
        return failed;
    }
    if (clusters > 1) {
        queue_by_cluster(question);
    }
    (void)((failed = look_back(service, facts, question, &looks, err)) ||
           (failed = queue_ask(facts, question, &answer->table, err)));
    if (!failed) {
        choose_columns(request, question, clusters, &answer->table);
    }
    (void)(failed || (!answer->bare && (failed = add_totals(facts, question, answer, err))) ||
           (failed = note_queue(service, facts, question, &looks, answer, err)));
    table_release(&looks);
    return failed;
}

static int run_queue(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct queue_question question;
    struct facts *facts = NULL;
    int failed = read_question(service, request, &question, err);
    if (failed || (failed = at_option_open(service, "what runs is", &facts, err)) != 0) {
        return failed;
    }
    failed = show_queue(service, request, facts, &question, answer, err);
    answer->narrowed = !queue_is_everyones(facts, &question);
    return failed;
}

static const struct param params[] = {
    AT_OPTION_AT,
    {.name = "by",
     .letter = 'b',
     .type = PARAM_TEXT,
     .value = "THING[,...]",
     .name_at = queue_key_at,
     .help = "count waiting and running jobs by user, group, account, project, partition, qos, "
             "cluster or state"},
    {.name = "state",
     .letter = 's',
     .type = PARAM_TEXT,
     .value = "STATE[,...]",
     .name_at = queue_state_at,
     .help = "only runs that were pending, running or suspended"},
    JOB_FILTER_PARAMS,
    PARAM_FILTER("name", 0, "with these names"),
    PARAM_FILTER("reservation", 0, "in these reservations"),
    PARAM_FIELDS(queue_column_at, NULL, "columns to show, or all"),
    PARAM_LIMIT(NULL, "show at most N rows"),
};

const struct operation operation_queue = {
    .name = "queue",
    .summary = "show waiting and running jobs, now or in the past",
    .description =
        "Shows every run that was waiting or running at a moment, now or in the past: since "
        "when, for how long, and what it holds or requests; the last rows are the totals. With "
        "--by it counts them. Waiting tasks of an array are one row but count individually; a "
        "run that waits for one of several partitions counts in each with --by partition, and "
        "once in the total. Counts by cluster, partition and state are of everybody's jobs and "
        "the same for all users, unless stint.conf says live = own in [serve]; everything else "
        "shows users their own jobs. Suspended runs count as running; suspension is known only "
        "for runs "
        "that have not ended.",
    .examples = "stint queue # everything\n"
                "stint queue -s pending -r gpu # what waits for the GPUs\n"
                "stint queue --by user # who waits, who runs\n"
                "stint queue --at 2025-03-01T12:00 --by partition # how it was then",
    .rights = RIGHT_OWN,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_queue,
};
