/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What runs of an account cost in a currency, by cluster and user: rates whose unit that is (price.h), shared out over the days of each run
 * as charges are. Computed from the facts, and kept nowhere.
 */

#include "bank/ledger.h"
#include "base/zone.h"
#include "books/rate.h"
#include "facts/facts.h"

struct costing {
    struct books *books;
    struct facts *facts;
    const struct zone *zone; /* of the bank's days */
    const struct rate_list *rates;
    const struct ledger_draws *draws;
    const struct ledger_account *account;
    struct str unit;
    int64_t first, last; /* days of the bank's calendar: [first, last) */
};

struct costing_result {
    struct ledger_uses uses;  /* by cluster, then user */
    int64_t unpriced;         /* runs of the period whose price is not known */
    char why[ERROR_TEXT_MAX]; /* of the first of these */
};

/* `out` is released also when it fails. */
int costing_run(const struct costing *costing, struct costing_result *out,
                struct error *err) MUST_CHECK;
void costing_result_release(struct costing_result *result);
