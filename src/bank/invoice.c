/* SPDX-License-Identifier: MIT */
#include "bank/invoice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bank/amount.h"
#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"

static const char CANNOT_READ[] = "cannot read invoices";
static const char CANNOT_WRITE[] = "cannot write an invoice";

static const char *const basis_names[INVOICE_BASES] = {
    [INVOICE_USAGE] = "usage", [INVOICE_ALLOTMENT] = "allotment"};

const struct invoice_term_row invoice_terms[INVOICE_TERMS] = {
    [INVOICE_NUMBER] = {"number", NULL},
    [INVOICE_CANCELS] = {"cancels", "Takes back"},
    [INVOICE_CORRECTS] = {"corrects", "Corrects"},
    [INVOICE_SELLER] = {"seller", NULL},
    [INVOICE_SELLER_ADDRESS] = {"seller_address", NULL},
    [INVOICE_SELLER_TAX_ID] = {"seller_tax_id", "Our tax number"},
    [INVOICE_CUSTOMER] = {"customer", NULL},
    [INVOICE_CUSTOMER_ADDRESS] = {"customer_address", NULL},
    [INVOICE_CUSTOMER_TAX_ID] = {"customer_tax_id", "Your tax number"},
    [INVOICE_REFERENCE] = {"reference", "Your reference"},
    [INVOICE_DUE] = {"due", "Due"},
    [INVOICE_PAYMENT] = {"payment", "Payment"},
    [INVOICE_PRICE] = {"price", NULL},
    [INVOICE_ROUNDING] = {"rounding", "Rounding"},
    [INVOICE_TAX_RATE] = {"tax_rate", NULL},
    [INVOICE_TAX_NOTE] = {"tax_note", "Tax"},
};

const char *invoice_basis_name(enum invoice_basis basis)
{
    return basis_names[basis];
}

void invoice_release(struct invoice *invoice)
{
    free(invoice->lines);
    free(invoice->rates);
    arena_release(&invoice->arena);
    *invoice = (struct invoice){0};
}

/* --- making ------------------------------------------------------------------------------- */

static struct str copy(struct invoice *invoice, struct str text)
{
    return text.ptr ? arena_copy(&invoice->arena, text) : text;
}

/* Room for one more: doubles at powers of two. */
static void *grow_invoice_rows(void *rows, size_t count, size_t size)
{
    return (count & (count - 1)) == 0 ? mem_resize(rows, count ? 2 * count : 1, size) : rows;
}

void invoice_add_line(struct invoice *invoice, struct invoice_line line)
{
    line.what = copy(invoice, line.what);
    line.cluster = copy(invoice, line.cluster);
    line.user = copy(invoice, line.user);
    invoice->lines = grow_invoice_rows(invoice->lines, invoice->line_count, sizeof(line));
    invoice->lines[invoice->line_count++] = line;
}

void invoice_add_rate(struct invoice *invoice, struct str name, struct str text)
{
    invoice->rates =
        grow_invoice_rows(invoice->rates, invoice->rate_count, sizeof(*invoice->rates));
    invoice->rates[invoice->rate_count++] =
        (struct invoice_rate){copy(invoice, name), copy(invoice, text)};
}

void invoice_set_term(struct invoice *invoice, enum invoice_term term, struct str text)
{
    invoice->terms[term] = text.len > 0 ? copy(invoice, text) : (struct str){0};
}

bool invoice_line_is_sum(const struct invoice_line *line)
{
    return str_eq(line->what, STR(INVOICE_NET)) || str_eq(line->what, STR(INVOICE_TOTAL)) ||
           str_eq(line->what, STR(INVOICE_TAX));
}

bool invoice_is_credit(const struct invoice *invoice)
{
    if (invoice->terms[INVOICE_CANCELS].ptr) {
        return true;
    }
    if (invoice->line_count == 0) {
        return false;
    }
    const struct invoice_line *total = &invoice->lines[invoice->line_count - 1];
    return total->has_cost ? total->cost < 0 : total->su < 0;
}

/* --- in the books ------------------------------------------------------------------------- */

