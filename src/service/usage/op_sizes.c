/* SPDX-License-Identifier: MIT */

/*
 * stint sizes: how large jobs are, how long, how long they wait.
 */

#include "report/queries/histogram.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/missing_data_notes.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"

static const char *histogram_at(size_t index)
{
    return index < histogram_count ? histograms[index].id : NULL;
}

/*
 * For people: without the bins at both ends in which nothing lies. What is unknown stays, at
 * the end.
 */
static void show_sizes(const struct table *table, struct table *out)
{
    const bool unknown = table->row_count > 0 && !table_has(table, 0, table->row_count - 1);
    size_t first = 0, last = table->row_count - unknown;
    while (first < last && table_wide(table, 1, first) == 0) {
        first++;
    }
    while (last > first && table_wide(table, 1, last - 1) == 0) {
        last--;
    }
    for (size_t c = 0; c < table->column_count; c++) {
        table_column_like(out, &table->columns[c]);
    }
    for (size_t row = first; row < last + unknown; row++) {
        const size_t from = row < last ? row : table->row_count - 1;
        const size_t to = table_row(out);
        for (size_t c = 0; c < table->column_count; c++) {
            table_copy_cell(table, c, from, out, c, to);
        }
    }
}

static void note_omitted(const struct histogram_omitted *omitted, struct answer *answer)
{
    missing_data_note_jobs(
        answer, "job_wall_hours, job_cpu_hours", "end",
        (struct missing_data_jobs){omitted->without_end, omitted->jobs, 0, 0});
    missing_data_note_jobs(answer, "job_cpu_hours", "cpus",
                           (struct missing_data_jobs){omitted->without_cpus, omitted->jobs,
                                                      omitted->wall_without_cpus,
                                                      omitted->wall});
}

static int run_sizes(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct question question = {0};
    struct query_context with = {0};
    struct histogram_omitted omitted = {0};
    struct facts *facts = NULL;
    const struct str of = request_text(request, "of");
    const struct histogram *histogram = histogram_find(of);
    if (!histogram) {
        return params_unknown("size", of, histogram_at, "see: stint help sizes", err);
    }
    int failed;
    (void)((failed = question_from_request(service, request, &question, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = query_context_read(service, facts, &question, &with, err)) ||
           (failed =
                histogram_ask(facts, &question, histogram, &answer->table, &omitted, err)) ||
           (failed = params_note_period(service, facts, question.period, question.now,
                                        &question.filter, answer, err)));
    if (!failed && answer->table.row_count > 0) {
        show_sizes(&answer->table, &answer->shown);
        answer_note(answer, NOTE_READING,
                    "jobs that %s in the period, with the hours of their whole run time; ---: "
                    "not recorded",
                    histogram->at_start ? "started" : "ended");
        note_omitted(&omitted, answer);
    }
    query_context_release(&with);
    return failed;
}

static const struct param params[] = {
    {
        .name = "of",
        .type = PARAM_TEXT,
        .value = "WHAT",
        .name_at = histogram_at,
        .fallback = "shape",
        .help = "shape (serial, on one node, on several), cpus, nodes, wall (run time), wait, "
                "or mem (peak memory)",
    },
};

const struct operation operation_sizes = {
    .name = "sizes",
    .summary = "count jobs by size, run time or wait time",
    .description = "Counts the jobs that ended in the period (for wait: that started in it) by "
                   "size, with the wall and cpu hours of their whole run time, including time "
                   "outside the period and without suspension, and their shares. Bins are "
                   "half-open: [1h, 4h) "
                   "includes a job of exactly one hour and excludes one of exactly four.\n"
                   "A parallel job whose number of nodes is not recorded has a row of its own "
                   "and is not counted as a job on one node.",
    .examples = "stint sizes --from 2025 # serial and parallel jobs\n"
                "stint sizes --of cpus -M alder --from 2025 # by slots\n"
                "stint sizes --of wait -r gpu.q --from last-month # how long people wait",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_sizes,
};
