/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The actions of `stint bank` that change the ledger, each in a transaction of its own, and
 * what they share. Inside service/ only.
 */

#include "service/bank/bank.h"

/* What ids of entries begin with that were posted for a request; then comes its number. */
#define BANK_REQUEST_KEY "request "

int bank_do_open(struct bank *bank) MUST_CHECK;
int bank_do_set(struct bank *bank) MUST_CHECK;
int bank_do_ceiling(struct bank *bank) MUST_CHECK;
int bank_do_grant(struct bank *bank) MUST_CHECK;
int bank_do_transfer(struct bank *bank) MUST_CHECK;
int bank_do_adjust(struct bank *bank) MUST_CHECK;
int bank_do_void(struct bank *bank) MUST_CHECK;
int bank_do_extend(struct bank *bank) MUST_CHECK;
int bank_do_write_off(struct bank *bank) MUST_CHECK;
int bank_do_refund(struct bank *bank) MUST_CHECK;
int bank_do_close(struct bank *bank) MUST_CHECK;
int bank_do_charge(struct bank *bank) MUST_CHECK;
int bank_do_notices(struct bank *bank) MUST_CHECK;
int bank_do_close_period(struct bank *bank) MUST_CHECK;
int bank_do_draw(struct bank *bank) MUST_CHECK;

/* The files of slurm_bank. */
int bank_do_import(struct bank *bank) MUST_CHECK;
int bank_show_dump(struct bank *bank) MUST_CHECK;

/*
 * Charges the runs of all accounts that are not charged, in one pass over them, inside the
 * transaction that opened some.
 */
int bank_charge_missing(struct bank *bank) MUST_CHECK;

/* Runs `change` in a transaction, then reads the bank again and shows the balances. */
int change_in_transaction(struct bank *bank, int (*change)(struct bank *bank)) MUST_CHECK;

/* Word `index` of the request as an amount above zero. */
int change_amount(const struct bank *bank, size_t index, int64_t *out) MUST_CHECK;

/* An entry by the caller, now, with the --id and --note of the request. */
struct ledger_entry change_entry(const struct bank *bank, enum ledger_kind kind, int64_t from,
                                 int64_t to, int64_t amount);

/* Posts it; if the ledger has it already, a note says so. */
int change_post(struct bank *bank, const struct ledger_entry *entry) MUST_CHECK;

/*
 * The accounts that an entry is between, 0 for the site, and how much it moves; 0: any amount.
 */
struct change_repeated {
    enum ledger_kind kind;
    int64_t from, to, amount;
    bool either; /* it may also be from `to` to `from` */
};

/*
 * Whether the entry of --id is in the ledger already: then the change was made, whatever has
 * happened to the account since. ERROR_CONFLICT if it is another entry.
 */
int change_is_known(struct bank *bank, const struct change_repeated *wanted,
                    bool *known) MUST_CHECK;

/*
 * The allotment of an account that an amount is put into or taken from: the one named by
 * --allotment, else the first in force now that has `amount`. ERROR_MISSING: there is no such
 * allotment.
 */
int change_allotment(const struct bank *bank, const struct ledger_account *account,
                     int64_t amount, const struct ledger_allotment **out) MUST_CHECK;

/*
 * What the actions of these names do, by the words and options of the request, inside the
 * transaction.
 */
int change_open(struct bank *bank) MUST_CHECK;
int change_grant(struct bank *bank) MUST_CHECK;
int change_transfer(struct bank *bank) MUST_CHECK;
int change_adjust(struct bank *bank) MUST_CHECK;
int change_void(struct bank *bank) MUST_CHECK;
int change_extend(struct bank *bank) MUST_CHECK;
int change_write_off(struct bank *bank) MUST_CHECK;

/* Many of these from a sheet, all or none. */
int bank_do_bulk(struct bank *bank) MUST_CHECK;

/* Whether an action takes the words and options of a request. */
int bank_check_options(const struct request *request, struct error *err) MUST_CHECK;

/* What charging posts by account, or would; `same` is said where that is nothing. */
void change_show_differences(const struct bank *bank, const struct charging_plan *plan,
                             bool applied, const char *same);
