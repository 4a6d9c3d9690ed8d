/* SPDX-License-Identifier: MIT */

/*
 * stint metagroup: groups of groups, and who is in them. Its members are stint member's.
 */

#include "books/membership.h"
#include "service/books/kind_actions.h"
#include "service/core/operations.h"

static bool is_in(const struct membership *row, struct str metagroup)
{
    for (size_t i = 0; i < row->depth; i++) {
        if (str_eq(row->levels[i], metagroup)) {
            return true;
        }
    }
    return false;
}

enum show_column { KIND_C, NAME_C, METAGROUP_C, CHAIN_C, FROM_C, TO_C };

static const struct heading headings[] = {
    [KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [NAME_C] = {"name", "Name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [METAGROUP_C] = {"metagroup", "Metagroup", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [CHAIN_C] = {"chain", "Inside", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [FROM_C] = {"from", "From", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
    [TO_C] = {"to", "To", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
};

static void add_membership_row(struct table *table, const struct membership *row)
{
    size_t r = table_row(table);
    const char *chain = "";
    for (size_t i = 0; i < row->depth; i++) {
        chain = arena_printf(&table->arena, "%s%s%.*s", chain, i ? " > " : "",
                             STR_ARG(row->levels[i]));
    }
    table_set_text(table, KIND_C, r, str_of(membership_rank_name(row->rank)));
    table_set_text(table, NAME_C, r, row->name);
    table_set_text(table, METAGROUP_C, r, row->metagroup);
    table_set_text(table, CHAIN_C, r, str_of(chain));
    if (row->from > 0) {
        table_set_int(table, FROM_C, r, row->from);
    }
    if (row->to < INSTANT_MAX) {
        table_set_int(table, TO_C, r, row->to);
    }
}

/* The name is one that there is; without a name, all are meant. */
static int check_name(struct books *books, struct str name, struct error *err)
{
    struct books_rows rows;
    int failed = books_list(books, kind_find(STR("metagroup")), &rows, err);
    bool there = !name.ptr;
    struct str *names = arena_alloc(&rows.arena, (rows.count + 1) * sizeof(*names));
    for (size_t i = 0; i < rows.count; i++) {
        names[i] = rows.rows[i].cells[0];
        there = there || str_eq(names[i], name);
    }
    if (!failed && !there) {
        failed = kind_unknown("metagroup", name, names, rows.count,
                              "see them all with: stint metagroup list", err);
    }
    books_rows_release(&rows);
    return failed;
}

static int show_metagroup(struct service *service, const struct request *request,
                          struct answer *answer, struct error *err)
{
    struct str name = request_text(request, "word");
    struct membership_list list = {0};
    struct str more;
    struct books *books = NULL;
    int failed;
    if (request_each(request, "word", 1, &more)) {
        return error_set(err, ERROR_USAGE, "show needs one metagroup, or none for all");
    }
    (void)((failed = service_books(service, BOOKS_READ, &books, err)) ||
           (failed = check_name(books, name, err)) ||
           (failed = books_memberships(books, service->zone, &list, err)));
    if (!failed) {
        table_columns(&answer->table, headings, COUNT_OF(headings));
        for (size_t i = 0; i < list.count; i++) {
            if (!name.ptr || is_in(&list.rows[i], name)) {
                add_membership_row(&answer->table, &list.rows[i]);
            }
        }
        answer_note(answer, NOTE_READING,
                    "a run counts in the metagroup of its user, else of its account, else of "
                    "its group");
    }
    membership_list_release(&list);
    return failed;
}

static int run_metagroup(struct service *service, const struct request *request,
                         struct answer *answer, struct error *err)
{
    return str_eq(request_text(request, "action"), STR("show"))
               ? show_metagroup(service, request, answer, err)
               : kind_actions_run(service, request, answer, err);
}

static const struct operation_action actions[] = {
    ENTRY_ACTIONS(RIGHT_OWN, RIGHT_BOOKS),
    {"show", "show all its members and when, including those of nested metagroups", RIGHT_ALL,
     0, NULL},
};

static const struct param params[] = {ENTRY_PARAMS(ENTRY_ACTION_NAMES " show")};

const struct operation operation_metagroup = {
    .name = "metagroup",
    .summary = "manage metagroups: departments, faculties, partners",
    .description = "A metagroup combines users, accounts, groups and other metagroups in "
                   "reports. It is identified by its name: stint metagroup add NAME. Its "
                   "members are defined with stint member.",
    .examples = "stint metagroup add science --full_name 'Faculty of Science' # a new one\n"
                "stint metagroup show science # its members, and when\n"
                "stint metagroup export --format csv > metagroups.csv # for a spreadsheet",
    .rights = RIGHT_OWN,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .sets = PARAMS_KIND,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_metagroup,
};
