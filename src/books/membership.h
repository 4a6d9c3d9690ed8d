/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who belongs to which metagroup when, worked out.
 *
 * A total must equal the sum of its rows, so a run belongs to one metagroup at an instant, or
 * to none: the membership of its user decides, else that of its account, else that of its
 * group. That leaves two of the same rank at once, say one user in two metagroups: that is
 * refused when somebody tries to write it down, and so is a metagroup in two others at once. A
 * run that lasts while its user moves is split at the instant of the move.
 *
 * A metagroup inside others has a chain, from the outermost to itself, which may change with
 * time as well. No metagroup may contain itself at any instant.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"

struct books;

/* By what of a run a membership is found; the larger one wins. */
enum membership_rank {
    MEMBERSHIP_METAGROUP, /* not of runs: a metagroup in another */
    MEMBERSHIP_GROUP,
    MEMBERSHIP_ACCOUNT,
    MEMBERSHIP_USER,
};

enum { MEMBERSHIP_DEPTH_MAX = 16 };

/*
 * Of runs whose user (account, group) is `name`, the time in [from, to) counts to `metagroup`,
 * unless a higher rank says otherwise. Rows of one rank and name do not overlap.
 */
struct membership {
    enum membership_rank rank;
    struct str name;
    struct str metagroup;     /* its own level: levels[depth - 1] */
    struct str top;           /* the outermost: levels[0] */
    const struct str *levels; /* from the outermost to its own */
    size_t depth;             /* number of levels, at least 1 */
    int64_t from, to;         /* instants; [0, INSTANT_MAX) is always */
};

struct membership_list {
    struct membership *rows; /* by rank (users first), name, from */
    size_t count;
    struct arena arena;
};

/* Dates are of the zone. `out` is released also when it fails. */
int books_memberships(struct books *books, const struct zone *zone, struct membership_list *out,
                      struct error *err) MUST_CHECK;
void membership_list_release(struct membership_list *list);

/* "user", "account", "group", "metagroup": column of a run, or dimension, the name is of. */
const char *membership_rank_name(enum membership_rank rank);

/* The row that holds for a name at an instant, or NULL: by bisection. */
const struct membership *membership_find(const struct membership_list *list,
                                         enum membership_rank rank, struct str name,
                                         int64_t instant);

/* What must hold of all memberships; see above. For kind.c. */
int membership_check(struct books *books, struct error *err) MUST_CHECK;
