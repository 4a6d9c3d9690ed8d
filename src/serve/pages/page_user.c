/* SPDX-License-Identifier: MIT */

/*
 * What pages of one user, group, queue, ... have besides their panels: large numbers at the
 * top; of a user, their share within their groups.
 */
#include "base/attribute.h"
#include "serve/pages/pages.h"
#include "serve/pages/reads.h"

enum { PERSON_GROUPS_MAX = 10 };

enum share_column { GROUP_C, OWN_C, ALL_C, SHARE_C };

static const struct heading share_headings[] = {
    [GROUP_C] = {"group", "Group", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [OWN_C] = {"cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE},
    [ALL_C] = {"group_cpu_hours", "CPU hours of the group", CELL_WIDE, UNIT_HOURS,
               COLUMN_MEASURE},
    [SHARE_C] = {"share", "Share", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE},
};

/* CPU hours by group in the period of the page, of what `name` is `pattern` of. */
static int ask_groups(struct page_view *view, const char *name, struct str pattern,
                      struct answer *answer, struct error *err)
{
    static const struct panel hours = {.operation = "report",
                                       .query = "measure=cpu_hours&by=group&sort=cpu_hours"};
    struct request_value values[PANEL_VALUES_MAX + 1];
    size_t count = panel_values(view, &hours, values);
    values[count++] = (struct request_value){name, pattern};
    const struct request request = {
        .operation = operation_find(STR("report")), .values = values, .count = count};
    return service_call(view->service, &request, answer, err);
}

static void add_group(struct page_view *view, const struct table *own, size_t row,
                      struct table *out)
{
    const struct str group = own->columns[0].cells[row].text;
    struct answer all = {0};
    struct error ignored = {0};
    const int failed = ask_groups(view, "group", view_pattern(view, group), &all, &ignored);
    for (size_t i = 0; !failed && i < all.table.row_count; i++) {
        if (!table_has(&all.table, 0, i) ||
            !str_eq(all.table.columns[0].cells[i].text, group)) {
            continue;
        }
        const wide_int mine = table_wide(own, 1, row), whole = table_wide(&all.table, 1, i);
        const size_t to = table_row(out);
        table_set_text(out, GROUP_C, to, group);
        table_set_wide(out, OWN_C, to, mine);
        table_set_wide(out, ALL_C, to, whole);
        if (whole > 0) {
            table_set_real(out, SHARE_C, to, (double)mine / (double)whole);
        }
    }
    answer_release(&all);
}

/* Whether the caller sees all runs that the page is about: staff do, and users of themselves. */
static bool sees_all(const struct page_view *view, struct str dimension)
{
    const struct caller *caller = view->service->caller;
    bool own = caller->login_count == 0 && str_eq(view->thing, str_of(caller->name));
    for (size_t i = 0; i < caller->login_count; i++) {
        own = own || str_eq(view->thing, caller->logins[i]);
    }
    return caller_may(caller, RIGHT_ALL) ||
           (own && caller_may(caller, RIGHT_OWN) && str_eq(dimension, STR("user")));
}

/* The dimension is the first part of the path. */
int page_thing(struct page_view *view, struct error *err)
{
    struct str path = view->request->path;
    struct error ignored = {0}; /* said in the panel */
    (void)err;
    (void)str_cut(&path, '/');
    const char *dimension = arena_text(view->arena, str_cut(&path, '/'));
    const struct reads_ask ask = {
        .measures = "gpu_hours,cpu_hours,jobs,success_rate,gpu_efficiency,cpu_efficiency,"
                    "wait_median",
        .filter = arena_printf(view->arena, "%s={}", dimension),
        .period = "",
        .dimension = dimension,
        .whole = sees_all(view, str_of(dimension))};
    (void)!reads_add(view, model_add(view->model, "tops"), &ask, &ignored);
    return 0;
}

/* A caller who sees only some of a group's runs would be shown a share of those. */
int page_user(struct page_view *view, struct error *err)
{
    static const struct panel panel = {
        "Share within their groups", NULL, "", PANEL_TABLE, NULL, NULL};
    struct answer own = {0};
    struct table shares = {0};
    struct error ignored = {0}; /* said by the panels */
    const int failed = page_thing(view, err);
    if (failed || !caller_may(view->service->caller, RIGHT_ALL)) {
        return failed;
    }
    table_columns(&shares, share_headings, COUNT_OF(share_headings));
    if (ask_groups(view, "user", view_pattern(view, view->thing), &own, &ignored) == 0) {
        for (size_t row = 0; row < own.table.row_count && row < PERSON_GROUPS_MAX; row++) {
            if (table_has(&own.table, 0, row) && table_has(&own.table, 1, row)) {
                add_group(view, &own.table, row, &shares);
            }
        }
    }
    if (shares.row_count > 0) {
        panel_show(view, view->model, &panel, &shares);
    }
    table_release(&shares);
    answer_release(&own);
    return 0;
}
