/* SPDX-License-Identifier: MIT */

/* stint invoice: what an account used or was granted in a period, and what that costs, numbered and kept as issued. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/scan.h"
#include "service/bank/invoice_draft.h"
#include "service/operations.h"

/* --- showing -------------------------------------------------------------------------------------- */

enum line_column { WHAT_C, CLUSTER_C, USER_C, SU_C, COST_C, UNIT_C };

static const struct heading line_headings[] = {
    [WHAT_C] = {"what", "What", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [CLUSTER_C] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [USER_C] = {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SU_C] = {"amount", "SU", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [COST_C] = {"cost", "Cost", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [UNIT_C] = {"unit", "Unit", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static void add_line(const struct bank *bank, const struct invoice *invoice,
                     const struct invoice_line *line)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_text(table, WHAT_C, row, line->what);
    if (line->cluster.ptr) {
        table_set_text(table, CLUSTER_C, row, line->cluster);
        table_set_text(table, USER_C, row, line->user);
    }
    if (line->has_su) {
        table_set_int(table, SU_C, row, line->su);
    }
    if (line->has_cost) {
        table_set_int(table, COST_C, row, line->cost);
        table_set_text(table, UNIT_C, row, invoice->unit);
    }
}

/* What it is of, and as of when: a draft follows what is recorded later, one that was issued does not. */
static void note_head(const struct bank *bank, const struct invoice *invoice,
                      struct str account)
{
    const struct civil from = zone_civil(bank->zone, invoice->period.from),
                       to = zone_civil(bank->zone, invoice->period.to - 1);
    char at[INSTANT_TEXT_MAX], name[32] = "draft";
    if (invoice->number > 0) {
        (void)snprintf(name, sizeof(name), "invoice %" PRId64, invoice->number);
    }
    answer_note(bank->answer, NOTE_PERIOD,
                "%s of account '%.*s', %04d-%02d-%02d to %04d-%02d-%02d, as of %s%s", name,
                STR_ARG(account), from.year, from.month, from.day, to.year, to.month, to.day,
                zone_print(bank->zone, invoice->at / SECOND_US * SECOND_US, at),
                invoice->number > 0 ? ""
                                    : "; records and rates that come later change it, until it "
                                      "is issued and has a number");
    for (size_t i = 0; i < invoice->rate_count; i++) {
        answer_note(bank->answer, NOTE_READING, "rate %.*s: %.*s",
                    STR_ARG(invoice->rates[i].name), STR_ARG(invoice->rates[i].text));
    }
}

static int show(const struct bank *bank, const struct invoice *invoice)
{
    const struct ledger_account *account = bank_account_of(bank, invoice->account);
    if (!account || !bank_manages(bank, account)) { /* as one that does not exist */
        return error_set(bank->err, ERROR_MISSING,
                         "there is no invoice %" PRId64 "; see: stint invoice list",
                         invoice->number);
    }
    if (request_flag(bank->request, "html")) {
        buf_init(&bank->answer->document, LIMIT_OUTPUT);
        invoice_page(&bank->answer->document, bank, invoice, account->name);
        return 0;
    }
    table_columns(&bank->answer->table, line_headings, COUNT_OF(line_headings));
    table_exact(&bank->answer->table);
    for (size_t i = 0; i < invoice->line_count; i++) {
        add_line(bank, invoice, &invoice->lines[i]);
    }
    note_head(bank, invoice, account->name);
    return 0;
}

static int do_show(struct bank *bank)
{
    struct invoice invoice = {0};
    struct str word;
    int64_t number = 0;
    int failed = bank_word(bank, 0, "the number of the invoice", &word);
    if (!failed && !scan_int(word, &number)) {
        failed = error_set(bank->err, ERROR_USAGE,
                           "'%.*s' is not the number of an invoice; see: stint invoice list",
                           STR_ARG(word));
    }
    (void)(failed || (failed = invoice_read(bank->books, number, &invoice, bank->err)) ||
           (failed = show(bank, &invoice)));
    invoice_release(&invoice);
    return failed;
}

static int do_draft(struct bank *bank)
{
    const struct ledger_account *account;
    struct invoice invoice = {0};
    int failed;
    (void)((failed = bank_account(bank, 0, &account)) ||
           (failed = invoice_draft(bank, account, &invoice)) ||
           (failed = show(bank, &invoice)));
    invoice_release(&invoice);
    return failed;
}

/* --- issuing -------------------------------------------------------------------------------------- */

/* Issues it, unless there is one of the same account, basis and period; then that is what is shown. */
static int issue(const struct bank *bank, struct invoice *invoice)
{
    int64_t before = 0;
    struct invoice old = {0};
    int failed = invoice_find(bank->books, invoice, &before, bank->err);
    if (failed || before == 0 || request_flag(bank->request, "again")) {
        invoice->replaces = before;
        return failed ? failed : invoice_issue(bank->books, invoice, bank->err);
    }
    failed = invoice_read(bank->books, before, &old, bank->err);
    if (!failed) {
        answer_note(bank->answer, NOTE_RESULT, "it was issued before as invoice %" PRId64 "%s",
                    before,
                    invoice_is_same(invoice, &old)
                        ? ""
                        : "; by the current records and rates it would be another: --again "
                          "issues one that replaces it");
    }
    invoice_release(invoice);
    *invoice = old;
    return failed;
}

static int do_issue(struct bank *bank)
{
    const struct ledger_account *account;
    struct invoice invoice = {0};
    int failed;
    (void)((failed = bank_account(bank, 0, &account)) ||
           (failed = books_begin(bank->books, bank->err)) ||
           (failed = invoice_draft(bank, account, &invoice)));
    if (!failed) {
        const struct str note = request_text(bank->request, "note");
        invoice.who = arena_copy(&invoice.arena, str_of(bank->service->caller->name));
        invoice.note = note.ptr ? arena_copy(&invoice.arena, note) : note;
        (void)((failed = issue(bank, &invoice)) ||
               (failed = books_commit(bank->books, bank->err)) ||
               (failed = show(bank, &invoice)));
    }
    books_rollback(bank->books);
    invoice_release(&invoice);
    return failed;
}

/* --- list ----------------------------------------------------------------------------------------- */

enum list_column {
    NUMBER_C,
    ACCOUNT_C,
    BASIS_C,
    FROM_C,
    TO_C,
    AT_C,
    WHO_C,
    REPLACES_C,
    NOTE_C
};

static const struct heading list_headings[] = {
    [NUMBER_C] = {"invoice", "Invoice", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [BASIS_C] = {"by", "By", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [FROM_C] = {"from", "From", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [TO_C] = {"to", "To", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [AT_C] = {"at", "Issued", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [WHO_C] = {"who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [REPLACES_C] = {"replaces", "Replaces", CELL_INT, UNIT_NONE, COLUMN_BESIDE},
    [NOTE_C] = {"note", "Note", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static void add_invoice(const struct bank *bank, const struct invoice *invoice,
                        const struct ledger_account *account)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_int(table, NUMBER_C, row, invoice->number);
    table_set_text(table, ACCOUNT_C, row, account->name);
    table_set_text(table, BASIS_C, row, str_of(invoice_basis_name(invoice->basis)));
    table_set_int(table, FROM_C, row, invoice->period.from);
    table_set_int(table, TO_C, row, invoice->period.to);
    table_set_int(table, AT_C, row, invoice->at);
    table_set_text(table, WHO_C, row, invoice->who);
    if (invoice->replaces > 0) {
        table_set_int(table, REPLACES_C, row, invoice->replaces);
    }
    if (invoice->note.ptr) {
        table_set_text(table, NOTE_C, row, invoice->note);
    }
}

static int do_list(struct bank *bank)
{
    struct invoice_list list;
    struct str name;
    const struct ledger_account *one = NULL;
    int failed = request_each(bank->request, "word", 0, &name)
                     ? ledger_accounts_get(&bank->accounts, name, &one, bank->err)
                     : 0;
    if (failed) {
        return failed;
    }
    table_columns(&bank->answer->table, list_headings, COUNT_OF(list_headings));
    failed = invoice_list_read(bank->books, &list, bank->err);
    for (size_t i = 0; !failed && i < list.count; i++) {
        const struct ledger_account *account = bank_account_of(bank, list.rows[i].account);
        if (account && bank_manages(bank, account) && (!one || one == account)) {
            add_invoice(bank, &list.rows[i], account);
        }
    }
    if (!failed && bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "no invoice was issued; see: stint help invoice");
    }
    invoice_list_release(&list);
    return failed;
}

/* --- the operation -------------------------------------------------------------------------------- */

static const struct operation_action actions[] = {
    {"draft", "show what an invoice for an account would contain; nothing is kept",
     RIGHT_MANAGED, 0, NULL},
    {"issue", "create an invoice with a number, and keep it unchanged", RIGHT_MONEY | RIGHT_ALL,
     ACTION_CHANGES, NULL},
    {"show", "show an issued invoice by its number, exactly as it was issued", RIGHT_MANAGED, 0,
     NULL},
    {"list", "list issued invoices, all or those of an account", RIGHT_MANAGED, 0, NULL},
};

static const struct {
    const char *name;
    int (*run)(struct bank *bank);
    bool writes;
} table[] = {
    {"draft", do_draft, false},
    {"issue", do_issue, true},
    {"show", do_show, false},
    {"list", do_list, false},
};

static const struct param params[] = {
    {.name = "action",
     .type = PARAM_CHOICE,
     .value = "ACTION",
     .choices = "draft issue show list",
     .help = "what to do",
     .positional = true,
     .required = true},
    {.name = "word",
     .type = PARAM_TEXT,
     .value = "WORD",
     .help = "the account; for show, the number of the invoice",
     .positional = true,
     .repeated = true},
    {.name = "from",
     .letter = 'S',
     .type = PARAM_TEXT,
     .value = "TIME",
     .fallback = "last-month",
     .help = "the period, or its first day"},
    {.name = "to",
     .letter = 'E',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "last day of the period; default the end of the period that --from names"},
    {.name = "by",
     .type = PARAM_CHOICE,
     .value = "BASIS",
     .choices = "usage allotment",
     .fallback = "usage",
     .help = "charge for usage in the period, or for allotments that begin in it"},
    {.name = "unit",
     .type = PARAM_TEXT,
     .value = "CURRENCY",
     .help = "currency; default that of the rates"},
    {.name = "price",
     .type = PARAM_TEXT,
     .value = "AMOUNT",
     .help = "price of one SU, instead of rates in the currency"},
    {.name = "html", .type = PARAM_FLAG, .help = "write an HTML page for printing"},
    {.name = "again",
     .type = PARAM_FLAG,
     .help = "issue: replace the invoice of the same account and period"},
    {.name = "note", .type = PARAM_TEXT, .value = "TEXT", .help = "issue: a remark"},
};

static int run_invoice(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    const struct str name = request_text(request, "action");
    struct bank bank = {0};
    struct str word;
    size_t at = 0;
    while (!str_eq(name, str_of(table[at].name))) {
        at++; /* it is one of them: request_check has looked */
    }
    if (request_each(request, "word", 1, &word)) {
        return error_set(err, ERROR_USAGE, "%s does not take '%.*s'; see: stint help invoice",
                         table[at].name, STR_ARG(word));
    }
    int failed;
    (void)((failed = bank_open(service, request, answer,
                               table[at].writes ? BOOKS_WRITE : BOOKS_READ, &bank, err)) ||
           (failed = table[at].run(&bank)));
    bank_close(&bank);
    return failed;
}

const struct operation operation_invoice = {
    .name = "invoice",
    .summary = "write invoices by usage or by allotment",
    .description =
        "An invoice lists what an account used in a period, by cluster and user, or the "
        "allotments that begin in it. Prices come from rates in a currency (stint rate add ... "
        "--unit EUR), or from a price per SU (--price). The rates that were applied are "
        "attached.\n"
        "Issued invoices are numbered without gaps and never change: the same invoice is shown "
        "later, byte for byte, even if records or rates have changed since. Issuing an invoice "
        "a second time shows the existing one; --again issues a new one that replaces it.",
    .examples = "stint invoice draft chem --from last-month # a preview\n"
                "stint invoice issue chem --from 2025-03 # numbered\n"
                "stint invoice issue chem --from 2025 --by allotment --price 0.02 --unit EUR # "
                "in euros\n"
                "stint invoice show 12 --html > invoice-12.html # for printing",
    .rights = RIGHT_MANAGED,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_invoice,
};
