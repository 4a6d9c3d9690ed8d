/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What runs of an account cost in a currency, by cluster and user: rates whose unit that is
 * (price.h), shared out over the days of each run as charges are. Computed from the facts, and
 * kept nowhere.
 */

#include "bank/ledger.h"
#include "base/zone.h"
#include "books/rate.h"
#include "facts/facts.h"

/* What was refunded of a run: its cost is the same share of the run's. */
struct costing_refund {
    struct str run;
    int64_t amount, charged; /* SU */
    bool has_cost;           /* set by costing_run: the run was found and has a price */
    int64_t cost;
};

struct costing {
    struct books *books;
    struct facts *facts;
    const struct zone *zone; /* of the bank's days */
    const struct rate_list *rates;
    const struct ledger_draws *draws;
    const struct ledger_account *account;
    struct str unit;
    struct costing_refund *refunds; /* may be none */
    size_t refund_count;
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
