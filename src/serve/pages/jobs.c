/* SPDX-License-Identifier: MIT */

/* Lists of jobs, one job, and up to eight side by side. */
#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/pages.h"

enum { JOBS_VALUES_MAX = 256, JOBS_PAGE = 100 };

static const char *const searchable[] = {"job",       "user",  "group", "account",
                                         "partition", "state", "name",  "node"};

static void add_search(struct page_view *view)
{
    for (size_t i = 0; i < COUNT_OF(searchable); i++) {
        struct model *field = model_add(view->model, "fields");
        model_text(field, "id", str_of(searchable[i]));
        model_text(field, "value", view_value(view, searchable[i]));
        model_flag(field, "named", dimension_find(str_of(searchable[i])));
    }
}

int page_jobs(struct page_view *view, struct error *err)
{
    static const struct panel panel = {
        "Newest first", "jobs", "", PANEL_TABLE | PANEL_NOTES, NULL, NULL,
    };
    struct request_value values[JOBS_VALUES_MAX + 8];
    size_t count = 0;
    bool by_job = view_value(view, "job").len > 0;
    model_format(view->model, "form", "%s/jobs", view->request->prefix);
    add_search(view);
    values[count++] = (struct request_value){
        "fields", STR("id,user,account,partition,name,class,cpus,gpus,submit,start,wall,"
                      "cpu_efficiency,run_id")};
    values[count++] = (struct request_value){"sort", STR("start")};
    values[count++] = (struct request_value){"reverse", STR("")};
    values[count++] = (struct request_value){"limit", STR("100")};
    for (size_t i = 0; i < view->value_count && i < JOBS_VALUES_MAX; i++) {
        const char *name = view->values[i].name;
        bool default_period = by_job && (str_eq(str_of(name), STR("from")) &&
                                         str_eq(view->values[i].text, STR("7d")));
        if (!default_period) {
            values[count++] = view->values[i];
        }
    }
    int failed = panel_ask(view, view->model, &panel, values, count, err);
    return failed == ERROR_USAGE ? 0 : failed;
}

int page_job(struct page_view *view, struct error *err)
{
    static const struct panel screen = {
        "At a glance", "job", "", PANEL_FIELDS | PANEL_NOTES, NULL, NULL,
    };
    static const struct panel fields = {"Every field", "job", "", PANEL_FIELDS, NULL, NULL};
    struct request_value values[3];
    size_t count = 0;
    struct str id = view->thing.len > 0 ? view->thing : view_value(view, "id");
    struct str cluster = view_value(view, "c");
    if (id.len == 0) {
        return error_set(err, ERROR_MISSING, "which job? Write /job/ID, or search for it");
    }
    model_text(view->model, "thing", id);
    values[count++] = (struct request_value){"id", id};
    if (cluster.len > 0) {
        values[count++] = (struct request_value){"cluster", cluster};
    }
    int failed = panel_ask(view, view->model, &screen, values, count, err);
    values[count++] = (struct request_value){"all", STR("")};
    return failed ? failed : panel_ask(view, view->model, &fields, values, count, err);
}
