/* SPDX-License-Identifier: MIT */

/*
 * stint usage: what was used in a period, exactly. stint summary: the same as means over the
 * days, and as resource-days of each person.
 */

#include <stdlib.h>

#include "report/queries/wait_by_bucket.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"
#include "service/usage/target_columns.h"

#define USAGE_MEASURES "cpu_hours,gpu_hours,node_hours,mem_gib_hours,wall_hours,jobs,users"

/* The rows, and all together in `whole`, which stays empty where the rows are that already. */
static int ask_usage(const struct service *service, const struct request *request,
                     struct facts *facts, const struct question *question, struct table *rows,
                     struct table *whole, struct answer *about, struct error *err)
{
    struct question all = *question;
    question_drop_dimensions(&all);
    const struct targets_part parts[] = {{question, rows, NULL}, {&all, whole, &parts[0]}};
    return targets_ask(service, facts, parts, question->dimension_count > 0 ? 2 : 1,
                       request_flag(request, "targets"), about, err);
}

static int run_usage(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct question question = {0};
    struct facts *facts = NULL;
    struct answer about = {0};
    struct table whole = {0};
    const bool total = request_flag(request, "total");
    int failed;
    (void)((failed = question_measures(&question, STR(USAGE_MEASURES), err)) ||
           (!total &&
            (failed = question_dimensions(&question, request_text(request, "by"), err))) ||
           (failed = question_from_request(service, request, &question, err)) ||
           (failed = question_open(service, &question, &facts, err)) ||
           (failed = ask_usage(service, request, facts, &question, &answer->table, &whole,
                               &about, err)) ||
           (failed = params_note_period(service, facts, question.period, question.now,
                                        &question.filter, answer, err)) ||
           (failed = question_note_coverage(service, facts, &question, answer, err)));
    if (!failed) {
        question_footer(answer, &whole, question.dimension_count);
        note_append(&answer->notes, &about.notes);
        question_note_nodes(&question, answer);
    }
    table_release(&whole);
    answer_release(&about);
    return failed;
}

static const struct param usage_params[] = {
    QUESTION_BY("cluster"),
    {.name = "total",
     .type = PARAM_FLAG,
     .help = "show only the total, also in machine formats"},
    TARGETS_PARAM,
};

const struct operation operation_usage = {
    .name = "usage",
    .summary = "show the resources allocated in a period",
    .description =
        "Shows the resource-hours of a period, by cluster or the dimensions of --by, and in "
        "total. Only the part of each run within the period counts; runs that are still "
        "running count up to when they were last seen. The total is computed separately: a "
        "user of two clusters is counted once. If a target is defined for a row or for the "
        "total, the share of it is shown next to the measure.\n"
        "Machine formats have the rows without the total, so that columns can be summed; "
        "--total gives only the total.",
    .examples = "stint usage --from 2025 # a year, by cluster\n"
                "stint usage --by project --from last-month # for the accountant\n"
                "stint usage --total --from 2025-Q1 --format csv # one row",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = usage_params,
    .param_count = COUNT_OF(usage_params),
    .run = run_usage,
};

/* What is held over time, and what its mean and its sum in days are called. */
static const struct holding {
    const char *measure;
    const char *mean_id, *mean_label;
    const char *days_id, *days_label;
    bool bytes; /* the mean is a size, the sum in GiB-days */
} holdings[] = {
    {"cpu_hours", "cpus", "CPUs", "cpu_days", "CPU days", false},
    {"gpu_hours", "gpus", "GPUs", "gpu_days", "GPU days", false},
    {"mem_gib_hours", "mem", "Memory", "mem_gib_days", "Mem GiB days", true},
    {"disk_gib_hours", "disk", "Disk", "disk_gib_days", "Disk GiB days", true},
    {"wall_hours", "running", "Running", "run_days", "Run days", false},
};

