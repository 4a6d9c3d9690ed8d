/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Periods of accounts that are closed, up to a day. What is posted after that for closed days
 * (late records, corrections, runs charged again, refunds, grants for the past) counts on the
 * first open day, and is kept apart as what it is: so a statement of a closed period never
 * changes. A period is not opened again.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"

struct closing {
    int64_t account;
    int64_t until,
        day;       /* the first that is open: an instant, and its day of the bank's calendar */
    int64_t round; /* the last of before */
};

struct closings {
    struct closing *rows; /* by account, in their order */
    size_t count;
};

/* `out` is released also when it fails. */
int closings_read(struct books *books, struct closings *out, struct error *err) MUST_CHECK;
void closings_release(struct closings *closings);

/* The first day that was open to what a round of charging posted; INT64_MIN: all were. */
int64_t closings_floor(const struct closings *closings, int64_t account, int64_t round);

/* The last closing of an account, or with 0 the latest of all; NULL: none. */
const struct closing *closings_last(const struct closings *closings, int64_t account);

/* Closes days before `day`, which begins at `until`, inside a transaction of the caller. */
int closings_add(struct books *books, const struct closing *closing, int64_t at, struct str who,
                 struct str why, struct error *err) MUST_CHECK;

/* What rounds posted late, and counts on a day of [first, last). */
struct late {
    int64_t account, round, cluster, user; /* cluster and user of name_ids.h */
    int64_t day, amount;
    int64_t first, last; /* days that it is of */
};

struct lates {
    struct late *rows;
    size_t count, room;
};

/*
 * Those of an account, or with 0 of all, by account, round, cluster and user. Released also
 * when it fails.
 */
int lates_read(struct books *books, int64_t account, int64_t first, int64_t last,
               struct lates *out, struct error *err) MUST_CHECK;
void lates_release(struct lates *lates);

/*
 * Adds one; those of the same account, round, cluster and user are joined by lates_join, which
 * sorts them.
 */
void lates_add(struct lates *lates, struct late late);
int lates_join(struct lates *lates, struct error *err) MUST_CHECK;

/* Writes them, which are joined, inside a transaction of the caller. */
int lates_write(const struct lates *lates, struct books *books, struct error *err) MUST_CHECK;
