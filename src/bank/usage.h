/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What accounts used by day, cluster and user: sums of charges, each shared out over the days its run lasted, in proportion
 * to the time on each. They are collected in memory and added to the table of the books in one go.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/zone.h"
#include "books/books.h"

/* A charge, or one that is taken back: `amount` is then below zero. */
struct usage_charge {
    int64_t account, cluster, user; /* numbers; cluster and user of names.h */
    int64_t start, end;
    int64_t amount;
};

struct usage_cell {
    int64_t account, day, cluster, user, amount;
    bool used;
};

struct usage {
    const struct zone *zone; /* whose days these are */
    struct usage_cell *cells;
    size_t count, room;
    int64_t day, day_start, day_end; /* the day that was looked at last */
};

/* A zeroed struct with a zone is empty. */
void usage_release(struct usage *usage);

/* The parts of a charge on its days add up to it, whatever its sign: taking back a charge leaves nothing. */
int usage_add(struct usage *usage, const struct usage_charge *charge,
              struct error *err) MUST_CHECK;

/* Adds all of it to the books, inside a transaction of the caller, and empties it. `fresh`: there is none in the books. */
int usage_write(struct usage *usage, bool fresh, struct books *books,
                struct error *err) MUST_CHECK;