static int ask_holdings(const struct service *service, struct facts *facts,
                        struct question *question, struct table *table, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < COUNT_OF(holdings); i++) {
        failed = question_measures(question, str_of(holdings[i].measure), err);
    }
    return failed ? failed : query_context_ask(service, facts, question, table, err);
}

/* The column of their sums that every run has. */
enum { RUN_TIME = COUNT_OF(holdings) };

/* The time of a bucket that lies in the period and has passed. */
static int64_t passed(const struct question *question, int64_t lower, int64_t upper)
{
    int64_t from = lower > question->period.from ? lower : question->period.from;
    int64_t to = upper < question->period.to ? upper : question->period.to;
    to = question->now < to ? question->now : to;
    return to > from ? to - from : 0;
}

static void set_mean(struct table *table, size_t column, size_t row, const struct table *from,
                     size_t from_column, int64_t time)
{
    if (!table_has(from, from_column, row) || time <= 0) {
        return;
    }
    if (table->columns[column].type == CELL_REAL) {
        table_set_real(table, column, row, table_real(from, from_column, row) / (double)time);
    } else {
        table_set_wide(table, column, row, table_wide(from, from_column, row) / time);
    }
}

/*
 * A row for each bucket: means over its time of what runs held, and of how many ran and waited.
 */
static void shape_series(const struct question *question, const int64_t *edges, size_t count,
                         const struct table *sums, const int64_t *waiting, struct table *out)
{
    table_column_like(out, &sums->columns[0]);
    for (size_t i = 0; i < COUNT_OF(holdings); i++) {
        const struct holding *h = &holdings[i];
        table_column(out, h->mean_id, h->mean_label, h->bytes ? CELL_WIDE : CELL_REAL,
                     h->bytes ? UNIT_BYTES : UNIT_COUNT, COLUMN_MEASURE);
    }
    const size_t waits =
        table_column(out, "waiting", "Waiting", CELL_REAL, UNIT_COUNT, COLUMN_MEASURE);
    const size_t mark = 1 + COUNT_OF(holdings);
    if (mark < sums->column_count) {
        table_column_like(out, &sums->columns[mark]);
    }
    for (size_t row = 0; row < count && row < sums->row_count; row++) {
        const int64_t time = passed(question, edges[row], edges[row + 1]);
        table_row(out);
        table_copy_cell(sums, 0, row, out, 0, row);
        for (size_t i = 0; i < COUNT_OF(holdings); i++) {
            set_mean(out, i + 1, row, sums, i + 1, time);
        }
        if (time > 0 && table_has(sums, RUN_TIME, row)) { /* absent where there are no data */
            table_set_real(out, waits, row, (double)waiting[row] / (double)time);
        }
        if (mark < sums->column_count) {
            table_copy_cell(sums, mark, row, out, waits + 1, row);
        }
    }
}

static int ask_series(const struct service *service, struct facts *facts,
                      struct question *question, struct table *out, struct error *err)
{
    struct table sums = {0};
    struct query_context with = {0};
    int64_t *edges = NULL, *waiting = NULL;
    size_t count = 0;
    int failed;
    (void)((failed = ask_holdings(service, facts, question, &sums, err)) ||
           (failed = calendar_edges(question->period, question->bucket, question->zone, &edges,
                                    &count, err)) ||
           (failed = query_context_read(service, facts, question, &with, err)) ||
           (failed = wait_by_bucket_ask(facts, question, edges, count, &waiting, err)));
    if (!failed) {
        shape_series(question, edges, count, &sums, waiting, out);
    }
    query_context_release(&with);
    free(edges);
    free(waiting);
    table_release(&sums);
    return failed;
}

