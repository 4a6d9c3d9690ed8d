/* SPDX-License-Identifier: MIT */

/*
 * What Prometheus is to know. A family of metrics is a row: a question that another operation
 * answers, and which of its columns is the value; what the rows are about becomes labels.
 * Everything comes from the store; no scheduler is asked.
 */

#include <stdlib.h>
#include <string.h>

#include "base/attribute.h"
#include "base/mem.h"
#include "base/url.h"
#include "books/target.h"
#include "facts/pull_state.h"
#include "record/inventory_item.h"
#include "report/queries/current_use.h"
#include "report/queries/pull_age.h"
#include "service/bank/bank_metrics.h"
#include "service/books/kind_actions.h"
#include "service/core/operations.h"
#include "service/query/at_option.h"
#include "service/usage/report_rows.h"
#include "view/metrics/openmetrics.h"

enum {
    SERIES_MAX = 20000,     /* samples of one family; what is more is counted, not written */
    BYTES_MAX = 32 << 20,   /* of all; likewise */
    BYTES_FIRST = 64 << 10, /* what most sites need, at once */
    BYTES_SPARE = 1 << 20,  /* for a sample of the longest names, and what is counted */
    METRICS_VALUES_MAX = 16,
};

/* What to make of a row of an answer. */
enum shape {
    SHAPE_VALUE, /* a sample: the column `value` */
    SHAPE_SPLIT, /* of nodes: what is in use, and the rest under the state of the node; label state */
    SHAPE_ENDS, /* of jobs: those of each class, and the rest; label class */
};

struct family {
    struct openmetrics_family head;
    const struct operation *operation;
    int (*rows)(struct service *service, const struct request *request, struct answer *answer,
                struct error *err); /* of the operation, without what people read; NULL: all */
    const char *query;
    const char *value;
    enum shape shape;
    const char *used; /* of SHAPE_SPLIT: the part of `value` that is in use */
};

/* Jobs that ended and, as sums that are kept by day, those of each class. */
#define ENDED                                                                                  \
    "jobs,jobs_completed,jobs_failed,jobs_cancelled,jobs_timeout,jobs_oom,jobs_node_fail,"     \
    "jobs_requeued"

/*
 * What samples of the last minutes say; by cluster, so that there are few however large it is.
 */
static int use_rows(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    (void)request;
    int failed = session_facts(service->session, FACTS_READ, &facts, err);
    return failed ? failed : use_now(facts, service->now(), &answer->table, err);
}

