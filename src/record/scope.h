/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whose runs may be seen: everybody's, or those of some logins, groups and accounts, and those
 * of metagroups while they belong to them. A run is visible if its user, its group or its
 * account is among them. All lists empty: nothing of anybody.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * By what of a run a stretch is found; a larger one decides before a smaller one, as in
 * books/membership.h.
 */
enum scope_rank { SCOPE_GROUP, SCOPE_ACCOUNT, SCOPE_USER, SCOPE_RANKS };

/*
 * Runs whose group, account or user has that name are visible (`mine`) if they have to do with
 * the time [from, to), or belong to somebody else then, so that a smaller rank does not make
 * them visible.
 */
struct scope_stretch {
    enum scope_rank rank;
    struct str name;
    int64_t from, to;
    bool mine;
};

struct scope {
    bool all;
    /* sums over everybody's runs that name nobody may be seen besides: see facts/everyone.h */
    bool totals;
    const struct str *logins, *groups, *accounts;
    size_t login_count, group_count, account_count;
    const struct scope_stretch *stretches;
    size_t stretch_count;
};
