/* SPDX-License-Identifier: MIT */

/* stint bank grant, adjust, void, extend, writeoff: allotments and what is in them. */

#include <inttypes.h>

#include "bank/amount.h"
#include "service/bank/bank_change.h"

static int make_allotment(struct bank *bank, const struct ledger_account *account,
                          bool unlimited, struct ledger_allotment *out)
{
    int64_t carry = 0;
    *out = (struct ledger_allotment){
        .account = account->id,
        .kind = request_text(bank->request, "kind"),
        .unlimited = unlimited,
        .clusters = request_text(bank->request, "cluster"),
        .stays = str_eq(request_text(bank->request, "transferable"), STR("no")),
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

/*
 * A grant for a time before the account was opened suggests that the runs of that time are to
 * be charged.
 */
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
    int failed = change_amount(bank, 1, &amount);
    const struct change_repeated wanted = {LEDGER_GRANT, 0, account->id, amount, false};
    failed = failed ? failed : change_is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = request_has(bank->request, "allotment")
                 ? change_allotment(bank, account, 0, &there)
                 : make_allotment(bank, account, false, &made);
    if (failed) {
        return failed;
    }
    const struct ledger_entry entry =
        change_entry(bank, LEDGER_GRANT, LEDGER_GRANTED, there ? there->pot : made.pot, amount);
    failed = change_post(bank, &entry);
    if (!failed) {
        note_earlier(bank, account, &made);
        failed = bank_settle(bank, account->id);
    }
    return failed;
}

int change_grant(struct bank *bank)
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

int bank_do_grant(struct bank *bank)
{
    return change_in_transaction(bank, change_grant);
}

/* Moves an amount into an allotment, or out of it where it is below zero. */
static int post_adjustment(struct bank *bank, const struct ledger_allotment *allotment,
                           int64_t amount)
{
    const struct ledger_entry entry = change_entry(
        bank, LEDGER_ADJUSTMENT, amount > 0 ? LEDGER_GRANTED : allotment->pot,
        amount > 0 ? allotment->pot : LEDGER_GRANTED, amount > 0 ? amount : -amount);
    int failed = change_post(bank, &entry);
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
    const struct change_repeated wanted = {LEDGER_ADJUSTMENT, 0, account->id, 0, true};
    bool known = false;
    int failed = change_is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = change_allotment(bank, account, 0, &allotment);
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

int change_adjust(struct bank *bank)
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
    const struct change_repeated wanted = {LEDGER_ADJUSTMENT, amount < 0 ? account->id : 0,
                                           amount < 0 ? 0 : account->id,
                                           amount < 0 ? -amount : amount, false};
    failed = change_is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = change_allotment(bank, account, amount < 0 ? -amount : 0, &allotment);
    return failed ? failed : post_adjustment(bank, allotment, amount);
}

int bank_do_adjust(struct bank *bank)
{
    return change_in_transaction(bank, change_adjust);
}

/* --- void, extend, writeoff --------------------------------------------------------------- */

/* Takes back all that is left of an allotment. */
int change_void(struct bank *bank)
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
    const struct change_repeated wanted = {LEDGER_ADJUSTMENT, account->id, 0, 0, false};
    failed = change_is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = change_allotment(bank, account, 0, &allotment);
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
    return change_in_transaction(bank, change_void);
}

/*
 * An allotment as another one, with a later end. ERROR_CONFLICT: it has none, or ends later
 * already.
 */
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

/*
 * An allotment is never edited: what is left of it moves into one of the same kind that ends
 * later.
 */
int change_extend(struct bank *bank)
{
    const struct ledger_account *account;
    const struct ledger_allotment *old;
    struct ledger_allotment made;
    bool known = false;
    int failed = bank_account(bank, 0, &account);
    if (failed) {
        return failed;
    }
    const struct change_repeated wanted = {LEDGER_TRANSFER, account->id, account->id, 0, false};
    failed = change_is_known(bank, &wanted, &known);
    if (failed || known) {
        return failed;
    }
    failed = change_allotment(bank, account, 0, &old);
    failed = failed ? failed : later(bank, old, &made);
    failed = failed ? failed : ledger_allot(bank->books, &made, bank->err);
    if (!failed && !old->unlimited && old->balance > 0) {
        const struct ledger_entry entry =
            change_entry(bank, LEDGER_TRANSFER, old->pot, made.pot, old->balance);
        failed = change_post(bank, &entry);
    }
    return failed ? failed : bank_settle(bank, account->id);
}

int bank_do_extend(struct bank *bank)
{
    return change_in_transaction(bank, change_extend);
}

/*
 * What an account owes is granted for the days up to today, so that nothing of it can be spent
 * otherwise.
 */
int change_write_off(struct bank *bank)
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
    failed = some ? change_amount(bank, 1, &amount) : 0;
    const struct change_repeated wanted = {LEDGER_GRANT, 0, account->id, some ? amount : 0,
                                           false};
    failed = failed ? failed : change_is_known(bank, &wanted, &known);
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
        change_entry(bank, LEDGER_GRANT, LEDGER_GRANTED, made.pot, amount);
    failed = change_post(bank, &entry);
    return failed ? failed : bank_settle(bank, account->id);
}

int bank_do_write_off(struct bank *bank)
{
    return change_in_transaction(bank, change_write_off);
}
