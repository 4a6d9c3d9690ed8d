/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the bank wants of a scheduler, what the scheduler says, and the plan that follows: of
 * one [enforce NAME] of stint.conf. For the commands about limits and for stint doctor. Inside
 * service/ only.
 */

#include "books/rate.h"
#include "enforce/guard.h"
#include "service/bank/bank.h"

struct enforcement {
    struct bank *bank;
    struct enforce_site site;
    const struct enforce_driver *driver;
    struct limit_plan_demand *demands;
    size_t demand_count;
    struct limit_plan_demand *users; /* by their caps */
    size_t user_count;
    bool has_caps;
    struct enforce_states states;
    struct saved_limits_list kept;
    struct rate_list rates;
    struct guard guard;
    struct limit_plan plan;
};

/*
 * Asks the scheduler, without holding the store, and makes the plan; guards have been applied
 * to it unless it releases. The null string as `account` is all of them. Closed also when it
 * failed.
 */
int enforcement_open(struct bank *bank, const struct config_section *section, bool release,
                     struct str account, struct enforcement *out, struct error *err) MUST_CHECK;
void enforcement_close(struct enforcement *enforcing);

/*
 * What somebody should know of a limit beside whether it differs, as a sentence in the plan's
 * arena; NULL: nothing.
 */
const char *enforcement_finding(struct enforcement *enforcing,
                                const struct limit_plan_row *row);

/* A word for it: "stopped", "differs", ... */
const char *enforcement_verdict(const struct enforcement *enforcing,
                                const struct limit_plan_row *row);

/* That there are caps which this scheduler cannot hold anybody by; NULL: none. */
const char *enforcement_caps(const struct enforcement *enforcing);

/*
 * A sentence about the qualities of service whose usage the scheduler counts by another factor
 * than every rate does, if the bank charges what the scheduler has counted; NULL: none.
 */
const char *enforcement_factors(struct enforcement *enforcing);
