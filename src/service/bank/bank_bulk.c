/* SPDX-License-Identifier: MIT */

/*
 * stint bank bulk: changes from a sheet, one a row, each as the command of that name does it.
 * They are made in one transaction, which is given up without --apply: whatever would keep a
 * change from being made keeps the plan from being shown. A row without a key gets one from the
 * file and its place in it, so that the same file changes nothing twice.
 */

#include <stdlib.h>

#include "bank/amount.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "books/sheet.h"
#include "service/bank/bank_change.h"
#include "service/core/inputs.h"

/* Columns are options of the commands, but for the first three. */
enum bulk_column { ACTION, ACCOUNT, AMOUNT, KEY, OPTIONS };

static const struct kind_column columns[] = {
    [ACTION] = {.id = "action", .label = "Action", .type = KIND_NAME},
    [ACCOUNT] = {.id = "account", .label = "Account", .type = KIND_NAME},
    [AMOUNT] = {.id = "amount", .label = "Amount", .type = KIND_NAME},
    [KEY] = {.id = "key", .label = "Key", .type = KIND_NAME},
    {.id = "from", .label = "From", .type = KIND_NAME},
    {.id = "to", .label = "To", .type = KIND_NAME},
    {.id = "into", .label = "Into", .type = KIND_NAME},
    {.id = "cluster", .label = "Cluster", .type = KIND_NAME},
    {.id = "kind", .label = "Kind", .type = KIND_NAME},
    {.id = "carry", .label = "Carry", .type = KIND_NAME},
    {.id = "then", .label = "Then", .type = KIND_NAME},
    {.id = "transferable", .label = "Transferable", .type = KIND_NAME},
    {.id = "allotment", .label = "Allotment", .type = KIND_NAME},
    {.id = "overdraft", .label = "Overdraft", .type = KIND_NAME},
    {.id = "note", .label = "Note", .type = KIND_TEXT},
};

static const struct kind sheet_kind = {.name = "change",
                                       .table = "change",
                                       .one = "change",
                                       .columns = columns,
                                       .column_count = COUNT_OF(columns)};

static const struct bulk_action {
    const char *name;   /* in the sheet */
    const char *action; /* of the command */
    bool set, keyed;    /* with --set; it takes --id */
    int (*run)(struct bank *bank);
} bulk_actions[] = {
    {"open", "open", false, false, change_open},
    {"grant", "grant", false, true, change_grant},
    {"adjust", "adjust", false, true, change_adjust},
    {"set", "adjust", true, true, change_adjust},
    {"extend", "extend", false, true, change_extend},
    {"void", "void", false, true, change_void},
    {"writeoff", "writeoff", false, true, change_write_off},
    {"transfer", "transfer", false, true, change_transfer},
};

/* --- rows --------------------------------------------------------------------------------- */

static const struct bulk_action *find_action(struct str name)
{
    for (size_t i = 0; i < COUNT_OF(bulk_actions); i++) {
        if (str_eq(name, str_of(bulk_actions[i].name))) {
            return &bulk_actions[i];
        }
    }
    return NULL;
}

struct values {
    struct request_value rows[COUNT_OF(columns) + 2];
    size_t count;
};

static void add_value(struct values *values, const char *name, struct str text)
{
    if (text.len > 0) {
        values->rows[values->count++] = (struct request_value){name, text};
    }
}

/* The request that the command of a row would be. */
static void read_row(const struct sheet_row *row, const struct bulk_action *action,
                     struct str key, struct values *out)
{
    *out = (struct values){0};
    add_value(out, "action", str_of(action->action));
    add_value(out, "word", row->cells[ACCOUNT]);
    add_value(out, "word", row->cells[AMOUNT]);
    if (action->set) {
        add_value(out, "set", STR("true"));
    }
    if (action->keyed) {
        add_value(out, "id", key);
    }
    for (size_t i = OPTIONS; i < COUNT_OF(columns); i++) {
        add_value(out, columns[i].id, row->cells[i]);
    }
}

