/* SPDX-License-Identifier: MIT */
#pragma once

/* What all commands about the bank share. Inside service/ only. */

#include "bank/caps.h"
#include "bank/charge.h"
#include "bank/ledger.h"
#include "service/core/service.h"

/* The bank as a caller sees it: accounts that are not theirs to see are not there. */
struct bank {
    struct service *service;
    const struct request *request;
    struct answer *answer;
    struct error *err;
    struct books *books;
    struct zone *zone; /* of its days */
    int64_t now;
    struct ledger_accounts accounts;
    struct ledger_allotments allotments; /* of all accounts */
    struct ledger_draws draws;
};

/* Opens and reads it; closed also when it failed. */
int bank_open(struct service *service, const struct request *request, struct answer *answer,
              enum books_mode mode, struct bank *out, struct error *err) MUST_CHECK;
void bank_close(struct bank *bank);

/*
 * Reads accounts and allotments again: after a change, or inside the transaction that is to
 * change them.
 */
int bank_read(struct bank *bank) MUST_CHECK;

/*
 * Reads the account of a name and its allotments again, if there is one, for callers who see
 * all accounts: of many changes, each need not read the whole bank.
 */
int bank_read_account(struct bank *bank, struct str name) MUST_CHECK;

/* Word `index` of the request, or ERROR_USAGE saying that `what` is missing. */
int bank_word(const struct bank *bank, size_t index, const char *what,
              struct str *out) MUST_CHECK;

/* The account that word `index` names. */
int bank_account(const struct bank *bank, size_t index,
                 const struct ledger_account **out) MUST_CHECK;

/*
 * Whether the caller is in it: one of their logins draws on it by name, or was charged to it.
 */
int bank_is_in(const struct bank *bank, const struct ledger_account *account,
               bool *in) MUST_CHECK;

/* Whether the caller manages the account: staff do all. */
bool bank_manages(const struct bank *bank, const struct ledger_account *account);

/*
 * Whether the caller may move SU out of the account and into it: admins, and those who are
 * named as its managers. To see everything, as staff do, is no right to move anything.
 */
bool bank_moves(const struct bank *bank, const struct ledger_account *account);

/*
 * An end of a period: the first instant of --from, the instant after the last of --to. Absent
 * gives `otherwise`.
 */
int bank_instant(const struct bank *bank, const char *param, bool last, int64_t otherwise,
                 int64_t *out) MUST_CHECK;

/*
 * What an account had at the beginning of a day, on its statements; one with a parent has
 * nothing.
 */
int bank_balance_at(const struct bank *bank, const struct ledger_account *account,
                    int64_t instant, int64_t *out) MUST_CHECK;

/* Settles an account (0: all) inside the transaction. */
int bank_settle(const struct bank *bank, int64_t account) MUST_CHECK;

/* The number of the day of the bank's calendar that an instant lies in. */
int64_t bank_day(const struct bank *bank, int64_t instant);

/*
 * ERROR_CONFLICT if an instant, that --`param` names, lies in a closed period of an account, or
 * with 0 of any: nothing is moved inside these.
 */
int bank_check_open(const struct bank *bank, int64_t account, const char *param,
                    int64_t instant) MUST_CHECK;

/*
 * Closes the days of an account before `until`, which have to be over, inside the transaction.
 * ERROR_CONFLICT while some runs are not charged yet; *closed is false where these days are
 * closed already.
 */
int bank_close_account(const struct bank *bank, const struct ledger_account *account,
                       int64_t until, bool *closed) MUST_CHECK;

/*
 * The draw that "user:ann", "project:x", "account:chem" or plain "chem" says, with --from, --to
 * and --cluster of `bank draw`.
 */
int bank_draw_read(const struct bank *bank, const struct ledger_account *account,
                   struct str text, struct ledger_draw_row *out) MUST_CHECK;

/* The name of an account by its number, or NULL. */
const struct ledger_account *bank_account_of(const struct bank *bank, int64_t id);

/* Actions; each is a file's. */
int bank_show_balance(struct bank *bank, bool own) MUST_CHECK;
int bank_list_balances(struct bank *bank) MUST_CHECK; /* whatever words the request has */
int bank_show_statement(struct bank *bank) MUST_CHECK;
int bank_show_history(struct bank *bank) MUST_CHECK;
int bank_show_charges(struct bank *bank) MUST_CHECK;
int bank_show_caps(struct bank *bank) MUST_CHECK;
int bank_show_days(struct bank *bank) MUST_CHECK;
int bank_show_check(struct bank *bank) MUST_CHECK;
int bank_show_periods(struct bank *bank) MUST_CHECK;
int bank_show_draws(struct bank *bank) MUST_CHECK;
int bank_show_receipt(struct bank *bank) MUST_CHECK;
int bank_show_verify(struct bank *bank) MUST_CHECK;
int bank_show_allotments(struct bank *bank) MUST_CHECK;
int bank_show_export(struct bank *bank) MUST_CHECK;

/* The parent of an account, also for callers who do not see it. */
struct ledger_account bank_parent_of(const struct ledger_account *account);

/* What the ceilings of an account and of its parent leave to use; INT64_MAX: there are none. */
int bank_ceiling(const struct bank *bank, const struct caps *caps,
                 const struct ledger_account *account, int64_t *out) MUST_CHECK;

/* Says what the caller has left of their caps in an account, and all of its ceilings. */
int bank_note_caps(struct bank *bank, const struct ledger_account *account) MUST_CHECK;

/*
 * Charges what an import or a pull changed, if there is a bank. What fails is a note, and the
 * status of the answer 1: the runs stay.
 */
void bank_follow(struct service *service, struct answer *answer);

/* Says what charging did. */
void bank_note_charged(const struct charging_result *result, struct answer *answer);
