/* SPDX-License-Identifier: MIT */

/* Lists of jobs. */
#include "base/attribute.h"
#include "base/limit.h"
#include "base/scan.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/pages.h"
#include "serve/pages/shape.h"
#include "serve/pages/words.h"

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

/*
 * The same address without one of its values, and with another; the list begins at its first
 * part.
 */
static struct str changed(const struct page_view *view, size_t without, const char *name,
                          struct str text)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_addf(&url, "%s/jobs", view->request->prefix);
    for (size_t i = 0; i < view->value_count; i++) {
        const struct str own = str_of(view->values[i].name);
        if (i != without && !str_eq(own, STR("page")) && !(name && str_eq(own, str_of(name)))) {
            url_add(&url, view->values[i].name, view->values[i].text);
        }
    }
    if (name) {
        url_add(&url, name, text);
    }
    const struct str copy = view_text(view, &url);
    buf_release(&url);
    return copy;
}

/* Each filter of the address, with the way to take it off. */
static void add_pills(struct page_view *view)
{
    static const char *const others[] = {"from", "to", "page", "fold", "sort", "order"};
    model_list(view->model, "pills");
    for (size_t i = 0; i < view->value_count; i++) {
        const struct str name = str_of(view->values[i].name);
        bool filter = true;
        for (size_t k = 0; k < COUNT_OF(others); k++) {
            filter = filter && !str_eq(name, str_of(others[k]));
        }
        if (filter) {
            struct model *pill = model_add(view->model, "pills");
            model_text(pill, "key", name);
            model_text(pill, "value", view->values[i].text);
            model_text(pill, "url", changed(view, i, NULL, (struct str){0}));
        }
    }
}

/* How many of them ended how; each is a filter. */
static void add_classes(struct page_view *view)
{
    struct request_value values[JOBS_VALUES_MAX + 8];
    size_t count = 0;
    double all = 0, from = 0;
    struct answer answer = {0};
    struct error ignored = {0}; /* the list says it */
    model_list(view->model, "classes");
    values[count++] = (struct request_value){"measure", STR("jobs")};
    values[count++] = (struct request_value){"by", STR("class")};
    for (size_t i = 0; i < view->value_count && i < JOBS_VALUES_MAX; i++) {
        static const char *const others[] = {"page", "fold", "sort", "order", "class"};
        bool wanted = true;
        for (size_t k = 0; k < COUNT_OF(others); k++) {
            wanted = wanted && !str_eq(str_of(view->values[i].name), str_of(others[k]));
        }
        if (wanted) {
            values[count++] = view->values[i];
        }
    }
    const struct request request = {
        .operation = operation_find(STR("report")), .values = values, .count = count};
    const int failed = view_value(view, "job").len > 0
                           ? ERROR_USAGE
                           : service_call(view->service, &request, &answer, &ignored);
    const size_t rows = failed ? 0 : answer.table.row_count - answer.table.footer_count;
    for (size_t row = 0; row < rows; row++) {
        all += cell_number(&answer.table, "jobs", row, 0);
    }
    for (size_t row = 0; row < rows; row++) {
        const struct str class = cell_raw(&answer.table, "class", row);
        const double jobs = cell_number(&answer.table, "jobs", row, 0);
        struct buf text;
        if (jobs <= 0 || class.len == 0) {
            continue;
        }
        struct model *one = model_add(view->model, "classes");
        buf_init(&text, LIMIT_ARGUMENT);
        words_amount(&text, jobs);
        model_text(one, "text", class);
        model_text(one, "jobs", buf_str(&text));
        model_text(one, "tone", str_of(tone_name(tone_of_state(class))));
        model_format(one, "from", "%.2f", 100 * from / all);
        model_format(one, "share", "%.2f", 100 * jobs / all);
        model_text(one, "url", changed(view, SIZE_MAX, "class", class));
        model_flag(one, "here", str_eq(view_value(view, "class"), class));
        from += jobs;
        buf_release(&text);
    }
    model_text(view->model, "all_classes",
               view_value(view, "class").len ? changed(view, SIZE_MAX, "class", (struct str){0})
                                             : (struct str){0});
    answer_release(&answer);
}

/* By the first click on a head the largest come first, by the second the smallest. */
static struct str sort_url(const struct page_view *view, const char *id, const char **sorted)
{
    const struct str by = view_value(view, "sort");
    const bool here = by.len ? str_eq(by, str_of(id)) : str_eq(str_of(id), STR("start"));
    const bool down = by.len == 0 || !str_eq(view_value(view, "order"), STR("up"));
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    *sorted = !here ? NULL : down ? "descending" : "ascending";
    buf_addf(&url, "%s/jobs", view->request->prefix);
    for (size_t i = 0; i < view->value_count; i++) {
        const struct str name = str_of(view->values[i].name);
        if (!str_eq(name, STR("sort")) && !str_eq(name, STR("order")) &&
            !str_eq(name, STR("page"))) {
            url_add(&url, view->values[i].name, view->values[i].text);
        }
    }
    url_add(&url, "sort", str_of(id));
    url_add(&url, "order", here && down ? STR("up") : STR("down"));
    const struct str copy = view_text(view, &url);
    buf_release(&url);
    return copy;
}

/*
 * The values of the address that choose jobs; a job that is asked for by its number is wanted
 * whenever it ran.
 */
static size_t add_choice(const struct page_view *view, struct request_value *values,
                         size_t count)
{
    const bool by_job = view_value(view, "job").len > 0;
    for (size_t i = 0; i < view->value_count && i < JOBS_VALUES_MAX; i++) {
        const struct str name = str_of(view->values[i].name);
        const bool default_period =
            by_job && str_eq(name, STR("from")) && str_eq(view->values[i].text, STR("7d"));
        if (!default_period && !str_eq(name, STR("fold")) && !str_eq(name, STR("page")) &&
            !str_eq(name, STR("order")) && !str_eq(name, STR("sort"))) {
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
        "Jobs", "jobs", "", PANEL_TABLE | PANEL_NOTES | PANEL_WIDE, NULL, NULL,
    };
    static const struct panel folded = {
        "Jobs, arrays folded",
        "efficiency",
        "",
        PANEL_TABLE | PANEL_NOTES | PANEL_WIDE,
        NULL,
        NULL,
    };
    const bool fold = view_value(view, "fold").len > 0;
    struct request_value values[JOBS_VALUES_MAX + 8];
    size_t count = 0;
    model_flag(view->model, "fold", fold);
    model_format(view->model, "form", "%s/jobs", view->request->prefix);
    add_search(view);
    add_pills(view);
    add_classes(view);
    if (fold) {
        values[count++] = (struct request_value){"by", STR("job")};
    } else {
        values[count++] = (struct request_value){
            "fields", STR("id,user,account,partition,name,class,cpus,gpus,submit,start,wall,"
                          "gpu_efficiency,cpu_efficiency,run_id")};
        const struct str by = view_value(view, "sort");
        values[count++] = (struct request_value){"sort", by.len ? by : STR("start")};
        if (!str_eq(view_value(view, "order"), STR("up"))) {
            values[count++] = (struct request_value){"reverse", STR("")};
        }
        view->sort_url = sort_url;
    }
    const int64_t page = part_of(view);
    view->page_size = JOBS_PAGE;
    view->skip = (size_t)(page - 1) * JOBS_PAGE;
    count = add_choice(view, values, count);
    int failed = panel_ask(view, view->model, fold ? &folded : &each, values, count, err);
    add_parts(view, page);
    return failed == ERROR_USAGE ? 0 : failed;
}