/* The account of a row, and the one that it moves SU into, as they are after it. */
static int read_changed(struct bank *bank, const struct request *row)
{
    struct str account;
    const struct str into = request_text(row, "into");
    int failed = request_each(row, "word", 0, &account) ? bank_read_account(bank, account) : 0;
    return failed || !into.ptr ? failed : bank_read_account(bank, into);
}

static int run_row(struct bank *bank, const struct bulk_action *action,
                   const struct values *values)
{
    const struct request *whole = bank->request;
    const struct request one = {
        .operation = whole->operation, .values = values->rows, .count = values->count};
    int failed = request_check(&one, bank->err);
    failed = failed ? failed : bank_check_options(&one, bank->err);
    if (!failed) {
        bank->request = &one;
        failed = action->run(bank);
        bank->request = whole;
    }
    return failed ? failed : read_changed(bank, &one);
}

/* Accounts that are there are not opened again: so a sheet can be repeated. */
static bool is_there(const struct bank *bank, const struct bulk_action *action,
                     struct str account)
{
    const bool there =
        action->run == change_open && ledger_accounts_find(&bank->accounts, account) != NULL;
    if (there) {
        answer_note(bank->answer, NOTE_RESULT, "'%.*s' is there already and was left as it is",
                    STR_ARG(account));
    }
    return there;
}

static int take_row(struct bank *bank, const struct sheet *sheet, const struct sheet_row *row,
                    const char *digest)
{
    struct arena *arena = &bank->answer->table.arena;
    const struct bulk_action *action = find_action(row->cells[ACTION]);
    struct values values;
    if (!action) {
        return error_set(bank->err, ERROR_INPUT,
                         "%s %zu: the action '%.*s' is none of open, grant, adjust, set, "
                         "extend, void, writeoff, transfer",
                         sheet->place, row->place, STR_ARG(row->cells[ACTION]));
    }
    const struct str own = row->cells[KEY];
    const struct str key =
        own.len > 0 ? own : str_of(arena_printf(arena, "bulk-%.16s-%zu", digest, row->place));
    read_row(row, action, key, &values);
    int failed =
        is_there(bank, action, row->cells[ACCOUNT]) ? 0 : run_row(bank, action, &values);
    return failed ? error_prepend(bank->err, "%s %zu: ", sheet->place, row->place) : 0;
}

/* --- what they come to -------------------------------------------------------------------- */

struct before {
    int64_t account;
    struct ledger_balance balance;
};

enum plan_column { PLAN_ACCOUNT, PLAN_BALANCE, PLAN_CHANGE, PLAN_THEN, PLAN_FREE };

