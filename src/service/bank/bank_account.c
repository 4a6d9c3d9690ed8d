/* SPDX-License-Identifier: MIT */

/* stint bank open, set, close: accounts, and whose runs they pay. */

#include "bank/amount.h"
#include "service/bank/bank_change.h"

/* "none", "500", "10%" */
static int read_overdraft(const struct bank *bank, struct ledger_account *account)
{
    struct str text = request_text(bank->request, "overdraft");
    if (!text.ptr || str_eq(text, STR("none"))) {
        account->overdraft = OVERDRAFT_NONE;
        account->overdraft_micro = 0;
        return 0;
    }
    const bool share = str_ends(text, STR("%"));
    text.len -= share;
    int failed = amount_parse(text, &account->overdraft_micro, bank->err);
    if (failed || account->overdraft_micro < 0) {
        failed =
            error_set(bank->err, ERROR_USAGE,
                      "'%.*s' is neither none, nor an amount such as 500, nor a share such "
                      "as 10%%",
                      STR_ARG(text));
    } else if (share && account->overdraft_micro % 100 != 0) {
        failed = error_set(bank->err, ERROR_USAGE, "a share has at most four decimals");
    }
    account->overdraft = share ? OVERDRAFT_SHARE : OVERDRAFT_AMOUNT;
    account->overdraft_micro /= share ? 100 : 1;
    return failed ? error_prepend(bank->err, "--overdraft: ") : 0;
}

static int add_draws(struct bank *bank, const struct ledger_account *account)
{
    struct str text;
    int failed = 0;
    if (!request_has(bank->request, "draw")) {
        return ledger_draw(bank->books, account, "account", account->name, bank->err);
    }
    for (size_t i = 0; !failed && request_each(bank->request, "draw", i, &text); i++) {
        struct ledger_draw_row row;
        failed = bank_draw_read(bank, account, text, &row);
        failed = failed ? failed : ledger_draw_add(bank->books, &row, bank->err);
    }
    return failed;
}

/* The parent of --parent, which has to be open for as long as the account. */
static int set_parent(struct bank *bank, struct ledger_account *account)
{
    const struct str name = request_text(bank->request, "parent");
    const struct ledger_account *parent;
    if (!name.ptr) {
        return 0;
    }
    int failed = ledger_accounts_get(&bank->accounts, name, &parent, bank->err);
    if (!failed && parent->id == account->id) {
        failed = error_set(bank->err, ERROR_USAGE, "an account is not its own parent");
    }
    if (!failed && (parent->opened > account->opened || parent->closed < account->closed)) {
        failed =
            error_set(bank->err, ERROR_CONFLICT,
                      "'%.*s' is not open for as long as '%.*s', whose runs it would pay "
                      "for: open '%.*s' with a later --from",
                      STR_ARG(parent->name), STR_ARG(account->name), STR_ARG(account->name));
    }
    if (failed || account->payer == parent->id) {
        return failed;
    }
    return ledger_set_parent(bank->books, account, parent, request_text(bank->request, "note"),
                             bank->err);
}

static int open_account(struct bank *bank)
{
    struct ledger_account account = {.closed = INSTANT_MAX,
                                     .note = request_text(bank->request, "note")};
    const struct civil today = zone_civil(bank->zone, bank->now);
    const int64_t midnight = zone_instant(
        bank->zone, (struct civil){today.year, today.month, today.day, 0, 0, 0, 0});
    int failed;
    (void)((failed = bank_word(bank, 0, "the account's name", &account.name)) ||
           (failed = bank_instant(bank, "from", false, midnight, &account.opened)) ||
           (failed = read_overdraft(bank, &account)) ||
           (failed = ledger_open(bank->books, &account, bank->err)) ||
           (failed = set_parent(bank, &account)) || (failed = add_draws(bank, &account)));
    return failed;
}

/*
 * Charges the runs that now draw on the account and started since then; INSTANT_MAX: since it
 * was opened. Inside the transaction that changed whose runs these are: later charging goes by
 * runs that change, and would not come back to them.
 */
static int charge_draws(struct bank *bank, int64_t since)
{
    const struct ledger_account *account;
    int failed = bank_read(bank);
    failed = failed ? failed : bank_account(bank, 0, &account);
    if (failed) {
        return failed;
    }
    for (size_t i = 0; !failed && i < bank->draws.count; i++) {
        const struct ledger_draw_row *row = &bank->draws.rows[i];
        struct charging_result result = {0};
        const struct charging_wish wish = {.which = CHARGING_OF_NAME,
                                           .kind = row->kind.ptr,
                                           .name = row->name,
                                           .since =
                                               since < INSTANT_MAX ? since : account->opened,
                                           .who = str_of(bank->service->caller->name),
                                           .now = bank->now};
        if (row->account == account->id) {
            failed = charging_run_within(bank->books, bank->service->session, bank->zone, &wish,
                                         &result, bank->err);
            bank_note_charged(&result, bank->answer);
        }
    }
    /* Without a store there are no runs. */
    return failed == ERROR_MISSING ? 0 : failed;
}

