/* SPDX-License-Identifier: MIT */

/*
 * One box for everything: a job, somebody or something with that in its name, a measure, a
 * page, a command.
 */
#include "base/attribute.h"
#include "base/limit.h"
#include "report/catalog.h"
#include "serve/pages/found.h"
#include "serve/pages/pages.h"

int page_search(struct page_view *view, struct error *err)
{
    const struct str wanted = str_trim(view_value(view, "q"));
    (void)err;
    model_text(view->model, "wanted", wanted);
    model_list(view->model, "found");
    if (found_is_job(wanted)) {
        struct buf url;
        buf_init(&url, LIMIT_ARGUMENT);
        found_job_url(view, wanted, &url);
        view->redirect = arena_text(view->arena, buf_str(&url));
        buf_release(&url);
        return 0;
    }
    found_add(view, wanted, FOUND_ALL);
    return 0;
}

int page_suggest(struct page_view *view, struct error *err)
{
    const struct str wanted = str_trim(view_value(view, "q"));
    (void)err;
    model_text(view->model, "wanted", wanted);
    found_add(view, wanted, FOUND_QUICK);
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