static const struct family families[] = {
    {{"stint_nodes", METRIC_GAUGE, NULL, "Nodes by class of their state."},
     .operation = &operation_nodes,
     .query = "by=cluster,class",
     .value = "nodes"},
    {{"stint_cpus", METRIC_GAUGE, NULL,
      "CPUs of nodes: allocated to jobs, idle, or under the class of a node that takes no "
      "jobs. "
      "They add up to all there are."},
     .operation = &operation_nodes,
     .query = "by=cluster,class",
     .value = "cpus",
     .shape = SHAPE_SPLIT,
     .used = "cpus_used"},
    {{"stint_gpus", METRIC_GAUGE, NULL, "GPUs of nodes by model, as stint_cpus."},
     .operation = &operation_nodes,
     .query = "by=cluster,gpu_type,class",
     .value = "gpus",
     .shape = SHAPE_SPLIT,
     .used = "gpus_used"},
    {{"stint_memory_bytes", METRIC_GAUGE, "bytes", "Memory of nodes by class of their state."},
     .operation = &operation_nodes,
     .query = "by=cluster,class",
     .value = "mem"},
    {{"stint_partition_nodes", METRIC_GAUGE, NULL,
      "Nodes of a partition by class of their state; a node may be in several partitions."},
     .operation = &operation_nodes,
     .query = "by=cluster,partition,class",
     .value = "nodes"},
    {{"stint_partition_cpus", METRIC_GAUGE, NULL,
      "CPUs of the nodes of a partition, as stint_cpus."},
     .operation = &operation_nodes,
     .query = "by=cluster,partition,class",
     .value = "cpus",
     .shape = SHAPE_SPLIT,
     .used = "cpus_used"},
    {{"stint_reservation_nodes", METRIC_GAUGE, NULL,
      "Nodes that a reservation holds now, by class of their state; without the label: those "
      "that none holds."},
     .operation = &operation_nodes,
     .query = "by=cluster,reservation,class",
     .value = "nodes"},
    {{"stint_reservation_cpus", METRIC_GAUGE, NULL,
      "CPUs of the nodes that a reservation holds now, as stint_cpus."},
     .operation = &operation_nodes,
     .query = "by=cluster,reservation,class",
     .value = "cpus",
     .shape = SHAPE_SPLIT,
     .used = "cpus_used"},
    {{"stint_reservation_gpus", METRIC_GAUGE, NULL,
      "GPUs of the nodes that a reservation holds now by model, as stint_cpus."},
     .operation = &operation_nodes,
     .query = "by=cluster,reservation,gpu_type,class",
     .value = "gpus",
     .shape = SHAPE_SPLIT,
     .used = "gpus_used"},
    {{"stint_jobs_pending", METRIC_GAUGE, NULL,
      "Jobs that wait, by partition; one that may go to several counts in each."},
     .operation = &operation_queue,
     .query = "by=cluster,partition",
     .value = "jobs_pending"},
    {{"stint_jobs_running", METRIC_GAUGE, NULL, "Jobs that run, by partition."},
     .operation = &operation_queue,
     .query = "by=cluster,partition",
     .value = "jobs_running"},
    {{"stint_cpus_pending", METRIC_GAUGE, NULL,
      "CPUs that waiting jobs ask for, by partition."},
     .operation = &operation_queue,
     .query = "by=cluster,partition",
     .value = "cpus_pending"},
    {{"stint_account_jobs_pending", METRIC_GAUGE, NULL, "Jobs that wait, by account."},
     .operation = &operation_queue,
     .query = "by=cluster,account",
     .value = "jobs_pending"},
    {{"stint_account_jobs_running", METRIC_GAUGE, NULL, "Jobs that run, by account."},
     .operation = &operation_queue,
     .query = "by=cluster,account",
     .value = "jobs_running"},
    {{"stint_wait_seconds", METRIC_GAUGE, "seconds",
      "Median wait of the jobs that started in the last 24 hours, by partition."},
     .operation = &operation_report,
     .rows = report_rows,
     .query = "measure=wait_median,wait_p90&by=cluster,partition&from=24h",
     .value = "wait_median"},
    {{"stint_wait_p90_seconds", METRIC_GAUGE, "seconds",
      "Wait that 90 in 100 of the jobs that started in the last 24 hours did not exceed."},
     .operation = &operation_report,
     .rows = report_rows,
     .query = "measure=wait_median,wait_p90&by=cluster,partition&from=24h",
     .value = "wait_p90"},
    {{"stint_cpu_seconds", METRIC_COUNTER, "seconds",
      "Allocated CPUs x time of all jobs so far, by account."},
     .operation = &operation_report,
     .rows = report_rows,
     .query = "measure=cpu_hours,gpu_hours&by=cluster,account&from=1970-01-01&to=now",
     .value = "cpu_hours"},
    {{"stint_gpu_seconds", METRIC_COUNTER, "seconds",
      "Allocated GPUs x time of all jobs so far, by account."},
     .operation = &operation_report,
     .rows = report_rows,
     .query = "measure=cpu_hours,gpu_hours&by=cluster,account&from=1970-01-01&to=now",
     .value = "gpu_hours"},
    {{"stint_jobs_without_cpus", METRIC_GAUGE, NULL,
      "Started jobs that stint_cpu_seconds does not include: their number of CPUs or their end "
      "is "
      "not recorded."},
     .operation = &operation_report,
     .rows = report_omitted,
     .query = "measure=cpu_hours,gpu_hours&from=1970-01-01&to=now",
     .value = "cpu_hours"},
    {{"stint_jobs_without_gpus", METRIC_GAUGE, NULL,
      "Started jobs that stint_gpu_seconds does not include: their number of GPUs or their end "
      "is "
      "not recorded."},
     .operation = &operation_report,
     .rows = report_omitted,
     .query = "measure=cpu_hours,gpu_hours&from=1970-01-01&to=now",
     .value = "gpu_hours"},
    {{"stint_jobs_ended", METRIC_COUNTER, NULL,
      "Jobs that ended so far, by class of their end."},
     .operation = &operation_report,
     .rows = report_rows,
     .query = "measure=" ENDED "&by=cluster&from=1970-01-01&to=now",
     .value = "jobs",
     .shape = SHAPE_ENDS},
    {{"stint_sampled_nodes", METRIC_GAUGE, NULL,
      "Nodes of which agents sent samples in the last minutes."},
     .operation = &operation_timeline,
     .rows = use_rows,
     .query = "by=cluster",
     .value = "nodes"},
    {{"stint_node_cpu_use_ratio", METRIC_GAUGE, "ratio",
      "Share of the CPUs of these nodes that were at work."},
     .operation = &operation_timeline,
     .rows = use_rows,
     .query = "by=cluster",
     .value = "cpu_use"},
    {{"stint_node_memory_use_ratio", METRIC_GAUGE, "ratio",
      "Share of the memory of these nodes that is in use."},
     .operation = &operation_timeline,
     .rows = use_rows,
     .query = "by=cluster",
     .value = "memory_use"},
    {{"stint_sampled_gpus", METRIC_GAUGE, NULL,
      "GPUs of which agents sent samples in the last minutes."},
     .operation = &operation_timeline,
     .rows = use_rows,
     .query = "by=cluster",
     .value = "gpus"},
    {{"stint_gpu_use_ratio", METRIC_GAUGE, "ratio",
      "Share of the time that these GPUs were busy."},
     .operation = &operation_timeline,
     .rows = use_rows,
     .query = "by=cluster",
     .value = "gpu_use"},
    {{"stint_gpu_memory_use_ratio", METRIC_GAUGE, "ratio",
      "Share of the memory of these GPUs that is in use."},
     .operation = &operation_timeline,
     .rows = use_rows,
     .query = "by=cluster",
     .value = "gpu_memory_use"},
    {{"stint_gpus_held_idle", METRIC_GAUGE, NULL,
      "GPUs that a job holds and that did nothing in the last minutes."},
     .operation = &operation_timeline,
     .rows = use_rows,
     .query = "by=cluster",
     .value = "gpus_held_idle"},
};

