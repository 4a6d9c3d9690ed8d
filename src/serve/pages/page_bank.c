/* SPDX-License-Identifier: MIT */

/* Accounts of the bank: all of them, one of them, and what a job would cost. */
#include "base/attribute.h"
#include "serve/pages/pages.h"
#include "serve/pages/transfer_form.h"

int page_bank(struct page_view *view, struct error *err)
{
    static const struct panel all = {
        "Accounts", "bank", "", PANEL_BALANCE | PANEL_TABLE | PANEL_NOTES | PANEL_WIDE,
        NULL,       NULL};
    static const struct panel own = {
        "My accounts", "balance", "", PANEL_BALANCE | PANEL_TABLE | PANEL_NOTES | PANEL_WIDE,
        NULL,          NULL};
    const struct request_value list = {"action", STR("balance")};
    model_format(view->model, "quote", "%s/quote", view->request->prefix);
    model_format(view->model, "requests", "%s/requests", view->request->prefix);
    view->accounts = "bank";
    /* an account that one manages is among those one sees */
    return caller_may(view->service->caller, RIGHT_MANAGED)
               ? panel_ask(view, view->model, &all, &list, 1, err)
               : panel_ask(view, view->model, &own, NULL, 0, err);
}

/* What is asked for, with forms to ask, to withdraw and, for those who may, to decide. */
int page_requests(struct page_view *view, struct error *err)
{
    static const struct panel open = {
        "Open requests", "request", "", PANEL_TABLE | PANEL_NOTES | PANEL_WIDE, NULL, NULL};
    static const struct panel all = {
        "All requests", "request", "", PANEL_TABLE | PANEL_WIDE | PANEL_FOLDED, NULL, NULL};
    const struct request_value list[] = {{"action", STR("list")}, {"all", STR("")}};
    const struct caller *caller = view->service->caller;
    view->accounts = "bank";
    model_format(view->model, "back", "%.*s", STR_ARG(view->request->path));
    model_flag(view->model, "may_ask", caller_may(caller, RIGHT_OWN));
    model_flag(view->model, "may_decide", caller_may(caller, RIGHT_TRANSFER));
    model_flag(view->model, "may_grant", caller_may(caller, RIGHT_MONEY | RIGHT_ALL));
    model_text(view->model, "account", view_value(view, "account"));
    const int failed = panel_ask(view, view->model, &open, list, 1, err);
    return failed ? failed : panel_ask(view, view->model, &all, list, COUNT_OF(list), err);
}

/*
 * What is shown of an account, each an action of the bank. `name`: the parameter that names the
 * account; `period`: it is of the period of the page.
 */
static const struct account_panel {
    const char *action, *name;
    bool period;
    struct panel panel;
} account_panels[] = {
    {"balance",
     "word",
     false,
     {"What is left", "bank", "", PANEL_BALANCE | PANEL_FIELDS | PANEL_NOTES | PANEL_WIDE, NULL,
      NULL}},
    {"days",
     "word",
     true,
     {"Balance over time", "bank", "", PANEL_PICTURE | PANEL_FOLDED | PANEL_NOTES | PANEL_WIDE,
      "line", NULL}},
    {"balance",
     "parent",
     false,
     {"Accounts that it pays for", "bank", "",
      PANEL_BALANCE | PANEL_TABLE | PANEL_IF_ANY | PANEL_WIDE, NULL, NULL}},
    {"caps",
     "word",
     false,
     {"Ceilings and caps", "bank", "", PANEL_TABLE | PANEL_IF_ANY | PANEL_WIDE, NULL, NULL}},
    {"allotments",
     "word",
     false,
     {"Allotments", "bank", "", PANEL_TABLE | PANEL_WIDE, NULL, NULL}},
    {"statement",
     "word",
     true,
     {"Who used what", "bank", "", PANEL_TABLE | PANEL_WIDE, NULL, NULL}},
    {"charges", "word", true, {"Charges", "bank", "", PANEL_FOLDED | PANEL_WIDE, NULL, NULL}},
    {"history", "word", true, {"Entries", "bank", "", PANEL_FOLDED | PANEL_WIDE, NULL, NULL}},
};

