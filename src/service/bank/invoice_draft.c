/* SPDX-License-Identifier: MIT */
#include "service/bank/invoice_draft.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bank/amount.h"
#include "bank/costing.h"
#include "base/calendar.h"
#include "base/limit.h"

/* What is asked, and what it rests on. */
struct draft {
    const struct bank *bank;
    const struct ledger_account *account;
    struct invoice *invoice;
    struct rate_list rates;
    bool has_price; /* of an SU, in the unit */
    int64_t price;
    int64_t first, last; /* days */
};

/* --- what is asked -------------------------------------------------------------------------------- */

/* Whole days of the bank's calendar: [--from, --to], or all of --from without --to. */
static int read_period(struct draft *draft)
{
    const struct bank *bank = draft->bank;
    struct period *out = &draft->invoice->period;
    int failed;
    (void)((failed = bank_instant(bank, "from", false, 0, &out->from)) ||
           (failed = bank_instant(bank, request_has(bank->request, "to") ? "to" : "from", true,
                                  0, &out->to)));
    if (failed) {
        return failed;
    }
    draft->first = bank_day(bank, out->from);
    draft->last = bank_day(bank, out->to - 1) + 1;
    out->from = zone_instant(bank->zone, civil_of_days(draft->first));
    out->to = zone_instant(bank->zone, civil_of_days(draft->last));
    return draft->first < draft->last
               ? 0
               : error_set(bank->err, ERROR_USAGE, "the period ends before it begins");
}

/* The currency: the one that is asked for, else the only one that rates have. */
static int find_unit(struct draft *draft)
{
    struct invoice *invoice = draft->invoice;
    invoice->unit = request_text(draft->bank->request, "unit");
    for (size_t i = 0; !invoice->unit.ptr && !draft->has_price && i < draft->rates.count; i++) {
        const struct str unit = draft->rates.rows[i].unit;
        if (str_eq(unit, STR("SU"))) {
            continue;
        }
        for (size_t k = i + 1; k < draft->rates.count; k++) {
            const struct str other = draft->rates.rows[k].unit;
            if (!str_eq(other, STR("SU")) && !str_eq(other, unit)) {
                return error_set(draft->bank->err, ERROR_USAGE,
                                 "there are rates in %.*s and in %.*s: choose one with --unit",
                                 STR_ARG(unit), STR_ARG(other));
            }
        }
        invoice->unit = unit;
    }
    if (draft->has_price && !invoice->unit.ptr) {
        return error_set(draft->bank->err, ERROR_USAGE,
                         "--price needs --unit: the currency it is in");
    }
    if (invoice->basis == INVOICE_ALLOTMENT && !draft->has_price) {
        invoice->unit = (struct str){0}; /* rates price runs, not SU */
    }
    invoice->unit =
        invoice->unit.ptr ? arena_copy(&invoice->arena, invoice->unit) : invoice->unit;
    return 0;
}

static int read_request(struct draft *draft)
{
    const struct bank *bank = draft->bank;
    const struct str price = request_text(bank->request, "price");
    draft->invoice->account = draft->account->id;
    draft->invoice->basis = str_eq(request_text(bank->request, "by"), STR("allotment"))
                                ? INVOICE_ALLOTMENT
                                : INVOICE_USAGE;
    draft->has_price = price.ptr != NULL;
    int failed;
    (void)((failed = price.ptr ? amount_parse(price, &draft->price, bank->err) : 0) ||
           (failed = draft->price < 0
                         ? error_set(bank->err, ERROR_USAGE, "--price is not negative")
                         : 0) ||
           (failed = read_period(draft)) ||
           (failed = books_rates(bank->books, bank->zone, &draft->rates, bank->err)) ||
           (failed = find_unit(draft)));
    return failed;
}

/* --- lines ---------------------------------------------------------------------------------------- */

