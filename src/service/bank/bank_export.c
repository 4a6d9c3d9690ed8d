/* SPDX-License-Identifier: MIT */

/*
 * stint bank export: the ledger as a journal of beancount, or of ledger and hledger. Every
 * entry is a transaction between the accounts of two pots, in SU; every invoice one between a
 * receivable, income and tax. The balances that the bank shows are assertions at the end: the
 * programs that read the journal refuse it where their sums differ.
 */

#include <inttypes.h>

#include "bank/amount.h"
#include "bank/invoice.h"
#include "base/limit.h"
#include "service/bank/bank.h"

/* What differs between the two. */
struct journal {
    const char *name;
    const char *open; /* "open", "account": what declares an account */
    bool is_beancount;
};

static const struct journal journals[] = {
    {"beancount", "open", true},
    {"ledger", "account", false},
};

struct export
{
    const struct bank *bank;
    const struct journal *journal;
    struct buf *out;
    int64_t first, last; /* days of the first and the last transaction */
};

/* --- names -------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/*
 * A part of a name: letters, digits and dashes, with a capital first. Its number tells it from
 * others that look alike.
 */
static void add_part(struct buf *out, struct str name, int64_t id)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        const bool small = i == 0 && c >= 'a' && c <= 'z';
        buf_addc(out, !is_plain(c) ? (i == 0 ? 'X' : '-') : (char)(small ? c - 'a' + 'A' : c));
    }
    buf_addf(out, "-%" PRId64, id);
}

static void add_allotment_name(struct buf *out, const struct bank *bank,
                               const struct ledger_allotment *allotment)
{
    const struct ledger_account *account = bank_account_of(bank, allotment->account);
    buf_addz(out, "Assets:");
    add_part(out, account ? account->name : STR("Account"), allotment->account);
    buf_addf(out, ":Allotment-%" PRId64, allotment->id);
}

static void add_over_name(struct buf *out, const struct ledger_account *account)
{
    buf_addz(out, "Assets:");
    add_part(out, account->name, account->id);
    buf_addz(out, ":Over");
}

/* The account of a pot; false: nothing is known of it. */
static bool add_pot_name(const struct export *export, int64_t pot)
{
    const struct bank *bank = export->bank;
    static const char *const site[] = {[LEDGER_GRANTED] = "Equity:Granted",
                                       [LEDGER_USED] = "Expenses:Used",
                                       [LEDGER_EXPIRED] = "Expenses:Expired"};
    if (pot >= LEDGER_GRANTED && pot <= LEDGER_EXPIRED) {
        buf_addz(export->out, site[pot]);
        return true;
    }
    for (size_t i = 0; i < bank->allotments.count; i++) {
        if (bank->allotments.rows[i].pot == pot) {
            add_allotment_name(export->out, bank, &bank->allotments.rows[i]);
            return true;
        }
    }
    for (size_t i = 0; i < bank->accounts.count; i++) {
        if (bank->accounts.rows[i].over_pot == pot &&
            !ledger_has_parent(&bank->accounts.rows[i])) {
            add_over_name(export->out, &bank->accounts.rows[i]);
            return true;
        }
    }
    return false;
}

