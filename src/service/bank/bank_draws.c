/* SPDX-License-Identifier: MIT */

/* stint bank draw, draws: whose runs an account pays for, and when. */

#include "bank/closings.h"
#include "service/bank/bank_change.h"

/*
 * "user:ann", "project:x", "account:chem" or plain "chem", an account. NULL: runs are not
 * charged by what it names.
 */
static const char *draw_kind(struct str text, struct str *name)
{
    static const char *const names[] = {"account", "project", "user"};
    struct str rest = text;
    const struct str kind = str_cut(&rest, ':');
    for (size_t i = 0; rest.ptr && i < COUNT_OF(names); i++) {
        if (str_eq(kind, str_of(names[i]))) {
            *name = rest;
            return names[i];
        }
    }
    *name = text;
    return rest.ptr ? NULL : names[0];
}

/*
 * When a draw begins where nobody says: always, if it takes no runs from other accounts, as one
 * by account of all clusters; else where no period is closed.
 */
static int first_open(const struct bank *bank, const struct ledger_draw_row *row, int64_t *out)
{
    struct closings closings;
    *out = INT64_MIN;
    if (str_eq(row->kind, STR("account")) && !row->cluster.ptr) {
        return 0;
    }
    const int failed = closings_read(bank->books, &closings, bank->err);
    const struct closing *last = failed ? NULL : closings_last(&closings, 0);
    *out = last ? last->until : INT64_MIN;
    closings_release(&closings);
    return failed;
}

int bank_draw_read(const struct bank *bank, const struct ledger_account *account,
                   struct str text, struct ledger_draw_row *out)
{
    const bool own = str_eq(request_text(bank->request, "action"), STR("draw"));
    int64_t from = INT64_MIN;
    *out =
        (struct ledger_draw_row){.account = account->id, .from = INT64_MIN, .to = INSTANT_MAX};
    const char *kind = draw_kind(text, &out->name);
    if (!kind || out->name.len == 0) {
        return error_set(
            bank->err, ERROR_USAGE,
            "runs are charged by account:NAME, project:NAME or user:NAME, not '%.*s'; "
            "for an account of that name: account:%.*s",
            STR_ARG(text), STR_ARG(text));
    }
    out->kind = str_of(kind);
    out->cluster = own ? request_text(bank->request, "cluster") : (struct str){0};
    int failed = first_open(bank, out, &from);
    out->from = from;
    if (failed || !own) {
        return failed;
    }
    failed = bank_instant(bank, "from", false, from, &out->from);
    failed = failed ? failed : bank_instant(bank, "to", true, INSTANT_MAX, &out->to);
    if (!failed && request_has(bank->request, "from")) {
        failed = bank_check_open(bank, 0, "from", out->from);
    }
    if (!failed && request_has(bank->request, "to")) {
        failed = bank_check_open(bank, 0, "to", out->to);
    }
    return !failed && out->from >= out->to
               ? error_set(bank->err, ERROR_USAGE, "the draw would end before it begins")
               : failed;
}

/*
 * The draw of the account that is to be ended: of the same name and cluster, and holding at
 * that time.
 */
static const struct ledger_draw_row *find_to_end(const struct bank *bank,
                                                 const struct ledger_draw_row *like)
{
    for (size_t i = 0; i < bank->draws.count; i++) {
        const struct ledger_draw_row *row = &bank->draws.rows[i];
        if (row->account == like->account && str_eq(row->kind, like->kind) &&
            str_eq(row->name, like->name) &&
            (row->cluster.ptr && like->cluster.ptr ? str_eq(row->cluster, like->cluster)
                                                   : row->cluster.ptr == like->cluster.ptr) &&
            row->from < like->to && like->to < row->to) {
            return row;
        }
    }
    return NULL;
}

/*
 * Adds the draw, or ends the one that is there: then only --to is given. *since: runs from then
 * on draw otherwise.
 */
