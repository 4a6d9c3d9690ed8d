/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who makes a request, and what they may do. It is determined where the request arrives (a
 * terminal, a socket, HTTP); operations look at nothing else.
 *
 * What a caller may do is a set of rights, none of which contains another; a role is a name for
 * such a set, a token carries a part of one. What a caller may see follows from the rights to
 * see: all runs; those of the groups, accounts and metagroups they manage; their own.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "record/scope.h"

enum right {
    RIGHT_UNSET = 0,       /* of an operation whose row names none: allowed to nobody */
    RIGHT_PUBLIC = 1 << 0, /* what reveals nothing about anybody: everyone has it */
    RIGHT_OWN = 1 << 1,    /* the caller's own runs, and what the site shows to all users */
    RIGHT_MANAGED = 1 << 2,
    RIGHT_ALL = 1 << 3,
    RIGHT_TRANSFER = 1 << 4, /* of SU, out of accounts that the caller manages */
    RIGHT_MONEY = 1 << 5,
    RIGHT_BOOKS = 1 << 6,
    RIGHT_ACCESS = 1 << 7,
    RIGHT_SAMPLES = 1 << 8,
    RIGHT_CHORES = 1 << 9,

    RIGHTS_SEEING = RIGHT_PUBLIC | RIGHT_OWN | RIGHT_MANAGED | RIGHT_ALL,
};

/* A right, for people. Those that everyone has are not listed. */
struct right_row {
    enum right right;
    const char *name;
    const char *help; /* "may ...": what it allows */
};

extern const struct right_row right_rows[];
extern const size_t right_count;

/*
 * What each built-in role may do; sites add rights to users and groups in stint.conf ([access
 * RULE]).
 */
enum role {
    ROLE_ANYONE,
    ROLE_USER,
    ROLE_MANAGER,
    ROLE_STAFF,
    ROLE_OPERATOR,
    ROLE_TREASURER,
    ROLE_AGENT,
    ROLE_ADMIN,
    ROLE_COUNT_OF,
};

enum {
    RIGHTS_ANYONE = RIGHT_PUBLIC,
    RIGHTS_USER = RIGHT_PUBLIC | RIGHT_OWN,
    RIGHTS_MANAGER = RIGHTS_USER | RIGHT_MANAGED | RIGHT_TRANSFER,
    RIGHTS_STAFF = RIGHTS_SEEING,
    RIGHTS_OPERATOR = RIGHTS_STAFF | RIGHT_CHORES,
    RIGHTS_TREASURER = RIGHTS_STAFF | RIGHT_TRANSFER | RIGHT_MONEY,
    RIGHTS_AGENT = RIGHT_PUBLIC | RIGHT_SAMPLES,
    RIGHTS_ADMIN = RIGHTS_TREASURER | RIGHT_BOOKS | RIGHT_ACCESS | RIGHT_SAMPLES | RIGHT_CHORES,
};

const char *role_name(enum role role);
unsigned role_rights(enum role role);
bool role_find(struct str name, enum role *out);

/*
 * Reads names of rights, separated by commas or blanks; ERROR_USAGE names one that does not
 * exist.
 */
int rights_read(struct str names, unsigned *out, struct error *err) MUST_CHECK;

/*
 * Adds the names of a set with the separator between them; that which everyone has is left out.
 */
void rights_print(struct buf *out, unsigned rights, const char *separator);

/* Whether one of them allows more than to see something. */
bool rights_change(unsigned rights);

/* Initializes the role and the rights of a caller: {.name = "ann", CALLER_AS(USER)}. */
#define CALLER_AS(name) .role = ROLE_##name, .rights = RIGHTS_##name

struct zone;

/*
 * How coarse the sums are that a caller sees: see service/usage/crowd.h. All 0: as fine as they
 * ask.
 */
struct caller_crowd {
    const struct zone *zone; /* of the site: whose days they are of */
    int64_t window_us;       /* of time, at least */
    int64_t users;           /* together in a row, at least */
};

struct caller {
    const char *name; /* written to the history of the books */
    enum role role;   /* how their rights are called; what they may do is in `rights` only */
    unsigned rights;  /* of enum right */
    bool remote;      /* on another machine: may not name files of this one */
    /* remote, but on this machine: what stint.conf names may be used in their name */
    bool same_host;
    bool token; /* a program with a token, not a person who logged in */
    struct caller_crowd crowd;
    const struct str *logins, *groups, *accounts, *metagroups; /* own, and what they manage */
    size_t login_count, group_count, account_count, metagroup_count;
};

/* Whether the caller has all of these rights, which must be named: nobody has RIGHT_UNSET. */
bool caller_may(const struct caller *caller, unsigned rights);

/*
 * What the caller may see, without metagroups (service/core/caller_scope.h). Borrows from the
 * caller.
 */
struct scope caller_scope(const struct caller *caller);

/* The login of a user of this machine; "uid N" if the system has none. Text is in the arena. */
const char *caller_user_name(unsigned uid, struct arena *arena);

/*
 * A user of this machine, by number, who opens the store's files: root, and any user who may
 * write or create the store's folder, is admin; one who may read the facts is staff; others are
 * users. Text is in the arena.
 */
struct caller caller_local(const char *folder, unsigned uid, struct arena *arena);
