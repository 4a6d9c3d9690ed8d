/* SPDX-License-Identifier: MIT */
#include "service/jobs/job_efficiency.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "service/core/params.h"
#include "service/jobs/run_rows.h"

#define FIELDS                                                                                 \
    "id,user,name,class,wall,time_efficiency,cpu_efficiency,mem_efficiency,gpu_efficiency,"    \
    "cluster,array_job,mem,req_mem,time_limit," USE_FIELDS

enum {
    ID,
    USER,
    NAME,
    CLASS,
    WALL,
    TIME_SHARE,
    CPU_SHARE,
    MEM_SHARE,
    GPU_SHARE,
    CLUSTER,
    ARRAY,
};

/* Of the columns, the answer has those before the cluster. */
enum { SHOWN = CLUSTER, FIRST_SHARE = TIME_SHARE, LAST_SHARE = GPU_SHARE };

/* --- what each used ----------------------------------------------------------------------- */

/* Whether one of the shares that are shown is based on samples. */
static bool is_sampled(const struct use *use)
{
    static const enum use_resource shown[] = {USE_CPU, USE_MEMORY, USE_GPU};

    bool any = false;
    for (size_t i = 0; i < COUNT_OF(shown); i++) {
        const struct use_figure *one = &use->of[shown[i]];
        any = any || (one->concludes && one->basis != USE_SCHEDULER);
    }
    return any;
}

/* Resolved figures in the rows; how many of them are based on samples is in *sampled. */
static int resolve_rows(struct facts *facts, struct run_rows *rows, int64_t now,
                        size_t *sampled, struct error *err)
{
    int failed = run_rows_use(facts, now, rows, err);
    for (size_t row = 0; !failed && row < rows->table.row_count; row++) {
        use_rows_apply(&rows->uses[row], &rows->table, row);
        *sampled += is_sampled(&rows->uses[row]);
    }
    return failed;
}

/* --- arrays ------------------------------------------------------------------------------- */

/* A run, or the tasks of an array: rows of one group stand together once they are sorted. */
struct member {
    int64_t array; /* below 0: it is not one */
    size_t row;
    struct str cluster;
};