/* Sums of resource x time as days of it. */
static void shape_days(const struct question *question, const struct table *sums,
                       struct table *out)
{
    const size_t first = question->dimension_count;
    for (size_t c = 0; c < first; c++) {
        table_column_like(out, &sums->columns[c]);
    }
    for (size_t i = 0; i < COUNT_OF(holdings); i++) {
        table_column(out, holdings[i].days_id, holdings[i].days_label, CELL_REAL, UNIT_COUNT,
                     COLUMN_MEASURE);
    }
    for (size_t row = 0; row < sums->row_count; row++) {
        table_row(out);
        for (size_t c = 0; c < first; c++) {
            table_copy_cell(sums, c, row, out, c, row);
        }
        for (size_t i = 0; i < COUNT_OF(holdings); i++) {
            const double unit = (double)DAY_US * (holdings[i].bytes ? 1 << 30 : 1);
            if (table_has(sums, first + i, row)) {
                table_set_real(out, first + i, row, table_real(sums, first + i, row) / unit);
            }
        }
    }
}

/* Resource-days by dimension; for people with a line for all together. */
static int ask_days(const struct service *service, struct facts *facts,
                    struct question *question, struct answer *answer, struct error *err)
{
    struct answer sums = {0};
    int failed;
    question->bucket = BUCKET_NONE;
    (void)((failed = ask_holdings(service, facts, question, &sums.table, err)) ||
           (failed = question_total(service, facts, question, &sums, err)));
    if (!failed) {
        shape_days(question, &sums.table, &answer->table);
    }
    if (!failed && sums.shown.row_count > 0) {
        shape_days(question, &sums.shown, &answer->shown);
        answer->shown.footer_count = sums.shown.footer_count;
    }
    answer_release(&sums);
    return failed;
}

static int run_summary(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct question question = {0};
    struct facts *facts = NULL;
    const struct str by = request_text(request, "by");
    if (by.ptr && request_has(request, "every")) {
        return error_set(err, ERROR_USAGE,
                         "--by shows resource-days of the whole period: leave out --every");
    }
    int failed;
    (void)((by.ptr && (failed = question_dimensions(&question, by, err))) ||
           (failed = question_from_request(service, request, &question, err)) ||
           (failed = bucket_parse(request_text(request, "every"), &question.bucket, err)) ||
           (failed = question_open(service, &question, &facts, err)) ||
           (failed = by.ptr ? ask_days(service, facts, &question, answer, err)
                            : ask_series(service, facts, &question, &answer->table, err)) ||
           (failed = params_note_period(service, facts, question.period, question.now,
                                        &question.filter, answer, err)) ||
           (failed = question_note_coverage(service, facts, &question, answer, err)) ||
           (failed = question_note_partial(service, facts, &question, answer, err)));
    return failed;
}

static const struct param summary_params[] = {
    {
        .name = "by",
        .letter = 'b',
        .type = PARAM_TEXT,
        .value = "DIMENSION[,...]",
        .name_at = question_dimension_at,
        .help = "resource-days of the whole period, one row for each user, project, ...",
    },
    {
        .name = "every",
        .letter = 'e',
        .type = PARAM_CHOICE,
        .value = "BUCKET",
        .choices = "hour day week month quarter year",
        .fallback = "day",
        .help = "interval to average over",
    },
};

const struct operation operation_summary = {
    .name = "summary",
    .summary = "show daily means, or resource-days by user",
    .description = "Without --by, shows one row per day: the mean number of allocated cpus and "
                   "GPUs, of memory and disk, and of running and waiting runs, averaged over "
                   "the whole day, including quiet hours. A run waits from its submission to "
                   "its start and is running after that.\n"
                   "With --by, shows the resource-days of the period: a cpu-day is one cpu "
                   "allocated for 24 hours. They equal the hours of stint usage divided by 24.",
    .examples = "stint summary --from last-month # a row a day\n"
                "stint summary --by user --from 2025-Q1 # resource-days of each person\n"
                "stint summary --every week -M alder --from 2025 --format csv # for a plot",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = summary_params,
    .param_count = COUNT_OF(summary_params),
    .run = run_summary,
};
