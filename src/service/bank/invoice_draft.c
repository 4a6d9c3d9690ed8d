/* SPDX-License-Identifier: MIT */
#include "service/bank/invoice_draft.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bank/amount.h"
#include "bank/costing.h"
#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"

/* What is asked, and what it rests on. */
struct draft {
    const struct bank *bank;
    const struct ledger_account *account;
    const struct invoice_wish *wish;
    struct invoice *invoice;
    struct rate_list rates;
    int64_t first, last; /* days */
};

/* --- what is asked ------------------------------------------------------------------------ */

/* Whole days of the bank's calendar: [--from, --to], or all of --from without --to. */
static int read_period(const struct bank *bank, struct period *out)
{
    int failed = bank_instant(bank, "from", false, 0, &out->from);
    failed = failed ? failed
                    : bank_instant(bank, request_has(bank->request, "to") ? "to" : "from", true,
                                   0, &out->to);
    if (failed) {
        return failed;
    }
    const int64_t first = bank_day(bank, out->from), last = bank_day(bank, out->to - 1) + 1;
    out->from = zone_instant(bank->zone, civil_of_days(first));
    out->to = zone_instant(bank->zone, civil_of_days(last));
    return first < last ? 0
                        : error_set(bank->err, ERROR_USAGE, "the period ends before it begins");
}

int invoice_wish_read(const struct bank *bank, struct invoice_wish *out)
{
    const struct str price = request_text(bank->request, "price");
    *out = (struct invoice_wish){
        .basis = str_eq(request_text(bank->request, "by"), STR("allotment")) ? INVOICE_ALLOTMENT
                                                                             : INVOICE_USAGE,
        .unit = request_text(bank->request, "unit"),
        .has_price = price.ptr != NULL,
    };
    int failed = price.ptr ? amount_parse(price, &out->price, bank->err) : 0;
    if (!failed && out->price < 0) {
        failed = error_set(bank->err, ERROR_USAGE, "--price is not negative");
    }
    return failed ? failed : read_period(bank, &out->period);
}

/* The only currency that rates have, or the null string. */
static int find_currency(const struct draft *draft, struct str *out)
{
    *out = (struct str){0};
    for (size_t i = 0; i < draft->rates.count; i++) {
        const struct str unit = draft->rates.rows[i].unit;
        if (str_eq(unit, STR("SU"))) {
            continue;
        }
        if (out->ptr && !str_eq(*out, unit)) {
            return error_set(draft->bank->err, ERROR_USAGE,
                             "there are rates in %.*s and in %.*s: choose one with --unit",
                             STR_ARG(*out), STR_ARG(unit));
        }
        *out = unit;
    }
    return 0;
}

static int find_unit(struct draft *draft)
{
    const struct invoice_wish *wish = draft->wish;
    struct invoice *invoice = draft->invoice;
    struct str unit = wish->unit;
    int failed = unit.ptr || wish->has_price || wish->in_su ? 0 : find_currency(draft, &unit);
    if (!failed && wish->has_price && !unit.ptr) {
        failed = error_set(draft->bank->err, ERROR_USAGE,
                           "--price needs --unit: the currency it is in");
    }
    if (invoice->basis == INVOICE_ALLOTMENT && !wish->has_price) {
        unit = (struct str){0}; /* rates price runs, not SU */
    }
    invoice->unit = unit.ptr ? arena_copy(&invoice->arena, unit) : unit;
    return failed;
}

/* --- lines -------------------------------------------------------------------------------- */

static int cost_of(const struct draft *draft, int64_t su, struct invoice_line *line)
{
    if (!draft->wish->has_price) {
        return 0;
    }
    line->has_cost = true;
    const int sign = su < 0 ? -1 : 1;
    int failed = su == INT64_MIN ? error_set(draft->bank->err, ERROR_LIMIT,
                                             "an amount is too large for an invoice")
                                 : amount_scale(sign * su, draft->wish->price, AMOUNT_ONE,
                                                &line->cost, draft->bank->err);
    line->cost *= sign;
    return failed;
}

