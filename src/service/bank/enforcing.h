/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the bank wants of a scheduler, what the scheduler says, and the plan that follows: of one [enforce NAME] of stint.conf.
 * For the commands about limits and for stint doctor. Inside service/ only.
 */

#include "books/rate.h"
#include "enforce/guard.h"
#include "service/bank/bank.h"

struct enforcing {
    struct bank *bank;
    struct enforce_site site;
    const struct enforce_driver *driver;
    struct limit_plan_demand *demands;
    size_t demand_count;
    struct enforce_states states;
    struct kept_list kept;
    struct rate_list rates;
    struct guard guard;
    struct limit_plan plan;
};

/*
 * Asks the scheduler, without holding the store, and makes the plan; guards have been applied to it unless it releases. The
 * null string as `account` is all of them. Closed also when it failed.
 */
int enforcing_open(struct bank *bank, const struct config_section *section, bool release,
                   struct str account, struct enforcing *out, struct error *err) MUST_CHECK;
void enforcing_close(struct enforcing *enforcing);

/* What somebody should know of a limit beside whether it differs, as a sentence in the plan's arena; NULL: nothing. */
const char *enforcing_finding(struct enforcing *enforcing, const struct limit_plan_row *row);

/* A word for it: "stopped", "differs", ... */
const char *enforcing_verdict(const struct enforcing *enforcing,
                              const struct limit_plan_row *row);

/*
 * A sentence about the qualities of service whose usage the scheduler counts by another factor than every rate does, if the bank
 * charges what the scheduler has counted; NULL: there are none.
 */
const char *enforcing_factors(struct enforcing *enforcing);
