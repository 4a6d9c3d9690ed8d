/* SPDX-License-Identifier: MIT */

/* stint bank open, grant, transfer, refund, adjust, close, charge: what changes the ledger. */

#include <inttypes.h>

#include "bank/amount.h"
#include "service/bank/bank_change.h"
#include "service/import/rolling.h"

/* --- what they share ------------------------------------------------------------------------------ */

/* Word `index` as an amount above zero. */
static int read_amount(const struct bank *bank, size_t index, int64_t *out)
{
    struct str text;
    int failed = bank_word(bank, index, "the amount", &text);
    failed = failed ? failed : amount_parse(text, out, bank->err);
    return failed || *out > 0
               ? failed
               : error_set(bank->err, ERROR_USAGE, "the amount must be more than 0");
}

static struct ledger_entry entry_of(const struct bank *bank, enum ledger_kind kind,
                                    int64_t from, int64_t to, int64_t amount)
{
    return (struct ledger_entry){.key = request_text(bank->request, "id"),
                                 .kind = kind,
                                 .from = from,
                                 .to = to,
                                 .amount = amount,
                                 .at = bank->now,
                                 .who = str_of(bank->service->caller->name),
                                 .why = request_text(bank->request, "note")};
}

static int post(struct bank *bank, const struct ledger_entry *entry)
{
    enum ledger_outcome outcome;
    int failed = ledger_post(bank->books, entry, &outcome, bank->err);
    if (!failed && outcome == LEDGER_KNOWN) {
        answer_note(bank->answer, NOTE_RESULT, "'%.*s' was posted before: nothing was changed",
                    STR_ARG(entry->key));
    }
    return failed;
}

/* The accounts that an entry is between, 0 for the site, and how much it moves; 0: however much. */
struct repeated {
    enum ledger_kind kind;
    int64_t from, to, amount;
    bool either; /* it may also be from `to` to `from` */
};

/*
 * Whether the entry of --id is there already: then the change is made, whatever has become of the account since. ERROR_CONFLICT if it
 * is another one.
 */
static int is_known(struct bank *bank, const struct repeated *wanted, bool *known)
{
    struct ledger_entry entry;
    struct str taken = {0};
    int64_t from = 0, to = 0, ignored;
    const struct str key = request_text(bank->request, "id");
    *known = false;
    if (!key.ptr) {
        return 0;
    }
    int failed = ledger_entry_find(bank->books, key, &entry, known, bank->err);
    failed = failed ? failed
                    : ledger_allotted_find(bank->books, key, &bank->answer->table.arena, &taken,
                                           bank->err);
    if (!failed && *known) {
        failed = ledger_pot_account(bank->books, entry.from, &from, &ignored, bank->err);
        failed = failed ? failed
                        : ledger_pot_account(bank->books, entry.to, &to, &ignored, bank->err);
    }
    const bool sides = (from == wanted->from && to == wanted->to) ||
                       (wanted->either && from == wanted->to && to == wanted->from);
    const bool same = *known && entry.kind == wanted->kind && sides &&
                      (wanted->amount == 0 || entry.amount == wanted->amount);
    if (failed || (!*known && !taken.ptr)) {
        return failed;
    }
    if (!same) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "another entry has the id '%.*s': give this one an id of its own",
                         STR_ARG(key));
    }
    answer_note(bank->answer, NOTE_RESULT, "'%.*s' was posted before: nothing was changed",
                STR_ARG(key));
    return 0;
}