/* Nothing can be added to an invoice that is there: so it comes last. */
static int let_parts_come_first(struct books *books, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_PARTS_FIRST);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

static int write_head(struct books *books, const struct invoice *invoice, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_ADD);
    query_int(&q, invoice->number);
    query_int(&q, invoice->account);
    query_text(&q, str_of(invoice_basis_name(invoice->basis)));
    query_int(&q, invoice->period.from);
    query_int(&q, invoice->period.to);
    query_text(&q, invoice->unit);
    query_int(&q, invoice->at);
    query_text(&q, invoice->who);
    query_int(&q, invoice->replaces);
    query_text(&q, invoice->note);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

static void bind_amount(struct query *q, bool has, int64_t amount)
{
    if (has) {
        query_int(q, amount);
    } else {
        query_null(q);
    }
}

static int write_lines(struct books *books, const struct invoice *invoice, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_LINE_ADD);
    for (size_t i = 0; i < invoice->line_count; i++) {
        const struct invoice_line *line = &invoice->lines[i];
        query_int(&q, invoice->number);
        query_int(&q, (int64_t)i + 1);
        query_text(&q, line->what);
        query_text(&q, line->cluster);
        query_text(&q, line->user);
        bind_amount(&q, line->has_su, line->su);
        bind_amount(&q, line->has_cost, line->cost);
        query_run(&q);
        query_again(&q);
    }
    return query_finish(&q, CANNOT_WRITE, err);
}

static int write_rates(struct books *books, const struct invoice *invoice, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_RATE_ADD);
    for (size_t i = 0; i < invoice->rate_count; i++) {
        query_int(&q, invoice->number);
        query_int(&q, (int64_t)i + 1);
        query_text(&q, invoice->rates[i].name);
        query_text(&q, invoice->rates[i].text);
        query_run(&q);
        query_again(&q);
    }
    return query_finish(&q, CANNOT_WRITE, err);
}

static int write_terms(struct books *books, const struct invoice *invoice, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_TERM_ADD);
    for (size_t i = 0; i < INVOICE_TERMS; i++) {
        if (invoice->terms[i].ptr) {
            query_int(&q, invoice->number);
            query_text(&q, str_of(invoice_terms[i].id));
            query_text(&q, invoice->terms[i]);
            query_run(&q);
            query_again(&q);
        }
    }
    return query_finish(&q, CANNOT_WRITE, err);
}

int invoice_next_number(struct books *books, int64_t *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_NEXT);
    *out = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
}

int invoice_issue(struct books *books, struct invoice *invoice, struct error *err)
{
    int failed = invoice_next_number(books, &invoice->number, err);
    failed = failed ? failed : let_parts_come_first(books, err);
    failed = failed ? failed : write_lines(books, invoice, err);
    failed = failed ? failed : write_rates(books, invoice, err);
    failed = failed ? failed : write_terms(books, invoice, err);
    return failed ? failed : write_head(books, invoice, err);
}

int invoice_find(struct books *books, const struct invoice *like, int64_t *number,
                 struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_FIND);
    query_int(&q, like->account);
    query_text(&q, str_of(invoice_basis_name(like->basis)));
    query_int(&q, like->period.from);
    query_int(&q, like->period.to);
    *number = query_row(&q) ? query_int_at(&q, 0) : 0; /* NULL is 0 */
    return query_finish(&q, CANNOT_READ, err);
}

int invoice_overlapping(struct books *books, const struct invoice *like, int64_t *number,
                        struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_OVERLAP);
    query_int(&q, like->account);
    query_text(&q, str_of(invoice_basis_name(like->basis)));
    query_int(&q, like->period.from);
    query_int(&q, like->period.to);
    *number = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
}

int invoice_number_of(struct books *books, struct str text, int64_t *number, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_PRINTED);
    query_text(&q, text);
    *number = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
}

