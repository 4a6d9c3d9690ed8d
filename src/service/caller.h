/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who asks. Whatever door somebody comes through, it says who they are and what they may do; operations never look
 * further. What a caller may see follows from the role: staff see everything, a manager sees the groups,
 * accounts and metagroups they manage and their own, a user sees their own, and nobody in particular sees nothing of anybody.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "record/scope.h"

/* Each may do what those before it may. */
enum role {
    ROLE_UNSET,   /* of an operation nobody has thought about: not allowed to anybody */
    ROLE_ANYONE,  /* says nothing of anybody */
    ROLE_USER,    /* about one's own runs, or what the site shows to all */
    ROLE_MANAGER, /* about those of the groups and accounts one manages */
    ROLE_STAFF,   /* about everybody's */
    ROLE_ADMIN,   /* changes the store */
    ROLE_COUNT_OF,
};

const char *role_name(enum role role);

struct caller {
    const char *name; /* written to the history of the books */
    enum role role;
    bool remote; /* elsewhere: files of this machine are not theirs to name */
    bool token;  /* a program with a token, not somebody who logged in */
    const struct str *logins, *groups, *accounts, *metagroups; /* own, and what they manage */
    size_t login_count, group_count, account_count, metagroup_count;
};

/* What the caller may see, but for metagroups (service/managed.h). Borrows from the caller. */
struct scope caller_scope(const struct caller *caller);

/*
 * The user of this machine with that number, at a store they reach by its files: root and who may write the store's
 * folder, or make it, is admin; who may read the facts is staff; others are users. Text is kept in the arena.
 */
struct caller caller_local(const char *folder, unsigned uid, struct arena *arena);