/* Does something in a transaction, settles the accounts it is about, and shows their balance. */
static int in_transaction(struct bank *bank, int (*change)(struct bank *bank))
{
    int failed;
    (void)((failed = books_begin(bank->books, bank->err)) || (failed = bank_read(bank)) ||
           (failed = change(bank)) || (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    (void)(failed || (failed = bank_read(bank)) || (failed = bank_show_balance(bank, false)));
    return failed;
}

/* The allotment of an account that an amount is put into or taken from: the one named, else the first that holds now. */
static int find_allotment(const struct bank *bank, const struct ledger_account *account,
                          int64_t amount, const struct ledger_allotment **out)
{
    int64_t wanted = 0;
    int failed = request_number(bank->request, "allotment", 0, &wanted, bank->err);
    *out = NULL;
    for (size_t i = 0; !failed && !*out && i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        const bool holds = row->from <= bank->now && bank->now < row->to &&
                           (row->unlimited || row->balance >= amount);
        if (row->account == account->id && (wanted ? row->id == wanted : holds)) {
            *out = row;
        }
    }
    if (failed || *out) {
        return failed;
    }
    struct arena *arena = &bank->answer->table.arena;
    return error_set(bank->err, ERROR_MISSING,
                     "'%.*s' has no allotment that holds now%s%s; see: stint bank allotments "
                     "%.*s",
                     STR_ARG(account->name), amount > 0 ? " with a balance of " : "",
                     amount > 0 ? amount_print(arena, amount).ptr : "", STR_ARG(account->name));
}

/* --- open ----------------------------------------------------------------------------------------- */

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

/* "user:ann", "project:x", "account:chem" or plain "chem", an account. NULL: runs are not charged by what it names. */
static const char *draw_kind(struct str text, struct str *name)
{
    static const char *const names[] = {"account", "project", "user"};
    struct str rest = text;
    const struct str kind = str_cut(&rest, ':');
    for (size_t i = 0; rest.ptr && i < COUNT_OF(names); i++) {
        if (str_eq(kind, str_of(names[i]))) {
            *name = rest;
            return names[i];
        }
    }
    *name = text;
    return rest.ptr ? NULL : names[0];
}

static int add_draws(struct bank *bank, const struct ledger_account *account)
{
    struct str text, name;
    int failed = 0;
    if (!request_has(bank->request, "draw")) {
        return ledger_draw(bank->books, account, "account", account->name, bank->err);
    }
    for (size_t i = 0; !failed && request_each(bank->request, "draw", i, &text); i++) {
        const char *kind = draw_kind(text, &name);
        failed =
            kind
                ? ledger_draw(bank->books, account, kind, name, bank->err)
                : error_set(bank->err, ERROR_USAGE,
                            "--draw takes account:NAME, project:NAME or user:NAME, not '%.*s'; "
                            "for an account of that name: --draw account:%.*s",
                            STR_ARG(text), STR_ARG(text));
    }
    return failed;
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
           (failed = add_draws(bank, &account)));
    return failed;
}

/* Charges the runs that now draw on the account and started since it is open. */
static int charge_draws(struct bank *bank, const struct ledger_account *account)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < bank->draws.count; i++) {
        const struct ledger_draw_row *row = &bank->draws.rows[i];
        struct charging_result result = {0};
        const struct charging_wish wish = {.which = CHARGING_OF_NAME,
                                           .kind = row->kind.ptr,
                                           .name = row->name,
                                           .since = account->opened,
                                           .who = str_of(bank->service->caller->name),
                                           .now = bank->now};
        if (row->account == account->id) {
            failed = charging_run(bank->books, bank->service->session, bank->zone, &wish,
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
        failed = charging_run(bank->books, bank->service->session, bank->zone, &wish, &result,
                              bank->err);
        bank_note_charged(&result, bank->answer);
    }
    return failed == ERROR_MISSING ? 0 : failed; /* without a store there are no runs */
}

/* --- grant ---------------------------------------------------------------------------------------- */

static int make_allotment(struct bank *bank, const struct ledger_account *account,
                          bool unlimited, struct ledger_allotment *out)
{
    int64_t carry = 0;
    *out = (struct ledger_allotment){.account = account->id,
                                     .kind = request_text(bank->request, "kind"),
                                     .unlimited = unlimited,
                                     .clusters = request_text(bank->request, "cluster"),
                                     .note = request_text(bank->request, "note")};
    int failed;
    (void)((failed = bank_instant(bank, "from", false, account->opened, &out->from)) ||
           (failed = bank_instant(bank, "to", true, INSTANT_MAX, &out->to)) ||
           (failed = request_number(bank->request, "carry", 0, &carry, bank->err)));
    if (!failed && out->from >= out->to) {
        failed = error_set(bank->err, ERROR_USAGE, "the allotment would end before it begins");
    }
    if (!failed && carry > 100) {
        failed = error_set(bank->err, ERROR_USAGE, "--carry is a share in percent: 0 to 100");
    }
    out->carry = carry * (AMOUNT_ONE / 100);
    const struct str then = request_text(bank->request, "then");
    if (!failed && then.ptr) {
        failed = amount_parse(then, &out->then, bank->err);
        failed = failed ? error_prepend(bank->err, "--then: ")
                 : out->then > 0
                     ? 0
                     : error_set(bank->err, ERROR_USAGE,
                                 "--then must be more than 0: without it, none follows");
    }
    if (!failed && out->then > 0 && out->to >= INSTANT_MAX) {
        failed = error_set(
            bank->err, ERROR_USAGE,
            "--then says what follows at the end, and the allotment has none: add --to");
    }
    return failed ? failed : ledger_allot(bank->books, out, bank->err);
}

/* Whoever grants for a time before the account was opened may expect the runs of that time to be charged. */
static void note_earlier(struct bank *bank, const struct ledger_account *account,
                         const struct ledger_allotment *made)
{
    if (made->account && made->from < account->opened) {
        const struct civil day = zone_civil(bank->zone, account->opened);
        answer_note(
            bank->answer, NOTE_WARNING,
            "runs that started before %04d-%02d-%02d, when the account was opened, are not "
            "charged: an account takes earlier ones if it is opened with --from",
            day.year, day.month, day.day);
    }
}

/* The same for an unlimited allotment, which has no entry. */
static int is_known_unlimited(struct bank *bank, const struct ledger_account *account,
                              bool *known)
{
    struct arena *arena = &bank->answer->table.arena;
    const struct str key = request_text(bank->request, "id");
    struct ledger_entry entry;
    struct str taken = {0};
    bool other = false;
    *known = false;
    if (!key.ptr) {
        return 0;
    }
    int failed = ledger_entry_find(bank->books, key, &entry, &other, bank->err);
    failed = failed ? failed : ledger_allotted_find(bank->books, key, arena, &taken, bank->err);
    if (failed) {
        return failed;
    }
    if (other || (taken.ptr && !str_eq(taken, account->name))) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "another entry has the id '%.*s': give this one an id of its own",
                         STR_ARG(key));
    }
    *known = taken.ptr != NULL;
    if (*known) {
        answer_note(bank->answer, NOTE_RESULT, "'%.*s' was posted before: nothing was changed",
                    STR_ARG(key));
        return 0;
    }
    return ledger_allotted_add(bank->books, key, arena, account->name, bank->err);
}