static int change(struct bank *bank, const struct ledger_draw_row *wanted, int64_t *since)
{
    const bool ends = request_has(bank->request, "to") && !request_has(bank->request, "from");
    const struct ledger_draw_row *there = ends ? find_to_end(bank, wanted) : NULL;
    *since = there ? wanted->to : wanted->from;
    return there ? ledger_draw_end(bank->books, there->id, wanted->to, bank->err)
                 : ledger_draw_add(bank->books, wanted, bank->err);
}

/* The draw, and what it makes of charges, inside a transaction. */
static int draw(struct bank *bank, struct charging_plan *plan)
{
    const struct ledger_account *account;
    struct ledger_draw_row row;
    struct charging_result result = {0};
    struct str text;
    int64_t since = 0;
    int failed = bank_read(bank);
    failed = failed ? failed : bank_account(bank, 0, &account);
    failed = failed ? failed : bank_word(bank, 1, "whose runs", &text);
    failed = failed ? failed : bank_draw_read(bank, account, text, &row);
    failed = failed ? failed : change(bank, &row, &since);
    if (failed) {
        return failed;
    }
    const struct charging_wish wish = {.which = CHARGING_OF_NAME,
                                       .kind = row.kind.ptr,
                                       .name = row.name,
                                       .since = since,
                                       .who = str_of(bank->service->caller->name),
                                       .why =
                                           STR("whose runs the account pays for was changed"),
                                       .now = bank->now,
                                       .plan = plan};
    failed = charging_run_within(bank->books, bank->service->session, bank->zone, &wish,
                                 &result, bank->err);
    return failed == ERROR_MISSING ? 0 : failed; /* without a store there are no runs */
}

int bank_do_draw(struct bank *bank)
{
    struct charging_plan plan = {0};
    const bool apply = request_flag(bank->request, "apply");
    int failed = books_begin(bank->books, bank->err);
    failed = failed ? failed : draw(bank, &plan);
    failed = failed || !apply ? failed : books_commit(bank->books, bank->err);
    books_rollback(bank->books);
    if (!failed) {
        change_show_differences(bank, &plan, apply,
                                "no charge of a run is moved by it; --apply keeps it");
    }
    charging_plan_release(&plan);
    return failed;
}

/* --- listing ------------------------------------------------------------------------------ */

enum draw_column { ACCOUNT_C, KIND_C, NAME_C, CLUSTER_C, FROM_C, TO_C };

static const struct heading headings[] = {
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [NAME_C] = {"name", "Name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [CLUSTER_C] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [FROM_C] = {"from", "From", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [TO_C] = {"to", "Ends", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
};

int bank_show_draws(struct bank *bank)
{
    struct table *table = &bank->answer->table;
    struct str name;
    const struct ledger_account *one = NULL;
    int failed =
        request_each(bank->request, "word", 0, &name) ? bank_account(bank, 0, &one) : 0;
    table_columns(table, headings, COUNT_OF(headings));
    for (size_t i = 0; !failed && i < bank->draws.count; i++) {
        const struct ledger_draw_row *draw = &bank->draws.rows[i];
        const struct ledger_account *account = bank_account_of(bank, draw->account);
        if (!account || (one && one != account)) {
            continue;
        }
        const size_t row = table_row(table);
        table_set_text(table, ACCOUNT_C, row, account->name);
        table_set_text(table, KIND_C, row, draw->kind);
        table_set_text(table, NAME_C, row, draw->name);
        table_set_text(table, CLUSTER_C, row, draw->cluster.ptr ? draw->cluster : STR("any"));
        if (draw->from > INT64_MIN) {
            table_set_int(table, FROM_C, row, draw->from);
        }
        if (draw->to < INSTANT_MAX) {
            table_set_int(table, TO_C, row, draw->to);
        }
    }
    if (!failed && table->row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "nobody's runs are charged to it");
    }
    return failed;
}