/* Whether what is free on a node of the class can be had. */
static bool is_usable(struct str class)
{
    static const enum node_class usable[] = {NODE_CLASS_ALLOCATED, NODE_CLASS_MIXED,
                                             NODE_CLASS_IDLE};

    for (size_t i = 0; i < COUNT_OF(usable); i++) {
        if (str_eq(class, node_class_name(usable[i]))) {
            return true;
        }
    }
    return false;
}

/* An answer that other families show columns of as well. */
struct known {
    const struct family *family;
    struct answer answer;
    struct known *next;
};

struct writing {
    struct service *service;
    struct buf *out;
    enum openmetrics_form form;
    const struct family *family;
    size_t series, left_out;
    struct known *known;
};

static struct str text_of(const struct table *table, size_t column, size_t row)
{
    return table->columns[column].present[row] ? table->columns[column].cells[row].text
                                               : STR("");
}

/* Name and labels of a sample; `skip` is a column that is no label, or beyond the last. */
static void begin_metric(struct writing *w, const struct table *table, size_t row, size_t skip)
{
    const struct family *family = w->family;
    openmetrics_begin(w->out, &family->head);
    for (size_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].type == CELL_TEXT && c != skip) {
            openmetrics_label(w->out, table->columns[c].id, text_of(table, c, row));
        }
    }
    w->series++;
}

