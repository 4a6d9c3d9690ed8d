/* SPDX-License-Identifier: MIT */
#pragma once

/* The actions of `stint bank` that change the ledger, each in a transaction of its own. Inside service/ only. */

#include "service/bank/bank.h"

int bank_do_open(struct bank *bank) MUST_CHECK;
int bank_do_set(struct bank *bank) MUST_CHECK;
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

/* The files of slurm_bank. */
int bank_do_import(struct bank *bank) MUST_CHECK;
int bank_show_dump(struct bank *bank) MUST_CHECK;

/* Charges the runs of all accounts that are not charged, in one pass over them. */
int bank_charge_missing(struct bank *bank) MUST_CHECK;
