/* SPDX-License-Identifier: MIT */

/* stint bank transfer: SU from one account to another. */

#include <inttypes.h>

#include "service/bank/bank_change.h"

/*
 * Where a transfer goes: an allotment of the receiver that is in force, for the same clusters,
 * ends no later than the one it comes from and carries no more over at its end; else one is
 * made with the same end, which carries nothing over. So nothing lives longer, or is spent
 * elsewhere, for having been moved.
 */
static int receive(struct bank *bank, const struct ledger_account *to,
                   const struct ledger_allotment *source, int64_t *pot)
{
    for (size_t i = 0; i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        if (row->account == to->id && row->from <= bank->now && bank->now < row->to &&
            row->to <= source->to && row->carry <= source->carry && !row->unlimited &&
            str_eq(row->clusters, source->clusters)) {
            *pot = row->pot;
            return 0;
        }
    }
    struct ledger_allotment made = {
        .account = to->id,
        .kind = source->kind,
        .from = source->from > to->opened ? source->from : to->opened,
        .to = source->to,
        .clusters = source->clusters,
        .note = request_text(bank->request, "note"),
    };
    int failed = ledger_allot(bank->books, &made, bank->err);
    *pot = made.pot;
    return failed;
}

/* Both sides of a transfer, which the caller must manage. */
static int read_sides(const struct bank *bank, const struct ledger_account **from,
                      const struct ledger_account **to)
{
    const struct str into = request_text(bank->request, "into");
    int failed;
    if (!into.ptr) {
        return error_set(bank->err, ERROR_USAGE, "say where to: --into ACCOUNT");
    }
    (void)((failed = bank_account(bank, 0, from)) ||
           (failed = ledger_accounts_get(&bank->accounts, into, to, bank->err)));
    if (!failed && !(bank_moves(bank, *from) && bank_moves(bank, *to))) {
        failed = error_set(bank->err, ERROR_DENIED,
                           "%s does not manage both '%.*s' and '%.*s': ask somebody who does",
                           bank->service->caller->name, STR_ARG((*from)->name),
                           STR_ARG((*to)->name));
    }
    if (!failed && *from == *to) {
        failed = error_set(bank->err, ERROR_USAGE, "both sides of the transfer are '%.*s'",
                           STR_ARG((*from)->name));
    }
    return failed;
}

/* The allotment that an amount is moved out of: of those that hold now, one that may be. */
static int give(const struct bank *bank, const struct ledger_account *from, int64_t amount,
                const struct ledger_allotment **out)
{
    int failed = change_allotment(bank, from, amount, out);
    for (size_t i = 0; !failed && (*out)->stays && !request_has(bank->request, "allotment") &&
                       i < bank->allotments.count;
         i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        if (row->account == from->id && row->from <= bank->now && bank->now < row->to &&
            !row->unlimited && !row->stays && row->balance >= amount) {
            *out = row;
        }
    }
    if (!failed && (*out)->stays) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "allotment %" PRId64
                           " of '%.*s' is not transferable: what is left of it is spent there",
                           (*out)->id, STR_ARG(from->name));
    }
    return failed;
}

/* Nothing that is unlimited, or is to stay, moves. */
static int find_source(const struct bank *bank, const struct ledger_account *from,
                       const struct ledger_account *to, int64_t amount,
                       const struct ledger_allotment **out)
{
    int failed = give(bank, from, amount, out);
    if (!failed && (*out)->unlimited) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "'%.*s' is unlimited, and what is moved from there would come from "
                           "nowhere: an admin can grant it to '%.*s'",
                           STR_ARG(from->name), STR_ARG(to->name));
    }
    return failed;
}

int change_transfer(struct bank *bank)
{
    const struct ledger_account *from, *to;
    const struct ledger_allotment *source;
    int64_t amount = 0, pot = 0;
    bool known = false;
    int failed = read_sides(bank, &from, &to);
    failed = failed ? failed : change_amount(bank, 1, &amount);
    if (failed) {
        return failed;
    }
    const struct change_repeated wanted = {LEDGER_TRANSFER, from->id, to->id, amount, false};
    failed = change_is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = find_source(bank, from, to, amount, &source);
    failed = failed ? failed : receive(bank, to, source, &pot);
    if (failed) {
        return failed;
    }
    const struct ledger_entry entry =
        change_entry(bank, LEDGER_TRANSFER, source->pot, pot, amount);
    failed = change_post(bank, &entry);
    failed = failed ? failed : bank_settle(bank, from->id);
    return failed ? failed : bank_settle(bank, to->id);
}

/* Balances of both sides of a transfer: the account it is from, then the one it goes to. */
struct sides {
    struct ledger_balance of[2];
};

static int read_balances(struct bank *bank, struct sides *out)
{
    const struct ledger_account *accounts[2];
    int failed = bank_read(bank);
    failed = failed ? failed : read_sides(bank, &accounts[0], &accounts[1]);
    for (size_t i = 0; !failed && i < COUNT_OF(out->of); i++) {
        failed =
            ledger_balance(accounts[i], &bank->allotments, bank->now, &out->of[i], bank->err);
    }
    return failed;
}

enum plan_column { PLAN_ACCOUNT, PLAN_BALANCE, PLAN_CHANGE, PLAN_THEN, PLAN_FREE };

static const struct heading plan_headings[] = {
    [PLAN_ACCOUNT] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [PLAN_BALANCE] = {"balance", "Balance", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [PLAN_CHANGE] = {"change", "Change", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [PLAN_THEN] = {"then", "Then", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [PLAN_FREE] = {"free", "Free then", CELL_INT, UNIT_SU, COLUMN_MEASURE},
};

static void show_plan(struct bank *bank, const struct sides *before, const struct sides *after)
{
    const struct str into = request_text(bank->request, "into");
    struct table *table = &bank->answer->table;
    struct str from = {0};
    request_each(bank->request, "word", 0, &from);
    table_columns(table, plan_headings, COUNT_OF(plan_headings));
    for (size_t i = 0; i < COUNT_OF(before->of); i++) {
        const struct ledger_balance *was = &before->of[i], *is = &after->of[i];
        const size_t row = table_row(table);
        table_set_text(table, PLAN_ACCOUNT, row, i == 0 ? from : into);
        if (!was->unlimited && !is->unlimited) {
            table_set_int(table, PLAN_BALANCE, row, was->balance);
            table_set_int(table, PLAN_CHANGE, row, is->balance - was->balance);
            table_set_int(table, PLAN_THEN, row, is->balance);
            table_set_int(table, PLAN_FREE, row, is->free);
        }
    }
    answer_note(bank->answer, NOTE_RESULT, "nothing was changed: this is the plan");
}

/*
 * Does it in a transaction that is given up: whatever would keep the transfer from being done
 * keeps the plan from being shown.
 */
static int plan_transfer(struct bank *bank)
{
    struct sides before, after;
    int failed;
    (void)((failed = books_begin(bank->books, bank->err)) ||
           (failed = read_balances(bank, &before)) || (failed = change_transfer(bank)) ||
           (failed = read_balances(bank, &after)));
    books_rollback(bank->books);
    if (!failed) {
        show_plan(bank, &before, &after);
    }
    return failed;
}

int bank_do_transfer(struct bank *bank)
{
    return request_flag(bank->request, "plan") ? plan_transfer(bank)
                                               : change_in_transaction(bank, change_transfer);
}
