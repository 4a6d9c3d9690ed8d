/* SPDX-License-Identifier: MIT */

/*
 * stint samples: a row for each sample of a process.
 */

#include <inttypes.h>

#include "facts/samples.h"
#include "report/queries/sample_jobs.h"
#include "report/queries/sample_listing.h"
#include "report/queries/unattributed.h"
#include "service/core/operations.h"
#include "service/core/params.h"

/* What fits a terminal of 80 columns. */
#define DEFAULT_FIELDS "time,cluster,node,user,job,command,cpu_util,rss,gpu_util"

#define SEE "see them all with: stint help samples"

static const char *column_name_at(size_t index)
{
    const struct field *field = sample_column_at(index);
    return field ? field->id : NULL;
}

static int find_column(struct str id, const struct field **out, struct error *err)
{
    *out = sample_column_find(id);
    return *out ? 0 : params_unknown("field", id, column_name_at, SEE, err);
}

static int add_column(struct sample_listing *question, struct str id, struct error *err)
{
    const struct field *field = NULL;
    int failed = find_column(id, &field, err);
    if (!failed && question->column_count == SAMPLE_LISTING_COLUMNS_MAX) {
        failed = error_set(err, ERROR_USAGE, "more than %d fields", SAMPLE_LISTING_COLUMNS_MAX);
    }
    if (!failed) {
        question->columns[question->column_count++] = field;
    }
    return failed;
}

static int read_columns(const struct request *request, struct sample_listing *question,
                        struct error *err)
{
    const struct str list = request_text(request, "fields");
    int failed = 0;
    if (str_eq(list, STR("all"))) {
        for (size_t i = 0; sample_column_at(i); i++) {
            question->columns[question->column_count++] = sample_column_at(i);
        }
        return 0;
    }
    for (struct str rest = list; !failed && rest.ptr;) {
        failed = add_column(question, str_trim(str_cut(&rest, ',')), err);
    }
    return failed;
}

/* Samples of a job that is asked for by its number are wanted whenever they were taken. */
static bool any_time(const struct request *request)
{
    return request_has(request, "job") && !request_has(request, "from") &&
           !request_has(request, "to");
}

static int read_question(const struct service *service, const struct request *request,
                         struct sample_listing *question, struct error *err)
{
    const struct str sort = request_text(request, "sort");
    int failed;
    *question = (struct sample_listing){
        .zone = service->zone,
        .now = service->now(),
        .ascending = !request_flag(request, "reverse"),
    };
    (void)((failed = read_columns(request, question, err)) ||
           (failed = params_filter_samples(service, request, &question->filter, err)) ||
           (failed = request_number(request, "limit", 0, &question->limit, err)) ||
           (sort.ptr && (failed = find_column(sort, &question->sort, err))) ||
           (!any_time(request) &&
            (failed = params_period(service, request, &question->period, err))));
    return failed;
}

/* Why an answer may be empty: how far samples reach at all. */
static int note_empty(const struct service *service, struct facts *facts, struct answer *answer,
                      struct error *err)
{
    enum { FIRST = 4, LAST };

    struct table known = {0};
    int failed = samples_overview(facts, &known, err);
    int64_t first = INT64_MAX, last = 0;
    for (size_t row = 0; !failed && row < known.row_count; row++) {
        const int64_t from = known.columns[FIRST].cells[row].integer;
        const int64_t to = known.columns[LAST].cells[row].integer;
        first = from < first ? from : first;
        last = to > last ? to : last;
    }
    if (!failed && known.row_count == 0) {
        answer_note(answer, NOTE_EMPTY,
                    "the store has no samples yet; to import some: stint import sonar FILE");
    } else if (!failed) {
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        answer_note(answer, NOTE_EMPTY,
                    "no sample in this period matches the filters; the store has samples from "
                    "%s to %s: set the period with --from and --to",
                    params_print(service->zone, first, from),
                    params_print(service->zone, last, to));
    }
    table_release(&known);
    return failed;
}

/*
 * A row for each node with jobs that were not seen, or not to their end; below the jobs, and
 * beyond the limit.
 */
