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

/* --- making --------------------------------------------------------------------------------------- */

static struct str copy(struct invoice *invoice, struct str text)
{
    return text.ptr ? arena_copy(&invoice->arena, text) : text;
}

/* Room for one more: doubles at powers of two. */
static void *grow(void *rows, size_t count, size_t size)
{
    return (count & (count - 1)) == 0 ? mem_resize(rows, count ? 2 * count : 1, size) : rows;
}

void invoice_add_line(struct invoice *invoice, struct invoice_line line)
{
    line.what = copy(invoice, line.what);
    line.cluster = copy(invoice, line.cluster);
    line.user = copy(invoice, line.user);
    invoice->lines = grow(invoice->lines, invoice->line_count, sizeof(line));
    invoice->lines[invoice->line_count++] = line;
}

void invoice_add_rate(struct invoice *invoice, struct str name, struct str text)
{
    invoice->rates = grow(invoice->rates, invoice->rate_count, sizeof(*invoice->rates));
    invoice->rates[invoice->rate_count++] =
        (struct invoice_rate){copy(invoice, name), copy(invoice, text)};
}

int invoice_add_total(struct invoice *invoice, struct error *err)
{
    struct invoice_line total = {
        .what = STR("total"), .has_su = true, .has_cost = invoice->unit.ptr != NULL};
    int failed = 0;
    for (size_t i = 0; !failed && i < invoice->line_count; i++) {
        const struct invoice_line *line = &invoice->lines[i];
        (void)((failed = amount_add(total.su, line->su, &total.su, err)) ||
               (failed = amount_add(total.cost, line->cost, &total.cost, err)));
    }
    invoice_add_line(invoice, total);
    return failed;
}

static bool is_same_line(const struct invoice_line *a, const struct invoice_line *b)
{
    return str_eq(a->what, b->what) && str_eq(a->cluster, b->cluster) &&
           str_eq(a->user, b->user) && a->has_su == b->has_su && a->has_cost == b->has_cost &&
           a->su == b->su && a->cost == b->cost;
}

bool invoice_is_same(const struct invoice *a, const struct invoice *b)
{
    bool same = str_eq(a->unit, b->unit) && a->line_count == b->line_count &&
                a->rate_count == b->rate_count;
    for (size_t i = 0; same && i < a->line_count; i++) {
        same = is_same_line(&a->lines[i], &b->lines[i]);
    }
    for (size_t i = 0; same && i < a->rate_count; i++) {
        same = str_eq(a->rates[i].name, b->rates[i].name) &&
               str_eq(a->rates[i].text, b->rates[i].text);
    }
    return same;
}

/* --- in the books --------------------------------------------------------------------------------- */

static int next_number(struct books *books, int64_t *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_INVOICE_NEXT);
    *out = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
}

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

int invoice_issue(struct books *books, struct invoice *invoice, struct error *err)
{
    int failed;
    (void)((failed = next_number(books, &invoice->number, err)) ||
           (failed = let_parts_come_first(books, err)) ||
           (failed = write_lines(books, invoice, err)) ||
           (failed = write_rates(books, invoice, err)) ||
           (failed = write_head(books, invoice, err)));
    return failed;
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
    return failed ? failed : read_parts(books, out, err);
}

int invoice_list_read(struct books *books, struct invoice_list *out, struct error *err)
{
    *out = (struct invoice_list){0};
    struct query q = query_begin(books, SQL_BANK_INVOICES);
    query_int(&q, 0);
    while (query_row(&q)) {
        out->rows = grow(out->rows, out->count, sizeof(*out->rows));
        read_head(&q, &out->rows[out->count++]);
    }
    return query_finish(&q, CANNOT_READ, err);
}

void invoice_list_release(struct invoice_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        invoice_release(&list->rows[i]);
    }
    free(list->rows);
    *list = (struct invoice_list){0};
}