static int by_group(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    int order = (a->array > b->array) - (a->array < b->array);
    order = order ? order : str_compare(a->cluster, b->cluster);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static bool is_same_group(const struct member *a, const struct member *b)
{
    return a->array >= 0 && a->array == b->array && str_eq(a->cluster, b->cluster);
}

/* From `first` up to `end`, the newest first. */
struct group {
    size_t first, end;
    size_t row; /* of its newest run: by which groups are in order */
};

static int by_row(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    return (a->row > b->row) - (a->row < b->row);
}

/* The mean of a share over the tasks that know it, by the time they ran. */
static void set_mean(const struct run_rows *rows, const struct member *members,
                     const struct group *group, size_t column, struct table *out, size_t to)
{
    double sum = 0, weight = 0;
    for (size_t i = group->first; i < group->end; i++) {
        const double wall = fmax(1, run_rows_number(rows, WALL, members[i].row, 1));
        if (table_has(&rows->table, column, members[i].row)) {
            sum += wall * table_real(&rows->table, column, members[i].row);
            weight += wall;
        }
    }
    if (weight > 0) {
        table_set_real(out, column, to, sum / weight);
    }
}

/* "4711 (120 tasks)"; how many completed, where not all did. */
static void set_array(const struct run_rows *rows, const struct member *members,
                      const struct group *group, struct table *out, size_t to)
{
    struct buf text;
    const size_t tasks = group->end - group->first;
    size_t completed = 0;
    int64_t wall = 0;
    buf_init(&text, 4096);
    for (size_t i = group->first; i < group->end; i++) {
        completed += str_eq(run_rows_text(rows, CLASS, members[i].row), STR("completed"));
        wall += (int64_t)run_rows_number(rows, WALL, members[i].row, 0);
    }
    buf_addf(&text, "%" PRId64 " (%zu tasks)", members[group->first].array, tasks);
    table_set_text(out, ID, to, buf_str(&text));
    buf_clear(&text);
    if (completed == tasks) {
        buf_addz(&text, "completed");
    } else {
        buf_addf(&text, "%zu of %zu completed", completed, tasks);
    }
    table_set_text(out, CLASS, to, buf_str(&text));
    table_set_int(out, WALL, to, wall / (int64_t)tasks);
    buf_release(&text);
}

static void add_group(const struct run_rows *rows, const struct member *members,
                      const struct group *group, struct table *out)
{
    const size_t to = table_row(out), row = members[group->first].row;
    for (size_t c = 0; c < SHOWN; c++) {
        table_copy_cell(&rows->table, c, row, out, c, to);
    }
    if (group->end - group->first > 1) {
        set_array(rows, members, group, out, to);
        for (size_t c = FIRST_SHARE; c <= LAST_SHARE; c++) {
            set_mean(rows, members, group, c, out, to);
        }
    }
}

/* All groups in the order of their newest runs; `groups` has room for a group a row. */
static size_t find_groups(const struct run_rows *rows, struct member *members,
                          struct group *groups)
{
    const size_t all = rows->table.row_count;
    size_t count = 0;
    for (size_t row = 0; row < all; row++) {
        members[row] = (struct member){
            .array = table_has(&rows->table, ARRAY, row)
                         ? (int64_t)run_rows_number(rows, ARRAY, row, -1)
                         : -1,
            .row = row,
            .cluster = run_rows_text(rows, CLUSTER, row),
        };
    }
    if (all > 0) {
        qsort(members, all, sizeof(*members), by_group);
    }
    for (size_t i = 0, end; i < all; i = end) {
        end = i + 1;
        while (end < all && is_same_group(&members[i], &members[end])) {
            end++;
        }
        groups[count++] = (struct group){i, end, members[i].row};
    }
    if (count > 0) {
        qsort(groups, count, sizeof(*groups), by_row);
    }
    return count;
}

static void add_groups(const struct run_rows *rows, int64_t limit, struct answer *answer)
{
    struct table *out = &answer->table;
    struct member *members = mem_alloc(rows->table.row_count + 1, sizeof(*members));
    struct group *groups = mem_alloc(rows->table.row_count + 1, sizeof(*groups));
    const size_t count = find_groups(rows, members, groups);
    for (size_t c = 0; c < SHOWN; c++) {
        table_column_like(out, &rows->table.columns[c]);
    }
    for (size_t i = 0; i < count && (limit == 0 || (int64_t)i < limit); i++) {
        add_group(rows, members, &groups[i], out);
    }
    if (limit > 0 && (int64_t)count > limit) {
        answer_note(answer, NOTE_MORE, "the newest %" PRId64 " of %zu: raise --limit", limit,
                    count);
    }
    free(members);
    free(groups);
}

/*
 * The request with the ids that were given as words as filters of jobs; its values are to be
 * freed.
 */
static struct request by_ids(const struct request *request)
{
    struct request copy = *request;
    struct request_value *values = mem_alloc(request->count + 1, sizeof(*values));
    for (size_t i = 0; i < request->count; i++) {
        values[i] = request->values[i];
        if (strcmp(values[i].name, "id") == 0) {
            values[i].name = "job";
        }
    }
    copy.values = values;
    return copy;
}

static int list_runs(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    struct run_rows rows = {0};
    int64_t limit = 0;
    size_t sampled = 0;
    int failed;
    (void)((failed = request_number(request, "limit", 0, &limit, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = run_rows_ask(service, request, facts, FIELDS, &rows, err)) ||
           (failed = resolve_rows(facts, &rows, service->now(), &sampled, err)));
    if (!failed && rows.any_time && rows.table.row_count == 0) {
        failed = params_check_each_job(facts, request, err);
    }
    if (!failed) {
        add_groups(&rows, limit, answer);
        if (sampled > 0) {
            answer_note(answer, NOTE_COVERAGE,
                        "by samples, which cover enough of them: %zu run%s", sampled,
                        sampled == 1 ? "" : "s");
        }
        if (rows.any_time) {
            failed = params_note_missing_jobs(facts, request, answer, err);
        }
    }
    if (!failed) {
        failed = run_rows_note(service, facts, request, &rows, answer, err);
    }
    run_rows_release(&rows);
    return failed;
}

int job_efficiency(struct service *service, const struct request *request,
                   struct answer *answer, struct error *err)
{
    struct request asked = by_ids(request);
    int failed = list_runs(service, &asked, answer, err);
    free((void *)(uintptr_t)asked.values);
    return failed;
}