static int cost_of(const struct draft *draft, int64_t su, struct invoice_line *line)
{
    if (!draft->has_price) {
        return 0;
    }
    line->has_cost = true;
    const int sign = su < 0 ? -1 : 1;
    int failed =
        su == INT64_MIN
            ? error_set(draft->bank->err, ERROR_LIMIT, "an amount is too large for an invoice")
            : amount_scale(sign * su, draft->price, AMOUNT_ONE, &line->cost, draft->bank->err);
    line->cost *= sign;
    return failed;
}

/* Lines of what was used come with the user's most first, which the next record may change: by name they stay. */
static int compare_lines(const void *a, const void *b)
{
    const struct invoice_line *x = a, *y = b;
    const int by_cluster = str_compare(x->cluster, y->cluster);
    return by_cluster ? by_cluster : str_compare(x->user, y->user);
}

static struct invoice_line *line_of(struct invoice *invoice, const struct ledger_use *use)
{
    for (size_t i = 0; i < invoice->line_count; i++) {
        if (str_eq(invoice->lines[i].cluster, use->cluster) &&
            str_eq(invoice->lines[i].user, use->user)) {
            return &invoice->lines[i];
        }
    }
    invoice_add_line(invoice, (struct invoice_line){.what = STR("use"),
                                                    .cluster = use->cluster,
                                                    .user = use->user,
                                                    .has_su = true});
    return &invoice->lines[invoice->line_count - 1];
}

/* Costs by the rates of the currency, beside the SU. */
static int add_costs(struct draft *draft)
{
    const struct bank *bank = draft->bank;
    struct costing costing = {.books = bank->books,
                              .zone = bank->zone,
                              .rates = &draft->rates,
                              .draws = &bank->draws,
                              .account = draft->account,
                              .unit = draft->invoice->unit,
                              .first = draft->first,
                              .last = draft->last};
    struct costing_result result = {0};
    int failed;
    (void)((failed =
                session_facts(bank->service->session, FACTS_READ, &costing.facts, bank->err)) ||
           (failed = costing_run(&costing, &result, bank->err)));
    for (size_t i = 0; !failed && i < result.uses.count; i++) {
        struct invoice_line *line = line_of(draft->invoice, &result.uses.rows[i]);
        line->has_cost = true;
        line->cost = result.uses.rows[i].amount;
    }
    if (!failed && result.unpriced > 0) {
        answer_note(bank->answer, NOTE_WARNING,
                    "%" PRId64 " runs of the account have no price in %.*s: %s",
                    result.unpriced, STR_ARG(draft->invoice->unit), result.why);
    }
    costing_result_release(&result);
    return failed;
}

static int add_use(struct draft *draft)
{
    const struct bank *bank = draft->bank;
    struct invoice *invoice = draft->invoice;
    struct ledger_uses uses;
    int failed = ledger_uses_list(bank->books, draft->account->id, draft->first, draft->last,
                                  &uses, bank->err);
    for (size_t i = 0; !failed && i < uses.count; i++) {
        struct invoice_line line = {.what = STR("use"),
                                    .cluster = uses.rows[i].cluster,
                                    .user = uses.rows[i].user,
                                    .has_su = true,
                                    .su = uses.rows[i].amount};
        failed = cost_of(draft, line.su, &line);
        invoice_add_line(invoice, line);
    }
    ledger_uses_release(&uses);
    if (!failed && invoice->unit.ptr && !draft->has_price) {
        failed = add_costs(draft);
    }
    if (invoice->line_count > 0) {
        qsort(invoice->lines, invoice->line_count, sizeof(*invoice->lines), compare_lines);
    }
    return failed;
}

static void add_date(struct buf *out, const struct bank *bank, int64_t instant)
{
    const struct civil civil = zone_civil(bank->zone, instant);
    buf_addf(out, "%04d-%02d-%02d", civil.year, civil.month, civil.day);
}

