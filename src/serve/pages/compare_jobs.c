/* SPDX-License-Identifier: MIT */

/*
 * Up to eight jobs side by side: a row for each field that one of them has, a column for each
 * job.
 */
#include "serve/pages/compare_jobs.h"

#include "base/attribute.h"
#include "base/limit.h"
#include "view/number.h"

enum { SIDE_TEXT_MAX = 64 << 10 };

/* Each word of job=a,b&job=c, up to SIDE_JOBS_MAX. */
size_t side_ids(const struct page_view *view, struct str ids[SIDE_JOBS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < view->value_count; i++) {
        struct str rest = view->values[i].text;
        while (str_eq(str_of(view->values[i].name), STR("job")) && rest.len > 0 &&
               count < SIDE_JOBS_MAX) {
            const struct str id = str_trim(str_cut(&rest, ','));
            if (id.len > 0) {
                ids[count++] = id;
            }
        }
    }
    return count;
}

static int call_job(struct page_view *view, struct str id, struct answer *answer,
                    struct error *err)
{
    const struct request_value values[] = {{"id", id}, {"all", STR("")}};
    const struct request request = {
        .operation = operation_find(STR("job")), .values = values, .count = COUNT_OF(values)};
    return service_call(view->service, &request, answer, err);
}

/* The row of a field; one that is not there yet is added at the end. */
static size_t row_of(struct table *table, const char *label)
{
    size_t row = 0;
    while (row < table->row_count &&
           !str_eq(table->columns[0].cells[row].text, str_of(label))) {
        row++;
    }
    if (row == table->row_count) {
        row = table_row(table);
        table_set_text(table, 0, row, str_of(label));
    }
    return row;
}

/* The last run of a job, field by field. */
static void add_job(const struct page_view *view, struct table *table, size_t column,
                    const struct table *job)
{
    const size_t run = job->row_count - 1;
    for (size_t i = 0; i < job->column_count; i++) {
        const struct column *field = &job->columns[i];
        struct buf text;
        if (!field->present[run]) {
            continue;
        }
        buf_init(&text, SIDE_TEXT_MAX);
        if (field->type == CELL_TEXT) {
            buf_add(&text, field->cells[run].text);
        } else {
            number_human(&text, job, i, run, view->service->zone);
        }
        table_set_text(table, column, row_of(table, field->label), buf_str(&text));
        buf_release(&text);
    }
}

int side_show(struct page_view *view, const struct str *ids, size_t count, struct error *err)
{
    static const struct panel panel = {"Jobs side by side",      NULL, "",
                                       PANEL_TABLE | PANEL_WIDE, NULL, NULL};
    struct answer answers[SIDE_JOBS_MAX] = {0};
    struct table table = {0};
    int failed = 0;
    table_column(&table, "field", "Field", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < count; i++) {
        table_column(&table, "value", arena_text(view->arena, ids[i]), CELL_TEXT, UNIT_NONE,
                     COLUMN_DIMENSION);
    }
    for (size_t i = 0; !failed && i < count; i++) {
        failed = call_job(view, ids[i], &answers[i], err);
        if (!failed && answers[i].table.row_count > 0) {
            add_job(view, &table, 1 + i, &answers[i].table);
        }
    }
    if (!failed) {
        panel_show(view, view->model, &panel, &table);
    }
    for (size_t i = 0; i < count; i++) {
        answer_release(&answers[i]);
    }
    table_release(&table);
    return failed;
}