static int grant_unlimited(struct bank *bank, const struct ledger_account *account)
{
    struct ledger_allotment made = {0};
    bool known = false;
    int failed = is_known_unlimited(bank, account, &known);
    if (failed || known) {
        return failed;
    }
    if (request_has(bank->request, "allotment")) {
        return error_set(bank->err, ERROR_USAGE,
                         "an allotment does not become unlimited: grant another, without "
                         "--allotment");
    }
    failed = make_allotment(bank, account, true, &made);
    if (!failed) {
        note_earlier(bank, account, &made);
        failed = bank_settle(bank, account->id);
    }
    return failed;
}

static int grant_amount(struct bank *bank, const struct ledger_account *account)
{
    const struct ledger_allotment *there = NULL;
    struct ledger_allotment made = {0};
    int64_t amount = 0;
    bool known = false;
    int failed = read_amount(bank, 1, &amount);
    const struct repeated wanted = {LEDGER_GRANT, 0, account->id, amount, false};
    failed = failed ? failed : is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = request_has(bank->request, "allotment")
                 ? find_allotment(bank, account, 0, &there)
                 : make_allotment(bank, account, false, &made);
    if (failed) {
        return failed;
    }
    const struct ledger_entry entry =
        entry_of(bank, LEDGER_GRANT, LEDGER_GRANTED, there ? there->pot : made.pot, amount);
    failed = post(bank, &entry);
    if (!failed) {
        note_earlier(bank, account, &made);
        failed = bank_settle(bank, account->id);
    }
    return failed;
}

static int grant(struct bank *bank)
{
    struct str text;
    const struct ledger_account *account;
    int failed = bank_account(bank, 0, &account);
    failed = failed ? failed : bank_word(bank, 1, "the amount", &text);
    if (failed) {
        return failed;
    }
    return str_eq(text, STR("unlimited")) || str_eq(text, STR("-1"))
               ? grant_unlimited(bank, account)
               : grant_amount(bank, account);
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
    int failed = bank_read(bank);
    return failed ? failed : grant(bank);
}