/*
 * Lines of what was used come with the user's most first, which the next record may change: by
 * name they stay.
 */
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

/* --- refunds ------------------------------------------------------------------------------ */

struct refunds {
    struct costing_refund *rows;
    size_t count;
};

/* What was refunded in the period, by run; below zero where a refund was taken back. */
static int read_refunds(struct draft *draft, struct refunds *out)
{
    const struct bank *bank = draft->bank;
    struct arena *arena = &draft->invoice->arena;
    struct ledger_entries entries;
    size_t room = 0;
    int failed = ledger_entries_list(bank->books, draft->account->id, draft->wish->period.from,
                                     draft->wish->period.to, &entries, bank->err);
    *out = (struct refunds){0};
    for (size_t i = 0; !failed && i < entries.count; i++) {
        const struct ledger_entry *entry = &entries.rows[i];
        size_t at = 0;
        if (entry->kind != LEDGER_REFUND || !entry->run.ptr) {
            continue;
        }
        while (at < out->count && !str_eq(out->rows[at].run, entry->run)) {
            at++;
        }
        if (at == out->count) {
            struct ledger_charge charge;
            failed = ledger_charge_of(bank->books, entry->run, arena, &charge, bank->err);
            out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
            out->rows[out->count++] = (struct costing_refund){
                .run = arena_copy(arena, entry->run), .charged = failed ? 0 : charge.amount};
        }
        const int64_t amount = entry->from == LEDGER_USED ? entry->amount : -entry->amount;
        failed =
            failed ? failed
                   : amount_add(out->rows[at].amount, amount, &out->rows[at].amount, bank->err);
    }
    ledger_entries_release(&entries);
    return failed;
}

static int add_refunds(struct draft *draft, const struct refunds *refunds)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < refunds->count; i++) {
        const struct costing_refund *refund = &refunds->rows[i];
        struct arena arena = {0};
        struct invoice_line line = {
            .what = str_of(arena_printf(&arena, "refund of %.*s", STR_ARG(refund->run))),
            .has_su = true,
            .su = -refund->amount,
            .has_cost = refund->has_cost,
            .cost = -refund->cost};
        failed = cost_of(draft, line.su, &line);
        if (refund->amount != 0) {
            invoice_add_line(draft->invoice, line);
        }
        if (!failed && refund->amount != 0 && draft->invoice->unit.ptr && !line.has_cost) {
            answer_note(draft->bank->answer, NOTE_WARNING,
                        "what the %.*s costs is not known, since the run is not charged any "
                        "more: it is on the invoice without a cost",
                        STR_ARG(line.what));
        }
        arena_release(&arena);
    }
    return failed;
}

