/* SPDX-License-Identifier: MIT */
#include "service/bank/bank.h"

#include <inttypes.h>

#include "base/calendar.h"
#include "service/import/rollup_update.h"

/* --- what a caller sees ------------------------------------------------------------------- */

static bool is_among(const struct str *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++) {
        if (str_eq(names[i], name)) {
            return true;
        }
    }
    return false;
}

/* Whether a rule or the books name the caller as its manager, or as that of its parent. */
static bool is_named(const struct bank *bank, const struct ledger_account *account)
{
    const struct caller *caller = bank->service->caller;
    bool manages = false;
    for (size_t i = 0; caller_may(caller, RIGHT_MANAGED) && !manages && i < bank->draws.count;
         i++) {
        const struct ledger_draw_row *row = &bank->draws.rows[i];
        manages = (row->account == account->id || row->account == account->payer) &&
                  str_eq(row->kind, STR("account")) &&
                  is_among(caller->accounts, caller->account_count, row->name);
    }
    return manages;
}

bool bank_manages(const struct bank *bank, const struct ledger_account *account)
{
    return caller_may(bank->service->caller, RIGHT_ALL) || is_named(bank, account);
}

bool bank_moves(const struct bank *bank, const struct ledger_account *account)
{
    const struct caller *caller = bank->service->caller;
    return caller_may(caller, RIGHT_MONEY) ||
           (caller_may(caller, RIGHT_TRANSFER) && is_named(bank, account));
}

int bank_is_in(const struct bank *bank, const struct ledger_account *account, bool *in)
{
    const struct caller *caller = bank->service->caller;
    int failed = 0;
    *in = false;
    for (size_t i = 0; !failed && !*in && i < caller->login_count; i++) {
        for (size_t k = 0; !*in && k < bank->draws.count; k++) {
            const struct ledger_draw_row *row = &bank->draws.rows[k];
            *in = row->account == account->id && str_eq(row->kind, STR("user")) &&
                  str_eq(row->name, caller->logins[i]);
        }
        if (!*in) {
            failed = ledger_used_by(bank->books, account->id, caller->logins[i], in, bank->err);
        }
    }
    return failed;
}

/* Takes out the accounts that the caller does not see. */
static int leave_visible(struct bank *bank)
{
    size_t kept = 0;
    int failed = 0;
    for (size_t i = 0; !failed && i < bank->accounts.count; i++) {
        bool visible = bank_manages(bank, &bank->accounts.rows[i]);
        failed = visible ? 0 : bank_is_in(bank, &bank->accounts.rows[i], &visible);
        if (visible) {
            bank->accounts.rows[kept++] = bank->accounts.rows[i];
        }
    }
    bank->accounts.count = kept;
    return failed;
}

/* --- opening ------------------------------------------------------------------------------ */

int bank_read(struct bank *bank)
{
    int failed;
    ledger_accounts_release(&bank->accounts);
    ledger_allotments_release(&bank->allotments);
    ledger_draws_release(&bank->draws);
    (void)((failed = ledger_accounts_list(bank->books, &bank->accounts, bank->err)) ||
           (failed = ledger_allotments_list(bank->books, 0, &bank->allotments, bank->err)) ||
           (failed = ledger_draws_list(bank->books, &bank->draws, bank->err)) ||
           (failed = leave_visible(bank)));
    return failed;
}

int bank_read_account(struct bank *bank, struct str name)
{
    int failed = ledger_accounts_update(bank->books, name, &bank->accounts, bank->err);
    const struct ledger_account *account =
        failed ? NULL : ledger_accounts_find(&bank->accounts, name);
    return !account ? failed
                    : ledger_allotments_update(bank->books, account->id, &bank->allotments,
                                               bank->err);
}

int bank_open(struct service *service, const struct request *request, struct answer *answer,
              enum books_mode mode, struct bank *out, struct error *err)
{
    *out = (struct bank){.service = service,
                         .request = request,
                         .answer = answer,
                         .err = err,
                         .now = service->now()};
    int failed = service_books(service, mode, &out->books, err);
    (void)(failed || (failed = charging_zone(out->books, service->zone, &out->zone, err)) ||
           (failed = bank_read(out)));
    return failed;
}

