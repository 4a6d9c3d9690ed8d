/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What accounts used by day, cluster and user: sums of charges, each shared out over the days
 * its run lasted, in proportion to the time on each. They are collected in memory and added to
 * those of the books in one go.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/zone.h"
#include "books/books.h"
#include "books/packed.h"

/* A charge, or one that is taken back: `amount` is then below zero. */
struct usage_charge {
    int64_t account, cluster, user; /* numbers; cluster and user of name_ids.h */
    int64_t start, end;
    int64_t amount;
    /* The first open day, on which what lies before it counts; INT64_MIN: all are open. */
    int64_t floor;
};

/*
 * Small, since there are many, and in the order of their keys: an account and a day, a cluster
 * and a user.
 */
struct usage_cell {
    uint64_t when, whose;
    int64_t amount;
};

struct packed_cell usage_cell_of(const struct usage_cell *cell);

struct usage {
    const struct zone *zone;  /* whose days these are */
    struct usage_cell *cells; /* several of a key, until they are joined */
    size_t count, room;
    int64_t day, day_start, day_end; /* the day that was looked at last */

    /* Of the last charge that was added: what lies before its floor, and the days of that. */
    struct usage_late {
        int64_t amount, first, last;
        bool is;
    } late;
};

/* A zeroed struct with a zone is empty. */
void usage_release(struct usage *usage);

/*
 * The parts of a charge on its days add up to it, whatever its sign: taking back a charge
 * leaves nothing.
 */
int usage_add(struct usage *usage, const struct usage_charge *charge,
              struct error *err) MUST_CHECK;

/* Makes one cell of those that have the same key, and puts all in their order. */
int usage_join(struct usage *usage, struct error *err) MUST_CHECK;

/* Adds all of it to the books, inside a transaction of the caller, and empties it. */
int usage_write(struct usage *usage, struct books *books, struct error *err) MUST_CHECK;

/* What is in the books. */
struct usage_taker {
    void *context;
    int (*take)(void *context, int64_t account, const struct packed_cell *cell,
                struct error *err);
    /* Or NULL: a row of the books, after its cells, and what is kept as their sum. */
    int (*end)(void *context, int64_t account, int64_t kept, struct error *err);
};

/*
 * The cells of an account, or with 0 of all, of days [first, last), by account and stretch of
 * days; within one in no order.
 */
int usage_each(struct books *books, int64_t account, int64_t first, int64_t last,
               const struct usage_taker *taker, struct error *err) MUST_CHECK;

/* The same of an account and of those that it pays for. */
int usage_paid(struct books *books, int64_t account, int64_t first, int64_t last,
               const struct usage_taker *taker, struct error *err) MUST_CHECK;