/* A commodity that both take: capitals and digits, two at least, a letter first. */
static void add_commodity(struct buf *out, struct str unit)
{
    if (unit.len < 2 || (unit.ptr[0] >= '0' && unit.ptr[0] <= '9')) {
        buf_addc(out, 'U');
    }
    for (size_t i = 0; i < unit.len && i < 16; i++) {
        const char c = unit.ptr[i];
        buf_addc(out, !is_plain(c) ? 'X' : c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}

/* Text in quotes for beancount; on one line for ledger. */
static void add_text(const struct export *export, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (export->journal->is_beancount && (c == '"' || c == '\\')) {
            buf_addc(export->out, '\\');
        }
        buf_addc(export->out, (unsigned char)c < ' ' || c == 0x7f ? ' ' : c);
    }
}

/* --- transactions ------------------------------------------------------------------------- */

static void add_day(struct buf *out, int64_t day)
{
    const struct civil civil = civil_of_days(day);
    buf_addf(out, "%04d-%02d-%02d", civil.year, civil.month, civil.day);
}

/*
 * A remark that belongs to a transaction: metadata of the one, a tag in a comment of the other.
 */
static void add_remark(const struct export *export, const char *key, struct str text)
{
    if (text.len == 0) {
        return;
    }
    buf_addf(export->out, "%s%s: %s", export->journal->is_beancount ? "  " : "    ; ", key,
             export->journal->is_beancount ? "\"" : "");
    add_text(export, text);
    buf_addz(export->out, export->journal->is_beancount ? "\"\n" : "\n");
}

static void begin_transaction(struct export *export, int64_t at, const char *what,
                              struct str why)
{
    const int64_t day = bank_day(export->bank, at);
    export->first = day < export->first ? day : export->first;
    export->last = day > export->last ? day : export->last;
    add_day(export->out, day);
    if (export->journal->is_beancount) {
        buf_addf(export->out, " * \"%s\" \"", what);
    } else {
        buf_addf(export->out, " * %s%s", what, why.len > 0 ? ": " : "");
    }
    add_text(export, why.ptr ? why : STR(""));
    buf_addz(export->out, export->journal->is_beancount ? "\"\n" : "\n");
}

static void add_amount(const struct export *export, int64_t amount, struct str unit)
{
    struct arena arena = {0};
    buf_addf(export->out, "  %s ", amount_print(&arena, amount).ptr);
    add_commodity(export->out, unit);
    buf_addc(export->out, '\n');
    arena_release(&arena);
}

static int add_entry(struct export *export, const struct ledger_entry *entry)
{
    const int64_t pots[] = {entry->to, entry->from};
    begin_transaction(export, entry->at, ledger_kind_name(entry->kind), entry->why);
    add_remark(export, "id", entry->key);
    add_remark(export, "who", entry->who);
    add_remark(export, "run", entry->run);
    for (size_t i = 0; i < COUNT_OF(pots); i++) {
        buf_addz(export->out, "    ");
        if (!add_pot_name(export, pots[i])) {
            return error_set(export->bank->err, ERROR_STORE,
                             "entry %" PRId64
                             " is of a pot that no account has; see: stint bank check",
                             entry->id);
        }
        add_amount(export, i == 0 ? entry->amount : -entry->amount, STR("SU"));
    }
    buf_addc(export->out, '\n');
    return 0;
}

/* What the customer owes, against what was earned and what is the tax office's. */
static void add_invoice(struct export *export, const struct invoice *invoice)
{
    const struct ledger_account *account = bank_account_of(export->bank, invoice->account);
    int64_t total = 0, tax = 0;
    for (size_t i = 0; i < invoice->line_count; i++) {
        const struct invoice_line *line = &invoice->lines[i];
        total = str_eq(line->what, STR(INVOICE_TOTAL)) ? line->cost : total;
        tax = str_eq(line->what, STR(INVOICE_TAX)) ? line->cost : tax;
    }
    if (!invoice->unit.ptr || !account) {
        return;
    }
    begin_transaction(export, invoice->at,
                      invoice_is_credit(invoice) ? "credit note" : "invoice",
                      invoice->terms[INVOICE_NUMBER]);
    buf_addz(export->out, "    Assets:Receivable:");
    add_part(export->out, account->name, account->id);
    add_amount(export, total, invoice->unit);
    buf_addz(export->out, "    Income:Computing");
    add_amount(export, tax - total, invoice->unit);
    if (tax != 0) {
        buf_addz(export->out, "    Liabilities:Tax");
        add_amount(export, -tax, invoice->unit);
    }
    buf_addc(export->out, '\n');
}

static int add_invoices(struct export *export)
{
    const struct bank *bank = export->bank;
    struct invoice_list list;
    int failed = invoice_list_read(bank->books, &list, bank->err);
    for (size_t i = 0; !failed && i < list.count; i++) {
        struct invoice invoice = {0};
        failed = invoice_read(bank->books, list.rows[i].number, &invoice, bank->err);
        if (!failed) {
            add_invoice(export, &invoice);
        }
        invoice_release(&invoice);
    }
    invoice_list_release(&list);
    return failed;
}

static int add_transactions(struct export *export)
{
    const struct bank *bank = export->bank;
    struct ledger_entries entries;
    int failed = ledger_entries_list(bank->books, 0, INT64_MIN, INT64_MAX, &entries, bank->err);
    for (size_t i = 0; !failed && i < entries.count; i++) {
        failed = add_entry(export, &entries.rows[i]);
    }
    ledger_entries_release(&entries);
    return failed ? failed : add_invoices(export);
}

/* --- before and after --------------------------------------------------------------------- */

static void begin_account(const struct export *export)
{
    if (export->journal->is_beancount) {
        add_day(export->out, export->first);
        buf_addc(export->out, ' ');
    }
    buf_addf(export->out, "%s ", export->journal->open);
}

static void end_account(const struct export *export, struct str name)
{
    buf_addc(export->out, '\n');
    if (name.ptr && export->journal->is_beancount) {
        add_remark(export, "name", name);
    } else if (name.ptr) {
        buf_addz(export->out, "    ; name: ");
        add_text(export, name);
        buf_addc(export->out, '\n');
    }
}

static void add_commodity_row(const struct export *export, struct str unit)
{
    buf_addz(export->out, "commodity ");
    add_commodity(export->out, unit);
    buf_addz(export->out, "\n    format 1000.000000 ");
    add_commodity(export->out, unit);
    buf_addc(export->out, '\n');
}

/* Declares tags, SU and the currencies of invoices; beancount takes them as they come. */
static int add_commodities(const struct export *export)
{
    const struct bank *bank = export->bank;
    struct invoice_list list = {0};
    int failed = 0;
    if (export->journal->is_beancount) {
        return 0;
    }
    buf_addz(export->out, "tag id\ntag who\ntag run\ntag name\n");
    add_commodity_row(export, STR("SU"));
    failed = invoice_list_read(bank->books, &list, bank->err);
    for (size_t i = 0; !failed && i < list.count; i++) {
        const struct str unit = list.rows[i].unit;
        size_t k = 0;
        while (k < i && !str_eq(list.rows[k].unit, unit)) {
            k++;
        }
        if (k == i && unit.ptr) {
            add_commodity_row(export, unit);
        }
    }
    invoice_list_release(&list);
    return failed;
}

/* Declares all accounts: both programs can be told to refuse others. */
static void add_accounts(struct export *export)
{
    static const char *const site[] = {"Equity:Granted", "Expenses:Used", "Expenses:Expired",
                                       "Income:Computing", "Liabilities:Tax"};
    const struct bank *bank = export->bank;
    for (size_t i = 0; i < COUNT_OF(site); i++) {
        begin_account(export);
        buf_addz(export->out, site[i]);
        end_account(export, (struct str){0});
    }
    for (size_t i = 0; i < bank->accounts.count; i++) {
        const struct ledger_account *account = &bank->accounts.rows[i];
        if (ledger_has_parent(account)) {
            continue; /* nothing moves there */
        }
        begin_account(export);
        add_over_name(export->out, account);
        end_account(export, account->name);
        begin_account(export);
        buf_addz(export->out, "Assets:Receivable:");
        add_part(export->out, account->name, account->id);
        end_account(export, account->name);
    }
    for (size_t i = 0; i < bank->allotments.count; i++) {
        begin_account(export);
        add_allotment_name(export->out, bank, &bank->allotments.rows[i]);
        end_account(export, bank->allotments.rows[i].note);
    }
    buf_addc(export->out, '\n');
}

/* That an account has as much as the bank says. */
static void add_balance(const struct export *export, int64_t pot, int64_t balance)
{
    struct arena arena = {0};
    add_day(export->out, export->last + 1);
    buf_addz(export->out, export->journal->is_beancount ? " balance " : " balance\n    ");
    (void)add_pot_name(export, pot);
    buf_addf(export->out, "  %s%s SU\n%s",
             export->journal->is_beancount ? "" : "0 SU = ", amount_print(&arena, balance).ptr,
             export->journal->is_beancount ? "" : "\n");
    arena_release(&arena);
}

static void add_balances(const struct export *export)
{
    const struct bank *bank = export->bank;
    for (size_t i = 0; i < bank->accounts.count; i++) {
        const struct ledger_account *account = &bank->accounts.rows[i];
        if (!ledger_has_parent(account)) {
            add_balance(export, account->over_pot, account->over);
        }
    }
    for (size_t i = 0; i < bank->allotments.count; i++) {
        add_balance(export, bank->allotments.rows[i].pot, bank->allotments.rows[i].balance);
    }
}

int bank_show_export(struct bank *bank)
{
    const struct str as = request_text(bank->request, "as");
    const struct journal *journal = &journals[0];
    struct buf transactions;
    while (as.ptr && !str_eq(as, str_of(journal->name))) {
        journal++; /* it is one of them: request_check has looked */
    }
    const int64_t today = bank_day(bank, bank->now);
    struct export export = {
        .bank = bank, .journal = journal, .out = &transactions, .first = today, .last = today};
    buf_init(&transactions, LIMIT_OUTPUT);
    int failed = add_transactions(&export);
    export.out = &bank->answer->document;
    buf_init(export.out, LIMIT_OUTPUT);
    failed = failed ? failed : add_commodities(&export);
    if (!failed) {
        add_accounts(&export);
        buf_add(export.out, buf_str(&transactions));
        add_balances(&export);
    }
    if (!failed && (export.out->overflow || transactions.overflow)) {
        failed = error_set(bank->err, ERROR_LIMIT, "the ledger is too long for one journal");
    }
    buf_release(&transactions);
    return failed;
}