int bank_do_open(struct bank *bank)
{
    const struct ledger_account *account;
    int failed;
    (void)((failed = books_begin(bank->books, bank->err)) || (failed = open_account(bank)) ||
           (failed = grant_at_once(bank)) || (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    (void)(failed || (failed = bank_read(bank)) || (failed = bank_account(bank, 0, &account)) ||
           (failed = charge_draws(bank, account)) || (failed = bank_read(bank)) ||
           (failed = bank_show_balance(bank, false)));
    return failed;
}

int bank_do_grant(struct bank *bank)
{
    return in_transaction(bank, grant);
}

/* --- transfer, adjust ----------------------------------------------------------------------------- */

/*
 * Where a transfer goes: an allotment of the receiver that holds now, for the same clusters, and ends no later than the one it is
 * from; else one is made with the same end. So nothing lives longer, or is spent elsewhere, for having been moved.
 */
static int receive(struct bank *bank, const struct ledger_account *to,
                   const struct ledger_allotment *source, int64_t *pot)
{
    for (size_t i = 0; i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        if (row->account == to->id && row->from <= bank->now && bank->now < row->to &&
            row->to <= source->to && !row->unlimited &&
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

static int transfer(struct bank *bank)
{
    const struct ledger_account *from, *to;
    const struct ledger_allotment *source;
    int64_t amount = 0, pot = 0;
    bool known = false;
    int failed = read_sides(bank, &from, &to);
    failed = failed ? failed : read_amount(bank, 1, &amount);
    if (failed) {
        return failed;
    }
    const struct repeated wanted = {LEDGER_TRANSFER, from->id, to->id, amount, false};
    failed = is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = find_allotment(bank, from, amount, &source);
    if (!failed && source->unlimited) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "'%.*s' is unlimited, and what is moved from there would come from "
                           "nowhere: an admin can grant it to '%.*s'",
                           STR_ARG(from->name), STR_ARG(to->name));
    }
    failed = failed ? failed : receive(bank, to, source, &pot);
    if (failed) {
        return failed;
    }
    const struct ledger_entry entry = entry_of(bank, LEDGER_TRANSFER, source->pot, pot, amount);
    failed = post(bank, &entry);
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

/* Does it in a transaction that is given up: whatever would keep the transfer from being done keeps the plan from being shown. */
static int plan_transfer(struct bank *bank)
{
    struct sides before, after;
    int failed;
    (void)((failed = books_begin(bank->books, bank->err)) ||
           (failed = read_balances(bank, &before)) || (failed = transfer(bank)) ||
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
                                               : in_transaction(bank, transfer);
}

/* Moves an amount into an allotment, or out of it where it is below zero. */
static int post_adjustment(struct bank *bank, const struct ledger_allotment *allotment,
                           int64_t amount)
{
    const struct ledger_entry entry =
        entry_of(bank, LEDGER_ADJUSTMENT, amount > 0 ? LEDGER_GRANTED : allotment->pot,
                 amount > 0 ? allotment->pot : LEDGER_GRANTED, amount > 0 ? amount : -amount);
    int failed = post(bank, &entry);
    return failed ? failed : bank_settle(bank, allotment->account);
}

static int refuse_unlimited(const struct bank *bank, const struct ledger_allotment *allotment)
{
    return allotment->unlimited
               ? error_set(bank->err, ERROR_CONFLICT,
                           "allotment %" PRId64 " is unlimited and has no amount to change",
                           allotment->id)
               : 0;
}

/* So that what was granted in all is `amount`, which cannot be less than what is gone of it. */
static int set_amount(struct bank *bank, const struct ledger_account *account, int64_t amount)
{
    struct arena *arena = &bank->answer->table.arena;
    const struct ledger_allotment *allotment;
    const struct repeated wanted = {LEDGER_ADJUSTMENT, 0, account->id, 0, true};
    bool known = false;
    int failed = is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = find_allotment(bank, account, 0, &allotment);
    failed = failed ? failed : refuse_unlimited(bank, allotment);
    if (failed) {
        return failed;
    }
    const int64_t gone = allotment->granted - allotment->balance;
    if (amount < gone) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "%s SU of allotment %" PRId64 " are used or gone: it cannot be set to "
                         "less",
                         amount_print(arena, gone).ptr, allotment->id);
    }
    if (amount == allotment->granted) {
        answer_note(bank->answer, NOTE_RESULT, "allotment %" PRId64 " is of %s SU already",
                    allotment->id, amount_print(arena, amount).ptr);
        return 0;
    }
    return post_adjustment(bank, allotment, amount - allotment->granted);
}

static int adjust(struct bank *bank)
{
    const struct ledger_account *account;
    const struct ledger_allotment *allotment;
    struct str text;
    int64_t amount = 0;
    bool known = false;
    const bool set = request_flag(bank->request, "set");
    int failed = bank_account(bank, 0, &account);
    failed = failed ? failed : bank_word(bank, 1, "the amount", &text);
    failed = failed ? failed : amount_parse(text, &amount, bank->err);
    if (!failed && request_flag(bank->request, "less")) {
        amount = -amount;
    }
    if (!failed && set && amount < 0) {
        failed = error_set(bank->err, ERROR_USAGE, "--set takes an amount of 0 or more");
    }
    if (!failed && !set && (amount == 0 || amount == INT64_MIN)) {
        failed =
            error_set(bank->err, ERROR_USAGE, "an adjustment must be an amount other than 0");
    }
    if (failed || set) {
        return failed ? failed : set_amount(bank, account, amount);
    }
    const struct repeated wanted = {LEDGER_ADJUSTMENT, amount < 0 ? account->id : 0,
                                    amount < 0 ? 0 : account->id, amount < 0 ? -amount : amount,
                                    false};
    failed = is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = find_allotment(bank, account, amount < 0 ? -amount : 0, &allotment);
    return failed ? failed : post_adjustment(bank, allotment, amount);
}

int bank_do_adjust(struct bank *bank)
{
    return in_transaction(bank, adjust);
}

/* --- void, extend, writeoff ------------------------------------------------------------------------ */

/* Takes back all that is left of an allotment. */
static int void_grant(struct bank *bank)
{
    const struct ledger_account *account;
    const struct ledger_allotment *allotment;
    bool known = false;
    int failed = bank_account(bank, 0, &account);
    if (!failed && !request_has(bank->request, "allotment")) {
        failed = error_set(bank->err, ERROR_USAGE,
                           "say which one: --allotment N; see: stint bank allotments %.*s",
                           STR_ARG(account->name));
    }
    if (failed) {
        return failed;
    }
    const struct repeated wanted = {LEDGER_ADJUSTMENT, account->id, 0, 0, false};
    failed = is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = find_allotment(bank, account, 0, &allotment);
    failed = failed ? failed : refuse_unlimited(bank, allotment);
    if (failed) {
        return failed;
    }
    if (allotment->balance <= 0) {
        answer_note(bank->answer, NOTE_RESULT, "nothing is left of allotment %" PRId64,
                    allotment->id);
        return 0;
    }
    return post_adjustment(bank, allotment, -allotment->balance);
}

int bank_do_void(struct bank *bank)
{
    return in_transaction(bank, void_grant);
}

/* An allotment as another one, with a later end. ERROR_CONFLICT: it has none, or ends later already. */
static int later(const struct bank *bank, const struct ledger_allotment *old,
                 struct ledger_allotment *out)
{
    *out = *old;
    out->after = 0;
    int failed = bank_instant(bank, "to", true, 0, &out->to);
    if (failed) {
        return failed;
    }
    if (out->to == 0) {
        return error_set(bank->err, ERROR_USAGE, "say until when: --to DAY");
    }
    if (old->to <= bank->now) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "allotment %" PRId64
                         " has ended, and what was left of it has expired: "
                         "grant another",
                         old->id);
    }
    if (out->to <= old->to) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "allotment %" PRId64 " does not end before that day", old->id);
    }
    if (old->then > 0) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "allotment %" PRId64 " is renewed at its end: it needs no later one",
                         old->id);
    }
    if (old->unlimited) {
        out->from = old->to;
    }
    return 0;
}

