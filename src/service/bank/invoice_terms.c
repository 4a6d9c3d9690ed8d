/* SPDX-License-Identifier: MIT */

/* What an invoice says beside its lines: parties, number, due date, rounding, tax. */

#include <inttypes.h>
#include <stdio.h>

#include "bank/amount.h"
#include "base/limit.h"
#include "base/scan.h"
#include "config/config.h"
#include "service/bank/invoice_draft.h"

#define PERCENT (100 * AMOUNT_ONE)

enum { NUMBER_MAX = 128, DUE_MAX = 3650 };

static struct str setting(const struct bank *bank, enum config_invoice_key key)
{
    const struct config *config = bank->service->config;
    const struct config_section *section =
        config ? config_find(config, STR("invoice"), (struct str){0}) : NULL;
    const char *fallback = config_invoice_keys[key].fallback;
    return section    ? config_text(section, &config_invoice_keys[key])
           : fallback ? str_of(fallback)
                      : (struct str){0};
}

/* A value of several lines: "Street 1; 12345 Town". */
static void set_lines(struct invoice *invoice, enum invoice_term term, struct str text)
{
    struct buf out;
    buf_init(&out, LIMIT_TEXT_FIELD);
    while (text.ptr && text.len > 0) {
        const struct str line = str_trim(str_cut(&text, ';'));
        buf_addf(&out, "%s%.*s", out.len > 0 ? "\n" : "", STR_ARG(line));
    }
    invoice_set_term(invoice, term, buf_str(&out));
    buf_release(&out);
}

/* --- parties ------------------------------------------------------------------------------ */

struct customer {
    bool has_tax;
    int64_t tax;
    struct str tax_note;
};

static const struct {
    const char *column;
    enum invoice_term term;
} from_customer[] = {{"name", INVOICE_CUSTOMER},
                     {"address", INVOICE_CUSTOMER_ADDRESS},
                     {"tax_id", INVOICE_CUSTOMER_TAX_ID},
                     {"reference", INVOICE_REFERENCE}};

static int set_customer(const struct bank *bank, const struct ledger_account *account,
                        struct invoice *invoice, struct customer *out)
{
    const struct kind *kind = kind_find(STR("customer"));
    struct books_rows rows;
    int failed = books_list(bank->books, kind, &rows, bank->err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        const struct kind_row *row = &rows.rows[i];
        if (!str_eq(kind_cell(kind, row, "account"), account->name)) {
            continue;
        }
        for (size_t k = 0; k < COUNT_OF(from_customer); k++) {
            invoice_set_term(invoice, from_customer[k].term,
                             kind_cell(kind, row, from_customer[k].column));
        }
        const struct str tax = kind_cell(kind, row, "tax"),
                         note = kind_cell(kind, row, "tax_note");
        out->has_tax = tax.ptr != NULL;
        out->tax = tax.ptr ? kind_micro(tax) : 0;
        out->tax_note = note.ptr ? arena_copy(&invoice->arena, note) : note;
    }
    books_rows_release(&rows);
    return failed;
}

static void set_seller(const struct bank *bank, struct invoice *invoice)
{
    invoice_set_term(invoice, INVOICE_SELLER, setting(bank, CONFIG_INVOICE_SELLER));
    set_lines(invoice, INVOICE_SELLER_ADDRESS, setting(bank, CONFIG_INVOICE_ADDRESS));
    invoice_set_term(invoice, INVOICE_SELLER_TAX_ID, setting(bank, CONFIG_INVOICE_TAX_ID));
    set_lines(invoice, INVOICE_PAYMENT, setting(bank, CONFIG_INVOICE_PAYMENT));
}

/* --- amounts ------------------------------------------------------------------------------ */

