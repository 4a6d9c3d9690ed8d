/* SPDX-License-Identifier: MIT */

/*
 * stint invoice: what an account used or was granted in a period, and what that costs, numbered
 * and kept as issued.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/scan.h"
#include "service/bank/invoice_draft.h"
#include "service/core/operations.h"

/* --- showing ------------------------------------------------------------------------------ */

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

/* Whether a term only repeats the number. */
static bool is_plain_number(const struct invoice *invoice, enum invoice_term term)
{
    int64_t number = 0;
    return term == INVOICE_NUMBER && scan_int(invoice->terms[term], &number) &&
           number == invoice->number;
}

/*
 * What it is of, and as of when: a draft follows what is recorded later, one that was issued
 * does not.
 */
static void note_head(const struct bank *bank, const struct invoice *invoice,
                      struct str account)
{
    const struct civil from = zone_civil(bank->zone, invoice->period.from),
                       to = zone_civil(bank->zone, invoice->period.to - 1);
    char at[INSTANT_TEXT_MAX], name[32] = "draft";
    if (invoice->number > 0) {
        (void)snprintf(name, sizeof(name), "%s %" PRId64,
                       invoice_is_credit(invoice) ? "credit note" : "invoice", invoice->number);
    }
    answer_note(bank->answer, NOTE_PERIOD,
                "%s of account '%.*s', %04d-%02d-%02d to %04d-%02d-%02d, as of %s%s", name,
                STR_ARG(account), from.year, from.month, from.day, to.year, to.month, to.day,
                zone_print(bank->zone, invoice->at / SECOND_US * SECOND_US, at),
                invoice->number > 0 ? ""
                                    : "; records and rates that come later change it, until it "
                                      "is issued and has a number");
    for (size_t i = 0; i < INVOICE_TERMS; i++) {
        if (invoice->terms[i].ptr && !is_plain_number(invoice, (enum invoice_term)i)) {
            answer_note(bank->answer, NOTE_READING, "%s: %.*s", invoice_terms[i].id,
                        STR_ARG(invoice->terms[i]));
        }
    }
    for (size_t i = 0; i < invoice->rate_count; i++) {
        answer_note(bank->answer, NOTE_READING, "rate %.*s: %.*s",
                    STR_ARG(invoice->rates[i].name), STR_ARG(invoice->rates[i].text));
    }
}

static int show_invoice(const struct bank *bank, const struct invoice *invoice)
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
    if (request_flag(bank->request, "pdf")) {
        buf_init(&bank->answer->document, LIMIT_OUTPUT);
        return invoice_pdf(&bank->answer->document, bank, invoice, account->name);
    }
    table_columns(&bank->answer->table, line_headings, COUNT_OF(line_headings));
    table_exact(&bank->answer->table);
    for (size_t i = 0; i < invoice->line_count; i++) {
        add_line(bank, invoice, &invoice->lines[i]);
    }
    note_head(bank, invoice, account->name);
    return 0;
}

/* The invoice of word 0: its number, plain or as it is printed. */
static int read_named(const struct bank *bank, struct invoice *out)
{
    struct str word;
    int64_t number = 0;
    int failed = bank_word(bank, 0, "the number of the invoice", &word);
    if (!failed && !scan_int(word, &number)) {
        failed = invoice_number_of(bank->books, word, &number, bank->err);
        if (!failed && number == 0) {
            failed =
                error_set(bank->err, ERROR_USAGE,
                          "'%.*s' is not the number of an invoice; see: stint invoice list",
                          STR_ARG(word));
        }
    }
    return failed ? failed : invoice_read(bank->books, number, out, bank->err);
}

static int do_show(struct bank *bank)
{
    struct invoice invoice = {0};
    int failed = read_named(bank, &invoice);
    failed = failed ? failed : show_invoice(bank, &invoice);
    invoice_release(&invoice);
    return failed;
}

static int draft(const struct bank *bank, const struct ledger_account **account,
                 struct invoice *out)
{
    struct invoice_wish wish;
    int failed = bank_account(bank, 0, account);
    if (!failed && ledger_has_parent(*account)) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "what '%.*s' used is on the invoices of its parent: stint invoice "
                           "draft %.*s",
                           STR_ARG((*account)->name), STR_ARG((*account)->payer_name));
    }
    failed = failed ? failed : invoice_wish_read(bank, &wish);
    return failed ? failed : invoice_draft(bank, *account, &wish, out);
}