static void write_split(struct writing *w, const struct table *table, size_t row)
{
    const size_t class = table_find(table, "class");
    const size_t all = table_find(table, w->family->value);
    const size_t used = table_find(table, w->family->used);
    if (class == table->column_count || !table_has(table, all, row) ||
        !table_has(table, used, row)) {
        return;
    }
    const double in_use = table_real(table, used, row);
    const struct str name = text_of(table, class, row);
    begin_metric(w, table, row, class);
    openmetrics_label(w->out, "class", name);
    openmetrics_label(w->out, "state", STR("allocated"));
    openmetrics_real(w->out, in_use);
    begin_metric(w, table, row, class);
    openmetrics_label(w->out, "class", name);
    openmetrics_label(w->out, "state", is_usable(name) ? STR("idle") : STR("unusable"));
    openmetrics_real(w->out, table_real(table, all, row) - in_use);
}

static void write_class(struct writing *w, const struct table *table, size_t row,
                        struct str class, wide_int jobs)
{
    begin_metric(w, table, row, table->column_count);
    openmetrics_label(w->out, "class", class);
    openmetrics_real(w->out, (double)jobs);
}

/* The measures of classes are called "jobs_" and the class. */
static void write_ends(struct writing *w, const struct table *table, size_t row)
{
    const size_t all = table_find(table, w->family->value);
    wide_int rest = table_wide(table, all, row);
    for (size_t c = 0; c < table->column_count; c++) {
        struct str id = str_of(table->columns[c].id);
        if (str_eq(str_cut(&id, '_'), STR("jobs")) && id.ptr) {
            const wide_int jobs = table_has(table, c, row) ? table_wide(table, c, row) : 0;
            write_class(w, table, row, id, jobs);
            rest -= jobs;
        }
    }
    write_class(w, table, row, run_class_name(CLASS_OTHER), rest);
}

static void write_row(struct writing *w, const struct table *table, size_t value, size_t row)
{
    if (w->family->shape == SHAPE_SPLIT) {
        write_split(w, table, row);
    } else if (table_has(table, value, row) && w->family->shape == SHAPE_ENDS) {
        write_ends(w, table, row);
    } else if (table_has(table, value, row)) {
        begin_metric(w, table, row, table->column_count);
        openmetrics_cell(w->out, table, value, row);
    }
}

static void write_rows(struct writing *w, const struct table *table)
{
    const size_t value = table_find(table, w->family->value);
    for (size_t row = 0; row < table->row_count && value < table->column_count; row++) {
        if (w->series >= SERIES_MAX || w->out->len > BYTES_MAX - BYTES_SPARE) {
            w->left_out++;
        } else {
            write_row(w, table, value, row);
        }
    }
}

/* Asks what the family asks; the answer is released by the caller, whatever happened. */
static int ask_family(struct writing *w, struct answer *answer, struct error *err)
{
    struct request_value values[METRICS_VALUES_MAX];
    struct arena arena = {0};
    struct str query = str_of(w->family->query), name, text;
    size_t count = 0;
    int failed = 0;
    while (count < METRICS_VALUES_MAX && url_next(&arena, &query, &name, &text, &failed, err) &&
           !failed) {
        values[count++] = (struct request_value){arena_text(&arena, name), text};
    }
    const struct request request = {
        .operation = w->family->operation, .values = values, .count = count};
    answer->bare = answer->noteless = true; /* nobody reads notes and totals here */
    if (!failed) {
        failed = (w->family->rows ? w->family->rows : w->family->operation->run)(
            w->service, &request, answer, err);
    }
    arena_release(&arena);
    return failed;
}

static struct known *find_known(const struct writing *w)
{
    struct known *known = w->known;
    while (known && !(known->family->operation == w->family->operation &&
                      known->family->rows == w->family->rows &&
                      strcmp(known->family->query, w->family->query) == 0)) {
        known = known->next;
    }
    return known;
}

