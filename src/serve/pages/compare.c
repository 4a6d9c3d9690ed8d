/* SPDX-License-Identifier: MIT */

/* A period against another. */
#include "base/attribute.h"
#include "serve/pages/pages.h"

enum { COMPARE_VALUES_MAX = 256 };

int page_compare(struct page_view *view, struct error *err)
{
    static const struct panel panel = {
        "Change", "compare", "", PANEL_PICTURE | PANEL_TABLE | PANEL_NOTES, NULL, NULL,
    };
    model_format(view->model, "form", "%s/compare", view->request->prefix);
    model_text(view->model, "measure", view_value(view, "measure"));
    model_text(view->model, "by", view_value(view, "by"));
    model_text(view->model, "with", view_value(view, "with"));
    int failed = panel_ask(view, view->model, &panel, view->values, view->value_count, err);
    return failed == ERROR_USAGE ? 0 : failed;
}
