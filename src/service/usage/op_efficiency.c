/* SPDX-License-Identifier: MIT */

/*
 * stint efficiency: how well what was given was used. stint waste: who loses most, and how.
 */

#include <stdlib.h>

#include "base/mem.h"
#include "report/queries/unused_hours.h"
#include "report/use/use_table.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/jobs/job_efficiency.h"
#include "service/query/missing_data_notes.h"
#include "service/query/query_context.h"
#include "service/query/question_params.h"
#include "service/usage/row_match.h"

/* A ratio beside the share it is known of. */
#define EFFICIENCY_MEASURES                                                                    \
    "cpu_efficiency,cpu_coverage,mem_efficiency,mem_coverage,gpu_efficiency,gpu_coverage,"     \
    "time_efficiency,time_coverage"

static int read_question(struct service *service, const struct request *request,
                         struct question *question, struct error *err)
{
    int failed;
    (void)((failed = question_dimensions(question, request_text(request, "by"), err)) ||
           (failed = request_number(request, "limit", 0, &question->limit, err)) ||
           (failed = question_from_request(service, request, question, err)));
    return failed;
}

/*
 * What runs used is that of report/use, also where samples know it; roll-ups have what was
 * recorded.
 */
static int resolve_use(struct facts *facts, struct question *question, struct error *err)
{
    int failed =
        use_table_make(facts, question->period, question->now, NULL, &question->resolved, err);
    question->path = question->resolved ? PATH_FACTS : question->path;
    return failed;
}

/* unused_hours_ask, with what the books say. */
static int ask_losses(const struct service *service, struct facts *facts,
                      const struct question *question, enum unused_hours by, struct table *out,
                      struct error *err)
{
    struct question asked = *question;
    struct query_context with;
    int failed;
    (void)((failed = query_context_read(service, facts, &asked, &with, err)) ||
           (failed = unused_hours_ask(facts, &asked, by, out, err)));
    if (!failed) {
        query_context_show_names(&with, out);
    }
    query_context_release(&with);
    return failed;
}

/* A row of lost hours, and the ratios of the same group beside it. */
static void add_efficiency_row(const struct table *losses, size_t row,
                               const struct table *ratios, size_t at, size_t dimensions,
                               struct table *out)
{
    size_t to = table_row(out);
    for (size_t c = 0; c < dimensions; c++) {
        table_copy_cell(losses, c, row, out, c, to);
    }
    table_copy_cell(losses, dimensions + UNUSED_HOURS_GIVEN, row, out, dimensions, to);
    table_copy_cell(losses, dimensions + UNUSED_HOURS_IDLE, row, out, dimensions + 1, to);
    for (size_t c = dimensions; at < ratios->row_count && c < ratios->column_count; c++) {
        table_copy_cell(ratios, c, at, out, c + 2, to);
    }
}

static void add_efficiency_columns(const struct table *losses, const struct table *ratios,
                                   size_t dimensions, struct table *out)
{
    for (size_t c = 0; c < dimensions; c++) {
        table_column_like(out, &losses->columns[c]);
    }
    table_column_like(out, &losses->columns[dimensions + UNUSED_HOURS_GIVEN]);
    table_column_like(out, &losses->columns[dimensions + UNUSED_HOURS_IDLE]);
    for (size_t c = dimensions; c < ratios->column_count; c++) {
        const size_t to = table_column_like(out, &ratios->columns[c]);
        if (str_ends(str_of(ratios->columns[c].id), STR("_efficiency"))) {
            table_picture(out, to, ratios->columns[c].label, false);
        }
    }
}

static int ask_efficiency(const struct service *service, struct facts *facts,
                          const struct question *question, struct table *out, struct error *err)
{
    const size_t dimensions = question->dimension_count;
    struct question whole = *question;
    struct table losses = {0}, ratios = {0};
    struct row_match match;
    int failed;
    whole.limit = 0; /* the two are in different orders */
    (void)((failed = question_measures(&whole, STR(EFFICIENCY_MEASURES), err)) ||
           (failed = ask_losses(service, facts, question, UNUSED_HOURS_IDLE, &losses, err)) ||
           (failed = query_context_ask(service, facts, &whole, &ratios, err)));
    if (!failed) {
        add_efficiency_columns(&losses, &ratios, dimensions, out);
    }
    row_match_init(&match, &ratios, dimensions);
    for (size_t row = 0; !failed && row < losses.row_count; row++) {
        add_efficiency_row(&losses, row, &ratios, row_match_find(&match, &losses, row),
                           dimensions, out);
    }
    row_match_release(&match);
    table_release(&losses);
    table_release(&ratios);
    return failed;
}

