/* SPDX-License-Identifier: MIT */

/*
 * stint waits: what jobs waited for, and how good the scheduler's expectations were.
 */

#include "report/queries/queue.h"
#include "report/queries/wait_causes.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/jobs/job_filters.h"
#include "service/query/question_params.h"

static const struct named_filter filters[] = {JOB_FILTERS};

static int read_question(const struct service *service, const struct request *request,
                         struct wait_causes_question *question, struct error *err)
{
    static const struct params_names keys = {"dimension of waits", wait_causes_key_at,
                                             "see them all with: stint help waits",
                                             WAIT_CAUSES_KEYS_MAX};
    *question = (struct wait_causes_question){.now = service->now(), .zone = service->zone};
    int failed = params_period(service, request, &question->period, err);
    if (!failed) {
        failed = params_filter_by(service, request, filters, COUNT_OF(filters),
                                  &question->filter, err);
    }
    if (!failed) {
        failed = params_keys(request, &keys, question->keys, &question->key_count, err);
    }
    if (!failed && question->key_count == 0) {
        const bool estimates = request_flag(request, "estimates");
        question->keys[question->key_count++] = estimates ? "partition" : "reason";
    }
    return failed;
}

/* The three answers: how each is asked, and how it is to be read. */
static const struct form {
    const char *flag; /* NULL: without any */
    int (*ask)(struct facts *facts, const struct wait_causes_question *question,
               struct table *out, struct error *err);
    const char *reading;
} forms[] = {
    {"estimates", wait_causes_estimates,
     "of jobs that started: late is their start less the first start that the scheduler "
     "expected, ahead is how long before that it said so"},
    {"periods", wait_causes_periods, "each as it was seen, from the first listing to the last"},
    {NULL, wait_causes_ask,
     "reasons as the scheduler gives them, seen at intervals; a job may have several"},
};

static const struct form *form_of(const struct request *request)
{
    size_t i = 0;
    while (forms[i].flag && !request_flag(request, forms[i].flag)) {
        i++;
    }
    return &forms[i];
}

static int see_clusters(struct facts *facts, struct wait_causes_question *question,
                        struct error *err)
{
    int64_t clusters = 0;
    int failed = queue_clusters(facts, &clusters, err);
    if (!failed && clusters > 1) {
        wait_causes_by_cluster(question);
    }
    return failed;
}

static int run_waits(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    const struct form *form = form_of(request);
    struct wait_causes_question question;
    struct facts *facts = NULL;
    int failed = read_question(service, request, &question, err);
    if (!failed) {
        failed = session_facts(service->session, FACTS_READ, &facts, err);
    }
    if (!failed) {
        failed = see_clusters(facts, &question, err);
    }
    if (!failed) {
        failed = form->ask(facts, &question, &answer->table, err);
    }
    if (failed) {
        return failed;
    }
    answer->narrowed = form->flag || !wait_causes_is_everyones(facts, &question);
    params_note_time(service, question.period, question.now, answer);
    if (answer->table.row_count == 0) {
        answer_note(answer, NOTE_EMPTY,
                    "no waiting jobs were seen in this period: what jobs wait for is recorded "
                    "while they wait, by stint pull or stint serve, or from imported listings "
                    "of the queue");
    } else {
        answer_note(answer, NOTE_READING, "%s", form->reading);
    }
    return 0;
}

static const struct param params[] = {
    {.name = "by",
     .letter = 'b',
     .type = PARAM_TEXT,
     .value = "THING[,...]",
     .name_at = wait_causes_key_at,
     .help = "add up by reason (default), cluster, partition, qos, user, group or account"},
    {.name = "estimates",
     .type = PARAM_FLAG,
     .help = "compare the scheduler's expected starts with what happened, by partition"},
    {.name = "periods",
     .type = PARAM_FLAG,
     .help = "list each period in which a job had one reason, with priorities and expected "
             "starts; --by is not used"},
    JOB_FILTER_PARAMS,
};

const struct operation operation_waits = {
    .name = "waits",
    .summary = "show what jobs waited for, by cause",
    .description =
        "Shows what jobs waited for in a period, by the reasons that the scheduler gave while "
        "they waited: how many jobs, how long they waited for it together, the share of that "
        "in all waiting, and the longest time that one job waited for one reason. Tasks of an "
        "array count individually.\n"
        "With --estimates it compares the start that the scheduler first expected of a job "
        "with its true start.\n"
        "Reasons, priorities and expected starts are recorded by stint pull and stint serve "
        "while jobs wait, and from imported listings of the queue (squeue -a --json); no log "
        "contains them. They are kept as intervals: one ends when the "
        "reason changes, or when the expected start moves by more than a quarter of an hour. "
        "--periods lists them, to keep or to analyse elsewhere. Sums by reason, cluster and "
        "partition are of everybody's jobs and the same for all users, unless stint.conf says "
        "live = own in [serve]; everything else shows users their own jobs.",
    .examples = "stint waits --from 7d # what is the bottleneck?\n"
                "stint waits --by partition,reason --from last-month # where, and why\n"
                "stint waits --estimates --from 30d # can expected starts be relied on?\n"
                "stint waits --periods --from 2025 --format parquet --output waits.parquet # a "
                "copy",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_waits,
};
