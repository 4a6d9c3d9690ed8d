/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Caps: how much of an account each user may use in a month, a quarter, a year, or the time of
 * its allotments. They are decided in the books (stint cap); what counts is what was charged on
 * the days of the period, and what the user's running jobs may still cost. A user with caps of
 * their own goes by all of these; any other by those of '*'. A cap of `all` is the ceiling of
 * the account: what all its users together may use.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bank/ledger.h"
#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "books/books.h"

#define CAPS_ALL "all" /* the user of a ceiling */

struct cap {
    int64_t id;
    struct str account, user;
    int64_t amount; /* -1: a share */
    int64_t share;  /* millionths of what is granted */
    int months;     /* of the period: 1, 3, 12; 0: the time of the allotments */
};

struct caps {
    struct cap *rows; /* that hold now */
    size_t count;
    struct arena arena;
};

/* `out` is released also when it fails. */
int caps_list(struct books *books, const struct zone *zone, int64_t now, struct caps *out,
              struct error *err) MUST_CHECK;
void caps_release(struct caps *caps);

/* What a user has left of a cap. */
struct cap_state {
    const struct cap *cap;
    struct str user;    /* '*': any other, who has used nothing; `all`: all together */
    int64_t from;       /* when the period began */
    int64_t limit;      /* INT64_MAX: a share of what is unlimited */
    int64_t used, held; /* in the period; by running jobs */
    int64_t left;       /* at zero or below nothing more may start */
};

struct cap_states {
    struct cap_state *rows; /* by cap, then user; one for '*' comes last of its cap */
    size_t count;
    struct arena arena;
};

/* Of one account. `out` is released also when it fails. */
int caps_of(struct books *books, const struct zone *zone, int64_t now, const struct caps *caps,
            const struct ledger_account *account, const struct ledger_allotments *allotments,
            struct cap_states *out, struct error *err) MUST_CHECK;
void cap_states_release(struct cap_states *states);

/* The ceiling of an account, among caps; any other is of users. */
bool cap_is_ceiling(const struct cap *cap);
bool caps_limit_users(const struct caps *caps); /* some are */

/* What an account may still use by its ceilings; INT64_MAX: no ceiling holds. */
int64_t caps_ceiling(const struct cap_states *states);

/* What a user may still use by all of their caps; INT64_MAX: no cap holds. */
int64_t caps_left(const struct cap_states *states, struct str user);