/* An allotment is never edited: what is left of it moves into one of the same kind that ends later. */
static int extend(struct bank *bank)
{
    const struct ledger_account *account;
    const struct ledger_allotment *old;
    struct ledger_allotment made;
    bool known = false;
    int failed = bank_account(bank, 0, &account);
    if (failed) {
        return failed;
    }
    const struct repeated wanted = {LEDGER_TRANSFER, account->id, account->id, 0, false};
    failed = is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = find_allotment(bank, account, 0, &old);
    failed = failed ? failed : later(bank, old, &made);
    failed = failed ? failed : ledger_allot(bank->books, &made, bank->err);
    if (!failed && !old->unlimited && old->balance > 0) {
        const struct ledger_entry entry =
            entry_of(bank, LEDGER_TRANSFER, old->pot, made.pot, old->balance);
        failed = post(bank, &entry);
    }
    return failed ? failed : bank_settle(bank, account->id);
}

int bank_do_extend(struct bank *bank)
{
    return in_transaction(bank, extend);
}

/* What an account owes is granted for the days up to today, so that nothing of it can be spent otherwise. */
static int write_off(struct bank *bank)
{
    struct arena *arena = &bank->answer->table.arena;
    const struct ledger_account *account;
    struct str text;
    bool known = false;
    int failed = bank_account(bank, 0, &account);
    if (failed) {
        return failed;
    }
    const int64_t owed = account->over < 0 ? -account->over : 0;
    int64_t amount = owed;
    const bool some = request_each(bank->request, "word", 1, &text);
    failed = some ? read_amount(bank, 1, &amount) : 0;
    const struct repeated wanted = {LEDGER_GRANT, 0, account->id, some ? amount : 0, false};
    failed = failed ? failed : is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    if (owed == 0 || amount > owed) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "'%.*s' owes %s SU: no more can be written off",
                         STR_ARG(account->name), amount_print(arena, owed).ptr);
    }
    const struct civil day = zone_civil(bank->zone, bank->now);
    struct ledger_allotment made = {
        .account = account->id,
        .kind = STR("grant"),
        .from = account->opened,
        .to = zone_instant(bank->zone,
                           (struct civil){day.year, day.month, day.day + 1, 0, 0, 0, 0}),
        .note = request_text(bank->request, "note"),
    };
    failed = ledger_allot(bank->books, &made, bank->err);
    if (failed) {
        return failed;
    }
    const struct ledger_entry entry =
        entry_of(bank, LEDGER_GRANT, LEDGER_GRANTED, made.pot, amount);
    failed = post(bank, &entry);
    return failed ? failed : bank_settle(bank, account->id);
}

