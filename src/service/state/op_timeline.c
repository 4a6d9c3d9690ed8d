/* SPDX-License-Identifier: MIT */

/*
 * stint timeline: what nodes, cards and jobs did over time, by samples.
 */

#include "base/attribute.h"
#include "record/sample.h"
#include "report/queries/timeline.h"
#include "service/core/operations.h"
#include "service/core/params.h"

enum { POINTS_USUAL = 96, POINTS_MAX = 1000 };

/* Parameters that pick samples, and the field that each is of. */
static const struct {
    const char *name;
    enum sample_field field;
} picks[] = {
    {"cluster", SAMPLE_cluster}, {"node", SAMPLE_node}, {"user", SAMPLE_user},
    {"job", SAMPLE_job},         {"task", SAMPLE_task},
};

static int read_filter(const struct request *request, struct timeline *question,
                       struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < COUNT_OF(picks); i++) {
        struct str list;
        for (size_t n = 0; !failed && request_each(request, picks[i].name, n, &list); n++) {
            failed = filter_add(&question->filter, &sample_fields[picks[i].field], list, err);
        }
    }
    return failed ? failed
                  : filter_check(&question->filter, question->zone, question->now, err);
}

static int read_question(const struct service *service, const struct request *request,
                         struct timeline *question, struct error *err)
{
    int64_t points = 0;
    int failed;
    *question = (struct timeline){
        .of = request_text(request, "of"),
        .by = request_text(request, "by"),
        .zone = service->zone,
        .now = service->now(),
    };
    (void)((failed = read_filter(request, question, err)) ||
           (failed = request_number(request, "points", POINTS_USUAL, &points, err)) ||
           (failed = params_period(service, request, &question->period, err)));
    if (!failed && (points < 1 || points > POINTS_MAX)) {
        failed = error_set(err, ERROR_USAGE, "--points is a number from 1 to %d", POINTS_MAX);
    }
    question->points = (size_t)points;
    return failed;
}

static int run_timeline(struct service *service, const struct request *request,
                        struct answer *answer, struct error *err)
{
    struct timeline question;
    struct facts *facts = NULL;
    int failed;
    (void)((failed = read_question(service, request, &question, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = timeline_ask(facts, &question, &answer->table, err)));
    if (failed) {
        return failed;
    }
    answer->period = question.period;
    answer->narrowed = true;
    params_note_time(service, question.period, question.now, answer);
    if (answer->table.row_count == 0) {
        answer_note(answer, NOTE_EMPTY,
                    "no sample of this kind that you may see was taken in the period; they "
                    "come from stint-agent, or from sonar: stint help import");
    }
    return 0;
}

static const struct param params[] = {
    {.name = "of",
     .type = PARAM_CHOICE,
     .value = "WHAT",
     .name_at = timeline_measure_at,
     .fallback = "cpu",
     .help = "what to show: share of the nodes' cpus or memory in use, share of time that GPUs "
             "were busy, GPU memory, cpus and memory used by jobs, what jobs read from and "
             "wrote to disks, or what went over the network of nodes"},
    {.name = "by",
     .letter = 'b',
     .type = PARAM_CHOICE,
     .value = "WHAT",
     .name_at = timeline_name_at,
     .fallback = "node",
     .help = "one row per interval for each of these; all: everything together"},
    {.name = "points",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "maximum number of intervals; default 96"},
    {.name = "cluster",
     .letter = 'M',
     .type = PARAM_TEXT,
     .value = "PATTERN",
     .repeated = true,
     .help = "samples taken on these clusters"},
    {.name = "node",
     .letter = 'w',
     .type = PARAM_TEXT,
     .value = "PATTERN",
     .repeated = true,
     .help = "samples taken on these nodes"},
    {.name = "user",
     .letter = 'u',
     .type = PARAM_TEXT,
     .value = "PATTERN",
     .repeated = true,
     .help = "samples of these users"},
    {.name = "job",
     .letter = 'j',
     .type = PARAM_TEXT,
     .value = "NUMBER",
     .repeated = true,
     .help = "samples of the jobs with these numbers"},
    {.name = "task",
     .type = PARAM_TEXT,
     .value = "NUMBER",
     .repeated = true,
     .help = "samples of these array tasks"},
};

const struct operation operation_timeline = {
    .name = "timeline",
    .summary = "show what nodes, GPUs and jobs did over time, by samples",
    .description =
        "Shows the use of nodes, GPUs and jobs in intervals of equal length, from the samples "
        "of stint-agent or sonar. Use of nodes and GPUs is the mean over the interval and over "
        "the nodes or GPUs of a row; cpus and memory of jobs are summed. For a job its control "
        "group is used if it was sampled, otherwise its sampled processes. An interval without "
        "samples has no row: its use is unknown.",
    .examples =
        "stint timeline --from 7d --plot --chart heat # nodes by time\n"
        "stint timeline --of gpu --by card -w gpu01 --from 1d --plot # the GPUs of a node\n"
        "stint timeline --of job_cpus --by user -w n17 --from 2d # who used the node\n"
        "stint timeline --of job_memory -j 4711 -M birch --from 2025-03-01 # of a job, by node",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_timeline,
};
