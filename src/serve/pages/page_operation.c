/* SPDX-License-Identifier: MIT */

/*
 * The answer to any question of the command line, for those that have no page of their own:
 * /answer/usage?by=user. What changes something is not asked by an address.
 */
#include "base/attribute.h"
#include "serve/pages/pages.h"

enum { ANSWER_VALUES_MAX = 256 };

int page_answer_any(struct page_view *view, struct error *err)
{
    const struct operation *operation = operation_find(view->thing);
    struct request_value values[ANSWER_VALUES_MAX];
    struct request request = {.operation = operation, .values = values};
    for (size_t i = 0; i < view->value_count && i < ANSWER_VALUES_MAX; i++) {
        if (!str_eq(str_of(view->values[i].name), STR("chart"))) {
            values[request.count++] = view->values[i];
        }
    }
    if (!operation || request_is_local(&request) || request_changes(&request)) {
        return error_set(err, ERROR_MISSING, "there is no such page");
    }
    const struct panel panel = {
        .title = operation->summary,
        .operation = operation->name,
        .query = "",
        .show = PANEL_FITTING | PANEL_NOTES | PANEL_WIDE,
    };
    const int failed = panel_ask(view, view->model, &panel, values, request.count, err);
    return failed == ERROR_USAGE ? 0 : failed; /* said in the place of the answer */
}
