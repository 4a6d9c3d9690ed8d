/* SPDX-License-Identifier: MIT */

/* A period against another, or jobs side by side. */
#include "base/attribute.h"
#include "base/limit.h"
#include "report/catalog.h"
#include "serve/pages/pages.h"
#include "serve/pages/side.h"

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

/* What can be compared, for the fields to offer. */
static void add_names(struct page_view *view)
{
    for (size_t i = 0; i < measure_count; i++) {
        struct model *one = model_add(view->model, "measures");
        model_text(one, "id", str_of(measures[i].id));
        model_text(one, "label", str_of(measures[i].label));
    }
    for (size_t i = 0; explore_dimension(i); i++) {
        model_text(model_add(view->model, "dimensions"), "id", str_of(explore_dimension(i)));
    }
}

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
    add_ids(view, ids, jobs);
    add_names(view);
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
