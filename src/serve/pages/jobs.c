/* SPDX-License-Identifier: MIT */

/* Lists of jobs, one job, and up to eight side by side. */
#include "base/attribute.h"
#include "base/limit.h"
#include "base/scan.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/pages.h"
#include "serve/pages/timelines.h"

enum { JOBS_VALUES_MAX = 256, JOBS_PAGE = 100, JOBS_PAGES_MAX = 1000 };

static const struct {
    const char *id, *label;
} searchable[] = {
    {"job", "Job"},         {"user", "User"},       {"group", "Group"},
    {"account", "Account"}, {"cluster", "Cluster"}, {"partition", "Partition"},
    {"state", "State"},     {"name", "Name"},       {"node", "Node"},
};

static void add_search(struct page_view *view)
{
    for (size_t i = 0; i < COUNT_OF(searchable); i++) {
        struct model *field = model_add(view->model, "fields");
        model_text(field, "id", str_of(searchable[i].id));
        model_text(field, "label", str_of(searchable[i].label));
        model_text(field, "value", view_value(view, searchable[i].id));
        model_flag(field, "named", dimension_find(str_of(searchable[i].id)));
    }
}

/* The values of the address that choose jobs; a job that is asked for by its number is wanted whenever it ran. */
static size_t add_choice(const struct page_view *view, struct request_value *values,
                         size_t count)
{
    const bool by_job = view_value(view, "job").len > 0;
    for (size_t i = 0; i < view->value_count && i < JOBS_VALUES_MAX; i++) {
        const struct str name = str_of(view->values[i].name);
        const bool default_period =
            by_job && str_eq(name, STR("from")) && str_eq(view->values[i].text, STR("7d"));
        if (!default_period && !str_eq(name, STR("fold")) && !str_eq(name, STR("page"))) {
            values[count++] = view->values[i];
        }
    }
    return count;
}

/* The way to another part of the list: the same address with its number. */
static void add_part(struct page_view *view, const char *name, int64_t page, bool there)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    if (there) {
        buf_addf(&url, "%s/jobs", view->request->prefix);
        for (size_t i = 0; i < view->value_count; i++) {
            if (!str_eq(str_of(view->values[i].name), STR("page"))) {
                url_add(&url, view->values[i].name, view->values[i].text);
            }
        }
        url_add(&url, "page", str_of(arena_printf(view->arena, "%lld", (long long)page)));
    }
    model_text(view->model, name, buf_str(&url));
    buf_release(&url);
}

static int64_t part_of(const struct page_view *view)
{
    int64_t page = 1;
    const bool given = scan_int(view_value(view, "page"), &page);
    return given && page > 0 && page <= JOBS_PAGES_MAX ? page : 1;
}

static void add_parts(struct page_view *view, int64_t page)
{
    model_flag(view->model, "parts", page > 1 || view->more);
    model_format(view->model, "part", "%zu to %zu", view->skip + 1,
                 view->skip + view->page_size);
    add_part(view, "newer", page - 1, page > 1);
    add_part(view, "older", page + 1, view->more && page < JOBS_PAGES_MAX);
}

int page_jobs(struct page_view *view, struct error *err)
{
    static const struct panel each = {
        "Newest first", "jobs", "", PANEL_TABLE | PANEL_NOTES, NULL, NULL,
    };
    static const struct panel folded = {
        "Newest first, arrays folded", "efficiency", "", PANEL_TABLE | PANEL_NOTES, NULL, NULL,
    };
    const bool fold = view_value(view, "fold").len > 0;
    struct request_value values[JOBS_VALUES_MAX + 8];
    size_t count = 0;
    model_flag(view->model, "fold", fold);
    model_format(view->model, "form", "%s/jobs", view->request->prefix);
    add_search(view);
    if (fold) {
        values[count++] = (struct request_value){"by", STR("job")};
    } else {
        values[count++] = (struct request_value){
            "fields", STR("id,user,account,partition,name,class,cpus,gpus,submit,start,wall,"
                          "cpu_efficiency,run_id")};
        values[count++] = (struct request_value){"sort", STR("start")};
        values[count++] = (struct request_value){"reverse", STR("")};
    }
    const int64_t page = part_of(view);
    view->page_size = JOBS_PAGE;
    view->skip = (size_t)(page - 1) * JOBS_PAGE;
    count = add_choice(view, values, count);
    int failed = panel_ask(view, view->model, fold ? &folded : &each, values, count, err);
    add_parts(view, page);
    return failed == ERROR_USAGE ? 0 : failed;
}

/* Of the job's last run; what cannot be asked is not shown. */
static void add_timelines(struct page_view *view, const struct request_value *values,
                          size_t count)
{
    const struct request request = {
        .operation = operation_find(STR("job")), .values = values, .count = count};
    struct answer answer = {0};
    struct error ignored = {0};
    if (service_call(view->service, &request, &answer, &ignored) == 0) {
        timelines_of_run(view, &answer.table);
    }
    answer_release(&answer);
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
    if (!failed) {
        add_timelines(view, values, count);
        failed = panel_ask(view, view->model, &fields, values, count, err);
    }
    return failed;
}