int invoice_corrections(struct books *books, int64_t number, struct invoice_corrections *out,
                        struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_CORRECTIONS);
    bool many = false;
    *out = (struct invoice_corrections){0};
    query_int(&q, number);
    while (query_row(&q)) {
        if (query_int_at(&q, 1)) {
            out->cancelled_by = query_int_at(&q, 0);
        } else if (out->count < COUNT_OF(out->numbers)) {
            out->numbers[out->count++] = query_int_at(&q, 0);
        } else {
            many = true;
        }
    }
    int failed = query_finish(&q, CANNOT_READ, err);
    if (!failed && many) {
        failed = error_set(err, ERROR_LIMIT,
                           "invoice %" PRId64 " was corrected %zu times: take it back with "
                           "stint invoice credit, and issue another",
                           number, COUNT_OF(out->numbers));
    }
    return failed;
}

static void read_head(struct query *q, struct invoice *out)
{
    *out = (struct invoice){.number = query_int_at(q, 0),
                            .account = query_int_at(q, 1),
                            .period = {query_int_at(q, 3), query_int_at(q, 4)},
                            .at = query_int_at(q, 6),
                            .replaces = query_int_at(q, 8)};
    out->basis = str_eq(query_view_at(q, 2), STR("usage")) ? INVOICE_USAGE : INVOICE_ALLOTMENT;
    out->unit = query_text_at(q, 5, &out->arena);
    out->who = query_text_at(q, 7, &out->arena);
    out->note = query_text_at(q, 9, &out->arena);
}

static int read_parts(struct books *books, struct invoice *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_LINES);
    query_int(&q, out->number);
    while (query_row(&q)) {
        invoice_add_line(out, (struct invoice_line){.what = query_view_at(&q, 0),
                                                    .cluster = query_view_at(&q, 1),
                                                    .user = query_view_at(&q, 2),
                                                    .has_su = query_has_at(&q, 3),
                                                    .su = query_int_at(&q, 3),
                                                    .has_cost = query_has_at(&q, 4),
                                                    .cost = query_int_at(&q, 4)});
    }
    int failed = query_finish(&q, CANNOT_READ, err);
    if (failed) {
        return failed;
    }
    q = query_begin(books, SQL_BANK_INVOICE_RATES);
    query_int(&q, out->number);
    while (query_row(&q)) {
        invoice_add_rate(out, query_view_at(&q, 0), query_view_at(&q, 1));
    }
    return query_finish(&q, CANNOT_READ, err);
}

static int read_terms(struct books *books, struct invoice *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_TERMS);
    query_int(&q, out->number);
    while (query_row(&q)) {
        for (size_t i = 0; i < INVOICE_TERMS; i++) {
            if (str_eq(query_view_at(&q, 0), str_of(invoice_terms[i].id))) {
                invoice_set_term(out, (enum invoice_term)i, query_view_at(&q, 1));
            }
        }
    }
    return query_finish(&q, CANNOT_READ, err);
}

int invoice_read(struct books *books, int64_t number, struct invoice *out, struct error *err)
{
    bool found = false;
    *out = (struct invoice){0};
    struct query q = query_begin(books, SQL_BANK_INVOICES);
    query_int(&q, number > 0 ? number : -1);
    if (query_row(&q)) {
        read_head(&q, out);
        found = true;
    }
    int failed = query_finish(&q, CANNOT_READ, err);
    if (!failed && !found) {
        failed = error_set(err, ERROR_MISSING,
                           "there is no invoice %" PRId64 "; see: stint invoice list", number);
    }
    failed = failed ? failed : read_parts(books, out, err);
    return failed ? failed : read_terms(books, out, err);
}

int invoice_list_read(struct books *books, struct invoice_list *out, struct error *err)
{
    *out = (struct invoice_list){0};
    struct query q = query_begin(books, SQL_BANK_INVOICES);
    query_int(&q, 0);
    while (query_row(&q)) {
        out->rows = grow_invoice_rows(out->rows, out->count, sizeof(*out->rows));
        read_head(&q, &out->rows[out->count++]);
    }
    int failed = query_finish(&q, CANNOT_READ, err);
    for (size_t i = 0; !failed && i < out->count; i++) {
        failed = read_terms(books, &out->rows[i], err);
    }
    return failed;
}

void invoice_list_release(struct invoice_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        invoice_release(&list->rows[i]);
    }
    free(list->rows);
    *list = (struct invoice_list){0};
}
