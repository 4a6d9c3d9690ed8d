/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The lines behind the charges: what each run was charged, and, below zero, what of that was
 * taken back when its record or its rate changed. The last line of a run is what it is charged
 * now, if it is above zero.
 *
 * What runs ought to be charged is collected and posted for many at a time, in the order of the
 * table: the lines of neighbouring runs are read in one go (books/packed.h), compared, and what
 * differs is written as one row. A row is never edited, and its number exists once.
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
struct charge_lines_bucket {
    struct charge_lines_run {
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
int charge_lines_load(struct books *books, int64_t bucket, struct charge_lines_bucket *out,
                      struct error *err) MUST_CHECK;
void charge_lines_release(struct charge_lines_bucket *bucket);

/* The last line of a run; NULL: it has none. */
const struct packed_line *charge_lines_find(const struct charge_lines_bucket *bucket,
                                            struct str run);

/*
 * What a price goes by: fields of a run, for pricing it by other rates. Text lasts as long as
 * the batch.
 */
struct charge_lines_price {
    struct str cluster, partition, qos, gpu_type, state, class, account, group, resources;
    int64_t suspended_us, cpus, gpus, mem_bytes, node_count, billing, energy_mj;
    unsigned has;     /* which of the above are recorded, in the order above */
    bool is_unpriced; /* the present rates do not have its price */
};

/* What runs ought to be charged, in the order in which they came. */
struct charge_lines_pile {
    struct lines_wanted *rows;
    struct charge_lines_price *prices; /* of each row; NULL: nobody wants them */
    size_t count, room;
    struct buf names;
};

/*
 * Runs whose charges are to be posted. While a pile of them is posted by a thread of its own,
 * the next is collected: meanwhile nobody else uses the books, see charge_lines_wait.
 */
struct charge_lines_batch {
    struct books *books;
    int64_t round;
    bool missing_only; /* what is charged already stays as it is */

    /*
     * Called for every run before it is compared, by the thread that posts: turns the rate of
     * the line into a pin, and prices it by the rates of its last line (or NULL), where these
     * are others. `price` is what charge_lines_want was given.
     */
    int (*reprice)(void *context, const struct charge_lines_price *price,
                   const struct packed_line *last, struct packed_line *wanted,
                   struct error *err);

    /*
     * Or NULL: nothing is posted, and this is called where what is differs from what ought to
     * be, by the same thread.
     */
    int (*differs)(void *context, const struct packed_line *is, const struct packed_line *ought,
                   struct error *err);

    /* Called for every line that is posted, by the thread that posts. */
    int (*posted)(void *context, const struct packed_line *line, struct error *err);
    void *context;

    int64_t charged, reversed; /* how many so far */
    struct chain_lines chain;  /* rows of the table that were written */
    /* from here on its own */
    struct charge_lines_pile coming, posting;
    bool is_posting; /* a thread is at work, and owns all below until it is waited for */
    pthread_t worker;
    int failed;
    struct error error;
    struct charge_lines_bucket bucket;
    struct packed_place place;
    struct buf packed;
    struct lines_key *keys;
    size_t key_room;
};

/*
 * A run of this name ought to be charged what the line says; amount 0: nothing. `n` does not
 * count. `price` may be NULL, then for all runs of the batch. Posts what was collected when
 * that is much; inside a transaction of the caller.
 */
int charge_lines_want(struct charge_lines_batch *batch, const struct run *run,
                      const struct packed_line *line, const struct charge_lines_price *price,
                      struct error *err) MUST_CHECK;

/*
 * Until the books are not in use any more: before anybody else changes them, and before the
 * transaction ends. Says what went wrong meanwhile.
 */
int charge_lines_wait(struct charge_lines_batch *batch, struct error *err) MUST_CHECK;

/* Posts the rest. */
int charge_lines_flush(struct charge_lines_batch *batch, struct error *err) MUST_CHECK;
void charge_lines_batch_release(struct charge_lines_batch *batch);

struct charge_lines_taker {
    void *context;
    int (*take)(void *context, const struct packed_line *line, struct error *err);
    /* Or NULL: called once for each run whose lines are not numbered from 0 on. */
    void (*odd)(void *context, struct str run);
};

/*
 * Those of the runs whose lines lie together with those of one run, and its own: a few dozen.
 * `odd` is not called.
 */
int charge_lines_near(struct books *books, const struct run *run,
                      const struct charge_lines_taker *taker, struct error *err) MUST_CHECK;

/* Every line there is, in the order of the table. */
int charge_lines_each(struct books *books, const struct charge_lines_taker *taker,
                      struct error *err) MUST_CHECK;
