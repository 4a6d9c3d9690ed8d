/* SPDX-License-Identifier: MIT */

/* One box for everything: a job, somebody or something with that in its name, a measure. */
#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "report/catalog.h"
#include "report/filter.h"
#include "serve/pages/link.h"
#include "serve/pages/pages.h"

/* Where names are looked for. Sums by node come from the runs themselves: of all years they would take the longest. */
static const struct {
    const char *dimension, *title, *from;
} searched[] = {
    {"user", "Users", "1970-01-01"},
    {"group", "Groups", "1970-01-01"},
    {"account", "Accounts", "1970-01-01"},
    {"project", "Projects", "1970-01-01"},
    {"node", "Nodes of the last year", "365d"},
    {"partition", "Partitions", "1970-01-01"},
};

/* Whether a word of the text begins with that. */
static bool contains(const char *text, struct str part)
{
    const char *at = part.len > 0 ? text : NULL;
    while ((at = at ? memmem(at, strlen(at), part.ptr, part.len) : NULL)) {
        if (at == text || at[-1] == ' ' || at[-1] == '_') {
            return true;
        }
        at++;
    }
    return false;
}

static void add_measures(struct page_view *view, struct str wanted)
{
    model_list(view->model, "measures");
    for (size_t i = 0; i < measure_count; i++) {
        if (contains(measures[i].id, wanted) || contains(measures[i].label, wanted)) {
            struct model *row = model_add(view->model, "measures");
            model_text(row, "label", str_of(measures[i].label));
            model_text(row, "about", str_of(measures[i].doc));
            model_format(row, "url", "%s/explore/%s", view->request->prefix, measures[i].id);
        }
    }
}

static void add_names(struct page_view *view, struct str wanted)
{
    struct buf pattern;
    buf_init(&pattern, LIMIT_ARGUMENT);
    buf_addc(&pattern, '*');
    for (size_t i = 0; i < wanted.len; i++) { /* in a glob, so that it may stand anywhere */
        buf_addz(&pattern, memchr("*?[\\", wanted.ptr[i], 4) ? "\\" : "");
        buf_addc(&pattern, wanted.ptr[i] == ',' ? '?' : wanted.ptr[i]);
    }
    buf_addc(&pattern, '*');
    for (size_t i = 0; i < COUNT_OF(searched); i++) {
        const struct panel panel = {searched[i].title,          "report", "",
                                    PANEL_TABLE | PANEL_IF_ANY, NULL,     NULL};
        const struct request_value values[] = {
            {"measure", STR("jobs,cpu_hours")},
            {"by", str_of(searched[i].dimension)},
            {searched[i].dimension, buf_str(&pattern)},
            {"from", str_of(searched[i].from)},
            {"to", STR("now")},
            {"top", STR("10")},
        };
        struct error ignored = {0}; /* said in the panel */
        (void)!panel_ask(view, view->model, &panel, values, COUNT_OF(values), &ignored);
    }
    buf_release(&pattern);
}

int page_search(struct page_view *view, struct error *err)
{
    struct str wanted = str_trim(view_value(view, "q"));
    struct job_id job;
    (void)err;
    model_text(view->model, "wanted", wanted);
    model_list(view->model, "measures");
    if (wanted.len == 0) {
        return 0;
    }
    bool name_of_run = str_byte(wanted, ':') && str_byte(wanted, '@');
    if (filter_job_id(wanted, &job) || name_of_run) {
        struct buf url;
        buf_init(&url, LIMIT_ARGUMENT);
        buf_addf(&url, "%s/job/", view->request->prefix);
        url_encode(&url, wanted);
        view->redirect = arena_text(view->arena, buf_str(&url));
        buf_release(&url);
        return 0;
    }
    add_measures(view, wanted);
    add_names(view, wanted);
    return 0;
}

int page_measures(struct page_view *view, struct error *err)
{
    (void)err;
    model_list(view->model, "measures");
    for (size_t i = 0; i < measure_count; i++) {
        struct model *row = model_add(view->model, "measures");
        model_text(row, "id", str_of(measures[i].id));
        model_text(row, "label", str_of(measures[i].label));
        model_text(row, "about", str_of(measures[i].doc));
        model_format(row, "url", "%s/explore/%s", view->request->prefix, measures[i].id);
    }
    return 0;
}
