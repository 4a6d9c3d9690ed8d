/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whose runs may be seen: everybody's, or those of some logins, groups and accounts. A run is visible if its user, its
 * group or its account is among them. All lists empty: nothing of anybody.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct scope {
    bool all;
    const struct str *logins, *groups, *accounts;
    size_t login_count, group_count, account_count;
};
