/* SPDX-License-Identifier: MIT */

/*
 * Credit notes: an invoice that was issued is not edited. It is taken back as a whole, or the
 * difference is issued.
 */

#include <inttypes.h>
#include <stdio.h>

#include "bank/amount.h"
#include "base/limit.h"
#include "service/bank/invoice_draft.h"

/*
 * Head of what is issued about another: the same account, period and unit, and the parties and
 * rules of today or of then.
 */
static void begin_about(const struct bank *bank, const struct invoice *old,
                        const struct invoice *like, enum invoice_term about,
                        struct invoice *out)
{
    static const enum invoice_term kept[] = {
        INVOICE_SELLER,    INVOICE_SELLER_ADDRESS,   INVOICE_SELLER_TAX_ID,
        INVOICE_CUSTOMER,  INVOICE_CUSTOMER_ADDRESS, INVOICE_CUSTOMER_TAX_ID,
        INVOICE_REFERENCE, INVOICE_TAX_RATE,         INVOICE_TAX_NOTE,
        INVOICE_PRICE,
    };

    char number[32];
    *out = (struct invoice){
        .account = old->account, .basis = old->basis, .period = old->period, .at = bank->now};
    out->unit = old->unit.ptr ? arena_copy(&out->arena, old->unit) : old->unit;
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        invoice_set_term(out, kept[i], like->terms[kept[i]]);
    }
    (void)snprintf(number, sizeof(number), "%" PRId64, old->number);
    invoice_set_term(out, about, str_of(number));
}

static int negate(const struct bank *bank, int64_t *amount)
{
    return amount_of(-(wide_int)*amount, amount, bank->err);
}

int invoice_cancel(const struct bank *bank, const struct invoice *old, struct invoice *out)
{
    int failed = 0;
    begin_about(bank, old, old, INVOICE_CANCELS, out);
    for (size_t i = 0; !failed && i < old->line_count; i++) {
        struct invoice_line line = old->lines[i];
        failed = negate(bank, &line.su);
        failed = failed ? failed : negate(bank, &line.cost);
        invoice_add_line(out, line);
    }
    for (size_t i = 0; i < old->rate_count; i++) {
        invoice_add_rate(out, old->rates[i].name, old->rates[i].text);
    }
    return failed;
}

/* --- differences -------------------------------------------------------------------------- */

static bool is_same_thing(const struct invoice_line *a, const struct invoice_line *b)
{
    return str_eq(a->what, b->what) && str_eq(a->cluster, b->cluster) &&
           str_eq(a->user, b->user);
}

/* The line about the same thing, made with nothing in it where there is none. */
static struct invoice_line *same_line(struct invoice *invoice, const struct invoice_line *like)
{
    for (size_t i = 0; i < invoice->line_count; i++) {
        if (is_same_thing(&invoice->lines[i], like)) {
            return &invoice->lines[i];
        }
    }
    struct invoice_line made = *like;
    made.su = made.cost = 0;
    invoice_add_line(invoice, made);
    return &invoice->lines[invoice->line_count - 1];
}

/* Takes the lines of one that was issued off those of `out`. */
static int take_off(const struct bank *bank, const struct invoice *issued, struct invoice *out)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < issued->line_count; i++) {
        const struct invoice_line *line = &issued->lines[i];
        struct invoice_line *into = same_line(out, line);
        failed = amount_of((wide_int)into->su - line->su, &into->su, bank->err);
        failed = failed ? failed
                        : amount_of((wide_int)into->cost - line->cost, &into->cost, bank->err);
        into->has_cost = into->has_cost || line->has_cost;
        into->has_su = into->has_su || line->has_su;
    }
    return failed;
}

/* Only lines that differ, sums last; none where no line differs. */
static void add_differences(const struct invoice *difference, struct invoice *out)
{
    bool some = false;
    for (int sums = 0; sums < 2; sums++) {
        for (size_t i = 0; i < difference->line_count; i++) {
            const struct invoice_line *line = &difference->lines[i];
            const bool differs = line->su != 0 || line->cost != 0;
            if (invoice_line_is_sum(line) != (sums == 1)) {
                continue;
            }
            if (sums == 1 ? some : differs) {
                some = true;
                invoice_add_line(out, *line);
            }
        }
    }
}

/* Takes off what was issued already: the invoice, and what corrected it before. */
static int take_off_corrections(const struct bank *bank, const struct invoice *old,
                                struct invoice *difference)
{
    struct invoice_corrections corrections;
    int failed = invoice_corrections(bank->books, old->number, &corrections, bank->err);
    if (!failed && corrections.cancelled_by > 0) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "credit note %" PRId64 " takes invoice %" PRId64
                           " back: issue another with stint invoice issue",
                           corrections.cancelled_by, old->number);
    }
    failed = failed ? failed : take_off(bank, old, difference);
    for (size_t i = 0; !failed && i < corrections.count; i++) {
        struct invoice one = {0};
        failed = invoice_read(bank->books, corrections.numbers[i], &one, bank->err);
        failed = failed ? failed : take_off(bank, &one, difference);
        invoice_release(&one);
    }
    return failed;
}

int invoice_correct(const struct bank *bank, const struct invoice *old, struct invoice *out)
{
    struct invoice difference = {0};
    struct invoice_wish wish = {.basis = old->basis,
                                .period = old->period,
                                .in_su = !old->unit.ptr,
                                .unit = old->unit,
                                .has_price = old->terms[INVOICE_PRICE].ptr != NULL};
    const struct ledger_account *account = bank_account_of(bank, old->account);
    *out = (struct invoice){0};
    int failed =
        wish.has_price ? amount_parse(old->terms[INVOICE_PRICE], &wish.price, bank->err) : 0;
    failed = failed ? failed : invoice_draft(bank, account, &wish, &difference);
    begin_about(bank, old, &difference, INVOICE_CORRECTS, out);
    failed = failed ? failed : take_off_corrections(bank, old, &difference);
    if (!failed) {
        add_differences(&difference, out);
        for (size_t i = 0; i < difference.rate_count; i++) {
            invoice_add_rate(out, difference.rates[i].name, difference.rates[i].text);
        }
    }
    invoice_release(&difference);
    return failed;
}
