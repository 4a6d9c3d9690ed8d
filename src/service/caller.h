/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who makes a request, and what they may do. It is determined where the request arrives (a terminal, a socket, HTTP);
 * operations look at nothing else. What a caller may see follows from the role: staff see everything; a manager sees the
 * groups, accounts and metagroups they manage, and their own runs; a user sees their own runs; anyone else sees no runs.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "record/scope.h"

/* Each may do what those before it may. */
enum role {
    ROLE_UNSET,   /* of an operation without one: allowed to nobody */
    ROLE_ANYONE,  /* reveals nothing about anybody */
    ROLE_USER,    /* about the caller's own runs, or what the site shows to all users */
    ROLE_MANAGER, /* about runs of the groups and accounts that the caller manages */
    ROLE_STAFF,   /* about all runs */
    ROLE_ADMIN,   /* changes the store */
    ROLE_COUNT_OF,
};

const char *role_name(enum role role);

struct caller {
    const char *name; /* written to the history of the books */
    enum role role;
    bool remote; /* on another machine: may not name files of this one */
    /* remote, but on this machine: what stint.conf names may be used in their name */
    bool same_host;
    bool token; /* a program with a token, not a person who logged in */
    const struct str *logins, *groups, *accounts, *metagroups; /* own, and what they manage */
    size_t login_count, group_count, account_count, metagroup_count;
};

/* What the caller may see, without metagroups (service/managed.h). Borrows from the caller. */
struct scope caller_scope(const struct caller *caller);

/* The login of a user of this machine; "uid N" if the system has none. Text is in the arena. */
const char *caller_user_name(unsigned uid, struct arena *arena);

/*
 * A user of this machine, by number, who opens the store's files: root, and whoever may write or create the store's
 * folder, is admin; whoever may read the facts is staff; others are users. Text is in the arena.
 */
struct caller caller_local(const char *folder, unsigned uid, struct arena *arena);