static int write_answer(struct writing *w, struct error *err)
{
    struct known *known = find_known(w);
    int failed = 0;
    if (!known) {
        known = mem_alloc(1, sizeof(*known));
        *known = (struct known){.family = w->family, .next = w->known};
        w->known = known;
        failed = ask_family(w, &known->answer, err);
    }
    if (!failed) {
        write_rows(w, &known->answer.table);
    }
    return failed;
}

static void forget_known(struct writing *w)
{
    while (w->known) {
        struct known *next = w->known->next;
        answer_release(&w->known->answer);
        free(w->known);
        w->known = next;
    }
}

/* --- what is no question ------------------------------------------------------------------ */

/* How far each scheduler was asked, and when that last went well. */
static const struct {
    struct openmetrics_family head;
    const char *column;
} marks[] = {
    {{"stint_source_seen_timestamp_seconds", METRIC_GAUGE, "seconds",
      "Up to when a scheduler was asked for what happened."},
     "seen_to"},
    {{"stint_source_success_timestamp_seconds", METRIC_GAUGE, "seconds",
      "When a scheduler last answered."},
     "good"},
    {{"stint_source_failure_timestamp_seconds", METRIC_GAUGE, "seconds",
      "When a scheduler last failed to answer, where that was after its last answer."},
     "failed"},
};

static int write_marks(struct writing *w, struct facts *facts, struct error *err)
{
    struct table table = {0};
    int failed = pull_states_overview(facts, &table, err);
    for (size_t i = 0; i < COUNT_OF(marks) && !failed; i++) {
        const size_t column = table_find(&table, marks[i].column);
        openmetrics_family(w->out, w->form, &marks[i].head);
        for (size_t row = 0; row < table.row_count && column < table.column_count; row++) {
            if (table_has(&table, column, row)) {
                openmetrics_begin(w->out, &marks[i].head);
                openmetrics_label(w->out, "cluster", text_of(&table, 0, row));
                openmetrics_label(w->out, "what", text_of(&table, 1, row));
                openmetrics_real(w->out, table_real(&table, column, row) / 1e6);
            }
        }
    }
    table_release(&table);
    return failed;
}

static const struct openmetrics_family of_stale = {
    "stint_source_stale", METRIC_GAUGE, NULL,
    "1 where a scheduler last answered longer ago than two intervals: what is said of the "
    "present is old. Else 0."};

/* Of what the families above say of the present. */
static int write_stale(struct writing *w, struct facts *facts, struct error *err)
{
    static const char *const whats[] = {"queue", "node"};
    const int64_t now = w->service->now();
    int failed = 0;
    openmetrics_family(w->out, w->form, &of_stale);
    for (size_t i = 0; i < COUNT_OF(whats) && !failed; i++) {
        struct filter *none = mem_alloc(1, sizeof(*none));
        struct table looks = {0};
        *none = (struct filter){0};
        failed =
            pull_age_ask(facts, str_of(whats[i]), none, w->service->zone, now, &looks, err);
        for (size_t row = 0; !failed && row < looks.row_count; row++) {
            const int64_t age = now - (int64_t)table_wide(&looks, PULL_AGE_SEEN, row);
            openmetrics_begin(w->out, &of_stale);
            openmetrics_label(w->out, "cluster", text_of(&looks, PULL_AGE_CLUSTER, row));
            openmetrics_label(w->out, "what", str_of(whats[i]));
            openmetrics_real(w->out, age > at_option_patience(w->service, &looks, row));
        }
        table_release(&looks);
        free(none);
    }
    return failed;
}

static const struct openmetrics_family of_targets = {
    "stint_target", METRIC_GAUGE, NULL,
    "What was promised, granted or hoped for, in the unit of its measure."};

static void write_target(struct buf *out, const struct target *target)
{
    openmetrics_begin(out, &of_targets);
    openmetrics_label(out, "name", target->name);
    openmetrics_label(out, "measure", target->measure);
    openmetrics_label(out, "per", str_of(bucket_name(target->per)));
    for (size_t i = 0; i < TARGET_FILTERS; i++) {
        if (target->filters[i].ptr) {
            openmetrics_label(out, target_filter_ids[i], target->filters[i]);
        }
    }
    openmetrics_real(out, (double)target->amount_micro / 1e6);
}