int bank_do_write_off(struct bank *bank)
{
    return in_transaction(bank, write_off);
}

/* --- refund --------------------------------------------------------------------------------------- */

/* Where a refund goes: the first allotment that held when the run started, else what was overdrawn. */
static int64_t refund_pot(const struct bank *bank, const struct ledger_account *account,
                          int64_t start)
{
    for (size_t i = 0; i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        if (row->account == account->id && row->from <= start && start < row->to) {
            return row->pot;
        }
    }
    return account->over_pot;
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
    if (failed) {
        return failed;
    }
    amount = charge.amount - charge.refunded;
    const bool some = request_each(bank->request, "word", 1, &text);
    failed = some ? read_amount(bank, 1, &amount) : 0;
    bool known = false;
    const struct repeated wanted = {LEDGER_REFUND, 0, account->id, some ? amount : 0, false};
    failed = failed ? failed : is_known(bank, &wanted, &known);
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
    struct ledger_entry entry = entry_of(bank, LEDGER_REFUND, LEDGER_USED,
                                         refund_pot(bank, account, charge.start), amount);
    entry.run = charge.run;
    (void)(failed || (failed = post(bank, &entry)) ||
           (failed = bank_settle(bank, account->id)));
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

/* --- set, close, charge --------------------------------------------------------------------------- */

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
        failed = read_overdraft(bank, &changed);
    }
    (void)(failed || (failed = ledger_set(bank->books, &changed, bank->err)) ||
           (failed = request_has(bank->request, "draw") ? add_draws(bank, &changed) : 0));
    return failed;
}

int bank_do_set(struct bank *bank)
{
    const struct ledger_account *account;
    int failed = in_transaction(bank, set_account);
    if (!failed && request_has(bank->request, "draw")) {
        (void)((failed = bank_account(bank, 0, &account)) ||
               (failed = charge_draws(bank, account)));
    }
    return failed;
}

static int close_account(struct bank *bank)
{
    const struct ledger_account *account;
    int failed = bank_account(bank, 0, &account);
    if (failed) {
        return failed;
    }
    struct ledger_account changed = *account;
    (void)((failed = bank_instant(bank, "to", true, bank->now, &changed.closed)) ||
           (failed = ledger_set(bank->books, &changed, bank->err)));
    return failed;
}

int bank_do_close(struct bank *bank)
{
    return in_transaction(bank, close_account);
}

