/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What keeps a plan from being carried out, in part or as a whole: nobody is stopped on numbers
 * that may be wrong. A step that is withheld has a sentence that says why. What lets more start
 * is withheld by the switch only.
 */

#include "enforce/limit_plan.h"

struct guard {
    bool off;              /* by stint.conf */
    const char *stop_file; /* that exists; NULL: none does */
    int64_t now, max_age_us;
    int64_t facts_at; /* when the scheduler was last asked or its file read; -1: never */
    bool covered; /* of the time before now, in which data must not be missing, they do not */
    int64_t max_accounts, max_share; /* that may be stopped in one go; a share in percent */
};

/* Sets outcome and why of the steps that are withheld. */
void guard_apply(const struct guard *guard, struct limit_plan *plan);