int page_bank_account(struct page_view *view, struct error *err)
{
    int failed = 0;
    view->accounts = "account";
    for (size_t i = 0; i < COUNT_OF(account_panels) && !failed; i++) {
        struct request_value values[4] = {
            {"action", str_of(account_panels[i].action)},
            {account_panels[i].name, view->thing},
        };
        size_t count = 2;
        for (size_t v = 0; account_panels[i].period && v < 2; v++) {
            const char *const name = v == 0 ? "from" : "to";
            const struct str text = view_value(view, name);
            if (text.len > 0) {
                values[count++] = (struct request_value){name, text};
            }
        }
        failed = panel_ask(view, view->model, &account_panels[i].panel, values, count, err);
        if (failed && i > 0) {
            failed = 0; /* said in the panel; what else there is follows */
        }
        if (i == 0 && !failed) {
            transfer_add(view);
        }
    }
    return failed;
}

/* --- what would it cost? ------------------------------------------------------------------ */

/* Fields of the form, and the flag of sbatch that each becomes. */
static const struct quote_field {
    const char *id, *label, *flag, *about;
    const char *names; /* what is completed as one types; or NULL */
} quote_fields[] = {
    {"cpus", "CPUs", "-n", "4", NULL},
    {"time", "Time limit", "-t", "2:00:00", NULL},
    {"mem", "Memory", "--mem", "8G", NULL},
    {"gpus", "GPUs", "--gpus", "1", NULL},
    {"account", "Account", "-A", "chem", "account"},
    {"partition", "Partition", "-p", "long", "partition"},
    {"qos", "QOS", "-q", "normal", "qos"},
};

enum { QUOTE_VALUES_MAX = 64 };

static void add_quote_form(struct page_view *view)
{
    model_format(view->model, "form", "%s/quote", view->request->prefix);
    model_list(view->model, "fields");
    for (size_t i = 0; i < COUNT_OF(quote_fields); i++) {
        struct model *field = model_add(view->model, "fields");
        model_text(field, "id", str_of(quote_fields[i].id));
        model_text(field, "label", str_of(quote_fields[i].label));
        model_text(field, "about", str_of(quote_fields[i].about));
        model_text(field, "names", str_of(quote_fields[i].names));
        model_text(field, "value", view_value(view, quote_fields[i].id));
    }

    static const struct {
        const char *id, *label, *about;
    } others[] = {{"cluster", "Cluster", "any"},
                  {"flags", "Or flags of sbatch or qsub", "-n 4 -t 2:00:00 --mem 8G"}};

    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct model *field = model_add(view->model, "fields");
        model_text(field, "id", str_of(others[i].id));
        model_text(field, "label", str_of(others[i].label));
        model_text(field, "about", str_of(others[i].about));
        model_text(field, "names", i == 0 ? STR("cluster") : (struct str){0});
        model_text(field, "value", view_value(view, others[i].id));
    }
}

/* The values of the form as flags, then those that were typed. */
static size_t quote_values(const struct page_view *view,
                           struct request_value values[QUOTE_VALUES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(quote_fields); i++) {
        const struct str text = view_value(view, quote_fields[i].id);
        if (text.len > 0) {
            values[count++] = (struct request_value){"flag", str_of(quote_fields[i].flag)};
            values[count++] = (struct request_value){"flag", text};
        }
    }
    struct str rest = view_value(view, "flags");
    while (rest.len > 0 && count < QUOTE_VALUES_MAX - 1) {
        const struct str word = str_cut(&rest, ' ');
        if (word.len > 0) {
            values[count++] = (struct request_value){"flag", word};
        }
    }
    if (count > 0 && view_value(view, "cluster").len > 0) {
        values[count++] = (struct request_value){"cluster", view_value(view, "cluster")};
    }
    return count;
}

int page_quote(struct page_view *view, struct error *err)
{
    static const struct panel panel = {"What it would cost",
                                       "quote",
                                       "",
                                       PANEL_FITTING | PANEL_NOTES | PANEL_WIDE,
                                       NULL,
                                       NULL};
    struct request_value values[QUOTE_VALUES_MAX];
    add_quote_form(view);
    const size_t count = quote_values(view, values);
    view->accounts = "bank";
    if (count == 0) {
        return 0;
    }
    /* what cannot be priced is said below the form, where it can be mended */
    const int failed = panel_ask(view, view->model, &panel, values, count, err);
    return failed == ERROR_USAGE || failed == ERROR_MISSING ? 0 : failed;
}