int bank_charge_missing(struct bank *bank)
{
    struct charging_result result = {0};
    struct charging_wish wish = {.which = CHARGING_MISSING,
                                 .since = INSTANT_MAX,
                                 .who = str_of(bank->service->caller->name),
                                 .now = bank->now};
    int failed = bank_read(bank);
    for (size_t i = 0; !failed && i < bank->accounts.count; i++) {
        const int64_t opened = bank->accounts.rows[i].opened;
        wish.since = opened < wish.since ? opened : wish.since;
    }
    if (!failed) {
        failed = charging_run_within(bank->books, bank->service->session, bank->zone, &wish,
                                     &result, bank->err);
        bank_note_charged(&result, bank->answer);
    }
    return failed == ERROR_MISSING ? 0 : failed; /* without a store there are no runs */
}

/* The amount that an account is opened with, if there is one. */
static int grant_at_once(struct bank *bank)
{
    struct str text;
    if (!request_each(bank->request, "word", 1, &text)) {
        return request_has(bank->request, "to")
                   ? error_set(bank->err, ERROR_USAGE,
                               "--to is of an amount that is granted: stint bank open ACCOUNT "
                               "AMOUNT --to DAY")
                   : 0;
    }
    int failed = bank_word(bank, 0, "the account's name", &text);
    failed = failed ? failed : bank_read_account(bank, text);
    return failed ? failed : change_grant(bank);
}

int change_open(struct bank *bank)
{
    int failed = open_account(bank);
    return failed ? failed : grant_at_once(bank);
}

static int open_and_charge(struct bank *bank)
{
    const int failed = change_open(bank);
    return failed ? failed : charge_draws(bank, INSTANT_MAX);
}

int bank_do_open(struct bank *bank)
{
    return change_in_transaction(bank, open_and_charge);
}

static int set_account(struct bank *bank)
{
    const struct ledger_account *account;
    int failed = bank_account(bank, 0, &account);
    if (failed) {
        return failed;
    }
    struct ledger_account changed = *account;
    const struct str note = request_text(bank->request, "note");
    changed.note = note.ptr ? note : changed.note;
    if (request_has(bank->request, "overdraft")) {
        failed = ledger_has_parent(account)
                     ? error_set(bank->err, ERROR_CONFLICT,
                                 "'%.*s' has a parent that pays for it: the overdraft is that "
                                 "of '%.*s'",
                                 STR_ARG(account->name), STR_ARG(account->payer_name))
                     : read_overdraft(bank, &changed);
    }
    (void)(failed || (failed = set_parent(bank, &changed)) ||
           (failed = ledger_set(bank->books, &changed, "set", note, bank->err)) ||
           (request_has(bank->request, "draw") &&
            ((failed = add_draws(bank, &changed)) ||
             (failed = charge_draws(bank, INSTANT_MAX)))));
    return failed;
}

int bank_do_set(struct bank *bank)
{
    return change_in_transaction(bank, set_account);
}

/* Those that it pays for have to be closed by then. */
static int check_children(const struct bank *bank, const struct ledger_account *account)
{
    for (size_t i = 0; i < bank->accounts.count; i++) {
        const struct ledger_account *row = &bank->accounts.rows[i];
        if (ledger_has_parent(row) && row->payer == account->id &&
            row->closed > account->closed) {
            return error_set(bank->err, ERROR_CONFLICT,
                             "'%.*s' pays for the runs of '%.*s': close that one first",
                             STR_ARG(account->name), STR_ARG(row->name));
        }
    }
    return 0;
}

/*
 * Runs that started later and are charged to it are taken back, or charged to the account that
 * they draw on then.
 */
static int close_account(struct bank *bank)
{
    const struct ledger_account *account;
    int failed = bank_account(bank, 0, &account);
    if (failed) {
        return failed;
    }
    const int64_t was = account->closed;
    struct ledger_account changed = *account;
    failed = bank_instant(bank, "to", true, bank->now, &changed.closed);
    failed = failed ? failed : bank_check_open(bank, account->id, "to", changed.closed);
    failed = failed || ledger_has_parent(account) ? failed : check_children(bank, &changed);
    failed = failed ? failed
                    : ledger_set(bank->books, &changed, "close",
                                 request_text(bank->request, "note"), bank->err);
    return failed ? failed : charge_draws(bank, was < changed.closed ? was : changed.closed);
}

int bank_do_close(struct bank *bank)
{
    return change_in_transaction(bank, close_account);
}
