/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Brings the entries of accounts in line with what their runs were charged: which allotment
 * pays is worked out again (allotment_order.h), what has ended expires, refunds follow the
 * charges of their runs (refunds.h), and only the differences to what is there are posted.
 * Doing it again posts nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bank/ledger.h"
#include "bank/refunds.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/zone.h"

struct settle {
    struct books *books;
    const struct zone *zone; /* of the days of the bank */
    int64_t now;
    struct str who, why;
    int64_t round;          /* of charging; 0: none */
    int64_t entries;        /* that were posted */
    struct refunds refunds; /* of all accounts, read once */
    bool has_refunds;
};

void settle_release(struct settle *settle);

/* One account, inside a transaction of the caller. */
int settle_account(struct settle *settle, const struct ledger_account *account,
                   struct error *err) MUST_CHECK;

/* All accounts that have an allotment which is over and not empty. */
int settle_ended(struct settle *settle, const struct ledger_accounts *accounts,
                 struct error *err) MUST_CHECK;
