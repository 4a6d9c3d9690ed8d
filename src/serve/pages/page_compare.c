/* SPDX-License-Identifier: MIT */

/* A period against another, or jobs side by side. */
#include "base/attribute.h"
#include "base/limit.h"
#include "serve/pages/asks.h"
#include "serve/pages/compare_jobs.h"
#include "serve/pages/pages.h"

/* What the field has when the address names jobs one by one. */
static void add_ids(struct page_view *view, const struct str *ids, size_t count)
{
    struct buf list;
    buf_init(&list, LIMIT_ARGUMENT);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&list, "%s%.*s", i ? ", " : "", STR_ARG(ids[i]));
    }
    model_text(view->model, "job", buf_str(&list));
    buf_release(&list);
}

int page_compare(struct page_view *view, struct error *err)
{
    static const struct panel panel = {
        "Change", "compare", "", PANEL_PICTURE | PANEL_TABLE | PANEL_NOTES, NULL, NULL,
    };
    model_format(view->model, "form", "%s/compare", view->request->prefix);
    struct str ids[SIDE_JOBS_MAX];
    const size_t jobs = side_ids(view, ids);
    add_ids(view, ids, jobs);
    asks_begin(view);
    if (view->redirect) {
        return 0;
    }
    if (jobs > 0) {
        int missing = side_show(view, ids, jobs, err);
        if (missing) { /* said beside the form, where it can be mended */
            model_text(view->model, "failure", str_of(err->text));
        }
        return 0;
    }
    int failed = panel_ask(view, view->model, &panel, view->values, view->value_count, err);
    return failed == ERROR_USAGE ? 0 : failed;
}
