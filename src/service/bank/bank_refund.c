/* SPDX-License-Identifier: MIT */

/* stint bank refund: what a run was charged, given back. */

#include "bank/amount.h"
#include "service/bank/bank_change.h"

static bool holds(const struct ledger_allotment *row, int64_t instant)
{
    return row->from <= instant && instant < row->to;
}

/*
 * Where a refund goes: into the first allotment that held when the run started, if it still
 * holds; else into the first that holds now and is for its cluster; else into the one of then,
 * with which it expires. Where no allotment held when the run started, it was beyond the
 * allotments, and the refund reduces what the account owes.
 */
static int64_t refund_pot(const struct bank *bank, const struct ledger_account *account,
                          const struct ledger_charge *charge)
{
    const struct ledger_allotment *then = NULL, *still = NULL, *now = NULL;
    for (size_t i = 0; i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        if (row->account != account->id || !ledger_allotment_is_for(row, charge->cluster)) {
            continue;
        }
        const bool was = holds(row, charge->start), is = holds(row, bank->now);
        then = then || !was ? then : row;
        still = still || !was || !is ? still : row;
        now = now || !is ? now : row;
    }
    if (!then) {
        return account->over_pot;
    }
    if (!still && !now) {
        answer_note(
            bank->answer, NOTE_WARNING,
            "the allotment that paid for the run has ended, and none is valid now: "
            "the refund expires with it; to give it elsewhere, name one: --allotment N");
    }
    return still ? still->pot : now ? now->pot : then->pot;
}

/* The pot of --allotment, else by the rule. */
static int choose_pot(const struct bank *bank, const struct ledger_account *account,
                      const struct ledger_charge *charge, int64_t *out)
{
    const struct ledger_allotment *named;
    if (!request_has(bank->request, "allotment")) {
        *out = refund_pot(bank, account, charge);
        return 0;
    }
    const int failed = change_allotment(bank, account, 0, &named);
    *out = failed ? 0 : named->pot;
    return failed;
}

static void show_refunded(const struct bank *bank, const struct ledger_charge *charge)
{
    struct table *table = &bank->answer->table;
    table_column(table, "run", "Run", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "charged", "Charged", CELL_INT, UNIT_SU, COLUMN_MEASURE);
    table_column(table, "refunded", "Refunded", CELL_INT, UNIT_SU, COLUMN_MEASURE);
    const size_t row = table_row(table);
    table_set_text(table, 0, row, charge->run);
    table_set_text(table, 1, row, charge->account);
    table_set_int(table, 2, row, charge->amount);
    table_set_int(table, 3, row, charge->refunded);
}

static int refund(struct bank *bank)
{
    struct str name, text;
    struct ledger_charge charge;
    const struct ledger_account *account;
    struct arena *arena = &bank->answer->table.arena;
    int64_t amount;
    int failed;
    (void)((failed = bank_word(bank, 0, "the run", &name)) ||
           (failed = ledger_charge_of(bank->books, name, arena, &charge, bank->err)) ||
           (failed =
                ledger_accounts_get(&bank->accounts, charge.account, &account, bank->err)));
    if (!failed && ledger_has_parent(account)) { /* it goes back to where it came from */
        failed = ledger_accounts_get(&bank->accounts, account->payer_name, &account, bank->err);
    }
    if (failed) {
        return failed;
    }
    amount = charge.amount - charge.refunded;
    const bool some = request_each(bank->request, "word", 1, &text);
    failed = some ? change_amount(bank, 1, &amount) : 0;
    bool known = false;
    const struct change_repeated wanted = {LEDGER_REFUND, 0, account->id, some ? amount : 0,
                                           false};
    failed = failed ? failed : change_is_known(bank, &wanted, &known);
    if (!failed && known) {
        show_refunded(bank, &charge);
        return 0;
    }
    if (!failed && (amount <= 0 || amount > charge.amount - charge.refunded)) {
        failed =
            error_set(bank->err, ERROR_CONFLICT,
                      "%.*s was charged %s SU, of which %s were refunded: no more than the "
                      "rest can be",
                      STR_ARG(charge.run), amount_print(arena, charge.amount).ptr,
                      amount_print(arena, charge.refunded).ptr);
    }
    int64_t pot = 0;
    failed = failed ? failed : choose_pot(bank, account, &charge, &pot);
    if (failed) {
        return failed;
    }
    struct ledger_entry entry = change_entry(bank, LEDGER_REFUND, LEDGER_USED, pot, amount);
    entry.run = charge.run;
    failed = change_post(bank, &entry);
    failed = failed ? failed : bank_settle(bank, account->id);
    if (!failed) {
        charge.refunded += amount;
        show_refunded(bank, &charge);
    }
    return failed;
}

/* The table is what the run was charged and refunded. */
int bank_do_refund(struct bank *bank)
{
    int failed;
    (void)((failed = books_begin(bank->books, bank->err)) || (failed = bank_read(bank)) ||
           (failed = refund(bank)) || (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    return failed;
}