static int do_draft(struct bank *bank)
{
    const struct ledger_account *account;
    struct invoice invoice = {0};
    int failed = draft(bank, &account, &invoice);
    failed = failed ? failed : show_invoice(bank, &invoice);
    invoice_release(&invoice);
    return failed;
}

/* --- issuing ------------------------------------------------------------------------------ */

/* A period that is over, and of which no day was invoiced before. */
static int check_period(const struct bank *bank, const struct ledger_account *account,
                        const struct invoice *invoice)
{
    int64_t other = 0;
    if (invoice->period.to > bank->now) {
        const struct civil to = zone_civil(bank->zone, invoice->period.to - 1);
        return error_set(
            bank->err, ERROR_CONFLICT,
            "the period ends on %04d-%02d-%02d and is not over: see a draft of it, "
            "and issue it then",
            to.year, to.month, to.day);
    }
    int failed = invoice_overlapping(bank->books, invoice, &other, bank->err);
    if (!failed && other > 0) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "invoice %" PRId64 " has days of this period already: choose other "
                           "days, or take it back with stint invoice credit %" PRId64,
                           other, other);
    }
    if (!failed && account->held > 0) {
        answer_note(bank->answer, NOTE_WARNING,
                    "jobs of the account are running; what they used in the period is charged "
                    "when they end: see stint invoice correct");
    }
    return failed;
}

static void note_taken_back(const struct bank *bank, const struct invoice *credit,
                            const struct invoice *old)
{
    answer_note(bank->answer, NOTE_RESULT,
                "credit note %" PRId64 " takes invoice %" PRId64 " back", credit->number,
                old->number);
}

static int take_back(const struct bank *bank, const struct invoice *old)
{
    struct invoice credit = {0};
    int failed = invoice_cancel(bank, old, &credit);
    failed = failed ? failed : invoice_write(bank, &credit);
    if (!failed) {
        note_taken_back(bank, &credit, old);
    }
    invoice_release(&credit);
    return failed;
}

/* What was issued about it before is taken back with it. */
static int take_back_all(const struct bank *bank, const struct invoice *old,
                         struct invoice *out)
{
    struct invoice_corrections corrections;
    int failed = invoice_corrections(bank->books, old->number, &corrections, bank->err);
    for (size_t i = 0; !failed && i < corrections.count; i++) {
        struct invoice one = {0};
        struct invoice_corrections about;
        failed = invoice_corrections(bank->books, corrections.numbers[i], &about, bank->err);
        failed = failed ? failed
                        : invoice_read(bank->books, corrections.numbers[i], &one, bank->err);
        if (!failed && about.cancelled_by == 0) {
            failed = take_back(bank, &one);
        }
        invoice_release(&one);
    }
    failed = failed ? failed : invoice_cancel(bank, old, out);
    failed = failed ? failed : invoice_write(bank, out);
    if (!failed) {
        note_taken_back(bank, out, old);
    }
    return failed;
}

/* Whether what was issued, with its corrections, is what would be issued now. */
static int is_right(const struct bank *bank, const struct invoice *old, bool *out)
{
    struct invoice difference = {0};
    int failed = invoice_correct(bank, old, &difference);
    *out = difference.line_count == 0;
    invoice_release(&difference);
    return failed;
}

/*
 * Issues it, unless there is one of the same account, basis and period; then that is what is
 * shown.
 */
static int issue(const struct bank *bank, const struct ledger_account *account,
                 struct invoice *invoice)
{
    int64_t before = 0;
    struct invoice old = {0}, credit = {0};
    bool right = false;
    int failed = invoice_find(bank->books, invoice, &before, bank->err);
    if (!failed && before > 0) {
        failed = invoice_read(bank->books, before, &old, bank->err);
        failed = failed ? failed : is_right(bank, &old, &right);
    }
    if (!failed && before > 0 && !right && request_flag(bank->request, "again")) {
        failed = take_back_all(bank, &old, &credit);
        invoice->replaces = before;
        before = 0;
    }
    if (failed || before == 0) {
        invoice_release(&old);
        invoice_release(&credit);
        failed = failed ? failed : check_period(bank, account, invoice);
        return failed ? failed : invoice_write(bank, invoice);
    }
    answer_note(bank->answer, NOTE_RESULT, "it was issued before as invoice %" PRId64 "%s",
                before,
                right ? ""
                      : "; by the current records and rates it would be another: stint invoice "
                        "correct issues the difference, --again takes it back and issues one "
                        "that replaces it");
    invoice_release(invoice);
    *invoice = old;
    return 0;
}