void bank_close(struct bank *bank)
{
    ledger_accounts_release(&bank->accounts);
    ledger_allotments_release(&bank->allotments);
    ledger_draws_release(&bank->draws);
    zone_close(bank->zone);
}

/* --- what is asked ------------------------------------------------------------------------ */

int bank_word(const struct bank *bank, size_t index, const char *what, struct str *out)
{
    return request_each(bank->request, "word", index, out)
               ? 0
               : error_set(bank->err, ERROR_USAGE, "%s is missing; see: stint help bank", what);
}

int bank_account(const struct bank *bank, size_t index, const struct ledger_account **out)
{
    struct str name;
    int failed = bank_word(bank, index, "the account", &name);
    return failed ? failed : ledger_accounts_get(&bank->accounts, name, out, bank->err);
}

const struct ledger_account *bank_account_of(const struct bank *bank, int64_t id)
{
    for (size_t i = 0; i < bank->accounts.count; i++) {
        if (bank->accounts.rows[i].id == id) {
            return &bank->accounts.rows[i];
        }
    }
    return NULL;
}

int bank_instant(const struct bank *bank, const char *param, bool last, int64_t otherwise,
                 int64_t *out)
{
    struct period span;
    const struct str text = request_text(bank->request, param);
    *out = otherwise;
    if (!text.ptr) {
        return 0;
    }
    int failed = calendar_span(text, bank->zone, bank->now, &span, bank->err);
    *out = failed ? otherwise : last ? span.to : span.from;
    return failed ? error_prepend(bank->err, "--%s: ", param) : 0;
}

int bank_settle(const struct bank *bank, int64_t account)
{
    return charging_settle(bank->books, bank->zone, account, bank->now,
                           str_of(bank->service->caller->name), bank->err);
}

int64_t bank_day(const struct bank *bank, int64_t instant)
{
    const struct civil civil = zone_civil(bank->zone, instant);
    return civil_days(civil.year, civil.month, civil.day);
}

/* --- after an import ---------------------------------------------------------------------- */

void bank_note_charged(const struct charging_result *result, struct answer *answer)
{
    if (result->charged || result->reversed) {
        answer_note(answer, NOTE_RESULT, "charges: %" PRId64 " posted, %" PRId64 " taken back",
                    result->charged, result->reversed);
    }
    if (result->restarted) {
        answer_note(
            answer, NOTE_READING,
            "the facts are not those that were charged before: all runs were compared with "
            "their charges");
    }
    if (result->timed_out) {
        answer_note(answer, NOTE_WARNING,
                    "liens that ended without a charge, because a day after the time limit "
                    "there was no record "
                    "of the run's end: %" PRId64,
                    result->timed_out);
    }
    if (result->unpriced) {
        answer_note(
            answer, NOTE_WARNING,
            "%" PRId64
            " runs of the bank's accounts could not be charged: %s; add the rate, then: "
            "stint bank charge --recharge --from DAY --apply",
            result->unpriced, result->why);
    }
}

static int follow(struct service *service, struct answer *answer, struct error *err)
{
    struct books *books = NULL;
    struct zone *zone = NULL;
    struct facts *facts = NULL;
    struct charging_result result = {0};
    bool on = false;
    const struct charging_wish wish = {
        .which = CHARGING_CHANGED, .who = str_of(service->caller->name), .now = service->now()};
    int failed = service_books(service, BOOKS_READ, &books, err);
    failed = failed ? failed : charging_is_on(books, &on, err);
    if (!failed && on) {
        (void)((failed = service_books(service, BOOKS_WRITE, &books, err)) ||
               (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
               (failed = rollup_update_zone(service, facts, &zone, err)) ||
               (failed = charging_run(books, service->session, zone, &wish, &result, err)));
    }
    if (!failed) { /* what a failure has counted was not kept */
        bank_note_charged(&result, answer);
    }
    zone_close(zone);
    return failed;
}

void bank_follow(struct service *service, struct answer *answer)
{
    struct error err = {0};
    if (books_exist(service->store) && follow(service, answer, &err) != 0) {
        answer_note(answer, NOTE_WARNING,
                    "the runs are there and not charged yet: %s; to do it: stint bank charge",
                    err.text);
        answer->status = 1;
    }
}
