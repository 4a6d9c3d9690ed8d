/* SPDX-License-Identifier: MIT */

/*
 * Any measures by anything: the form, and below it the answer. The form sends names and values; the address people keep has
 * the measures in its path, so a form's address is answered by the way to that.
 */
#include "base/attribute.h"
#include "base/bucket.h"
#include "base/limit.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/pages.h"
#include "view/chart/chart.h"

enum { DIMENSIONS_SHOWN = 18, EXPLORE_VALUES_MAX = 256 };

static bool in_list(struct str list, const char *name)
{
    while (list.ptr) {
        if (str_eq(str_trim(str_cut(&list, ',')), str_of(name))) {
            return true;
        }
    }
    return false;
}

static struct model *add_choice(struct model *model, const char *list, const char *id,
                                const char *label, struct str chosen)
{
    struct model *choice = model_add(model, list);
    model_text(choice, "id", str_of(id));
    model_text(choice, "label", str_of(label));
    model_flag(choice, "chosen", in_list(chosen, id));
    return choice;
}

static const char *const dimensions[] = {
    "cluster",    "user",      "group",       "metagroup", "account",     "project",
    "department", "partition", "qos",         "node",      "state",       "class",
    "gpu_type",   "name",      "reservation", "weekday",   "hour_of_day", "size",
};

const char *explore_dimension(size_t index)
{
    return index < COUNT_OF(dimensions) ? dimensions[index] : NULL;
}

static void add_form(struct page_view *view, struct str chosen)
{
    struct model *model = view->model;
    /* those that are chosen first: the list shows a few at a time */
    for (size_t i = 0; i < 2 * measure_count; i++) {
        const struct measure *measure = &measures[i % measure_count];
        if (in_list(chosen, measure->id) == (i < measure_count)) {
            struct model *choice =
                add_choice(model, "measures", measure->id, measure->label, chosen);
            model_text(choice, "about", str_of(measure->doc));
        }
    }
    for (size_t i = 0; i < COUNT_OF(dimensions); i++) {
        if (dimension_find(str_of(dimensions[i]))) {
            add_choice(model, "dimensions", dimensions[i], dimensions[i],
                       view_value(view, "by"));
        }
    }
    for (enum bucket b = BUCKET_NONE + 1; b <= BUCKET_YEAR; b++) {
        add_choice(model, "buckets", bucket_name(b), bucket_name(b), view_value(view, "every"));
    }
    for (size_t i = 0; chart_kind_name(i); i++) {
        add_choice(model, "charts", chart_kind_name(i), chart_kind_name(i),
                   view_value(view, "chart"));
    }
    model_text(model, "top", view_value(view, "top"));
}

/* Values of the address that are no part of the question. */
static bool is_aside(const char *name)
{
    return str_eq(str_of(name), STR("chart")) || str_eq(str_of(name), STR("measure")) ||
           str_eq(str_of(name), STR("filter")) || str_eq(str_of(name), STR("pattern"));
}

/* The filters in force, each with the address without it. */
static void add_filters(struct page_view *view)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    model_list(view->model, "filters");
    for (size_t i = 0; i < view->value_count; i++) {
        if (!column_find(str_of(view->values[i].name)) &&
            !dimension_find(str_of(view->values[i].name))) {
            continue;
        }
        struct model *filter = model_add(view->model, "filters");
        buf_clear(&url);
        buf_addz(&url, view->request->prefix);
        buf_add(&url, view->request->path);
        for (size_t v = 0; v < view->value_count; v++) {
            if (v != i) {
                url_add(&url, view->values[v].name, view->values[v].text);
            }
        }
        model_text(filter, "name", str_of(view->values[i].name));
        model_text(filter, "value", view->values[i].text);
        model_text(filter, "url", buf_str(&url));
    }
    buf_release(&url);
}

