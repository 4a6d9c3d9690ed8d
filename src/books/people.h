/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Logins and the people they belong to. One person may have several logins on several clusters;
 * a login names one person: `alder:ann` on that cluster, else `ann` on all.
 */

#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

struct books;

struct people_login {
    struct str cluster; /* the null string: all that have no row of their own */
    struct str login;
    struct str person, name, email, affiliation; /* null strings where nothing is known */
};

struct people_list {
    struct people_login *rows; /* by login, then cluster, the one for all clusters last */
    size_t count;
    struct arena arena;
};

/* `out` is released also when it fails. */
int books_people(struct books *books, struct people_list *out, struct error *err) MUST_CHECK;
void people_list_release(struct people_list *list);

/* Whose login it is on a cluster, or NULL. */
const struct people_login *people_find(const struct people_list *list, struct str cluster,
                                       struct str login);

/* No login belongs to two people. For kind.c. */
int people_check(struct books *books, struct error *err) MUST_CHECK;
