/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whom to believe of a run: each teller has a weight for each group of fields, and of two that know a field the one with
 * more weight is right (facts/duckdb/merge.h).
 */

#include "record/run.h"

enum field_group {
    GROUP_NONE,     /* what tells runs apart, and where a record came from: is not merged */
    GROUP_IDENTITY, /* whose it is and where it was to run */
    GROUP_TIMES,
    GROUP_REQUEST,
    GROUP_ALLOCATION,
    GROUP_USE,      /* measured */
    GROUP_END,      /* what is known once it is over: exit status and signal */
    GROUP_STANDING, /* how it stands: taken as a whole */
    GROUP_COUNT,
};

enum field_group teller_group(enum run_field field);

/* From 1; 0 for GROUP_NONE and GROUP_STANDING. */
int teller_weight(enum field_group group, enum run_teller teller);