/* Costs by the rates of the currency, beside the SU. */
static int add_costs(struct draft *draft, const struct refunds *refunds)
{
    const struct bank *bank = draft->bank;
    struct costing costing = {.books = bank->books,
                              .zone = bank->zone,
                              .rates = &draft->rates,
                              .draws = &bank->draws,
                              .account = draft->account,
                              .unit = draft->invoice->unit,
                              .refunds = refunds->rows,
                              .refund_count = refunds->count,
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
    struct refunds refunds = {0};
    failed = failed ? failed : read_refunds(draft, &refunds);
    if (!failed && invoice->unit.ptr && !draft->wish->has_price) {
        failed = add_costs(draft, &refunds);
    }
    if (invoice->line_count > 0) {
        qsort(invoice->lines, invoice->line_count, sizeof(*invoice->lines), compare_lines);
    }
    failed = failed ? failed : add_refunds(draft, &refunds);
    free(refunds.rows);
    return failed;
}

static void add_date(struct buf *out, const struct bank *bank, int64_t instant)
{
    const struct civil civil = zone_civil(bank->zone, instant);
    buf_addf(out, "%04d-%02d-%02d", civil.year, civil.month, civil.day);
}

/*
 * What write-offs grant: for all days up to the one they were made on, so that nothing of it
 * can be spent (bank_grant.c).
 */
static bool is_write_off(const struct draft *draft, const struct ledger_allotment *allotment,
                         const struct ledger_entry *entry)
{
    const struct bank *bank = draft->bank;
    return entry->kind == LEDGER_GRANT && allotment->from == draft->account->opened &&
           allotment->to ==
               zone_instant(bank->zone, civil_of_days(bank_day(bank, entry->at) + 1));
}

/* What was granted to an allotment: refunds and transfers are nobody's purchase. */
static int read_granted(const struct draft *draft, const struct ledger_entries *entries,
                        const struct ledger_allotment *allotment, int64_t *out)
{
    int failed = 0;
    *out = 0;
    for (size_t i = 0; !failed && i < entries->count; i++) {
        const struct ledger_entry *entry = &entries->rows[i];
        if ((entry->kind != LEDGER_GRANT && entry->kind != LEDGER_ADJUSTMENT) ||
            is_write_off(draft, allotment, entry)) {
            continue;
        }
        const int64_t amount = entry->to == allotment->pot     ? entry->amount
                               : entry->from == allotment->pot ? -entry->amount
                                                               : 0;
        failed = amount_add(*out, amount, out, draft->bank->err);
    }
    return failed;
}

static int add_allotment(struct draft *draft, const struct ledger_allotment *allotment,
                         int64_t granted)
{
    const struct bank *bank = draft->bank;
    struct invoice_line line = {.has_su = true, .su = granted};
    struct buf what;
    buf_init(&what, LIMIT_TEXT_FIELD);
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
    int failed = cost_of(draft, line.su, &line);
    invoice_add_line(draft->invoice, line);
    buf_release(&what);
    return failed;
}

/* Allotments that begin in the period, with what was granted to them so far. */
static int add_allotments(struct draft *draft)
{
    const struct bank *bank = draft->bank;
    const struct period period = draft->invoice->period;
    struct ledger_entries entries;
    int failed = ledger_entries_list(bank->books, draft->account->id, INT64_MIN, INT64_MAX,
                                     &entries, bank->err);
    for (size_t i = 0; !failed && i < bank->allotments.count; i++) {
        const struct ledger_allotment *allotment = &bank->allotments.rows[i];
        int64_t granted = 0;
        if (allotment->account != draft->account->id || allotment->unlimited ||
            allotment->from < period.from || allotment->from >= period.to) {
            continue;
        }
        failed = read_granted(draft, &entries, allotment, &granted);
        if (!failed && granted != 0) {
            failed = add_allotment(draft, allotment, granted);
        }
    }
    ledger_entries_release(&entries);
    return failed;
}

/* --- annex -------------------------------------------------------------------------------- */

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
    buf_addf(&text, "%.*s %.*s an SU", STR_ARG(amount_print(&arena, draft->wish->price)),
             STR_ARG(draft->invoice->unit));
    invoice_add_rate(draft->invoice, STR("price"), buf_str(&text));
    buf_release(&text);
    arena_release(&arena);
}

int invoice_draft(const struct bank *bank, const struct ledger_account *account,
                  const struct invoice_wish *wish, struct invoice *out)
{
    struct draft draft = {.bank = bank,
                          .account = account,
                          .wish = wish,
                          .invoice = out,
                          .first = bank_day(bank, wish->period.from),
                          .last = bank_day(bank, wish->period.to - 1) + 1};
    *out = (struct invoice){
        .account = account->id, .basis = wish->basis, .period = wish->period, .at = bank->now};
    int failed = books_rates(bank->books, bank->zone, &draft.rates, bank->err);
    failed = failed ? failed : find_unit(&draft);
    if (!failed) {
        failed = out->basis == INVOICE_USAGE ? add_use(&draft) : add_allotments(&draft);
    }
    failed = failed ? failed : invoice_complete(bank, account, wish, out);
    failed = failed || out->basis != INVOICE_USAGE ? failed : add_rates(&draft);
    if (!failed && wish->has_price) {
        add_price(&draft);
    }
    rate_list_release(&draft.rates);
    return failed;
}
