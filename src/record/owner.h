/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who is behind a login, as a source records it beside a job: of schedulers whose owners are no
 * accounts of a machine. The login is the run's `user`; what else is reported goes into a table
 * of its own (facts/owners.h) and from there, when somebody wants it, into the books (`stint
 * people sync`).
 */

#include <stdint.h>

#include "base/str.h"

/* What can be reported an owner. */
enum owner_part { OWNER_LOGIN, OWNER_NAME, OWNER_EMAIL, OWNER_PARTS };

struct owner {
    struct str cluster;
    struct str parts[OWNER_PARTS]; /* null strings where nothing is reported */
    int64_t reported_at;           /* when the job that says so was submitted; 0: unknown */
};
