/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Refunds of runs, and what is left of them. A person decides on a refund: an entry from `used`
 * into a pot of the account that pays for the run. What it comes to is at most what the run
 * costs now: where a record or a rate makes the run cheaper, or it is charged to another
 * account, the rest is taken back by an entry the other way; where it costs more again, that is
 * given again. So a refund is a function of what was decided and of the charge, and never
 * creates service units.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"

struct refund {
    struct str run;
    int64_t account, pot;
    int64_t decided; /* by people */
    int64_t is;      /* less what was taken back, and with what was given again */
    int64_t ought;   /* for refunds_work_out: what the charge of the run leaves of it */
};

struct refunds {
    struct refund *rows; /* by account, run, and when they were decided */
    size_t count;
    struct arena arena;
};

/* All of them. `out` is released also when it fails. */
int refunds_read(struct books *books, struct refunds *out, struct error *err) MUST_CHECK;
void refunds_release(struct refunds *refunds);

/* The rows of an account; *count of them. */
struct refund *refunds_of(const struct refunds *refunds, int64_t account, size_t *count);

/* Sets `ought` of the rows of an account by the charges that its runs have now. */
int refunds_work_out(struct books *books, struct refund *rows, size_t count,
                     struct error *err) MUST_CHECK;
