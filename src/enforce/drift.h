/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How far what a scheduler enforces is from what the bank shows, as it was left when limits
 * were last applied: kept in the books, so that monitoring need not ask the scheduler.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"

/*
 * Forgets those of a cluster, and adds one, of which the largest of an account stays: inside a
 * transaction of the caller.
 */
int drift_clear(struct books *books, struct str cluster, struct error *err) MUST_CHECK;
int drift_put(struct books *books, struct str cluster, struct str account, int64_t micro,
              int64_t at, struct error *err) MUST_CHECK;

struct drift_list {
    struct drift {
        struct str cluster, account;
        int64_t micro, at;
    } * rows; /* by cluster and account */

    size_t count;
    struct arena arena;
};

/* `out` is released also when it fails. */
int drift_list_read(struct books *books, struct drift_list *out, struct error *err) MUST_CHECK;
void drift_list_release(struct drift_list *list);
