/* SPDX-License-Identifier: MIT */

/*
 * What people decided, to look at and to change: a page for each kind of the books, with what
 * is there, a form for more, and for each row a way to change it and to take it out. Fields are
 * the operation's own parameters.
 */
#include "base/attribute.h"
#include "base/scan.h"
#include "serve/pages/pages.h"

enum { ADMIN_CELLS_MAX = 64 };

/* How a row is reported: by its name where that is enough, else by its number. */
static const struct admin_row {
    const char *operation, *title, *key, *remove;
} admin_rows[] = {
    {"metagroup", "Metagroups", "name", "remove"},
    {"member", "Members", "id", "remove"},
    {"people", "People", "person", "remove"},
    {"target", "Targets", "name", "remove"},
    {"gap", "Gaps", "id", "remove"},
    {"capacity", "Sizes of clusters", "id", "remove"},
    {"cluster", "Rules for clusters", "id", "remove"},
    {"name", "Names", "id", "remove"},
    {"token", "Tokens", "name", "revoke"},
    {"user", "Users", "name", "remove"},
    {"rate", "Rates", "id", "remove"},
    {"customer", "Customers", "id", "remove"},
    {"cap", "Caps", "id", "remove"},
    {"view", "Saved views", "id", "remove"},
};

static void add_kinds(struct page_view *view)
{
    model_list(view->model, "kinds");
    for (size_t i = 0; i < COUNT_OF(admin_rows); i++) {
        struct model *kind = model_add(view->model, "kinds");
        model_text(kind, "label", str_of(admin_rows[i].title));
        model_format(kind, "url", "%s/admin/%s", view->request->prefix,
                     admin_rows[i].operation);
        model_flag(kind, "here", str_eq(view->thing, str_of(admin_rows[i].operation)));
    }
    struct model *audit = model_add(view->model, "kinds");
    model_text(audit, "label", STR("Audit log"));
    model_format(audit, "url", "%s/answer/audit?action=list", view->request->prefix);
    model_flag(audit, "here", false);
}

/* The row that is to be changed, of what the list gave; row_count if it is not there. */
static size_t find_row(const struct table *table, const char *key, struct str wanted)
{
    int64_t number = 0;
    const bool is_number = scan_int(wanted, &number);
    for (size_t c = 0; c < table->column_count && wanted.len > 0; c++) {
        if (!str_eq(str_of(table->columns[c].id), str_of(key))) {
            continue;
        }
        for (size_t row = 0; row < table->row_count; row++) {
            if (table->columns[c].type == CELL_TEXT
                    ? str_eq(table->columns[c].cells[row].text, wanted)
                    : is_number && table->columns[c].cells[row].integer == number) {
                return row;
            }
        }
    }
    return table->row_count;
}

static struct str value_of(const struct table *table, size_t row, const char *id)
{
    for (size_t c = 0; c < table->column_count && row < table->row_count; c++) {
        const struct column *column = &table->columns[c];
        if (str_eq(str_of(column->id), str_of(id)) && column->type == CELL_TEXT &&
            column->present[row]) {
            return column->cells[row].text;
        }
    }
    return (struct str){0};
}

static void add_choices(struct model *field, const struct param *param, struct str value)
{
    struct str rest = str_of(param->choices);
    model_list(field, "choices");
    while (rest.len > 0) {
        const struct str word = str_cut(&rest, ' ');
        struct model *choice = model_add(field, "choices");
        model_text(choice, "id", word);
        model_flag(choice, "chosen", str_eq(word, value));
    }
}

/* What the list calls the column that a field fills; a password has none. */
static const char *label_of(const struct table *table, const char *id)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (str_eq(str_of(table->columns[c].id), str_of(id))) {
            return table->columns[c].label;
        }
    }
    return id;
}

/* A field for each column of the kind, which come after the operation's own parameters. */
static void add_fields(struct page_view *view, const struct operation *operation,
                       const struct table *table, size_t row)
{
    struct param param;
    model_list(view->model, "fields");
    for (size_t i = operation->param_count; operation_param(operation, i, &param); i++) {
        struct model *field = model_add(view->model, "fields");
        const struct str value = value_of(table, row, param.name);
        model_text(field, "id", str_of(param.name));
        model_text(field, "label", str_of(label_of(table, param.name)));
        model_text(field, "about", str_of(param.help));
        model_text(field, "value", value);
        add_choices(field, &param, value);
    }
}

static int show_kind(struct page_view *view, const struct admin_row *kind, struct error *err)
{
    const struct request_value list = {"action", STR("list")};
    const struct request request = {
        .operation = operation_find(str_of(kind->operation)), .values = &list, .count = 1};
    const struct panel panel = {
        .title = kind->title, .operation = kind->operation, .show = PANEL_TABLE | PANEL_WIDE};
    const struct str wanted = view_value(view, "change");
    struct answer answer = {0};
    view->key = kind->key;
    int failed = service_call(view->service, &request, &answer, err);
    if (!failed) {
        const size_t row = find_row(&answer.table, kind->key, wanted);
        add_fields(view, request.operation, &answer.table, row);
        model_flag(view->model, "changing", row < answer.table.row_count);
        model_text(view->model, "word", row < answer.table.row_count ? wanted : STR(""));
        failed = panel_ask(view, view->model, &panel, &list, 1, err);
    }
    answer_release(&answer);
    return failed;
}

int page_admin(struct page_view *view, struct error *err)
{
    add_kinds(view);
    model_list(view->model, "fields");
    model_flag(view->model, "changing", false);
    model_text(view->model, "word", (struct str){0});
    for (size_t i = 0; i < COUNT_OF(admin_rows); i++) {
        if (str_eq(view->thing, str_of(admin_rows[i].operation))) {
            model_text(view->model, "thing", str_of(admin_rows[i].title));
            model_text(view->model, "operation", str_of(admin_rows[i].operation));
            model_text(view->model, "remove", str_of(admin_rows[i].remove));
            model_format(view->model, "back", "/admin/%s", admin_rows[i].operation);
            return show_kind(view, &admin_rows[i], err);
        }
    }
    model_text(view->model, "operation", (struct str){0});
    model_text(view->model, "back", (struct str){0});
    model_text(view->model, "remove", (struct str){0});
    return view->thing.len == 0 ? 0 : error_set(err, ERROR_MISSING, "there is no such page");
}