/* Rounds each line, and says by what rule and what remains. */
static int round_lines(const struct bank *bank, struct invoice *invoice)
{
    const int decimals = rounding_decimals(invoice->unit);
    const enum rounding_rule rule = rounding_rule_of(setting(bank, CONFIG_INVOICE_ROUND));
    struct arena arena = {0};
    int64_t exact = 0, sum = 0, one = AMOUNT_ONE;
    int failed = 0;
    for (size_t i = 0; !failed && i < invoice->line_count; i++) {
        struct invoice_line *line = &invoice->lines[i];
        failed = amount_add(exact, line->cost, &exact, bank->err);
        failed = failed ? failed
                        : rounding_apply(line->cost, decimals, rule, &line->cost, bank->err);
        failed = failed ? failed : amount_add(sum, line->cost, &sum, bank->err);
    }
    for (int i = 0; i < decimals; i++) {
        one /= 10;
    }
    if (!failed) {
        const char *text = arena_printf(
            &arena, "each line %s to %s %.*s; exactly %s, remainder %s",
            rounding_rule_name(rule), amount_print(&arena, one).ptr, STR_ARG(invoice->unit),
            amount_print(&arena, exact).ptr, amount_print(&arena, exact - sum).ptr);
        invoice_set_term(invoice, INVOICE_ROUNDING, str_of(text));
    }
    arena_release(&arena);
    return failed;
}

/* A line with the sums of all others that are no sums themselves. */
static int sum_of(const struct bank *bank, const struct invoice *invoice,
                  struct invoice_line *out)
{
    int failed = 0;
    *out = (struct invoice_line){.has_cost = invoice->unit.ptr != NULL};
    for (size_t i = 0; !failed && i < invoice->line_count; i++) {
        const struct invoice_line *line = &invoice->lines[i];
        failed = amount_add(out->su, line->su, &out->su, bank->err);
        failed = failed ? failed : amount_add(out->cost, line->cost, &out->cost, bank->err);
    }
    return failed;
}

static int read_tax(const struct bank *bank, const struct customer *customer, int64_t *out)
{
    const struct str text = setting(bank, CONFIG_INVOICE_TAX);
    *out = customer->tax;
    if (customer->has_tax || !text.ptr) {
        return 0;
    }
    int failed = amount_parse(text, out, bank->err);
    if (failed || *out < 0 || *out > PERCENT) {
        return error_set(bank->err, ERROR_INPUT,
                         "'tax' of [invoice] in stint.conf is a share in percent, such as 19, "
                         "not '%.*s'",
                         STR_ARG(text));
    }
    return 0;
}

static int add_tax(const struct bank *bank, struct invoice *invoice, int64_t percent,
                   struct invoice_line *sum)
{
    const enum rounding_rule rule = rounding_rule_of(setting(bank, CONFIG_INVOICE_ROUND));
    struct arena arena = {0};
    struct invoice_line tax = {.what = STR(INVOICE_TAX), .has_cost = true};
    struct invoice_line net = *sum;
    net.what = STR(INVOICE_NET);
    net.has_su = false;
    net.su = 0;
    int failed = rounding_share(net.cost, percent, rounding_decimals(invoice->unit), rule,
                                &tax.cost, bank->err);
    failed = failed ? failed : amount_add(sum->cost, tax.cost, &sum->cost, bank->err);
    invoice_add_line(invoice, net);
    invoice_add_line(invoice, tax);
    invoice_set_term(invoice, INVOICE_TAX_RATE, amount_print(&arena, percent));
    arena_release(&arena);
    return failed;
}

int invoice_complete(const struct bank *bank, const struct ledger_account *account,
                     const struct invoice_wish *wish, struct invoice *invoice)
{
    struct customer customer = {0};
    struct invoice_line sum = {0};
    int64_t tax = 0;
    set_seller(bank, invoice);
    int failed = set_customer(bank, account, invoice, &customer);
    failed = failed ? failed : read_tax(bank, &customer, &tax);
    if (!failed && invoice->unit.ptr) {
        failed = round_lines(bank, invoice);
        invoice_set_term(invoice, INVOICE_TAX_NOTE,
                         customer.tax_note.ptr ? customer.tax_note
                                               : setting(bank, CONFIG_INVOICE_TAX_NOTE));
    }
    if (!failed && wish->has_price) {
        struct arena arena = {0};
        invoice_set_term(invoice, INVOICE_PRICE, amount_print(&arena, wish->price));
        arena_release(&arena);
    }
    failed = failed ? failed : sum_of(bank, invoice, &sum);
    if (!failed && invoice->unit.ptr && tax > 0) {
        failed = add_tax(bank, invoice, tax, &sum);
    }
    sum.what = STR(INVOICE_TOTAL);
    sum.has_su = true;
    invoice_add_line(invoice, sum);
    return failed;
}

/* --- issuing ------------------------------------------------------------------------------ */