/*
 * With --close, nothing changes any more on the days of the account up to the end of the
 * invoice.
 */
static int close_period(const struct bank *bank, const struct ledger_account *account,
                        const struct invoice *invoice)
{
    const struct civil last = zone_civil(bank->zone, invoice->period.to - 1);
    bool closed = false;
    if (!request_flag(bank->request, "close")) {
        return 0;
    }
    const int failed = bank_close_account(bank, account, invoice->period.to, &closed);
    if (!failed) {
        answer_note(
            bank->answer, NOTE_RESULT, "the days of '%.*s' up to %04d-%02d-%02d are closed%s",
            STR_ARG(account->name), last.year, last.month, last.day, closed ? "" : " already");
    }
    return failed;
}

static int do_issue(struct bank *bank)
{
    const struct ledger_account *account;
    struct invoice invoice = {0};
    int failed = books_begin(bank->books, bank->err);
    failed = failed ? failed : draft(bank, &account, &invoice);
    failed = failed ? failed : issue(bank, account, &invoice);
    failed = failed ? failed : close_period(bank, account, &invoice);
    failed = failed ? failed : books_commit(bank->books, bank->err);
    failed = failed ? failed : show_invoice(bank, &invoice);
    books_rollback(bank->books);
    invoice_release(&invoice);
    return failed;
}

/*
 * The invoice that a credit note or a correction is about: one that stands, and is not such a
 * thing itself.
 */
static int read_standing(const struct bank *bank, struct invoice *out)
{
    struct invoice_corrections corrections = {0};
    int failed = read_named(bank, out);
    if (!failed && (out->terms[INVOICE_CANCELS].ptr || out->terms[INVOICE_CORRECTS].ptr)) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "%" PRId64 " is itself about another invoice: name that one",
                           out->number);
    }
    failed = failed ? failed
                    : invoice_corrections(bank->books, out->number, &corrections, bank->err);
    if (!failed && corrections.cancelled_by > 0) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "credit note %" PRId64 " takes invoice %" PRId64 " back already",
                           corrections.cancelled_by, out->number);
    }
    return failed;
}

static int do_credit(struct bank *bank)
{
    struct invoice old = {0}, credit = {0};
    int failed = books_begin(bank->books, bank->err);
    failed = failed ? failed : read_standing(bank, &old);
    failed = failed ? failed : take_back_all(bank, &old, &credit);
    failed = failed ? failed : books_commit(bank->books, bank->err);
    failed = failed ? failed : show_invoice(bank, &credit);
    books_rollback(bank->books);
    invoice_release(&old);
    invoice_release(&credit);
    return failed;
}

static int do_correct(struct bank *bank)
{
    struct invoice old = {0}, difference = {0};
    const bool apply = request_flag(bank->request, "apply");
    int failed = books_begin(bank->books, bank->err);
    failed = failed ? failed : read_standing(bank, &old);
    failed = failed ? failed : invoice_correct(bank, &old, &difference);
    const bool differs = difference.line_count > 0;
    if (!failed && differs && apply) {
        failed = invoice_write(bank, &difference);
        failed = failed ? failed : books_commit(bank->books, bank->err);
    }
    books_rollback(bank->books);
    failed = failed || !differs ? failed : show_invoice(bank, &difference);
    if (!failed && !differs) {
        table_columns(&bank->answer->table, line_headings, COUNT_OF(line_headings));
        answer_note(bank->answer, NOTE_EMPTY, "invoice %" PRId64 " is right: nothing differs",
                    old.number);
    } else if (!failed && !apply) {
        answer_note(bank->answer, NOTE_RESULT,
                    "nothing was issued: this is the plan; --apply issues it");
    }
    invoice_release(&old);
    invoice_release(&difference);
    return failed;
}

/* --- list --------------------------------------------------------------------------------- */