static const struct heading plan_headings[] = {
    [PLAN_ACCOUNT] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [PLAN_BALANCE] = {"balance", "Balance", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [PLAN_CHANGE] = {"change", "Change", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [PLAN_THEN] = {"then", "Then", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [PLAN_FREE] = {"free", "Free then", CELL_INT, UNIT_SU, COLUMN_MEASURE},
};

static int compare_before(const void *a, const void *b)
{
    const struct before *x = a, *y = b;
    return x->account != y->account ? (x->account < y->account ? -1 : 1) : 0;
}

/* What all accounts have, by their numbers. */
static int read_before(const struct bank *bank, struct before **out)
{
    int failed = 0;
    *out = mem_alloc(bank->accounts.count + 1, sizeof(**out));
    for (size_t i = 0; !failed && i < bank->accounts.count; i++) {
        (*out)[i].account = bank->accounts.rows[i].id;
        failed = ledger_balance(&bank->accounts.rows[i], &bank->allotments, bank->now,
                                &(*out)[i].balance, bank->err);
    }
    qsort(*out, bank->accounts.count, sizeof(**out), compare_before);
    return failed;
}

static const struct before *find_before(const struct before *before, size_t count, int64_t id)
{
    const struct before key = {.account = id};
    return bsearch(&key, before, count, sizeof(key), compare_before);
}

static void add_account(const struct bank *bank, const struct ledger_account *account,
                        const struct before *was, const struct ledger_balance *is)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_text(table, PLAN_ACCOUNT, row, account->name);
    if (was && !was->balance.unlimited) {
        table_set_int(table, PLAN_BALANCE, row, was->balance.balance);
    }
    if (!is->unlimited && !(was && was->balance.unlimited)) {
        table_set_int(table, PLAN_CHANGE, row, is->balance - (was ? was->balance.balance : 0));
    }
    if (!is->unlimited) {
        table_set_int(table, PLAN_THEN, row, is->balance);
        table_set_int(table, PLAN_FREE, row, is->free);
    }
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* The accounts that the sheet names, sorted. */
static struct str *names_of(const struct sheet *sheet)
{
    struct str *names = mem_alloc(sheet->count + 1, sizeof(*names));
    for (size_t i = 0; i < sheet->count; i++) {
        names[i] = sheet->rows[i].cells[ACCOUNT];
    }
    qsort(names, sheet->count, sizeof(*names), compare_names);
    return names;
}

/* Accounts that the sheet names, or that change with those; what a parent has is shown once. */
static int show_plan(const struct bank *bank, const struct sheet *sheet,
                     const struct before *before, size_t count)
{
    struct str *names = names_of(sheet);
    int failed = 0;
    table_columns(&bank->answer->table, plan_headings, COUNT_OF(plan_headings));
    table_exact(&bank->answer->table);
    for (size_t i = 0; !failed && i < bank->accounts.count; i++) {
        const struct ledger_account *account = &bank->accounts.rows[i];
        const struct before *was = find_before(before, count, account->id);
        struct ledger_balance is;
        failed = ledger_balance(account, &bank->allotments, bank->now, &is, bank->err);
        const bool named =
            bsearch(&account->name, names, sheet->count, sizeof(*names), compare_names);
        if (!failed && !ledger_has_parent(account) &&
            (named || !was || was->balance.balance != is.balance)) {
            add_account(bank, account, was, &is);
        }
    }
    free(names);
    return failed;
}

/* --- all of it ---------------------------------------------------------------------------- */

static int take_sheet(struct bank *bank, const struct sheet *sheet, const char *digest)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < sheet->count; i++) {
        failed = take_row(bank, sheet, &sheet->rows[i], digest);
    }
    return failed;
}

static int change_all(struct bank *bank, const struct sheet *sheet, const char *digest,
                      bool apply)
{
    struct before *before = NULL;
    int failed = books_begin(bank->books, bank->err);
    failed = failed ? failed : bank_read(bank);
    const size_t count = failed ? 0 : bank->accounts.count;
    failed = failed ? failed : read_before(bank, &before);
    failed = failed ? failed : take_sheet(bank, sheet, digest);
    failed = failed ? failed : show_plan(bank, sheet, before, count);
    failed = failed || !apply ? failed : bank_charge_missing(bank);
    failed = failed || !apply ? failed : books_commit(bank->books, bank->err);
    books_rollback(bank->books);
    free(before);
    if (!failed) {
        answer_note(bank->answer, NOTE_RESULT, "%zu change%s%s", sheet->count,
                    sheet->count == 1 ? "" : "s",
                    apply ? " made"
                          : ": nothing was changed, this is the plan; --apply makes them");
    }
    return failed;
}

int bank_do_bulk(struct bank *bank)
{
    const bool apply = request_flag(bank->request, "apply");
    struct sheet sheet = {0};
    struct sha256 sha;
    struct buf text;
    char digest[SHA256_TEXT + 1];
    struct str name;
    int failed = bank_word(bank, 0, "the file", &name);
    buf_init(&text, LIMIT_BOOKS_FILE);
    failed = failed ? failed : inputs_read(bank->request, "word", 0, &text, bank->err);
    failed = failed ? failed : sheet_read(&sheet_kind, buf_str(&text), &sheet, bank->err);
    sha256_begin(&sha);
    sha256_add(&sha, buf_str(&text));
    sha256_end(&sha, digest);
    failed = failed ? failed : change_all(bank, &sheet, digest, apply);
    sheet_release(&sheet);
    buf_release(&text);
    return failed;
}
