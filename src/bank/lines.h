/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The lines behind the charges: what each run was charged, and, below zero, what of that was taken back when its record or its rate
 * changed. The last line of a run is what it is charged now, if it is above zero.
 *
 * What runs ought to be charged is collected and posted for many at a time, in the order of the table: the lines of neighbouring runs are read
 * in one go (books/packed.h), compared, and what differs is written as one row. A row is never edited, and its number exists once.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "books/books.h"
#include "books/chain.h"
#include "books/packed.h"
#include "record/run.h"

/* The runs of a bucket. */
struct lines_bucket {
    struct lines_run {
        struct packed_line last; /* of its lines */
        int64_t count;
    } * rows;

    size_t count, room;
    uint32_t *places; /* by hash of the run: 1 + the index of a row */
    size_t place_count;
    struct arena arena;
    int64_t next; /* number of its next row */
};

/* `out` is a zeroed one, or one that was loaded before; it is released also when it fails. */
int lines_load(struct books *books, int64_t bucket, struct lines_bucket *out,
               struct error *err) MUST_CHECK;
void lines_release(struct lines_bucket *bucket);

/* The last line of a run; NULL: it has none. */
const struct packed_line *lines_find(const struct lines_bucket *bucket, struct str run);

/* What a price goes by: fields of a run, for whoever has to price it by other rates. Text lasts as long as the batch. */
struct lines_price {
    struct str cluster, partition, qos, gpu_type, state, class, account, group;
    int64_t suspended_us, cpus, gpus, mem_bytes, node_count, billing, energy_mj;
    unsigned has;     /* which of the above are recorded, in the order above */
    bool is_unpriced; /* the present rates do not have its price */
};

/* What runs ought to be charged, in the order in which they came. */
struct lines_pile {
    struct lines_wanted *rows;
    struct lines_price *prices; /* of each row; NULL: nobody wants them */
    size_t count, room;
    struct buf names;
};

/*
 * Runs whose charges are to be posted. While a pile of them is posted by a thread of its own, the next is collected: meanwhile nobody else
 * uses the books, see lines_wait.
 */
struct lines_batch {
    struct books *books;
    int64_t round;
    bool missing_only; /* what is charged already stays as it is */

    /*
     * Called for every run before it is compared, by the thread that posts: turns the rate of the line into a pin, and
     * prices it by the rates of its last line (or NULL), where these are others. `price` is what lines_want was given.
     */
    int (*reprice)(void *context, const struct lines_price *price,
                   const struct packed_line *last, struct packed_line *wanted,
                   struct error *err);

    /* Or NULL: nothing is posted, and this is called where what is differs from what ought to be, by the same thread. */
    int (*differs)(void *context, const struct packed_line *is, const struct packed_line *ought,
                   struct error *err);

    /* Called for every line that is posted, by the thread that posts. */
    int (*posted)(void *context, const struct packed_line *line, struct error *err);
    void *context;

    int64_t charged, reversed; /* how many so far */
    struct chain_lines chain;  /* rows of the table that were written */
    /* from here on its own */
    struct lines_pile coming, posting;
    bool is_posting; /* a thread is at work, and owns all below until it is waited for */
    pthread_t worker;
    int failed;
    struct error error;
    struct lines_bucket bucket;
    struct packed_place place;
    struct buf packed;
    struct lines_key *keys;
    size_t key_room;
};

/*
 * A run of this name ought to be charged what the line says; amount 0: nothing. `n` does not count. `price` may be NULL, then for all runs of the batch. Posts what was collected when that is much;
 * inside a transaction of the caller.
 */
int lines_want(struct lines_batch *batch, const struct run *run, const struct packed_line *line,
               const struct lines_price *price, struct error *err) MUST_CHECK;

/* Until the books are not in use any more: before anybody else changes them, and before the transaction ends. Says what went wrong meanwhile. */
int lines_wait(struct lines_batch *batch, struct error *err) MUST_CHECK;

/* Posts the rest. */
int lines_flush(struct lines_batch *batch, struct error *err) MUST_CHECK;
void lines_batch_release(struct lines_batch *batch);

struct lines_taker {
    void *context;
    int (*take)(void *context, const struct packed_line *line, struct error *err);
    /* Or NULL: called once for each run whose lines are not numbered from 0 on. */
    void (*odd)(void *context, struct str run);
};

/* Every line there is, in the order of the table. */
int lines_each(struct books *books, const struct lines_taker *taker,
               struct error *err) MUST_CHECK;