static int write_targets(struct writing *w, struct error *err)
{
    struct target_list list = {0};
    struct books *books = NULL;
    if (!books_exist(w->service->store)) {
        return 0;
    }
    int failed = service_books(w->service, BOOKS_READ, &books, err);
    failed = failed ? failed : books_all_targets(books, w->service->zone, &list, err);
    openmetrics_family(w->out, w->form, &of_targets);
    for (size_t i = 0; i < list.count && !failed; i++) {
        write_target(w->out, &list.rows[i]);
    }
    target_list_release(&list);
    return failed;
}

static void write_own(struct writing *w)
{
    static const struct openmetrics_family build = {"stint_build", METRIC_INFO, NULL,
                                                    "The program that wrote this."};
    static const struct openmetrics_family left_out = {
        "stint_metrics_left_out", METRIC_GAUGE, NULL,
        "Samples that were left out because their family would have been too large."};
    openmetrics_family(w->out, w->form, &build);
    openmetrics_begin(w->out, &build);
    openmetrics_label(w->out, "version", STR(STINT_VERSION));
    openmetrics_real(w->out, 1);
    openmetrics_family(w->out, w->form, &left_out);
    openmetrics_begin(w->out, &left_out);
    openmetrics_real(w->out, (double)w->left_out);
}

/* --- all of it ---------------------------------------------------------------------------- */

static int write_all(struct writing *w, struct error *err)
{
    struct facts *facts = NULL;
    int failed = 0;
    for (size_t i = 0; i < COUNT_OF(families) && !failed; i++) {
        w->family = &families[i];
        w->series = 0;
        openmetrics_family(w->out, w->form, &w->family->head);
        failed = write_answer(w, err);
    }
    failed = failed ? failed : session_facts(w->service->session, FACTS_READ, &facts, err);
    failed = failed ? failed : write_marks(w, facts, err);
    failed = failed ? failed : write_stale(w, facts, err);
    failed = failed ? failed : write_targets(w, err);
    failed = failed ? failed : bank_metrics(w->service, w->form, w->out, err);
    forget_known(w);
    return failed;
}

static int run_metrics(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct writing w = {.service = service, .out = &answer->document};
    w.form = str_eq(request_text(request, "as"), STR("openmetrics")) ? FORM_OPENMETRICS
                                                                     : FORM_PROMETHEUS;
    buf_init(&answer->document, BYTES_MAX);
    buf_reserve(&answer->document, BYTES_FIRST);
    int failed = write_all(&w, err);
    write_own(&w);
    openmetrics_end(w.out, w.form);
    if (!failed && w.out->overflow) {
        failed =
            error_set(err, ERROR_LIMIT, "the metrics are longer than %d MiB", BYTES_MAX >> 20);
    }
    return failed;
}

static const struct param params[] = {
    {.name = "as",
     .type = PARAM_CHOICE,
     .value = "FORM",
     .choices = "prometheus openmetrics",
     .fallback = "prometheus",
     .help = "text format; node_exporter reads prometheus"},
};

const struct operation operation_metrics = {
    .name = "metrics",
    .summary = "print metrics for Prometheus",
    .description =
        "Prints metrics for a monitoring system: nodes, cpus, GPUs and memory by state, "
        "waiting and running jobs, wait times, usage by account, targets, and the age of the "
        "data from each scheduler. Everything comes from the store; no scheduler is queried.\n"
        "stint serve offers the same at /metrics. For the textfile collector of node_exporter, "
        "write it to a file in its folder with --output.",
    .examples = "stint metrics # all of them\n"
                "stint metrics --output /var/lib/node_exporter/stint.prom # for node_exporter",
    .rights = RIGHT_ALL,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_metrics,
};