/* answer->shown: the rows and one for all together, which is asked again without dimensions. */
static int add_total(const struct service *service, struct facts *facts,
                     const struct question *question, struct answer *answer,
                     int (*ask)(const struct service *service, struct facts *facts,
                                const struct question *question, struct table *out,
                                struct error *err),
                     struct error *err)
{
    struct question whole = *question;
    struct table total = {0};
    question_drop_dimensions(&whole);
    whole.limit = 0;
    int failed = ask(service, facts, &whole, &total, err);
    if (!failed) {
        question_footer(answer, &total, question->dimension_count);
    }
    table_release(&total);
    return failed;
}

/* The lost hours by what lost them, and what share of the group's own hours that is. */
/*
 * The losses that are shown, behind the `first` columns of who lost; after the first of them
 * its share.
 */
static const enum unused_hours waste_shown[] = {UNUSED_HOURS_CPU,    UNUSED_HOURS_UNUSED,
                                                UNUSED_HOURS_FAILED, UNUSED_HOURS_TIMEOUT,
                                                UNUSED_HOURS_OOM,    UNUSED_HOURS_MEM};

static void add_waste_columns(const struct table *losses, size_t first, struct table *out)
{
    for (size_t c = 0; c < first; c++) {
        table_column_like(out, &losses->columns[c]);
    }
    for (size_t i = 0; i < COUNT_OF(waste_shown); i++) {
        table_column_like(out, &losses->columns[first + waste_shown[i]]);
        if (i == 0) {
            table_column(out, "lost_share", "Of own", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
        }
    }
    table_column(out, "mem_unused_share", "Mem unused", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
}

static void set_waste_share(const struct table *losses, size_t lost, size_t given, size_t row,
                            struct table *out, size_t column)
{
    if (table_has(losses, given, row) && table_has(losses, lost, row)) {
        question_set_share(out, column, row, table_real(losses, lost, row),
                           table_real(losses, given, row));
    }
}

static void add_waste_row(const struct table *losses, size_t first, size_t row,
                          struct table *out)
{
    table_row(out);
    for (size_t c = 0; c < first; c++) {
        table_copy_cell(losses, c, row, out, c, row);
    }
    for (size_t i = 0; i < COUNT_OF(waste_shown); i++) {
        table_copy_cell(losses, first + waste_shown[i], row, out, first + i + (i > 0), row);
    }
    set_waste_share(losses, first + UNUSED_HOURS_CPU, first + UNUSED_HOURS_GIVEN, row, out,
                    first + 1);
    set_waste_share(losses, first + UNUSED_HOURS_MEM, first + UNUSED_HOURS_MEM_GIVEN, row, out,
                    first + COUNT_OF(waste_shown) + 1);
}

static int ask_waste(const struct service *service, struct facts *facts,
                     const struct question *question, struct table *out, struct error *err)
{
    struct table losses = {0};
    int failed = ask_losses(service, facts, question, UNUSED_HOURS_CPU, &losses, err);
    if (!failed) {
        add_waste_columns(&losses, question->dimension_count, out);
    }
    for (size_t row = 0; !failed && row < losses.row_count; row++) {
        add_waste_row(&losses, question->dimension_count, row, out);
    }
    table_release(&losses);
    return failed;
}

/* What is to be shown so far. */
static const struct table *source_of(const struct answer *answer)
{
    return answer->shown.column_count ? &answer->shown : &answer->table;
}

/* Puts a table in place of what is shown. */
static void show(struct answer *answer, struct table *table)
{
    table->footer_count = answer->shown.footer_count;
    table_release(&answer->shown);
    answer->shown = *table;
}

static bool has_suffix(const struct column *column, const char *suffix)
{
    return str_ends(str_of(column->id), str_of(suffix));
}

/* Whether a coverage says nothing new: of all rows everything is known, or nothing. */
static bool is_plain(const struct table *table, size_t column)
{
    bool all = true, none = true;
    for (size_t row = 0; row < table->row_count; row++) {
        if (table_has(table, column, row)) {
            all = all && table_real(table, column, row) >= 1;
            none = none && table_real(table, column, row) <= 0;
        }
    }
    return all || none;
}

/* For people: coverages only where there is something to say, and a line about the others. */
static void show_efficiency(size_t dimensions, struct answer *answer)
{
    (void)dimensions;
    const struct table *from = source_of(answer);
    struct table out = {0};
    size_t kept[QUESTION_DIMENSIONS_MAX + QUESTION_MEASURES_MAX], count = 0;
    for (size_t c = 0; c < from->column_count; c++) {
        const bool ratio =
            c + 1 < from->column_count && has_suffix(&from->columns[c + 1], "_coverage");
        if (has_suffix(&from->columns[c], "_coverage") && is_plain(from, c)) {
            continue;
        }
        if (ratio && is_plain(from, c + 1) && from->row_count > 0 &&
            !table_has(from, c, from->row_count - 1)) {
            answer_note_about(answer, NOTE_COVERAGE, str_of(from->columns[c].id),
                              "not recorded: %s", from->columns[c].id);
            continue;
        }
        kept[count++] = c;
        table_column_like(&out, &from->columns[c]);
    }
    for (size_t row = 0; row < from->row_count; row++) {
        table_row(&out);
        for (size_t i = 0; i < count; i++) {
            table_copy_cell(from, kept[i], row, &out, i, row);
        }
    }
    show(answer, &out);
    if (answer->shown.row_count > 0) {
        answer_note(answer, NOTE_COVERAGE,
                    "usage is complete unless a 'known' column is shown");
    }
}

/* The columns of ask_waste after the dimensions. */
enum waste {
    WASTE_LOST,
    WASTE_SHARE,
    WASTE_UNUSED,
    WASTE_FAILED,
    WASTE_TIMEOUT,
    WASTE_OOM,
    WASTE_MEM,
    WASTE_MEM_SHARE,
};

/*
 * For people: limits of time and memory in one column, memory as a share, so that it fits 80
 * columns.
 */
static void show_waste(size_t dimensions, struct answer *answer)
{
    static const enum waste kept[] = {WASTE_LOST, WASTE_SHARE, WASTE_UNUSED, WASTE_FAILED};
    const struct table *from = source_of(answer);
    struct table out = {0};
    for (size_t c = 0; c < dimensions; c++) {
        table_column_like(&out, &from->columns[c]);
    }
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        table_column_like(&out, &from->columns[dimensions + kept[i]]);
    }
    const size_t limits =
        table_column(&out, "limit_hours", "Limits h", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    const size_t memory = table_column_like(&out, &from->columns[dimensions + WASTE_MEM_SHARE]);
    for (size_t row = 0; row < from->row_count; row++) {
        table_row(&out);
        for (size_t c = 0; c < dimensions; c++) {
            table_copy_cell(from, c, row, &out, c, row);
        }
        for (size_t i = 0; i < COUNT_OF(kept); i++) {
            table_copy_cell(from, dimensions + kept[i], row, &out, dimensions + i, row);
        }
        if (table_has(from, dimensions + WASTE_TIMEOUT, row) &&
            table_has(from, dimensions + WASTE_OOM, row)) {
            table_set_wide(&out, limits, row,
                           table_wide(from, dimensions + WASTE_TIMEOUT, row) +
                               table_wide(from, dimensions + WASTE_OOM, row));
        }
        table_copy_cell(from, dimensions + WASTE_MEM_SHARE, row, &out, memory, row);
    }
    show(answer, &out);
    if (answer->shown.row_count > 0) {
        answer_note(
            answer, NOTE_READING,
            "limits: time and memory limits reached; mem unused: share of memory allocated or "
            "requested, weighted by time; separate columns in machine formats");
    }
}

/* The two commands: how each asks, and how people see it. */
struct form {
    int (*ask)(const struct service *service, struct facts *facts,
               const struct question *question, struct table *out, struct error *err);
    void (*show)(size_t dimensions, struct answer *answer);
};

/*
 * Jobs whose cpus are not recorded are in none of the hours: those that the mean number of cpus
 * leaves out, too.
 */
static int note_omissions(const struct service *service, struct facts *facts,
                          const struct question *question, struct answer *answer,
                          struct error *err)
{
    struct question *hours = mem_alloc(1, sizeof(*hours));
    *hours = (struct question){.period = question->period,
                               .zone = question->zone,
                               .now = question->now,
                               .filter = question->filter};
    int failed;
    (void)((failed = question_measures(hours, STR("cpus_avg"), err)) ||
           (failed = missing_data_note(service, facts, hours, "job_cpu_hours", answer, err)));
    free(hours);
    return failed;
}

static int run_form(struct service *service, const struct request *request,
                    struct answer *answer, const struct form *form, struct error *err)
{
    struct question question = {0};
    struct facts *facts = NULL;
    int failed;
    (void)((failed = read_question(service, request, &question, err)) ||
           (failed = question_open(service, &question, &facts, err)) ||
           (failed = resolve_use(facts, &question, err)) ||
           (failed = form->ask(service, facts, &question, &answer->table, err)) ||
           (failed = add_total(service, facts, &question, answer, form->ask, err)) ||
           (failed = params_note_period(service, facts, question.period, question.now,
                                        &question.filter, answer, err)) ||
           (failed = note_omissions(service, facts, &question, answer, err)));
    if (!failed) {
        question_note_nodes(&question, answer);
        form->show(question.dimension_count, answer);
    }
    return failed;
}

static int run_efficiency(struct service *service, const struct request *request,
                          struct answer *answer, struct error *err)
{
    return request_has(request, "id") || str_eq(request_text(request, "by"), STR("job"))
               ? job_efficiency(service, request, answer, err)
               : run_form(service, request, answer,
                          &(struct form){ask_efficiency, show_efficiency}, err);
}

static int run_waste(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    return run_form(service, request, answer, &(struct form){ask_waste, show_waste}, err);
}

#define LIMIT_PARAM PARAM_LIMIT("20", "maximum number of rows; 0 shows all")

static const struct param efficiency_params[] = {
    {
        .name = "id",
        .type = PARAM_TEXT,
        .value = "ID",
        .help = "jobs to list one by one, as with --by job: 4711, 4711_3, slurm-4711.out",
        .positional = true,
        .repeated = true,
    },
    QUESTION_BY("user"),
    LIMIT_PARAM,
};

const struct operation operation_efficiency = {
    .name = "efficiency",
    .summary = "show how well cpus, memory, GPUs and time limits were used",
    .description =
        "For the jobs that ended in the period, counted over their whole run time: resources "
        "used divided by resources allocated, as a ratio of sums. Next to each ratio is its "
        "coverage: the share of the allocation for which usage was recorded. Job CPU hours are "
        "the CPU hours of these jobs from start to end, including any time before the period; "
        "the CPU hours of stint usage are those of all jobs within the period. Idle hours are "
        "cpu time allocated but not used, for the jobs whose usage was recorded; rows with the "
        "most idle hours come first.\n"
        "Values above 100 % are shown unchanged: they occur when threads share a core, or when "
        "a job used cpus that were not allocated to it.\n"
        "--by job lists runs one by one, the newest first, with the tasks of an array "
        "together; what the scheduler did not record is taken from samples.",
    .examples = "stint efficiency --from last-month # people, most idle hours first\n"
                "stint efficiency --by group,partition -n 0 --from 2025 # all of them\n"
                "stint efficiency -u alice --by name # which of alice's jobs\n"
                "stint efficiency slurm-4711.out 4712 # each of these runs",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = efficiency_params,
    .param_count = COUNT_OF(efficiency_params),
    .run = run_efficiency,
};

static const struct param waste_params[] = {QUESTION_BY("user"), LIMIT_PARAM};

const struct operation operation_waste = {
    .name = "waste",
    .summary = "show wasted hours: idle cpus, failures, time-outs, memory",
    .description = "For the jobs that ended in the period, counted over their whole run time: "
                   "the cpu hours of jobs that failed, reached their time limit or ran out of "
                   "memory, and the unused cpu hours of all other jobs. No hour is counted "
                   "twice, so these add up to the lost hours, by which rows are ranked; next "
                   "to them is their share of the row's cpu hours. Memory allocated or "
                   "requested beyond the peak is shown separately, in GiB-hours.\n"
                   "Unused hours cover the jobs whose usage was recorded; stint efficiency "
                   "shows how large that part is.",
    .examples = "stint waste --from last-month # people, the largest losses first\n"
                "stint waste --by name -u alice # which of alice's jobs\n"
                "stint waste --by partition -n 0 --from 2025 # where it happens",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = waste_params,
    .param_count = COUNT_OF(waste_params),
    .run = run_waste,
};