enum list_column {
    NUMBER_C,
    ACCOUNT_C,
    BASIS_C,
    FROM_C,
    TO_C,
    AT_C,
    WHO_C,
    REPLACES_C,
    NOTE_C,
    PRINTED_C,
    WHAT_KIND_C,
    ABOUT_C,
    DUE_C,
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
    [PRINTED_C] = {"number", "Number", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [WHAT_KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [ABOUT_C] = {"about", "About", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [DUE_C] = {"due", "Due", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static void set_term(struct table *table, size_t column, size_t row, struct str text)
{
    if (text.ptr) {
        table_set_text(table, column, row, text);
    }
}

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
    const struct str cancels = invoice->terms[INVOICE_CANCELS];
    const struct str corrects = invoice->terms[INVOICE_CORRECTS];
    set_term(table, NOTE_C, row, invoice->note);
    set_term(table, PRINTED_C, row, invoice->terms[INVOICE_NUMBER]);
    table_set_text(table, WHAT_KIND_C, row,
                   cancels.ptr    ? STR("credit note")
                   : corrects.ptr ? STR("correction")
                                  : STR("invoice"));
    set_term(table, ABOUT_C, row, cancels.ptr ? cancels : corrects);
    set_term(table, DUE_C, row, invoice->terms[INVOICE_DUE]);
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

/* --- the operation ------------------------------------------------------------------------ */

static const struct operation_action actions[] = {
    {"draft", "show what an invoice for an account would contain; nothing is kept",
     RIGHT_MANAGED, 0, NULL},
    {"issue", "create an invoice with a number, and keep it unchanged", RIGHT_MONEY | RIGHT_ALL,
     ACTION_CHANGES, NULL},
    {"show", "show an issued invoice by its number, exactly as it was issued", RIGHT_MANAGED, 0,
     NULL},
    {"list", "list issued invoices, all or those of an account", RIGHT_MANAGED, 0, NULL},
    {"credit", "issue a credit note that takes an invoice back as a whole",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
    {"correct",
     "show what an invoice differs from what it would be now; --apply issues the difference",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
};

static const struct {
    const char *name;
    int (*run)(struct bank *bank);
    bool writes;
} table[] = {
    {"draft", do_draft, false}, {"issue", do_issue, true},   {"show", do_show, false},
    {"list", do_list, false},   {"credit", do_credit, true}, {"correct", do_correct, true},
};

static const struct param params[] = {
    {.name = "action",
     .type = PARAM_CHOICE,
     .value = "ACTION",
     .choices = "draft issue show list credit correct",
     .help = "what to do",
     .positional = true,
     .required = true},
    {.name = "word",
     .type = PARAM_TEXT,
     .value = "WORD",
     .help = "the account; for show, credit and correct, the number of the invoice",
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
    {.name = "pdf", .type = PARAM_FLAG, .help = "write a PDF"},
    {.name = "again",
     .type = PARAM_FLAG,
     .help = "issue: replace the invoice of the same account and period, which a credit note "
             "takes back"},
    {.name = "close",
     .type = PARAM_FLAG,
     .help =
         "issue: close the account's days up to the end of the period, so that what changes "
         "there later counts afterwards"},
    {.name = "apply", .type = PARAM_FLAG, .help = "correct: issue the difference"},
    {.name = "note",
     .type = PARAM_TEXT,
     .value = "TEXT",
     .help = "issue, credit, correct: a remark"},
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
    if (request_flag(request, "close") && table[at].run != do_issue) {
        return error_set(err, ERROR_USAGE, "%s does not take --close; see: stint help invoice",
                         table[at].name);
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
        "Costs are rounded line by line to the smallest unit of the currency; the rule and the "
        "remainder are stated. Parties, tax, number format and due date come from [invoice] of "
        "stint.conf and from stint customer. Refunds of the period are lines of their own; "
        "what "
        "is below zero in all is a credit note.\n"
        "Issued invoices are numbered without gaps and never change: the same invoice is shown "
        "later, byte for byte, even if records or rates have changed since. Issuing an invoice "
        "a second time shows the existing one. A period must be over, and no day is invoiced "
        "twice: credit takes an invoice back, correct issues the difference if records have "
        "changed, --again takes one back and issues another.",
    .examples = "stint invoice draft chem --from last-month # a preview\n"
                "stint invoice issue chem --from 2025-03 # numbered\n"
                "stint invoice issue chem --from 2025-03 --close # and its days do not change "
                "any more\n"
                "stint invoice issue chem --from 2025 --by allotment --price 0.02 --unit EUR # "
                "in euros\n"
                "stint invoice show 12 --html > invoice-12.html # for printing\n"
                "stint invoice show 2025-00012 --pdf > invoice-12.pdf # by its printed number\n"
                "stint invoice correct 12 # what has changed since; --apply issues it",
    .rights = RIGHT_MANAGED,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_invoice,
};
