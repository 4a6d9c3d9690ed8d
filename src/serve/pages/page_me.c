/* SPDX-License-Identifier: MIT */

/* What concerns the user who is logged in: jobs and how well they went, tokens, views. */
#include "base/attribute.h"
#include "base/scan.h"
#include "serve/pages/pages.h"
#include "service/access/access.h"

enum { MINE_VALUES_MAX = PANEL_VALUES_MAX + 64 };

static const struct panel of_jobs[] = {
    {"Running and waiting", "queue", "", PANEL_TABLE | PANEL_IF_ANY | PANEL_WIDE | PANEL_NOW,
     NULL, NULL},
    {"In this period", "compare",
     "measure=gpu_hours,cpu_hours,jobs,success_rate,gpu_efficiency,cpu_efficiency,wait_median"
     "&by=none",
     PANEL_READS | PANEL_NOTES | PANEL_WIDE, NULL, "compare"},
    {"GPU hours over time", "report", "measure=gpu_hours&every=auto",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "explore"},
    {"CPU hours over time", "report", "measure=cpu_hours&every=auto",
     PANEL_PICTURE | PANEL_FOLDED, NULL, "explore"},
    {"How jobs ended", "report", "measure=jobs&by=class",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "explore"},
    {"What to ask for next time", "rightsize", "", PANEL_TABLE | PANEL_IF_ANY | PANEL_NOTES,
     NULL, "answer/rightsize"},
    {"My latest jobs", "jobs",
     "fields=id,cluster,partition,name,class,gpus,cpus,start,wall,gpu_efficiency,cpu_"
     "efficiency,"
     "run_id&class=!pending&sort=start&reverse=&limit=30",
     PANEL_TABLE | PANEL_WIDE, NULL, "jobs"},
};

/* What the panel asks, of the logins of the user who looks. */
static size_t own_values(struct page_view *view, const struct panel *panel,
                         struct request_value values[MINE_VALUES_MAX])
{
    const struct caller *caller = view->service->caller;
    size_t count = panel_values(view, panel, values);
    for (size_t i = 0; i < caller->login_count && count < MINE_VALUES_MAX; i++) {
        values[count++] = (struct request_value){"user", caller->logins[i]};
    }
    if (caller->login_count == 0) {
        values[count++] = (struct request_value){"user", str_of(caller->name)};
    }
    return count;
}

/* Somebody without runs has no panels about them; false. */
static bool add_jobs(struct page_view *view)
{
    int failed = 0;
    for (size_t i = 0; i < COUNT_OF(of_jobs) && !failed; i++) {
        struct request_value values[MINE_VALUES_MAX];
        struct error ignored = {0}; /* said in the panel */
        const size_t count = own_values(view, &of_jobs[i], values);
        failed = panel_ask(view, view->model, &of_jobs[i], values, count, &ignored);
    }
    if (failed) {
        model_list(view->model, "panels");
    }
    return !failed;
}

/* What is left of the accounts they are in; nothing where there are none. */
static void add_balance(struct page_view *view)
{
    static const struct panel balance = {
        "My balance", "balance", "", PANEL_BALANCE | PANEL_FOLDED | PANEL_IF_ANY | PANEL_WIDE,
        NULL,         NULL};
    struct error ignored = {0}; /* said in the panel */
    view->accounts = "bank";
    (void)!panel_ask(view, view->model, &balance, NULL, 0, &ignored);
    view->accounts = NULL;
}

int page_me(struct page_view *view, struct error *err)
{
    static const struct panel tokens = {"My tokens", "token", "action=list",
                                        PANEL_TABLE, NULL,    NULL};
    const struct request_value list = {"action", STR("list")};
    model_list(view->model, "own");
    model_flag(view->model, "no_jobs", false);
    model_flag(view->model, "has_password", false);
    model_flag(view->model, "admin", caller_may(view->service->caller, RIGHT_ACCESS));
    if (view->service->caller->role == ROLE_ANYONE) {
        model_flag(view->model, "denied", true);
        return 0;
    }
    model_text(view->model, "thing", str_of(view->service->caller->name));
    model_flag(view->model, "no_jobs", !add_jobs(view));
    add_balance(view);
    model_flag(view->model, "has_password",
               view->request->token.ptr &&
                   access_has_password(view->service, str_of(view->service->caller->name)));
    view->key = "name";
    struct model *own = model_add(view->model, "own");
    model_list(own, "panels");
    return panel_ask(view, own, &tokens, &list, 1, err);
}

int page_tables(struct page_view *view, struct error *err)
{
    (void)err;
    for (size_t i = 0; i < view->request->table_count; i++) {
        const struct page_table *one = &view->request->tables[i];
        const bool numbers =
            one->table->row_count == 1 && one->table->columns[0].role == COLUMN_MEASURE;
        const struct panel panel = {
            .title = one->title, .show = PANEL_WIDE | (numbers ? PANEL_NUMBERS : PANEL_TABLE)};
        panel_show(view, view->model, &panel, one->table);
    }
    model_flag(view->model, "denied", view->service->caller->role == ROLE_ANYONE);
    return 0;
}

/* A number of the address, where it is one that a job may ask for. */
static struct str amount_of(const struct page_view *view, const char *name,
                            const char *otherwise)
{
    int64_t amount = 0;
    const struct str text = view_value(view, name);
    return scan_int(text, &amount) && amount > 0 && amount <= 1000000 ? text
                                                                      : str_of(otherwise);
}

/* Jobs like this one, and what is free and waits now, by where. */
int page_soonest(struct page_view *view, struct error *err)
{
    static const struct panel panel = {"Shortest waits first",
                                       "soonest",
                                       "",
                                       PANEL_TABLE | PANEL_NOTES | PANEL_WIDE,
                                       NULL,
                                       NULL};
    const struct str time = view_value(view, "time");
    const struct request_value values[] = {
        {"cpus", amount_of(view, "cpus", "1")},
        {"gpus", amount_of(view, "gpus", "0")},
        {"time", time},
    };
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        model_text(view->model, values[i].name, values[i].text);
    }
    model_format(view->model, "form", "%s/live/soonest", view->request->prefix);
    return panel_ask(view, view->model, &panel, values, COUNT_OF(values) - (time.len ? 0 : 1),
                     err);
}