static void show_charged(const struct bank *bank, const struct charging_result *result)
{
    const struct {
        const char *id, *label;
        int64_t count;
    } columns[] = {
        {"runs", "Runs", result->runs},
        {"charged", "Charged", result->charged},
        {"reversed", "Taken back", result->reversed},
        {"running", "Running", result->liens},
        {"unpriced", "Not charged", result->unpriced},
        {"entries", "Entries", result->entries},
    };
    struct table *table = &bank->answer->table;
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        table_column(table, columns[i].id, columns[i].label, CELL_INT, UNIT_COUNT,
                     COLUMN_MEASURE);
    }
    const size_t row = table_row(table);
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        table_set_int(table, i, row, columns[i].count);
    }
    if (result->unpriced) {
        answer_note(bank->answer, NOTE_WARNING, "the first that was not charged: %s",
                    result->why);
    }
}

enum recharge_column {
    RECHARGE_ACCOUNT,
    RECHARGE_LINES,
    RECHARGE_BACK,
    RECHARGE_CHARGED,
    RECHARGE_DIFFERENCE
};

static const struct heading recharge_headings[] = {
    [RECHARGE_ACCOUNT] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [RECHARGE_LINES] = {"lines", "Lines", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [RECHARGE_BACK] = {"taken_back", "Taken back", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [RECHARGE_CHARGED] = {"charged", "Charged", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [RECHARGE_DIFFERENCE] = {"difference", "Difference", CELL_INT, UNIT_SU, COLUMN_MEASURE},
};

static void show_differences(const struct bank *bank, const struct charging_plan *plan,
                             bool applied)
{
    struct table *table = &bank->answer->table;
    table_columns(table, recharge_headings, COUNT_OF(recharge_headings));
    table_exact(table);
    for (size_t i = 0; i < plan->count; i++) {
        const struct charging_difference *one = &plan->rows[i];
        const struct ledger_account *account = bank_account_of(bank, one->account);
        const size_t row = table_row(table);
        table_set_text(table, RECHARGE_ACCOUNT, row, account ? account->name : STR("---"));
        table_set_int(table, RECHARGE_LINES, row, one->lines);
        table_set_int(table, RECHARGE_BACK, row, one->taken_back);
        table_set_int(table, RECHARGE_CHARGED, row, one->charged);
        table_set_int(table, RECHARGE_DIFFERENCE, row, one->charged - one->taken_back);
    }
    if (plan->count == 0) {
        answer_note(bank->answer, NOTE_EMPTY,
                    "the present rates give every run the price it was charged");
    } else if (!applied) {
        answer_note(bank->answer, NOTE_RESULT,
                    "nothing was changed: this is the plan; --apply posts it");
    }
}

/* Prices runs of a time by the rates of today: said with its dates, shown first, done with --apply. */
static int recharge(struct bank *bank, const struct zone *zone)
{
    struct charging_result result = {0};
    struct charging_plan plan = {0};
    const bool apply = request_flag(bank->request, "apply");
    struct charging_wish wish = {.which = CHARGING_ALL,
                                 .why = STR("charged again by the current rates"),
                                 .who = str_of(bank->service->caller->name),
                                 .now = bank->now,
                                 .plan = &plan,
                                 .plan_only = !apply};
    const struct str note = request_text(bank->request, "note");
    wish.why = note.ptr ? note : wish.why;
    if (!request_has(bank->request, "from")) {
        return error_set(bank->err, ERROR_USAGE,
                         "say from when on runs are charged again: --recharge --from DAY");
    }
    int failed = bank_instant(bank, "from", false, 0, &wish.since);
    failed = failed ? failed : bank_instant(bank, "to", true, 0, &wish.until);
    failed = failed ? failed
                    : charging_run(bank->books, bank->service->session, zone, &wish, &result,
                                   bank->err);
    if (!failed) {
        show_differences(bank, &plan, apply);
    }
    charging_plan_release(&plan);
    return failed;
}

int bank_do_charge(struct bank *bank)
{
    struct charging_result result = {0};
    struct zone *zone = NULL;
    struct facts *facts = NULL;
    struct charging_wish wish = {.which = CHARGING_CHANGED,
                                 .who = str_of(bank->service->caller->name),
                                 .now = bank->now};
    int failed;
    (void)((failed = session_facts(bank->service->session, FACTS_READ, &facts, bank->err)) ||
           (failed = rolling_zone(bank->service, facts, &zone, bank->err)));
    session_close(bank->service->session); /* it is asked again inside, for what is newest */
    if (!failed && request_flag(bank->request, "recharge")) {
        failed = recharge(bank, zone);
    } else if (!failed) {
        failed =
            charging_run(bank->books, bank->service->session, zone, &wish, &result, bank->err);
        show_charged(bank, &result);
    }
    zone_close(zone);
    return failed;
}