static int add_unattributed(struct facts *facts, const struct sample_listing *question,
                            struct answer *answer, struct error *err)
{
    struct table found = {0}, *out = &answer->table;
    double not_seen = 0, of_all = 0;
    int failed = unattributed_ask(facts, question, &found, err);
    for (size_t row = 0; !failed && row < found.row_count; row++) {
        const int64_t cpu = found.columns[UNATTRIBUTED_CPU].cells[row].integer;
        not_seen += (double)cpu;
        of_all += table_real(&found, UNATTRIBUTED_JOBS, row);
        if (cpu <= 0) {
            continue;
        }
        const size_t to = table_row(out);
        table_copy_cell(&found, UNATTRIBUTED_CLUSTER, row, out, SAMPLE_JOBS_CLUSTER, to);
        table_copy_cell(&found, UNATTRIBUTED_NODE, row, out, SAMPLE_JOBS_NODES, to);
        table_copy_cell(&found, UNATTRIBUTED_FIRST, row, out, SAMPLE_JOBS_FIRST, to);
        table_copy_cell(&found, UNATTRIBUTED_LAST, row, out, SAMPLE_JOBS_LAST, to);
        table_set_text(out, SAMPLE_JOBS_STATE, to, STR("not attributed"));
        table_set_int(out, SAMPLE_JOBS_CPU_TIME, to, cpu);
    }
    if (!failed && not_seen > 0) {
        answer_note(answer, NOTE_READING,
                    "short jobs: %.1f s of cpu time, %.1f%% of what jobs used on nodes with an "
                    "agent, are not attributed to a job: they were used by jobs that began and "
                    "ended between two samples, or after the last sample of a job",
                    not_seen / 1e6, 100 * not_seen / of_all);
    }
    table_release(&found);
    return failed;
}

/* Jobs in place of samples. */
static int list_jobs(struct facts *facts, const struct sample_listing *question,
                     struct answer *answer, struct error *err)
{
    for (size_t i = 0; i < question->filter.count; i++) {
        if (sample_column_is_derived(question->filter.conditions[i].field)) {
            return error_set(err, ERROR_USAGE,
                             "--%s selects samples, not jobs: leave out --jobs",
                             question->filter.conditions[i].field->id);
        }
    }
    int failed = sample_jobs_ask(facts, question, &answer->table, err);
    if (!failed && unattributed_fits(question)) {
        failed = add_unattributed(facts, question, answer, err);
    }
    answer->row_count = answer->table.row_count;
    return failed;
}

static int list_samples(struct facts *facts, const struct sample_listing *question,
                        struct answer *answer, struct error *err)
{
    return sample_listing_each(facts, question, &(struct table_sink){answer, answer_take}, err);
}

static int run_samples(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct sample_listing question;
    struct facts *facts = NULL;
    int failed = read_question(service, request, &question, err);
    if (failed || (failed = session_facts(service->session, FACTS_READ, &facts, err)) != 0) {
        return failed;
    }
    failed = (request_flag(request, "jobs") ? list_jobs : list_samples)(facts, &question,
                                                                        answer, err);
    if (!failed && !any_time(request)) {
        params_note_time(service, question.period, question.now, answer);
    }
    if (!failed && answer->row_count == 0) {
        failed = note_empty(service, facts, answer, err);
    }
    if (!failed && question.limit > 0 && (int64_t)answer->row_count >= question.limit) {
        answer_note(
            answer, NOTE_MORE,
            "the first %" PRId64
            " rows; there may be more: raise --limit, or reverse the order with --reverse",
            question.limit);
    }
    return failed;
}

static const struct param params[] = {
    PARAM_FIELDS(column_name_at, DEFAULT_FIELDS, "columns to show: any fields below, or all"),
    {.name = "jobs",
     .type = PARAM_FLAG,
     .help = "a row for each job or process group in place of each sample"},
    PARAM_SORT("FIELD", column_name_at, "sort rows by this field; default time"),
    PARAM_REVERSE,
    PARAM_LIMIT(NULL, "show at most N rows"),
};

const struct operation operation_samples = {
    .name = "samples",
    .summary = "list process samples, one per row",
    .description =
        "Lists the process samples taken in the period by sonar or another sampler, with any "
        "fields, filters and order. With -j and no period, samples of all times are listed.\n"
        "cpu_util is computed from two consecutive samples of a process: the cpu time used "
        "between them. If the counter went backwards, it is absent, never negative.\n"
        "With --jobs there is a row for each job, newest first: its nodes, programs, first and "
        "last sample, cpu time and peak memory. It is running if a node has no later sample. "
        "Cpu time that the control group of all jobs counted and no job was seen to use is a "
        "row 'not attributed' for each node.",
    .examples =
        "stint samples -j 4711 # how one job went\n"
        "stint samples -w 'gpu-*' --from today --sort rss --reverse -n 20 # who holds the "
        "memory\n"
        "stint samples --cpu_util '<5%' --gpu_util '<5%' --from 1h # idle processes\n"
        "stint samples --jobs -w ml8 --from today # what ran on a host without a scheduler\n"
        "stint samples -u alice --from 2025-03 --fields all --format jsonl # all there is",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_SAMPLES,
    .from_help = PARAM_FROM_HELP "30 days ago; with -j, any time",
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_samples,
};