/* Allotments that begin in the period, with what was granted to them so far. */
static int add_allotments(struct draft *draft)
{
    const struct bank *bank = draft->bank;
    const struct period period = draft->invoice->period;
    struct buf what;
    int failed = 0;
    buf_init(&what, LIMIT_TEXT_FIELD);
    for (size_t i = 0; !failed && i < bank->allotments.count; i++) {
        const struct ledger_allotment *allotment = &bank->allotments.rows[i];
        if (allotment->account != draft->account->id || allotment->unlimited ||
            allotment->from < period.from || allotment->from >= period.to) {
            continue;
        }
        struct invoice_line line = {.has_su = true, .su = allotment->granted};
        buf_clear(&what);
        buf_addf(&what, "%.*s %" PRId64 " from ", STR_ARG(allotment->kind), allotment->id);
        add_date(&what, bank, allotment->from);
        if (allotment->to < INSTANT_MAX) {
            buf_addz(&what, " to ");
            add_date(&what, bank, allotment->to - 1);
        }
        if (allotment->note.ptr) {
            buf_addf(&what, ": %.*s", STR_ARG(allotment->note));
        }
        line.what = buf_str(&what);
        failed = cost_of(draft, line.su, &line);
        invoice_add_line(draft->invoice, line);
    }
    buf_release(&what);
    return failed;
}

/* --- annex ---------------------------------------------------------------------------------------- */

/* A rate in words: what it is for and what it weighs, as it was written down. */
static void add_rate(struct draft *draft, const struct kind *kind, const struct kind_row *row)
{
    struct buf text;
    buf_init(&text, LIMIT_TEXT_FIELD);
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct kind_column *column = &kind->columns[i];
        if (row->cells[i].ptr && !str_eq(str_of(column->id), STR("name")) &&
            !str_eq(str_of(column->id), STR("note"))) {
            buf_addf(&text, "%s%s %.*s", text.len ? ", " : "", column->label,
                     STR_ARG(row->cells[i]));
        }
    }
    invoice_add_rate(draft->invoice, kind_cell(kind, row, "name"), buf_str(&text));
    buf_release(&text);
}

static int add_rates(struct draft *draft)
{
    const struct bank *bank = draft->bank;
    const struct kind *kind = kind_find(STR("rate"));
    const struct period period = draft->invoice->period;
    struct books_rows rows;
    int failed = books_list(bank->books, kind, &rows, bank->err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        int64_t from, to;
        const struct str unit = kind_cell(kind, &rows.rows[i], "unit");
        kind_period(kind, &rows.rows[i], bank->zone, &from, &to);
        if (from < period.to && to > period.from &&
            (!unit.ptr || str_eq(unit, STR("SU")) || str_eq(unit, draft->invoice->unit))) {
            add_rate(draft, kind, &rows.rows[i]);
        }
    }
    books_rows_release(&rows);
    return failed;
}

static void add_price(struct draft *draft)
{
    struct buf text;
    struct arena arena = {0};
    buf_init(&text, LIMIT_TEXT_FIELD);
    buf_addf(&text, "%.*s %.*s an SU", STR_ARG(amount_print(&arena, draft->price)),
             STR_ARG(draft->invoice->unit));
    invoice_add_rate(draft->invoice, STR("price"), buf_str(&text));
    buf_release(&text);
    arena_release(&arena);
}

int invoice_draft(const struct bank *bank, const struct ledger_account *account,
                  struct invoice *out)
{
    struct draft draft = {.bank = bank, .account = account, .invoice = out};
    int failed;
    *out = (struct invoice){.at = bank->now};
    (void)((failed = read_request(&draft)) ||
           (failed = out->basis == INVOICE_USAGE ? add_use(&draft) : add_allotments(&draft)) ||
           (failed = invoice_add_total(out, bank->err)) ||
           (failed = out->basis == INVOICE_USAGE ? add_rates(&draft) : 0));
    if (!failed && draft.has_price) {
        add_price(&draft);
    }
    rate_list_release(&draft.rates);
    return failed;
}
