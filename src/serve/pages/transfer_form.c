/* SPDX-License-Identifier: MIT */
#include "serve/pages/transfer_form.h"

#include <inttypes.h>

#include "base/attribute.h"

enum { TARGETS_MAX = 100 }; /* more of them are typed */

/* The accounts that an amount can go to: those the caller sees, but for this one. */
static void add_targets(struct page_view *view)
{
    const struct request_value list = {"action", STR("balance")};
    const struct request request = {
        .operation = operation_find(STR("bank")), .values = &list, .count = 1};
    struct answer answer = {0};
    struct error ignored = {0}; /* the page says it elsewhere */
    if (service_call(view->service, &request, &answer, &ignored) == 0 &&
        answer.table.row_count <= TARGETS_MAX) {
        for (size_t row = 0; row < answer.table.row_count; row++) {
            const struct str name = answer.table.columns[0].cells[row].text;
            if (!str_eq(name, view->thing)) {
                struct model *target = model_add(view->model, "targets");
                model_text(target, "id", name);
                model_flag(target, "chosen", str_eq(name, view_value(view, "into")));
            }
        }
    }
    answer_release(&answer);
}

/* What the plan asks; the button that carries it out sends the same without `plan`. */
static size_t plan_values(const struct page_view *view, struct request_value values[6])
{
    size_t count = 0;
    values[count++] = (struct request_value){"action", STR("transfer")};
    values[count++] = (struct request_value){"word", view->thing};
    values[count++] = (struct request_value){"word", view_value(view, "amount")};
    values[count++] = (struct request_value){"into", view_value(view, "into")};
    values[count++] = (struct request_value){"plan", STR("")};
    if (view_value(view, "note").len > 0) {
        values[count++] = (struct request_value){"note", view_value(view, "note")};
    }
    return count;
}

/* What cannot be carried out is said in the place of the plan, and has no button. */
static void add_plan(struct page_view *view)
{
    static const struct panel plan = {"What the transfer would do",
                                      "bank",
                                      "",
                                      PANEL_TABLE | PANEL_NOTES | PANEL_WIDE | PANEL_ALONE,
                                      NULL,
                                      NULL};
    struct request_value values[6];
    struct error ignored = {0};
    struct model *own = model_add(view->model, "plan");
    const size_t count = plan_values(view, values);
    const int failed = panel_ask(view, own, &plan, values, count, &ignored);
    model_flag(own, "ready", !failed);
    /* the same plan sent twice is one transfer */
    model_format(own, "id", "page:%s:%" PRId64, view->service->caller->name,
                 view->service->now());
}

void transfer_add(struct page_view *view)
{
    const struct caller *caller = view->service->caller;
    const bool may =
        caller_may(caller, RIGHT_MONEY | RIGHT_TRANSFER) ||
        (caller_may(caller, RIGHT_MANAGED | RIGHT_TRANSFER) && caller->account_count > 0);
    model_list(view->model, "targets");
    model_list(view->model, "plan");
    model_flag(view->model, "may_transfer", may);
    model_text(view->model, "amount", view_value(view, "amount"));
    model_text(view->model, "into", view_value(view, "into"));
    model_text(view->model, "note", view_value(view, "note"));
    model_format(view->model, "back", "%.*s", STR_ARG(view->request->path));
    if (may) {
        add_targets(view);
    }
    if (may && view_value(view, "amount").len > 0 && view_value(view, "into").len > 0) {
        add_plan(view);
    }
}