/* Where a form that was sent leads: measures in the path, filter and pattern as name and value. */
static void readable(struct page_view *view)
{
    struct buf url;
    struct str filter = view_value(view, "filter"), pattern = view_value(view, "pattern");
    bool first = true;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_addf(&url, "%s/explore/", view->request->prefix);
    for (size_t i = 0; i < view->value_count; i++) {
        if (str_eq(str_of(view->values[i].name), STR("measure"))) {
            buf_addz(&url, first ? "" : ",");
            buf_add(&url, view->values[i].text);
            first = false;
        }
    }
    if (first) {
        buf_addz(&url, "cpu_hours");
    }
    for (size_t i = 0; i < view->value_count; i++) {
        const char *name = view->values[i].name;
        if (!is_aside(name) || str_eq(str_of(name), STR("chart"))) {
            url_add(&url, name, view->values[i].text);
        }
    }
    if (filter.len > 0 && pattern.len > 0) {
        url_add(&url, arena_text(view->arena, filter), pattern);
    }
    view->redirect = arena_text(view->arena, buf_str(&url));
    buf_release(&url);
}

/* The same question against the period before: the first measure, with its filters. */
static void add_comparison(struct page_view *view, struct str chosen)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_addf(&url, "%s/compare", view->request->prefix);
    url_add(&url, "measure", str_trim(str_cut(&chosen, ',')));
    for (size_t i = 0; i < view->value_count; i++) {
        const struct str name = str_of(view->values[i].name);
        const bool own = str_eq(name, STR("every")) || str_eq(name, STR("top")) ||
                         str_eq(name, STR("sort")) || str_eq(name, STR("reverse"));
        if (!own && !is_aside(view->values[i].name)) {
            url_add(&url, view->values[i].name, view->values[i].text);
        }
    }
    model_text(view->model, "compare", buf_str(&url));
    buf_release(&url);
}

/* Questions that were kept under a name, and what this one would be kept as. */
static void add_views(struct page_view *view)
{
    const struct request_value list = {"action", STR("list")};
    const struct request request = {
        .operation = operation_find(STR("view")), .values = &list, .count = 1};
    struct answer answer = {0};
    struct error ignored = {0}; /* nobody in particular has none */

    enum { NAME = 1, QUESTION, OWNER };

    model_list(view->model, "views");
    model_format(view->model, "question", "%.*s%s%.*s", STR_ARG(view->request->path),
                 view->request->query.len ? "?" : "", STR_ARG(view->request->query));
    if (view->service->caller->role > ROLE_ANYONE &&
        service_call(view->service, &request, &answer, &ignored) == 0) {
        for (size_t row = 0; row < answer.table.row_count; row++) {
            const struct column *columns = answer.table.columns;
            struct model *one = model_add(view->model, "views");
            model_text(one, "name", columns[NAME].cells[row].text);
            model_format(one, "url", "%s%.*s", view->request->prefix,
                         STR_ARG(columns[QUESTION].cells[row].text));
            model_text(one, "owner", columns[OWNER].cells[row].text);
        }
    }
    answer_release(&answer);
}

static bool was_sent(const struct page_view *view)
{
    return view_value(view, "measure").len > 0 || view_value(view, "filter").len > 0;
}

int page_explore(struct page_view *view, struct error *err)
{
    static const struct panel panel = {
        "Answer", "report", "", PANEL_PICTURE | PANEL_TABLE | PANEL_NOTES, NULL, NULL,
    };
    struct request_value values[EXPLORE_VALUES_MAX + 1];
    struct str chosen = view->thing.len > 0 ? view->thing : STR("cpu_hours");
    size_t count = 0;
    int failed = 0;
    model_format(view->model, "form", "%s/explore", view->request->prefix);
    add_form(view, chosen);
    add_filters(view);
    add_views(view);
    add_comparison(view, chosen);
    if (was_sent(view)) {
        readable(view);
        return 0;
    }
    values[count++] = (struct request_value){"measure", chosen};
    for (size_t i = 0; i < view->value_count && count <= EXPLORE_VALUES_MAX; i++) {
        if (!is_aside(view->values[i].name)) {
            values[count++] = view->values[i];
        }
    }
    failed = panel_ask(view, view->model, &panel, values, count, err);
    /* a question that makes no sense is answered below the form, where it can be mended */
    return failed == ERROR_USAGE ? 0 : failed;
}