/* What stands in braces; false if it is nothing that is known. */
static bool add_place(struct str place, const struct bank *bank, const struct invoice *invoice,
                      struct buf *out)
{
    const struct civil day = zone_civil(bank->zone, invoice->at);
    struct str width = place;
    const struct str name = str_cut(&width, ':');
    int64_t digits = 1;
    if (width.ptr && (!scan_int(width, &digits) || digits < 1 || digits > 12)) {
        return false;
    }
    if (str_eq(name, STR("number"))) {
        buf_addf(out, "%0*" PRId64, (int)digits, invoice->number);
    } else if (str_eq(name, STR("year"))) {
        buf_addf(out, "%04d", day.year);
    } else if (str_eq(name, STR("month"))) {
        buf_addf(out, "%02d", day.month);
    } else if (str_eq(name, STR("account"))) {
        const struct ledger_account *account = bank_account_of(bank, invoice->account);
        buf_add(out, account ? account->name : STR(""));
    } else {
        return false;
    }
    return true;
}

/* The number as the site prints it, unless that is the plain number. */
static int print_number(const struct bank *bank, struct invoice *invoice)
{
    const struct str pattern = setting(bank, CONFIG_INVOICE_NUMBER);
    struct str rest = pattern;
    struct buf out;
    bool good = true, has_number = false;
    buf_init(&out, NUMBER_MAX);
    while (good && rest.ptr && rest.len > 0) {
        buf_add(&out, str_cut(&rest, '{'));
        if (rest.ptr) {
            const struct str place = str_cut(&rest, '}');
            has_number = has_number || str_starts(place, STR("number"));
            good = rest.ptr && add_place(place, bank, invoice, &out);
        }
    }
    good = good && has_number && !out.overflow;
    invoice_set_term(invoice, INVOICE_NUMBER, buf_str(&out));
    buf_release(&out);
    return good ? 0
                : error_set(bank->err, ERROR_INPUT,
                            "'number' of [invoice] in stint.conf is a text with {number} in "
                            "it, such as {year}-{number:5}, not '%.*s'",
                            STR_ARG(pattern));
}

static int set_due(const struct bank *bank, struct invoice *invoice)
{
    const struct str text = setting(bank, CONFIG_INVOICE_DUE);
    int64_t days = 0;
    char date[32];
    if (!text.ptr || !scan_int(text, &days) || invoice_is_credit(invoice)) {
        return 0;
    }
    if (days > DUE_MAX) {
        return error_set(bank->err, ERROR_INPUT,
                         "'due' of [invoice] in stint.conf is at most %d days", DUE_MAX);
    }
    const struct civil day = civil_of_days(bank_day(bank, invoice->at) + days);
    (void)snprintf(date, sizeof(date), "%04d-%02d-%02d", day.year, day.month, day.day);
    invoice_set_term(invoice, INVOICE_DUE, str_of(date));
    return 0;
}

int invoice_write(const struct bank *bank, struct invoice *invoice)
{
    const struct str note = request_text(bank->request, "note");
    invoice->who = arena_copy(&invoice->arena, str_of(bank->service->caller->name));
    invoice->note = note.ptr ? arena_copy(&invoice->arena, note) : invoice->note;
    int failed = invoice_next_number(bank->books, &invoice->number, bank->err);
    failed = failed ? failed : print_number(bank, invoice);
    failed = failed ? failed : set_due(bank, invoice);
    return failed ? failed : invoice_issue(bank->books, invoice, bank->err);
}

void invoice_title(const struct invoice *invoice, struct buf *out)
{
    const bool credit = invoice_is_credit(invoice);
    if (invoice->number == 0) {
        buf_addz(out, credit ? "Draft of a credit note" : "Draft of an invoice");
        return;
    }
    buf_addz(out, credit ? "Credit note " : "Invoice ");
    if (invoice->terms[INVOICE_NUMBER].ptr) {
        buf_add(out, invoice->terms[INVOICE_NUMBER]);
    } else {
        buf_addf(out, "%" PRId64, invoice->number);
    }
}

void invoice_line_title(const struct invoice *invoice, const struct invoice_line *line,
                        struct buf *out)
{
    const struct str rate = invoice->terms[INVOICE_TAX_RATE];
    buf_add(out, line->what);
    if (rate.ptr && str_eq(line->what, STR(INVOICE_TAX))) {
        buf_addf(out, " %.*s %%", STR_ARG(rate));
    }
}
