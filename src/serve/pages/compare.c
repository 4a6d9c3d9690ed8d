/* SPDX-License-Identifier: MIT */

/* A period against another, or jobs side by side. */
#include "base/attribute.h"
#include "serve/pages/pages.h"
#include "serve/pages/side.h"

int page_compare(struct page_view *view, struct error *err)
{
    static const struct panel panel = {
        "Change", "compare", "", PANEL_PICTURE | PANEL_TABLE | PANEL_NOTES, NULL, NULL,
    };
    model_format(view->model, "form", "%s/compare", view->request->prefix);
    model_text(view->model, "measure", view_value(view, "measure"));
    model_text(view->model, "by", view_value(view, "by"));
    model_text(view->model, "with", view_value(view, "with"));
    struct str ids[SIDE_JOBS_MAX];
    const size_t jobs = side_ids(view, ids);
    model_text(view->model, "job", view_value(view, "job"));
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
